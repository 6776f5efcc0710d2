//! One opened project: its settings, recipes and rules as one immutable
//! [`ProjectState`], made anew when something changes, and what is asked of it
//! (checks of a text or of the whole tree, recipes by trigger, a search), with
//! the forms in which results leave the program as JSON.
//!
//! The doors hold a state and never change one.

mod across;
mod batch;
mod capability;
mod check_cache;
mod code;
pub mod compliance;
pub mod delivery;
mod dismissed;
mod draft;
pub mod drift;
mod embedding;
mod flat;
pub mod formats;
mod frameworks;
mod intelligence;
mod mentions;
mod problems;
mod recording;
pub mod report;
pub mod review;
mod review_run;
pub mod sarif;
mod search;
pub mod service;
mod settings;
mod state;
pub mod task;

pub use asd_knowledge::lifecycle::is_consumable;
pub use asd_recipe::Recipe;

pub use across::{FoundAcross, KnownFiles};
pub use batch::{BatchReport, CheckedFile, Progress};
pub use dismissed::verdict_fingerprint;
pub use draft::{Draft, dedented};
pub use embedding::embeddings;
pub use mentions::mentions;
pub use recording::Recording;
pub use review_run::{ReviewError, ReviewRequest, review_change};
pub use search::{Hit, ProjectDocuments, with_vectors};
pub use settings::Settings;
pub use state::{ProjectState, recipe_folders};
