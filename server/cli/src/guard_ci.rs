use std::cell::RefCell;
use std::collections::BTreeSet;

use anyhow::bail;
use asd_guard::{Feedback, TEST_WEIGHT, judged_stats, latest};
use asd_store::{Disk, FileEntry, Git, Project, WriteError, now, read_feedback, read_records};
use asd_syntax::Language;
use asd_workspace::compliance::{
    ComplianceInput, ComplianceReport, CoverageMatrix, ModuleCoverage, Verdict, compliance,
};
use asd_workspace::report::FileResult;
use asd_workspace::{BatchReport, ProjectState, Recording};

use crate::Outcome;
use crate::check::{Checked, Fixing, Job, by_project, check_job, name_from, settings};
use crate::guard_args::CiOptions;
use crate::output::report;
use crate::terminal::Terminal;

pub(crate) fn run(options: &CiOptions, terminal: &mut Terminal) -> anyhow::Result<Outcome> {
    let projects = by_project(std::slice::from_ref(&options.path))?;
    let Some((root, paths)) = projects.first().cloned() else {
        bail!("there is nothing at {}", options.path.display());
    };
    let project = Project::at(&root);
    let whole = whole(options, &project, &paths);
    let mut notes = Vec::new();
    let feedback = feedback(&project, &mut notes);
    let records = read_records(&project);
    let stats = judged_stats(&records.stats, &feedback);
    let since: Option<BTreeSet<String>> = match &options.since {
        Some(revision) => Some(
            Git::open(&root)?
                .changed_since(revision)?
                .into_iter()
                .collect(),
        ),
        None => None,
    };
    let modules: RefCell<Vec<ModuleCoverage>> = RefCell::default();
    let left_out: RefCell<LeftOut> = RefCell::default();
    let select = |state: &ProjectState, mut files: Vec<FileEntry>| {
        let named = |rel: &str| name_from(&root, state.project(), rel);
        modules
            .borrow_mut()
            .extend(
                state
                    .module_coverage(&files, &stats)
                    .into_iter()
                    .map(|module| ModuleCoverage {
                        module: named(&module.module),
                        ..module
                    }),
            );
        files.retain(|file| {
            let name = named(&file.rel);
            since.as_ref().is_none_or(|since| since.contains(&name))
                && options.shard.is_none_or(|shard| shard.holds(&name))
        });
        left_out
            .borrow_mut()
            .cut(state, &mut files, options.max_files);
        files
    };
    let settings = settings(&options.project)?;
    let job = Job {
        root: root.clone(),
        projects,
        settings: &settings,
        fixing: Fixing::Nothing,
        select: &select,
    };
    let mut checked = check_job(job, terminal)?;
    let left_out = left_out.into_inner();
    if let Some(note) = left_out.note() {
        notes.push(note);
        let mut batches = left_out.batches;
        batches.insert(0, std::mem::take(&mut checked.batch));
        checked.batch = BatchReport::join(batches);
    }
    let Some(first) = checked.states.first() else {
        bail!("there is no project at {}", root.display());
    };
    let now = now();
    let report = compliance(ComplianceInput {
        root: root.display().to_string(),
        result: checked.result(),
        stats: records.stats,
        feedback: feedback.clone(),
        thresholds: options.gate.thresholds(&first.config().quality_gate),
        test_weight: if options.include_tests {
            1.0
        } else {
            TEST_WEIGHT
        },
        before: whole
            .as_deref()
            .and_then(|whole| latest(&records.runs, whole))
            .map(|run| run.summary),
        coverage_matrix: CoverageMatrix::new(modules.into_inner()),
        notes,
        shard: options.shard,
        now,
    });
    if !options.no_store
        && let Err(error) = store(&checked, &report, &feedback, &project, whole.as_deref())
    {
        terminal.note(&format!("This run is not remembered: {error}"));
    }
    report::write(&report, &options.report, terminal)?;
    let verdict = Verdict::of(&report, options.gate.limits());
    if checked.states.iter().any(ProjectState::has_broken_files) {
        terminal.error("a recipe or settings file cannot be read, so not every rule was in force");
        return Ok(Outcome::Errors);
    }
    Ok(Outcome::Judged(verdict))
}

/// The folder that the run covers as a whole, when it does.
fn whole(options: &CiOptions, project: &Project, paths: &[std::path::PathBuf]) -> Option<String> {
    if options.since.is_some() || options.shard.is_some() || options.max_files.is_some() {
        return None;
    }
    match paths {
        [one] if one.is_dir() => {
            let rel = project.relative(one)?;
            Some(if rel.is_empty() { ".".to_owned() } else { rel })
        }
        _ => None,
    }
}

fn feedback(project: &Project, notes: &mut Vec<String>) -> Vec<Feedback> {
    read_feedback(project).unwrap_or_else(|error| {
        notes.push(format!("Verdicts are not taken into account: {error}"));
        Vec::new()
    })
}

fn store(
    checked: &Checked,
    report: &ComplianceReport,
    feedback: &[Feedback],
    project: &Project,
    whole: Option<&str>,
) -> Result<(), WriteError> {
    let still_checks = |rule: &str, file: &FileResult| still_checks(checked, rule, file);
    Recording {
        details: &report.details,
        whole,
        feedback,
        still_checks: &still_checks,
        now: report.timestamp,
    }
    .store(project)
}

/// Whether a rule looks at a file, by the rules of the project that it is in.
pub(crate) fn still_checks(checked: &Checked, rule: &str, file: &FileResult) -> bool {
    let path = checked.root.join(&file.file_path);
    let innermost = checked
        .states
        .iter()
        .filter(|state| path.starts_with(state.project().root()))
        .max_by_key(|state| state.project().root().components().count());
    let Some(state) = innermost else {
        return false;
    };
    let text = asd_store::read_text(&Disk, &path).map(|decoded| decoded.text);
    let language = Language::of_file(&path, text.as_deref().unwrap_or_default());
    let rel = state.project().relative(&path);
    language
        .zip(rel)
        .is_some_and(|(language, rel)| state.rules().applies(rule, language, &rel))
}

/// Files beyond the cap.
#[derive(Default)]
struct LeftOut {
    taken: usize,
    count: usize,
    cap: usize,
    batches: Vec<BatchReport>,
}

impl LeftOut {
    /// Leaves the files beyond the cap out; those in no known language are not
    /// counted.
    fn cut(&mut self, state: &ProjectState, files: &mut Vec<FileEntry>, cap: Option<usize>) {
        let Some(cap) = cap else { return };
        self.cap = cap;
        let mut beyond = Vec::new();
        files.retain(|file| {
            if Language::of_file(&file.path, "").is_none() {
                return true;
            }
            self.taken += 1;
            if self.taken > cap {
                beyond.push(file.clone());
            }
            self.taken <= cap
        });
        if !beyond.is_empty() {
            self.count += beyond.len();
            let reason = format!("Files beyond --max-files {cap} were left out.");
            self.batches.push(state.left_out(&beyond, &reason));
        }
    }

    fn note(&self) -> Option<String> {
        (self.count > 0)
            .then(|| format!("{} files: left out by --max-files {}", self.count, self.cap))
    }
}
