//! Rules of Dart, and what they share.

pub(super) mod after_await;
pub(super) mod avoid_bang_operator;
pub(super) mod avoid_dynamic;
pub(super) mod dispose_controller;
pub(super) mod excessive_late;
pub(super) mod no_build_context_across_async;
pub(super) mod no_print;
pub(super) mod no_relative_import;
pub(super) mod no_set_state_after_dispose;
pub(super) mod prefer_const_constructor;
pub(super) mod set_state_after_dispose;

const LANGUAGES: &[&str] = &["dart"];
