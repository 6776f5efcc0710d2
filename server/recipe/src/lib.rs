//! Recipes: the unit of a team's knowledge. The data model, its Markdown file
//! format with the place of every field, validation, and the facts (enums,
//! tables) that go with them.
//!
//! Pure: text in, values and [`Problem`]s out. Reading and writing files is the
//! job of `store`, compiling guards that of `guard`.

mod languages;
mod lines;
mod model;
mod parsed;
mod problem;
mod yaml;

pub use languages::{canonical_language, is_known_language, known_languages};
pub use model::{
    AstGuard, Code, CodeChange, Constraints, Content, Example, ExampleKind, FixKind, FixTemplate,
    Guard, GuardKind, GuardSpans, Kind, Lifecycle, LifecycleEvent, MatchIn, Reasoning, Recipe,
    Relation, RelationKind, Scope, Severity, SourceRef, Step, Verification,
};
pub use parsed::{FieldSpan, Home, ParsedRecipe, Section};
pub use problem::{Problem, ProblemCode, QuickFix};

/// Reads a recipe file. `text` may have any line ending and may begin with a
/// byte order mark; all spans refer to it as given.
#[must_use]
pub fn parse(_text: &str, _home: Home) -> ParsedRecipe {
    ParsedRecipe::default()
}

/// Writes a recipe as a file in the canonical form. (knowledge.md §4)
#[must_use]
pub fn to_markdown(_recipe: &Recipe) -> String {
    String::new()
}

/// The hash of a recipe file: the first 16 hex digits of SHA-256 over the text
/// without its `hash:` line and with LF line ends. (knowledge.md §4)
#[must_use]
pub fn content_hash(_text: &str) -> String {
    String::new()
}

/// The form under which triggers are looked up: case, `@`, `-` and `_` do not
/// count. (knowledge.md §2.1)
#[must_use]
pub fn trigger_key(trigger: &str) -> String {
    trigger
        .chars()
        .filter(|c| !matches!(c, '@' | '-' | '_'))
        .flat_map(char::to_lowercase)
        .collect()
}
