//! `asd watch`: checks what changes, and does what directive comments ask for.
//! (guard.md §15)

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

use asd_guard::{Directive, DirectiveKind, directives};
use asd_recipe::SourceRef;
use asd_store::{Changes, Disk, FileEntry, Project, Watcher, read_text, write_atomic};
use asd_syntax::Language;
use asd_text::{LineIndex, Span};
use asd_workspace::{BatchReport, ProjectState, Settings};
use clap::Args;

use crate::Outcome;
use crate::args::ProjectOptions;
use crate::check::settings;
use crate::output::text::{Names, number};
use crate::terminal::Terminal;

/// How long what we wrote ourselves is passed over. (guard.md §15)
const OWN: Duration = Duration::from_secs(2);
/// How many recipes a search lists.
const MOST_HITS: usize = 5;

#[derive(Debug, Args)]
#[command(
    after_help = "Whatever is saved is checked, and its findings are written out. A comment
on a line of its own asks for more; it is carried out once, when it is saved:
  // as:search retry queue    list the recipes that fit
  // as:create                draft a recipe from the code below (-f: the whole file)
  // as:audit project         check the whole project

It ends with Ctrl-C, or after --until-quiet seconds without a change."
)]
pub(crate) struct WatchOptions {
    /// The project, by a file or folder in it; the current folder by default.
    #[arg(value_name = "PATH", default_value = ".")]
    pub(crate) path: PathBuf,
    /// End when nothing has changed for so many seconds.
    #[arg(long, value_name = "SECONDS")]
    pub(crate) until_quiet: Option<u64>,
    #[command(flatten)]
    pub(crate) project: ProjectOptions,
}

pub(crate) fn run(options: &WatchOptions, terminal: &mut Terminal) -> anyhow::Result<Outcome> {
    let path = std::path::absolute(&options.path)?;
    let settings = settings(&options.project)?;
    let mut watch = Watch::new(Project::discover(&path).root(), &settings);
    let (tell, changes) = channel();
    let watcher = Watcher::start(
        watch.state.project(),
        watch.state.extra_recipe_folders(),
        move |changes| {
            // Nobody listens any more at the end.
            let _ = tell.send(changes);
        },
    )?;
    terminal.line(&format!(
        "Watching {} with {}.",
        watch.state.project().root().display(),
        number(watch.state.rules().rules().len(), "rule")
    ))?;
    terminal.finish()?;
    loop {
        let next = match options.until_quiet {
            None => changes.recv().ok(),
            Some(seconds) => changes.recv_timeout(Duration::from_secs(seconds)).ok(),
        };
        let Some(next) = next else { break };
        watch.take(&next, terminal)?;
        terminal.finish()?;
    }
    drop(watcher);
    Ok(Outcome::Fine)
}

struct Watch {
    state: ProjectState,
    names: Names,
    /// The text of each file when it was looked at last.
    seen: BTreeMap<String, String>,
    /// What we wrote, and when.
    own: BTreeMap<String, Instant>,
}

impl Watch {
    fn new(root: &Path, settings: &Settings) -> Self {
        Self {
            state: ProjectState::load(root, settings),
            names: Names::new(root),
            seen: BTreeMap::new(),
            own: BTreeMap::new(),
        }
    }

    fn take(&mut self, changes: &Changes, terminal: &mut Terminal) -> anyhow::Result<()> {
        let project = self.state.project().clone();
        self.own.retain(|_, written| written.elapsed() < OWN);
        let relative = |paths: &[PathBuf]| -> Vec<String> {
            let paths = paths.iter().filter_map(|path| project.relative(path));
            paths.filter(|path| !self.own.contains_key(path)).collect()
        };
        let changed = relative(&changes.changed);
        let removed = relative(&changes.removed);
        let before = self.state.generation();
        let all: Vec<String> = changed.iter().chain(&removed).cloned().collect();
        self.state = self.state.with_files_changed(&all);
        if self.state.generation() != before {
            let rules = number(self.state.rules().rules().len(), "rule");
            terminal.line(&format!(
                "The project's rules have changed: {rules} in force."
            ))?;
        }
        for path in &removed {
            self.seen.remove(path);
        }
        // A folder that came holds files that came.
        let paths: Vec<PathBuf> = changed
            .iter()
            .map(|path| project.root().join(path))
            .collect();
        if paths.is_empty() {
            return Ok(());
        }
        let mut asked = Vec::new();
        let files: Vec<FileEntry> = self
            .state
            .walk(&paths, &AtomicBool::new(false))
            .files
            .into_iter()
            .filter(|file| !self.state.is_project_file(&file.rel))
            .filter_map(|file| {
                let text = read_text(&Disk, &file.path).ok()?.text;
                let before = self.seen.insert(file.rel.clone(), text.clone());
                if before.as_deref() == Some(text.as_str()) {
                    return None;
                }
                let language = Language::of_file(&file.path, &text)?;
                for directive in directives(language, &text) {
                    // What was asked for once is not done at every save.
                    let words = directive.span.of(&text);
                    if !before.as_ref().is_some_and(|before| before.contains(words)) {
                        asked.push((file.rel.clone(), text.clone(), language, directive));
                    }
                }
                Some(FileEntry {
                    explicit: false,
                    ..file
                })
            })
            .collect();
        if !files.is_empty() {
            self.check(&files, terminal)?;
        }
        for (path, text, language, directive) in asked {
            self.obey(&path, &text, language, &directive, terminal)?;
        }
        Ok(())
    }

    fn check(&self, files: &[FileEntry], terminal: &mut Terminal) -> anyhow::Result<()> {
        let never = AtomicBool::new(false);
        let mut batch = self.state.check_files(files, &|_| {}, &never)?;
        let all = || self.state.walk(&[], &never).files;
        self.state.check_across(&mut batch, &all, &never)?;
        self.show(&batch, terminal)
    }

    fn show(&self, batch: &BatchReport, terminal: &mut Terminal) -> anyhow::Result<()> {
        let mut count = 0;
        let mut tell = |path: &str, text: &str, span: Span, rest: String| {
            count += 1;
            let lines = LineIndex::new(text);
            let at = lines.position(text, span.start, asd_text::Encoding::Utf32);
            let path = self.names.shown(path);
            terminal.line(&format!(
                "{path}:{}:{}: {rest}",
                at.line + 1,
                at.character + 1
            ))
        };
        for file in &batch.files {
            let text = file.text.as_deref().unwrap_or_default();
            for finding in &file.findings {
                let (severity, id) = (finding.severity.as_str(), &finding.rule.id);
                let rest = format!("{severity}[{id}]: {}", finding.message);
                tell(&file.rel, text, finding.span, rest)?;
            }
        }
        for across in &batch.across {
            let finding = &across.finding;
            if let (Some(place), Some(text)) = (finding.places.first(), across.texts.first()) {
                let (severity, id) = (finding.severity.as_str(), &finding.rule.id);
                let rest = format!("{severity}[{id}]: {}", finding.message);
                tell(&place.path, text, place.span, rest)?;
            }
        }
        let checked: Vec<String> = batch
            .files
            .iter()
            .filter(|file| file.checked)
            .map(|file| self.names.shown(&file.rel))
            .collect();
        let what = match checked.as_slice() {
            [] => return Ok(()),
            [one] => one.clone(),
            many => number(many.len(), "file"),
        };
        terminal.line(&format!("{what}: {}.", number(count, "finding")))
    }

    fn obey(
        &mut self,
        path: &str,
        text: &str,
        language: Language,
        directive: &Directive,
        terminal: &mut Terminal,
    ) -> anyhow::Result<()> {
        match directive.kind {
            DirectiveKind::Search => {
                let hits = self.state.search_recipes(&directive.argument);
                terminal.line(&format!(
                    "Recipes for `{}`: {}.",
                    directive.argument,
                    if hits.is_empty() {
                        "none fits".to_owned()
                    } else {
                        hits.len().to_string()
                    }
                ))?;
                for hit in hits.iter().take(MOST_HITS) {
                    let (path, recipe) = &self.state.recipes()[hit.index];
                    terminal.line(&format!("  {} {} ({path})", recipe.trigger, recipe.title))?;
                }
                Ok(())
            }
            DirectiveKind::Create => self.create(path, text, language, directive, terminal),
            DirectiveKind::Audit => {
                let scope = directive.argument.split_whitespace().next();
                if matches!(scope, Some("project" | "target")) {
                    let files = self.state.walk(&[], &AtomicBool::new(false)).files;
                    self.check(&files, terminal)?;
                }
                // The file itself has been checked.
                Ok(())
            }
            DirectiveKind::Agent => terminal
                .line("as:agent: no model provider is set up for this project; nothing was done."),
        }
    }

    fn create(
        &mut self,
        path: &str,
        text: &str,
        language: Language,
        directive: &Directive,
        terminal: &mut Terminal,
    ) -> anyhow::Result<()> {
        if directive
            .argument
            .split_whitespace()
            .any(|word| word == "-c")
        {
            return terminal.line(
                "as:create -c: the clipboard cannot be read from here; leave -c out to take the code below.",
            );
        }
        let code = directive.code(text);
        let lines = LineIndex::new(text);
        let line = |at: usize| u32::try_from(lines.line_of(at) + 1).unwrap_or(u32::MAX);
        let source = SourceRef {
            path: path.to_owned(),
            lines: Some((line(code.start), line(code.end))),
            span: Span::default(),
        };
        if code.of(text).trim().is_empty() {
            return terminal.line("as:create: there is no code below the comment.");
        }
        let Some(draft) = self
            .state
            .draft(code.of(text), language, source, &|_| false)
        else {
            return terminal
                .line("as:create: the project has no Alembic folder; `asd setup` makes it.");
        };
        write_atomic(self.state.project(), &draft.path, draft.text.as_bytes())?;
        self.own.insert(draft.path.clone(), Instant::now());
        self.state = self
            .state
            .with_files_changed(std::slice::from_ref(&draft.path));
        terminal.line(&format!("Drafted {}.", self.names.shown(&draft.path)))
    }
}
