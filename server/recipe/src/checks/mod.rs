//! What can be said about a recipe that was read: fields that are missing, and
//! the quality of its content. (knowledge.md §8)

mod brackets;
mod missing;
mod quality;

pub use brackets::unbalanced;
pub use quality::{
    MAX_DESCRIPTION, MAX_DO_TOKENS, MIN_MARKDOWN, file_references, has_word_agent,
    is_textbook_name, title_limit,
};

use crate::body::Body;
use crate::front_matter::FrontMatter;
use crate::read::Stated;
use crate::{ParsedRecipe, Recipe};

/// Adds the problems of `recipe` as a whole to those of its file.
pub(crate) fn check(
    text: &str,
    front: &FrontMatter,
    body: &Body,
    recipe: &Recipe,
    stated: Stated,
    parsed: &mut ParsedRecipe,
) {
    missing::check(text, front, recipe, stated, parsed);
    quality::check(text, front, body, recipe, parsed);
}
