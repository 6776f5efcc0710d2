use asd_text::Span;
use serde_json::{Map, Value as Json};

use super::Plain;

/// A YAML node with its place in the file.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Node {
    pub value: Value,
    /// The node with its quotes or brackets; empty for a value that is not
    /// there. Of an alias, the span of the `*name`.
    pub span: Span,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Value {
    Scalar(Scalar),
    Seq(Vec<Node>),
    Map(Vec<Entry>),
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Scalar {
    pub text: String,
    pub style: Style,
}

/// How a scalar is written; only a plain one can be a number, a boolean or
/// null.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Style {
    Plain,
    Quoted,
    Block,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Entry {
    pub key: String,
    pub key_span: Span,
    pub value: Node,
}

impl Node {
    pub(crate) fn null(at: usize) -> Self {
        Self::scalar("", Style::Plain, Span::empty(at))
    }

    pub(crate) fn scalar(text: impl Into<String>, style: Style, span: Span) -> Self {
        Self {
            value: Value::Scalar(Scalar {
                text: text.into(),
                style,
            }),
            span,
        }
    }

    /// A tree for a JSON value; every node has the one span, because JSON
    /// carries no positions.
    pub(crate) fn from_json(json: &Json, span: Span) -> Self {
        match json {
            Json::Null => Self::scalar("", Style::Plain, span),
            Json::Bool(value) => Self::scalar(value.to_string(), Style::Plain, span),
            Json::Number(value) => Self::scalar(value.to_string(), Style::Plain, span),
            Json::String(value) => Self::scalar(value.clone(), Style::Quoted, span),
            Json::Array(items) => Self {
                value: Value::Seq(
                    items
                        .iter()
                        .map(|item| Self::from_json(item, span))
                        .collect(),
                ),
                span,
            },
            Json::Object(entries) => Self {
                value: Value::Map(
                    entries
                        .iter()
                        .map(|(key, value)| Entry {
                            key: key.clone(),
                            key_span: span,
                            value: Self::from_json(value, span),
                        })
                        .collect(),
                ),
                span,
            },
        }
    }

    /// Whether it is `null`, `~` or nothing at all.
    pub(crate) fn is_null(&self) -> bool {
        matches!(&self.value, Value::Scalar(scalar) if scalar.plain() == Some(Plain::Null))
    }

    /// What a person would call it.
    pub(crate) fn type_name(&self) -> &'static str {
        match &self.value {
            Value::Seq(_) => "a list",
            Value::Map(_) => "a mapping",
            Value::Scalar(scalar) => match scalar.plain() {
                Some(Plain::Null) => "nothing",
                Some(Plain::Bool(_)) => "a boolean",
                Some(Plain::Int(_) | Plain::Float(_)) => "a number",
                None => "text",
            },
        }
    }

    pub(crate) fn entries(&self) -> Option<&[Entry]> {
        match &self.value {
            Value::Map(entries) => Some(entries),
            _ => None,
        }
    }

    /// The value without its places. Of a key that occurs twice the first
    /// counts.
    pub(crate) fn to_json(&self) -> Json {
        match &self.value {
            Value::Scalar(scalar) => match scalar.plain() {
                None => Json::String(scalar.text.clone()),
                Some(Plain::Null) => Json::Null,
                Some(Plain::Bool(value)) => Json::Bool(value),
                Some(Plain::Int(value)) => Json::Number(value),
                Some(Plain::Float(value)) => serde_json::Number::from_f64(value)
                    .map_or_else(|| Json::String(scalar.text.clone()), Json::Number),
            },
            Value::Seq(items) => Json::Array(items.iter().map(Self::to_json).collect()),
            Value::Map(entries) => {
                let mut map = Map::new();
                for entry in entries {
                    if !map.contains_key(&entry.key) {
                        map.insert(entry.key.clone(), entry.value.to_json());
                    }
                }
                Json::Object(map)
            }
        }
    }
}

impl Scalar {
    /// What a plain scalar stands for when it is not text.
    pub(crate) fn plain(&self) -> Option<Plain> {
        match self.style {
            Style::Plain => Plain::of(&self.text),
            Style::Quoted | Style::Block => None,
        }
    }
}
