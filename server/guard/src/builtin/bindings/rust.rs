use tree_sitter::Node;

use super::{Binder, Bindings, Opens, Scopes, children, span_of};

pub(super) static BINDER: Binder = Binder {
    opens,
    declare,
    names: &["identifier"],
};

fn opens(kind: &str) -> Opens {
    match kind {
        "function_item" | "closure_expression" => Opens::Function,
        "block" | "for_expression" | "match_arm" | "if_expression" | "while_expression"
        | "mod_item" => Opens::Block,
        _ => Opens::Nothing,
    }
}

fn declare<'a>(out: &mut Bindings<'a>, text: &'a str, node: Node<'a>, scopes: Scopes) {
    match node.kind() {
        "let_declaration" | "parameter" | "let_condition" | "for_expression" => {
            let scope = match node.kind() {
                "let_declaration" | "let_condition" => scopes.block,
                "parameter" => scopes.function,
                _ => span_of(node),
            };
            if let Some(inner) = node.child_by_field_name("pattern") {
                pattern(inner, &mut |leaf| out.add(text, leaf, node, scope));
            }
        }
        "function_item" | "static_item" | "const_item" | "macro_definition" => {
            if let Some(name) = node.child_by_field_name("name") {
                out.add(text, name, node, scopes.block);
            }
        }
        "use_declaration" => {
            if let Some(tree) = node.child_by_field_name("argument") {
                imports(tree, &mut |leaf| out.add(text, leaf, node, scopes.block));
            }
        }
        _ => {}
    }
}

fn pattern<'a>(node: Node<'a>, found: &mut dyn FnMut(Node<'a>)) {
    match node.kind() {
        "identifier" | "shorthand_field_identifier" => found(node),
        "tuple_struct_pattern" => {
            for child in children(node).skip(1) {
                pattern(child, found);
            }
        }
        "tuple_pattern" | "mut_pattern" | "ref_pattern" | "reference_pattern"
        | "struct_pattern" | "field_pattern" | "slice_pattern" | "captured_pattern"
        | "or_pattern" | "match_pattern" => {
            for child in children(node) {
                pattern(child, found);
            }
        }
        _ => {}
    }
}

fn imports<'a>(node: Node<'a>, found: &mut dyn FnMut(Node<'a>)) {
    match node.kind() {
        "identifier" | "self" => found(node),
        "scoped_identifier" => {
            if let Some(name) = node.child_by_field_name("name") {
                imports(name, found);
            }
        }
        "use_as_clause" => {
            if let Some(alias) = node.child_by_field_name("alias") {
                imports(alias, found);
            }
        }
        "scoped_use_list" => {
            if let Some(list) = node.child_by_field_name("list") {
                imports(list, found);
            }
        }
        "use_list" => {
            for child in children(node) {
                imports(child, found);
            }
        }
        _ => {}
    }
}
