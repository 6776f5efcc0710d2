//! Recipes as symbols of the workspace, sections and guards of one.

use std::sync::atomic::{AtomicBool, Ordering};

use asd_guard::{RuleInfo, RuleOrigin};
use asd_recipe::{ParsedRecipe, Recipe, Section};
use asd_text::Span;
use serde::{Deserialize, Serialize};
use tower_lsp_server::jsonrpc;
use tower_lsp_server::ls_types::{
    DocumentSymbol, DocumentSymbolParams, DocumentSymbolResponse, Location, OneOf, Range,
    SymbolInformation, SymbolKind, Uri, WorkspaceLocation, WorkspaceSymbol, WorkspaceSymbolParams,
    WorkspaceSymbolResponse,
};

use crate::project::Project;
use crate::recipe_file::{self, home_of, label, parse_open};
use crate::recipes;
use crate::snapshot::{DocumentView, Snapshot};

/// How many symbols a query gives at most.
const LIMIT: usize = 128;

/// `textDocument/documentSymbol`
pub fn document_symbol(
    snapshot: &Snapshot,
    params: DocumentSymbolParams,
    _cancel: &AtomicBool,
) -> Result<Option<DocumentSymbolResponse>, jsonrpc::Error> {
    let Some(view) = snapshot.document(&params.text_document.uri) else {
        return Ok(None);
    };
    let Some(parsed) = parse_open(&view) else {
        return Ok(None);
    };
    let outline = outline(&parsed);
    Ok(Some(if snapshot.client().symbol_trees() {
        DocumentSymbolResponse::Nested(outline.iter().map(|entry| entry.tree(&view)).collect())
    } else {
        let mut flat = Vec::new();
        for entry in &outline {
            entry.flatten(&view, None, &mut flat);
        }
        DocumentSymbolResponse::Flat(flat)
    }))
}

/// One entry of a recipe's outline.
struct Entry {
    name: String,
    detail: Option<String>,
    kind: SymbolKind,
    whole: Span,
    name_span: Span,
    children: Vec<Entry>,
}

impl Entry {
    fn new(name: &str, kind: SymbolKind, whole: Span, name_span: Span) -> Self {
        Self {
            name: if name.trim().is_empty() {
                "(untitled)".to_owned()
            } else {
                name.trim().to_owned()
            },
            detail: None,
            kind,
            whole: Span::new(
                whole.start.min(name_span.start),
                whole.end.max(name_span.end),
            ),
            name_span,
            children: Vec::new(),
        }
    }

    fn tree(&self, view: &DocumentView) -> DocumentSymbol {
        #[expect(deprecated, reason = "the field has no default")]
        DocumentSymbol {
            name: self.name.clone(),
            detail: self.detail.clone(),
            kind: self.kind,
            tags: None,
            deprecated: None,
            range: view.range(self.whole),
            selection_range: view.range(self.name_span),
            children: (!self.children.is_empty())
                .then(|| self.children.iter().map(|child| child.tree(view)).collect()),
        }
    }

    fn flatten(
        &self,
        view: &DocumentView,
        container: Option<&str>,
        flat: &mut Vec<SymbolInformation>,
    ) {
        #[expect(deprecated, reason = "the field has no default")]
        flat.push(SymbolInformation {
            name: self.name.clone(),
            kind: self.kind,
            tags: None,
            deprecated: None,
            location: Location::new(view.uri().clone(), view.range(self.whole)),
            container_name: container.map(str::to_owned),
        });
        for child in &self.children {
            child.flatten(view, Some(&self.name), flat);
        }
    }
}

/// The recipe with its guards, then its sections with the examples in them.
fn outline(parsed: &ParsedRecipe) -> Vec<Entry> {
    let mut outline = Vec::new();
    if let (Some(front_matter), Some(recipe)) = (parsed.front_matter, &parsed.recipe) {
        let name_span = match recipe_file::name_span(parsed) {
            span if front_matter.contains(span) => span,
            _ => Span::empty(front_matter.start),
        };
        let mut head = Entry::new(&label(recipe), SymbolKind::CLASS, front_matter, name_span);
        head.children = guards(recipe);
        outline.push(head);
    }
    let mut sections = parsed.sections.as_slice();
    while let Some(first) = sections.first() {
        outline.push(section(first, &mut sections));
    }
    for example in &parsed.examples {
        let name = match &example.guard {
            Some(guard) => format!("{} {guard}", example_name(example.kind)),
            None => example_name(example.kind).to_owned(),
        };
        let mut entry = Entry::new(&name, SymbolKind::EVENT, example.span, example.info_span);
        entry.detail = (!example.language.is_empty()).then(|| example.language.clone());
        place(&mut outline, entry);
    }
    outline
}

fn guards(recipe: &Recipe) -> Vec<Entry> {
    let guards = &recipe.constraints.guards;
    guards
        .iter()
        .map(|guard| {
            let whole = guard.spans.whole;
            let pattern = guard.spans.pattern;
            let name_span = if whole.contains(pattern) {
                pattern
            } else {
                whole
            };
            let mut entry = Entry::new(&guard.id, SymbolKind::OPERATOR, whole, name_span);
            entry.detail = Some(guard.severity.as_str().to_owned());
            entry
        })
        .collect()
}

/// The first of `rest` with all the sections below it, which are taken away.
fn section(first: &Section, rest: &mut &[Section]) -> Entry {
    let mut entry = Entry::new(&first.title, SymbolKind::STRING, first.whole, first.heading);
    *rest = &rest[1..];
    while let Some(next) = rest.first().filter(|next| next.level > first.level) {
        let child = section(next, rest);
        entry.children.push(child);
    }
    entry
}

/// Puts an entry into the innermost section that holds it.
fn place(entries: &mut Vec<Entry>, entry: Entry) {
    match entries
        .iter()
        .position(|outer| outer.kind == SymbolKind::STRING && outer.whole.contains(entry.whole))
    {
        Some(index) => place(&mut entries[index].children, entry),
        None => entries.push(entry),
    }
}

const fn example_name(kind: asd_recipe::ExampleKind) -> &'static str {
    match kind {
        asd_recipe::ExampleKind::Bad => "bad",
        asd_recipe::ExampleKind::Good => "good",
        asd_recipe::ExampleKind::Fixed => "fixed",
    }
}

/// What a symbol of the workspace carries to be resolved.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct SymbolData {
    /// The folder.
    folder: Uri,
    /// The recipe file in it.
    path: String,
    /// The guard in the recipe, for a rule.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    rule: Option<String>,
}

/// `workspace/symbol`
pub fn workspace_symbol(
    snapshot: &Snapshot,
    params: WorkspaceSymbolParams,
    cancel: &AtomicBool,
) -> Result<Option<WorkspaceSymbolResponse>, jsonrpc::Error> {
    let mut found = Vec::new();
    for project in snapshot.projects() {
        for (path, recipe) in recipes::search(project, &params.query, LIMIT) {
            found.push((
                SymbolKind::CLASS,
                label(recipe),
                project,
                path.to_owned(),
                None,
            ));
        }
        if !params.query.trim().is_empty() {
            for (rule, path) in rules(project, &params.query) {
                let id = rule.id.clone();
                found.push((SymbolKind::OPERATOR, id.clone(), project, path, Some(id)));
            }
        }
        if cancel.load(Ordering::Relaxed) {
            return Err(jsonrpc::Error::request_cancelled());
        }
    }
    found.truncate(LIMIT);
    let lazily = resolves_range(snapshot);
    let mut symbols = Vec::new();
    for (kind, name, project, path, rule) in found {
        let Some(uri) = snapshot.uri_of(project, &path) else {
            continue;
        };
        let data = SymbolData {
            folder: project.uri.clone(),
            path,
            rule,
        };
        let location = if lazily {
            OneOf::Right(WorkspaceLocation { uri })
        } else {
            OneOf::Left(Location::new(uri, range_of(snapshot, project, &data)))
        };
        symbols.push(WorkspaceSymbol {
            name,
            kind,
            tags: None,
            container_name: Some(data.path.clone()),
            location,
            data: serde_json::to_value(&data).ok(),
        });
    }
    Ok(Some(WorkspaceSymbolResponse::Nested(symbols)))
}

/// Rules of recipes that a query names by id; the built-in ones have no file.
fn rules(project: &Project, query: &str) -> Vec<(RuleInfo, String)> {
    let query = asd_recipe::trigger_key(query);
    let rules = project.state.rules().rules().iter();
    rules
        .filter(|rule| asd_recipe::trigger_key(&rule.id).contains(&query))
        .filter_map(|rule| match &rule.origin {
            // The recipe itself is in the list already.
            RuleOrigin::Recipe(recipe)
                if asd_recipe::trigger_key(&recipe.trigger)
                    != asd_recipe::trigger_key(&rule.id) =>
            {
                Some((RuleInfo::clone(rule), recipe.path.clone()))
            }
            _ => None,
        })
        .collect()
}

fn resolves_range(snapshot: &Snapshot) -> bool {
    snapshot
        .client()
        .capabilities
        .workspace
        .as_ref()
        .and_then(|workspace| workspace.symbol.as_ref())
        .and_then(|symbol| symbol.resolve_support.as_ref())
        .is_some_and(|support| {
            support
                .properties
                .iter()
                .any(|name| name == "location.range")
        })
}

fn range_of(snapshot: &Snapshot, project: &Project, data: &SymbolData) -> Range {
    let Some((home, text)) = home_of(&data.path).zip(snapshot.text_of(project, &data.path)) else {
        return Range::default();
    };
    let parsed = asd_recipe::parse(&text.text, home);
    let guard = data.rule.as_ref().and_then(|rule| {
        let recipe = parsed.recipe.as_ref()?;
        let guard = recipe
            .constraints
            .guards
            .iter()
            .find(|guard| guard.id == *rule)?;
        Some(guard.spans.whole)
    });
    let span = guard.unwrap_or_else(|| recipe_file::name_span(&parsed));
    snapshot.range(&text, span)
}

/// `workspaceSymbol/resolve`
pub fn resolve(
    snapshot: &Snapshot,
    mut symbol: WorkspaceSymbol,
    _cancel: &AtomicBool,
) -> Result<WorkspaceSymbol, jsonrpc::Error> {
    let data = symbol
        .data
        .clone()
        .and_then(|data| serde_json::from_value::<SymbolData>(data).ok());
    let project = data
        .as_ref()
        .and_then(|data| snapshot.projects().iter().find(|p| p.uri == data.folder));
    if let (Some(data), Some(project), OneOf::Right(place)) = (data, project, &symbol.location) {
        let range = range_of(snapshot, project, &data);
        symbol.location = OneOf::Left(Location::new(place.uri.clone(), range));
    }
    Ok(symbol)
}

#[cfg(test)]
#[path = "symbols_tests.rs"]
mod tests;
