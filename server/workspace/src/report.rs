//! Results as JSON, the same at every door. (guard.md §2)
//!
//! Lines are counted from 1 and end with `\n`, `\r\n` or a lone `\r`. Columns
//! are counted from 1 in Unicode scalar values; a byte order mark is none.
//! `endLine` and `endColumn` are those of the first character behind the
//! finding.

mod parts;

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use asd_guard::{CapabilityReport, Finding, Layer, RuleInfo, RuleOrigin, SkippedCheck, Uncertain};
use asd_recipe::{Problem, Severity};
use asd_store::Skipped;
use asd_text::{Encoding, LineIndex, Span};
use serde::{Deserialize, Serialize};

use crate::{BatchReport, CheckedFile, ProjectState};

pub use parts::{CrossFileViolation, Edit, FixEdits, Location, RuleSummary};

const MAX_SNIPPET: usize = 120;

/// A range as people and other tools count it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Place {
    /// From 1.
    pub line: u32,
    /// From 1, in Unicode scalar values.
    pub column: u32,
    /// From 1.
    pub end_line: u32,
    /// From 1, behind the last character.
    pub end_column: u32,
}

impl Place {
    /// Where a span of `text` lies.
    #[must_use]
    pub fn of(text: &str, lines: &LineIndex, span: Span) -> Self {
        let range = lines.range(text, span, Encoding::Utf32);
        Self {
            line: range.start.line + 1,
            column: range.start.character + 1,
            end_line: range.end.line + 1,
            end_column: range.end.character + 1,
        }
    }
}

/// One violation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Violation {
    /// The rule's id.
    pub rule_id: String,
    /// What is wrong.
    pub message: String,
    /// How bad it is.
    pub severity: Severity,
    /// Where it is.
    #[serde(flatten)]
    pub place: Place,
    /// The line, trimmed, at most 120 characters of it.
    pub snippet: String,
    /// The layer that found it.
    pub layer: Layer,
    /// `recipe`, `pack` or `builtin`.
    pub source: Cow<'static, str>,
    /// The rule's category.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub category: String,
    /// What to do.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub fix_suggestion: String,
    /// Whether `--fix` or an editor can mend it: `safe`, or `unsafe` when a
    /// person has to look at the result.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fix: Option<Cow<'static, str>>,
    /// What the fix does, and its edits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fix_edits: Option<FixEdits>,
    /// Stays the same when lines above change; unique in the file.
    #[serde(default)]
    pub fingerprint: String,
    /// The recipe's id, when it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recipe_id: Option<String>,
    /// The recipe's trigger.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trigger: Option<String>,
    /// The same for the reader who wants to know why.
    pub reasoning: Reasoning,
}

/// Why a violation is one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Reasoning {
    /// What was broken.
    pub what_violated: String,
    /// Why that matters.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub why_it_matters: String,
    /// What to do.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub suggested_fix: String,
}

/// What a check of one file says.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FileResult {
    /// Project-relative path with `/`.
    pub file_path: String,
    /// The language id.
    pub language: Cow<'static, str>,
    /// Whether its path is that of a test.
    #[serde(default)]
    pub is_test: bool,
    /// Whether it was read and checked.
    pub checked: bool,
    /// By place.
    pub violations: Vec<Violation>,
    /// What could not be decided.
    pub uncertain_results: Vec<Uncertain>,
    /// Checks that were not executed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub skipped_checks: Vec<SkippedCheck>,
    /// Counts.
    pub summary: FileSummary,
}

/// Counts of one file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the names are the spec's own terms")]
pub struct FileSummary {
    pub total: usize,
    pub errors: usize,
    pub warnings: usize,
    pub infos: usize,
    pub uncertain: usize,
}

/// What a check of many files says.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct BatchResult {
    /// Everything that was found.
    #[serde(flatten)]
    pub details: BatchDetails,
    /// Counts.
    pub summary: BatchSummary,
}

/// Everything that a check of many files found.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct BatchDetails {
    /// Every file, sorted by path.
    pub files: Vec<FileResult>,
    /// Violations that lie in several files.
    pub cross_file_violations: Vec<CrossFileViolation>,
    /// What was checked and what was not.
    pub capability_report: CapabilityReport,
    /// What could not be read, with the reason.
    pub skipped: Vec<SkippedPath>,
    /// What is wrong with recipes and settings.
    pub problems: Vec<FileProblem>,
    /// Comments in the sources that suppress rules.
    pub suppressions: Vec<SuppressedRule>,
    /// The rules that found something, by id.
    pub rules: Vec<RuleSummary>,
}

/// A comment that suppresses a rule. (guard.md §9)
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SuppressedRule {
    /// Project-relative path with `/`.
    pub file_path: String,
    /// Where the comment is.
    #[serde(flatten)]
    pub place: Place,
    /// The rule that it names.
    pub rule_id: String,
    /// Why, when it says so.
    pub reason: Option<String>,
    /// Whether there was anything to suppress.
    pub used: bool,
}

impl SuppressedRule {
    /// The suppressions of a file, by place.
    #[must_use]
    pub fn all_of(file: &CheckedFile) -> Vec<Self> {
        let text = file.text.as_deref().unwrap_or_default();
        let lines = LineIndex::new(text);
        file.suppressions
            .iter()
            .map(|suppression| Self {
                file_path: file.rel.to_string(),
                place: Place::of(text, &lines, suppression.span),
                rule_id: suppression.rule_id.clone(),
                reason: suppression.reason.clone(),
                used: suppression.used,
            })
            .collect()
    }
}

/// Counts of a batch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[expect(missing_docs, reason = "the names are the spec's own terms")]
pub struct BatchSummary {
    pub files_checked: usize,
    pub test_files: usize,
    pub production_files: usize,
    pub total_violations: usize,
    pub total_errors: usize,
    pub total_warnings: usize,
    pub total_infos: usize,
    pub total_uncertain: usize,
    pub files_with_violations: usize,
}

/// Something that could not be read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SkippedPath {
    /// Project-relative path with `/`; absolute for a path outside.
    pub path: String,
    /// Why.
    pub reason: String,
}

impl From<&Skipped> for SkippedPath {
    fn from(skipped: &Skipped) -> Self {
        Self {
            path: skipped.path.clone(),
            reason: skipped.reason.clone(),
        }
    }
}

/// A problem of a recipe or settings file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FileProblem {
    /// Project-relative path with `/`; absolute for a file outside.
    pub path: String,
    /// Where it is.
    #[serde(flatten)]
    pub place: Place,
    /// How bad it is.
    pub severity: Severity,
    /// Its kind, in kebab-case.
    pub code: Cow<'static, str>,
    /// What is wrong and what to do.
    pub message: String,
}

impl FileProblem {
    /// A problem with its place counted out.
    #[must_use]
    pub fn new(path: &str, text: &str, lines: &LineIndex, problem: &Problem) -> Self {
        Self {
            path: path.to_owned(),
            place: Place::of(text, lines, problem.span),
            severity: problem.severity,
            code: problem.code.as_str().into(),
            message: problem.message.clone(),
        }
    }
}

impl ProjectState {
    /// Everything that is wrong with recipes and settings, sorted by path and
    /// place.
    #[must_use]
    pub fn file_problems(&self) -> Vec<FileProblem> {
        self.all_problems()
            .iter()
            .filter_map(|(path, problems)| Some((path, problems, self.text_of(path)?)))
            .flat_map(|(path, problems, (text, lines))| {
                problems
                    .iter()
                    .map(|problem| FileProblem::new(path, &text, &lines, problem))
                    .collect::<Vec<_>>()
            })
            .collect()
    }
}

impl ProjectState {
    /// Whether a recipe or a settings file is broken as such. A guard that cannot
    /// be run is told by the check itself, as uncertain.
    #[must_use]
    pub fn has_broken_files(&self) -> bool {
        let is_error = |problem: &Problem| problem.severity == Severity::Error;
        self.recipe_files()
            .any(|file| file.parsed.problems.iter().any(is_error))
            || self
                .inner()
                .settings_files()
                .any(|file| file.problems.iter().any(is_error))
    }

    /// The recipes, guards and settings that are not in force because they are
    /// broken, sorted by path and place. Unlike [`Self::file_problems`] it runs
    /// no examples and looks at no other files.
    #[must_use]
    pub fn broken(&self) -> Vec<FileProblem> {
        let mut found = Vec::new();
        for file in self.recipe_files() {
            let rules = self.inner().rule_problems(&file.rel);
            for problem in file.parsed.problems.iter().chain(rules) {
                if problem.severity == Severity::Error {
                    found.push(FileProblem::new(
                        &file.rel,
                        &file.text,
                        &file.lines,
                        problem,
                    ));
                }
            }
        }
        for file in self.inner().settings_files() {
            let lines = LineIndex::new(&file.text);
            for problem in file.problems.iter() {
                if problem.severity == Severity::Error {
                    found.push(FileProblem::new(&file.name, &file.text, &lines, problem));
                }
            }
        }
        found.sort_by(|a, b| {
            let key =
                |p: &FileProblem| (p.path.clone(), p.place.line, p.place.column, p.code.clone());
            key(a).cmp(&key(b))
        });
        found.dedup();
        found
    }
}

/// `recipe`, `pack` or `builtin`.
fn source_of(rule: &RuleInfo) -> &'static str {
    match &rule.origin {
        RuleOrigin::Recipe(_) => "recipe",
        RuleOrigin::Pack { .. } => "pack",
        RuleOrigin::BuiltIn => "builtin",
    }
}

/// The line where a span starts, trimmed and cut.
fn snippet(text: &str, lines: &LineIndex, span: Span) -> String {
    let line = lines.line_span(text, lines.line_of(span.start));
    line.of(text).trim().chars().take(MAX_SNIPPET).collect()
}

impl Violation {
    /// A finding with its place counted out.
    #[must_use]
    pub fn new(text: &str, lines: &LineIndex, finding: &Finding) -> Self {
        let place = Place::of(text, lines, finding.span);
        let rule = &finding.rule;
        let recipe = match &rule.origin {
            RuleOrigin::Recipe(recipe) => Some(recipe),
            RuleOrigin::Pack { .. } | RuleOrigin::BuiltIn => None,
        };
        Self {
            rule_id: rule.id.clone(),
            message: finding.message.clone(),
            severity: finding.severity,
            place,
            snippet: snippet(text, lines, finding.span),
            layer: rule.layer,
            source: source_of(rule).into(),
            category: rule.category.clone(),
            fix_suggestion: rule.fix_suggestion.clone(),
            fix: finding
                .fix
                .as_ref()
                .map(|fix| if fix.safe { "safe" } else { "unsafe" }.into()),
            fix_edits: finding.fix.as_ref().map(|fix| FixEdits {
                title: fix.title.clone(),
                edits: fix
                    .edits
                    .iter()
                    .map(|edit| Edit {
                        place: Place::of(text, lines, edit.span),
                        text: edit.text.clone(),
                    })
                    .collect(),
            }),
            fingerprint: format!("{:016x}", finding.fingerprint),
            recipe_id: recipe.and_then(|recipe| recipe.id.clone()),
            trigger: recipe.map(|recipe| recipe.trigger.clone()),
            reasoning: Reasoning {
                what_violated: finding.message.clone(),
                why_it_matters: rule.why.clone(),
                suggested_fix: rule.fix_suggestion.clone(),
            },
        }
    }
}

impl FileResult {
    /// What a checked file says.
    #[must_use]
    pub fn new(file: &CheckedFile) -> Self {
        let text = file.text.as_deref().unwrap_or_default();
        let lines = LineIndex::new(text);
        let count = |severity| {
            file.findings
                .iter()
                .filter(|finding| finding.severity == severity)
                .count()
        };
        Self {
            file_path: file.rel.to_string(),
            language: file.language.id().into(),
            is_test: file.is_test,
            checked: file.checked,
            violations: file
                .findings
                .iter()
                .map(|finding| Violation::new(text, &lines, finding))
                .collect(),
            uncertain_results: file.uncertain.clone(),
            skipped_checks: file.skipped_checks.clone(),
            summary: FileSummary {
                total: file.findings.len(),
                errors: count(Severity::Error),
                warnings: count(Severity::Warning),
                infos: count(Severity::Info),
                uncertain: file.uncertain.len(),
            },
        }
    }
}

impl BatchSummary {
    /// Adds the counts of other files.
    pub fn add(&mut self, other: &Self) {
        self.files_checked += other.files_checked;
        self.test_files += other.test_files;
        self.production_files += other.production_files;
        self.total_violations += other.total_violations;
        self.total_errors += other.total_errors;
        self.total_warnings += other.total_warnings;
        self.total_infos += other.total_infos;
        self.total_uncertain += other.total_uncertain;
        self.files_with_violations += other.files_with_violations;
    }

    /// The counts of a batch.
    #[must_use]
    pub fn new(batch: &BatchReport) -> Self {
        let mut summary = Self::default();
        let across: BTreeSet<&str> = batch
            .across
            .iter()
            .flat_map(|across| &across.finding.places)
            .map(|place| &*place.path)
            .collect();
        for across in &batch.across {
            summary.total_violations += 1;
            summary.count(across.finding.severity);
        }
        for file in &batch.files {
            if file.checked {
                summary.files_checked += 1;
                if file.is_test {
                    summary.test_files += 1;
                } else {
                    summary.production_files += 1;
                }
            }
            summary.total_uncertain += file.uncertain.len();
            summary.total_violations += file.findings.len();
            let has_any = !file.findings.is_empty() || across.contains(&*file.rel);
            summary.files_with_violations += usize::from(has_any);
            for finding in &file.findings {
                summary.count(finding.severity);
            }
        }
        summary
    }

    fn count(&mut self, severity: Severity) {
        match severity {
            Severity::Error => self.total_errors += 1,
            Severity::Warning => self.total_warnings += 1,
            Severity::Info => self.total_infos += 1,
        }
    }
}

impl BatchResult {
    /// A batch as JSON; `skipped` and `problems` are what the walk and the
    /// project had to say besides.
    #[must_use]
    pub fn new(batch: &BatchReport, skipped: &[Skipped], problems: Vec<FileProblem>) -> Self {
        let mut all: Vec<SkippedPath> = batch
            .skipped
            .iter()
            .chain(skipped)
            .map(SkippedPath::from)
            .collect();
        all.sort_by(|a, b| (&a.path, &a.reason).cmp(&(&b.path, &b.reason)));
        all.dedup();
        let mut rules: BTreeMap<&str, &RuleInfo> = BTreeMap::new();
        for finding in batch.files.iter().flat_map(|file| &file.findings) {
            rules.insert(&finding.rule.id, &finding.rule);
        }
        for across in &batch.across {
            rules.insert(&across.finding.rule.id, &across.finding.rule);
        }
        let details = BatchDetails {
            rules: rules.into_values().map(RuleSummary::from).collect(),
            files: batch.files.iter().map(FileResult::new).collect(),
            cross_file_violations: batch.across.iter().map(CrossFileViolation::new).collect(),
            capability_report: batch.capability.clone(),
            skipped: all,
            problems,
            suppressions: batch
                .files
                .iter()
                .filter(|file| !file.suppressions.is_empty())
                .flat_map(SuppressedRule::all_of)
                .collect(),
        };
        Self {
            details,
            summary: BatchSummary::new(batch),
        }
    }
}
