use tree_sitter::Node;

use super::{Binder, Bindings, Opens, Scopes, children, fields, span_of};

pub(super) static BINDER: Binder = Binder {
    opens,
    declare,
    names: &["identifier"],
};

fn opens(kind: &str) -> Opens {
    match kind {
        "function_declaration"
        | "method_declaration"
        | "function_expression"
        | "local_function_declaration" => Opens::Function,
        "block" | "for_statement" | "catch_clause" => Opens::Block,
        "class_declaration"
        | "mixin_declaration"
        | "extension_declaration"
        | "enum_declaration" => Opens::Class,
        _ => Opens::Nothing,
    }
}

fn declare<'a>(out: &mut Bindings<'a>, text: &'a str, node: Node<'a>, scopes: Scopes) {
    match node.kind() {
        "initialized_identifier" | "initialized_variable_declaration" => {
            for name in fields(node, "name").filter(Node::is_named) {
                out.add(text, name, node, scopes.block);
            }
        }
        "function_declaration" | "method_declaration" | "local_function_declaration" => {
            if let Some(signature) = node.child_by_field_name("signature") {
                function(out, text, signature, node, scopes);
            }
        }
        "formal_parameter" => {
            let name = node
                .child_by_field_name("name")
                .or_else(|| children(node).last())
                .filter(|name| name.kind() == "identifier");
            if let Some(name) = name {
                out.add(text, name, node, scopes.function);
            }
        }
        "for_statement" | "catch_parameters" => {
            let scope = span_of(node);
            for name in fields(node, "name").filter(Node::is_named) {
                out.add(text, name, node, scope);
            }
        }
        "class_declaration" | "mixin_declaration" | "enum_declaration" => {
            if let Some(name) = node.child_by_field_name("name") {
                out.add(text, name, node, scopes.block);
            }
        }
        _ => {}
    }
}

fn function<'a>(
    out: &mut Bindings<'a>,
    text: &'a str,
    signature: Node<'a>,
    by: Node<'a>,
    scopes: Scopes,
) {
    if signature.kind() == "function_signature" {
        if let Some(name) = signature.child_by_field_name("name") {
            out.add(text, name, by, scopes.block);
        }
    } else {
        for inner in children(signature) {
            function(out, text, inner, by, scopes);
        }
    }
}
