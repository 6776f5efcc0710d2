//! Reads settings from a [`Node`], value by value: one that is wrong is a
//! problem at its place and leaves what was in force before.

use asd_guard::{Profile, RuleOverride};
use asd_recipe::{Problem, ProblemCode, Severity};
use asd_text::Span;

use crate::config::{Config, Origin, Threshold};
use crate::config_search::EmbeddingsChoice;
use crate::node::{Entry, Node, Value, problem, unknown};

pub(crate) fn read(config: &mut Config, node: &Node, origin: Origin, problems: &mut Vec<Problem>) {
    let mut reader = Reader { origin, problems };
    let known = [
        "guard",
        "qualityGate",
        "files",
        "recipesDirs",
        "search",
        "delivery",
        "name",
        "$schema",
    ];
    reader.table(node, "setting", &known, |reader, key, entry| match key {
        "guard" => reader.guard(config, &entry.node),
        "qualityGate" => reader.quality_gate(config, &entry.node),
        "files" => reader.table(
            &entry.node,
            "setting of `files`",
            &["exclude"],
            |r, _, e| {
                r.join(&mut config.files.exclude, strings(&e.node));
            },
        ),
        "recipesDirs" => reader.join(&mut config.recipes_dirs, strings(&entry.node)),
        "search" => reader.search(config, &entry.node),
        "delivery" => {
            let what = "setting of `delivery`";
            reader.table(&entry.node, what, &["trustAgents"], |reader, _, entry| {
                reader.set(&mut config.delivery.trust_agents, boolean(&entry.node));
            });
        }
        "name" => match &entry.node.value {
            Value::String(name) => config.name = Some(name.clone()),
            _ => reader.problems.push(wrong_type(&entry.node, "a string")),
        },
        _ => {}
    });
}

type Read<T> = Result<T, Vec<Problem>>;

struct Reader<'p> {
    origin: Origin,
    problems: &'p mut Vec<Problem>,
}

impl Reader<'_> {
    /// Calls `each` with every entry whose key is known, under the key's
    /// camelCase form, and reports the others.
    fn table(
        &mut self,
        node: &Node,
        what: &str,
        known: &[&str],
        mut each: impl FnMut(&mut Self, &str, &Entry),
    ) {
        let Value::Table(entries) = &node.value else {
            self.problems.push(wrong_type(node, "a table"));
            return;
        };
        for entry in entries {
            let key = camel_case(&entry.key);
            if known.contains(&key.as_str()) {
                each(self, &key, entry);
            } else {
                self.problems.push(unknown(
                    entry.key_span,
                    ProblemCode::UnknownKey,
                    what,
                    &entry.key,
                    known,
                ));
            }
        }
    }

    fn set<T>(&mut self, place: &mut T, value: Read<T>) {
        match value {
            Ok(value) => *place = value,
            Err(problems) => self.problems.extend(problems),
        }
    }

    /// Adds what is not in the list yet: no origin takes away what another one
    /// excludes or turns off.
    fn join(&mut self, list: &mut Vec<String>, values: Read<Vec<String>>) {
        match values {
            Ok(values) => {
                for value in values {
                    if !list.contains(&value) {
                        list.push(value);
                    }
                }
            }
            Err(problems) => self.problems.extend(problems),
        }
    }

    fn guard(&mut self, config: &mut Config, node: &Node) {
        let known = [
            "profile",
            "disabledRules",
            "rules",
            "codeLevelThresholds",
            "showUncertain",
            "review",
        ];
        let guard = &mut config.guard;
        self.table(node, "setting of `guard`", &known, |reader, key, entry| {
            let node = &entry.node;
            match key {
                "profile" => reader.set(&mut guard.profile, profile(node)),
                "disabledRules" => reader.join(&mut guard.disabled_rules, strings(node)),
                "showUncertain" => reader.set(&mut guard.show_uncertain, boolean(node)),
                "review" => {
                    let what = "setting of `guard.review`";
                    reader.table(node, what, &["wholeFile"], |reader, _, entry| {
                        reader.set(&mut guard.review.whole_file, boolean(&entry.node));
                    });
                }
                "rules" => reader.by_rule(node, |reader, entry| {
                    let rule = guard.rules.entry(entry.key.clone()).or_default();
                    reader.rule(rule, &entry.node);
                }),
                _ => reader.by_rule(node, |reader, entry| {
                    if let Some(threshold) = reader.threshold(&entry.node) {
                        guard
                            .code_level_thresholds
                            .insert(entry.key.clone(), threshold);
                    }
                }),
            }
        });
    }

    /// Calls `each` with every entry of a table whose keys are rule ids.
    fn by_rule(&mut self, node: &Node, mut each: impl FnMut(&mut Self, &Entry)) {
        match &node.value {
            Value::Table(entries) => {
                for entry in entries {
                    each(self, entry);
                }
            }
            _ => self.problems.push(wrong_type(node, "a table by rule id")),
        }
    }

    fn rule(&mut self, rule: &mut RuleOverride, node: &Node) {
        let known = [
            "severity",
            "threshold",
            "excludeLine",
            "excludePaths",
            "enabled",
        ];
        self.table(node, "setting of a rule", &known, |reader, key, entry| {
            let node = &entry.node;
            match key {
                "severity" => reader.set(&mut rule.severity, severity(node).map(Some)),
                "threshold" => reader.set(&mut rule.threshold, count(node).map(Some)),
                "enabled" => reader.set(&mut rule.enabled, boolean(node).map(Some)),
                "excludeLine" => reader.join(&mut rule.exclude_line, regexes(node)),
                _ => reader.join(&mut rule.exclude_paths, strings(node)),
            }
        });
    }

    fn threshold(&mut self, node: &Node) -> Option<Threshold> {
        if matches!(node.value, Value::Table(_)) {
            let (mut level, mut exclude) = (None, Vec::new());
            let known = ["severity", "exclude"];
            self.table(node, "setting of a threshold", &known, |reader, key, e| {
                if key == "severity" {
                    reader.set(&mut level, severity(&e.node).map(Some));
                } else {
                    reader.set(&mut exclude, strings(&e.node));
                }
            });
            return Some(Threshold::Settings {
                severity: level,
                exclude,
            });
        }
        match count(node) {
            Ok(limit) => Some(Threshold::Limit(limit)),
            Err(problems) => {
                self.problems.extend(problems);
                None
            }
        }
    }

    fn quality_gate(&mut self, config: &mut Config, node: &Node) {
        let gate = &mut config.quality_gate;
        let known = ["maxErrors", "maxWarnings", "minScore"];
        let what = "setting of `qualityGate`";
        self.table(node, what, &known, |reader, key, entry| {
            let place = match key {
                "maxErrors" => &mut gate.max_errors,
                "maxWarnings" => &mut gate.max_warnings,
                _ => &mut gate.min_score,
            };
            reader.set(place, count(&entry.node));
        });
    }

    fn search(&mut self, config: &mut Config, node: &Node) {
        let search = &mut config.search;
        let known = ["embeddings", "onnx", "remote"];
        self.table(node, "setting of `search`", &known, |reader, key, entry| {
            let node = &entry.node;
            match key {
                "embeddings" => match embeddings(node) {
                    Ok(EmbeddingsChoice::Onnx | EmbeddingsChoice::Remote)
                        if reader.origin != Origin::User =>
                    {
                        reader.problems.push(only_for_users(node.span));
                    }
                    choice => reader.set(&mut search.embeddings, choice),
                },
                _ if reader.origin != Origin::User => {
                    reader.problems.push(only_for_users(entry.key_span));
                }
                "onnx" => {
                    let onnx = search.onnx.get_or_insert_default();
                    let known = ["model", "file", "runtime"];
                    let what = "setting of `search.onnx`";
                    reader.table(node, what, &known, |reader, key, entry| match key {
                        "model" => reader.set(&mut onnx.model, string(&entry.node)),
                        "file" => reader.set(&mut onnx.file, string(&entry.node).map(Some)),
                        _ => reader.set(&mut onnx.runtime, string(&entry.node).map(Some)),
                    });
                }
                _ => {
                    let remote = search.remote.get_or_insert_default();
                    let known = ["url", "model", "dimensions", "keyVariable"];
                    let what = "setting of `search.remote`";
                    reader.table(node, what, &known, |reader, key, entry| {
                        let node = &entry.node;
                        match key {
                            "url" => reader.set(&mut remote.url, string(node)),
                            "model" => reader.set(&mut remote.model, string(node)),
                            "dimensions" => {
                                reader.set(&mut remote.dimensions, count(node).map(Some));
                            }
                            _ => reader.set(&mut remote.key_variable, string(node).map(Some)),
                        }
                    });
                }
            }
        });
    }
}

/// Whoever opens a repository has not agreed to run or to ask what it names.
fn only_for_users(span: Span) -> Problem {
    problem(
        span,
        Severity::Error,
        ProblemCode::InvalidValue,
        "This has no effect here: models and endpoints are chosen in the user's own settings. A \
         project can choose `builtin` or `off`."
            .to_owned(),
    )
}

fn regexes(node: &Node) -> Read<Vec<String>> {
    checked(node, |pattern| {
        regex::Regex::new(pattern).map(drop).map_err(|error| {
            let text = error.to_string();
            let reason = text.lines().last().unwrap_or_default();
            format!(
                "This regular expression does not compile: {}.",
                reason.trim_start_matches("error: ").trim_end_matches('.')
            )
        })
    })
}

/// A list of strings, each of which passes `check`.
fn checked(node: &Node, check: impl Fn(&str) -> Result<(), String>) -> Read<Vec<String>> {
    let values = strings(node)?;
    let nodes: Vec<&Node> = match &node.value {
        Value::Array(items) => items.iter().collect(),
        _ => vec![node],
    };
    let problems: Vec<Problem> = values
        .iter()
        .zip(nodes)
        .filter_map(|(value, node)| {
            let message = check(value).err()?;
            Some(problem(
                node.span,
                Severity::Error,
                ProblemCode::InvalidValue,
                message,
            ))
        })
        .collect();
    if problems.is_empty() {
        Ok(values)
    } else {
        Err(problems)
    }
}

fn strings(node: &Node) -> Read<Vec<String>> {
    match &node.value {
        Value::String(one) => Ok(vec![one.clone()]),
        Value::Array(items) => {
            let mut values = Vec::with_capacity(items.len());
            let mut problems = Vec::new();
            for item in items {
                match &item.value {
                    Value::String(value) => values.push(value.clone()),
                    _ => problems.push(wrong_type(item, "a string")),
                }
            }
            if problems.is_empty() {
                Ok(values)
            } else {
                Err(problems)
            }
        }
        _ => Err(vec![wrong_type(node, "a list of strings")]),
    }
}

fn string(node: &Node) -> Read<String> {
    match &node.value {
        Value::String(value) => Ok(value.clone()),
        _ => Err(vec![wrong_type(node, "a string")]),
    }
}

fn boolean(node: &Node) -> Read<bool> {
    match node.value {
        Value::Bool(value) => Ok(value),
        _ => Err(vec![wrong_type(node, "true or false")]),
    }
}

fn count(node: &Node) -> Read<u32> {
    match node.value {
        Value::Integer(value) => u32::try_from(value).map_err(|_| {
            vec![problem(
                node.span,
                Severity::Error,
                ProblemCode::InvalidValue,
                format!("{value} is out of range: a whole number of at least 0 is needed."),
            )]
        }),
        _ => Err(vec![wrong_type(node, "a whole number")]),
    }
}

fn severity(node: &Node) -> Read<Severity> {
    one_of(
        node,
        "severity",
        &[
            ("info", Severity::Info),
            ("warning", Severity::Warning),
            ("error", Severity::Error),
        ],
    )
}

fn profile(node: &Node) -> Read<Profile> {
    one_of(
        node,
        "profile",
        &[("default", Profile::Default), ("strict", Profile::Strict)],
    )
}

fn embeddings(node: &Node) -> Read<EmbeddingsChoice> {
    one_of(
        node,
        "source of embeddings",
        &[
            ("builtin", EmbeddingsChoice::Builtin),
            ("off", EmbeddingsChoice::Off),
            ("onnx", EmbeddingsChoice::Onnx),
            ("remote", EmbeddingsChoice::Remote),
        ],
    )
}

fn one_of<T: Copy>(node: &Node, what: &str, values: &[(&str, T)]) -> Read<T> {
    let Value::String(word) = &node.value else {
        return Err(vec![wrong_type(node, "a string")]);
    };
    if let Some((_, value)) = values.iter().find(|(name, _)| name == word) {
        return Ok(*value);
    }
    let known: Vec<&str> = values.iter().map(|(name, _)| *name).collect();
    let mut found = unknown(node.span, ProblemCode::InvalidValue, what, word, &known);
    found.severity = Severity::Error;
    if let Some(fix) = &mut found.fix {
        // The span has the quotes in it.
        for edit in &mut fix.edits {
            edit.text = format!("\"{}\"", edit.text);
        }
    }
    Err(vec![found])
}

fn wrong_type(node: &Node, wanted: &str) -> Problem {
    problem(
        node.span,
        Severity::Error,
        ProblemCode::WrongType,
        format!("Here should be {wanted}, not {}.", node.type_name()),
    )
}

/// `max_errors` as `maxErrors`; other words stay as they are.
fn camel_case(key: &str) -> String {
    let mut result = String::with_capacity(key.len());
    let mut upper = false;
    for c in key.chars() {
        if c == '_' && !result.is_empty() {
            upper = true;
        } else if upper {
            result.extend(c.to_uppercase());
            upper = false;
        } else {
            result.push(c);
        }
    }
    result
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use crate::config::{Config, Layer, Threshold, config_schema};
    use crate::config_search::EmbeddingsChoice;

    fn check(text: &str, expected: &Expect) -> Config {
        let (config, problems) = Config::parse(text);
        let shown: String = problems
            .iter()
            .map(|p| {
                format!(
                    "{:?} {} {}: {}\n",
                    p.span.of(text),
                    p.severity.as_str(),
                    p.code.as_str(),
                    p.message
                )
            })
            .collect();
        expected.assert_eq(&shown);
        config
    }

    #[test]
    fn one_wrong_value_leaves_the_others_in_force() {
        let config = check(
            r#"
recipesDirs = ["../shared"]
[guard]
disabledRules = ["js-no-var"]
profile = "strickt"
show_uncertain = true
[guard.rules.js-no-eval]
severity = "warning"
threshold = "five"
excludeLine = ["("]
[qualityGate]
maxErrors = -1
min_score = 80
"#,
            &expect![[r#"
                "\"strickt\"" error invalid-value: `strickt` is not a profile. Did you mean `strict`?
                "\"five\"" error wrong-type: Here should be a whole number, not a string.
                "\"(\"" error invalid-value: This regular expression does not compile: unclosed group.
                "-1" error invalid-value: -1 is out of range: a whole number of at least 0 is needed.
            "#]],
        );
        assert_eq!(config.recipes_dirs, ["../shared"]);
        assert_eq!(config.guard.disabled_rules, ["js-no-var"]);
        assert!(config.guard.show_uncertain);
        assert_eq!(config.quality_gate.min_score, 80);
        assert_eq!(config.quality_gate.max_errors, 0);
    }

    #[test]
    fn an_unknown_key_names_the_nearest_one() {
        check(
            "[guard]\ndisabledRule = []\n[gaurd]\n[weather]\n",
            &expect![[r#"
                "disabledRule" warning unknown-key: `disabledRule` is not a setting of `guard`. Did you mean `disabledRules`?
                "gaurd" warning unknown-key: `gaurd` is not a setting. Did you mean `guard`?
                "weather" warning unknown-key: `weather` is not a setting. Known here: `guard`, `qualityGate`, `files`, `recipesDirs`, `search`, `delivery`, `name`, `$schema`.
            "#]],
        );
    }

    #[test]
    fn a_broken_line_does_not_take_the_file_down() {
        let config = check(
            "[guard]\nprofile = \n[qualityGate]\nmaxWarnings = 3\n",
            &expect![[r#"
                " " error config: This is not valid TOML: string values must be quoted, expected literal string.
            "#]],
        );
        assert_eq!(config.quality_gate.max_warnings, 3);
    }

    #[test]
    fn a_list_that_is_not_closed_is_one_problem() {
        check(
            "weather = 1\n[guard]\ndisabledRules = [\"a\"\n[guard.rules.b]\nseverity = \"eror\"\nfoo = 1\n",
            &expect![[r#"
                "weather" warning unknown-key: `weather` is not a setting. Known here: `guard`, `qualityGate`, `files`, `recipesDirs`, `search`, `delivery`, `name`, `$schema`.
                "[" error config: This is not valid TOML: missing comma between array elements, expected `,`.
            "#]],
        );
    }

    #[test]
    fn layers_replace_values_and_join_rules_and_lists() {
        let mut config = Config::default();
        config.apply(&Layer::from_toml(
            "recipesDirs=['../team']\n[files]\nexclude=['gen/**']\n[guard]\nprofile='strict'\ndisabledRules=['a']\n[guard.rules.x]\nthreshold=3\nexcludePaths=['old/**']\nexcludeLine=['one']\n",
        ));
        config.apply(&Layer::from_value(&serde_json::json!({
            "recipesDirs": ["../mine"],
            "files": {"exclude": ["tmp/**", "gen/**"]},
            "guard": {
                "profile": "default",
                "disabledRules": ["b", "a"],
                "rules": {"x": {
                    "severity": "info", "excludePaths": ["new/**"], "excludeLine": "two"
                }},
            }
        })));
        assert_eq!(config.guard.profile, asd_guard::Profile::Default);
        assert_eq!(config.guard.disabled_rules, ["a", "b"]);
        assert_eq!(config.files.exclude, ["gen/**", "tmp/**"]);
        assert_eq!(config.recipes_dirs, ["../team", "../mine"]);
        let rule = &config.guard.rules["x"];
        assert_eq!(rule.threshold, Some(3));
        assert_eq!(rule.severity, Some(asd_recipe::Severity::Info));
        assert_eq!(rule.exclude_paths, ["old/**", "new/**"]);
        assert_eq!(rule.exclude_line, ["one", "two"]);
    }

    #[test]
    fn an_empty_list_takes_nothing_away() {
        let mut config = Config::default();
        config.apply(&Layer::from_toml("[guard]\ndisabledRules=['a']\n"));
        config.apply(&Layer::from_toml("[guard]\ndisabledRules=[]\n"));
        assert_eq!(config.guard.disabled_rules, ["a"]);
    }

    #[test]
    fn the_older_thresholds_are_read() {
        let (config, problems) = Config::parse(
            "[guard.codeLevelThresholds]\nrust-excessive-unwrap = 7\nx = {severity = 'info', exclude = ['gen/**']}\n",
        );
        assert_eq!(problems, []);
        assert_eq!(
            config.guard.code_level_thresholds["rust-excessive-unwrap"],
            Threshold::Limit(7)
        );
        let options = config.guard_options(
            &asd_guard::Exclusions::default(),
            asd_guard::SourceFilter::All,
        );
        assert_eq!(
            options.overrides["rust-excessive-unwrap"].threshold,
            Some(7)
        );
        assert_eq!(options.overrides["x"].exclude_paths, ["gen/**"]);
    }

    #[test]
    fn only_the_user_names_programs_and_endpoints() {
        let text = "[search]\nembeddings = 'remote'\n[search.remote]\nurl = 'https://host/v1'\nmodel = 'm'\nkey_variable = 'KEY'\ndimensions = 256\n";
        let config = check(
            text,
            &expect![[r#"
                "'remote'" error invalid-value: This has no effect here: models and endpoints are chosen in the user's own settings. A project can choose `builtin` or `off`.
                "remote" error invalid-value: This has no effect here: models and endpoints are chosen in the user's own settings. A project can choose `builtin` or `off`.
            "#]],
        );
        assert_eq!(config, Config::default());

        let mut config = Config::default();
        assert_eq!(config.apply(&Layer::from_toml(text).of_user()), []);
        assert_eq!(config.search.embeddings, EmbeddingsChoice::Remote);
        let remote = config.search.remote.clone().unwrap();
        assert_eq!(remote.url, "https://host/v1");
        assert_eq!(remote.key_variable.as_deref(), Some("KEY"));
        assert_eq!(remote.dimensions, Some(256));

        config.apply(&Layer::from_toml("[search]\nembeddings = 'off'\n"));
        assert_eq!(config.search.embeddings, EmbeddingsChoice::Off);
    }

    /// Every key that the schema publishes is one that the reader knows.
    #[test]
    fn the_reader_knows_every_key_of_the_schema() {
        let defaults = serde_json::to_value(Config {
            name: Some("shop".to_owned()),
            ..Config::default()
        })
        .unwrap();
        let mut config = Config::default();
        assert_eq!(config.apply(&Layer::from_value(&defaults)), []);
        let schema = config_schema();
        let keys: Vec<&String> = schema["properties"].as_object().unwrap().keys().collect();
        let known: Vec<&String> = defaults.as_object().unwrap().keys().collect();
        assert_eq!(keys, known);
        let rule = serde_json::to_value(asd_guard::RuleOverride {
            severity: Some(asd_recipe::Severity::Info),
            threshold: Some(1),
            enabled: Some(true),
            ..asd_guard::RuleOverride::default()
        })
        .unwrap();
        let layer = serde_json::json!({"guard": {"rules": {"x": rule}}});
        assert_eq!(config.apply(&Layer::from_value(&layer)), []);
    }
}
