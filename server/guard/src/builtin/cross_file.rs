//! Rules that look at several files. (guard.md §3.10)

pub(super) mod circular_import;
pub(super) mod duplicate_category;
pub(super) mod duplicate_class;
pub(super) mod extension_conflict;
pub(super) mod multiple_init;
