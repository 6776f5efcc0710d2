//! Guards: rules from recipes and built-in ones, compiled into one [`RuleSet`],
//! checked against one text at a time, with fixes, suppressions and an honest
//! account of what could not be checked.
//!
//! A check is a pure function of (text, rules, options): no I/O, no clock, no
//! async. Findings carry byte spans of the checked text; what an editor or a
//! report makes of them is decided at the doors.

#![deny(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "this room does no I/O"
)]

mod applies;
mod ast_rules;
mod builtin;
mod capability;
mod check;
mod compile;
mod cross_file;
mod directives;
mod examples;
mod exclusions;
mod fix;
mod frameworks;
mod glob;
mod languages;
mod learner;
mod named;
mod options;
mod part;
mod prefilter;
mod regex_rules;
mod report;
mod review_round;
mod rule;
mod runs;
mod score;
mod set;
mod stable_hash;
mod suppress;
mod suppression_edit;
mod template;
mod timestamp;

pub use builtin::rule_page;
pub use check::Target;
pub use cross_file::{
    At, CrossFileFinding, CrossFilePlace, CrossFileReport, FileFacts, Interest, imported_files,
};
pub use directives::{Directive, DirectiveKind, directives};
pub use exclusions::{Exclusions, PathExclusion, RuleExclusion};
pub use fix::{FixOutcome, verified_fix};
pub use frameworks::Framework;
pub use learner::{
    Advice, Effectiveness, Feedback, Recommendation, RuleStats, Verdict, judged_stats,
    says_false_positive,
};
pub use options::{GuardOptions, Profile, RuleOverride, SourceFilter};
pub use report::{
    Boundary, BoundaryType, Cancelled, CapabilityReport, Counts, FileReport, Finding, Fix,
    LayerCounts, Related, SkippedCheck, Suppression, Uncertain, UncertainReason,
};
pub use review_round::{MAX_REVIEW_ROUNDS, ReviewRound};
pub use rule::{Layer, RecipeRef, RuleInfo, RuleOrigin, RuleProblem, RuleTag};
pub use runs::{
    MAX_RUNS, Occurrence, RunSummary, StoredRun, add_run, disappeared, latest, trim_runs,
};
pub use score::{Gate, GateStatus, GateThresholds, TEST_WEIGHT, Tally, compliance_score};
pub use set::RuleSet;
pub use suppression_edit::{SuppressionScope, suppression_edit};
pub use timestamp::Timestamp;
