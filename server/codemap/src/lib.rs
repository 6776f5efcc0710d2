//! What a project is made of: targets from manifests, symbols, imports resolved
//! to files, calls, inheritance, layers and cycles, and the conventions that the
//! code itself follows.
//!
//! Facts only, no model; how they are delivered or drawn for a protocol is not
//! known here.

mod cache;
mod extract;
mod facts;
mod graph;
mod manifest;
mod map;
mod matrix;
mod mine;
mod modules;
mod path;
mod query;
mod resolve;
mod roles;
mod scan;
mod source;
mod structure;
mod targets;

pub use extract::{EXTRACTOR_VERSION, extract, extract_text};
pub use facts::*;
pub use graph::*;
pub use manifest::*;
pub use map::*;
pub use matrix::*;
pub use mine::*;
pub use modules::*;
pub use query::*;
pub use resolve::build;
pub use roles::*;
pub use scan::*;
pub use source::*;
pub use structure::*;
