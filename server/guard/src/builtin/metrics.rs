//! Rules that measure functions and types, in every language.
//!
//! The measures are taken in one walk over the tree, by [`outline::Outline`];
//! a rule compares one of them with its threshold.

pub(super) mod class_bloat;
pub(super) mod deep_inheritance;
pub(super) mod deep_nesting;
pub(super) mod god_class;
pub(super) mod method_complexity;
pub(super) mod method_too_long;
pub(super) mod outline;
mod shape;
pub(super) mod singleton_abuse;
mod supertypes;
pub(super) mod wide_protocol_conformance;

/// All languages that have built-in rules.
const LANGUAGES: &[&str] = &[
    "objc",
    "swift",
    "javascript",
    "typescript",
    "python",
    "java",
    "kotlin",
    "go",
    "dart",
    "rust",
];

/// How a message names a function.
fn subject(name: &str) -> String {
    if name.is_empty() {
        "This function".to_owned()
    } else {
        format!("`{name}`")
    }
}
