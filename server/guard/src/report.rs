use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use asd_recipe::Severity;
use asd_syntax::Tree;
use asd_text::{Span, TextEdit};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::{FileFacts, Layer, RuleInfo};

/// The check was told to stop; whatever it had found is dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("the check was cancelled")]
pub struct Cancelled;

/// One violation at a place of the checked text.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// The rule.
    pub rule: Arc<RuleInfo>,
    /// Exactly the offending expression.
    pub span: Span,
    /// Its severity; differs from the rule's where the rule says so.
    pub severity: Severity,
    /// What is wrong here, in one sentence.
    pub message: String,
    /// The machine fix, when there is one.
    pub fix: Option<Fix>,
    /// Other places that belong to it.
    pub related: Vec<Related>,
    /// Stays the same when lines above change: a hash of the rule, the
    /// normalised text of the finding and its ordinal among equal ones.
    pub fingerprint: u64,
}

/// A machine fix of one finding. The text that results parses when the text
/// before did; where that does not hold, no fix is offered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fix {
    /// What it does, as a person reads it.
    pub title: String,
    /// Edits of the checked text, without overlap.
    pub edits: Vec<TextEdit>,
    /// Whether it may be applied in bulk.
    pub safe: bool,
}

/// Another place that belongs to a finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Related {
    /// Project-relative path with `/`; `None` for the checked text itself.
    pub path: Option<String>,
    /// Where.
    pub span: Span,
    /// What it has to do with it.
    pub message: String,
}

/// A pair of rule and file that could not be decided. (guard.md §5)
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Uncertain {
    /// The rule.
    pub rule_id: String,
    /// What the rule would have said.
    pub message: String,
    /// The layer that it runs on.
    pub layer: Layer,
    /// Why it could not be decided.
    pub reason: UncertainReason,
    /// The particulars.
    pub detail: String,
}

/// Why something could not be decided. (guard.md §5)
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum UncertainReason {
    /// The pattern does not compile, is too large, or was stopped for taking
    /// too long.
    InvalidRegex,
    /// No lexer or grammar for the language.
    LangUnsupported,
    /// No tree, or one with more than 30 % error nodes.
    AstUnavailable,
    /// A file is absent, unreadable, or not text.
    FileMissing,
    /// Out of the requested scope, generated, or too large for the rule.
    ScopeMismatch,
    /// Two layers disagree.
    LayerConflict,
    /// Needs other files than the one at hand.
    #[serde(rename = "requires-cross-file-analysis")]
    RequiresCrossFileAnalysis,
}

/// The kinds of blind spots. (guard.md §5)
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "the names are the spec's own terms")]
pub enum BoundaryType {
    RuleRegexInvalid,
    AstLanguageGap,
    CrossFileIncomplete,
    ScopeUnchecked,
    TransitiveCycle,
}

/// A blind spot with what to do about it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Boundary {
    /// Its kind.
    #[serde(rename = "type")]
    pub kind: BoundaryType,
    /// What could not be seen.
    pub description: String,
    /// The rules concerned, sorted.
    pub affected_rules: Vec<String>,
    /// What a person can do.
    pub suggested_action: String,
}

/// A check that was not executed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SkippedCheck {
    /// The layer.
    pub layer: Layer,
    /// The rule; `None` when the whole layer was skipped.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule_id: Option<String>,
    /// Why.
    pub reason: UncertainReason,
    /// The particulars.
    pub detail: String,
    /// `low`, `medium` or `high`.
    pub impact: Cow<'static, str>,
}

/// Counts of (rule, file) pairs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// Applicable by language.
    pub total: u64,
    /// Decided.
    pub executed: u64,
    /// Not decided.
    pub skipped: u64,
}

/// The counts of each layer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[expect(missing_docs, reason = "the names are those of the layers")]
pub struct LayerCounts {
    pub regex: Counts,
    pub code_level: Counts,
    pub ast: Counts,
    pub cross_file: Counts,
}

/// What was checked and what was not; sums of the files' own reports.
/// (guard.md §5)
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CapabilityReport {
    /// By layer.
    pub executed_checks: LayerCounts,
    /// By language.
    pub executed_by_language: BTreeMap<String, Counts>,
    /// What was not executed.
    pub skipped_checks: Vec<SkippedCheck>,
    /// The blind spots.
    pub boundaries: Vec<Boundary>,
    /// What could not be decided.
    pub uncertain_results: Vec<Uncertain>,
    /// Percent of pairs that were decided, 100 when there were none.
    pub check_coverage: u8,
}

/// A suppression comment that took effect, or did not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Suppression {
    /// The rule's name in the comment; the whole directive when it names none.
    pub span: Span,
    /// The rule that it names; empty when it names none.
    pub rule_id: String,
    /// The reason after `--`, when one is given.
    pub reason: Option<String>,
    /// Whether it suppressed anything.
    pub used: bool,
}

/// What a check of one text says.
#[derive(Clone, Debug, Default)]
pub struct FileReport {
    /// By place in the text, then by rule id.
    pub findings: Vec<Finding>,
    /// What could not be decided.
    pub uncertain: Vec<Uncertain>,
    /// Suppression comments in the text.
    pub suppressions: Vec<Suppression>,
    /// Counts, skipped checks and blind spots of this text.
    pub capability: CapabilityReport,
    /// Ids of rules that were stopped on this text, sorted: their recipes should
    /// be told (`ProblemCode::Quarantined`).
    pub quarantined: Vec<String>,
    /// The text's tree when one was made, to be reused for the next version.
    pub tree: Option<Tree>,
    /// What rules that look at several files have to know of it, where such a
    /// rule wants to know of the file and the text could be read well enough.
    pub facts: Option<Arc<FileFacts>>,
}
