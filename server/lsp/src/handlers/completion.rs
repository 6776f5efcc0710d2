//! Completion of triggers, front matter and rule ids.

mod front_matter;

use std::sync::atomic::AtomicBool;

use asd_recipe::{Lifecycle, Recipe, trigger_key};
use asd_text::Span;
use serde::{Deserialize, Serialize};
use tower_lsp_server::jsonrpc;
use tower_lsp_server::ls_types::{
    CompletionItem, CompletionItemKind, CompletionItemTag, CompletionList, CompletionParams,
    CompletionResponse, CompletionTextEdit, CompletionTriggerKind, Documentation, MarkupKind,
    TextEdit, Uri,
};

use super::hover::card_of;
use crate::card::Style;
use crate::mentions::{is_prose, suppressed_rule_at};
use crate::recipes;
use crate::snapshot::{DocumentView, Snapshot};

/// Longer lists are cut; the client asks again as more is typed.
const LIMIT: usize = 200;

/// `textDocument/completion`
pub fn completion(
    snapshot: &Snapshot,
    params: CompletionParams,
    _cancel: &AtomicBool,
) -> Result<Option<CompletionResponse>, jsonrpc::Error> {
    let place = params.text_document_position;
    let Some(view) = snapshot.document(&place.text_document.uri) else {
        return Ok(None);
    };
    let offset = view.offset(place.position);
    // Where an `@` made the client ask, nothing but a trigger is wanted.
    let by_at = params
        .context
        .is_some_and(|context| context.trigger_kind == CompletionTriggerKind::TRIGGER_CHARACTER);
    let list = match triggers(snapshot, &view, offset) {
        None if by_at => None,
        None => rule_ids(&view, offset).or_else(|| front_matter::complete(&view, offset)),
        triggers => triggers,
    };
    Ok(list.map(CompletionResponse::List))
}

/// What a completion item carries to be resolved.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct ItemData {
    folder: Uri,
    trigger: String,
}

/// `completionItem/resolve`: the card of a recipe as documentation.
pub fn resolve(
    snapshot: &Snapshot,
    mut item: CompletionItem,
    _cancel: &AtomicBool,
) -> Result<CompletionItem, jsonrpc::Error> {
    let data = item
        .data
        .clone()
        .and_then(|data| serde_json::from_value::<ItemData>(data).ok());
    let Some(data) = data else {
        return Ok(item);
    };
    let project = snapshot.projects().iter().find(|p| p.uri == data.folder);
    if let Some(project) = project
        && let Some((_, recipe)) = recipes::by_trigger(project, &data.trigger)
    {
        let style = style(snapshot);
        let card = card_of(snapshot, project, recipe, style);
        item.documentation = Some(Documentation::MarkupContent(style.content(card)));
    }
    Ok(item)
}

fn style(snapshot: &Snapshot) -> Style {
    let markdown = completion_item(snapshot)
        .and_then(|item| item.documentation_format.as_ref())
        .is_some_and(|formats| formats.contains(&MarkupKind::Markdown));
    if markdown {
        Style::Markdown
    } else {
        Style::Plain
    }
}

fn completion_item(
    snapshot: &Snapshot,
) -> Option<&tower_lsp_server::ls_types::CompletionItemCapability> {
    let text = snapshot.client().capabilities.text_document.as_ref()?;
    text.completion.as_ref()?.completion_item.as_ref()
}

fn resolves_documentation(snapshot: &Snapshot) -> bool {
    completion_item(snapshot)
        .and_then(|item| item.resolve_support.as_ref())
        .is_none_or(|support| {
            support
                .properties
                .iter()
                .any(|name| name == "documentation")
        })
}

/// Triggers behind an `@` in prose.
fn triggers(snapshot: &Snapshot, view: &DocumentView, offset: usize) -> Option<CompletionList> {
    let text = &view.text().text;
    let span = trigger_being_typed(text, offset)?;
    if !is_prose(view.language(), text, span.start) {
        return None;
    }
    let typed = &text[span.start + 1..offset];
    let mut found: Vec<&Recipe> = if typed.is_empty() {
        recipes::all(&view.project)
            .map(|(_, recipe)| recipe)
            .collect()
    } else {
        let key = trigger_key(typed);
        recipes::all(&view.project)
            .map(|(_, recipe)| recipe)
            .filter(|recipe| is_subsequence(&key, &trigger_key(&recipe.trigger)))
            .collect()
    };
    found.retain(|recipe| recipe.trigger.len() > 1);
    let key = trigger_key(typed);
    found.sort_by_key(|recipe| {
        let own = trigger_key(&recipe.trigger);
        (
            recipe.lifecycle == Lifecycle::Deprecated,
            !own.starts_with(&key),
            own,
        )
    });
    let is_incomplete = found.len() > LIMIT;
    let range = view.range(span);
    let lazily = resolves_documentation(snapshot);
    let items = found
        .into_iter()
        .take(LIMIT)
        .enumerate()
        .map(|(index, recipe)| {
            let documentation = (!lazily).then(|| {
                let style = style(snapshot);
                let card = card_of(snapshot, &view.project, recipe, style);
                Documentation::MarkupContent(style.content(card))
            });
            CompletionItem {
                label: recipe.trigger.clone(),
                kind: Some(CompletionItemKind::REFERENCE),
                detail: Some(recipe.title.clone()).filter(|title| !title.is_empty()),
                documentation,
                // Clients sort by this, so the order stays ours.
                sort_text: Some(format!("{index:04}")),
                filter_text: Some(recipe.trigger.clone()),
                text_edit: Some(CompletionTextEdit::Edit(TextEdit::new(
                    range,
                    recipe.trigger.clone(),
                ))),
                tags: (recipe.lifecycle == Lifecycle::Deprecated && supports_tags(snapshot))
                    .then(|| vec![CompletionItemTag::DEPRECATED]),
                data: serde_json::to_value(ItemData {
                    folder: view.project.uri.clone(),
                    trigger: recipe.trigger.clone(),
                })
                .ok(),
                ..CompletionItem::default()
            }
        })
        .collect();
    Some(CompletionList {
        is_incomplete,
        items,
    })
}

fn supports_tags(snapshot: &Snapshot) -> bool {
    completion_item(snapshot).is_some_and(|item| item.tag_support.is_some())
}

/// The trigger around the cursor, from its `@` to the end of its letters.
fn trigger_being_typed(text: &str, offset: usize) -> Option<Span> {
    let is_letter = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    let head = text[..offset].trim_end_matches(is_letter);
    let before = head.strip_suffix('@')?;
    let joins = |c: char| c.is_ascii_alphanumeric() || matches!(c, '@' | '.' | '_' | '-');
    if before.ends_with(joins) {
        return None;
    }
    let rest = &text[offset..];
    let end = offset + rest.find(|c| !is_letter(c)).unwrap_or(rest.len());
    Some(Span::new(before.len(), end))
}

fn is_subsequence(wanted: &str, text: &str) -> bool {
    let mut chars = text.chars();
    wanted.chars().all(|c| chars.any(|other| other == c))
}

/// Rule ids in a suppression comment: those that find something in the file
/// first, then the others of its language.
fn rule_ids(view: &DocumentView, offset: usize) -> Option<CompletionList> {
    let text = &view.text().text;
    let span = suppressed_rule_at(text, offset)?;
    if !is_prose(view.language(), text, offset) {
        return None;
    }
    let language = view.language()?.id();
    let range = view.range(span);
    let found_here = rules_found(view);
    let mut rules: Vec<_> = view
        .project
        .state
        .rules()
        .rules()
        .iter()
        .filter(|rule| rule.languages.is_empty() || rule.languages.iter().any(|l| l == language))
        .collect();
    rules.sort_by_key(|rule| (!found_here.contains(&rule.id), &rule.id));
    let items = rules
        .into_iter()
        .enumerate()
        .map(|(index, rule)| CompletionItem {
            label: rule.id.clone(),
            kind: Some(CompletionItemKind::VALUE),
            detail: Some(rule.message.clone()),
            sort_text: Some(format!("{index:04}")),
            text_edit: Some(CompletionTextEdit::Edit(TextEdit::new(
                range,
                rule.id.clone(),
            ))),
            ..CompletionItem::default()
        })
        .collect();
    Some(CompletionList {
        is_incomplete: false,
        items,
    })
}

/// The rules of the report that was published for this version, or none.
fn rules_found(view: &DocumentView) -> Vec<String> {
    view.document
        .report(view.project.epoch)
        .map(|report| {
            let findings = report.findings.iter();
            findings.map(|finding| finding.rule.id.clone()).collect()
        })
        .unwrap_or_default()
}

#[cfg(test)]
#[path = "completion_tests.rs"]
mod tests;
