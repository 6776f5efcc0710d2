//! What older files, and files made from JSON, hold in the front matter.

use serde_json::Value as Json;

use super::fields::Reader;
use crate::keys::{ELSEWHERE, find_key};
use crate::yaml::{Entry, Node, Value};
use crate::{Code, CodeChange, Recipe, Step, Verification};

/// Older files hold nested values as JSON, some of them in quotes.
pub(super) fn unpack_json(entries: &[Entry]) -> Vec<Entry> {
    entries
        .iter()
        .map(|entry| {
            let mut entry = entry.clone();
            if entry.key.starts_with('_')
                && let Value::Scalar(scalar) = &entry.value.value
                && let Ok(json) = serde_json::from_str::<Json>(&scalar.text)
                && (json.is_object() || json.is_array())
            {
                entry.value = Node::from_json(&json, entry.value.span);
            }
            entry
        })
        .collect()
}

/// Prose and code that older files, and files made from JSON, hold in the front
/// matter.
pub(super) fn body_fields(reader: &mut Reader<'_>, entries: &[Entry], recipe: &mut Recipe) {
    for entry in entries {
        match find_key(ELSEWHERE, &entry.key).map(|key| key.name) {
            Some("coreCode") => {
                recipe.core_code = reader.text(entry).map(|text| Code {
                    language: recipe.language.clone(),
                    text,
                    span: entry.value.span,
                });
            }
            Some("usageGuide") => {
                recipe.usage_guide = reader.text(entry).unwrap_or_default().trim().to_owned();
            }
            Some("content") => content(reader, entry, recipe),
            _ => {}
        }
    }
}

fn content(reader: &mut Reader<'_>, entry: &Entry, recipe: &mut Recipe) {
    for entry in reader.map(entry) {
        let content = &mut recipe.content;
        match entry.key.as_str() {
            "markdown" => content.markdown = reader.text(entry).map(trimmed).unwrap_or_default(),
            "rationale" => content.rationale = reader.text(entry).map(trimmed).unwrap_or_default(),
            "pattern" => content.pattern = reader.text(entry).map(trimmed).unwrap_or_default(),
            "steps" => content.steps = steps(&entry.value),
            "codeChanges" | "code_changes" => {
                content.code_changes = list_of::<CodeChange>(&entry.value);
            }
            "verification" => {
                content.verification =
                    serde_json::from_value::<Verification>(entry.value.to_json()).ok();
            }
            _ => {}
        }
    }
}

fn trimmed(text: String) -> String {
    crate::markdown::block_text(&text)
}

fn steps(node: &Node) -> Vec<Step> {
    let Json::Array(items) = node.to_json() else {
        return Vec::new();
    };
    items
        .into_iter()
        .filter_map(|item| match item {
            Json::String(title) => Some(Step {
                title,
                ..Step::default()
            }),
            other => serde_json::from_value(other).ok(),
        })
        .collect()
}

fn list_of<T: serde::de::DeserializeOwned>(node: &Node) -> Vec<T> {
    match node.to_json() {
        Json::Array(items) => items
            .into_iter()
            .filter_map(|item| serde_json::from_value(item).ok())
            .collect(),
        _ => Vec::new(),
    }
}
