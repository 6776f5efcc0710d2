//! The result for people.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use asd_guard::{Finding, RuleOrigin, Target, verified_fix};
use asd_recipe::Severity;
use asd_text::{Encoding, LineIndex, Position, PositionRange};
use asd_workspace::CheckedFile;
use asd_workspace::report::{BatchSummary, FileProblem, SuppressedRule};

use crate::check::Checked;
use crate::excerpt::{Excerpt, Painter};
use crate::terminal::Terminal;

/// How many things that were not checked are listed.
const MAX_LISTED: usize = 20;
/// How many files of one kind are named.
const MAX_NAMED: usize = 3;
/// How many fixes are tried for the summary.
const MAX_TRIED: usize = 100;

pub(crate) fn write(checked: &Checked, terminal: &mut Terminal) -> anyhow::Result<()> {
    let painter = Painter::new(terminal.colors());
    let names = Names::new(&checked.root);
    let mut explained = BTreeSet::new();
    for file in &checked.batch.files {
        let mut recipes = BTreeMap::new();
        let text = file.text.as_deref().unwrap_or_default();
        let lines = LineIndex::new(text);
        let path = names.shown(&file.rel);
        for finding in &file.findings {
            let source = match &finding.rule.origin {
                RuleOrigin::Recipe(recipe) => {
                    let path = recipes
                        .entry(recipe.path.as_str())
                        .or_insert_with(|| names.recipe(file, &recipe.path));
                    Some(("recipe", format!("{} ({path})", recipe.trigger)))
                }
                // Once for each rule: who reads on knows it by then.
                RuleOrigin::Pack { .. } | RuleOrigin::BuiltIn => explained
                    .insert(finding.rule.id.as_str())
                    .then(|| ("more", format!("asd guard explain {}", finding.rule.id))),
            };
            terminal.line(&painter.paint(&Excerpt {
                severity: finding.severity,
                code: &finding.rule.id,
                message: &finding.message,
                path: &path,
                text,
                lines: &lines,
                span: finding.span,
                notes: notes(finding, source),
            }))?;
            terminal.line("")?;
        }
    }
    for across in &checked.batch.across {
        let finding = &across.finding;
        let mut places = finding.places.iter().zip(&across.texts);
        let Some((first, text)) = places.next() else {
            continue;
        };
        let mut notes: Vec<(&'static str, String)> = places
            .map(|(place, text)| {
                let line = LineIndex::new(text).line_of(place.span.start) + 1;
                let path = names.shown(&place.path);
                ("also", format!("{path}:{line}: {}", place.message))
            })
            .collect();
        notes.push(("do", finding.rule.fix_suggestion.clone()));
        if explained.insert(finding.rule.id.as_str()) {
            notes.push(("more", format!("asd guard explain {}", finding.rule.id)));
        }
        terminal.line(&painter.paint(&Excerpt {
            severity: finding.severity,
            code: &finding.rule.id,
            message: &finding.message,
            path: &names.shown(&first.path),
            text,
            lines: &LineIndex::new(text),
            span: first.span,
            notes,
        }))?;
        terminal.line("")?;
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

/// What to do, what not to do, and whether a program can do it.
fn notes(finding: &Finding, source: Option<(&'static str, String)>) -> Vec<(&'static str, String)> {
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
        }
        RuleOrigin::Pack { .. } | RuleOrigin::BuiltIn => add("do", &rule.fix_suggestion),
    }
    if let Some((word, text)) = &source {
        add(*word, text);
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
    write_list("Not fixed:", unfixed(checked, names), terminal)?;
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
                (false, _) if found.rule_id.is_empty() => {
                    let path = names.shown(&found.file_path);
                    return Some(format!(
                        "{path}:{}: it names no rule (write `asd:ignore RULE -- reason`)",
                        found.place.line
                    ));
                }
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

/// What kept rules from being decided, each with the files concerned. What one
/// rule could not decide for reasons of the same kind is one line.
fn undecided(checked: &Checked, names: &Names) -> Vec<String> {
    let mut groups: BTreeMap<String, Undecided<'_>> = BTreeMap::new();
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
            let (key, rule) = match ids.as_slice() {
                [one] => ((*one).to_owned(), Some(*one)),
                _ => (detail.to_owned(), None),
            };
            let group = groups.entry(key).or_insert_with(|| Undecided {
                rule,
                ..Undecided::default()
            });
            group.files.insert(&file.rel);
            group.details.insert(detail);
        }
    }
    groups
        .into_values()
        .map(|group| {
            let shown: Vec<String> = group
                .files
                .iter()
                .take(MAX_NAMED)
                .map(|file| names.shown(file))
                .collect();
            let more = match group.files.len() - shown.len() {
                0 => String::new(),
                more => format!(" and {more} more"),
            };
            let rule = group.rule.map_or(String::new(), |id| format!("{id}: "));
            let detail = group.details.first().copied().unwrap_or_default();
            let like = match group.details.len() {
                0 | 1 => String::new(),
                all => format!("; {} more of this kind", all - 1),
            };
            format!("{}{more}: {rule}{detail}{like}", shown.join(", "))
        })
        .collect()
}

#[derive(Default)]
struct Undecided<'c> {
    rule: Option<&'c str>,
    files: BTreeSet<&'c str>,
    details: BTreeSet<&'c str>,
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
    let excluded = checked.batch.excluded;
    if counts.files_checked == 0 && excluded > 0 {
        lines.push(format!(
            "Checked no file: the settings exclude {}.",
            number(excluded, "file")
        ));
    } else if counts.total_violations == 0 {
        lines.push(format!("Checked {files}: nothing to report."));
    } else {
        let found: Vec<String> = [
            (counts.total_errors, "error"),
            (counts.total_warnings, "warning"),
            (counts.total_infos, "info"),
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
            "{} in recipes or settings: the guards and values concerned are not in force.",
            number(broken, "error")
        ));
    }
    let (safe, others) = fixable(checked);
    if safe > 0 {
        lines.push(format!("{safe} can be fixed with --fix."));
    }
    if others > 0 {
        let more = if safe > 0 { " more" } else { "" };
        lines.push(format!(
            "{others}{more} can be fixed with --fix --unsafe; look at the result."
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

/// How many findings have a fix that was not asked for yet: safe ones, and
/// others. A fix that would be refused does not count; that takes two parses
/// each, so where there are very many, all are taken for good.
fn fixable(checked: &Checked) -> (usize, usize) {
    let open = |file: &'_ CheckedFile| {
        let found = file.findings.iter();
        found
            .filter(|finding| finding.fix.is_some() && !checked.fixing.wants(finding))
            .count()
    };
    let total: usize = checked.batch.files.iter().map(open).sum();
    let (mut safe, mut others) = (0, 0);
    for file in &checked.batch.files {
        for finding in &file.findings {
            let Some(fix) = &finding.fix else { continue };
            if checked.fixing.wants(finding) || (total <= MAX_TRIED && !is_sound(file, finding)) {
                continue;
            }
            if fix.safe {
                safe += 1;
            } else {
                others += 1;
            }
        }
    }
    (safe, others)
}

/// Fixes that were asked for and are still to be done, with the reason.
fn unfixed(checked: &Checked, names: &Names) -> Vec<String> {
    let mut lines = Vec::new();
    for file in &checked.batch.files {
        if checked.unwritten.contains(&*file.rel) {
            continue;
        }
        let text = file.text.as_deref().unwrap_or_default();
        for finding in &file.findings {
            if !checked.fixing.wants(finding) {
                continue;
            }
            let line = text[..finding.span.start].matches('\n').count() + 1;
            let why = if lines.len() < MAX_TRIED && !is_sound(file, finding) {
                "the result would have a syntax error"
            } else {
                "it and another fix undo each other, or it brings about its own finding"
            };
            let path = names.shown(&file.rel);
            lines.push(format!("{path}:{line}: {}: {why}", finding.rule.id));
        }
    }
    lines
}

fn is_sound(file: &CheckedFile, finding: &Finding) -> bool {
    let target = Target {
        path: Some(&file.rel),
        text: file.text.as_deref().unwrap_or_default(),
        language: file.language,
        previous: None,
    };
    verified_fix(&target, finding).is_some()
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
    /// where that lies in the project too, else as an absolute one.
    pub(crate) fn shown(&self, rel: &str) -> String {
        self.seen_from_here(&self.root.join(rel))
    }

    fn seen_from_here(&self, path: &Path) -> String {
        if let Ok(below) = path.strip_prefix(&self.here) {
            return below.display().to_string();
        }
        let Ok(inside) = self.here.strip_prefix(&self.root) else {
            return path.display().to_string();
        };
        let Ok(rel) = path.strip_prefix(&self.root) else {
            return path.display().to_string();
        };
        let common = inside
            .components()
            .zip(rel.components())
            .take_while(|(a, b)| a == b)
            .count();
        let mut shown = PathBuf::new();
        for _ in inside.components().skip(common) {
            shown.push("..");
        }
        shown.extend(rel.components().skip(common));
        shown.display().to_string()
    }

    /// The recipe file of a finding. Its path is relative to the project that
    /// the checked file belongs to, the innermost one that holds it.
    fn recipe(&self, file: &CheckedFile, path: &str) -> String {
        let holder = file.path.ancestors().skip(1);
        let found = holder.map(|folder| folder.join(path)).find(|p| p.is_file());
        found.map_or_else(|| self.shown(path), |found| self.seen_from_here(&found))
    }
}
