//! Whether a value is as its schema says: the subset of JSON Schema 2020-12 that
//! tools use.

use serde_json::Value;

/// Where a value differs from its schema.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{path}` {fault}")]
pub struct SchemaFault {
    /// The place in the value, as `files[0].path`; `arguments` for the whole.
    pub path: String,
    /// What is wrong there.
    pub fault: String,
}

/// Checks a value.
pub fn validate(value: &Value, schema: &Value) -> Result<(), SchemaFault> {
    check(value, schema, "")
}

fn fault(path: &str, fault: impl Into<String>) -> Result<(), SchemaFault> {
    Err(SchemaFault {
        path: if path.is_empty() { "arguments" } else { path }.to_owned(),
        fault: fault.into(),
    })
}

fn check(value: &Value, schema: &Value, path: &str) -> Result<(), SchemaFault> {
    let Some(schema) = schema.as_object() else {
        return match schema {
            Value::Bool(false) => fault(path, "is not allowed"),
            _ => Ok(()),
        };
    };
    if let Some(kinds) = schema.get("type") {
        let kinds: Vec<&str> = match kinds {
            Value::Array(kinds) => kinds.iter().filter_map(Value::as_str).collect(),
            kind => kind.as_str().into_iter().collect(),
        };
        if !kinds.is_empty() && !kinds.iter().any(|kind| has_type(value, kind)) {
            return fault(path, format!("has to be of type {}", kinds.join(" or ")));
        }
    }
    if let Some(Value::Array(values)) = schema.get("enum")
        && !values.contains(value)
    {
        let values: Vec<String> = values.iter().map(Value::to_string).collect();
        return fault(path, format!("has to be one of {}", values.join(", ")));
    }
    if let Some(only) = schema.get("const")
        && only != value
    {
        return fault(path, format!("has to be {only}"));
    }
    if let Some(Value::Array(choices)) = schema.get("anyOf")
        && !choices
            .iter()
            .any(|choice| check(value, choice, path).is_ok())
    {
        return fault(path, "fits none of its alternatives");
    }
    match value {
        Value::Number(number) => {
            let number = number.as_f64().unwrap_or_default();
            let limit = |key: &str| schema.get(key).and_then(Value::as_f64);
            if limit("minimum").is_some_and(|limit| number < limit) {
                return fault(path, format!("has to be at least {}", schema["minimum"]));
            }
            if limit("maximum").is_some_and(|limit| number > limit) {
                return fault(path, format!("has to be at most {}", schema["maximum"]));
            }
        }
        Value::String(text) => {
            let length = text.chars().count() as u64;
            let limit = |key: &str| schema.get(key).and_then(Value::as_u64);
            if limit("minLength").is_some_and(|limit| length < limit) {
                return fault(path, format!("is shorter than {}", schema["minLength"]));
            }
            if limit("maxLength").is_some_and(|limit| length > limit) {
                return fault(path, format!("is longer than {}", schema["maxLength"]));
            }
            // A pattern that our dialect cannot read is not checked.
            if let Some(pattern) = schema.get("pattern").and_then(Value::as_str)
                && let Ok(regex) = regex::Regex::new(pattern)
                && !regex.is_match(text)
            {
                return fault(path, format!("has to match {pattern}"));
            }
        }
        Value::Array(items) => {
            if let Some(schema) = schema.get("items") {
                for (number, item) in items.iter().enumerate() {
                    check(item, schema, &format!("{path}[{number}]"))?;
                }
            }
        }
        Value::Object(members) => {
            if let Some(Value::Array(required)) = schema.get("required") {
                for key in required.iter().filter_map(Value::as_str) {
                    if !members.contains_key(key) {
                        return fault(&join(path, key), "is missing");
                    }
                }
            }
            let properties = schema.get("properties").and_then(Value::as_object);
            for (key, member) in members {
                match properties.and_then(|properties| properties.get(key)) {
                    Some(schema) => check(member, schema, &join(path, key))?,
                    None => match schema.get("additionalProperties") {
                        Some(Value::Bool(false)) => {
                            return fault(&join(path, key), "is not known");
                        }
                        Some(schema) => check(member, schema, &join(path, key))?,
                        None => {}
                    },
                }
            }
        }
        Value::Null | Value::Bool(_) => {}
    }
    Ok(())
}

fn join(path: &str, key: &str) -> String {
    if path.is_empty() {
        key.to_owned()
    } else {
        format!("{path}.{key}")
    }
}

fn has_type(value: &Value, kind: &str) -> bool {
    match kind {
        "string" => value.is_string(),
        "object" => value.is_object(),
        "array" => value.is_array(),
        "boolean" => value.is_boolean(),
        "null" => value.is_null(),
        "number" => value.is_number(),
        "integer" => {
            value.is_i64() || value.is_u64() || value.as_f64().is_some_and(|n| n.fract() == 0.0)
        }
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_fault_names_the_place() {
        let schema = json!({
            "type": "object",
            "properties": {
                "files": {"type": "array", "items": {
                    "type": "object",
                    "properties": {"path": {"type": "string", "minLength": 1}},
                    "required": ["path"],
                }},
                "limit": {"type": "integer", "minimum": 1, "maximum": 5},
                "mode": {"enum": ["a", "b"]},
                "kind": {"const": "x"},
                "name": {"type": "string", "pattern": "^[a-z]+$", "maxLength": 3},
                "maybe": {"anyOf": [{"type": "string"}, {"type": "null"}]},
                "either": {"type": ["string", "integer"]},
            },
            "required": ["files"],
            "additionalProperties": false,
        });
        let fault = |value: Value| match validate(&value, &schema) {
            Ok(()) => String::new(),
            Err(fault) => fault.to_string(),
        };
        assert_eq!(
            fault(json!({"files": [], "either": 2.0, "maybe": null, "name": "ab"})),
            ""
        );
        assert_eq!(fault(json!([])), "`arguments` has to be of type object");
        assert_eq!(fault(json!({})), "`files` is missing");
        assert_eq!(fault(json!({"files": [{}]})), "`files[0].path` is missing");
        assert_eq!(
            fault(json!({"files": [{"path": ""}]})),
            "`files[0].path` is shorter than 1"
        );
        assert_eq!(
            fault(json!({"files": [], "limit": 9})),
            "`limit` has to be at most 5"
        );
        assert_eq!(
            fault(json!({"files": [], "limit": 0})),
            "`limit` has to be at least 1"
        );
        assert_eq!(
            fault(json!({"files": [], "limit": 1.5})),
            "`limit` has to be of type integer"
        );
        assert_eq!(
            fault(json!({"files": [], "mode": "c"})),
            "`mode` has to be one of \"a\", \"b\""
        );
        assert_eq!(
            fault(json!({"files": [], "kind": 1})),
            "`kind` has to be \"x\""
        );
        assert_eq!(
            fault(json!({"files": [], "name": "A"})),
            "`name` has to match ^[a-z]+$"
        );
        assert_eq!(
            fault(json!({"files": [], "name": "abcd"})),
            "`name` is longer than 3"
        );
        assert_eq!(
            fault(json!({"files": [], "maybe": 1})),
            "`maybe` fits none of its alternatives"
        );
        assert_eq!(
            fault(json!({"files": [], "more": 1})),
            "`more` is not known"
        );
    }
}
