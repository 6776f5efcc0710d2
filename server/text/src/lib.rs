//! Text as editors and files have it: spans of bytes, positions in the three
//! encodings of the language server protocol, documents that change, edits,
//! line endings and the byte order mark.
//!
//! Everything above this room speaks in byte [`Span`]s of UTF-8 text. Positions
//! with a line and a column exist only at the doors, and [`LineIndex`] is the
//! one place that converts between the two. There is no I/O here.

#![deny(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "this room does no I/O"
)]

mod decode;
mod document;
mod edit;
mod line_index;
mod span;

pub use decode::{Decoded, Undecodable, decode};
pub use document::{Change, Document, DocumentEdit, Point, Snapshot};
pub use edit::{LineEnding, OverlappingEdits, TextEdit, apply_edits, with_line_ending};
pub use line_index::{Encoding, LineIndex, Position, PositionRange};
pub use span::Span;
