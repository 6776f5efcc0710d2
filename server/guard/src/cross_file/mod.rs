//! What several files say together. (guard.md §3.10)
//!
//! A check of one text also notes its [`FileFacts`]: what the rules of this
//! layer have to know of it, small and independent of every other file. The
//! rules are then decided on the facts of all files at once, without a text or
//! a tree: when one file changes, only its facts are made anew.

mod analysis;
mod constraint;
mod dropped;
mod extract;
mod facts;
mod interest;
mod modules;
mod tsconfig;

pub(crate) use analysis::{Conflict, Files};
pub use analysis::{CrossFileFinding, CrossFilePlace, CrossFileReport};
pub(crate) use constraint::{Platforms, largest_build};
pub use facts::{At, FileFacts};
pub use interest::{Interest, imported_files};
pub(crate) use modules::Modules;

use asd_syntax::Language;

/// The ids of the languages that rules name, for a file of one of ours: a Vue
/// file takes part in what its scripts take part in.
pub(crate) const fn rule_languages(language: Language) -> &'static [&'static str] {
    match language {
        Language::JavaScript => &["javascript"],
        Language::TypeScript | Language::Tsx => &["typescript"],
        Language::Vue | Language::Svelte | Language::Json => &["javascript", "typescript"],
        Language::Objc => &["objc"],
        Language::Java => &["java"],
        Language::Kotlin => &["kotlin"],
        Language::Go => &["go"],
        Language::Swift => &["swift"],
        _ => &[],
    }
}
