//! The forms in which the result of a check is written.

pub(crate) mod github;
pub(crate) mod json;
pub(crate) mod report;
pub(crate) mod sarif;
pub(crate) mod text;
