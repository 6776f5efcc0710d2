//! The report on a whole project: its score, the gate, where the violations
//! are, and how well the rules do. (guard.md §12)
//!
//! Everything here is a pure function of results; what is remembered between
//! runs is handed in.

mod build;
mod exit;
mod merge;
mod modules;
mod shard;

use std::collections::BTreeMap;

use asd_guard::{
    Boundary, Effectiveness, GateStatus, GateThresholds, Layer, Recommendation, Tally, Timestamp,
    UncertainReason,
};
use asd_recipe::Severity;
use serde::{Deserialize, Serialize};

use crate::report::{BatchDetails, BatchSummary};

pub use build::{ComplianceInput, compliance};
pub(crate) use build::{uncertain_summary, with_suppressions};
pub use exit::{GateLimits, Verdict};
pub use merge::{MergeError, merge};
pub use modules::{CoverageLevel, CoverageMatrix, ModuleCoverage};
pub use shard::Shard;

/// How many rules and files are listed.
const MAX_LISTED: usize = 20;

/// The report.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ComplianceReport {
    /// When it was made.
    pub timestamp: Timestamp,
    /// The project's root, absolute.
    pub project_root: String,
    /// What the gate says.
    pub quality_gate: QualityGateResult,
    /// From 0 to 100.
    pub compliance_score: u8,
    /// Percent of checks that were carried out.
    pub coverage_score: u8,
    /// Percent of decided among decided and uncertain.
    pub confidence_score: u8,
    /// What could not be decided, counted.
    pub uncertain_summary: UncertainSummary,
    /// The blind spots.
    pub boundaries: Vec<Boundary>,
    /// Counts.
    pub summary: ComplianceSummary,
    /// The rules with most violations.
    pub top_violations: Vec<TopViolation>,
    /// The files with most violations.
    pub file_hotspots: Vec<FileHotspot>,
    /// How well rules do that fired or were judged.
    pub rule_health: Vec<RuleHealth>,
    /// What changed since the run before.
    pub trend: Trend,
    /// To how much of each module the project's own rules apply.
    pub coverage_matrix: CoverageMatrix,
    /// How much a violation in a test file counts.
    pub test_weight: f64,
    /// What a reader has to know besides.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// Which part of the files it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shard: Option<Shard>,
    /// Everything that was found.
    #[serde(flatten)]
    pub details: BatchDetails,
}

/// What the gate says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct QualityGateResult {
    /// As a whole.
    pub status: GateStatus,
    /// The compliance score.
    pub score: u8,
    /// What it was measured against.
    pub thresholds: GateThresholds,
    /// Why it does not pass, for a person.
    pub reasons: Vec<String>,
}

/// Uncertain results, counted.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[expect(missing_docs, reason = "the names are the spec's own terms")]
pub struct UncertainSummary {
    pub total: usize,
    pub by_layer: BTreeMap<Layer, usize>,
    pub by_reason: BTreeMap<UncertainReason, usize>,
}

/// Counts of the report, besides those of every batch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ComplianceSummary {
    /// Files that were read and checked.
    pub files_scanned: usize,
    /// Errors, of test files too.
    pub errors: usize,
    /// Warnings, of test files too.
    pub warnings: usize,
    /// Infos, of test files too.
    pub infos: usize,
    /// The same with the weight of test files: what the score is made from.
    pub weighted: Tally,
    /// The counts of a batch.
    #[serde(flatten)]
    pub batch: BatchSummary,
}

/// A rule with many violations.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TopViolation {
    /// The rule.
    pub rule_id: String,
    /// The worst of its violations.
    pub severity: Severity,
    /// How many there are.
    pub occurrences: usize,
    /// In how many files.
    pub file_count: usize,
    /// The recipe that says what to do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fix_recipe_id: Option<String>,
    /// Its title.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fix_recipe_title: Option<String>,
}

/// A file with many violations.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FileHotspot {
    /// Project-relative path with `/`.
    pub file_path: String,
    /// All of them.
    pub violations: usize,
    /// Errors.
    pub errors: usize,
    /// Warnings.
    pub warnings: usize,
    /// Infos.
    pub infos: usize,
}

/// How well a rule does. (guard.md §10)
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RuleHealth {
    /// The rule.
    pub rule_id: String,
    /// How often it fired anew on this machine.
    pub triggers: u64,
    /// Verdicts that it is right.
    pub correct: u64,
    /// Verdicts that it is wrong, those of suppressions among them.
    pub false_positive: u64,
    /// Faults that it did not see.
    pub false_negative: u64,
    /// How many of the false positives are told by suppressions.
    pub suppressed_as_false: u64,
    /// TP / (TP + FP)
    pub precision: f64,
    /// TP / (TP + FN)
    pub recall: f64,
    /// 2PR / (P + R)
    pub f1: f64,
    /// FP / (TP + FP), once there are five verdicts.
    pub false_positive_rate: Option<f64>,
    /// How it does over time.
    pub effectiveness: Effectiveness,
    /// What should be done about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recommendation: Option<Recommendation>,
    /// The recipe to be looked at as decaying, with the strategy that says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decay_strategy: Option<String>,
    /// When it first fired on this machine.
    pub first_triggered: Option<Timestamp>,
    /// When it last fired on this machine.
    pub last_triggered: Option<Timestamp>,
    /// When it was last judged.
    pub last_feedback: Option<Timestamp>,
}

/// What changed since the run before.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Trend {
    /// More errors, or fewer when below 0.
    pub errors_change: i64,
    /// More warnings, or fewer when below 0.
    pub warnings_change: i64,
    /// Whether there was a run before.
    pub has_history: bool,
}
