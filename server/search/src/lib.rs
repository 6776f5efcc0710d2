//! Finding the right recipe in two languages: tokenizer, lexical index, vectors,
//! fusion and ranking, what a question is about, and what a task should know
//! before it starts.
//!
//! Recipes come in as values, a folder for the index from `store`; nothing here
//! knows a protocol or counts what was found.

mod cache;
mod chunk;
mod confidence;
mod document;
mod gate;
mod index;
mod intent;
mod lexical;
mod names;
mod prime;
mod query;
mod rank;
mod scan;
mod script;
mod search;
mod signals;
mod stem;
mod synonyms;
mod terms;
mod tokenize;
mod typed;
mod vectors;

pub use chunk::{Chunk, chunk_id, chunk_text};
pub use document::{Document, Stats};
pub use index::{Change, SearchIndex};
pub use intent::{Asked, Intent, module_of, scenario};
pub use prime::{PrimeMeta, PrimeRow, Primed};
pub use query::{
    Answer, Confidence, KindFilter, LifecycleFilter, MAX_LIMIT, MAX_QUERY, Mode, Ordered, Query,
    QueryError, Row,
};
pub use rank::Scenario;
pub use script::{Script, script_of};
pub use signals::{Semantics, Signals};
pub use synonyms::{MAX_EXPANSION, SynonymError, Synonyms};
pub use tokenize::tokenize;
pub use typed::{typed_fit, typed_words};
pub use vectors::{Damaged, VectorSet};
