//! Arguments of calls: read once, strictly, with repairs that lose nothing.
//! (spec 4.3)

use serde_json::{Map, Value};

/// Arguments that are no JSON object.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the arguments are no JSON object: {message} at line {line}, column {column}")]
pub struct BadArguments {
    /// What is wrong.
    pub message: String,
    /// The line, from 1.
    pub line: usize,
    /// The column, from 1.
    pub column: usize,
}

/// Reads the arguments of a call. No text means no arguments. What is not JSON is
/// repaired only where nothing can be lost: one code fence around it, one level of
/// escapes, control characters inside of strings. Brackets and strings that are
/// open stay so: such a call was cut.
pub fn parse_arguments(text: &str) -> Result<Map<String, Value>, BadArguments> {
    if text.trim().is_empty() {
        return Ok(Map::new());
    }
    let first = match object(text) {
        Ok(arguments) => return Ok(arguments),
        Err(error) => error,
    };
    let bare = without_fence(text);
    for candidate in [bare.to_owned(), escape_controls(bare)] {
        if let Ok(arguments) = object(&candidate) {
            return Ok(arguments);
        }
    }
    Err(first)
}

fn object(text: &str) -> Result<Map<String, Value>, BadArguments> {
    let value: Value = serde_json::from_str(text).map_err(|error| BadArguments {
        message: plain(&error),
        line: error.line(),
        column: error.column(),
    })?;
    match value {
        Value::Object(arguments) => Ok(arguments),
        Value::String(inner) => match serde_json::from_str(&inner) {
            Ok(Value::Object(arguments)) => Ok(arguments),
            _ => Err(no_object("a text")),
        },
        Value::Null => Err(no_object("null")),
        Value::Bool(_) => Err(no_object("a boolean")),
        Value::Number(_) => Err(no_object("a number")),
        Value::Array(_) => Err(no_object("an array")),
    }
}

fn no_object(found: &str) -> BadArguments {
    BadArguments {
        message: format!("{found} was found"),
        line: 1,
        column: 1,
    }
}

/// The message without the place, which is told apart.
fn plain(error: &serde_json::Error) -> String {
    let text = error.to_string();
    match text.rfind(" at line ") {
        Some(at) => text[..at].to_owned(),
        None => text,
    }
}

fn without_fence(text: &str) -> &str {
    let text = text.trim();
    let inside = match text.strip_prefix("```") {
        Some(rest) => rest.split_once('\n').map_or(rest, |(_, body)| body),
        None => text,
    };
    inside.strip_suffix("```").unwrap_or(inside).trim()
}

/// Escapes control characters inside of strings.
fn escape_controls(text: &str) -> String {
    let mut fixed = String::with_capacity(text.len() + 16);
    let (mut in_string, mut escaped) = (false, false);
    for c in text.chars() {
        match c {
            _ if escaped => {
                escaped = false;
                fixed.push(c);
            }
            '\\' if in_string => {
                escaped = true;
                fixed.push(c);
            }
            '"' => {
                in_string = !in_string;
                fixed.push(c);
            }
            c if in_string && c < ' ' => fixed.push_str(&format!("\\u{:04x}", u32::from(c))),
            c => fixed.push(c),
        }
    }
    fixed
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> String {
        match parse_arguments(text) {
            Ok(arguments) => Value::Object(arguments).to_string(),
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn nothing_means_no_arguments() {
        assert_eq!(read(""), "{}");
        assert_eq!(read(" \n"), "{}");
    }

    #[test]
    fn repairs_lose_nothing() {
        assert_eq!(read("{\"a\":1}\n```"), r#"{"a":1}"#);
        assert_eq!(read("```json\n{\"a\":1}\n```"), r#"{"a":1}"#);
        assert_eq!(read(r#""{\"a\":\"é\"}""#), r#"{"a":"é"}"#);
        assert_eq!(read("{\"a\":\"x\ty\nz\"}"), r#"{"a":"x\ty\nz"}"#);
    }

    #[test]
    fn what_was_cut_is_never_completed() {
        for cut in [r#"{"path":"a","content":"b"#, r#"{"path":"a""#, "{"] {
            assert!(parse_arguments(cut).is_err(), "{cut}");
        }
        assert_eq!(
            read(r#"{"path":"a""#),
            "the arguments are no JSON object: EOF while parsing an object at line 1, column 11"
        );
    }

    #[test]
    fn only_an_object_is_arguments() {
        for text in ["[1]", "null", "3", "\"x\"", "{} {}"] {
            assert!(parse_arguments(text).is_err(), "{text}");
        }
    }
}
