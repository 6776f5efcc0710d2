//! Path aliases of `tsconfig.json` and `jsconfig.json`.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What a configuration says of module paths.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct TsConfig {
    /// Relative files that it builds upon, the last one wins.
    pub(crate) extends: Vec<String>,
    /// The folder that paths start from, as it is written.
    pub(crate) base_url: Option<String>,
    /// Patterns with at most one `*`, each with what it stands for.
    pub(crate) paths: Option<Vec<(String, Vec<String>)>>,
}

/// Whether a file is such a configuration, by its name.
pub(crate) fn is_config(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    (name.starts_with("tsconfig") || name.starts_with("jsconfig")) && name.ends_with(".json")
}

/// Reads a configuration; `None` when it is no JSON or says nothing of paths.
pub(crate) fn read(text: &str) -> Option<TsConfig> {
    let value: Value = serde_json::from_str(&without_comments(text)).ok()?;
    let strings = |value: &Value| -> Vec<String> {
        match value {
            Value::String(one) => vec![one.clone()],
            Value::Array(all) => all
                .iter()
                .filter_map(|one| one.as_str().map(str::to_owned))
                .collect(),
            _ => Vec::new(),
        }
    };
    let options = &value["compilerOptions"];
    let config = TsConfig {
        extends: strings(&value["extends"]),
        base_url: options["baseUrl"].as_str().map(str::to_owned),
        paths: options["paths"].as_object().map(|paths| {
            paths
                .iter()
                .map(|(pattern, targets)| (pattern.clone(), strings(targets)))
                .collect()
        }),
    };
    (config != TsConfig::default()).then_some(config)
}

/// JSON as people write it into such files, without comments and without
/// commas before a closing bracket.
fn without_comments(text: &str) -> String {
    let mut result = String::with_capacity(text.len());
    let mut rest = text.trim_start_matches('\u{feff}');
    while let Some(c) = rest.chars().next() {
        let length = match c {
            '"' => string_length(rest),
            '/' if rest.starts_with("//") => {
                rest = &rest[rest.find('\n').unwrap_or(rest.len())..];
                continue;
            }
            '/' if rest.starts_with("/*") => {
                rest = &rest[rest.find("*/").map_or(rest.len(), |at| at + 2)..];
                continue;
            }
            '}' | ']' => {
                let end = result.trim_end().len();
                if result[..end].ends_with(',') {
                    result.truncate(end - 1);
                }
                1
            }
            _ => c.len_utf8(),
        };
        result.push_str(&rest[..length]);
        rest = &rest[length..];
    }
    result
}

/// The length of the string that `text` starts with.
fn string_length(text: &str) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            '"' if !escaped => return at + 1,
            '\\' => escaped = !escaped,
            _ => escaped = false,
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_trailing_commas_are_no_hindrance() {
        let text = r#"{
            // where things are
            "extends": "./base.json", /* one */
            "compilerOptions": {
                "baseUrl": ".",
                "paths": {
                    "@/*": ["src/*",],
                    "\"//x": ["y"],
                },
            },
        }"#;
        let config = read(text).unwrap();
        assert_eq!(config.extends, ["./base.json"]);
        assert_eq!(config.base_url.as_deref(), Some("."));
        let paths = config.paths.unwrap();
        assert!(paths.contains(&("@/*".to_owned(), vec!["src/*".to_owned()])));
        assert!(paths.iter().any(|(pattern, _)| pattern == "\"//x"));
    }

    #[test]
    fn what_is_broken_or_says_nothing_is_left_alone() {
        assert_eq!(read("{"), None);
        assert_eq!(read("{\"a\": \"b"), None);
        assert_eq!(read("{\"compilerOptions\": {\"strict\": true}}"), None);
        assert!(is_config("a/tsconfig.app.json"));
        assert!(!is_config("a/package.json"));
    }
}
