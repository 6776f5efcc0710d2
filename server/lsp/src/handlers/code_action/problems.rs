//! Ways out of the problems of recipe and configuration files.

use asd_recipe::{Problem, ProblemCode};
use serde_json::json;
use tower_lsp_server::ls_types::{CodeAction, CodeActionKind, Command};

use super::{Request, touches};
use crate::recipe_file::home_of;
use crate::snapshot::DocumentView;

/// The command that has a recipe looked at.
const MARK: &str = "asd.markForReview";

/// Offers the fixes of the problems at the selection.
pub(super) fn add(request: &mut Request<'_>) {
    let lines = request.view.text().lines.clone();
    let selection = request.selection;
    let problems = of_this_version(&request.view);
    let on_selection = |problem: &&Problem| touches(selection, problem.span);
    let on_line =
        |problem: &&Problem| lines.line_of(problem.span.start) == lines.line_of(selection.start);
    let mut here: Vec<&Problem> = problems.iter().filter(on_selection).collect();
    if here.is_empty() {
        here = problems.iter().filter(on_line).collect();
    }
    let mut marks = Vec::new();
    for problem in here {
        if is_drift(problem.code) {
            marks.push(problem.message.clone());
        }
        if let Some(fix) = &problem.fix {
            request.push(CodeAction {
                title: fix.title.clone(),
                kind: Some(CodeActionKind::QUICKFIX),
                edit: Some(request.edit_here(&fix.edits)),
                is_preferred: Some(true),
                ..CodeAction::default()
            });
        }
    }
    mark(request, &marks);
}

/// Offers to have a recipe looked at by somebody, when it is not what the code
/// is any more.
fn mark(request: &mut Request<'_>, why: &[String]) {
    let state = &request.view.project.state;
    let recipe = request
        .view
        .path
        .as_deref()
        .and_then(|path| state.recipe_file(path)?.recipe.as_ref());
    let Some(recipe) = recipe.filter(|_| !why.is_empty()) else {
        return;
    };
    let title = format!("Mark {} for review", recipe.trigger);
    let arguments = json!({
        "uri": request.view.uri(),
        "recipe": recipe.trigger,
        "reason": why.join(" "),
    });
    request.push(CodeAction {
        command: Some(Command::new(
            title.clone(),
            MARK.to_owned(),
            Some(vec![arguments]),
        )),
        title,
        kind: Some(CodeActionKind::QUICKFIX),
        ..CodeAction::default()
    });
}

/// Whether a problem is that the code has changed since the recipe was written.
const fn is_drift(code: ProblemCode) -> bool {
    matches!(
        code,
        ProblemCode::SymbolMissing
            | ProblemCode::ZeroMatch
            | ProblemCode::MatchRateDrop
            | ProblemCode::ApiDeprecated
            | ProblemCode::SourceStale
            | ProblemCode::MissingSource
    )
}

/// The problems whose spans are those of the present text: what the project
/// says when it has seen this version, else what the file says by itself.
fn of_this_version(view: &DocumentView) -> Vec<Problem> {
    let Some(path) = view.path.as_deref() else {
        return Vec::new();
    };
    if view.project.overlays.get(path) == Some(&view.document.serial) {
        return view.project.drift.problems_of(&view.project.state, path);
    }
    let text = &view.text().text;
    match (path, home_of(path)) {
        (_, Some(home)) => asd_recipe::parse(text, home).problems,
        ("Alembic/config.toml", None) => asd_store::Config::parse(text).1,
        ("Alembic/guard-exclusions.json", None) => asd_store::parse_exclusions(text).1,
        _ => Vec::new(),
    }
}
