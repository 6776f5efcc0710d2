//! Rules of Kotlin, and what they share.

pub(super) mod global_scope;
pub(super) mod no_force_unwrap;
pub(super) mod run_blocking;

use tree_sitter::Node;

use super::FileCx;
use super::bindings::children;

const LANGUAGES: &[&str] = &["kotlin"];

/// The annotations in front of a declaration or of the file, as text.
fn annotations<'a>(cx: &FileCx<'a>, node: Node<'a>) -> impl Iterator<Item = &'a str> {
    children(node)
        .filter(|child| matches!(child.kind(), "modifiers" | "annotation" | "file_annotation"))
        .map(|child| cx.text_of(child))
}

/// The full name that a simple name was imported under; the name itself when it
/// was not imported by name, `None` when the file declares it.
fn imported<'a>(cx: &FileCx<'a>, name: Node<'a>) -> Option<&'a str> {
    let text = cx.text_of(name);
    match cx.bindings().find(text, name.start_byte()) {
        None => Some(text),
        Some(binding) if binding.by.kind() == "import_header" => {
            binding.by.named_child(0).map(|path| cx.text_of(path))
        }
        Some(_) => None,
    }
}
