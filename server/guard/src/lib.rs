//! Guards: rules from recipes and built-in ones, compiled into one [`RuleSet`],
//! checked against one text at a time, with fixes, suppressions and an honest
//! account of what could not be checked.
//!
//! A check is a pure function of (text, rules, options): no I/O, no clock, no
//! async. Findings carry byte spans of the checked text; what an editor or a
//! report makes of them is decided at the doors.

mod ast_rules;
mod builtin;
mod capability;
mod check;
mod compile;
mod engine;
mod exclusions;
mod glob;
mod languages;
mod named;
mod options;
mod part;
mod prefilter;
mod regex_rules;
mod report;
mod rule;
mod set;
mod stable_hash;
mod suppress;
mod template;

pub use check::Target;
pub use engine::{
    Directive, DirectiveKind, FixOutcome, SuppressionScope, directives, suppression_edit,
};
pub use exclusions::{Exclusions, PathExclusion, RuleExclusion};
pub use options::{GuardOptions, Profile, RuleOverride, SourceFilter};
pub use report::{
    Boundary, BoundaryType, Cancelled, CapabilityReport, Counts, FileReport, Finding, Fix,
    LayerCounts, Related, SkippedCheck, Suppression, Uncertain, UncertainReason,
};
pub use rule::{Layer, RecipeRef, RuleInfo, RuleOrigin, RuleProblem, RuleTag};
pub use set::RuleSet;
