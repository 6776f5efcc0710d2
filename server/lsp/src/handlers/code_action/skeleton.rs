//! Inserting the core code of a recipe.
//!
//! The code is inserted as plain text in every client: it is code and no
//! template, and a `$` in it must stay one.

use asd_guard::{DirectiveKind, Finding, RuleOrigin, directives};
use asd_recipe::Recipe;
use asd_text::{LineEnding, Span, TextEdit, with_line_ending};
use asd_workspace::dedented;
use tower_lsp_server::ls_types::{CodeAction, CodeActionKind};

use super::{Request, shortened};
use crate::mentions::mention_at;
use crate::recipes;
use crate::snapshot::DocumentView;

/// How many recipes a search directive offers.
const OF_SEARCH: usize = 3;

/// Offers the skeletons of the recipes that are named here: by a finding, a
/// trigger or a search directive.
pub(super) fn add(request: &mut Request<'_>, here: &[Finding]) {
    let mut named: Vec<Recipe> = Vec::new();
    for recipe in named_here(&request.view, request.selection.start, here) {
        let has_code = recipe
            .core_code
            .as_ref()
            .is_some_and(|code| !code.text.trim().is_empty());
        if has_code && !named.iter().any(|other| other.trigger == recipe.trigger) {
            named.push(recipe.clone());
        }
    }
    for recipe in named {
        let edits = edits(&request.view, request.selection.end, &recipe);
        let name = if recipe.trigger.is_empty() {
            &recipe.title
        } else {
            &recipe.trigger
        };
        request.push(CodeAction {
            title: format!("Insert recipe skeleton: {}", shortened(name, 60)),
            kind: Some(CodeActionKind::REFACTOR),
            edit: Some(request.edit_here(&edits)),
            ..CodeAction::default()
        });
    }
}

fn named_here<'v>(view: &'v DocumentView, cursor: usize, here: &[Finding]) -> Vec<&'v Recipe> {
    let project = &view.project;
    let text = &view.text().text;
    let by_finding = here
        .iter()
        .filter_map(|finding| match &finding.rule.origin {
            RuleOrigin::Recipe(origin) => recipes::at_path(project, &origin.path),
            RuleOrigin::Pack { .. } | RuleOrigin::BuiltIn => None,
        });
    let by_mention = mention_at(view.language(), text, cursor)
        .and_then(|span| recipes::by_trigger(project, span.of(text)));
    let by_search = view
        .language()
        .into_iter()
        .flat_map(|language| directives(language, text))
        .filter(|directive| {
            directive.kind == DirectiveKind::Search && directive.span.touches(cursor)
        })
        .flat_map(|directive| recipes::search(project, &directive.argument, OF_SEARCH));
    by_mention
        .into_iter()
        .chain(by_finding)
        .chain(by_search)
        .map(|(_, recipe)| recipe)
        .collect()
}

/// The code below the line of the cursor, in its indentation, with the imports
/// that the recipe brings.
fn edits(view: &DocumentView, cursor: usize, recipe: &Recipe) -> Vec<TextEdit> {
    let text = &view.text().text;
    let lines = &view.text().lines;
    let line = lines.line_of(cursor);
    let ending = lines.line_ending(text, line);
    let code = recipe.core_code.as_ref().map_or("", |code| &*code.text);
    let code = indented(code, lines.indentation(text, line));
    let at = lines.line_span(text, line).end;
    let mut edits = vec![TextEdit::insert(
        at,
        with_line_ending(&format!("\n{code}"), ending).into_owned(),
    )];
    if recipe.include_headers {
        edits.extend(imports(text, &recipe.headers, ending, at));
    }
    edits
}

fn indented(code: &str, indentation: &str) -> String {
    let code = code.trim_end();
    let lines: Vec<String> = dedented(code)
        .map(|line| {
            if line.trim().is_empty() {
                String::new()
            } else {
                format!("{indentation}{line}")
            }
        })
        .collect();
    lines.join("\n")
}

/// The imports that are not there yet, before the first one that is.
fn imports(text: &str, headers: &[String], ending: LineEnding, limit: usize) -> Option<TextEdit> {
    let missing: Vec<&str> = headers
        .iter()
        .map(|header| header.trim())
        .filter(|header| !header.is_empty() && !text.lines().any(|line| line.trim() == *header))
        .collect();
    if missing.is_empty() {
        return None;
    }
    let mut at = 0;
    let mut after_head = 0;
    let mut first_import = None;
    for line in text.split_inclusive('\n') {
        let start = line.trim_start();
        if ["import ", "#import", "#include", "from ", "use ", "using "]
            .iter()
            .any(|word| start.starts_with(word))
        {
            first_import = Some(at);
            break;
        }
        at += line.len();
        if start.starts_with("package ") || line.starts_with("#!") {
            after_head = at;
        }
    }
    let at = first_import.unwrap_or(after_head);
    // Both edits must stay apart.
    if Span::new(0, limit).end < at {
        return None;
    }
    let block = format!("{}\n", missing.join("\n"));
    Some(TextEdit::insert(
        at,
        with_line_ending(&block, ending).into_owned(),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_takes_the_indentation_of_its_place() {
        assert_eq!(
            indented("    a\n      b\n\n    c\n", "\t"),
            "\ta\n\t  b\n\n\tc"
        );
        assert_eq!(indented("a $0 ${x}", "  "), "  a $0 ${x}");
    }

    #[test]
    fn imports_come_before_the_first_and_once() {
        let headers = ["import b".to_owned(), "import a".to_owned()];
        let edit = imports("// x\nimport a\n", &headers, LineEnding::Lf, 100).unwrap();
        assert_eq!(edit, TextEdit::insert(5, "import b\n"));
        let edit = imports("package p\nfun x", &headers[..1], LineEnding::Lf, 100).unwrap();
        assert_eq!(edit, TextEdit::insert(10, "import b\n"));
    }
}
