//! JSON files of other programs, which may have comments and trailing commas:
//! changed in place, so that everything that is not ours stays as it is.

use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{CstInputValue, CstObject, CstRootNode};
use serde_json::Value;

use crate::hosts::KEY;

/// Why a file is left alone.
const INVALID: &str = "invalid-json";

/// What a value in a file is made to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// It is set whatever stands there.
    Refreshed,
    /// It is set when nothing stands there.
    Kept,
}

const fn options() -> ParseOptions {
    ParseOptions {
        allow_comments: true,
        allow_trailing_commas: true,
        allow_loose_object_property_names: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    }
}

/// A file as a tree, its byte order mark apart. `None` stands for a file that
/// is absent or blank.
fn parse(text: Option<&str>) -> Result<(&str, CstRootNode, CstObject), &'static str> {
    let text = text.unwrap_or_default();
    let body = text.strip_prefix('\u{feff}').unwrap_or(text);
    let bom = &text[..text.len() - body.len()];
    let body = if body.trim().is_empty() { "{}\n" } else { body };
    let root = CstRootNode::parse(body, &options()).map_err(|_| INVALID)?;
    let object = root.object_value().ok_or(INVALID)?;
    Ok((bom, root, object))
}

/// `object[name]` as an object, made when it is not there.
fn child(object: &CstObject, name: &str) -> Result<CstObject, &'static str> {
    match object.get(name) {
        Some(property) => property.object_value().ok_or(INVALID),
        None => Ok(object
            .append(name, CstInputValue::Object(Vec::new()))
            .object_value_or_set()),
    }
}

/// `text` with our entry below `parent`. An entry that is there keeps keys that
/// the user has added; its command is refreshed.
pub(crate) fn merge_json(
    text: Option<&str>,
    parent: &str,
    entry: &Value,
) -> Result<String, &'static str> {
    let (bom, root, object) = parse(text)?;
    let servers = child(&object, parent)?;
    match servers.get(KEY) {
        None => {
            servers.append(KEY, input(entry));
        }
        Some(property) => match (property.object_value(), entry) {
            (Some(own), Value::Object(wanted)) => {
                for (key, value) in wanted {
                    let shape = match key.as_str() {
                        "command" | "args" => Shape::Refreshed,
                        _ => Shape::Kept,
                    };
                    match value {
                        Value::Object(inner) if own.get(key).is_some() => {
                            let Ok(object) = child(&own, key) else {
                                continue;
                            };
                            for (key, value) in inner {
                                set(&object, key, value, Shape::Kept);
                            }
                        }
                        _ => set(&own, key, value, shape),
                    }
                }
            }
            _ => property.set_value(input(entry)),
        },
    }
    Ok(format!("{bom}{root}"))
}

/// Sets a value without touching one that is equal.
pub(crate) fn set(object: &CstObject, key: &str, value: &Value, shape: Shape) {
    match object.get(key) {
        None => {
            object.append(key, input(value));
        }
        Some(property) => {
            let equal = property
                .value()
                .and_then(|node| node.to_serde_value())
                .as_ref()
                == Some(value);
            if shape == Shape::Refreshed && !equal {
                property.set_value(input(value));
            }
        }
    }
}

fn input(value: &Value) -> CstInputValue {
    match value {
        Value::Null => CstInputValue::Null,
        Value::Bool(value) => CstInputValue::Bool(*value),
        Value::Number(number) => CstInputValue::Number(number.to_string()),
        Value::String(text) => CstInputValue::String(text.clone()),
        Value::Array(values) => CstInputValue::Array(values.iter().map(input).collect()),
        Value::Object(entries) => CstInputValue::Object(
            entries
                .iter()
                .map(|(key, value)| (key.clone(), input(value)))
                .collect(),
        ),
    }
}

/// `text` without our entry; `None` when there is none, empty when nothing is
/// left.
pub(crate) fn remove_json(text: &str, parent: &str) -> Result<Option<String>, &'static str> {
    let (bom, root, object) = parse(Some(text))?;
    let Some(servers) = object.object_value(parent) else {
        return Ok(None);
    };
    let Some(property) = servers.get(KEY) else {
        return Ok(None);
    };
    property.remove();
    Ok(Some(rest(bom, &root, &object, parent)))
}

/// What is left of a file; empty when that is an empty table and no comment.
fn rest(bom: &str, root: &CstRootNode, object: &CstObject, parent: &str) -> String {
    let text = root.to_string();
    let bare = |object: &CstObject| {
        object.properties().is_empty() && !object.children().iter().any(|node| node.is_comment())
    };
    let is_empty = match object.properties().as_slice() {
        [] => true,
        [only] => {
            only.decoded_name().as_deref() == Some(parent)
                && only.object_value().is_some_and(|servers| bare(&servers))
        }
        _ => false,
    };
    let has_comment = text.contains("//") || text.contains("/*");
    if is_empty && !has_comment {
        return String::new();
    }
    format!("{bom}{text}")
}

/// `text` with a command that runs at each of the events, in the form of Claude
/// Code.
pub(crate) fn merge_hooks(
    text: Option<&str>,
    events: &[&str],
    command: &str,
) -> Result<String, &'static str> {
    let (bom, root, object) = parse(text)?;
    let hooks = child(&object, "hooks")?;
    for event in events {
        let list = match hooks.get(event) {
            Some(property) => property.array_value().ok_or(INVALID)?,
            None => hooks
                .append(event, CstInputValue::Array(Vec::new()))
                .array_value_or_set(),
        };
        let is_there = list.elements().iter().any(|element| {
            element
                .to_serde_value()
                .is_some_and(|group| runs(&group, command))
        });
        if !is_there {
            list.append(input(&serde_json::json!({
                "hooks": [{"type": "command", "command": command}]
            })));
        }
    }
    Ok(format!("{bom}{root}"))
}

/// `text` without that command; `None` when it is not there.
pub(crate) fn remove_hooks(
    text: &str,
    events: &[&str],
    command: &str,
) -> Result<Option<String>, &'static str> {
    let (bom, root, object) = parse(Some(text))?;
    let Some(hooks) = object.object_value("hooks") else {
        return Ok(None);
    };
    let mut removed = false;
    for event in events {
        let Some(list) = hooks.array_value(event) else {
            continue;
        };
        let only_ours = serde_json::json!({
            "hooks": [{"type": "command", "command": command}]
        });
        // A group that the user has added to stays.
        let ours = list
            .elements()
            .into_iter()
            .filter(|element| element.to_serde_value().as_ref() == Some(&only_ours));
        let count = ours.map(jsonc_parser::cst::CstNode::remove).count();
        removed |= count > 0;
        if count > 0
            && list.elements().is_empty()
            && let Some(property) = hooks.get(event)
        {
            property.remove();
        }
    }
    if !removed {
        return Ok(None);
    }
    Ok(Some(rest(bom, &root, &object, "hooks")))
}

fn runs(group: &Value, command: &str) -> bool {
    group["hooks"]
        .as_array()
        .is_some_and(|hooks| hooks.iter().any(|hook| hook["command"] == command))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn entry() -> Value {
        json!({"command": "asd", "args": ["mcp"], "env": {"ASD_PROJECT_DIR": "."}})
    }

    fn merge(text: &str) -> Result<String, &'static str> {
        merge_json(Some(text), "mcpServers", &entry())
    }

    #[test]
    fn other_servers_comments_and_commas_stay() {
        let text = "// mine\r\n{\r\n  /* a */ \"mcpServers\": {\r\n    \"foo\": {\"command\": \"f\"}, // foo\r\n  },\r\n  \"other\": [1,2,],\r\n}\r\n";
        let merged = merge(text).unwrap();
        for kept in [
            "// mine\r\n",
            "/* a */",
            "\"foo\": {\"command\": \"f\"}",
            "// foo",
            "\"other\": [1,2,]",
        ] {
            assert!(merged.contains(kept), "{kept} in {merged}");
        }
        assert!(!merged.replace("\r\n", "").contains('\n'), "{merged:?}");
        let (_, root, _) = parse(Some(&merged)).unwrap();
        let value = root.to_serde_value().unwrap();
        assert_eq!(value["mcpServers"]["alembic"], entry());
        assert_eq!(value["mcpServers"]["foo"]["command"], "f");
        assert_eq!(merge(&merged), Ok(merged.clone()));
        assert!(
            remove_json(&merged, "mcpServers")
                .unwrap()
                .unwrap()
                .contains("// foo")
        );
    }

    #[test]
    fn our_entry_keeps_what_the_user_added() {
        let text = "{\"mcpServers\": {\"alembic\": {\"command\": \"/old/asd\", \"disabled\": true, \"env\": {\"ASD_PROJECT_DIR\": \"x\", \"K\": \"v\"}}}}";
        let merged = merge(text).unwrap();
        let value: Value = serde_json::from_str(&merged).unwrap();
        assert_eq!(
            value["mcpServers"]["alembic"],
            json!({"command": "asd", "disabled": true, "env": {"ASD_PROJECT_DIR": "x", "K": "v"}, "args": ["mcp"]})
        );
    }

    #[test]
    fn what_cannot_be_read_is_left_alone() {
        for text in ["{", "[]", "{\"mcpServers\": 1}", "{'a': 1}", "{} trailing"] {
            assert_eq!(merge(text), Err(INVALID), "{text}");
        }
        assert!(merge("  \n").is_ok());
        assert!(merge("\u{feff}{}").unwrap().starts_with("\u{feff}{"));
    }

    #[test]
    fn removing_the_entry_empties_a_file_that_held_nothing_else() {
        let merged = merge_json(None, "mcpServers", &entry()).unwrap();
        assert_eq!(remove_json(&merged, "mcpServers"), Ok(Some(String::new())));
        assert_eq!(remove_json("{}", "mcpServers"), Ok(None));
        let with_other = merge("{\"a\": 1}").unwrap();
        let rest = remove_json(&with_other, "mcpServers").unwrap().unwrap();
        assert!(rest.contains("\"a\": 1"), "{rest}");
    }

    #[test]
    fn hooks_are_added_once_and_taken_away_again() {
        let events = ["SessionStart", "PreCompact"];
        let text = "{\n  \"hooks\": {\n    \"SessionStart\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"mine\"}]}]\n  }\n}\n";
        let merged = merge_hooks(Some(text), &events, "asd x").unwrap();
        let value: Value = serde_json::from_str(&merged).unwrap();
        assert_eq!(value["hooks"]["SessionStart"].as_array().unwrap().len(), 2);
        assert_eq!(
            value["hooks"]["PreCompact"][0]["hooks"][0]["command"],
            "asd x"
        );
        assert_eq!(
            merge_hooks(Some(&merged), &events, "asd x"),
            Ok(merged.clone())
        );
        let rest = remove_hooks(&merged, &events, "asd x").unwrap().unwrap();
        let value: Value = serde_json::from_str(&rest).unwrap();
        assert_eq!(
            value,
            json!({"hooks": {"SessionStart": [{"hooks": [{"type": "command", "command": "mine"}]}]}})
        );
    }
}
