use std::collections::BTreeSet;

use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use asd_recipe::Severity;

use crate::{Exclusions, Framework};

/// What a project says about its rules. (guard.md §7, §8)
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GuardOptions {
    /// The preset of thresholds.
    pub profile: Profile,
    /// Rule ids that are off, whatever their source.
    pub disabled: Vec<String>,
    /// Changes to single rules, by id.
    pub overrides: IndexMap<String, RuleOverride>,
    /// What is left out.
    pub exclusions: Exclusions,
    /// Which sources of rules are used.
    pub sources: SourceFilter,
    /// The frameworks that the project uses: the rules about them are in force.
    pub frameworks: BTreeSet<Framework>,
}

/// The two presets of thresholds. (guard.md §3.9)
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Profile {
    /// Relaxed.
    #[default]
    Default,
    /// Tight.
    Strict,
}

/// Which sources of rules are used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum SourceFilter {
    /// Recipes, packs and built-in rules.
    #[default]
    All,
    /// Built-in rules only.
    BuiltIn,
    /// Guards of recipes only.
    Recipe,
}

/// A change to one rule. (guard.md §7)
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct RuleOverride {
    /// Another severity.
    pub severity: Option<Severity>,
    /// Another threshold, for rules that have one.
    pub threshold: Option<u32>,
    /// Regexes; findings on lines that match one are dropped.
    pub exclude_line: Vec<String>,
    /// Globs; files that match one are not checked by the rule.
    pub exclude_paths: Vec<String>,
    /// `false` turns the rule off.
    pub enabled: Option<bool>,
}
