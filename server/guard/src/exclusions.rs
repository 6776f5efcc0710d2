use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

use crate::glob::Glob;

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

impl Exclusions {
    /// Whether a rule is not to check a file, given by its project-relative
    /// path with `/`.
    #[must_use]
    pub fn excludes(&self, path: &str, rule_id: &str) -> bool {
        self.excludes_path(path) || self.excludes_rule(rule_id) || {
            let files = self.rule_exclusions.get(rule_id);
            files.into_iter().flatten().any(|exclusion| {
                let file = exclusion.file_path.as_deref();
                file.is_some_and(|glob| Glob::new(glob).matches(path))
            })
        }
    }

    /// Whether no rule checks a file.
    #[must_use]
    pub fn excludes_path(&self, path: &str) -> bool {
        self.path_exclusions
            .iter()
            .any(|exclusion| Glob::new(&exclusion.pattern).matches(path))
    }

    /// Whether a rule is off everywhere.
    #[must_use]
    pub fn excludes_rule(&self, rule_id: &str) -> bool {
        self.global_rule_exclusions
            .iter()
            .any(|exclusion| exclusion.rule_id.as_deref() == Some(rule_id))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_object_form_is_written_and_holds() {
        let text = r#"{"pathExclusions":[{"pattern":"vendor","reason":"not ours","addedAt":1700000000}],"ruleExclusions":{"no-todo":[{"filePath":"src/*.gen.ts","reason":"","addedAt":null}]},"globalRuleExclusions":[{"ruleId":"js-no-var","reason":"old code","addedAt":"2024-01-01"}]}"#;
        let exclusions: Exclusions = serde_json::from_str(text).unwrap();
        assert_eq!(serde_json::to_string(&exclusions).unwrap(), text);
        assert!(exclusions.excludes("vendor/a.js", "any"));
        assert!(exclusions.excludes("src/a.gen.ts", "no-todo"));
        assert!(!exclusions.excludes("src/a.gen.ts", "other"));
        assert!(exclusions.excludes("src/a.ts", "js-no-var"));
    }
}
