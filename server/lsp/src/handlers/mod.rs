//! The answers to requests, one file for each kind. A handler is a plain
//! function of a snapshot, the parameters and a flag that says when nobody
//! waits for the answer any more:
//!
//! ```ignore
//! pub fn hover(snapshot: &Snapshot, params: HoverParams, cancel: &AtomicBool)
//!     -> Result<Option<Hover>, jsonrpc::Error>
//! ```
//!
//! It runs on the pool, so it may take its time, read the disk, and even panic.
//! It never talks to the client.

pub mod code_action;
pub mod code_lens;
pub mod completion;
pub mod hover;
pub mod links;
pub mod navigation;
pub mod rename;
pub mod symbols;
