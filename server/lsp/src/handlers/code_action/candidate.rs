//! Drafting a candidate recipe from code that is selected.

use asd_recipe::SourceRef;
use asd_text::Span;
use asd_workspace::Draft;
use serde_json::json;
use tower_lsp_server::ls_types::{
    self, CodeAction, CodeActionKind, Command, Position, Range, Uri, WorkspaceEdit,
};

use super::Request;
use crate::snapshot::{DocumentView, Snapshot};
use crate::workspace_edit::{EditBuilder, EditSupport};

/// The command that opens a recipe.
const SHOW_RECIPE: &str = "asd.showRecipe";

/// Larger selections are no skeleton.
const MOST_LINES: usize = 400;

/// Offers to make a recipe of the selection.
pub(super) fn add(request: &mut Request<'_>) {
    if request.selection.is_empty() {
        return;
    }
    let made = edit(request.snapshot, &request.view, request.selection);
    let Some((uri, edit)) = made else {
        return;
    };
    let title = "Create recipe from selection".to_owned();
    request.push(CodeAction {
        kind: Some(CodeActionKind::REFACTOR),
        edit: Some(edit),
        command: Some(open(title.clone(), &uri)),
        title,
        ..CodeAction::default()
    });
}

/// The new file, and the edit that makes it, of a part of a document or of the
/// whole. `None` where there is no code, no project that has been set up, or no
/// way to create a file.
pub(crate) fn candidate_edit(
    snapshot: &Snapshot,
    view: &DocumentView,
    range: Option<Range>,
) -> Option<(Uri, WorkspaceEdit)> {
    let whole = Span::new(0, view.text().text.len());
    edit(
        snapshot,
        view,
        range.map_or(whole, |range| view.span(range)),
    )
}

fn edit(snapshot: &Snapshot, view: &DocumentView, selection: Span) -> Option<(Uri, WorkspaceEdit)> {
    let support = EditSupport::of(&snapshot.client().capabilities);
    let draft = draft_of_selection(snapshot, view, selection).filter(|_| support.create)?;
    let uri = view.project.uri_of(&draft.path)?;
    let start = Position::new(0, 0);
    let text = ls_types::TextEdit::new(Range::new(start, start), draft.text);
    let edit = EditBuilder::default()
        .create(uri.clone())
        .edit(uri.clone(), None, vec![text])
        .build(support);
    Some((uri, edit))
}

fn open(title: String, uri: &Uri) -> Command {
    Command::new(
        title,
        SHOW_RECIPE.to_owned(),
        Some(vec![json!({ "uri": uri })]),
    )
}

/// The candidate that a selection makes; `None` for a selection without code,
/// and where the document belongs to no project that has been set up.
fn draft_of_selection(snapshot: &Snapshot, view: &DocumentView, selection: Span) -> Option<Draft> {
    let text = &view.text().text;
    let path = view.path.as_deref()?;
    let language = view.language()?;
    let lines = &view.text().lines;
    let (first, last) = (lines.line_of(selection.start), lines.line_of(selection.end));
    let within_line = first == last;
    // A selection over several lines takes whole ones, without the last line
    // when the selection ends before its first character.
    let last = if !within_line && lines.line_start(last) == selection.end {
        last - 1
    } else {
        last
    };
    let code = if within_line {
        selection.of(text)
    } else {
        &text[lines.line_start(first)..lines.line_span(text, last).end]
    };
    if code.trim().is_empty() || last - first >= MOST_LINES {
        return None;
    }
    let source = SourceRef {
        path: path.to_owned(),
        lines: Some((line_number(first), line_number(last))),
        span: Span::default(),
    };
    let is_open = |path: &str| snapshot.document_at(&view.project, path).is_some();
    view.project.state.draft(code, language, source, &is_open)
}

fn line_number(line: usize) -> u32 {
    u32::try_from(line + 1).unwrap_or(u32::MAX)
}
