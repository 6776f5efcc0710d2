//! Rules of Go, and what they share.

pub(super) mod defer_in_loop;
pub(super) mod no_err_ignored;
pub(super) mod no_global_var;
pub(super) mod no_init_abuse;
pub(super) mod no_panic;

use tree_sitter::Node;

use super::bindings::children;

const LANGUAGES: &[&str] = &["go"];

/// The statements of a function's body.
fn statements(body: Node<'_>) -> impl Iterator<Item = Node<'_>> {
    children(body)
        .flat_map(|child| {
            let nested = child.kind() == "statement_list";
            let own = (!nested).then_some(child);
            nested
                .then(|| children(child))
                .into_iter()
                .flatten()
                .chain(own)
        })
        .filter(|statement| statement.kind() != "comment")
}

/// A declaration, a method or a literal.
fn is_function(node: Node<'_>) -> bool {
    matches!(
        node.kind(),
        "function_declaration" | "method_declaration" | "func_literal"
    )
}
