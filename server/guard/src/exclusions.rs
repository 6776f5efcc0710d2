use asd_recipe::{Problem, ProblemCode, Severity};
use asd_text::Span;
use indexmap::IndexMap;
use jsonc_parser::ast::{Array, Object, Value};
use jsonc_parser::common::{Range, Ranged};
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
    /// Reads the file. Besides the object form the shorthand of lists of
    /// strings is accepted (`pathExclusions: ["glob"]`, `ruleExclusions:
    /// {"file": ["rule"]}`), as are comments and trailing commas. One wrong
    /// entry never takes the others down.
    #[must_use]
    pub fn parse(text: &str) -> (Self, Vec<Problem>) {
        let mut reader = Reader::default();
        let start = text.len() - text.trim_start_matches('\u{feff}').len();
        let parsed = jsonc_parser::parse_to_ast(
            &text[start..],
            &jsonc_parser::CollectOptions::default(),
            &jsonc_parser::ParseOptions::default(),
        );
        match parsed {
            Ok(result) => match result.value {
                Some(Value::Object(object)) => reader.file(&object),
                Some(other) => reader.wrong(other.range(), "The file must be a JSON object."),
                None => {}
            },
            Err(error) => reader.wrong(
                error.range(),
                format!(
                    "This is not valid JSON: {}. No exclusion is in force.",
                    error.kind()
                ),
            ),
        }
        for problem in &mut reader.problems {
            problem.span = problem.span.shifted(start);
        }
        (reader.exclusions, reader.problems)
    }

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

#[derive(Default)]
struct Reader {
    exclusions: Exclusions,
    problems: Vec<Problem>,
}

impl Reader {
    fn wrong(&mut self, range: Range, message: impl Into<String>) {
        self.problems.push(Problem {
            span: Span::new(range.start, range.end),
            severity: Severity::Error,
            code: ProblemCode::Config,
            message: message.into(),
            fix: None,
        });
    }

    fn file(&mut self, object: &Object<'_>) {
        for property in &object.properties {
            let name = property.name.as_str();
            match (name, &property.value) {
                ("pathExclusions" | "path_exclusions", Value::Array(list)) => self.paths(list),
                ("ruleExclusions" | "rule_exclusions", Value::Object(by_rule)) => {
                    self.rules(by_rule);
                }
                ("globalRuleExclusions" | "global_rule_exclusions", Value::Array(list)) => {
                    self.global(list);
                }
                (
                    "pathExclusions" | "path_exclusions" | "globalRuleExclusions"
                    | "global_rule_exclusions",
                    other,
                ) => self.wrong(other.range(), format!("`{name}` must be a list.")),
                ("ruleExclusions" | "rule_exclusions", other) => {
                    self.wrong(other.range(), format!("`{name}` must be an object."));
                }
                _ if name.starts_with('$') => {}
                _ => self.problems.push(Problem {
                    span: Span::new(property.name.start(), property.name.end()),
                    severity: Severity::Warning,
                    code: ProblemCode::UnknownKey,
                    message: format!(
                        "`{name}` is not known here. Known are pathExclusions, ruleExclusions and globalRuleExclusions."
                    ),
                    fix: None,
                }),
            }
        }
    }

    fn paths(&mut self, list: &Array<'_>) {
        for entry in &list.elements {
            match entry {
                Value::StringLit(glob) => self.exclusions.path_exclusions.push(PathExclusion {
                    pattern: glob.value.to_string(),
                    ..PathExclusion::default()
                }),
                Value::Object(object) => match text_of(object, "pattern", "pattern") {
                    Some(pattern) => self.exclusions.path_exclusions.push(PathExclusion {
                        pattern,
                        reason: text_of(object, "reason", "reason").unwrap_or_default(),
                        added_at: added_at(object),
                    }),
                    None => self.wrong(object.range, "`pattern` is missing: which files?"),
                },
                other => self.wrong(
                    other.range(),
                    "Write a glob, or an object with `pattern` and `reason`.",
                ),
            }
        }
    }

    fn rules(&mut self, by_rule: &Object<'_>) {
        for property in &by_rule.properties {
            let key = property.name.as_str();
            let Value::Array(list) = &property.value else {
                self.wrong(property.value.range(), "This must be a list.");
                continue;
            };
            for entry in &list.elements {
                match entry {
                    // The shorthand names the file first; a key that cannot be
                    // a file is the rule all the same.
                    Value::StringLit(text) => {
                        let (rule, file) = if key.contains(['/', '.', '*']) {
                            (text.value.as_ref(), key)
                        } else {
                            (key, text.value.as_ref())
                        };
                        self.rule_in_file(
                            rule,
                            RuleExclusion {
                                file_path: Some(file.to_owned()),
                                ..RuleExclusion::default()
                            },
                        );
                    }
                    Value::Object(object) => match text_of(object, "filePath", "file_path") {
                        Some(file) => self.rule_in_file(
                            key,
                            RuleExclusion {
                                rule_id: None,
                                file_path: Some(file),
                                reason: text_of(object, "reason", "reason").unwrap_or_default(),
                                added_at: added_at(object),
                            },
                        ),
                        None => self.wrong(object.range, "`filePath` is missing: in which file?"),
                    },
                    other => self.wrong(
                        other.range(),
                        "Write an object with `filePath` and `reason`.",
                    ),
                }
            }
        }
    }

    fn rule_in_file(&mut self, rule: &str, exclusion: RuleExclusion) {
        self.exclusions
            .rule_exclusions
            .entry(rule.to_owned())
            .or_default()
            .push(exclusion);
    }

    fn global(&mut self, list: &Array<'_>) {
        for entry in &list.elements {
            let exclusion = match entry {
                Value::StringLit(rule) => RuleExclusion {
                    rule_id: Some(rule.value.to_string()),
                    ..RuleExclusion::default()
                },
                Value::Object(object) => match text_of(object, "ruleId", "rule_id") {
                    Some(rule) => RuleExclusion {
                        rule_id: Some(rule),
                        file_path: None,
                        reason: text_of(object, "reason", "reason").unwrap_or_default(),
                        added_at: added_at(object),
                    },
                    None => {
                        self.wrong(object.range, "`ruleId` is missing: which rule?");
                        continue;
                    }
                },
                other => {
                    self.wrong(
                        other.range(),
                        "Write a rule id, or an object with `ruleId` and `reason`.",
                    );
                    continue;
                }
            };
            self.exclusions.global_rule_exclusions.push(exclusion);
        }
    }
}

fn text_of(object: &Object<'_>, name: &str, twin: &str) -> Option<String> {
    [name, twin].into_iter().find_map(|name| {
        let text = object.get_string(name)?;
        Some(text.value.to_string())
    })
}

fn added_at(object: &Object<'_>) -> Option<serde_json::Value> {
    let property = object.get("addedAt").or_else(|| object.get("added_at"))?;
    match &property.value {
        Value::StringLit(text) => Some(text.value.to_string().into()),
        Value::NumberLit(number) => serde_json::from_str(number.value).ok(),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_object_form_is_read_and_written_back() {
        let text = r#"{
  "pathExclusions": [{"pattern": "vendor", "reason": "not ours", "addedAt": 1700000000}],
  "ruleExclusions": {"no-todo": [{"filePath": "src/*.gen.ts", "reason": "", "addedAt": null}]},
  "globalRuleExclusions": [{"ruleId": "js-no-var", "reason": "old code", "addedAt": "2024-01-01"}]
}"#;
        let (exclusions, problems) = Exclusions::parse(text);
        assert_eq!(problems, []);
        let again = serde_json::to_string(&exclusions).unwrap();
        assert_eq!(Exclusions::parse(&again), (exclusions.clone(), vec![]));
        assert!(exclusions.excludes("vendor/a.js", "any"));
        assert!(exclusions.excludes("src/a.gen.ts", "no-todo"));
        assert!(!exclusions.excludes("src/a.gen.ts", "other"));
        assert!(exclusions.excludes("src/a.ts", "js-no-var"));
    }

    #[test]
    fn the_shorthand_is_accepted() {
        let (exclusions, problems) = Exclusions::parse(
            r#"{ // ours
  "pathExclusions": ["test", "*.min.js"],
  "ruleExclusions": {"src/a.ts": ["no-todo"], "no-eval": ["src/b.ts"],},
  "globalRuleExclusions": ["js-no-var"]
}"#,
        );
        assert_eq!(problems, []);
        assert!(exclusions.excludes("test/a.js", "x"));
        assert!(!exclusions.excludes("src/contest.js", "x"));
        assert!(exclusions.excludes("lib/a.min.js", "x"));
        assert!(exclusions.excludes("src/a.ts", "no-todo"));
        assert!(exclusions.excludes("src/b.ts", "no-eval"));
    }

    #[test]
    fn one_wrong_entry_is_reported_at_its_place_and_the_others_hold() {
        let text = r#"{"pathExclusions": [1, "dist"], "rules": []}"#;
        let (exclusions, problems) = Exclusions::parse(text);
        assert_eq!(exclusions.path_exclusions.len(), 1);
        let places: Vec<_> = problems.iter().map(|p| p.span.of(text)).collect();
        assert_eq!(places, ["1", "\"rules\""]);
    }

    #[test]
    fn what_is_not_json_excludes_nothing_and_says_where() {
        let text = "\u{feff}{\"pathExclusions\": [\"a\"";
        let (exclusions, problems) = Exclusions::parse(text);
        assert_eq!(exclusions, Exclusions::default());
        assert_eq!(problems.len(), 1);
        assert!(problems[0].span.end <= text.len());
        assert_eq!(Exclusions::parse("").1, []);
    }
}
