//! The rules by which knowledge lives: the lifecycle and its timers, what a
//! submission must hold, similarity and consolidation, quality, decay, drift,
//! proposals, relations, roles and the constitution.
//!
//! Pure: entries, counters and the time come in, decisions come out. Who reads
//! entries and writes what was decided is `store`; who asks is `workspace`.

#![deny(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "this room does no I/O"
)]
