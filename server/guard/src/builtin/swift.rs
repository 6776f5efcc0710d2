//! Rules of Swift, and what they share.

pub(super) mod excessive_force_unwrap;
pub(super) mod force_cast;
pub(super) mod force_try;
pub(super) mod main_thread_sync;

const LANGUAGES: &[&str] = &["swift"];
