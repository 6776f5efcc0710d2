use tree_sitter::Node;

use super::{Binder, Bindings, Opens, Scopes, children, span_of};

pub(super) static BINDER: Binder = Binder {
    opens,
    declare,
    names: &["simple_identifier"],
};

fn opens(kind: &str) -> Opens {
    match kind {
        "function_declaration"
        | "anonymous_function"
        | "lambda_literal"
        | "getter"
        | "setter"
        | "secondary_constructor" => Opens::Function,
        "control_structure_body"
        | "for_statement"
        | "catch_block"
        | "when_entry"
        | "try_expression" => Opens::Block,
        "class_declaration" | "object_declaration" | "companion_object" => Opens::Class,
        _ => Opens::Nothing,
    }
}

fn declare<'a>(out: &mut Bindings<'a>, text: &'a str, node: Node<'a>, scopes: Scopes) {
    match node.kind() {
        "property_declaration" => {
            for child in children(node) {
                variables(out, text, child, node, scopes);
            }
        }
        "for_statement" => {
            let inner = Scopes {
                block: span_of(node),
                ..scopes
            };
            for child in children(node).take(1) {
                variables(out, text, child, node, inner);
            }
        }
        "function_declaration" => {
            if let Some(name) = children(node).find(|child| child.kind() == "simple_identifier") {
                out.add(text, name, node, scopes.block);
            }
            for list in children(node).filter(|c| c.kind() == "function_value_parameters") {
                for parameter in children(list).filter(|c| c.kind() == "parameter") {
                    if let Some(name) = parameter.named_child(0) {
                        out.add(text, name, parameter, span_of(node));
                    }
                }
            }
        }
        "class_parameter" | "catch_block" => {
            if let Some(name) = children(node).find(|child| child.kind() == "simple_identifier") {
                let scope = if node.kind() == "catch_block" {
                    span_of(node)
                } else {
                    scopes.block
                };
                out.add(text, name, node, scope);
            }
        }
        "lambda_literal" => {
            for list in children(node).filter(|c| c.kind() == "lambda_parameters") {
                let inner = Scopes {
                    block: span_of(node),
                    ..scopes
                };
                for parameter in children(list) {
                    variables(out, text, parameter, node, inner);
                }
            }
        }
        "class_declaration" | "object_declaration" => {
            if let Some(name) = children(node).find(|child| child.kind() == "type_identifier") {
                out.add(text, name, node, scopes.block);
            }
        }
        "import_header" => {
            let alias = children(node).find(|child| child.kind() == "import_alias");
            let wildcard = children(node).any(|child| child.kind() == "wildcard_import");
            let name = match alias {
                Some(alias) => alias.named_child(0),
                None if wildcard => None,
                None => node.named_child(0).and_then(|path| children(path).last()),
            };
            if let Some(name) = name {
                out.add(text, name, node, scopes.block);
            }
        }
        _ => {}
    }
}

fn variables<'a>(
    out: &mut Bindings<'a>,
    text: &'a str,
    node: Node<'a>,
    by: Node<'a>,
    scopes: Scopes,
) {
    match node.kind() {
        "variable_declaration" => {
            if let Some(name) = children(node).find(|child| child.kind() == "simple_identifier") {
                out.add(text, name, by, scopes.block);
            }
        }
        "multi_variable_declaration" => {
            for child in children(node) {
                variables(out, text, child, by, scopes);
            }
        }
        _ => {}
    }
}
