//! Schemas as each provider takes them. What it does not take is said in words,
//! so that the model still knows the rule; we check the whole schema ourselves.

use serde_json::{Map, Value, json};

use crate::capabilities::SchemaDialect;

/// How deep references are followed.
const DEPTH: usize = 20;

/// Converts the schema of a tool's arguments.
pub(crate) fn convert(schema: &Value, dialect: SchemaDialect) -> Value {
    match dialect {
        SchemaDialect::OpenAi | SchemaDialect::Text => whole_object(schema.clone()),
        SchemaDialect::OpenAiStrict => strict(&whole_object(schema.clone())),
        SchemaDialect::Anthropic => flat_top(whole_object(schema.clone())),
        SchemaDialect::Gemini => {
            let schema = whole_object(schema.clone());
            gemini(&schema, &schema, &mut Vec::new())
        }
    }
}

/// Servers refuse arguments that are not said to be an object, or an object
/// without a list of properties.
fn whole_object(mut schema: Value) -> Value {
    if !schema.is_object() {
        schema = json!({});
    }
    if let Value::Object(members) = &mut schema {
        members.shift_remove("$schema");
        members.entry("type").or_insert_with(|| json!("object"));
        members.entry("properties").or_insert_with(|| json!({}));
    }
    schema
}

/// Every property required, optional ones nullable, nothing beyond them.
fn strict(schema: &Value) -> Value {
    let Value::Object(members) = schema else {
        return schema.clone();
    };
    let mut said = Words::of(members);
    let mut strict = Map::new();
    for (key, value) in members {
        match key.as_str() {
            "properties" | "required" | "additionalProperties" => {}
            "items" => {
                strict.insert(key.clone(), self::strict(value));
            }
            "anyOf" => {
                let choices = value.as_array().into_iter().flatten();
                strict.insert(key.clone(), choices.map(self::strict).collect());
            }
            "default" | "minLength" | "maxLength" | "format" | "title" => said.drop(key, value),
            _ => {
                strict.insert(key.clone(), value.clone());
            }
        }
    }
    if let Some(Value::Object(properties)) = members.get("properties") {
        let required: Vec<&str> = members
            .get("required")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .collect();
        let all: Map<String, Value> = properties
            .iter()
            .map(|(key, value)| {
                let value = self::strict(value);
                let value = if required.contains(&key.as_str()) {
                    value
                } else {
                    nullable(value)
                };
                (key.clone(), value)
            })
            .collect();
        strict.insert("required".into(), all.keys().cloned().collect());
        strict.insert("properties".into(), Value::Object(all));
    }
    if members.get("type").and_then(Value::as_str) == Some("object") {
        strict.insert("additionalProperties".into(), Value::Bool(false));
    }
    said.write(&mut strict);
    Value::Object(strict)
}

fn nullable(mut schema: Value) -> Value {
    let Value::Object(members) = &mut schema else {
        return schema;
    };
    if let Some(Value::Array(values)) = members.get_mut("enum")
        && !values.contains(&Value::Null)
    {
        values.push(Value::Null);
    }
    match members.get_mut("type") {
        Some(Value::String(kind)) => {
            let kind = kind.clone();
            if kind != "null" {
                members.insert("type".into(), json!([kind, "null"]));
            }
            schema
        }
        Some(Value::Array(kinds)) => {
            if !kinds.contains(&json!("null")) {
                kinds.push(json!("null"));
            }
            schema
        }
        _ => match members.get_mut("anyOf") {
            Some(Value::Array(choices)) => {
                if !choices.contains(&json!({"type": "null"})) {
                    choices.push(json!({"type": "null"}));
                }
                schema
            }
            _ => json!({"anyOf": [schema, {"type": "null"}]}),
        },
    }
}

/// No alternatives at the top: their properties become optional ones.
fn flat_top(schema: Value) -> Value {
    let Value::Object(mut members) = schema else {
        return schema;
    };
    let mut notes = Vec::new();
    for key in ["anyOf", "oneOf", "allOf"] {
        let Some(Value::Array(choices)) = members.shift_remove(key) else {
            continue;
        };
        let mut needs = Vec::new();
        for choice in &choices {
            if let (Some(Value::Object(more)), Some(Value::Object(have))) =
                (choice.get("properties"), members.get_mut("properties"))
            {
                for (name, property) in more {
                    have.entry(name.clone()).or_insert_with(|| property.clone());
                }
            }
            if let Some(Value::Array(required)) = choice.get("required") {
                let names: Vec<&str> = required.iter().filter_map(Value::as_str).collect();
                needs.push(names.join(" and "));
            }
        }
        if !needs.is_empty() {
            let all = if key == "allOf" { " and " } else { ", or " };
            notes.push(format!("Required besides: {}.", needs.join(all)));
        }
    }
    let said = Words {
        description: members
            .get("description")
            .and_then(Value::as_str)
            .map(str::to_owned),
        notes,
    };
    said.write(&mut members);
    Value::Object(members)
}

/// Keywords that say something to a person and nothing to be kept.
const SILENT: &[&str] = &[
    "$schema",
    "$id",
    "$defs",
    "definitions",
    "title",
    "$comment",
    "examples",
];

fn gemini(schema: &Value, root: &Value, path: &mut Vec<String>) -> Value {
    let Value::Object(members) = schema else {
        return json!({"type": "object"});
    };
    if let Some(reference) = members.get("$ref").and_then(Value::as_str) {
        let target = reference.strip_prefix('#').and_then(|at| root.pointer(at));
        if path.len() >= DEPTH || path.iter().any(|seen| seen == reference) {
            return json!({"type": "object"});
        }
        let Some(target) = target else {
            return json!({"type": "object"});
        };
        path.push(reference.to_owned());
        let mut inlined = gemini(target, root, path);
        path.pop();
        if let (Some(text), Value::Object(inlined)) = (members.get("description"), &mut inlined) {
            inlined.insert("description".into(), text.clone());
        }
        return inlined;
    }
    let mut said = Words::of(members);
    let mut out = Map::new();
    for (key, value) in members {
        match key.as_str() {
            "description" => {}
            "type" => match value {
                Value::Array(kinds) => {
                    if kinds.contains(&json!("null")) {
                        out.insert("nullable".into(), Value::Bool(true));
                    }
                    let mut kinds = kinds.iter().filter(|kind| **kind != json!("null"));
                    if let Some(first) = kinds.next() {
                        out.insert("type".into(), first.clone());
                    }
                    for other in kinds {
                        said.notes.push(format!("May be of type {other} too."));
                    }
                }
                kind => {
                    out.insert("type".into(), kind.clone());
                }
            },
            "properties" => {
                let properties = value.as_object().into_iter().flatten();
                let properties: Map<String, Value> = properties
                    .map(|(key, value)| (key.clone(), gemini(value, root, path)))
                    .collect();
                // An object with an empty list of properties is refused.
                if !properties.is_empty() {
                    out.insert("properties".into(), Value::Object(properties));
                }
            }
            "items" => {
                out.insert("items".into(), gemini(value, root, path));
            }
            "anyOf" | "oneOf" => {
                let choices: Vec<&Value> = value.as_array().into_iter().flatten().collect();
                let some: Vec<&&Value> = choices
                    .iter()
                    .filter(|choice| choice.get("type") != Some(&json!("null")))
                    .collect();
                if some.len() < choices.len() {
                    out.insert("nullable".into(), Value::Bool(true));
                }
                match some[..] {
                    [one] => {
                        if let Value::Object(one) = gemini(one, root, path) {
                            for (key, value) in one {
                                if key == "description" && said.description.is_some() {
                                    continue;
                                }
                                out.insert(key, value);
                            }
                        }
                    }
                    _ => {
                        let some = some.iter().map(|choice| gemini(choice, root, path));
                        out.insert("anyOf".into(), some.collect());
                    }
                }
            }
            "enum" => {
                // Only texts may be listed.
                let values = value.as_array().into_iter().flatten();
                let (texts, others): (Vec<&Value>, Vec<&Value>) =
                    values.partition(|value| value.is_string());
                if others.is_empty() {
                    out.insert("enum".into(), texts.into_iter().cloned().collect());
                } else {
                    said.drop(key, value);
                }
            }
            "format" => {
                let known = ["date-time", "enum", "float", "double", "int32", "int64"];
                if value.as_str().is_some_and(|format| known.contains(&format)) {
                    out.insert(key.clone(), value.clone());
                } else {
                    said.drop(key, value);
                }
            }
            "required" | "minimum" | "maximum" | "minLength" | "maxLength" | "pattern"
            | "minItems" | "maxItems" | "nullable" => {
                out.insert(key.clone(), value.clone());
            }
            silent if SILENT.contains(&silent) => {}
            _ => said.drop(key, value),
        }
    }
    if out.get("type") == Some(&json!("array")) && !out.contains_key("items") {
        out.insert("items".into(), json!({"type": "string"}));
    }
    // What is required has to be among the properties.
    let known: Vec<String> = match out.get("properties") {
        Some(Value::Object(properties)) => properties.keys().cloned().collect(),
        _ => Vec::new(),
    };
    if let Some(Value::Array(required)) = out.get_mut("required") {
        required.retain(|key| {
            key.as_str()
                .is_some_and(|key| known.iter().any(|k| k == key))
        });
        if required.is_empty() {
            out.shift_remove("required");
        }
    }
    said.write(&mut out);
    Value::Object(out)
}

/// The description, and the rules that it has to say from now on.
struct Words {
    description: Option<String>,
    notes: Vec<String>,
}

impl Words {
    fn of(members: &Map<String, Value>) -> Self {
        Self {
            description: members
                .get("description")
                .and_then(Value::as_str)
                .map(str::to_owned),
            notes: Vec::new(),
        }
    }

    fn drop(&mut self, key: &str, value: &Value) {
        let note = match key {
            "default" => format!("Default: {value}."),
            "const" => format!("Has to be {value}."),
            "enum" => format!("One of {value}."),
            "minLength" => format!("At least {value} characters."),
            "maxLength" => format!("At most {value} characters."),
            "format" => format!("Format: {}.", value.as_str().unwrap_or_default()),
            "exclusiveMinimum" => format!("Greater than {value}."),
            "exclusiveMaximum" => format!("Less than {value}."),
            "multipleOf" => format!("A multiple of {value}."),
            "uniqueItems" if *value == Value::Bool(true) => "No item twice.".to_owned(),
            "additionalProperties" if *value == Value::Bool(false) => {
                "No other members.".to_owned()
            }
            "uniqueItems" | "additionalProperties" | "title" => return,
            _ => format!("{key}: {value}."),
        };
        self.notes.push(note);
    }

    fn write(self, members: &mut Map<String, Value>) {
        let mut parts: Vec<String> = self.description.into_iter().collect();
        parts.retain(|part| !part.is_empty());
        parts.extend(self.notes);
        if !parts.is_empty() {
            members.insert("description".into(), Value::String(parts.join(" ")));
        }
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;

    fn check(schema: Value, dialect: SchemaDialect, expected: Expect) {
        let converted = convert(&schema, dialect);
        expected.assert_eq(&serde_json::to_string_pretty(&converted).unwrap());
    }

    #[test]
    fn strict_requires_all_and_lets_optional_ones_be_null() {
        check(
            json!({
                "type": "object",
                "properties": {
                    "path": {"type": "string", "minLength": 1, "description": "The file."},
                    "mode": {"enum": ["a", "b"], "type": "string", "default": "a"},
                },
                "required": ["path"],
            }),
            SchemaDialect::OpenAiStrict,
            expect![[r#"
                {
                  "type": "object",
                  "required": [
                    "path",
                    "mode"
                  ],
                  "properties": {
                    "path": {
                      "type": "string",
                      "description": "The file. At least 1 characters."
                    },
                    "mode": {
                      "enum": [
                        "a",
                        "b",
                        null
                      ],
                      "type": [
                        "string",
                        "null"
                      ],
                      "description": "Default: \"a\"."
                    }
                  },
                  "additionalProperties": false
                }"#]],
        );
    }

    #[test]
    fn anthropic_takes_no_alternatives_at_the_top() {
        check(
            json!({
                "type": "object",
                "properties": {"path": {"type": "string"}},
                "anyOf": [
                    {"properties": {"line": {"type": "integer"}}, "required": ["line"]},
                    {"required": ["path"]},
                ],
            }),
            SchemaDialect::Anthropic,
            expect![[r#"
                {
                  "type": "object",
                  "properties": {
                    "path": {
                      "type": "string"
                    },
                    "line": {
                      "type": "integer"
                    }
                  },
                  "description": "Required besides: line, or path."
                }"#]],
        );
    }

    #[test]
    fn gemini_says_in_words_what_it_does_not_take() {
        check(
            json!({
                "$schema": "x",
                "type": "object",
                "title": "T",
                "properties": {
                    "list": {"type": "array"},
                    "maybe": {"anyOf": [{"type": "string", "format": "uri"}, {"type": "null"}]},
                    "kind": {"const": "x", "description": "The kind."},
                    "size": {"type": "integer", "exclusiveMinimum": 0, "multipleOf": 2},
                    "either": {"type": ["string", "null"], "default": "d"},
                },
                "required": ["list", "gone"],
                "additionalProperties": false,
            }),
            SchemaDialect::Gemini,
            expect![[r#"
                {
                  "type": "object",
                  "properties": {
                    "list": {
                      "type": "array",
                      "items": {
                        "type": "string"
                      }
                    },
                    "maybe": {
                      "nullable": true,
                      "type": "string",
                      "description": "Format: uri."
                    },
                    "kind": {
                      "description": "The kind. Has to be \"x\"."
                    },
                    "size": {
                      "type": "integer",
                      "description": "Greater than 0. A multiple of 2."
                    },
                    "either": {
                      "nullable": true,
                      "type": "string",
                      "description": "Default: \"d\"."
                    }
                  },
                  "required": [
                    "list"
                  ],
                  "description": "No other members."
                }"#]],
        );
    }

    #[test]
    fn references_are_inlined_and_cycles_end() {
        check(
            json!({
                "type": "object",
                "properties": {"tree": {"$ref": "#/$defs/node", "description": "The tree."}},
                "$defs": {"node": {
                    "type": "object",
                    "properties": {"left": {"$ref": "#/$defs/node"}, "name": {"type": "string"}},
                }},
            }),
            SchemaDialect::Gemini,
            expect![[r#"
                {
                  "type": "object",
                  "properties": {
                    "tree": {
                      "type": "object",
                      "properties": {
                        "left": {
                          "type": "object"
                        },
                        "name": {
                          "type": "string"
                        }
                      },
                      "description": "The tree."
                    }
                  }
                }"#]],
        );
    }
}
