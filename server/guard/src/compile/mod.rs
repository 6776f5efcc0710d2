//! From what a recipe says to what can be matched.

pub(crate) mod ast_guard;
mod backtracking;
pub(crate) mod guard;
pub(crate) mod literals;
pub(crate) mod regex_guard;
