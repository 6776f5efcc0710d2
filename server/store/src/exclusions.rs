use asd_guard::{Exclusions, PathExclusion, RuleExclusion};
use asd_recipe::{Problem, ProblemCode, Severity};

use crate::node::{Entry, Node, Value, problem, unknown};

/// Reads `Alembic/guard-exclusions.json`, in its own form and in the shorthand
/// of plain lists (`pathExclusions: ["glob"]`, `ruleExclusions: {"file":
/// ["ruleId"]}`). An entry that cannot be read is a problem with its place;
/// the others are in force. (guard.md §9)
#[must_use]
pub fn parse_exclusions(text: &str) -> (Exclusions, Vec<Problem>) {
    let (node, mut problems) = Node::from_json(text);
    let mut exclusions = Exclusions::default();
    let known = ["pathExclusions", "ruleExclusions", "globalRuleExclusions"];
    for entry in entries(&node, &mut problems) {
        match entry.key.as_str() {
            "pathExclusions" | "path_exclusions" => {
                for item in items(&entry.node, &mut problems) {
                    let read = shape(item, "pattern", &mut problems);
                    if let Some(Shape {
                        name,
                        reason,
                        added_at,
                    }) = read
                    {
                        exclusions.path_exclusions.push(PathExclusion {
                            pattern: name,
                            reason,
                            added_at,
                        });
                    }
                }
            }
            "ruleExclusions" | "rule_exclusions" => {
                for by_key in entries(&entry.node, &mut problems) {
                    for item in items(&by_key.node, &mut problems) {
                        let (rule, exclusion) = match &item.value {
                            // The shorthand has the file as its key; a key
                            // that cannot be one is the rule all the same.
                            Value::String(text) => {
                                let (rule, file) = if by_key.key.contains(['/', '.', '*']) {
                                    (text, &by_key.key)
                                } else {
                                    (&by_key.key, text)
                                };
                                (
                                    rule.clone(),
                                    RuleExclusion {
                                        file_path: Some(file.clone()),
                                        ..RuleExclusion::default()
                                    },
                                )
                            }
                            _ => match shape(item, "filePath", &mut problems) {
                                Some(read) => (
                                    by_key.key.clone(),
                                    RuleExclusion {
                                        file_path: Some(read.name),
                                        reason: read.reason,
                                        added_at: read.added_at,
                                        rule_id: None,
                                    },
                                ),
                                None => continue,
                            },
                        };
                        exclusions
                            .rule_exclusions
                            .entry(rule)
                            .or_default()
                            .push(exclusion);
                    }
                }
            }
            "globalRuleExclusions" | "global_rule_exclusions" => {
                for item in items(&entry.node, &mut problems) {
                    if let Some(read) = shape(item, "ruleId", &mut problems) {
                        exclusions.global_rule_exclusions.push(RuleExclusion {
                            rule_id: Some(read.name),
                            reason: read.reason,
                            added_at: read.added_at,
                            file_path: None,
                        });
                    }
                }
            }
            "$schema" | "schemaVersion" | "version" => {}
            other => problems.push(unknown(
                entry.key_span,
                ProblemCode::UnknownKey,
                "key",
                other,
                &known,
            )),
        }
    }
    problems.sort_by_key(|problem| problem.span);
    (exclusions, problems)
}

struct Shape {
    name: String,
    reason: String,
    added_at: Option<serde_json::Value>,
}

/// An entry in the object form, or a string that stands for its main key.
fn shape(node: &Node, main: &str, problems: &mut Vec<Problem>) -> Option<Shape> {
    let mut read = Shape {
        name: String::new(),
        reason: String::new(),
        added_at: None,
    };
    match &node.value {
        Value::String(name) => read.name.clone_from(name),
        Value::Table(entries) => {
            let snake = snake_case(main);
            for Entry {
                key,
                key_span,
                node,
            } in entries
            {
                match (key.as_str(), &node.value) {
                    (key, Value::String(name)) if key == main || key == snake => {
                        read.name.clone_from(name);
                    }
                    ("reason", Value::String(reason)) => read.reason.clone_from(reason),
                    ("addedAt" | "added_at", _) => read.added_at = Some(node.to_value()),
                    (key, _) if key == main || key == snake || key == "reason" => {
                        problems.push(wrong(node, "a string"));
                    }
                    (key, _) => problems.push(unknown(
                        *key_span,
                        ProblemCode::UnknownKey,
                        "key",
                        key,
                        &[main, "reason", "addedAt"],
                    )),
                }
            }
        }
        _ => {
            problems.push(wrong(node, "a string or an object"));
            return None;
        }
    }
    if read.name.is_empty() {
        problems.push(problem(
            node.span,
            Severity::Error,
            ProblemCode::MissingField,
            format!("This exclusion needs `{main}`, and it must not be empty."),
        ));
        return None;
    }
    Some(read)
}

fn entries<'n>(node: &'n Node, problems: &mut Vec<Problem>) -> &'n [Entry] {
    match &node.value {
        Value::Table(entries) => entries,
        _ => {
            problems.push(wrong(node, "an object"));
            &[]
        }
    }
}

fn items<'n>(node: &'n Node, problems: &mut Vec<Problem>) -> &'n [Node] {
    match &node.value {
        Value::Array(items) => items,
        _ => {
            problems.push(wrong(node, "a list"));
            &[]
        }
    }
}

fn wrong(node: &Node, wanted: &str) -> Problem {
    problem(
        node.span,
        Severity::Error,
        ProblemCode::WrongType,
        format!("Here should be {wanted}, not {}.", node.type_name()),
    )
}

fn snake_case(key: &str) -> String {
    let mut result = String::new();
    for c in key.chars() {
        if c.is_ascii_uppercase() {
            result.push('_');
        }
        result.push(c.to_ascii_lowercase());
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_forms_are_read() {
        let text = r#"{
            // reviewed
            "pathExclusions": ["gen/**", {"pattern": "third_party", "reason": "theirs", "addedAt": 1}],
            "ruleExclusions": {
                "js-no-eval": [{"filePath": "src/repl.js", "reason": "a repl"}],
                "src/old.js": ["js-no-var"],
                "js-no-debugger": ["src/lab.js"],
            },
            "globalRuleExclusions": [{"ruleId": "js-no-alert", "reason": "a browser game"}]
        }"#;
        let (exclusions, problems) = parse_exclusions(text);
        assert_eq!(problems, []);
        assert_eq!(exclusions.path_exclusions.len(), 2);
        assert_eq!(exclusions.path_exclusions[1].reason, "theirs");
        assert_eq!(
            exclusions.rule_exclusions["js-no-eval"][0]
                .file_path
                .as_deref(),
            Some("src/repl.js")
        );
        assert_eq!(
            exclusions.rule_exclusions["js-no-var"][0]
                .file_path
                .as_deref(),
            Some("src/old.js")
        );
        assert!(exclusions.excludes("src/lab.js", "js-no-debugger"));
        assert_eq!(
            exclusions.global_rule_exclusions[0].rule_id.as_deref(),
            Some("js-no-alert")
        );
    }

    #[test]
    fn what_is_not_json_excludes_nothing_and_says_where() {
        let text = "\u{feff}{\"pathExclusions\": [\"a\"";
        let (exclusions, problems) = parse_exclusions(text);
        assert_eq!(exclusions, Exclusions::default());
        assert_eq!(problems.len(), 1);
        assert!(problems[0].span.end <= text.len());
        assert_eq!(parse_exclusions("").1, []);
    }

    #[test]
    fn a_bad_entry_is_told_at_its_place_and_the_others_hold() {
        let text = r#"{"pathExclusions": ["ok", 5, {"patern": "x"}], "pathexclusion": []}"#;
        let (exclusions, problems) = parse_exclusions(text);
        assert_eq!(exclusions.path_exclusions.len(), 1);
        let shown: Vec<(&str, &str)> = problems
            .iter()
            .map(|p| (p.span.of(text), p.code.as_str()))
            .collect();
        assert_eq!(
            shown,
            [
                ("5", "wrong-type"),
                (r#"{"patern": "x"}"#, "missing-field"),
                ("patern", "unknown-key"),
                ("pathexclusion", "unknown-key"),
            ]
        );
    }
}
