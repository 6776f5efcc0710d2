//! Recipe files among the documents and files of a project.

use asd_recipe::{Home, ParsedRecipe, Recipe};
use asd_text::Span;
use tower_lsp_server::ls_types::{Location, Range};

use crate::project::Project;
use crate::snapshot::{DocumentView, Snapshot};

/// Which folder a recipe file lies in; `None` when the project-relative path is
/// not that of a recipe. Files that start with `_` are not. (knowledge.md §1)
#[must_use]
pub(crate) fn home_of(path: &str) -> Option<Home> {
    let (home, rest) = if let Some(rest) = path.strip_prefix("Alembic/recipes/") {
        (Home::Recipes, rest)
    } else {
        (Home::Candidates, path.strip_prefix("Alembic/candidates/")?)
    };
    let name = rest.rsplit('/').next().unwrap_or(rest);
    let is_recipe = name.ends_with(".md") && !name.starts_with('_') && name != "README.md";
    is_recipe.then_some(home)
}

/// What an open document says as a recipe, with unsaved changes; `None` when it
/// is not a recipe file.
#[must_use]
pub(crate) fn parse_open(view: &DocumentView) -> Option<ParsedRecipe> {
    let home = home_of(view.path.as_deref()?)?;
    Some(asd_recipe::parse(&view.text().text, home))
}

/// The field that names a recipe in its file: the trigger's value, else the
/// title's, else the start of the file.
#[must_use]
pub(crate) fn name_span(parsed: &ParsedRecipe) -> Span {
    ["trigger", "title"]
        .iter()
        .find_map(|key| parsed.fields.get(*key))
        .map_or(Span::empty(0), |field| field.value)
}

/// Where a recipe is defined: its file, as open or on disk, and the place of its
/// trigger in it.
#[must_use]
pub(crate) fn location(snapshot: &Snapshot, project: &Project, path: &str) -> Option<Location> {
    let uri = snapshot.uri_of(project, path)?;
    let range = match (snapshot.text_of(project, path), home_of(path)) {
        (Some(text), Some(home)) => {
            snapshot.range(&text, name_span(&asd_recipe::parse(&text.text, home)))
        }
        _ => Range::default(),
    };
    Some(Location::new(uri, range))
}

/// Whether a span of a recipe file names the recipe: on the line of its trigger
/// or of its title.
#[must_use]
pub(crate) fn is_on_name(parsed: &ParsedRecipe, offset: usize) -> bool {
    ["trigger", "title"]
        .iter()
        .filter_map(|key| parsed.fields.get(*key))
        .any(|field| Span::new(field.key.start, field.value.end.max(field.key.end)).touches(offset))
}

/// A source's first line, from 0, and its place in a project.
#[must_use]
pub(crate) fn source_location(
    snapshot: &Snapshot,
    project: &Project,
    source: &asd_recipe::SourceRef,
) -> Option<Location> {
    let text = snapshot.text_of(project, inside(&source.path)?)?;
    let uri = snapshot.uri_of(project, &source.path)?;
    let span = match source.lines {
        Some((first, last)) => {
            let line = |number: u32| {
                text.lines.line_span(
                    &text.text,
                    (number.max(1) as usize - 1).min(text.lines.line_count() - 1),
                )
            };
            Span::new(line(first).start, line(last.max(first)).end)
        }
        None => Span::empty(0),
    };
    Some(Location::new(uri, snapshot.range(&text, span)))
}

/// A path that stays in the project, or nothing.
#[must_use]
pub(crate) fn inside(path: &str) -> Option<&str> {
    use std::path::{Component, Path};
    let stays = !path.is_empty()
        && Path::new(path)
            .components()
            .all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
    stays.then_some(path)
}

/// The name that a recipe is shown by in lists.
#[must_use]
pub(crate) fn label(recipe: &Recipe) -> String {
    match (recipe.trigger.as_str(), recipe.title.as_str()) {
        ("", title) => title.to_owned(),
        (trigger, "") => trigger.to_owned(),
        (trigger, title) => format!("{trigger} {title}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recipes_lie_below_their_folders() {
        assert_eq!(home_of("Alembic/recipes/net/a.md"), Some(Home::Recipes));
        assert_eq!(home_of("Alembic/candidates/a.md"), Some(Home::Candidates));
        assert_eq!(home_of("Alembic/recipes/_template.md"), None);
        assert_eq!(home_of("Alembic/README.md"), None);
        assert_eq!(home_of("docs/Alembic/recipes/a.md"), None);
    }

    #[test]
    fn sources_do_not_leave_the_project() {
        assert_eq!(inside("src/a.rs"), Some("src/a.rs"));
        assert_eq!(inside("../a.rs"), None);
        assert_eq!(inside("/etc/passwd"), None);
        assert_eq!(inside(""), None);
    }
}
