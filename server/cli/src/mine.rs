//! `asd mine`: conventions that the code itself follows.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use anyhow::bail;
use asd_codemap::{
    Candidate, CodeIndex, GuardState, Keep, KnownRecipes, MIN_SUPPORT, MineOptions, MinedPlace,
    Progress, ScanOptions, candidate_recipe, mine,
};
use asd_recipe::{Recipe, dimension_ids};
use asd_store::{Disk, KnowledgeStore, Project, list_recipes, load_recipes};
use asd_workspace::{Settings, recipe_folders};
use clap::Args;
use serde_json::{Value, json};

use crate::Outcome;
use crate::terminal::Terminal;

/// How many outliers are shown in the terminal.
const SHOWN: usize = 5;

#[derive(Debug, Args)]
#[command(
    after_help = "What is done one way often enough, and seldom otherwise, is listed with its
places. The confidence is the lower end of Wilson's 95 % interval of the share
that follows the convention; below 0.75 nothing is said. A guard is given only
when it finds exactly the places that do not follow.

With --write, each becomes a recipe below Alembic/candidates that waits for
approval. What a recipe says already is not written again, nor what was
rejected.

Examples:
  asd mine
  asd mine --dimension testing-quality
  asd mine --min-support 30 --json packages/core
  asd mine --write"
)]
pub(crate) struct MineArguments {
    /// Only conventions of this dimension.
    #[arg(long, value_name = "ID")]
    dimension: Option<String>,
    /// The fewest places that must agree.
    #[arg(long, value_name = "NUMBER", default_value_t = MIN_SUPPORT)]
    min_support: usize,
    /// Write JSON.
    #[arg(long)]
    json: bool,
    /// Write the candidates below Alembic/candidates.
    #[arg(long)]
    write: bool,
    /// A folder of the project; the current folder by default.
    #[arg(value_name = "PATH", default_value = ".")]
    path: PathBuf,
}

pub(crate) fn run(options: &MineArguments, terminal: &mut Terminal) -> anyhow::Result<Outcome> {
    if let Some(wanted) = &options.dimension
        && !dimension_ids().contains(&wanted.as_str())
    {
        bail!(
            "there is no dimension `{wanted}`; the dimensions are {}",
            dimension_ids().join(", ")
        );
    }
    let project = Project::discover(&options.path);
    if options.write && !project.has_knowledge() {
        bail!("there is no Alembic/ folder here or above; `asd setup` makes one");
    }
    let candidates = found(&project, options, terminal)?;
    let written = if options.write {
        write(&project, &candidates, terminal)?
    } else {
        Vec::new()
    };
    if options.json {
        let list: Vec<Value> = candidates.iter().map(shown).collect();
        terminal.json(&json!({ "candidates": list, "written": written }))?;
        return Ok(Outcome::Fine);
    }
    for candidate in &candidates {
        show(candidate, terminal)?;
    }
    match candidates.len() {
        0 => terminal.line("No convention has enough evidence.")?,
        1 => terminal.line("1 convention.")?,
        count => terminal.line(&format!("{count} conventions."))?,
    }
    for path in &written {
        terminal.line(&format!("wrote {path}"))?;
    }
    if options.write {
        let known = candidates.len() - written.len();
        terminal.line(&format!(
            "{} candidates written, {known} known already. `asd recipe approve` takes one up, and so does the editor.",
            written.len()
        ))?;
    }
    Ok(Outcome::Fine)
}

fn found(
    project: &Project,
    options: &MineArguments,
    terminal: &Terminal,
) -> anyhow::Result<Vec<Candidate>> {
    let never = AtomicBool::new(false);
    let at = AtomicUsize::new(0);
    let watched = terminal.shows_progress;
    let progress = |progress: Progress| {
        let step = (progress.total / 100).max(1);
        if watched && progress.done / step > at.fetch_max(progress.done / step, Ordering::Relaxed) {
            anstream::eprint!("\rReading {}/{} files", progress.done, progress.total);
        }
    };
    let index = CodeIndex::scan(
        project,
        &ScanOptions {
            host: &Disk,
            cancel: &never,
            progress: &progress,
            keep: Keep::WhenSetUp,
        },
    )?;
    if watched {
        anstream::eprint!("\r\u{1b}[K");
    }
    for warning in index.warnings() {
        terminal.note(warning);
    }
    let wanted = MineOptions {
        dimension: options.dimension.clone(),
        min_support: options.min_support,
    };
    Ok(mine(project, &index, &Disk, &wanted, &never))
}

/// Writes those that are new; gives their files.
fn write(
    project: &Project,
    candidates: &[Candidate],
    terminal: &Terminal,
) -> anyhow::Result<Vec<String>> {
    let folders = recipe_folders(project, &Settings::default());
    let (paths, _) = list_recipes(&Disk, project, &folders);
    let (files, _) = load_recipes(&Disk, &paths);
    let recipes: Vec<&Recipe> = files
        .iter()
        .filter_map(|file| file.recipe.as_deref())
        .collect();
    let known = KnownRecipes::new(recipes);
    let store = KnowledgeStore::new(project, &folders);
    let mut written = Vec::new();
    for candidate in candidates {
        let recipe = candidate_recipe(candidate);
        if known.has(&recipe) {
            continue;
        }
        match store.create(&recipe, &[]) {
            Ok(file) => written.push(file.path),
            Err(error) => terminal.note(&format!("{} was not written: {error}", recipe.trigger)),
        }
    }
    Ok(written)
}

fn places(list: &[MinedPlace]) -> Vec<Value> {
    list.iter()
        .map(|place| json!({"path": place.path, "line": place.line, "endLine": place.end_line}))
        .collect()
}

fn shown(candidate: &Candidate) -> Value {
    let (guard, note) = match &candidate.guard {
        GuardState::Exact(guard) => (json!(guard), None),
        GuardState::Dropped(why) => (Value::Null, Some(why.as_str())),
        GuardState::Without => (Value::Null, None),
    };
    json!({
        "trigger": candidate.key,
        "title": candidate.title,
        "sort": candidate.miner,
        "dimension": candidate.dimension,
        "language": candidate.language.id(),
        "when": candidate.when,
        "do": candidate.do_clause,
        "dont": candidate.dont_clause,
        "counted": candidate.unit,
        "for": candidate.witnesses.len(),
        "against": candidate.outliers.len(),
        "confidence": (candidate.confidence * 1000.0).round() / 1000.0,
        "guard": guard,
        "guardNote": note,
        "outliers": places(&candidate.outliers),
        "sources": places(&candidate.witnesses[..candidate.witnesses.len().min(20)]),
        "good": candidate.good,
        "bad": candidate.bad,
    })
}

fn show(candidate: &Candidate, terminal: &mut Terminal) -> anyhow::Result<()> {
    let kept = candidate.witnesses.len();
    let all = kept + candidate.outliers.len();
    terminal.line(&candidate.title)?;
    terminal.line(&format!(
        "  {kept} of {all} {}, confidence {:.2}, {}, {}",
        candidate.unit, candidate.confidence, candidate.dimension, candidate.key
    ))?;
    let guard = match &candidate.guard {
        GuardState::Exact(guard) if guard.fix.is_some() => {
            "finds exactly the outliers, and has a fix".to_owned()
        }
        GuardState::Exact(_) => "finds exactly the outliers".to_owned(),
        GuardState::Dropped(why) => format!("none: {why}"),
        GuardState::Without => "none follows".to_owned(),
    };
    terminal.line(&format!("  guard: {guard}"))?;
    if let Some(example) = candidate.good.first() {
        terminal.line(&format!(
            "  as in {}:{}",
            example.place.path, example.place.line
        ))?;
        for line in example.text.lines() {
            terminal.line(&format!("    {line}"))?;
        }
    }
    for place in candidate.outliers.iter().take(SHOWN) {
        terminal.line(&format!("  not in {}:{}", place.path, place.line))?;
    }
    if candidate.outliers.len() > SHOWN {
        terminal.line(&format!(
            "  not in {} more places",
            candidate.outliers.len() - SHOWN
        ))?;
    }
    terminal.line("")
}
