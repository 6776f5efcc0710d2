//! Keys and values of a recipe's front matter.

use asd_recipe::{KeyInfo, Need, ValueType, is_known_language, keys_at};
use asd_text::Span;
use tower_lsp_server::ls_types::{
    CompletionItem, CompletionItemKind, CompletionList, CompletionTextEdit, Documentation, TextEdit,
};

use crate::front_matter::{At, Cursor, cursor};
use crate::recipe_file::home_of;
use crate::recipes;
use crate::snapshot::DocumentView;

/// What can stand at a place of a recipe's front matter.
pub(super) fn complete(view: &DocumentView, offset: usize) -> Option<CompletionList> {
    home_of(view.path.as_deref()?)?;
    let text = &view.text().text;
    let within = front_matter(text).filter(|within| within.touches(offset))?;
    let place = cursor(text, within, offset)?;
    let items = match place.at {
        At::Key(span) => match list_values(&place) {
            Some(values) => values_items(view, span, &values),
            None => keys(view, text, within, &place, span),
        },
        At::Value(span) => values_items(view, span, &values_of(view, &place)?),
    };
    (!items.is_empty()).then_some(CompletionList {
        is_incomplete: false,
        items,
    })
}

/// The text between the two lines of dashes; to the end while the second has
/// not been written.
fn front_matter(text: &str) -> Option<Span> {
    let start = text.len() - text.strip_prefix('\u{feff}').unwrap_or(text).len();
    let rest = &text[start..];
    let first = rest.split_inclusive(['\n', '\r']).next()?;
    if first.trim_end() != "---" {
        return None;
    }
    let mut begin = start + first.len();
    if first.ends_with('\r') && text[begin..].starts_with('\n') {
        begin += 1;
    }
    let mut at = begin;
    for line in text[begin..].split_inclusive(['\n', '\r']) {
        if line.trim_end() == "---" {
            return Some(Span::new(begin, at));
        }
        at += line.len();
    }
    Some(Span::new(begin, text.len()))
}

/// The table of keys in whose mapping the cursor stands.
fn table(parents: &[String]) -> Option<&'static [KeyInfo]> {
    let mut path = String::new();
    for parent in parents {
        let key = keys_at(&path)?.iter().find(|key| key.is(parent))?;
        if !path.is_empty() {
            path.push('.');
        }
        path.push_str(key.name);
    }
    keys_at(&path)
}

fn key_of(parents: &[String]) -> Option<&'static KeyInfo> {
    let (last, outer) = parents.split_last()?;
    table(outer)?.iter().find(|key| key.is(last))
}

/// The values of a list whose entry is being written, rather than a key.
fn list_values(place: &Cursor) -> Option<Vec<Value>> {
    let key = key_of(&place.parents).filter(|_| place.in_list)?;
    (key.value == ValueType::TextList).then(|| plain(key))
}

/// A value with what it means.
struct Value {
    text: String,
    detail: Option<String>,
}

fn plain(key: &KeyInfo) -> Vec<Value> {
    key.values
        .iter()
        .map(|value| Value {
            text: (*value).to_owned(),
            detail: is_known_language(value)
                .then(|| "language".to_owned())
                .filter(|_| key.name.starts_with("language")),
        })
        .collect()
}

fn values_of(view: &DocumentView, place: &Cursor) -> Option<Vec<Value>> {
    // The targets of relations are the other recipes.
    if place.parents.first().is_some_and(|key| key == "relations") {
        return Some(
            recipes::all(&view.project)
                .filter(|(path, _)| Some(*path) != view.path.as_deref())
                .map(|(_, recipe)| Value {
                    text: format!("\"{}\"", recipe.trigger),
                    detail: Some(recipe.title.clone()),
                })
                .collect(),
        );
    }
    let key = key_of(&place.parents)?;
    if key.value == ValueType::Bool {
        let truth = ["true", "false"].map(|value| Value {
            text: value.to_owned(),
            detail: None,
        });
        return Some(truth.into());
    }
    Some(plain(key))
}

fn values_items(view: &DocumentView, span: Span, values: &[Value]) -> Vec<CompletionItem> {
    let range = view.range(span);
    let in_quotes = view.text().text[..span.start].ends_with(['"', '\'']);
    let written = |value: &Value| {
        if in_quotes {
            value.text.trim_matches('"').to_owned()
        } else {
            value.text.clone()
        }
    };
    values
        .iter()
        .enumerate()
        .map(|(index, value)| CompletionItem {
            label: value.text.trim_matches('"').to_owned(),
            kind: Some(CompletionItemKind::ENUM_MEMBER),
            detail: value.detail.clone(),
            sort_text: Some(format!("{index:04}")),
            text_edit: Some(CompletionTextEdit::Edit(TextEdit::new(
                range,
                written(value),
            ))),
            ..CompletionItem::default()
        })
        .collect()
}

/// The keys that are not there yet, needed ones first.
fn keys(
    view: &DocumentView,
    text: &str,
    within: Span,
    place: &Cursor,
    span: Span,
) -> Vec<CompletionItem> {
    let Some(table) = table(&place.parents) else {
        return Vec::new();
    };
    let is_top = place.parents.is_empty();
    let written: Vec<&str> = within
        .of(text)
        .split(['\n', '\r'])
        .filter(|line| is_top && !line.starts_with([' ', '\t', '#', '-']))
        .filter_map(|line| line.split_once(':').map(|(key, _)| key.trim()))
        .collect();
    let has_colon = text[span.end..].starts_with(':');
    let range = view.range(span);
    table
        .iter()
        .filter(|key| key.need != Need::System || key.name == "lifecycle")
        .filter(|key| {
            let own = span.of(text);
            !written.iter().any(|name| key.is(name) && *name != own)
        })
        .enumerate()
        .map(|(index, key)| {
            let new_text = if has_colon {
                key.name.to_owned()
            } else {
                match key.value {
                    ValueType::Map | ValueType::MapList => format!("{}:", key.name),
                    _ => format!("{}: ", key.name),
                }
            };
            CompletionItem {
                label: key.name.to_owned(),
                kind: Some(CompletionItemKind::PROPERTY),
                detail: Some(need(key.need).to_owned()),
                documentation: Some(Documentation::String(key.doc.to_owned())),
                sort_text: Some(format!("{}{index:04}", rank(key.need))),
                text_edit: Some(CompletionTextEdit::Edit(TextEdit::new(range, new_text))),
                ..CompletionItem::default()
            }
        })
        .collect()
}

const fn need(need: Need) -> &'static str {
    match need {
        Need::Always => "required",
        Need::Published => "required for publishing",
        Need::Expected => "expected",
        Need::Optional => "optional",
        Need::System => "filled by the tools",
    }
}

const fn rank(need: Need) -> u8 {
    match need {
        Need::Always => 0,
        Need::Published => 1,
        Need::Expected => 2,
        Need::Optional => 3,
        Need::System => 4,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn front_matter_lies_between_dashes() {
        let at = |text: &str| front_matter(text).map(|span| span.of(text).to_owned());
        assert_eq!(at("---\na: 1\n---\nx").as_deref(), Some("a: 1\n"));
        assert_eq!(at("---\r\na: 1\r\n---\r\nx").as_deref(), Some("a: 1\r\n"));
        assert_eq!(at("\u{feff}---\na: 1").as_deref(), Some("a: 1"));
        assert_eq!(at("a: 1\n---\n"), None);
    }

    #[test]
    fn tables_are_found_under_any_spelling() {
        let keys = |parents: &[&str]| {
            let parents: Vec<String> = parents.iter().map(|p| (*p).to_owned()).collect();
            table(&parents).map(|keys| keys[0].name)
        };
        assert_eq!(keys(&[]), Some("id"));
        assert_eq!(keys(&["guards"]), Some("id"));
        assert_eq!(keys(&["guards", "ast_query"]), Some("type"));
        assert_eq!(keys(&["nothing"]), None);
    }
}
