//! Finding the right recipe in two languages: tokenizer, lexical index, vectors,
//! fusion and ranking, what a question is about, and what a task should know
//! before it starts.
//!
//! Recipes come in as values, a folder for the index from `store`; nothing here
//! knows a protocol or counts what was found.

mod document;
mod lexical;
mod script;
mod stem;
mod synonyms;
mod terms;
mod tokenize;

pub use document::{Document, Stats};
pub use script::{Script, script_of};
pub use synonyms::{MAX_EXPANSION, SynonymError, Synonyms};
pub use tokenize::tokenize;
