//! Rules of Python, and what they share.

pub(super) mod mixed_indentation;
pub(super) mod no_assert_in_prod;
pub(super) mod no_bare_except;
pub(super) mod no_exec;
pub(super) mod no_mutable_default;
pub(super) mod no_star_import;

use tree_sitter::Node;

use super::FileCx;

const LANGUAGES: &[&str] = &["python"];

/// The built-in function that an expression names: `exec`, `builtins.exec`. A
/// name that the file assigns, defines or imports is none.
fn builtin<'a>(cx: &FileCx<'a>, node: Node<'a>) -> Option<&'a str> {
    match node.kind() {
        "identifier" => {
            let name = cx.text_of(node);
            cx.bindings()
                .find(name, node.start_byte())
                .is_none_or(|binding| cx.field_text(binding.by, "module_name") == "builtins")
                .then_some(name)
        }
        "attribute" => matches!(cx.field_text(node, "object"), "builtins" | "__builtins__")
            .then(|| cx.field_text(node, "attribute")),
        _ => None,
    }
}
