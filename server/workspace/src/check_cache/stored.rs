//! A report of one file in the form in which it is kept. Rules are named by
//! their place in the set, and what follows from a rule is not kept at all.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use asd_guard::{
    Boundary, CapabilityReport, Counts, FileFacts, FileReport, Finding, Fix, Layer, LayerCounts,
    Related, RuleSet, SkippedCheck, Suppression, Uncertain, UncertainReason,
};
use asd_recipe::Severity;
use asd_text::{Span, TextEdit};
use serde::{Deserialize, Serialize};

/// A place in bytes.
type Place = (u64, u64);
/// Title, edits, and whether it is safe.
type StoredFix = (String, Vec<(Place, String)>, bool);

#[derive(Serialize, Deserialize)]
pub(super) struct Stored {
    findings: Vec<StoredFinding>,
    uncertain: Vec<Uncertain>,
    suppressions: Vec<StoredSuppression>,
    executed_checks: LayerCounts,
    executed_by_language: BTreeMap<String, Counts>,
    skipped_checks: Vec<StoredSkip>,
    boundaries: Vec<Boundary>,
    uncertain_results: Vec<Uncertain>,
    check_coverage: u8,
    quarantined: Vec<String>,
    facts: Option<Arc<FileFacts>>,
}

#[derive(Serialize, Deserialize)]
struct StoredFinding {
    rule: String,
    place: Place,
    severity: Severity,
    /// `None` for that of the rule.
    message: Option<String>,
    fix: Option<StoredFix>,
    related: Vec<(Option<String>, Place, String)>,
    fingerprint: u64,
}

#[derive(Serialize, Deserialize)]
struct StoredSuppression {
    place: Place,
    rule: String,
    reason: Option<String>,
    used: bool,
}

#[derive(Serialize, Deserialize)]
struct StoredSkip {
    layer: Layer,
    rule: Option<String>,
    reason: UncertainReason,
    detail: String,
    impact: Cow<'static, str>,
}

impl Stored {
    /// `None` when a place is beyond what can be written.
    pub(super) fn of(report: &FileReport) -> Option<Self> {
        // Named one by one, so that nothing new is forgotten here.
        let FileReport {
            findings,
            uncertain,
            suppressions,
            capability,
            quarantined,
            tree: _,
            facts,
        } = report;
        let CapabilityReport {
            executed_checks,
            executed_by_language,
            skipped_checks,
            boundaries,
            uncertain_results,
            check_coverage,
        } = capability;
        Some(Self {
            findings: findings
                .iter()
                .map(StoredFinding::of)
                .collect::<Option<_>>()?,
            uncertain: uncertain.clone(),
            suppressions: suppressions
                .iter()
                .map(|one| {
                    Some(StoredSuppression {
                        place: place(one.span)?,
                        rule: one.rule_id.clone(),
                        reason: one.reason.clone(),
                        used: one.used,
                    })
                })
                .collect::<Option<_>>()?,
            executed_checks: *executed_checks,
            executed_by_language: executed_by_language.clone(),
            skipped_checks: skipped_checks
                .iter()
                .map(|skip| StoredSkip {
                    layer: skip.layer,
                    rule: skip.rule_id.clone(),
                    reason: skip.reason,
                    detail: skip.detail.clone(),
                    impact: skip.impact.clone(),
                })
                .collect(),
            boundaries: boundaries.clone(),
            uncertain_results: uncertain_results.clone(),
            check_coverage: *check_coverage,
            quarantined: quarantined.clone(),
            facts: facts.clone(),
        })
    }

    /// The report as it was; `None` when it names a rule that is not in force.
    pub(super) fn report(self, rules: &RuleSet) -> Option<FileReport> {
        Some(FileReport {
            findings: self
                .findings
                .into_iter()
                .map(|finding| finding.finding(rules))
                .collect::<Option<_>>()?,
            uncertain: self.uncertain,
            suppressions: self
                .suppressions
                .into_iter()
                .map(|one| {
                    Some(Suppression {
                        span: span(one.place)?,
                        rule_id: one.rule,
                        reason: one.reason,
                        used: one.used,
                    })
                })
                .collect::<Option<_>>()?,
            capability: CapabilityReport {
                executed_checks: self.executed_checks,
                executed_by_language: self.executed_by_language,
                skipped_checks: self
                    .skipped_checks
                    .into_iter()
                    .map(|skip| SkippedCheck {
                        layer: skip.layer,
                        rule_id: skip.rule,
                        reason: skip.reason,
                        detail: skip.detail,
                        impact: skip.impact,
                    })
                    .collect(),
                boundaries: self.boundaries,
                uncertain_results: self.uncertain_results,
                check_coverage: self.check_coverage,
            },
            quarantined: self.quarantined,
            tree: None,
            facts: self.facts,
        })
    }
}

impl StoredFinding {
    fn of(finding: &Finding) -> Option<Self> {
        let Finding {
            rule,
            span,
            severity,
            message,
            fix,
            related,
            fingerprint,
        } = finding;
        let fix = match fix {
            None => None,
            Some(Fix { title, edits, safe }) => {
                let edits: Option<Vec<_>> = edits
                    .iter()
                    .map(|edit| Some((place(edit.span)?, edit.text.clone())))
                    .collect();
                Some((title.clone(), edits?, *safe))
            }
        };
        Some(Self {
            rule: rule.id.clone(),
            place: place(*span)?,
            severity: *severity,
            message: (*message != rule.message).then(|| message.clone()),
            fix,
            related: related
                .iter()
                .map(|one| Some((one.path.clone(), place(one.span)?, one.message.clone())))
                .collect::<Option<_>>()?,
            fingerprint: *fingerprint,
        })
    }

    fn finding(self, rules: &RuleSet) -> Option<Finding> {
        let rule = rules.rule(&self.rule)?.clone();
        let fix = match self.fix {
            None => None,
            Some((title, edits, safe)) => {
                let edits: Option<Vec<_>> = edits
                    .into_iter()
                    .map(|(at, text)| {
                        Some(TextEdit {
                            span: span(at)?,
                            text,
                        })
                    })
                    .collect();
                Some(Fix {
                    title,
                    edits: edits?,
                    safe,
                })
            }
        };
        Some(Finding {
            span: span(self.place)?,
            severity: self.severity,
            message: self.message.unwrap_or_else(|| rule.message.clone()),
            fix,
            related: self
                .related
                .into_iter()
                .map(|(path, at, message)| {
                    Some(Related {
                        path,
                        span: span(at)?,
                        message,
                    })
                })
                .collect::<Option<_>>()?,
            fingerprint: self.fingerprint,
            rule,
        })
    }
}

fn place(span: Span) -> Option<Place> {
    Some((
        u64::try_from(span.start).ok()?,
        u64::try_from(span.end).ok()?,
    ))
}

fn span((start, end): Place) -> Option<Span> {
    let (start, end) = (usize::try_from(start).ok()?, usize::try_from(end).ok()?);
    (start <= end).then(|| Span::new(start, end))
}
