//! Recipes of a project as the handlers ask for them.

use asd_recipe::Recipe;

use crate::project::Project;

/// The recipe of a trigger, however it is spelled, with its path.
#[must_use]
pub(crate) fn by_trigger<'p>(project: &'p Project, trigger: &str) -> Option<(&'p str, &'p Recipe)> {
    let (path, recipe) = project.state.recipe_by_trigger(trigger)?;
    Some((path, recipe))
}

/// The recipe that a relation names by id, trigger or exact title.
#[must_use]
pub(crate) fn by_name<'p>(project: &'p Project, name: &str) -> Option<(&'p str, &'p Recipe)> {
    let name = name.trim();
    if name.starts_with('@') {
        return by_trigger(project, name);
    }
    all(project)
        .find(|(_, recipe)| recipe.id.as_deref() == Some(name) || recipe.title.trim() == name)
        .or_else(|| by_trigger(project, name))
}

/// All recipes, in the order of the project.
pub(crate) fn all(project: &Project) -> impl Iterator<Item = (&str, &Recipe)> {
    project
        .state
        .recipes()
        .iter()
        .map(|(path, recipe)| (&**path, &**recipe))
}

/// The recipes that fit a query best, by trigger, title and tag; the most used
/// ones for an empty query.
#[must_use]
pub(crate) fn search<'p>(
    project: &'p Project,
    query: &str,
    limit: usize,
) -> Vec<(&'p str, &'p Recipe)> {
    let recipes = project.state.recipes();
    let hits = project.state.search_recipes(query);
    hits.iter()
        .take(limit)
        .filter_map(|hit| recipes.get(hit.index))
        .map(|(path, recipe)| (&**path, &**recipe))
        .collect()
}

/// The recipe in a file.
#[must_use]
pub(crate) fn at_path<'p>(project: &'p Project, path: &str) -> Option<(&'p str, &'p Recipe)> {
    let recipes = project.state.recipes();
    let index = recipes.binary_search_by(|(at, _)| (**at).cmp(path)).ok()?;
    recipes
        .get(index)
        .map(|(path, recipe)| (&**path, &**recipe))
}
