//! The result for people.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use asd_guard::{Finding, RuleOrigin};
use asd_recipe::Severity;
use asd_text::{Encoding, LineIndex, Position, PositionRange};
use asd_workspace::report::{BatchSummary, FileProblem, SuppressedRule};

use crate::check::Checked;
use crate::excerpt::{Excerpt, Painter};
use crate::terminal::Terminal;

/// How many things that were not checked are listed.
const MAX_LISTED: usize = 20;
/// How many files of one kind are named.
const MAX_NAMED: usize = 3;

pub(crate) fn write(checked: &Checked, terminal: &mut Terminal) -> anyhow::Result<()> {
    let painter = Painter::new(terminal.colors());
    let names = Names::new(&checked.root);
    for file in &checked.batch.files {
        let text = file.text.as_deref().unwrap_or_default();
        let lines = LineIndex::new(text);
        let path = names.shown(&file.rel);
        for finding in &file.findings {
            terminal.line(&painter.paint(&Excerpt {
                severity: finding.severity,
                code: &finding.rule.id,
                message: &finding.message,
                path: &path,
                text,
                lines: &lines,
                span: finding.span,
                notes: notes(finding),
            }))?;
            terminal.line("")?;
        }
    }
    write_problems(&checked.broken, &painter, terminal, &names, &|path| {
        checked.texts.get(path).map(|text| text.to_string())
    })?;
    write_remarks(checked, terminal, &names)?;
    for line in summary(checked) {
        terminal.line(&line)?;
    }
    Ok(())
}

/// What to do, what not to do, and where that is written.
fn notes(finding: &Finding) -> Vec<(&'static str, String)> {
    let mut notes = Vec::new();
    let mut add = |word, text: &str| {
        if !text.trim().is_empty() {
            notes.push((word, text.trim().to_owned()));
        }
    };
    let rule = &finding.rule;
    match &rule.origin {
        RuleOrigin::Recipe(recipe) => {
            add("do", &recipe.do_clause);
            if rule.fix_suggestion != recipe.do_clause {
                add("advice", &rule.fix_suggestion);
            }
            add("don't", &recipe.dont_clause);
            add("recipe", &format!("{} ({})", recipe.trigger, recipe.path));
        }
        RuleOrigin::Pack { .. } | RuleOrigin::BuiltIn => add("do", &rule.fix_suggestion),
    }
    if let Some(fix) = &finding.fix {
        let how = if fix.safe { "--fix" } else { "--fix --unsafe" };
        add("fixable", how);
    }
    notes
}

/// Shows problems of recipes and settings; `text_of` has the texts by path.
pub(crate) fn write_problems(
    problems: &[FileProblem],
    painter: &Painter,
    terminal: &mut Terminal,
    names: &Names,
    text_of: &dyn Fn(&str) -> Option<String>,
) -> anyhow::Result<()> {
    for problem in problems {
        let text = text_of(&problem.path).unwrap_or_default();
        let lines = LineIndex::new(&text);
        let place = problem.place;
        let range = PositionRange {
            start: Position::new(place.line - 1, place.column - 1),
            end: Position::new(place.end_line - 1, place.end_column - 1),
        };
        terminal.line(&painter.paint(&Excerpt {
            severity: problem.severity,
            code: &problem.code,
            message: &problem.message,
            path: &names.shown(&problem.path),
            span: lines.span(&text, range, Encoding::Utf32),
            text: &text,
            lines: &lines,
            notes: Vec::new(),
        }))?;
        terminal.line("")?;
    }
    Ok(())
}

fn write_remarks(checked: &Checked, terminal: &mut Terminal, names: &Names) -> anyhow::Result<()> {
    let skipped = checked
        .batch
        .skipped
        .iter()
        .chain(&checked.skipped)
        .map(|skipped| format!("{}: {}", names.shown(&skipped.path), skipped.reason));
    write_list("Not checked:", skipped.collect(), terminal)?;
    write_list("Checked in part:", undecided(checked, names), terminal)?;
    write_list(
        "Suppressions to look at:",
        doubtful(checked, names),
        terminal,
    )
}

/// Suppressions that suppress nothing, or do not say why they are there.
fn doubtful(checked: &Checked, names: &Names) -> Vec<String> {
    let files = checked.batch.files.iter();
    files
        .filter(|file| !file.suppressions.is_empty())
        .flat_map(SuppressedRule::all_of)
        .filter_map(|found| {
            let why = match (found.used, &found.reason) {
                (false, _) => "there is nothing to suppress",
                (true, None) => "it gives no reason (add ` -- reason`)",
                (true, Some(_)) => return None,
            };
            let path = names.shown(&found.file_path);
            let line = found.place.line;
            Some(format!("{path}:{line}: {}: {why}", found.rule_id))
        })
        .collect()
}

/// What kept rules from being decided, each with the files concerned.
fn undecided(checked: &Checked, names: &Names) -> Vec<String> {
    let mut by_reason: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for file in checked.batch.files.iter().filter(|file| file.checked) {
        let mut rules: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for skipped in &file.skipped_checks {
            let ids = rules.entry(&skipped.detail).or_default();
            ids.extend(skipped.rule_id.as_deref());
        }
        for uncertain in &file.uncertain {
            let ids = rules.entry(&uncertain.detail).or_default();
            ids.push(&uncertain.rule_id);
        }
        for (detail, mut ids) in rules {
            ids.sort_unstable();
            ids.dedup();
            let detail = detail.trim_end_matches('.');
            let reason = match ids.as_slice() {
                [one] => format!("{one}: {detail}"),
                _ => detail.to_owned(),
            };
            let files = by_reason.entry(reason).or_default();
            files.push(names.shown(&file.rel));
        }
    }
    by_reason
        .into_iter()
        .map(|(reason, files)| {
            let shown = files.iter().take(MAX_NAMED).cloned().collect::<Vec<_>>();
            let more = match files.len() - shown.len() {
                0 => String::new(),
                more => format!(" and {more} more"),
            };
            format!("{}{more}: {reason}", shown.join(", "))
        })
        .collect()
}

fn write_list(title: &str, mut all: Vec<String>, terminal: &mut Terminal) -> anyhow::Result<()> {
    all.sort();
    all.dedup();
    if all.is_empty() {
        return Ok(());
    }
    terminal.line(title)?;
    for line in all.iter().take(MAX_LISTED) {
        terminal.line(&format!("  {line}"))?;
    }
    if all.len() > MAX_LISTED {
        let more = all.len() - MAX_LISTED;
        terminal.line(&format!("  and {more} more (--format json lists all)"))?;
    }
    terminal.line("")
}

fn summary(checked: &Checked) -> Vec<String> {
    let counts = BatchSummary::new(&checked.batch);
    let mut lines = Vec::new();
    if checked.fixed > 0 {
        lines.push(format!("Fixed {}.", number(checked.fixed, "violation")));
    }
    let files = number(counts.files_checked, "file");
    if counts.total_violations == 0 {
        lines.push(format!("Checked {files}: nothing to report."));
    } else {
        let found: Vec<String> = [
            (counts.total_errors, "error"),
            (counts.total_warnings, "warning"),
            (counts.total_infos, "note"),
        ]
        .into_iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, word)| number(count, word))
        .collect();
        lines.push(format!(
            "Checked {files}: {} in {}.",
            found.join(", "),
            number(counts.files_with_violations, "file")
        ));
    }
    let broken = checked
        .broken
        .iter()
        .filter(|problem| problem.severity == Severity::Error)
        .count();
    if broken > 0 {
        lines.push(format!(
            "{} in recipes or settings: the guards concerned are not in force.",
            number(broken, "error")
        ));
    }
    let safe = fixable(checked, |safe| safe);
    if safe > 0 {
        lines.push(format!("{safe} can be fixed with --fix."));
    }
    let looked_at = fixable(checked, |safe| !safe);
    if looked_at > 0 {
        lines.push(format!(
            "{looked_at} can be fixed with --fix --unsafe; look at the result."
        ));
    }
    let capability = &checked.batch.capability;
    if capability.check_coverage < 100 {
        lines.push(format!(
            "{} % of all checks were carried out; the rest is named above.",
            capability.check_coverage
        ));
    }
    lines
}

fn fixable(checked: &Checked, which: impl Fn(bool) -> bool) -> usize {
    checked
        .batch
        .files
        .iter()
        .flat_map(|file| &file.findings)
        .filter(|finding| finding.fix.as_ref().is_some_and(|fix| which(fix.safe)))
        .count()
}

/// `1 file`, `2 files`.
pub(crate) fn number(count: usize, word: &str) -> String {
    let ending = if count == 1 { "" } else { "s" };
    format!("{count} {word}{ending}")
}

/// Names files so that they can be opened from where the command runs.
pub(crate) struct Names {
    root: PathBuf,
    here: PathBuf,
}

impl Names {
    pub(crate) fn new(root: &Path) -> Self {
        let here = std::env::current_dir().unwrap_or_default();
        Self {
            root: root.to_path_buf(),
            here,
        }
    }

    /// A path relative to the project, as one relative to the current folder
    /// where it lies below that, else as an absolute one.
    pub(crate) fn shown(&self, rel: &str) -> String {
        let path = self.root.join(rel);
        let shown = path.strip_prefix(&self.here).unwrap_or(&path);
        shown.display().to_string()
    }
}
