//! The review of a change: what is wrong in it, with what the recipes say.
//! (guard.md §13)

use std::collections::{BTreeMap, BTreeSet};

use asd_guard::{CapabilityReport, ReviewRound};
use asd_recipe::{Recipe, Severity};
use asd_store::ChangedLines;
use serde::Serialize;

use crate::ProjectState;
use crate::compliance::{UncertainSummary, uncertain_summary};
use crate::report::{BatchDetails, CrossFileViolation, FileSummary, Location, Violation};

/// What a review says.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ReviewResult {
    /// Whether the change may go on.
    pub passed: bool,
    /// Which review of the change this is, from 1.
    pub review_round: u32,
    /// Set when it passes only because it was sent back often enough.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub max_rounds_reached: bool,
    /// Where the files come from.
    pub file_source: FileSource,
    /// By path.
    pub files: Vec<ReviewedFile>,
    /// How many violations the change has.
    pub total_violations: usize,
    /// Counts.
    pub summary: ReviewSummary,
    /// Violations that lie in several files, one of them changed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub cross_file_violations: Vec<CrossFileViolation>,
    /// What is left for later, when the rounds are used up.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub follow_ups: Vec<FollowUp>,
    /// How many violations there were before the change; they do not block it.
    pub preexisting_violations: usize,
    /// What could not be decided.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uncertain_summary: Option<UncertainSummary>,
    /// The same one by one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub uncertain_results: Vec<asd_guard::Uncertain>,
    /// What was checked and what was not.
    pub capability_report: CapabilityReport,
    /// For a person.
    pub message: String,
}

/// Where the files of a review come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum FileSource {
    /// From git.
    GitDiff,
    /// They were named.
    Explicit,
}

/// Counts of a review.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[expect(missing_docs, reason = "the names are the spec's own terms")]
pub struct ReviewSummary {
    pub total: usize,
    pub errors: usize,
    pub warnings: usize,
    pub infos: usize,
    pub files_checked: usize,
}

/// One file of a review.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ReviewedFile {
    /// Project-relative path with `/`.
    pub file_path: String,
    /// What the change has.
    pub violations: Vec<ReviewViolation>,
    /// What was there before it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub preexisting: Vec<ReviewViolation>,
    /// What could not be decided.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub uncertain_results: Vec<asd_guard::Uncertain>,
    /// Counts of the violations.
    pub summary: FileSummary,
}

/// A violation with what its recipe says.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ReviewViolation {
    /// The violation.
    #[serde(flatten)]
    pub violation: Violation,
    /// The recipe that its rule comes from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recipe: Option<ReviewRecipe>,
}

/// What a recipe says to a violation of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[expect(missing_docs, reason = "the names are the spec's own terms")]
pub struct ReviewRecipe {
    pub id: Option<String>,
    pub trigger: String,
    pub title: String,
    pub do_clause: String,
    pub dont_clause: String,
    pub core_code: Option<String>,
}

/// A violation that is left for later.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[expect(missing_docs, reason = "the names are the spec's own terms")]
pub struct FollowUp {
    pub file_path: String,
    pub rule_id: String,
    pub severity: Severity,
    pub line: u32,
    pub message: String,
}

/// What a review is made from.
pub struct Review<'r> {
    /// What the check said.
    pub details: BatchDetails,
    /// Where the files come from.
    pub file_source: FileSource,
    /// Which lines of each file belong to the change; a file that is not in it
    /// belongs to it as a whole, and all do where there is none.
    pub changed: Option<&'r BTreeMap<String, ChangedLines>>,
    /// The projects, for their recipes.
    pub states: &'r [ProjectState],
    /// Which review of the change this is.
    pub round: &'r ReviewRound,
}

impl Review<'_> {
    /// Judges the change.
    #[must_use]
    pub fn result(self) -> ReviewResult {
        let uncertain = uncertain_summary(&self.details);
        let reviewed: BTreeSet<String> = self
            .details
            .files
            .iter()
            .map(|file| file.file_path.clone())
            .collect();
        let mut summary = ReviewSummary::default();
        let mut files = Vec::new();
        let mut left = Vec::new();
        let mut preexisting_violations = 0;
        let mut uncertain_results = Vec::new();
        for file in self.details.files {
            summary.files_checked += usize::from(file.checked);
            let (now, before): (Vec<Violation>, Vec<Violation>) =
                file.violations.into_iter().partition(|violation| {
                    let place = violation.place;
                    is_changed(self.changed, &file.file_path, place.line, last_line(place))
                });
            let mut counts = FileSummary {
                total: now.len(),
                uncertain: file.uncertain_results.len(),
                ..FileSummary::default()
            };
            for violation in &now {
                match violation.severity {
                    Severity::Error => counts.errors += 1,
                    Severity::Warning => counts.warnings += 1,
                    Severity::Info => counts.infos += 1,
                }
                left.push(FollowUp {
                    file_path: file.file_path.clone(),
                    rule_id: violation.rule_id.clone(),
                    severity: violation.severity,
                    line: violation.place.line,
                    message: violation.message.clone(),
                });
            }
            summary.errors += counts.errors;
            summary.warnings += counts.warnings;
            summary.infos += counts.infos;
            preexisting_violations += before.len();
            uncertain_results.extend(file.uncertain_results.iter().cloned());
            let enrich = |violations: Vec<Violation>| {
                violations
                    .into_iter()
                    .map(|violation| ReviewViolation {
                        recipe: recipe_of(self.states, &violation),
                        violation,
                    })
                    .collect()
            };
            files.push(ReviewedFile {
                file_path: file.file_path,
                violations: enrich(now),
                preexisting: enrich(before),
                uncertain_results: file.uncertain_results,
                summary: counts,
            });
        }
        let (cross, before): (Vec<_>, Vec<_>) = self
            .details
            .cross_file_violations
            .into_iter()
            .partition(|violation| {
                violation.locations.iter().any(
                    |Location {
                         file_path, place, ..
                     }| {
                        reviewed.contains(file_path)
                            && is_changed(self.changed, file_path, place.line, last_line(*place))
                    },
                )
            });
        preexisting_violations += before.len();
        for violation in &cross {
            match violation.severity {
                Severity::Error => summary.errors += 1,
                Severity::Warning => summary.warnings += 1,
                Severity::Info => summary.infos += 1,
            }
            let first = violation.locations.first();
            left.push(FollowUp {
                file_path: first.map(|l| l.file_path.clone()).unwrap_or_default(),
                rule_id: violation.rule_id.clone(),
                severity: violation.severity,
                line: first.map_or(1, |location| location.place.line),
                message: violation.message.clone(),
            });
        }
        summary.total = summary.errors + summary.warnings + summary.infos;
        let clean = summary.errors + summary.warnings == 0;
        let max_rounds_reached = !clean && self.round.is_beyond_the_last();
        ReviewResult {
            passed: clean || max_rounds_reached,
            review_round: self.round.round,
            max_rounds_reached,
            file_source: self.file_source,
            total_violations: summary.total,
            cross_file_violations: cross,
            follow_ups: if max_rounds_reached { left } else { Vec::new() },
            preexisting_violations,
            uncertain_summary: (uncertain.total > 0).then_some(uncertain),
            uncertain_results,
            capability_report: self.details.capability_report,
            message: message(&summary, max_rounds_reached),
            summary,
            files,
        }
    }
}

/// The line on which a place ends, as a person sees it: one that ends at the
/// start of a line does not reach into it.
fn last_line(place: crate::report::Place) -> u32 {
    if place.end_column == 1 && place.end_line > place.line {
        place.end_line - 1
    } else {
        place.end_line
    }
}

fn is_changed(
    changed: Option<&BTreeMap<String, ChangedLines>>,
    path: &str,
    first: u32,
    last: u32,
) -> bool {
    changed
        .and_then(|changed| changed.get(path))
        .is_none_or(|lines| lines.touches(first, last))
}

pub(crate) fn recipe_of(states: &[ProjectState], violation: &Violation) -> Option<ReviewRecipe> {
    let trigger = violation.trigger.as_deref()?;
    let (_, recipe) = states
        .iter()
        .find_map(|state| state.recipe_by_trigger(trigger))?;
    Some(ReviewRecipe::from(&**recipe))
}

impl From<&Recipe> for ReviewRecipe {
    fn from(recipe: &Recipe) -> Self {
        Self {
            id: recipe.id.clone(),
            trigger: recipe.trigger.clone(),
            title: recipe.title.clone(),
            do_clause: recipe.do_clause.clone(),
            dont_clause: recipe.dont_clause.clone(),
            core_code: recipe.core_code.as_ref().map(|code| code.text.clone()),
        }
    }
}

fn message(summary: &ReviewSummary, max_rounds_reached: bool) -> String {
    if summary.files_checked == 0 {
        "No source file has changed: there is nothing to review.".to_owned()
    } else if max_rounds_reached {
        "The rounds are used up: the change passes, and what is left is listed for later."
            .to_owned()
    } else if summary.errors + summary.warnings > 0 {
        "Mend the errors and warnings, then review again.".to_owned()
    } else {
        "The change keeps the rules.".to_owned()
    }
}
