//! `asd search`: recipes that answer a question.

use std::io::BufRead;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use anyhow::{Context, anyhow, bail};
use asd_embed::Embedder;
use asd_recipe::Kind;
use asd_search::{Answer, Confidence, Mode, Ordered, Query, SearchIndex};
use asd_store::Project;
use asd_workspace::{ProjectDocuments, Settings, with_vectors};
use clap::{Args, ValueEnum};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::Outcome;
use crate::args::ProjectOptions;
use crate::check::settings;
use crate::terminal::Terminal;

#[derive(Debug, Args)]
#[command(
    after_help = "A query may be a question, some words, a name from code or a trigger. Chinese
finds English recipes and the reverse. What nothing here answers finds nothing;
--all shows the nearest recipes then too.

With --batch, standard input holds one query a line, as plain text or as JSON
({\"id\": 7, \"query\": \"…\", \"limit\": 5}; also mode, kind, language), and one line of
JSON is written for each.

Exit codes:
  0  something was found
  1  nothing was found (not with --batch)
  2  wrong usage

Examples:
  asd search how are requests retried
  asd search 缓存失效 --kind rule
  asd search RetryQueue --json
  asd search --batch < queries.txt > answers.jsonl"
)]
pub(crate) struct SearchOptions {
    /// What is looked for.
    #[arg(value_name = "QUERY", required_unless_present = "batch")]
    query: Vec<String>,
    /// How recipes are found.
    #[arg(long, value_enum, default_value_t)]
    mode: ModeOption,
    /// Only recipes of this kind.
    #[arg(long, value_enum, default_value_t)]
    kind: KindOption,
    /// Only recipes of this language, and those of every language.
    #[arg(long, value_name = "LANGUAGE")]
    language: Option<String>,
    /// The most recipes, 1 to 100 [default: 10, in context mode 5].
    #[arg(long, value_name = "NUMBER")]
    limit: Option<usize>,
    /// Write JSON.
    #[arg(long)]
    json: bool,
    /// Show the nearest recipes also when nothing answers the query.
    #[arg(long)]
    all: bool,
    /// Read queries from standard input, one a line.
    #[arg(long, conflicts_with = "query")]
    batch: bool,
    /// A folder of the project; the current folder by default.
    #[arg(long, value_name = "PATH", default_value = ".")]
    project: PathBuf,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum ModeOption {
    /// By words, and by meaning where words are not sure.
    #[default]
    Auto,
    /// By the literal text.
    Keyword,
    /// By words; also called bm25.
    #[value(alias = "bm25")]
    Weighted,
    /// By meaning.
    Semantic,
    /// As auto, with what was asked before.
    Context,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum KindOption {
    #[default]
    All,
    Rule,
    Pattern,
    Fact,
}

impl ModeOption {
    const fn mode(self) -> Mode {
        match self {
            Self::Auto => Mode::Auto,
            Self::Keyword => Mode::Keyword,
            Self::Weighted => Mode::Weighted,
            Self::Semantic => Mode::Semantic,
            Self::Context => Mode::Context,
        }
    }
}

impl KindOption {
    const fn filter(self) -> Option<Ordered<Kind>> {
        match self {
            Self::All => None,
            Self::Rule => Some(Ordered(Kind::Rule)),
            Self::Pattern => Some(Ordered(Kind::Pattern)),
            Self::Fact => Some(Ordered(Kind::Fact)),
        }
    }
}

impl SearchOptions {
    fn asks(&self, text: &str) -> Query {
        Query {
            mode: self.mode.mode(),
            kind: self.kind.filter(),
            language: self.language.clone(),
            limit: self.limit,
            keep_weak: self.all,
            ..Query::new(text)
        }
    }
}

pub(crate) fn run(options: &SearchOptions, terminal: &mut Terminal) -> anyhow::Result<Outcome> {
    let searched = Searched::open(options, terminal)?;
    if options.batch {
        batch(options, &searched.index, terminal)?;
        return Ok(Outcome::Fine);
    }
    let answer = searched
        .index
        .search(&options.asks(&options.query.join(" ")))
        .map_err(|error| anyhow!("{error}"))?;
    let outcome = if answer.items.is_empty() {
        Outcome::Errors
    } else {
        Outcome::Fine
    };
    if options.json {
        terminal.json(&answer)?;
    } else {
        show(&answer, searched.index.is_empty(), terminal)?;
    }
    Ok(outcome)
}

struct Searched {
    index: SearchIndex,
}

impl Searched {
    fn open(options: &SearchOptions, terminal: &Terminal) -> anyhow::Result<Self> {
        if options.project.symlink_metadata().is_err() {
            bail!("there is no file or folder {}", options.project.display());
        }
        let settings = settings(&ProjectOptions::default())?;
        let root = Project::discover(&options.project);
        terminal.note_settings(&root, &settings);
        let read = ProjectDocuments::read(root.root(), &settings);
        for skipped in &read.skipped {
            terminal.note(&format!("{} is left out: {}", skipped.path, skipped.reason));
        }
        if let Some(language) = &options.language {
            let is_used = |document: &asd_search::Document| {
                document.recipe.language.trim() == language.trim()
            };
            if !asd_recipe::is_known_language(language) && !read.documents.iter().any(is_used) {
                let known: Vec<&str> = asd_recipe::known_languages().collect();
                bail!(
                    "`{language}` is not a language, and no recipe has it; known are all, {}",
                    known.join(", ")
                );
            }
        }
        if let Err(error) = &read.synonyms {
            terminal.note(&format!("{error}; the built-in synonyms are used"));
        }
        let words = read.index();
        let by_words = matches!(options.mode, ModeOption::Weighted | ModeOption::Keyword);
        if by_words || words.is_empty() {
            return Ok(Self { index: words });
        }
        let index =
            match asd_embed::default_embedder(asd_workspace::embeddings(&read.config.search)) {
                Ok(embedder) => meaning(&read, &settings, words, embedder),
                // No model is a normal state; who asks for meaning is told.
                Err(error) => {
                    if options.mode == ModeOption::Semantic {
                        terminal.note(&format!("{error}. Words are searched instead."));
                    }
                    words
                }
            };
        Ok(Self { index })
    }
}

fn meaning(
    read: &ProjectDocuments,
    settings: &Settings,
    words: SearchIndex,
    embedder: Arc<dyn Embedder>,
) -> SearchIndex {
    let never = AtomicBool::new(false);
    with_vectors(
        &read.project,
        settings.host.as_ref(),
        &words,
        embedder,
        &never,
    )
}

fn show(answer: &Answer, is_empty: bool, terminal: &mut Terminal) -> anyhow::Result<()> {
    if answer.degraded {
        terminal.note("Searched by words only.");
    }
    if answer.items.is_empty() {
        terminal.note(if is_empty {
            "There are no recipes here; `asd recipe new @name` starts one."
        } else {
            "No recipe answers this; --all shows the nearest ones."
        });
        return Ok(());
    }
    if answer.confidence == Confidence::None {
        terminal.note("No recipe answers this; these are the nearest ones.");
    }
    let width = answer
        .items
        .iter()
        .map(|row| row.trigger.chars().count())
        .max();
    for row in &answer.items {
        terminal.line(&format!(
            "{:5.3}  {:7}  {:width$}  {}",
            row.score,
            row.kind.name(),
            row.trigger,
            row.title,
            width = width.unwrap_or(0)
        ))?;
    }
    Ok(())
}

/// A line of `--batch` that is JSON.
#[derive(Deserialize)]
struct Line {
    #[serde(default)]
    id: Option<Value>,
    query: String,
    limit: Option<usize>,
    mode: Option<String>,
    kind: Option<String>,
    language: Option<String>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Reply {
    Answer {
        #[serde(skip_serializing_if = "Option::is_none")]
        id: Option<Value>,
        #[serde(flatten)]
        answer: Answer,
    },
    Error {
        #[serde(skip_serializing_if = "Option::is_none")]
        id: Option<Value>,
        error: String,
    },
}

/// Answers one query a line. A line that cannot be answered gets an error and
/// stops nothing.
fn batch(
    options: &SearchOptions,
    index: &SearchIndex,
    terminal: &mut Terminal,
) -> anyhow::Result<()> {
    for line in std::io::stdin().lock().split(b'\n') {
        let line = line.context("cannot read standard input")?;
        let line = String::from_utf8_lossy(&line);
        let line = line.trim().trim_start_matches('\u{feff}');
        if line.is_empty() {
            continue;
        }
        terminal.json_line(&reply(options, index, line))?;
    }
    Ok(())
}

fn reply(options: &SearchOptions, index: &SearchIndex, line: &str) -> Reply {
    // A question may begin with a brace; only an object is meant as JSON.
    let parsed = line
        .starts_with('{')
        .then(|| serde_json::from_str::<Line>(line));
    let (id, query) = match parsed {
        Some(Ok(line)) => {
            let id = line.id.clone();
            match asked(options, &line) {
                Ok(query) => (id, query),
                Err(error) => return Reply::Error { id, error },
            }
        }
        Some(Err(error)) if serde_json::from_str::<Value>(line).is_ok() => {
            return Reply::Error {
                id: None,
                error: format!("this is not a query: {error}"),
            };
        }
        _ => (None, options.asks(line)),
    };
    match index.search(&query) {
        Ok(answer) => Reply::Answer { id, answer },
        Err(error) => Reply::Error {
            id,
            error: error.to_string(),
        },
    }
}

fn asked(options: &SearchOptions, line: &Line) -> Result<Query, String> {
    let mut query = options.asks(&line.query);
    query.limit = line.limit.or(query.limit);
    if let Some(mode) = &line.mode {
        query.mode = Mode::from_name(mode).ok_or_else(|| format!("there is no mode `{mode}`"))?;
    }
    if let Some(kind) = line.kind.as_deref().filter(|kind| *kind != "all") {
        let known = Kind::from_name(kind).ok_or_else(|| format!("there is no kind `{kind}`"))?;
        query.kind = Some(Ordered(known));
    }
    if line.language.is_some() {
        query.language.clone_from(&line.language);
    }
    Ok(query)
}
