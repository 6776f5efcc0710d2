use tree_sitter::Node;

use super::{Binder, Bindings, Opens, Scopes, children, fields, span_of};

pub(super) static BINDER: Binder = Binder {
    opens,
    declare,
    names: &["identifier", "field_identifier"],
};

fn opens(kind: &str) -> Opens {
    match kind {
        "function_declaration" | "method_declaration" | "func_literal" => Opens::Function,
        "block"
        | "for_statement"
        | "if_statement"
        | "expression_switch_statement"
        | "type_switch_statement"
        | "expression_case"
        | "default_case"
        | "type_case"
        | "communication_case" => Opens::Block,
        _ => Opens::Nothing,
    }
}

fn declare<'a>(out: &mut Bindings<'a>, text: &'a str, node: Node<'a>, scopes: Scopes) {
    match node.kind() {
        "function_declaration" => {
            if let Some(name) = node.child_by_field_name("name") {
                out.add(text, name, node, scopes.block);
            }
            parameters(out, text, node);
        }
        "method_declaration" | "func_literal" => parameters(out, text, node),
        "short_var_declaration" | "range_clause" => {
            if let Some(left) = node.child_by_field_name("left") {
                for name in children(left).filter(|n| n.kind() == "identifier") {
                    out.add(text, name, node, scopes.block);
                }
            }
        }
        "var_spec" | "const_spec" => {
            for name in fields(node, "name").filter(Node::is_named) {
                out.add(text, name, node, scopes.block);
            }
        }
        "import_spec" | "type_spec" => {
            if let Some(name) = node.child_by_field_name("name") {
                out.add(text, name, node, scopes.block);
            }
        }
        _ => {}
    }
}

fn parameters<'a>(out: &mut Bindings<'a>, text: &'a str, function: Node<'a>) {
    for field in ["receiver", "parameters", "result"] {
        let Some(list) = function.child_by_field_name(field) else {
            continue;
        };
        if list.kind() != "parameter_list" {
            continue;
        }
        for parameter in children(list) {
            for name in fields(parameter, "name").filter(Node::is_named) {
                out.add(text, name, parameter, span_of(function));
            }
        }
    }
}
