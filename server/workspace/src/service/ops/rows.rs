//! Recipes as they leave the program.

use asd_recipe::Recipe;
use serde_json::{Value, json};

use crate::service::knowledge::Held;

/// How long a description is in a list, in characters.
const DESCRIPTION: usize = 120;

/// Tags that the system keeps for itself. (knowledge.md §2.1)
const SYSTEM_TAGS: &[&str] = &["dimension:", "bootstrap:", "internal:", "system:"];

/// Whether a tag is for people.
pub(crate) fn is_public_tag(tag: &str) -> bool {
    !SYSTEM_TAGS.iter().any(|prefix| tag.starts_with(prefix))
}

/// A text of at most so many characters.
pub(crate) fn shortened(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    let kept: String = text.chars().take(most.saturating_sub(1)).collect();
    format!("{}…", kept.trim_end())
}

/// When and what, in one line.
pub(crate) fn action_hint(recipe: &Recipe) -> String {
    match (recipe.when_clause.trim(), recipe.do_clause.trim()) {
        ("", what) => what.to_owned(),
        (when, "") => when.to_owned(),
        (when, what) => format!("{when} → {what}"),
    }
}

/// A recipe in a list.
pub(crate) fn listed(held: &Held) -> Value {
    let recipe = &held.recipe;
    json!({
        "id": held.key(),
        "title": recipe.title,
        "trigger": recipe.trigger,
        "kind": recipe.kind,
        "language": recipe.language,
        "category": recipe.category,
        "lifecycle": recipe.lifecycle,
        "complexity": recipe.complexity,
        "description": shortened(&recipe.description, DESCRIPTION),
        "actionHint": action_hint(recipe),
    })
}

/// What a finding or a prime says of a recipe.
pub(crate) fn in_short(recipe: &Recipe) -> Value {
    json!({
        "id": recipe.id,
        "title": recipe.title,
        "trigger": recipe.trigger,
    })
}
