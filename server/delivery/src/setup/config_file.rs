//! The first `config.toml`: every setting with what it means and its default,
//! made from the schema, so that none is forgotten.

use asd_store::{Config, config_schema};
use serde_json::Value;

/// The text for a project of that name.
pub(crate) fn text(name: &str) -> String {
    let schema = config_schema();
    let defaults = serde_json::to_value(Config::default()).unwrap_or_default();
    let mut text = format!(
        "#:schema ../.asd/config.schema.json\n# Settings of Alembic. What is commented out has \
         its default; `asd config schema` describes everything.\n\nname = {}\n",
        Value::from(name)
    );
    table(&schema, &schema, &defaults, "", &mut text);
    text
}

/// Writes the plain keys of a table, then its tables.
fn table(root: &Value, schema: &Value, defaults: &Value, path: &str, text: &mut String) {
    let Some(entries) = defaults.as_object() else {
        return;
    };
    let of = |key: &str| resolved(root, &schema["properties"][key]);
    for (key, value) in entries
        .iter()
        .filter(|(key, value)| !(value.is_object() || path.is_empty() && *key == "name"))
    {
        describe(schema, key, text);
        match value {
            Value::Null => text.push_str(&format!("# {key} =\n")),
            value => text.push_str(&format!("# {key} = {value}\n")),
        }
    }
    for (key, value) in entries.iter().filter(|(_, value)| value.is_object()) {
        let path = if path.is_empty() {
            key.clone()
        } else {
            format!("{path}.{key}")
        };
        describe(schema, key, text);
        text.push_str(&format!("# [{path}]\n"));
        table(root, of(key), value, &path, text);
    }
}

fn describe(schema: &Value, key: &str, text: &mut String) {
    text.push('\n');
    let description = schema["properties"][key]["description"]
        .as_str()
        .unwrap_or_default();
    for line in description.lines() {
        text.push_str(format!("# {line}").trim_end());
        text.push('\n');
    }
}

/// A schema behind its references.
fn resolved<'s>(root: &'s Value, schema: &'s Value) -> &'s Value {
    let mut schema = schema;
    for _ in 0..8 {
        let reference = schema["$ref"]
            .as_str()
            .or_else(|| schema["allOf"][0]["$ref"].as_str());
        match reference.and_then(|reference| reference.strip_prefix('#')) {
            Some(pointer) => schema = root.pointer(pointer).unwrap_or(&Value::Null),
            None => break,
        }
    }
    schema
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_reads_without_a_problem_and_names_every_setting() {
        let text = text("harbor \"x\"");
        let (config, problems) = Config::parse(&text);
        assert!(problems.is_empty(), "{problems:?}\n{text}");
        assert_eq!(config.name.as_deref(), Some("harbor \"x\""));
        for key in [
            "[guard]",
            "profile = \"",
            "trustAgents = false",
            "maxErrors = 0",
            "[guard.review]",
        ] {
            assert!(text.contains(&format!("# {key}")), "{key}\n{text}");
        }
    }

    #[test]
    fn taken_out_of_their_comments_the_lines_are_the_defaults() {
        let plain: String = text("x")
            .lines()
            .filter_map(|line| line.strip_prefix("# "))
            .filter(|line| line.starts_with('[') || line.contains(" = "))
            .map(|line| format!("{line}\n"))
            .collect();
        let (config, problems) = Config::parse(&plain);
        assert!(problems.is_empty(), "{problems:?}\n{plain}");
        assert_eq!(config, Config::default());
    }
}
