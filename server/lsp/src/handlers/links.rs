//! Links from a recipe to its sources and relations.

use std::sync::atomic::AtomicBool;

use asd_text::Span;
use tower_lsp_server::jsonrpc;
use tower_lsp_server::ls_types::{DocumentLink, DocumentLinkParams, Uri};

use crate::recipe_file::{inside, parse_open};
use crate::recipes;
use crate::snapshot::Snapshot;

/// `textDocument/documentLink`
pub fn document_link(
    snapshot: &Snapshot,
    params: DocumentLinkParams,
    _cancel: &AtomicBool,
) -> Result<Option<Vec<DocumentLink>>, jsonrpc::Error> {
    let Some(view) = snapshot.document(&params.text_document.uri) else {
        return Ok(None);
    };
    let Some(recipe) = parse_open(&view).and_then(|parsed| parsed.recipe) else {
        return Ok(None);
    };
    let project = &view.project;
    let mut links = Vec::new();
    let mut push = |span: Span, target: Option<Uri>, tooltip: String| {
        if let Some(target) = target
            && !span.is_empty()
        {
            links.push(DocumentLink {
                range: view.range(span),
                target: Some(target),
                tooltip: Some(tooltip),
                data: None,
            });
        }
    };
    for source in &recipe.reasoning.sources {
        let Some(path) = inside(&source.path) else {
            continue;
        };
        if project.root.join(path).is_file() {
            let target = snapshot
                .uri_of(project, path)
                .and_then(|uri| match source.lines {
                    Some((first, _)) => format!("{}#L{first}", uri.as_str()).parse().ok(),
                    None => Some(uri),
                });
            push(source.span, target, "Open the source".to_owned());
        }
    }
    for relation in recipe.relations.values().flatten() {
        if let Some((path, related)) = recipes::by_name(project, &relation.target) {
            push(
                relation.span,
                snapshot.uri_of(project, path),
                format!("Open {}", related.title),
            );
        }
    }
    links.sort_by_key(|link| (link.range.start.line, link.range.start.character));
    Ok(Some(links))
}

#[cfg(test)]
#[path = "links_tests.rs"]
mod tests;
