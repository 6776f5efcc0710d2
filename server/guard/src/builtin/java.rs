//! Rules of Java (some of them of Kotlin too), and what they share.

pub(super) mod no_empty_catch;
pub(super) mod no_raw_type;
pub(super) mod no_system_exit;
pub(super) mod no_thread_stop;
pub(super) mod resource_leak;
pub(super) mod sync_non_final;

use asd_syntax::Language;
use tree_sitter::Node;

use super::FileCx;
use super::bindings::children;

const LANGUAGES: &[&str] = &["java"];

/// The keywords and annotations in front of a declaration.
fn has_modifier<'a>(declaration: Node<'a>, modifier: &str) -> bool {
    children(declaration)
        .filter(|child| child.kind() == "modifiers")
        .any(|modifiers| {
            let mut cursor = modifiers.walk();
            modifiers
                .children(&mut cursor)
                .any(|child| child.kind() == modifier)
        })
}

/// What declares the variable or field that `x` or `this.x` means.
fn declaration<'a>(cx: &FileCx<'a>, variable: Node<'a>) -> Option<Node<'a>> {
    let bindings = cx.bindings();
    match variable.kind() {
        "identifier" => bindings
            .find(cx.text_of(variable), variable.start_byte())
            .map(|binding| binding.by),
        "field_access" if cx.field_text(variable, "object") == "this" => bindings
            .all(cx.field_text(variable, "field"))
            .iter()
            .filter(|binding| {
                binding.by.kind() == "field_declaration"
                    && binding.scope.start <= variable.start_byte()
                    && variable.end_byte() <= binding.scope.end
            })
            .min_by_key(|binding| binding.scope.len())
            .map(|binding| binding.by),
        _ => None,
    }
}

/// Whether code stands in the entry point of a program.
fn in_main<'a>(cx: &FileCx<'a>, node: Node<'a>) -> bool {
    cx.ancestors(node).any(|outer| match cx.language {
        Language::Kotlin => {
            outer.kind() == "function_declaration"
                && children(outer)
                    .find(|child| child.kind() == "simple_identifier")
                    .is_some_and(|name| cx.text_of(name) == "main")
        }
        _ => outer.kind() == "method_declaration" && cx.field_text(outer, "name") == "main",
    })
}
