//! From a trigger to its recipe and back.

use std::sync::atomic::AtomicBool;

use asd_guard::{RuleOrigin, RuleSet};
use asd_recipe::{Recipe, trigger_key};
use asd_text::Span;
use tower_lsp_server::jsonrpc;
use tower_lsp_server::ls_types::{
    GotoDefinitionParams, GotoDefinitionResponse, Location, LocationLink, ReferenceParams,
};

use crate::mentions::{mention_at, mentions, suppressed_rules};
use crate::project_files::{self, ProjectFile};
use crate::recipe_file::{self, home_of, is_on_name, parse_open};
use crate::recipes;
use crate::snapshot::{DocumentView, Snapshot};

/// `textDocument/definition`
pub fn definition(
    snapshot: &Snapshot,
    params: GotoDefinitionParams,
    _cancel: &AtomicBool,
) -> Result<Option<GotoDefinitionResponse>, jsonrpc::Error> {
    let place = params.text_document_position_params;
    let Some(view) = snapshot.document(&place.text_document.uri) else {
        return Ok(None);
    };
    let offset = view.offset(place.position);
    let Some((origin, target)) = target_at(snapshot, &view, offset) else {
        return Ok(None);
    };
    Ok(Some(if snapshot.client().definition_links() {
        GotoDefinitionResponse::Link(vec![LocationLink {
            origin_selection_range: Some(view.range(origin)),
            target_uri: target.uri,
            target_range: target.range,
            target_selection_range: target.range,
        }])
    } else {
        GotoDefinitionResponse::Scalar(target)
    }))
}

/// What stands at `offset`, and where it leads.
fn target_at(snapshot: &Snapshot, view: &DocumentView, offset: usize) -> Option<(Span, Location)> {
    let project = &view.project;
    let text = &view.text().text;
    if let Some(recipe) = parse_open(view).and_then(|parsed| parsed.recipe) {
        let source = recipe
            .reasoning
            .sources
            .iter()
            .find(|source| !source.span.is_empty() && source.span.touches(offset));
        if let Some(source) = source {
            let location = recipe_file::source_location(snapshot, project, source)?;
            return Some((source.span, location));
        }
        let relation = recipe
            .relations
            .values()
            .flatten()
            .find(|relation| !relation.span.is_empty() && relation.span.touches(offset));
        if let Some(relation) = relation {
            let (path, _) = recipes::by_name(project, &relation.target)?;
            return Some((
                relation.span,
                recipe_file::location(snapshot, project, path)?,
            ));
        }
    }
    if let Some(span) = mention_at(view.language(), text, offset) {
        let (path, _) = recipes::by_trigger(project, span.of(text))?;
        return Some((span, recipe_file::location(snapshot, project, path)?));
    }
    let named = suppressed_rules(text)
        .into_iter()
        .find(|rule| rule.span.touches(offset))?;
    let rules = project.state.rules().rules();
    let rule = rules.iter().find(|rule| rule.id == named.id)?;
    let RuleOrigin::Recipe(origin) = &rule.origin else {
        return None;
    };
    let recipe_text = snapshot.text_of(project, &origin.path)?;
    let uri = snapshot.uri_of(project, &origin.path)?;
    let range = snapshot.range(&recipe_text, clamped(origin.guard_span, &recipe_text.text));
    Some((named.span, Location::new(uri, range)))
}

/// A span that may be of another version of a text, within it.
fn clamped(span: Span, text: &str) -> Span {
    let end = span.end.min(text.len());
    Span::new(span.start.min(end), end)
}

/// `textDocument/references`
pub fn references(
    snapshot: &Snapshot,
    params: ReferenceParams,
    cancel: &AtomicBool,
) -> Result<Option<Vec<Location>>, jsonrpc::Error> {
    let place = params.text_document_position;
    let Some(view) = snapshot.document(&place.text_document.uri) else {
        return Ok(None);
    };
    let offset = view.offset(place.position);
    let Some((path, recipe)) = recipe_at(&view, offset) else {
        return Ok(None);
    };
    let project = &view.project;
    let mut found = Vec::new();
    if params.context.include_declaration {
        found.extend(recipe_file::location(snapshot, project, path));
    }
    let key = trigger_key(&recipe.trigger);
    let (rules, _) = project_files::rules_of(path, recipe, None);
    let places = project_files::ask_all(
        snapshot,
        project,
        cancel,
        |_| true,
        |file| {
            let Some(uri) = file.uri(project) else {
                return Ok(None);
            };
            let mut spans = mentions_in(file, &key);
            if file.path == path {
                // The recipe's own trigger is its declaration.
                spans.retain(|span| !own_name(file).is_some_and(|own| own.contains(*span)));
            }
            spans.extend(findings_in(file, recipe, &rules, cancel)?);
            spans.sort_unstable();
            spans.dedup();
            let range = |span| snapshot.range(&file.text, span);
            Ok(Some(
                spans
                    .into_iter()
                    .map(|span| Location::new(uri.clone(), range(span)))
                    .collect::<Vec<_>>(),
            ))
        },
    )?;
    found.extend(places.into_iter().flatten());
    Ok(Some(found))
}

/// The recipe that is named at `offset`: by a mention, or by its own file's
/// trigger or title.
pub(super) fn recipe_at(view: &DocumentView, offset: usize) -> Option<(&str, &Recipe)> {
    let text = &view.text().text;
    if let Some(span) = mention_at(view.language(), text, offset) {
        return recipes::by_trigger(&view.project, span.of(text));
    }
    let parsed = parse_open(view)?;
    if !is_on_name(&parsed, offset) {
        return None;
    }
    let path = view.path.as_deref()?;
    recipes::at_path(&view.project, path)
}

/// Where a file mentions the recipe with that key.
pub(super) fn mentions_in(file: &ProjectFile, key: &str) -> Vec<Span> {
    let text = &file.text.text;
    mentions(file.language, text)
        .into_iter()
        .filter(|span| trigger_key(span.of(text)) == key)
        .collect()
}

fn own_name(file: &ProjectFile) -> Option<Span> {
    let parsed = asd_recipe::parse(&file.text.text, home_of(&file.path)?);
    Some(recipe_file::name_span(&parsed))
}

/// The current findings of a recipe's guards: those of the published report for
/// an open document, those of the guards alone for a file on disk.
fn findings_in(
    file: &ProjectFile,
    recipe: &Recipe,
    rules: &RuleSet,
    cancel: &AtomicBool,
) -> Result<Vec<Span>, jsonrpc::Error> {
    if !recipe.lifecycle.guards_apply() || recipe.constraints.guards.is_empty() {
        return Ok(Vec::new());
    }
    let Some(view) = &file.open else {
        return file.findings(rules, cancel);
    };
    let guards = &recipe.constraints.guards;
    let report = view.report(cancel)?;
    Ok(report
        .findings
        .iter()
        .filter(|finding| guards.iter().any(|guard| guard.id == finding.rule.id))
        .map(|finding| finding.span)
        .collect())
}

#[cfg(test)]
#[path = "navigation_tests.rs"]
mod tests;
