//! A client that speaks the Language Server Protocol to the real `asd` binary,
//! for tests over the wire.
//!
//! It is a strict one. Every message that it receives is checked against what
//! must always hold (frames and nothing else on stdout; no set of diagnostics
//! twice; no older version after a newer one; one answer for each request). When
//! a test is done with it, the server must have nothing more to say, and must
//! end in order.
//!
//! The binary is `$ASD_BIN`, else `asd` in the target folder of the test.

mod builder;
mod client;
mod frames;
mod text;
mod workspace;

pub use builder::{Builder, binary};
pub use client::{Client, Ended, Publish};
pub use frames::{Frames, frame};
pub use text::{
    ENCODINGS, Encoding, LINE_ENDINGS, apply_edits, edited, end_of, offset, position, range_of,
};
pub use workspace::{Workspace, recipe, uri_of};
