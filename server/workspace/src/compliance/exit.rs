use asd_guard::{Gate, GateStatus};

use super::ComplianceReport;

/// What a build is failed for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GateLimits {
    /// Errors beyond the gate's limit.
    pub fail_on_error: bool,
    /// A gate that warns.
    pub fail_on_warning: bool,
    /// More uncertain results than this.
    pub max_uncertain: usize,
    /// A lower coverage, in percent.
    pub min_coverage: u8,
}

/// How a build ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It passes.
    Pass,
    /// There are errors.
    Errors,
    /// The score is too low, there are too many warnings or uncertain results.
    Quality,
    /// Too little was checked.
    Coverage,
}

impl Verdict {
    /// Judges a report. Errors come before coverage, and that before the rest.
    #[must_use]
    pub fn of(report: &ComplianceReport, limits: GateLimits) -> Self {
        let quality = &report.quality_gate;
        let gate = Gate::judge(report.summary.weighted, quality.score, quality.thresholds);
        let warns = gate.by_warnings || gate.status() == GateStatus::Warn;
        if gate.by_errors && limits.fail_on_error {
            Self::Errors
        } else if report.coverage_score < limits.min_coverage {
            Self::Coverage
        } else if gate.by_score
            || (warns && limits.fail_on_warning)
            || report.uncertain_summary.total > limits.max_uncertain
        {
            Self::Quality
        } else {
            Self::Pass
        }
    }

    /// The exit code. (guard.md §14)
    #[must_use]
    pub const fn code(self) -> u8 {
        match self {
            Self::Pass => 0,
            Self::Errors => 1,
            Self::Quality => 2,
            Self::Coverage => 3,
        }
    }
}
