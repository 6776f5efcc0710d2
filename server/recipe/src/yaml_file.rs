//! Other YAML files that people write for Alembic, read with places and with
//! the same limits as a front matter.

use asd_text::Span;
use serde_json::Value as Json;

use crate::hostile::refusal;
use crate::yaml::{Node, Value, load_lenient};
use crate::{Problem, ProblemCode, Severity};

/// A value of a YAML file, with its place.
#[derive(Clone, Debug, PartialEq)]
pub struct YamlNode(Node);

/// One entry of a mapping.
#[derive(Clone, Debug, PartialEq)]
pub struct YamlEntry {
    /// The key.
    pub key: String,
    /// Where the key stands.
    pub key_span: Span,
    /// The value.
    pub value: YamlNode,
}

impl YamlNode {
    /// Where it stands in the file.
    #[must_use]
    pub const fn span(&self) -> Span {
        self.0.span
    }

    /// The entries of a mapping.
    #[must_use]
    pub fn entries(&self) -> Option<Vec<YamlEntry>> {
        let entries = self.0.entries()?.iter().map(|entry| YamlEntry {
            key: entry.key.clone(),
            key_span: entry.key_span,
            value: Self(entry.value.clone()),
        });
        Some(entries.collect())
    }

    /// The items of a list.
    #[must_use]
    pub fn items(&self) -> Option<Vec<Self>> {
        match &self.0.value {
            Value::Seq(items) => Some(items.iter().cloned().map(Self).collect()),
            _ => None,
        }
    }

    /// The text of a scalar, whatever it looks like; nothing for `null`.
    #[must_use]
    pub fn text(&self) -> Option<&str> {
        match &self.0.value {
            Value::Scalar(scalar) if !self.0.is_null() => Some(&scalar.text),
            _ => None,
        }
    }

    /// What a person would call it: `a list`, `a number`, …
    #[must_use]
    pub fn type_name(&self) -> &'static str {
        self.0.type_name()
    }

    /// The value without its places.
    #[must_use]
    pub fn to_json(&self) -> Json {
        self.0.to_json()
    }
}

/// Reads a YAML file as far as it can be read. `None` only when it is refused
/// as hostile.
#[must_use]
pub fn read_yaml(text: &str) -> (Option<YamlNode>, Vec<Problem>) {
    if let Some(problem) = refusal(text) {
        return (None, vec![problem]);
    }
    match load_lenient(text, 0) {
        Ok(loaded) => {
            let problems = loaded.broken.into_iter().map(|broken| Problem {
                span: broken.span,
                severity: Severity::Error,
                code: ProblemCode::Config,
                message: broken.message,
                fix: None,
            });
            let problems = problems.collect();
            (Some(YamlNode(loaded.root)), problems)
        }
        Err(error) => {
            let mut problem = crate::parse::too_much(text, &error);
            problem.message = problem.message.replace("This front matter", "This file");
            (None, vec![problem])
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_have_their_places() {
        let text = "roles:\n  dev: ['*', 5]\n";
        let (root, problems) = read_yaml(text);
        assert!(problems.is_empty());
        let roles = &root.unwrap().entries().unwrap()[0];
        let dev = &roles.value.entries().unwrap()[0];
        assert_eq!(dev.key_span.of(text), "dev");
        let items = dev.value.items().unwrap();
        assert_eq!(items[0].text(), Some("*"));
        assert_eq!(items[0].span().of(text), "'*'");
        assert_eq!(items[1].text(), Some("5"));
    }

    #[test]
    fn hostile_files_are_refused() {
        let (root, problems) = read_yaml(&format!("{}1{}", "[".repeat(99), "]".repeat(99)));
        assert!(root.is_none());
        assert_eq!(problems[0].code, ProblemCode::Hostile);
    }
}
