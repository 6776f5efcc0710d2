use asd_text::Span;
use indexmap::IndexMap;

use crate::{Example, Problem, Recipe};

/// The folder that a recipe file lies in, which gives the lifecycle of a file
/// that states none: `active` below `recipes/`, `pending` below `candidates/`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Home {
    /// `Alembic/recipes/`
    #[default]
    Recipes,
    /// `Alembic/candidates/`
    Candidates,
}

/// What a recipe file says. One wrong field never hides the others: `recipe`
/// holds all that could be read.
#[derive(Clone, Debug, Default)]
pub struct ParsedRecipe {
    /// The recipe; `None` when the file has no readable front matter.
    pub recipe: Option<Recipe>,
    /// Everything that is wrong, in file order.
    pub problems: Vec<Problem>,
    /// The fenced blocks that are the recipe's own tests, in file order.
    pub examples: Vec<Example>,
    /// Where the front-matter keys stand, by the key as written; nested keys
    /// are joined with a dot (`reasoning.sources`, `guards.0.pattern`).
    pub fields: IndexMap<String, FieldSpan>,
    /// The bytes between the two `---` lines.
    pub front_matter: Option<Span>,
    /// The body's headings, in file order.
    pub sections: Vec<Section>,
}

/// Where one front-matter entry stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FieldSpan {
    /// The key.
    pub key: Span,
    /// The value, with its quotes; empty where there is none.
    pub value: Span,
}

/// A heading of the body with what belongs to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Section {
    /// The heading's text.
    pub title: String,
    /// 1 for `#`, 2 for `##`, …
    pub level: u8,
    /// The heading line.
    pub heading: Span,
    /// From the heading to the next one of the same or a higher level.
    pub whole: Span,
}
