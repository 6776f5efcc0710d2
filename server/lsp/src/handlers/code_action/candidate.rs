//! Drafting a candidate recipe from code that is selected.

use asd_recipe::{Code, Lifecycle, Reasoning, Recipe, SourceRef, normalise_trigger};
use asd_syntax::Language;
use asd_text::Span;
use serde_json::json;
use tower_lsp_server::ls_types::{
    self, CodeAction, CodeActionKind, Command, Position, Range, Uri, WorkspaceEdit,
};

use super::Request;
use super::skeleton::dedented;
use crate::project::Project;
use crate::recipes;
use crate::snapshot::{DocumentView, Snapshot};
use crate::workspace_edit::{EditBuilder, EditSupport};

/// The command that opens a recipe.
const SHOW_RECIPE: &str = "asd.showRecipe";

/// Larger selections are no skeleton.
const MOST_LINES: usize = 400;

/// A candidate that is to be written.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Draft {
    /// The file, project-relative with `/`; there is none of that name yet.
    path: String,
    /// What it holds.
    text: String,
}

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
    draft(snapshot, &view.project, code, language, source)
}

fn line_number(line: usize) -> u32 {
    u32::try_from(line + 1).unwrap_or(u32::MAX)
}

fn draft(
    snapshot: &Snapshot,
    project: &Project,
    code: &str,
    language: Language,
    source: SourceRef,
) -> Option<Draft> {
    if !project.root.join("Alembic").is_dir() {
        return None;
    }
    let name = source.path.rsplit('/').next().unwrap_or(&source.path);
    let stem = name.split('.').next().unwrap_or(name);
    let base = normalise_trigger(stem).unwrap_or_else(|| "@new-recipe".to_owned());
    let recipe = Recipe {
        title: format!("Draft from {name}"),
        language: language.id().to_owned(),
        category: "general".to_owned(),
        knowledge_type: "code-pattern".to_owned(),
        lifecycle: Lifecycle::Pending,
        source: "manual".to_owned(),
        core_code: Some(Code {
            language: language.id().to_owned(),
            text: dedented(code).collect::<Vec<_>>().join("\n"),
            ..Code::default()
        }),
        reasoning: Reasoning {
            sources: vec![source],
            ..Reasoning::default()
        },
        ..Recipe::default()
    };
    (1..100).find_map(|number| {
        let trigger = if number == 1 {
            base.clone()
        } else {
            format!("{base}-{number}")
        };
        let recipe = Recipe {
            trigger,
            ..recipe.clone()
        };
        let path = candidate_path(&recipe);
        let free = recipes::by_trigger(project, &recipe.trigger).is_none()
            && snapshot.document_at(project, &path).is_none()
            && !project.root.join(&path).exists();
        free.then(|| Draft {
            text: asd_recipe::to_markdown(&recipe),
            path,
        })
    })
}

/// Where a candidate is kept. (knowledge.md §1)
fn candidate_path(recipe: &Recipe) -> String {
    format!(
        "Alembic/candidates/{}/{}.md",
        asd_recipe::bucket(recipe),
        asd_recipe::file_stem(recipe)
    )
}
