use tree_sitter::Node;

use super::{Binder, Bindings, Opens, Scopes, children, fields, span_of};

pub(super) static BINDER: Binder = Binder {
    opens,
    declare,
    names: &["identifier"],
};

fn opens(kind: &str) -> Opens {
    match kind {
        "method_declaration"
        | "constructor_declaration"
        | "lambda_expression"
        | "compact_constructor_declaration" => Opens::Function,
        "block"
        | "for_statement"
        | "enhanced_for_statement"
        | "catch_clause"
        | "try_with_resources_statement"
        | "switch_block" => Opens::Block,
        "class_body" | "interface_body" | "enum_body" | "record_declaration" => Opens::Class,
        _ => Opens::Nothing,
    }
}

fn declare<'a>(out: &mut Bindings<'a>, text: &'a str, node: Node<'a>, scopes: Scopes) {
    match node.kind() {
        "field_declaration" | "local_variable_declaration" | "constant_declaration" => {
            for declarator in fields(node, "declarator") {
                if let Some(name) = declarator.child_by_field_name("name") {
                    out.add(text, name, node, scopes.block);
                }
            }
        }
        "method_declaration" | "constructor_declaration" | "compact_constructor_declaration" => {
            if let Some(list) = node.child_by_field_name("parameters") {
                parameters(out, text, list, node);
            }
        }
        "record_declaration" => {
            named(out, text, node, scopes);
            if let Some(list) = node.child_by_field_name("parameters") {
                parameters(out, text, list, node);
            }
        }
        "lambda_expression" => {
            if let Some(list) = node.child_by_field_name("parameters") {
                match list.kind() {
                    "formal_parameters" => parameters(out, text, list, node),
                    "identifier" => out.add(text, list, node, span_of(node)),
                    _ => {
                        for name in children(list) {
                            out.add(text, name, node, span_of(node));
                        }
                    }
                }
            }
        }
        "enhanced_for_statement" | "resource" | "catch_formal_parameter" => {
            if let Some(name) = node.child_by_field_name("name") {
                let scope = if node.kind() == "enhanced_for_statement" {
                    span_of(node)
                } else {
                    scopes.block
                };
                out.add(text, name, node, scope);
            }
        }
        "class_declaration"
        | "interface_declaration"
        | "enum_declaration"
        | "annotation_type_declaration" => named(out, text, node, scopes),
        "import_declaration" => {
            if let Some(path) = node.named_child(0)
                && !children(node).any(|child| child.kind() == "asterisk")
                && let Some(name) = path.child_by_field_name("name")
            {
                out.add(text, name, node, scopes.block);
            }
        }
        _ => {}
    }
}

fn named<'a>(out: &mut Bindings<'a>, text: &'a str, node: Node<'a>, scopes: Scopes) {
    if let Some(name) = node.child_by_field_name("name") {
        out.add(text, name, node, scopes.block);
    }
}

fn parameters<'a>(out: &mut Bindings<'a>, text: &'a str, list: Node<'a>, function: Node<'a>) {
    for parameter in children(list) {
        let name = parameter.child_by_field_name("name").or_else(|| {
            children(parameter)
                .find(|child| child.kind() == "variable_declarator")
                .and_then(|declarator| declarator.child_by_field_name("name"))
        });
        if let Some(name) = name {
            out.add(text, name, parameter, span_of(function));
        }
    }
}
