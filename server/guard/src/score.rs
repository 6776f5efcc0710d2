//! The score of a project and the gate that a build has to pass. (guard.md §12)

use asd_recipe::Severity;
use serde::{Deserialize, Serialize};

use crate::RuleStats;

/// How much the violations of test files count.
pub const TEST_WEIGHT: f64 = 0.5;

/// Violations by severity. Those of test files may count by half, so the
/// numbers are not whole.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Tally {
    /// Errors.
    pub errors: f64,
    /// Warnings.
    pub warnings: f64,
    /// Infos.
    pub infos: f64,
}

impl Tally {
    /// Counts one violation with a weight.
    pub fn add(&mut self, severity: Severity, weight: f64) {
        match severity {
            Severity::Error => self.errors += weight,
            Severity::Warning => self.warnings += weight,
            Severity::Info => self.infos += weight,
        }
    }
}

/// From 0 to 100: 100 less 5 for each error, 1 for each warning, 0.2 for each
/// info and 3 for each rule with a precision below 0.5; 5 more when the rules
/// that were judged have a mean f1 above 0.8.
#[must_use]
pub fn compliance_score<'s>(tally: Tally, rules: impl IntoIterator<Item = &'s RuleStats>) -> u8 {
    let mut score = 100.0 - 5.0 * tally.errors - tally.warnings - 0.2 * tally.infos;
    let (mut judged, mut f1) = (0.0, 0.0);
    for rule in rules.into_iter().filter(|rule| rule.has_feedback()) {
        judged += 1.0;
        f1 += rule.f1();
        if rule.precision() < 0.5 {
            score -= 3.0;
        }
    }
    if judged > 0.0 && f1 / judged > 0.8 {
        score += 5.0;
    }
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the value was clamped to 0..=100"
    )]
    let rounded = score.clamp(0.0, 100.0).round() as u8;
    rounded
}

/// What a build may have before it fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct GateThresholds {
    /// More errors fail it.
    pub max_errors: u32,
    /// More warnings make it warn.
    pub max_warnings: u32,
    /// A lower score fails it.
    pub min_score: u32,
}

/// What the gate says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
#[expect(missing_docs, reason = "the names are the spec's own terms")]
pub enum GateStatus {
    Pass,
    Warn,
    Fail,
}

impl GateStatus {
    /// As it is written.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Pass => "PASS",
            Self::Warn => "WARN",
            Self::Fail => "FAIL",
        }
    }
}

/// The gate with each of its grounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gate {
    /// More errors than permitted.
    pub by_errors: bool,
    /// A score below the least.
    pub by_score: bool,
    /// More warnings than permitted.
    pub by_warnings: bool,
}

impl Gate {
    /// Judges a tally and its score.
    #[must_use]
    pub fn judge(tally: Tally, score: u8, thresholds: GateThresholds) -> Self {
        Self {
            by_errors: tally.errors > f64::from(thresholds.max_errors),
            by_score: u32::from(score) < thresholds.min_score,
            by_warnings: tally.warnings > f64::from(thresholds.max_warnings),
        }
    }

    /// What it says as a whole.
    #[must_use]
    pub const fn status(self) -> GateStatus {
        if self.by_errors || self.by_score {
            GateStatus::Fail
        } else if self.by_warnings {
            GateStatus::Warn
        } else {
            GateStatus::Pass
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const THRESHOLDS: GateThresholds = GateThresholds {
        max_errors: 0,
        max_warnings: 20,
        min_score: 70,
    };

    fn judge(errors: f64, warnings: f64, infos: f64) -> (u8, GateStatus) {
        let tally = Tally {
            errors,
            warnings,
            infos,
        };
        let score = compliance_score(tally, []);
        (score, Gate::judge(tally, score, THRESHOLDS).status())
    }

    fn judged(correct: u64, false_positive: u64) -> RuleStats {
        RuleStats {
            correct,
            false_positive,
            ..RuleStats::default()
        }
    }

    #[test]
    fn errors_weigh_most_and_fail_the_gate() {
        assert_eq!(judge(2.0, 7.0, 10.0), (81, GateStatus::Fail));
    }

    #[test]
    fn many_warnings_fail_the_gate_by_the_score() {
        assert_eq!(judge(0.0, 35.0, 0.0), (65, GateStatus::Fail));
        assert_eq!(judge(0.0, 21.0, 0.0), (79, GateStatus::Warn));
        assert_eq!(judge(0.0, 20.0, 0.0), (80, GateStatus::Pass));
    }

    #[test]
    fn a_score_is_rounded_and_stays_between_its_ends() {
        assert_eq!(judge(0.0, 0.0, 2.0).0, 100);
        assert_eq!(judge(0.0, 0.0, 3.0).0, 99);
        assert_eq!(judge(0.5, 0.0, 0.0), (98, GateStatus::Fail));
        assert_eq!(judge(40.0, 0.0, 0.0).0, 0);
    }

    #[test]
    fn good_rules_raise_the_score_and_bad_ones_lower_it() {
        let tally = Tally {
            warnings: 10.0,
            ..Tally::default()
        };
        let good = judged(9, 1);
        let bad = judged(1, 9);
        let unjudged = RuleStats::default();
        assert_eq!(compliance_score(tally, [&good, &unjudged]), 95);
        assert_eq!(compliance_score(tally, [&bad]), 87);
        assert_eq!(compliance_score(tally, [&unjudged]), 90);
        assert_eq!(compliance_score(Tally::default(), [&good]), 100);
    }
}
