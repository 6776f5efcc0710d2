//! Parameters of operations as tables: one table gives the JSON Schema that
//! clients see, and reads arguments: all violations at once, exact coercions,
//! unknown names as warnings. (mcp.md §2)

use serde::Serialize;
use serde_json::{Map, Value, json};

/// One parameter.
#[derive(Clone, Copy, Debug)]
pub struct Param {
    /// Its name.
    pub name: &'static str,
    /// Other names under which it is accepted.
    pub aliases: &'static [&'static str],
    /// What it takes.
    pub kind: Kind,
    /// Whether a call without it is refused.
    pub required: bool,
    /// What is taken when it is absent, as JSON.
    pub default: Option<&'static str>,
    /// What it is for, for an agent.
    pub about: &'static str,
}

/// What a parameter takes.
#[derive(Clone, Copy, Debug)]
pub enum Kind {
    /// A text of at least and at most so many characters.
    Text {
        /// At least.
        min: usize,
        /// At most.
        max: usize,
    },
    /// A whole number in a range.
    Integer {
        /// At least.
        min: i64,
        /// At most.
        max: i64,
    },
    /// A number from 0 to 1.
    Fraction,
    /// Yes or no.
    Flag,
    /// One of several words.
    Choice(&'static [&'static str]),
    /// A list of at least and at most so many items.
    List {
        /// What the items are.
        of: &'static Kind,
        /// At least.
        min: usize,
        /// At most.
        max: usize,
    },
    /// A list that may also come as the text of its JSON.
    ListOrText {
        /// What the items are.
        of: &'static Kind,
        /// At least.
        min: usize,
        /// At most.
        max: usize,
    },
    /// An object with these fields; others are kept.
    Object(&'static [Param]),
    /// Either of two kinds.
    Either(&'static Kind, &'static Kind),
    /// An object of texts by name.
    Texts,
    /// An object of any form.
    Anything,
}

/// Any text.
pub const TEXT: Kind = Kind::Text {
    min: 0,
    max: 1_000_000,
};
/// A text that is not empty.
pub const FILLED: Kind = Kind::Text {
    min: 1,
    max: 1_000_000,
};

/// A parameter that may be absent.
#[must_use]
pub const fn optional(name: &'static str, kind: Kind, about: &'static str) -> Param {
    Param {
        name,
        aliases: &[],
        kind,
        required: false,
        default: None,
        about,
    }
}

/// A parameter that a call must have.
#[must_use]
pub const fn required(name: &'static str, kind: Kind, about: &'static str) -> Param {
    Param {
        required: true,
        ..optional(name, kind, about)
    }
}

impl Param {
    /// With a default, as JSON.
    #[must_use]
    pub const fn or(mut self, default: &'static str) -> Self {
        self.default = Some(default);
        self
    }

    /// With other names.
    #[must_use]
    pub const fn also(mut self, aliases: &'static [&'static str]) -> Self {
        self.aliases = aliases;
        self
    }
}

/// One thing that is wrong with the arguments of a call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Violation {
    /// Where, for example `items[0].title`.
    pub path: String,
    /// What.
    pub message: String,
}

/// The JSON Schema (2020-12) of a table.
#[must_use]
pub fn schema(params: &[Param]) -> Map<String, Value> {
    let mut schema = object_schema(params);
    schema.insert(
        "$schema".to_owned(),
        json!("https://json-schema.org/draft/2020-12/schema"),
    );
    schema
}

fn object_schema(params: &[Param]) -> Map<String, Value> {
    let mut properties = Map::new();
    for param in params {
        let mut one = kind_schema(&param.kind);
        if !param.about.is_empty() {
            one.insert("description".to_owned(), json!(param.about));
        }
        if let Some(default) = param.default_value() {
            one.insert("default".to_owned(), default);
        }
        properties.insert(param.name.to_owned(), Value::Object(one));
    }
    let required: Vec<&str> = params
        .iter()
        .filter(|param| param.required)
        .map(|param| param.name)
        .collect();
    let mut schema = Map::new();
    schema.insert("type".to_owned(), json!("object"));
    schema.insert("properties".to_owned(), Value::Object(properties));
    if !required.is_empty() {
        schema.insert("required".to_owned(), json!(required));
    }
    schema
}

fn kind_schema(kind: &Kind) -> Map<String, Value> {
    let value = match kind {
        Kind::Text { min, max } => {
            let mut schema = json!({"type": "string"});
            if *min > 0 {
                schema["minLength"] = json!(min);
            }
            if *max < 1_000_000 {
                schema["maxLength"] = json!(max);
            }
            schema
        }
        Kind::Integer { min, max } => json!({"type": "integer", "minimum": min, "maximum": max}),
        Kind::Fraction => json!({"type": "number", "minimum": 0, "maximum": 1}),
        Kind::Flag => json!({"type": "boolean"}),
        Kind::Choice(words) => json!({"type": "string", "enum": words}),
        Kind::List { of, min, max } | Kind::ListOrText { of, min, max } => {
            let mut schema = json!({"type": "array", "items": kind_schema(of), "maxItems": max});
            if *min > 0 {
                schema["minItems"] = json!(min);
            }
            schema
        }
        Kind::Object(params) => Value::Object(object_schema(params)),
        Kind::Either(one, other) => json!({"anyOf": [kind_schema(one), kind_schema(other)]}),
        Kind::Texts => json!({"type": "object", "additionalProperties": {"type": "string"}}),
        Kind::Anything => json!({"type": "object"}),
    };
    match value {
        Value::Object(schema) => schema,
        _ => Map::new(),
    }
}

impl Param {
    fn default_value(&self) -> Option<Value> {
        self.default
            .and_then(|default| serde_json::from_str(default).ok())
    }
}

/// Arguments as the table has them, and names that it does not know.
#[derive(Clone, Debug, PartialEq)]
pub struct Arguments {
    /// By the names of the table, with defaults filled in.
    pub values: Map<String, Value>,
    /// For the caller.
    pub warnings: Vec<String>,
}

/// Reads the arguments of a call.
///
/// # Errors
/// Everything that is wrong with them.
pub fn read(params: &[Param], given: Map<String, Value>) -> Result<Arguments, Vec<Violation>> {
    let mut reader = Reader::default();
    let values = reader.object(params, given, "");
    if reader.violations.is_empty() {
        Ok(Arguments {
            values,
            warnings: reader.warnings,
        })
    } else {
        Err(reader.violations)
    }
}

#[derive(Default)]
struct Reader {
    violations: Vec<Violation>,
    warnings: Vec<String>,
}

impl Reader {
    fn wrong(&mut self, path: &str, message: impl Into<String>) {
        self.violations.push(Violation {
            path: path.to_owned(),
            message: message.into(),
        });
    }

    fn object(
        &mut self,
        params: &[Param],
        mut given: Map<String, Value>,
        path: &str,
    ) -> Map<String, Value> {
        let at = |name: &str| {
            if path.is_empty() {
                name.to_owned()
            } else {
                format!("{path}.{name}")
            }
        };
        let mut values = Map::new();
        for param in params {
            let names = std::iter::once(&param.name).chain(param.aliases);
            let mut found = None;
            for name in names {
                // Under all its names, the first that says something counts.
                let value = given.remove(*name);
                found = found.or(value.filter(|value| !value.is_null()));
            }
            match found {
                Some(value) => {
                    if let Some(value) = self.value(&param.kind, value, &at(param.name)) {
                        values.insert(param.name.to_owned(), value);
                    }
                }
                None if param.required => {
                    self.wrong(&at(param.name), format!("`{}` is needed.", param.name));
                }
                None => {
                    if let Some(default) = param.default_value() {
                        values.insert(param.name.to_owned(), default);
                    }
                }
            }
        }
        for (name, value) in given {
            if path.is_empty() {
                self.warnings
                    .push(format!("`{name}` is not known here and was ignored."));
            } else {
                values.insert(name, value);
            }
        }
        values
    }

    fn value(&mut self, kind: &Kind, value: Value, path: &str) -> Option<Value> {
        match kind {
            Kind::Text { min, max } => self.text(value, *min, *max, path),
            Kind::Integer { min, max } => match integer(&value) {
                Some(number) if (*min..=*max).contains(&number) => Some(json!(number)),
                Some(number) => {
                    self.wrong(path, format!("{number} is not between {min} and {max}."));
                    None
                }
                None => self.not_a(path, "a whole number", &value),
            },
            Kind::Fraction => match fraction(&value) {
                Some(number) if (0.0..=1.0).contains(&number) => Some(json!(number)),
                Some(number) => {
                    self.wrong(path, format!("{number} is not between 0 and 1."));
                    None
                }
                None => self.not_a(path, "a number", &value),
            },
            Kind::Flag => match flag(&value) {
                Some(flag) => Some(json!(flag)),
                None => self.not_a(path, "true or false", &value),
            },
            Kind::Choice(words) => match value.as_str().map(str::trim) {
                Some(word) if words.contains(&word) => Some(json!(word)),
                Some(word) => {
                    self.wrong(
                        path,
                        format!("`{word}` is not one of {}.", words.join(", ")),
                    );
                    None
                }
                None => self.not_a(path, "a text", &value),
            },
            Kind::List { of, min, max } => self.list(value, of, *min, *max, path),
            Kind::ListOrText { of, min, max } => {
                let value = match &value {
                    Value::String(text) => match serde_json::from_str::<Value>(text) {
                        Ok(read) => read,
                        Err(error) => {
                            self.wrong(path, format!("This text is not JSON: {error}."));
                            return None;
                        }
                    },
                    _ => value,
                };
                self.list(value, of, *min, *max, path)
            }
            Kind::Object(params) => match value {
                Value::Object(given) => Some(Value::Object(self.object(params, given, path))),
                other => self.not_a(path, "an object", &other),
            },
            Kind::Either(one, other) => {
                let mut attempt = Self::default();
                if let Some(read) = attempt.value(one, value.clone(), path)
                    && attempt.violations.is_empty()
                {
                    return Some(read);
                }
                self.value(other, value, path)
            }
            Kind::Texts => match value {
                Value::Object(fields) if fields.values().all(Value::is_string) => {
                    Some(Value::Object(fields))
                }
                other => self.not_a(path, "an object of texts", &other),
            },
            Kind::Anything => match value {
                Value::Object(fields) => Some(Value::Object(fields)),
                other => self.not_a(path, "an object", &other),
            },
        }
    }

    fn text(&mut self, value: Value, min: usize, max: usize, path: &str) -> Option<Value> {
        let text = match value {
            Value::String(text) => text,
            Value::Number(number) => number.to_string(),
            other => return self.not_a(path, "a text", &other),
        };
        let length = text.chars().count();
        if min > 0 && text.trim().is_empty() {
            self.wrong(path, "This must not be empty.");
            None
        } else if length < min {
            self.wrong(path, format!("At least {min} characters are needed."));
            None
        } else if length > max {
            self.wrong(
                path,
                format!("{length} characters are more than the {max} allowed."),
            );
            None
        } else {
            Some(Value::String(text))
        }
    }

    fn list(
        &mut self,
        value: Value,
        of: &Kind,
        min: usize,
        max: usize,
        path: &str,
    ) -> Option<Value> {
        let items = match value {
            Value::Array(items) => items,
            // One item without its brackets.
            one @ (Value::String(_) | Value::Object(_)) => vec![one],
            other => return self.not_a(path, "a list", &other),
        };
        if items.len() < min || items.len() > max {
            self.wrong(
                path,
                format!("{} items are not between {min} and {max}.", items.len()),
            );
            return None;
        }
        let read = items
            .into_iter()
            .enumerate()
            .filter_map(|(index, item)| self.value(of, item, &format!("{path}[{index}]")));
        Some(Value::Array(read.collect()))
    }

    fn not_a(&mut self, path: &str, wanted: &str, value: &Value) -> Option<Value> {
        let given = match value {
            Value::Null => "nothing",
            Value::Bool(_) => "true or false",
            Value::Number(_) => "a number",
            Value::String(_) => "a text",
            Value::Array(_) => "a list",
            Value::Object(_) => "an object",
        };
        self.wrong(path, format!("This must be {wanted}, not {given}."));
        None
    }
}

fn integer(value: &Value) -> Option<i64> {
    match value {
        Value::Number(number) => number.as_i64().or_else(|| {
            let float = number.as_f64()?;
            #[expect(clippy::cast_possible_truncation, reason = "it is whole and in range")]
            (float.fract() == 0.0 && float.abs() < 9e15).then_some(float as i64)
        }),
        Value::String(text) => text.trim().parse().ok(),
        _ => None,
    }
}

fn fraction(value: &Value) -> Option<f64> {
    match value {
        Value::Number(number) => number.as_f64(),
        Value::String(text) => text
            .trim()
            .parse()
            .ok()
            .filter(|number: &f64| number.is_finite()),
        _ => None,
    }
}

fn flag(value: &Value) -> Option<bool> {
    match value {
        Value::Bool(flag) => Some(*flag),
        Value::String(text) => match text.trim() {
            "true" => Some(true),
            "false" => Some(false),
            _ => None,
        },
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMIT: Kind = Kind::Integer { min: 1, max: 100 };
    const SEARCH: &[Param] = &[
        required(
            "query",
            Kind::Text { min: 1, max: 10 },
            "what is looked for",
        ),
        optional("limit", LIMIT, "").or("10"),
        optional("mode", Kind::Choice(&["auto", "keyword"]), "").or("\"auto\""),
        optional(
            "files",
            Kind::List {
                of: &TEXT,
                min: 0,
                max: 3,
            },
            "",
        )
        .also(&["paths"]),
    ];

    fn call(given: Value) -> Result<Value, Vec<String>> {
        let Value::Object(given) = given else {
            panic!("{given}");
        };
        read(SEARCH, given)
            .map(|read| Value::Object(read.values))
            .map_err(|wrong| wrong.into_iter().map(|wrong| wrong.path).collect())
    }

    #[test]
    fn defaults_are_filled_in_and_exact_texts_are_numbers() {
        assert_eq!(
            call(json!({"query": "q", "limit": "5"})),
            Ok(json!({"query": "q", "limit": 5, "mode": "auto"}))
        );
        assert_eq!(
            call(json!({"query": "q", "paths": "a.rs", "limit": null})),
            Ok(json!({"query": "q", "limit": 10, "mode": "auto", "files": ["a.rs"]}))
        );
    }

    #[test]
    fn all_violations_are_told_at_once() {
        assert_eq!(
            call(json!({"limit": 500, "mode": "x", "files": [1, {}]})),
            Err(vec![
                "query".to_owned(),
                "limit".to_owned(),
                "mode".to_owned(),
                "files[1]".to_owned()
            ])
        );
        assert_eq!(call(json!({"query": "  "})), Err(vec!["query".to_owned()]));
    }

    #[test]
    fn an_unknown_name_is_a_warning() {
        let given = json!({"query": "q", "colour": 1});
        let read = read(SEARCH, given.as_object().unwrap().clone()).unwrap();
        assert_eq!(
            read.warnings,
            ["`colour` is not known here and was ignored."]
        );
    }

    #[test]
    fn the_schema_says_what_is_taken() {
        let schema = Value::Object(schema(SEARCH));
        assert_eq!(schema["required"], json!(["query"]));
        assert_eq!(schema["properties"]["limit"]["maximum"], json!(100));
        assert_eq!(schema["properties"]["mode"]["default"], json!("auto"));
        assert!(schema.get("additionalProperties").is_none());
    }
}
