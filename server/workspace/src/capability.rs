//! Sums of capability reports. (guard.md §5)

use std::collections::BTreeSet;

use asd_guard::{
    Boundary, BoundaryType, CapabilityReport, Counts, Layer, LayerCounts, RuleSet, SkippedCheck,
    Uncertain, UncertainReason,
};
use asd_syntax::Language;

/// Adds the counts of one file to those of all, and its lists as far as they
/// say something new.
#[derive(Default)]
pub(crate) struct Sum {
    report: CapabilityReport,
    skipped: BTreeSet<(Layer, Option<String>, UncertainReason, String)>,
    uncertain: BTreeSet<(String, Layer, UncertainReason, String)>,
}

impl Sum {
    pub(crate) fn add(&mut self, file: CapabilityReport) {
        let total = &mut self.report.executed_checks;
        for (sum, one) in layers(total)
            .into_iter()
            .zip(layers(&mut { file.executed_checks }))
        {
            add(sum, *one);
        }
        for (language, counts) in file.executed_by_language {
            let sum = self.report.executed_by_language.entry(language);
            add(sum.or_default(), counts);
        }
        for check in file.skipped_checks {
            let key = (
                check.layer,
                check.rule_id.clone(),
                check.reason,
                check.detail.clone(),
            );
            if self.skipped.insert(key) {
                self.report.skipped_checks.push(check);
            }
        }
        for uncertain in file.uncertain_results {
            let key = (
                uncertain.rule_id.clone(),
                uncertain.layer,
                uncertain.reason,
                uncertain.detail.clone(),
            );
            if self.uncertain.insert(key) {
                self.report.uncertain_results.push(uncertain);
            }
        }
        for boundary in file.boundaries {
            let known = self
                .report
                .boundaries
                .iter_mut()
                .find(|b| b.kind == boundary.kind && b.description == boundary.description);
            match known {
                Some(known) => {
                    known.affected_rules.extend(boundary.affected_rules);
                    known.affected_rules.sort();
                    known.affected_rules.dedup();
                }
                None => self.report.boundaries.push(boundary),
            }
        }
    }

    pub(crate) fn finish(mut self) -> CapabilityReport {
        let (mut total, mut executed) = (0, 0);
        for counts in layers(&mut self.report.executed_checks) {
            total += counts.total;
            executed += counts.executed;
        }
        self.report.check_coverage = coverage(executed, total);
        self.report
    }
}

/// Percent of pairs that were decided; 100 when there were none.
fn coverage(executed: u64, total: u64) -> u8 {
    if executed >= total {
        return 100;
    }
    // One pair that was not decided is never rounded away.
    u8::try_from((executed * 200 + total) / (total * 2)).map_or(99, |percent| percent.min(99))
}

fn layers(counts: &mut LayerCounts) -> [&mut Counts; 4] {
    [
        &mut counts.regex,
        &mut counts.code_level,
        &mut counts.ast,
        &mut counts.cross_file,
    ]
}

fn add(sum: &mut Counts, one: Counts) {
    sum.total += one.total;
    sum.executed += one.executed;
    sum.skipped += one.skipped;
}

/// What is to be said of a file that could not be read: no rule of its language
/// was decided.
pub(crate) fn of_unreadable(
    rules: &RuleSet,
    language: Option<Language>,
    path: &str,
    reason: &str,
) -> (CapabilityReport, Uncertain) {
    let detail = format!("{path}: {reason}");
    let mut report = CapabilityReport::default();
    let mut all = Counts::default();
    if let Some(language) = language {
        for rule in rules.rules() {
            let concerns = |id: &String| id == language.id();
            if !rule.languages.is_empty() && !rule.languages.iter().any(concerns) {
                continue;
            }
            let checks = &mut report.executed_checks;
            let counts = match rule.layer {
                Layer::Regex => &mut checks.regex,
                Layer::CodeLevel => &mut checks.code_level,
                Layer::Ast => &mut checks.ast,
                Layer::CrossFile => &mut checks.cross_file,
            };
            for counts in [counts, &mut all] {
                counts.total += 1;
                counts.skipped += 1;
            }
        }
        report
            .executed_by_language
            .insert(language.id().to_owned(), all);
    }
    report.skipped_checks.push(SkippedCheck {
        layer: Layer::CrossFile,
        rule_id: None,
        reason: UncertainReason::FileMissing,
        detail: detail.clone(),
        impact: "medium".into(),
    });
    report.boundaries.push(Boundary {
        kind: BoundaryType::CrossFileIncomplete,
        description: format!("{path} was not checked: {reason}"),
        affected_rules: Vec::new(),
        suggested_action: "Make the file readable as UTF-8 text, or exclude it.".to_owned(),
    });
    let uncertain = Uncertain {
        rule_id: "*".to_owned(),
        message: "No rule could be checked in this file".to_owned(),
        layer: Layer::CrossFile,
        reason: UncertainReason::FileMissing,
        detail,
    };
    report.uncertain_results.push(uncertain.clone());
    (report, uncertain)
}

/// What is to be said of files that were left out by the caller's wish: their
/// checks count as skipped.
pub(crate) fn of_left_out(
    rules: &RuleSet,
    files: &[(Language, String)],
    reason: &str,
) -> CapabilityReport {
    let mut sum = Sum::default();
    for (language, path) in files {
        let (mut report, _) = of_unreadable(rules, Some(*language), path, reason);
        report.uncertain_results.clear();
        report.boundaries.clear();
        report.skipped_checks.clear();
        sum.add(report);
    }
    let mut report = sum.finish();
    report.skipped_checks.push(SkippedCheck {
        layer: Layer::CrossFile,
        rule_id: None,
        reason: UncertainReason::ScopeMismatch,
        detail: reason.to_owned(),
        impact: "low".into(),
    });
    report.boundaries.push(Boundary {
        kind: BoundaryType::ScopeUnchecked,
        description: reason.to_owned(),
        affected_rules: Vec::new(),
        suggested_action: "Check all files.".to_owned(),
    });
    report
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coverage_is_rounded_and_full_when_nothing_applied() {
        assert_eq!(coverage(0, 0), 100);
        assert_eq!(coverage(0, 3), 0);
        assert_eq!(coverage(1, 3), 33);
        assert_eq!(coverage(2, 3), 67);
        assert_eq!(coverage(1, 8), 13);
        assert_eq!(coverage(999, 1000), 99);
    }

    #[test]
    fn counts_are_added_and_equal_remarks_are_made_once() {
        let file = || CapabilityReport {
            executed_checks: LayerCounts {
                regex: Counts {
                    total: 4,
                    executed: 3,
                    skipped: 1,
                },
                ..LayerCounts::default()
            },
            uncertain_results: vec![Uncertain {
                rule_id: "r".into(),
                message: "m".into(),
                layer: Layer::Regex,
                reason: UncertainReason::InvalidRegex,
                detail: "d".into(),
            }],
            ..CapabilityReport::default()
        };
        let mut sum = Sum::default();
        sum.add(file());
        sum.add(file());
        let report = sum.finish();
        assert_eq!(report.executed_checks.regex.total, 8);
        assert_eq!(report.check_coverage, 75);
        assert_eq!(report.uncertain_results.len(), 1);
    }
}
