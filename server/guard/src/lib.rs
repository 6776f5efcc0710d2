//! Guards: rules from recipes and built-in ones, compiled into one [`RuleSet`],
//! checked against one text at a time, with fixes, suppressions and an honest
//! account of what could not be checked.
//!
//! A check is a pure function of (text, rules, options): no I/O, no clock, no
//! async. Findings carry byte spans of the checked text; what an editor or a
//! report makes of them is decided at the doors.

mod engine;
mod exclusions;
mod options;
mod report;
mod rule;

pub use engine::{
    Directive, DirectiveKind, FixOutcome, RuleSet, SuppressionScope, Target, directives,
    suppression_edit,
};
pub use exclusions::{Exclusions, PathExclusion, RuleExclusion};
pub use options::{GuardOptions, Profile, RuleOverride, SourceFilter};
pub use report::{
    Boundary, BoundaryType, Cancelled, CapabilityReport, Counts, FileReport, Finding, Fix,
    LayerCounts, Related, SkippedCheck, Suppression, Uncertain, UncertainReason,
};
pub use rule::{Layer, RecipeRef, RuleInfo, RuleOrigin, RuleProblem, RuleTag};
