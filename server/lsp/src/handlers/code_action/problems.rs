//! Ways out of the problems of recipe and configuration files.

use asd_recipe::Problem;
use tower_lsp_server::ls_types::{CodeAction, CodeActionKind};

use super::{Request, touches};
use crate::recipe_file::home_of;
use crate::snapshot::DocumentView;

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
    for problem in here {
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
}

/// The problems whose spans are those of the present text: what the project
/// says when it has seen this version, else what the file says by itself.
fn of_this_version(view: &DocumentView) -> Vec<Problem> {
    let Some(path) = view.path.as_deref() else {
        return Vec::new();
    };
    if view.project.overlays.get(path) == Some(&view.document.serial) {
        return view.project.state.problems_of(path);
    }
    let text = &view.text().text;
    match (path, home_of(path)) {
        (_, Some(home)) => asd_recipe::parse(text, home).problems,
        ("Alembic/config.toml", None) => asd_store::Config::parse(text).1,
        ("Alembic/guard-exclusions.json", None) => asd_store::parse_exclusions(text).1,
        _ => Vec::new(),
    }
}
