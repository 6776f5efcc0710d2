//! Reading the facts of a file off its tree: one module for each family of
//! languages, each looking only at the outermost declarations.

mod go;
mod java;
mod javascript;
mod objc;
mod swift;

use asd_syntax::Language;
use tree_sitter::Node;

use super::FileFacts;
use super::facts::At;

/// Whether modules of this language import each other by path.
pub(super) const fn is_script(language: Language) -> bool {
    matches!(
        language,
        Language::JavaScript | Language::TypeScript | Language::Tsx
    )
}

/// Adds what the tree of a text says.
pub(super) fn read(
    facts: &mut FileFacts,
    path: &str,
    text: &str,
    language: Language,
    root: Node<'_>,
) {
    match language {
        Language::JavaScript | Language::TypeScript | Language::Tsx => {
            javascript::read(facts, path, text, root);
        }
        Language::Objc => objc::read(facts, text, root),
        Language::Java => java::read_java(facts, text, root),
        Language::Kotlin => java::read_kotlin(facts, text, root),
        Language::Go => go::read(facts, text, root),
        Language::Swift => swift::read(facts, text, root),
        _ => {}
    }
}

fn at(node: Node<'_>) -> At {
    crate::builtin::span_of(node).into()
}

/// A type without its arguments and without white space.
fn plain(name: &str) -> Box<str> {
    let name = name.split(['<', '(', '[']).next().unwrap_or(name);
    name.split_whitespace().collect::<String>().into()
}
