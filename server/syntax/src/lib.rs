//! Languages: which one a file is in, how it is parsed, where its comments and
//! string literals are, which parts of it are in another language, and whether
//! it is a test or generated.
//!
//! Pure. What a rule makes of a tree is the job of `guard`.

#![deny(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "this room does no I/O"
)]

mod classify;
mod comments;
mod language;
mod markup;
mod mask;
mod parse;
mod regions;
mod test_spans;

pub use ast_grep_core::tree_sitter::StrDoc;
pub use classify::{is_generated, is_minified, is_test_path};
pub use comments::{CommentSlot, comment_above, comment_behind};
pub use language::{CommentSyntax, Language};
pub use mask::{Mask, MaskKind, MaskSpan};
pub use parse::{Doc, Root, Tree, edit_tree, error_share, may_be_reused, parse, parse_while, root};
pub use regions::{Region, regions};
pub use test_spans::test_spans;
pub use tree_sitter::{Node, TreeCursor};
