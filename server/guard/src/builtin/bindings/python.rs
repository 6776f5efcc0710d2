use tree_sitter::Node;

use super::{Binder, Bindings, Opens, Scopes, children, span_of};

pub(super) static BINDER: Binder = Binder {
    opens,
    declare,
    names: &["identifier"],
};

fn opens(kind: &str) -> Opens {
    match kind {
        "function_definition" | "lambda" => Opens::Function,
        "class_definition" => Opens::Class,
        _ => Opens::Nothing,
    }
}

/// Names of a class body are left out: they are not visible by their bare name
/// in its methods.
fn declare<'a>(out: &mut Bindings<'a>, text: &'a str, node: Node<'a>, scopes: Scopes) {
    match node.kind() {
        "function_definition" => {
            if let Some(name) = node.child_by_field_name("name")
                && !scopes.in_class
            {
                out.add(text, name, node, scopes.function);
            }
            parameters(out, text, node);
        }
        "lambda" => parameters(out, text, node),
        "class_definition" if !scopes.in_class => {
            if let Some(name) = node.child_by_field_name("name") {
                out.add(text, name, node, scopes.function);
            }
        }
        "assignment" | "for_statement" | "for_in_clause" if !scopes.in_class => {
            if let Some(left) = node.child_by_field_name("left") {
                pattern(left, &mut |leaf| out.add(text, leaf, node, scopes.function));
            }
        }
        "named_expression" if !scopes.in_class => {
            if let Some(name) = node.child_by_field_name("name") {
                out.add(text, name, node, scopes.function);
            }
        }
        "as_pattern" if !scopes.in_class => {
            if let Some(alias) = node.child_by_field_name("alias") {
                pattern(alias, &mut |leaf| {
                    out.add(text, leaf, node, scopes.function)
                });
            }
        }
        "import_statement" | "import_from_statement" if !scopes.in_class => {
            for imported in super::fields(node, "name") {
                let name = match imported.kind() {
                    "aliased_import" => imported.child_by_field_name("alias"),
                    _ => imported.named_child(0),
                };
                if let Some(name) = name {
                    out.add(text, name, node, scopes.function);
                }
            }
        }
        _ => {}
    }
}

fn parameters<'a>(out: &mut Bindings<'a>, text: &'a str, function: Node<'a>) {
    let Some(list) = function.child_by_field_name("parameters") else {
        return;
    };
    let scope = span_of(function);
    for parameter in children(list) {
        let name = match parameter.kind() {
            "identifier" => Some(parameter),
            "default_parameter" | "typed_default_parameter" => {
                parameter.child_by_field_name("name")
            }
            "typed_parameter" | "list_splat_pattern" | "dictionary_splat_pattern" => {
                parameter.named_child(0)
            }
            _ => None,
        };
        if let Some(name) = name {
            pattern(name, &mut |leaf| out.add(text, leaf, parameter, scope));
        }
    }
}

fn pattern<'a>(node: Node<'a>, found: &mut dyn FnMut(Node<'a>)) {
    match node.kind() {
        "identifier" => found(node),
        "pattern_list"
        | "tuple_pattern"
        | "list_pattern"
        | "list_splat_pattern"
        | "tuple"
        | "list"
        | "as_pattern_target"
        | "dictionary_splat_pattern" => {
            for child in children(node) {
                pattern(child, found);
            }
        }
        _ => {}
    }
}
