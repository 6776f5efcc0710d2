use tree_sitter::Node;

use super::{Binder, Bindings, Opens, Scopes, children, fields, span_of};

pub(super) static BINDER: Binder = Binder {
    opens,
    declare,
    names: &["simple_identifier"],
};

fn opens(kind: &str) -> Opens {
    match kind {
        "function_declaration"
        | "lambda_literal"
        | "init_declaration"
        | "deinit_declaration"
        | "subscript_declaration"
        | "computed_property" => Opens::Function,
        "if_statement"
        | "for_statement"
        | "while_statement"
        | "switch_entry"
        | "do_statement"
        | "catch_block"
        | "repeat_while_statement" => Opens::Block,
        "class_body" | "protocol_body" | "enum_class_body" => Opens::Class,
        _ => Opens::Nothing,
    }
}

fn declare<'a>(out: &mut Bindings<'a>, text: &'a str, node: Node<'a>, scopes: Scopes) {
    match node.kind() {
        "property_declaration" => {
            for name in fields(node, "name") {
                pattern(name, &mut |leaf| out.add(text, leaf, node, scopes.block));
            }
        }
        "function_declaration" => {
            if let Some(name) = node.child_by_field_name("name") {
                out.add(text, name, node, scopes.block);
            }
        }
        "parameter" => {
            if let Some(name) = fields(node, "name").find(|n| n.kind() == "simple_identifier") {
                out.add(text, name, node, scopes.function);
            }
        }
        "for_statement" => {
            if let Some(item) = node.child_by_field_name("item") {
                pattern(item, &mut |leaf| out.add(text, leaf, node, span_of(node)));
            }
        }
        "class_declaration" | "protocol_declaration" | "typealias_declaration" => {
            // An extension has the name of a type that is declared elsewhere.
            if let Some(name) = node
                .child_by_field_name("name")
                .filter(|name| name.kind() == "type_identifier")
            {
                out.add(text, name, node, scopes.block);
            }
        }
        _ => {}
    }
}

fn pattern<'a>(node: Node<'a>, found: &mut dyn FnMut(Node<'a>)) {
    match node.kind() {
        "simple_identifier" => found(node),
        "pattern" => {
            for child in children(node) {
                pattern(child, found);
            }
        }
        _ => {}
    }
}
