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
mod directives;
mod examples;
mod exclusions;
mod fix;
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
mod suppression_edit;
mod template;

pub use builtin::rule_page;
pub use check::Target;
pub use directives::{Directive, DirectiveKind, directives};
pub use exclusions::{Exclusions, PathExclusion, RuleExclusion};
pub use fix::{FixOutcome, verified_fix};
pub use options::{GuardOptions, Profile, RuleOverride, SourceFilter};
pub use report::{
    Boundary, BoundaryType, Cancelled, CapabilityReport, Counts, FileReport, Finding, Fix,
    LayerCounts, Related, SkippedCheck, Suppression, Uncertain, UncertainReason,
};
pub use rule::{Layer, RecipeRef, RuleInfo, RuleOrigin, RuleProblem, RuleTag};
pub use set::RuleSet;
pub use suppression_edit::{SuppressionScope, suppression_edit};
