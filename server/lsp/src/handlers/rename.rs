//! Renaming a trigger: in its recipe, in the name of the recipe's file, in the
//! relations of other recipes and wherever it is mentioned.

use std::sync::atomic::AtomicBool;

use asd_recipe::{Home, Recipe, file_stem, is_canonical_trigger, normalise_trigger, trigger_key};
use asd_text::Span;
use tower_lsp_server::jsonrpc;
use tower_lsp_server::ls_types::{
    PrepareRenameResponse, RenameParams, TextDocumentPositionParams, TextEdit, Uri, WorkspaceEdit,
};

use crate::mentions::{is_prose, mention_at, mentions, suppressed_rules};
use crate::project::Project;
use crate::project_files::{self, ProjectFile};
use crate::recipe_file::{home_of, parse_open};
use crate::recipes;
use crate::snapshot::{DocumentView, Snapshot};
use crate::workspace_edit::{EditBuilder, EditSupport};

/// `textDocument/prepareRename`
pub fn prepare_rename(
    snapshot: &Snapshot,
    params: TextDocumentPositionParams,
    _cancel: &AtomicBool,
) -> Result<Option<PrepareRenameResponse>, jsonrpc::Error> {
    let Some(view) = snapshot.document(&params.text_document.uri) else {
        return Ok(None);
    };
    let offset = view.offset(params.position);
    Ok(target_at(&view, offset).map(|(span, recipe, _)| {
        PrepareRenameResponse::RangeWithPlaceholder {
            range: view.range(span),
            placeholder: recipe.trigger.clone(),
        }
    }))
}

/// The trigger at `offset` with its recipe and the recipe's path.
fn target_at(view: &DocumentView, offset: usize) -> Option<(Span, &Recipe, &str)> {
    let text = &view.text().text;
    if let Some(span) = mention_at(view.language(), text, offset) {
        let (path, recipe) = recipes::by_trigger(&view.project, span.of(text))?;
        return Some((span, recipe, path));
    }
    // A trigger that is written without its `@`.
    let parsed = parse_open(view)?;
    let value = parsed.fields.get("trigger")?.value;
    let path = view.path.as_deref()?;
    let (path, recipe) = recipes::at_path(&view.project, path)?;
    value
        .touches(offset)
        .then(|| (unquoted(text, value), recipe, path))
}

/// A scalar's span without its quotes.
fn unquoted(text: &str, span: Span) -> Span {
    let value = span.of(text);
    let quoted = value.len() >= 2 && value.starts_with(['"', '\'']) && value.ends_with(['"', '\'']);
    if quoted {
        Span::new(span.start + 1, span.end - 1)
    } else {
        span
    }
}

/// `textDocument/rename`
pub fn rename(
    snapshot: &Snapshot,
    params: RenameParams,
    cancel: &AtomicBool,
) -> Result<Option<WorkspaceEdit>, jsonrpc::Error> {
    let place = params.text_document_position;
    let Some(view) = snapshot.document(&place.text_document.uri) else {
        return Ok(None);
    };
    let offset = view.offset(place.position);
    let Some((_, recipe, path)) = target_at(&view, offset) else {
        return Err(refused("There is no trigger of a recipe here.".to_owned()));
    };
    let project = &view.project;
    let new = new_trigger(project, recipe, &params.new_name)?;
    let renaming = Renaming {
        old: &recipe.trigger,
        new: &new,
        ids: derived_ids(project, recipe, &new)?,
        path,
    };
    let support = EditSupport::of(&snapshot.client().capabilities);
    let edited = project_files::ask_all(
        snapshot,
        project,
        cancel,
        |_| true,
        |file| {
            let edits = renaming.edits(file);
            Ok(file
                .uri(project)
                .filter(|_| !edits.is_empty())
                .map(|uri| FileEdits {
                    version: file.version(),
                    edits: edits
                        .into_iter()
                        .map(|edit| TextEdit::new(snapshot.range(&file.text, edit.span), edit.text))
                        .collect(),
                    uri,
                }))
        },
    )?;
    let mut builder = EditBuilder::default();
    for file in edited {
        builder = builder.edit(file.uri, file.version, file.edits);
    }
    if support.rename
        && let Some((from, to)) = moved_file(snapshot, project, path, recipe, &new)
    {
        builder = builder.rename(from, to);
    }
    Ok(Some(builder.build(support)))
}

struct FileEdits {
    uri: Uri,
    version: Option<i32>,
    edits: Vec<TextEdit>,
}

fn refused(why: String) -> jsonrpc::Error {
    jsonrpc::Error {
        code: jsonrpc::ErrorCode::ServerError(REQUEST_FAILED),
        message: why.into(),
        data: None,
    }
}

/// `RequestFailed` of the protocol: the request was well formed, and cannot be
/// done.
const REQUEST_FAILED: i64 = -32803;

/// The new trigger with its `@`, or why it cannot be.
fn new_trigger(
    project: &Project,
    recipe: &Recipe,
    written: &str,
) -> Result<String, jsonrpc::Error> {
    let written = written.trim();
    let new = if written.starts_with('@') {
        written.to_owned()
    } else {
        format!("@{written}")
    };
    if !is_canonical_trigger(&new) {
        let hint = normalise_trigger(written)
            .map(|fitting| format!(" `{fitting}` would be one."))
            .unwrap_or_default();
        return Err(refused(format!(
            "`{written}` is no trigger: it takes `@`, then small letters, digits and single \
             hyphens, 2 to 60 characters in all.{hint}"
        )));
    }
    let taken = recipes::all(project).find(|(_, other)| {
        trigger_key(&other.trigger) == trigger_key(&new)
            && trigger_key(&other.trigger) != trigger_key(&recipe.trigger)
    });
    if let Some((path, other)) = taken {
        return Err(refused(format!(
            "`{new}` is taken: it reads as the trigger `{}` of {path}.",
            other.trigger
        )));
    }
    Ok(new)
}

/// The rule ids that are made of the trigger, each with what it becomes.
fn derived_ids(
    project: &Project,
    recipe: &Recipe,
    new: &str,
) -> Result<Vec<(String, String)>, jsonrpc::Error> {
    let old = recipe.trigger.trim_start_matches('@');
    let new = new.trim_start_matches('@');
    let mut ids = Vec::new();
    for guard in &recipe.constraints.guards {
        let Some(rest) = guard.id.strip_prefix(old) else {
            continue;
        };
        let number = rest.strip_prefix('-').unwrap_or(rest);
        if !number.bytes().all(|b| b.is_ascii_digit()) {
            continue;
        }
        let id = format!("{new}{rest}");
        let taken = project
            .state
            .rules()
            .rules()
            .iter()
            .any(|rule| rule.id == id && rule.id != guard.id);
        if taken {
            return Err(refused(format!(
                "The guard `{}` would become `{id}`, and there is a rule of that name already.",
                guard.id
            )));
        }
        ids.push((guard.id.clone(), id));
    }
    Ok(ids)
}

/// The new place of the recipe's file; `None` where it keeps its name, or where
/// another file has the new one.
fn moved_file(
    snapshot: &Snapshot,
    project: &Project,
    path: &str,
    recipe: &Recipe,
    new: &str,
) -> Option<(Uri, Uri)> {
    let renamed = Recipe {
        trigger: new.to_owned(),
        ..recipe.clone()
    };
    let (folder, name) = path.rsplit_once('/')?;
    let to = format!("{folder}/{}.md", file_stem(&renamed));
    if to == path || name.is_empty() || project.root.join(&to).exists() {
        return None;
    }
    Some((snapshot.uri_of(project, path)?, project.uri_of(&to)?))
}

/// What is renamed to what.
struct Renaming<'r> {
    old: &'r str,
    new: &'r str,
    ids: Vec<(String, String)>,
    path: &'r str,
}

impl Renaming<'_> {
    fn edits(&self, file: &ProjectFile) -> Vec<asd_text::TextEdit> {
        let text = &file.text.text;
        let key = trigger_key(self.old);
        let mut edits: Vec<asd_text::TextEdit> = mentions(file.language, text)
            .into_iter()
            .filter(|span| trigger_key(span.of(text)) == key)
            .map(|span| asd_text::TextEdit::replace(span, self.new))
            .collect();
        if let Some(home) = home_of(&file.path) {
            edits.extend(self.in_recipe(file, home, &key));
        }
        if project_files::RULE_FILES.contains(&file.path.as_str()) {
            edits.extend(self.in_settings(text));
        }
        edits.extend(
            suppressed_rules(text)
                .into_iter()
                .filter(|rule| is_prose(file.language, text, rule.span.start))
                .filter_map(|rule| {
                    let (_, new) = self.ids.iter().find(|(old, _)| old == rule.id)?;
                    Some(asd_text::TextEdit::replace(rule.span, new.clone()))
                }),
        );
        edits.sort_by_key(|edit| edit.span);
        edits.dedup_by(|b, a| a.span.intersects(b.span));
        edits
    }

    /// The ids in the settings and the exclusions: as a text in quotes, or as a
    /// table of their own.
    fn in_settings(&self, text: &str) -> Vec<asd_text::TextEdit> {
        let mut edits = Vec::new();
        for (old, new) in &self.ids {
            for (at, _) in text.match_indices(old.as_str()) {
                let (before, after) = (&text[..at], &text[at + old.len()..]);
                let quoted = ['"', '\'']
                    .iter()
                    .any(|quote| before.ends_with(*quote) && after.starts_with(*quote));
                let table = before.ends_with("rules.") && after.starts_with([']', '.', ' ', '=']);
                if quoted || table {
                    let span = Span::new(at, at + old.len());
                    edits.push(asd_text::TextEdit::replace(span, new.clone()));
                }
            }
        }
        edits
    }

    /// What a recipe file says of the trigger without its `@`, and the stated
    /// ids of the recipe's own guards.
    fn in_recipe(&self, file: &ProjectFile, home: Home, key: &str) -> Vec<asd_text::TextEdit> {
        let text = &file.text.text;
        let parsed = asd_recipe::parse(text, home);
        let mut edits = Vec::new();
        if let Some(recipe) = &parsed.recipe {
            for relation in recipe.relations.values().flatten() {
                let span = unquoted(text, relation.span);
                if !span.is_empty() && trigger_key(span.of(text)) == key {
                    let new = if span.of(text).starts_with('@') {
                        self.new
                    } else {
                        self.new.trim_start_matches('@')
                    };
                    edits.push(asd_text::TextEdit::replace(span, new));
                }
            }
        }
        if file.path == self.path {
            if let Some(field) = parsed.fields.get("trigger") {
                let span = unquoted(text, field.value);
                if !span.is_empty() && span != field.value {
                    edits.push(asd_text::TextEdit::replace(span, self.new));
                } else if !span.is_empty() {
                    // YAML reserves the `@` at the start of a plain scalar.
                    edits.push(asd_text::TextEdit::replace(
                        span,
                        format!("\"{}\"", self.new),
                    ));
                }
            }
            for example in &parsed.examples {
                let named = example.guard.as_deref();
                let renamed = self.ids.iter().find(|(old, _)| Some(old.as_str()) == named);
                let at = renamed.and_then(|(old, _)| {
                    let assigned = format!("guard={old}");
                    Some(example.info_span.of(text).find(&assigned)? + "guard=".len())
                });
                if let (Some((old, new)), Some(at)) = (renamed, at) {
                    let start = example.info_span.start + at;
                    edits.push(asd_text::TextEdit::replace(
                        Span::new(start, start + old.len()),
                        new.clone(),
                    ));
                }
            }
            for (name, field) in &parsed.fields {
                let is_id = name.starts_with("guards.") && name.ends_with(".id");
                let span = unquoted(text, field.value);
                if let Some((_, new)) = self
                    .ids
                    .iter()
                    .find(|(old, _)| is_id && old == span.of(text))
                {
                    edits.push(asd_text::TextEdit::replace(span, new.clone()));
                }
            }
        }
        edits
    }
}

#[cfg(test)]
#[path = "rename_tests.rs"]
mod tests;
