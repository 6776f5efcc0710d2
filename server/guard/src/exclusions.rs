use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

/// `Alembic/guard-exclusions.json`. (guard.md §9)
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Exclusions {
    /// Files that no rule checks.
    pub path_exclusions: Vec<PathExclusion>,
    /// Files that one rule does not check, by rule id.
    pub rule_exclusions: IndexMap<String, Vec<RuleExclusion>>,
    /// Rules that are off.
    pub global_rule_exclusions: Vec<RuleExclusion>,
}

/// Files that no rule checks.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct PathExclusion {
    /// The glob.
    pub pattern: String,
    /// Why.
    pub reason: String,
    /// When, as it was written.
    pub added_at: Option<serde_json::Value>,
}

/// One rule that is off, everywhere or in some files.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct RuleExclusion {
    /// The rule, in the global list.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule_id: Option<String>,
    /// The file or glob, in the list by rule.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file_path: Option<String>,
    /// Why.
    pub reason: String,
    /// When, as it was written.
    pub added_at: Option<serde_json::Value>,
}
