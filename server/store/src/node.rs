use asd_recipe::{Problem, ProblemCode, QuickFix, Severity};
use asd_text::{Span, TextEdit};

/// A value of a settings file with the place where it stands. TOML, JSON and
/// the settings that a client sends are all read in this one form.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub(crate) span: Span,
    pub(crate) value: Value,
}

#[derive(Clone, Debug)]
pub(crate) enum Value {
    Null,
    Bool(bool),
    Integer(i64),
    Float(f64),
    String(String),
    Array(Vec<Node>),
    Table(Vec<Entry>),
}

#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub(crate) key: String,
    pub(crate) key_span: Span,
    pub(crate) node: Node,
}

impl Node {
    /// The name of its type, as a person writing the file would say it.
    pub(crate) const fn type_name(&self) -> &'static str {
        match self.value {
            Value::Null => "null",
            Value::Bool(_) => "true or false",
            Value::Integer(_) => "a whole number",
            Value::Float(_) => "a number",
            Value::String(_) => "a string",
            Value::Array(_) => "a list",
            Value::Table(_) => "a table",
        }
    }

    /// Reads TOML. What stands on sound lines is kept when others are broken.
    pub(crate) fn from_toml(text: &str) -> (Self, Vec<Problem>) {
        let (table, errors) = toml::de::DeTable::parse_recoverable(text);
        // What a broken line does to those below it needs no telling.
        let problems = errors
            .iter()
            .min_by_key(|error| error.span().map_or(0, |span| span.start))
            .map(|error| {
                let span = error.span().map_or(Span::empty(0), Span::from);
                problem(
                    visible(text, span),
                    Severity::Error,
                    ProblemCode::Config,
                    format!("This is not valid TOML: {}.", one_line(error.message())),
                )
            })
            .into_iter()
            .collect();
        let node = Self {
            span: Span::new(0, text.len()),
            value: toml_table(table.into_inner()),
        };
        (node, problems)
    }

    /// Reads JSON, with comments and trailing commas allowed.
    pub(crate) fn from_json(text: &str) -> (Self, Vec<Problem>) {
        let empty = Self {
            span: Span::new(0, text.len()),
            value: Value::Table(Vec::new()),
        };
        match jsonc_parser::parse_to_ast(
            text,
            &jsonc_parser::CollectOptions::default(),
            &jsonc_parser::ParseOptions::default(),
        ) {
            Ok(parsed) => (parsed.value.map_or(empty, json_node), Vec::new()),
            Err(error) => {
                let range = error.range();
                let span = Span::new(range.start.min(text.len()), range.end.min(text.len()));
                let problem = problem(
                    visible(text, span),
                    Severity::Error,
                    ProblemCode::Config,
                    format!(
                        "This is not valid JSON: {}.",
                        one_line(&error.kind().to_string())
                    ),
                );
                (empty, vec![problem])
            }
        }
    }

    /// Takes settings that have no text, such as those of a client.
    pub(crate) fn from_value(value: &serde_json::Value) -> Self {
        let value = match value {
            serde_json::Value::Null => Value::Null,
            serde_json::Value::Bool(b) => Value::Bool(*b),
            serde_json::Value::Number(n) => n.as_i64().map_or_else(
                || Value::Float(n.as_f64().unwrap_or(f64::NAN)),
                Value::Integer,
            ),
            serde_json::Value::String(s) => Value::String(s.clone()),
            serde_json::Value::Array(items) => {
                Value::Array(items.iter().map(Self::from_value).collect())
            }
            serde_json::Value::Object(map) => Value::Table(
                map.iter()
                    .map(|(key, value)| Entry {
                        key: key.clone(),
                        key_span: Span::default(),
                        node: Self::from_value(value),
                    })
                    .collect(),
            ),
        };
        Self {
            span: Span::default(),
            value,
        }
    }

    /// The same without its places.
    pub(crate) fn to_value(&self) -> serde_json::Value {
        match &self.value {
            Value::Null => serde_json::Value::Null,
            Value::Bool(b) => (*b).into(),
            Value::Integer(i) => (*i).into(),
            Value::Float(f) => (*f).into(),
            Value::String(s) => s.as_str().into(),
            Value::Array(items) => items.iter().map(Self::to_value).collect(),
            Value::Table(entries) => entries
                .iter()
                .map(|entry| (entry.key.clone(), entry.node.to_value()))
                .collect(),
        }
    }
}

fn toml_table(table: toml::de::DeTable<'_>) -> Value {
    let mut entries: Vec<Entry> = table
        .into_iter()
        // What the parser put in the place of a missing value.
        .filter(|(_, value)| !value.span().is_empty())
        .map(|(key, value)| Entry {
            key_span: Span::from(key.span()),
            key: key.into_inner().into_owned(),
            node: toml_node(value),
        })
        .collect();
    entries.sort_by_key(|entry| entry.key_span.start);
    Value::Table(entries)
}

fn toml_node(spanned: toml::Spanned<toml::de::DeValue<'_>>) -> Node {
    use toml::de::DeValue;
    let span = Span::from(spanned.span());
    let value = match spanned.into_inner() {
        DeValue::String(s) => Value::String(s.into_owned()),
        DeValue::Integer(i) => i64::from_str_radix(i.as_str(), i.radix())
            .map_or_else(|_| Value::String(i.as_str().to_owned()), Value::Integer),
        DeValue::Float(f) => f
            .as_str()
            .parse()
            .map_or_else(|_| Value::String(f.as_str().to_owned()), Value::Float),
        DeValue::Boolean(b) => Value::Bool(b),
        DeValue::Datetime(d) => Value::String(d.to_string()),
        DeValue::Array(items) => Value::Array(items.into_iter().map(toml_node).collect()),
        DeValue::Table(table) => toml_table(table),
    };
    Node { span, value }
}

fn json_node(value: jsonc_parser::ast::Value<'_>) -> Node {
    use jsonc_parser::ast;
    use jsonc_parser::common::Ranged;
    let range = value.range();
    let span = Span::new(range.start, range.end);
    let value = match value {
        ast::Value::StringLit(s) => Value::String(s.value.into_owned()),
        ast::Value::NumberLit(n) => n.value.parse().map_or_else(
            |_| Value::Float(n.value.parse().unwrap_or(f64::NAN)),
            Value::Integer,
        ),
        ast::Value::BooleanLit(b) => Value::Bool(b.value),
        ast::Value::NullKeyword(_) => Value::Null,
        ast::Value::Array(array) => {
            Value::Array(array.elements.into_iter().map(json_node).collect())
        }
        ast::Value::Object(object) => Value::Table(
            object
                .properties
                .into_iter()
                .map(|property| {
                    let range = property.name.range();
                    // Without its quotes, so that a fix can replace the word.
                    let quotes =
                        usize::from(matches!(property.name, ast::ObjectPropName::String(_)));
                    Entry {
                        key_span: Span::new(range.start + quotes, range.end - quotes),
                        key: property.name.into_string(),
                        node: json_node(property.value),
                    }
                })
                .collect(),
        ),
    };
    Node { span, value }
}

pub(crate) const fn problem(
    span: Span,
    severity: Severity,
    code: ProblemCode,
    message: String,
) -> Problem {
    Problem {
        span,
        severity,
        code,
        message,
        fix: None,
    }
}

/// A problem with a word that is not known, with the known word that it is
/// most like, if any is like it.
pub(crate) fn unknown(
    span: Span,
    code: ProblemCode,
    what: &str,
    word: &str,
    known: &[&str],
) -> Problem {
    let quoted = known
        .iter()
        .map(|k| format!("`{k}`"))
        .collect::<Vec<_>>()
        .join(", ");
    match nearest(word, known) {
        Some(near) => Problem {
            fix: (!span.is_empty()).then(|| QuickFix {
                title: format!("Change to `{near}`"),
                edits: vec![TextEdit::replace(span, near)],
            }),
            ..problem(
                span,
                Severity::Warning,
                code,
                format!("`{word}` is not a {what}. Did you mean `{near}`?"),
            )
        },
        None => problem(
            span,
            Severity::Warning,
            code,
            format!("`{word}` is not a {what}. Known here: {quoted}."),
        ),
    }
}

/// The known word that `word` is most like, when the two differ by no more than
/// two letters in five. Case, `-` and `_` do not count.
fn nearest<'k>(word: &str, known: &[&'k str]) -> Option<&'k str> {
    let plain = |s: &str| -> Vec<char> {
        s.chars()
            .filter(|c| !matches!(c, '-' | '_'))
            .flat_map(char::to_lowercase)
            .collect()
    };
    let word = plain(word);
    known
        .iter()
        .map(|candidate| (distance(&word, &plain(candidate)), *candidate))
        .min_by_key(|(distance, _)| *distance)
        .filter(|(distance, candidate)| distance * 5 <= candidate.len().max(word.len()) * 2)
        .map(|(_, candidate)| candidate)
}

/// The number of letters to insert, remove or replace.
fn distance(a: &[char], b: &[char]) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

/// A span that an editor can underline: never empty where there is text.
fn visible(text: &str, span: Span) -> Span {
    let start = floor(text, span.start);
    let end = floor(text, span.end);
    if start < end {
        return Span::new(start, end);
    }
    match text[start..].chars().next() {
        Some(c) if c != '\n' && c != '\r' => Span::new(start, start + c.len_utf8()),
        _ => match text[..start].chars().next_back() {
            Some(c) if c != '\n' && c != '\r' => Span::new(start - c.len_utf8(), start),
            _ => Span::empty(start),
        },
    }
}

fn floor(text: &str, offset: usize) -> usize {
    let mut offset = offset.min(text.len());
    while !text.is_char_boundary(offset) {
        offset -= 1;
    }
    offset
}

fn one_line(message: &str) -> String {
    message
        .trim_end_matches('.')
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
}
