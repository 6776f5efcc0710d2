use std::collections::BTreeMap;
use std::path::Path;

use anyhow::bail;
use asd_guard::ReviewRound;
use asd_recipe::Severity;
use asd_store::{ChangedLines, Disk, Git, GitError, Host, PathKind, Project, change_review, now};
use asd_workspace::ProjectState;
use asd_workspace::review::{FileSource, Review, ReviewResult};

use crate::Outcome;
use crate::check::settings;
use crate::guard_args::ReviewOptions;
use crate::guard_staged::check_listed;
use crate::output::text::{Names, number};
use crate::terminal::Terminal;

/// Larger files are not written by hand.
const MAX_REVIEWED: u64 = 1024 * 1024;

pub(crate) fn run(options: &ReviewOptions, terminal: &mut Terminal) -> anyhow::Result<Outcome> {
    let project = Project::discover(Path::new("."));
    let named: Vec<_> = options.named.iter().chain(&options.files).collect();
    let git = match Git::open(project.root()) {
        Ok(git) => Some(git),
        Err(GitError::NotARepository(_)) if !named.is_empty() => None,
        Err(error) => return Err(error.into()),
    };
    let (file_source, files) = if named.is_empty() {
        let changed = git.as_ref().map_or_else(|| Ok(Vec::new()), Git::changed)?;
        (FileSource::GitDiff, changed)
    } else {
        let mut files = Vec::new();
        for path in named {
            let Some(rel) = project.relative(path) else {
                bail!(
                    "{} is outside of the project {}",
                    path.display(),
                    project.root().display()
                );
            };
            if !path.is_file() {
                bail!("there is no file {}", path.display());
            }
            files.push(rel);
        }
        files.sort();
        files.dedup();
        (FileSource::Explicit, files)
    };
    let files: Vec<String> = files
        .into_iter()
        .filter(|rel| !rel.starts_with(".asd/") && is_reviewed(&project, rel))
        .collect();
    let settings = settings(&options.project)?;
    let state = ProjectState::load(project.root(), &settings);
    let checked = check_listed(&project, &files, &settings, terminal)?;
    let details = checked.result().details;
    let changed = match &git {
        Some(git) if !options.whole_file && !state.config().guard.review.whole_file => {
            let mut changed = git.changed_lines()?;
            if file_source == FileSource::GitDiff {
                // Another mode, or lines that are gone: nothing new to look at.
                for rel in &files {
                    let nothing = || ChangedLines::Blocks(Vec::new());
                    changed.entry(rel.clone()).or_insert_with(nothing);
                }
            }
            Some(changed)
        }
        _ => None,
    };
    let head = git.as_ref().and_then(Git::head);
    let now = now();
    let result = change_review(&project, &options.session, now, |last| {
        let round = ReviewRound::after(last.as_ref(), head.as_deref(), now);
        let result = review(
            details,
            file_source,
            changed.as_ref(),
            &checked.states,
            &round,
        );
        // A review that passes ends the count.
        ((!result.passed).then_some(round), result)
    })?;
    if options.json {
        terminal.json(&result)?;
    } else {
        write(&result, &project, terminal)?;
    }
    Ok(if result.passed {
        Outcome::Fine
    } else {
        Outcome::Errors
    })
}

fn review(
    details: asd_workspace::report::BatchDetails,
    file_source: FileSource,
    changed: Option<&BTreeMap<String, ChangedLines>>,
    states: &[ProjectState],
    round: &ReviewRound,
) -> ReviewResult {
    Review {
        details,
        file_source,
        changed,
        states,
        round,
    }
    .result()
}

/// Whether a path that git lists is a file to be reviewed.
fn is_reviewed(project: &Project, rel: &str) -> bool {
    let path = project.root().join(rel);
    project.contains(&path)
        && Disk.kind(&path) == Some(PathKind::File)
        && Disk.size(&path) <= MAX_REVIEWED
}

fn write(result: &ReviewResult, project: &Project, terminal: &mut Terminal) -> anyhow::Result<()> {
    let names = Names::new(project.root());
    for file in &result.files {
        for found in &file.violations {
            let violation = &found.violation;
            terminal.line(&format!(
                "{}:{}:{}: {}[{}]: {}",
                names.shown(&file.file_path),
                violation.place.line,
                violation.place.column,
                violation.severity.as_str(),
                violation.rule_id,
                violation.message
            ))?;
            if let Some(recipe) = &found.recipe {
                terminal.line(&format!("  recipe: {} ({})", recipe.trigger, recipe.title))?;
                for (word, text) in [("do", &recipe.do_clause), ("don't", &recipe.dont_clause)] {
                    if !text.is_empty() {
                        terminal.line(&format!("  {word}: {text}"))?;
                    }
                }
            } else if !violation.fix_suggestion.is_empty() {
                terminal.line(&format!("  do: {}", violation.fix_suggestion))?;
            }
        }
    }
    for violation in &result.cross_file_violations {
        let severity: Severity = violation.severity;
        terminal.line(&format!(
            "{}[{}]: {}",
            severity.as_str(),
            violation.rule_id,
            violation.message
        ))?;
        for location in &violation.locations {
            terminal.line(&format!(
                "  {}:{}",
                names.shown(&location.file_path),
                location.place.line
            ))?;
        }
    }
    if result.preexisting_violations > 0 {
        terminal.line(&format!(
            "{} stood there before the change (--json lists them).",
            number(result.preexisting_violations, "violation")
        ))?;
    }
    terminal.line(&format!(
        "Review {}: {} in {}. {}",
        result.review_round,
        number(result.total_violations, "violation"),
        number(result.summary.files_checked, "file"),
        result.message
    ))
}
