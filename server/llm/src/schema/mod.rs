//! Schemas and names of tools as each provider takes them. (spec 5.5)

mod convert;
mod names;
mod validate;

pub(crate) use convert::convert;
pub use names::{NameError, ToolNames, is_internal_name};
pub use validate::{SchemaFault, validate};
