//! Recipes: the unit of a team's knowledge. The data model, its Markdown file
//! format with the place of every field, validation, and the facts (enums,
//! tables) that go with them.
//!
//! Pure: text in, values and [`Problem`]s out. Reading and writing files is the
//! job of `store`, compiling guards that of `guard`.

#![deny(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "this room does no I/O"
)]

mod body;
mod card;
mod checks;
mod dimensions;
mod edit;
mod enums;
mod format;
mod front_matter;
mod hash;
mod hostile;
mod item;
mod keys;
mod languages;
mod lines;
mod markdown;
mod model;
mod names;
mod parse;
mod parsed;
mod patch;
mod problem;
mod read;
mod schema;
mod set;
mod suggest;
mod template;
mod write;
mod yaml;
mod yaml_file;

pub use card::{card_markdown, code_span, inline};
pub use checks::{
    MAX_DESCRIPTION, MAX_DO_TOKENS, MIN_MARKDOWN, file_references, has_word_agent,
    is_textbook_name, title_limit, unbalanced,
};
pub use dimensions::dimension_ids;
pub use edit::{rewrite, with_hash};
pub use format::format;
pub use hash::content_hash;
pub use item::{ItemReading, recipe_from_json};
pub use keys::{KeyInfo, Need, ValueType, front_matter_keys, keys_at};
pub use languages::{canonical_language, is_known_language, known_languages};
pub use model::{
    AstGuard, Code, CodeChange, Constraints, Content, Example, ExampleKind, FixKind, FixTemplate,
    Guard, GuardKind, GuardSpans, Kind, Lifecycle, LifecycleEvent, MatchIn, Reasoning, Recipe,
    Relation, RelationKind, Scope, Severity, SourceRef, Step, Verification,
};
pub use names::{
    bucket, file_stem, is_canonical_trigger, is_cjk, normalise_trigger, short_id, token_estimate,
    trigger_key,
};
pub use parse::parse;
pub use parsed::{FieldSpan, Home, ParsedRecipe, Section};
pub use patch::{PatchError, patch_front_matter};
pub use problem::{Problem, ProblemCode, QuickFix};
pub use read::kind_of;
pub use schema::front_matter_schema;
pub use set::check_set;
pub use suggest::like_names;
pub use template::{NewRecipe, new_recipe_text};
pub use write::to_markdown;
pub use yaml_file::{YamlEntry, YamlNode, read_yaml};
