use asd_text::DocumentEdit;
use ast_grep_core::AstGrep;
use ast_grep_core::tree_sitter::StrDoc;

use crate::Language;

/// A syntax tree. Cloning is cheap.
pub type Tree = tree_sitter::Tree;
/// A parsed text as ast-grep sees it.
pub type Doc = StrDoc<Language>;
/// The root that patterns and rules are matched from.
pub type Root = AstGrep<Doc>;

/// Parses `text`; `old` is an earlier tree of it that was told of every edit
/// since ([`edit_tree`]). `None` when the language has no grammar.
#[must_use]
pub fn parse(_language: Language, _text: &str, _old: Option<&Tree>) -> Option<Tree> {
    todo!()
}

/// Tells a tree of a change of its text, before it is given to [`parse`].
pub fn edit_tree(_tree: &mut Tree, _edit: &DocumentEdit) {
    todo!()
}

/// The share, from 0 to 1, of the text's bytes under error nodes. Above 0.3 a
/// tree is not relied on. (guard.md §5)
#[must_use]
pub fn error_share(_tree: &Tree) -> f64 {
    todo!()
}

/// Joins text and tree for matching.
#[must_use]
pub fn root(_language: Language, _text: &str, _tree: Tree) -> Root {
    todo!()
}
