use asd_text::{Span, TextEdit};
use indexmap::IndexMap;
use serde_json::Value as Json;

use crate::keys::{KeyInfo, find_key};
use crate::suggest::nearest;
use crate::yaml::{Entry, Node, Plain, Style, Value, flow_scalar, scalar};
use crate::{Problem, ProblemCode, QuickFix, Severity};

/// How many permitted values a message names.
const SHORT_LIST: usize = 14;

/// Reads values out of nodes and notes what is wrong with them.
pub(super) struct Reader<'a> {
    pub text: &'a str,
    pub problems: Vec<Problem>,
}

impl<'a> Reader<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self {
            text,
            problems: Vec::new(),
        }
    }

    pub(super) fn problem(
        &mut self,
        span: Span,
        severity: Severity,
        code: ProblemCode,
        message: impl Into<String>,
    ) -> &mut Problem {
        self.problems.push(Problem {
            span,
            severity,
            code,
            message: message.into(),
            fix: None,
        });
        self.problems.last_mut().expect("one was just pushed")
    }

    pub(super) fn error(
        &mut self,
        span: Span,
        code: ProblemCode,
        message: impl Into<String>,
    ) -> &mut Problem {
        self.problem(span, Severity::Error, code, message)
    }

    pub(super) fn warning(
        &mut self,
        span: Span,
        code: ProblemCode,
        message: impl Into<String>,
    ) -> &mut Problem {
        self.problem(span, Severity::Warning, code, message)
    }

    /// The span to underline for `node`: an empty one would not be seen.
    fn visible(node: &Node, key: Span) -> Span {
        if node.span.is_empty() { key } else { node.span }
    }

    /// An edit of a scalar, where its span shows exactly this scalar.
    pub(super) fn replace_scalar(&self, node: &Node, new: &str) -> Option<TextEdit> {
        let Value::Scalar(old) = &node.value else {
            return None;
        };
        let written = node.span.of(self.text);
        let exact = match old.style {
            Style::Plain => written == old.text,
            Style::Quoted => written.len() >= 2 && written.starts_with(['"', '\'']),
            Style::Block => false,
        };
        (exact && !node.span.is_empty()).then(|| TextEdit::replace(node.span, scalar(new)))
    }

    fn wrong_type(&mut self, entry: &Entry, wanted: &str) {
        let found = entry.value.type_name();
        let span = Self::visible(&entry.value, entry.key_span);
        let message = format!("`{}` must be {wanted}, but this is {found}.", entry.key);
        self.warning(span, ProblemCode::WrongType, message);
    }

    /// Text. Numbers and booleans are taken as they are written, with a
    /// warning; nothing and blank text count as absent.
    pub(super) fn text(&mut self, entry: &Entry) -> Option<String> {
        let text = self.scalar_text(&entry.value, &entry.key, entry.key_span)?;
        Some(text).filter(|text| !text.trim().is_empty())
    }

    /// Text on one line, without blanks around it.
    pub(super) fn line(&mut self, entry: &Entry) -> Option<String> {
        self.text(entry).map(|text| text.trim().to_owned())
    }

    fn scalar_text(&mut self, node: &Node, key: &str, key_span: Span) -> Option<String> {
        let Value::Scalar(found) = &node.value else {
            let message = format!("`{key}` must be text, but this is {}.", node.type_name());
            self.warning(
                Self::visible(node, key_span),
                ProblemCode::WrongType,
                message,
            );
            return None;
        };
        match found.plain() {
            Some(Plain::Null) => return None,
            None => {}
            Some(_) => {
                let edit = self.replace_scalar(node, &found.text);
                let message = format!(
                    "`{key}` must be text, but without quotes this is {}.",
                    node.type_name()
                );
                self.warning(node.span, ProblemCode::WrongType, message).fix =
                    edit.map(|edit| QuickFix {
                        title: crate::format::QUOTE.into(),
                        edits: vec![edit],
                    });
            }
        }
        Some(match found.style {
            Style::Block => found.text.trim_end_matches('\n').to_owned(),
            Style::Plain | Style::Quoted => found.text.clone(),
        })
    }

    pub(super) fn bool(&mut self, entry: &Entry) -> Option<bool> {
        if let Value::Scalar(found) = &entry.value.value {
            match found.plain() {
                Some(Plain::Bool(value)) => return Some(value),
                Some(Plain::Null) => return None,
                _ => {}
            }
            // What people write for a boolean, in quotes or in the words of YAML 1.1.
            let meant = match found.text.to_ascii_lowercase().as_str() {
                "true" | "yes" | "on" | "y" => Some(true),
                "false" | "no" | "off" | "n" => Some(false),
                _ => None,
            };
            if let Some(meant) = meant {
                let edit = self
                    .replace_scalar(&entry.value, "x")
                    .map(|edit| TextEdit::replace(edit.span, meant.to_string()));
                let message = format!("`{}` must be `true` or `false`.", entry.key);
                self.warning(entry.value.span, ProblemCode::WrongType, message)
                    .fix = edit.map(|edit| QuickFix {
                    title: format!("Change to `{meant}`"),
                    edits: vec![edit],
                });
                return Some(meant);
            }
        }
        self.wrong_type(entry, "`true` or `false`");
        None
    }

    /// A time in Unix seconds.
    pub(super) fn time(&mut self, entry: &Entry) -> Option<i64> {
        if let Value::Scalar(found) = &entry.value.value {
            match found.plain() {
                Some(Plain::Int(value)) if value.as_i64().is_some() => return value.as_i64(),
                Some(Plain::Null) => return None,
                _ => {}
            }
        }
        self.wrong_type(entry, "a time in Unix seconds");
        None
    }

    pub(super) fn number(&mut self, entry: &Entry) -> Option<f64> {
        if let Value::Scalar(found) = &entry.value.value {
            match found.plain() {
                Some(Plain::Float(value)) => return Some(value),
                Some(Plain::Int(value)) => return value.as_f64(),
                Some(Plain::Null) => return None,
                _ => {}
            }
        }
        self.wrong_type(entry, "a number");
        None
    }

    /// A list of texts; one text alone is taken as a list of one. Blank items
    /// are dropped. Each comes with its node.
    pub(super) fn texts<'n>(&mut self, entry: &'n Entry) -> Vec<(String, &'n Node)> {
        match &entry.value.value {
            Value::Seq(items) => items
                .iter()
                .filter_map(|item| {
                    let text = self.scalar_text(item, &entry.key, entry.key_span)?;
                    (!text.trim().is_empty()).then_some((text, item))
                })
                .collect(),
            Value::Scalar(_) if entry.value.is_null() => Vec::new(),
            Value::Scalar(_) => {
                let Some(text) = self.text(entry) else {
                    return Vec::new();
                };
                let edit = self
                    .replace_scalar(&entry.value, &text)
                    .map(|edit| TextEdit::replace(edit.span, format!("[{}]", flow_scalar(&text))));
                let message = format!("`{}` must be a list: `[…]`.", entry.key);
                self.warning(entry.value.span, ProblemCode::WrongType, message)
                    .fix = edit.map(|edit| QuickFix {
                    title: "Make it a list".into(),
                    edits: vec![edit],
                });
                vec![(text, &entry.value)]
            }
            Value::Map(_) => {
                self.wrong_type(entry, "a list of texts");
                Vec::new()
            }
        }
    }

    pub(super) fn strings(&mut self, entry: &Entry) -> Vec<String> {
        self.texts(entry)
            .into_iter()
            .map(|(text, _)| text)
            .collect()
    }

    /// One of the permitted values. Case and `_` for `-` are forgiven with a
    /// warning.
    pub(super) fn one_of(
        &mut self,
        entry: &Entry,
        permitted: &[&'static str],
        severity: Severity,
    ) -> Option<&'static str> {
        let written = self.line(entry)?;
        self.one_of_text(&written, &entry.value, &entry.key, permitted, severity)
    }

    pub(super) fn one_of_text(
        &mut self,
        written: &str,
        node: &Node,
        key: &str,
        permitted: &[&'static str],
        severity: Severity,
    ) -> Option<&'static str> {
        if let Some(value) = permitted.iter().find(|value| **value == written) {
            return Some(value);
        }
        let folded = |text: &str| text.to_lowercase().replace(['-', '_', ' '], "");
        let meant = permitted
            .iter()
            .copied()
            .find(|value| folded(value) == folded(written));
        let suggestion = meant.or_else(|| nearest(written, permitted.iter().copied()));
        let hint = match suggestion {
            Some(value) if permitted.len() > SHORT_LIST => format!("Did you mean `{value}`?"),
            _ => {
                let more = if permitted.len() > SHORT_LIST {
                    ", …"
                } else {
                    ""
                };
                let list: Vec<String> = permitted
                    .iter()
                    .take(SHORT_LIST)
                    .map(|value| format!("`{value}`"))
                    .collect();
                format!("Use one of {}{more}.", list.join(", "))
            }
        };
        let severity = if meant.is_some() {
            Severity::Warning
        } else {
            severity
        };
        let message = format!("`{key}` cannot be `{written}`. {hint}");
        let edit = suggestion.and_then(|value| self.replace_scalar(node, value));
        self.problem(node.span, severity, ProblemCode::InvalidValue, message)
            .fix = suggestion.zip(edit).map(|(value, edit)| QuickFix {
            title: format!("Change to `{value}`"),
            edits: vec![edit],
        });
        meant
    }

    pub(super) fn map<'n>(&mut self, entry: &'n Entry) -> &'n [Entry] {
        match &entry.value.value {
            Value::Map(entries) => entries,
            _ if entry.value.is_null() => &[],
            _ => {
                self.wrong_type(entry, "a mapping");
                &[]
            }
        }
    }

    /// Sorts the entries of a mapping by the keys of `table`; what the table
    /// does not know is reported and returned as it stands.
    pub(super) fn sort<'n>(
        &mut self,
        entries: &'n [Entry],
        table: &'static [KeyInfo],
        place: &str,
    ) -> (Known<'n>, IndexMap<String, Json>) {
        let mut known = Known::default();
        let mut extra = IndexMap::new();
        for entry in entries {
            match find_key(table, &entry.key) {
                Some(key) => {
                    if let Some(first) = known.0.get(key.name) {
                        let first = first.key.clone();
                        self.duplicate(entry, &first);
                    } else {
                        known.0.insert(key.name, entry);
                    }
                }
                None if extra.contains_key(&entry.key) => {
                    let first = entry.key.clone();
                    self.duplicate(entry, &first);
                }
                None => {
                    let used: Vec<&str> = known.0.keys().copied().collect();
                    self.unknown_key(entry, table, &used, place);
                    extra.insert(entry.key.clone(), entry.value.to_json());
                }
            }
        }
        (known, extra)
    }

    fn duplicate(&mut self, entry: &Entry, first: &str) {
        let message = if entry.key == first {
            format!("`{first}` is here twice; the first one counts. Remove one of them.")
        } else {
            format!(
                "`{}` means the same as `{first}` above, which counts. Remove one of them.",
                entry.key
            )
        };
        let fix = self.remove_entry(entry);
        self.error(entry.key_span, ProblemCode::DuplicateKey, message)
            .fix = fix.map(|edit| QuickFix {
            title: format!("Remove this `{}`", entry.key),
            edits: vec![edit],
        });
    }

    /// Takes the lines of an entry of a block mapping away.
    fn remove_entry(&self, entry: &Entry) -> Option<TextEdit> {
        let before = &self.text[..entry.key_span.start];
        let line_start = before.rfind(['\n', '\r']).map_or(0, |at| at + 1);
        if !before[line_start..].trim().is_empty() {
            return None;
        }
        let end = entry.value.span.end.max(entry.key_span.end);
        let rest = &self.text[end..];
        let line_end = rest.find(['\n', '\r'])?;
        let tail = rest[..line_end].trim_start();
        let whole_line = tail.is_empty() || tail.starts_with('#') || tail.starts_with(':');
        let ending = if rest[line_end..].starts_with("\r\n") {
            2
        } else {
            1
        };
        whole_line.then(|| TextEdit::remove(Span::new(line_start, end + line_end + ending)))
    }

    fn unknown_key(
        &mut self,
        entry: &Entry,
        table: &'static [KeyInfo],
        used: &[&str],
        place: &str,
    ) {
        let free = table
            .iter()
            .map(|key| key.name)
            .filter(|name| !used.contains(name));
        let suggestion = nearest(&entry.key, free);
        let (severity, message) =
            match suggestion.or_else(|| nearest(&entry.key, table.iter().map(|key| key.name))) {
                Some(name) => (
                    Severity::Warning,
                    format!(
                        "`{}` is not a key {place}. Did you mean `{name}`?",
                        entry.key
                    ),
                ),
                None => (
                    Severity::Info,
                    format!(
                        "`{}` is not a key {place}. It is kept but has no effect.",
                        entry.key
                    ),
                ),
            };
        let exact = entry.key_span.of(self.text) == entry.key;
        self.problem(entry.key_span, severity, ProblemCode::UnknownKey, message)
            .fix = suggestion.filter(|_| exact).map(|name| QuickFix {
            title: format!("Change to `{name}`"),
            edits: vec![TextEdit::replace(entry.key_span, name)],
        });
    }
}

/// The entries of a mapping by the name of their key.
#[derive(Default)]
pub(super) struct Known<'n>(IndexMap<&'static str, &'n Entry>);

impl<'n> Known<'n> {
    pub(super) fn get(&self, name: &str) -> Option<&'n Entry> {
        self.0.get(name).copied()
    }
}
