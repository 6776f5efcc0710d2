use tree_sitter::Node;

use super::{Binder, Bindings, Opens, Scopes, children, fields, span_of};

pub(super) static BINDER: Binder = Binder {
    opens,
    declare,
    names: &[
        "identifier",
        "shorthand_property_identifier",
        "shorthand_property_identifier_pattern",
    ],
};

fn opens(kind: &str) -> Opens {
    match kind {
        "function_declaration"
        | "generator_function_declaration"
        | "function_expression"
        | "generator_function"
        | "arrow_function"
        | "method_definition"
        | "class_static_block" => Opens::Function,
        "statement_block" | "for_statement" | "for_in_statement" | "catch_clause"
        | "switch_body" => Opens::Block,
        "class_body" => Opens::Class,
        _ => Opens::Nothing,
    }
}

fn declare<'a>(out: &mut Bindings<'a>, text: &'a str, node: Node<'a>, scopes: Scopes) {
    match node.kind() {
        "variable_declaration" | "lexical_declaration" => {
            let scope = if node.kind() == "variable_declaration" {
                scopes.function
            } else {
                scopes.block
            };
            for declarator in children(node).filter(|n| n.kind() == "variable_declarator") {
                if let Some(name) = declarator.child_by_field_name("name") {
                    pattern(name, &mut |leaf| out.add(text, leaf, declarator, scope));
                }
            }
        }
        "for_in_statement" => {
            let Some(kind) = node.child_by_field_name("kind") else {
                return;
            };
            let scope = if kind.kind() == "var" {
                scopes.function
            } else {
                span_of(node)
            };
            if let Some(left) = node.child_by_field_name("left") {
                pattern(left, &mut |leaf| out.add(text, leaf, node, scope));
            }
        }
        "function_declaration" | "generator_function_declaration" | "function_signature" => {
            own_name(out, text, node, scopes);
            parameters(out, text, node);
        }
        "class_declaration"
        | "abstract_class_declaration"
        | "enum_declaration"
        | "internal_module" => own_name(out, text, node, scopes),
        "function_expression" | "generator_function" => {
            if let Some(name) = node.child_by_field_name("name") {
                out.add(text, name, node, span_of(node));
            }
            parameters(out, text, node);
        }
        "arrow_function" | "method_definition" => parameters(out, text, node),
        "class" => {
            if let Some(name) = node.child_by_field_name("name") {
                out.add(text, name, node, span_of(node));
            }
        }
        "catch_clause" => {
            if let Some(parameter) = node.child_by_field_name("parameter") {
                pattern(parameter, &mut |leaf| {
                    out.add(text, leaf, node, span_of(node));
                });
            }
        }
        "import_specifier" => {
            if let Some(name) = node
                .child_by_field_name("alias")
                .or_else(|| node.child_by_field_name("name"))
            {
                out.add(text, name, node, scopes.block);
            }
        }
        "import_clause" | "namespace_import" | "import_require_clause" => {
            for name in children(node).filter(|n| n.kind() == "identifier") {
                out.add(text, name, node, scopes.block);
            }
        }
        _ => {}
    }
}

fn own_name<'a>(out: &mut Bindings<'a>, text: &'a str, node: Node<'a>, scopes: Scopes) {
    if let Some(name) = node.child_by_field_name("name") {
        out.add(text, name, node, scopes.block);
    }
}

fn parameters<'a>(out: &mut Bindings<'a>, text: &'a str, function: Node<'a>) {
    let scope = span_of(function);
    for list in fields(function, "parameters").chain(fields(function, "parameter")) {
        if list.kind() == "formal_parameters" {
            for parameter in children(list) {
                pattern(parameter, &mut |leaf| out.add(text, leaf, parameter, scope));
            }
        } else {
            pattern(list, &mut |leaf| out.add(text, leaf, function, scope));
        }
    }
}

/// The names that a binding pattern declares.
fn pattern<'a>(node: Node<'a>, found: &mut dyn FnMut(Node<'a>)) {
    match node.kind() {
        "identifier" | "shorthand_property_identifier_pattern" => found(node),
        "required_parameter" | "optional_parameter" => {
            if let Some(inner) = node.child_by_field_name("pattern") {
                pattern(inner, found);
            }
        }
        "assignment_pattern" | "object_assignment_pattern" => {
            if let Some(left) = node.child_by_field_name("left") {
                pattern(left, found);
            }
        }
        "pair_pattern" => {
            if let Some(value) = node.child_by_field_name("value") {
                pattern(value, found);
            }
        }
        "object_pattern" | "array_pattern" | "rest_pattern" => {
            for child in children(node) {
                pattern(child, found);
            }
        }
        _ => {}
    }
}
