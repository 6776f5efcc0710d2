//! What a project is made of: targets from manifests, symbols, imports resolved
//! to files, calls, inheritance, layers and cycles, and the conventions that the
//! code itself follows.
//!
//! Facts only, no model; how they are delivered or drawn for a protocol is not
//! known here.

mod cache;
mod extract;
mod facts;
mod manifest;
mod map;
mod path;
mod query;
mod resolve;
mod scan;
mod source;
mod targets;

pub use extract::{EXTRACTOR_VERSION, extract, extract_text};
pub use facts::*;
pub use manifest::*;
pub use map::*;
pub use query::*;
pub use resolve::build;
pub use scan::*;
pub use source::*;
