//! The rules by which knowledge lives: the lifecycle and its timers, what a
//! submission must hold, similarity and consolidation, quality, decay, drift,
//! proposals, relations, roles and the constitution.
//!
//! Pure: entries, counters and the time come in, decisions come out. Who reads
//! entries and writes what was decided is `store`; who asks is `workspace`.
//! Moments are Unix seconds unless a name ends in `_ms`.

#![deny(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "this room does no I/O"
)]

pub mod consolidation;
pub mod contradiction;
pub mod counters;
pub mod decay;
pub mod drift;
pub mod enrich;
pub mod governance;
pub mod lifecycle;
pub mod permit;
pub mod production;
pub mod proposals;
mod prose;
pub mod quality;
pub mod relations;
pub mod routing;
pub mod signals;
pub mod similarity;
pub mod submission;
mod words;

use asd_recipe::Recipe;

/// Seconds of a day.
pub(crate) const DAY: i64 = 86_400;

/// What an entry is known by: its id, or its trigger while it has none.
#[must_use]
pub fn entry_key(recipe: &Recipe) -> &str {
    recipe.id.as_deref().unwrap_or(&recipe.trigger)
}
