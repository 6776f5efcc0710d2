use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use asd_guard::{Finding, SourceFilter, Target};
use asd_store::{Disk, FileEntry, Project, Skipped, read_text, user_check_cache, write_atomic};
use asd_syntax::Language;
use asd_workspace::report::{BatchResult, FileProblem};
use asd_workspace::{BatchReport, Progress, ProjectState, Settings};

use crate::Outcome;
use crate::args::{CheckOptions, Format, ProjectOptions, Rules};
use crate::output;
use crate::terminal::Terminal;

/// What was checked, in one or several projects, with all paths named from the
/// first of them.
pub(crate) struct Checked {
    pub(crate) root: PathBuf,
    pub(crate) batch: BatchReport,
    pub(crate) skipped: Vec<Skipped>,
    pub(crate) broken: Vec<FileProblem>,
    /// The text of each file of `broken`.
    pub(crate) texts: BTreeMap<String, std::sync::Arc<str>>,
    pub(crate) fixed: usize,
    /// What was asked to be fixed.
    pub(crate) fixing: Fixing,
    /// The files that could not be written.
    pub(crate) unwritten: BTreeSet<String>,
    pub(crate) recipe_files: usize,
    /// The projects that were checked; the first is the one at `root`, when
    /// there is any.
    pub(crate) states: Vec<ProjectState>,
}

/// What is to be checked.
pub(crate) struct Job<'j> {
    /// The folder that paths in the result are relative to.
    pub(crate) root: PathBuf,
    /// Files and folders by project.
    pub(crate) projects: Vec<(PathBuf, Vec<PathBuf>)>,
    pub(crate) settings: &'j Settings,
    pub(crate) fixing: Fixing,
    /// Chooses among the files that a project was found to have.
    pub(crate) select: &'j dyn Fn(&ProjectState, Vec<FileEntry>) -> Vec<FileEntry>,
}

/// Which fixes were asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fixing {
    Nothing,
    Safe,
    All,
}

impl Fixing {
    fn asked(options: &CheckOptions) -> Self {
        match (options.fix, options.unsafe_fixes) {
            (false, _) => Self::Nothing,
            (true, false) => Self::Safe,
            (true, true) => Self::All,
        }
    }

    /// Whether the fix of a finding, if it has one, was asked for.
    pub(crate) fn wants(self, finding: &Finding) -> bool {
        finding.fix.as_ref().is_some_and(|fix| match self {
            Self::Nothing => false,
            Self::Safe => fix.safe,
            Self::All => true,
        })
    }
}

impl Checked {
    /// The same as it leaves the program.
    pub(crate) fn result(&self) -> BatchResult {
        BatchResult::new(&self.batch, &self.skipped, self.broken.clone())
    }
}

pub(crate) fn run(options: &CheckOptions, terminal: &mut Terminal) -> anyhow::Result<Outcome> {
    let settings = settings(&options.project)?;
    let checked = check(options, &settings, terminal)?;
    let format = if options.json {
        Format::Json
    } else {
        options.format
    };
    match format {
        Format::Text => output::text::write(&checked, terminal)?,
        Format::Json => output::json::write(&checked, terminal)?,
        Format::Sarif => output::sarif::write(&checked, terminal)?,
        Format::Github => output::github::write(&checked, terminal)?,
    }
    Ok(outcome(&checked, terminal))
}

fn outcome(checked: &Checked, terminal: &Terminal) -> Outcome {
    let has_error = checked
        .batch
        .files
        .iter()
        .flat_map(|file| &file.findings)
        .map(|finding| finding.severity)
        .chain(checked.batch.across.iter().map(|one| one.finding.severity))
        .any(|severity| severity == asd_recipe::Severity::Error);
    if has_error || !checked.broken.is_empty() {
        return Outcome::Errors;
    }
    let any = checked.batch.files.iter().any(|file| file.checked);
    // A commit hook may well name nothing but excluded files.
    if !any && checked.recipe_files == 0 && checked.batch.excluded == 0 {
        terminal
            .error("nothing could be checked: no file in a known language was found or readable");
        return Outcome::Failed;
    }
    Outcome::Fine
}

/// How projects are opened.
pub(crate) fn settings(options: &ProjectOptions) -> anyhow::Result<Settings> {
    if let Some(path) = &options.config {
        std::fs::metadata(path)
            .with_context(|| format!("cannot read the settings {}", path.display()))?;
    }
    Ok(Settings {
        config_file: match &options.config {
            Some(path) => Some(std::path::absolute(path)?),
            None => None,
        },
        sources: match options.rules {
            Rules::All => SourceFilter::All,
            Rules::Builtin => SourceFilter::BuiltIn,
            Rules::Recipe => SourceFilter::Recipe,
        },
        check_cache: if options.no_cache {
            None
        } else {
            user_check_cache()
        },
        ..Settings::default()
    })
}

fn check(
    options: &CheckOptions,
    settings: &Settings,
    terminal: &Terminal,
) -> anyhow::Result<Checked> {
    let projects = by_project(&options.paths)?;
    let root = projects.first().map(|(root, _)| root.clone());
    let job = Job {
        root: root.unwrap_or_default(),
        projects,
        settings,
        fixing: Fixing::asked(options),
        select: &|_, files| files,
    };
    check_job(job, terminal)
}

/// Checks what is asked for, in every project that it lies in.
pub(crate) fn check_job(job: Job<'_>, terminal: &Terminal) -> anyhow::Result<Checked> {
    let mut todo = job.projects;
    todo.reverse();
    let mut batches = Vec::new();
    let mut all = Checked {
        root: job.root,
        batch: BatchReport::default(),
        skipped: Vec::new(),
        broken: Vec::new(),
        texts: BTreeMap::new(),
        fixed: 0,
        fixing: job.fixing,
        unwritten: BTreeSet::new(),
        recipe_files: 0,
        states: Vec::new(),
    };
    while let Some((folder, paths)) = todo.pop() {
        let state = ProjectState::load(&folder, job.settings);
        let base = all.root.clone();
        let named = |rel: &str| name_from(&base, state.project(), rel);
        let never = AtomicBool::new(false);
        let walked = state.walk(&paths, &never);
        todo.extend(
            walked
                .nested
                .iter()
                .rev()
                .map(|n| (n.clone(), vec![n.clone()])),
        );
        let (files, recipes): (Vec<FileEntry>, Vec<FileEntry>) = walked
            .files
            .into_iter()
            .partition(|file| !state.is_project_file(&file.rel));
        all.recipe_files += recipes.len();
        let is_whole = paths.iter().any(|path| path == state.project().root());
        let everything = is_whole.then(|| files.clone());
        let files = (job.select)(&state, files);
        let mut batch = check_files(&state, &files, terminal)?;
        if all.fixing != Fixing::Nothing {
            let (fixed, unwritten) = fix(&state, &batch, all.fixing, terminal);
            all.unwritten.extend(unwritten.iter().map(|rel| named(rel)));
            if fixed > 0 {
                all.fixed += fixed;
                batch = check_files(&state, &files, terminal)?;
            }
        }
        // Files that were not asked for may have to do with those that were.
        let all_files = || match &everything {
            Some(files) => files.clone(),
            None => state.walk(&[], &never).files,
        };
        state.check_across(&mut batch, &all_files, &never)?;
        for file in &mut batch.files {
            file.rel = named(&file.rel).into();
        }
        for across in &mut batch.across {
            for place in &mut across.finding.places {
                place.path = named(&place.path).into();
            }
        }
        for skipped in &mut batch.skipped {
            skipped.path = named(&skipped.path);
        }
        batches.push(batch);
        let unread = state.skipped().iter().chain(&walked.skipped);
        all.skipped.extend(unread.map(|skipped| Skipped {
            path: named(&skipped.path),
            reason: skipped.reason.clone(),
        }));
        for mut problem in state.broken() {
            let text = state.text_of(&problem.path).map(|(text, _)| text);
            problem.path = named(&problem.path);
            all.texts
                .entry(problem.path.clone())
                .or_insert_with(|| text.unwrap_or_default());
            all.broken.push(problem);
        }
        all.states.push(state);
    }
    all.batch = BatchReport::join(batches);
    all.skipped.sort();
    all.skipped.dedup();
    Ok(all)
}

/// The paths of the command line under the roots of their projects, in the
/// order in which they were named.
pub(crate) fn by_project(paths: &[PathBuf]) -> anyhow::Result<Vec<(PathBuf, Vec<PathBuf>)>> {
    let here = [PathBuf::from(".")];
    let paths = if paths.is_empty() { &here } else { paths };
    let mut projects: Vec<(PathBuf, Vec<PathBuf>)> = Vec::new();
    for path in paths {
        if path.symlink_metadata().is_err() {
            bail!("there is no file or folder {}", path.display());
        }
        let path = std::path::absolute(path)?;
        let root = Project::discover(&path).root().to_path_buf();
        match projects.iter_mut().find(|(known, _)| *known == root) {
            Some((_, paths)) => paths.push(path),
            None => projects.push((root, vec![path])),
        }
    }
    Ok(projects)
}

/// How a file of `project` is called in a report about the project at `base`.
pub(crate) fn name_from(base: &Path, project: &Project, rel: &str) -> String {
    if project.root() == base {
        return rel.to_owned();
    }
    let path = project.root().join(rel);
    match path.strip_prefix(base) {
        Ok(below) => below.display().to_string().replace('\\', "/"),
        Err(_) => path.display().to_string().replace('\\', "/"),
    }
}

fn check_files(
    state: &ProjectState,
    files: &[FileEntry],
    terminal: &Terminal,
) -> anyhow::Result<BatchReport> {
    let start = Instant::now();
    let last = Mutex::new(start);
    let shown = AtomicBool::new(false);
    let watched = terminal.shows_progress;
    let progress = |progress: Progress| {
        if !watched || start.elapsed() < Duration::from_millis(500) {
            return;
        }
        if let Ok(mut last) = last.try_lock()
            && last.elapsed() > Duration::from_millis(100)
        {
            *last = Instant::now();
            shown.store(true, std::sync::atomic::Ordering::Relaxed);
            anstream::eprint!("\rChecked {} of {} files", progress.done, progress.total);
        }
    };
    let batch = state.check_files(files, &progress, &AtomicBool::new(false))?;
    if shown.into_inner() {
        anstream::eprint!("\r\u{1b}[K");
    }
    Ok(batch)
}

/// Applies fixes file by file; says how many were applied, and which files
/// could not be written.
fn fix(
    state: &ProjectState,
    batch: &BatchReport,
    fixing: Fixing,
    terminal: &Terminal,
) -> (usize, Vec<String>) {
    let wanted = |finding: &Finding| fixing.wants(finding);
    let mut applied = 0;
    let mut unwritten = Vec::new();
    for file in &batch.files {
        if !file.findings.iter().any(wanted) {
            continue;
        }
        match fix_file(state, &file.rel, &file.path, &wanted) {
            Ok(count) => applied += count,
            Err(error) => {
                terminal.error(&format!("{}: not fixed: {error:#}", file.rel));
                unwritten.push(file.rel.to_string());
            }
        }
    }
    (applied, unwritten)
}

fn fix_file(
    state: &ProjectState,
    rel: &str,
    path: &Path,
    wanted: &dyn Fn(&Finding) -> bool,
) -> anyhow::Result<usize> {
    // Read anew: the file may have changed since it was checked.
    let decoded = read_text(&Disk, path)?;
    let Some(language) = Language::of_file(path, &decoded.text) else {
        return Ok(0);
    };
    let target = Target {
        path: Some(rel),
        text: &decoded.text,
        language,
        previous: None,
    };
    let outcome = state.fix_all(&target, wanted, &AtomicBool::new(false))?;
    if outcome.text == decoded.text {
        return Ok(0);
    }
    let mut bytes = Vec::with_capacity(outcome.text.len() + 3);
    if decoded.bom {
        bytes.extend_from_slice("\u{FEFF}".as_bytes());
    }
    bytes.extend_from_slice(outcome.text.as_bytes());
    write_atomic(state.project(), rel, &bytes)?;
    Ok(outcome.applied.iter().map(|(_, count)| count).sum())
}
