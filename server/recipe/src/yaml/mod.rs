//! YAML as this crate needs it: a tree whose nodes know their bytes, reading
//! that survives a broken entry, and writing in one canonical form.

mod load;
mod node;
mod plain;
mod recover;
mod write;

pub(crate) use load::YamlError;
pub(crate) use node::{Entry, Node, Scalar, Style, Value};
pub(crate) use plain::Plain;
pub(crate) use recover::load_lenient;
pub(crate) use write::{Emitter, flow_scalar, quoted_scalar, scalar};
