//! Swift.

use asd_syntax::Node;

use super::builder::{Builder, Receives, Value, child, children, count};
use super::types::{bare, simplify};
use crate::facts::{CallKind, ImportStyle, SymbolKind};

pub(super) fn enter<'t>(b: &mut Builder<'t>, node: Node<'t>) -> bool {
    match node.kind() {
        "import_declaration" => {
            if let Some(name) = child(node, &["identifier"]) {
                b.import(node, b.of(name), ImportStyle::Import, Vec::new(), None);
            }
            return false;
        }
        "class_declaration" => {
            class(b, node);
        }
        "protocol_declaration" => {
            if let Some(name) = node.child_by_field_name("name") {
                let at = b.declare(
                    node,
                    name,
                    SymbolKind::Interface,
                    node.child_by_field_name("body"),
                );
                head(b, node, at);
                b.open(at);
            }
        }
        "typealias_declaration" => {
            if let Some(name) = node.child_by_field_name("name") {
                let at = b.declare(node, name, SymbolKind::Alias, None);
                let of = b.field(node, "value").and_then(simplify);
                b.declaration(at).supertypes.extend(of);
            }
        }
        "function_declaration" | "protocol_function_declaration" => {
            let kind = if b.in_type() {
                SymbolKind::Method
            } else {
                SymbolKind::Function
            };
            if let Some(name) = node.child_by_field_name("name") {
                function(b, node, name, b.of(name).to_owned(), kind);
            }
        }
        "init_declaration" => {
            function(
                b,
                node,
                node.child(0).unwrap_or(node),
                "init".to_owned(),
                SymbolKind::Constructor,
            );
        }
        "enum_entry" => {
            let mut cursor = node.walk();
            let names: Vec<Node<'t>> = node.children_by_field_name("name", &mut cursor).collect();
            for name in names {
                b.declare(node, name, SymbolKind::Constant, None);
            }
        }
        "property_declaration" | "protocol_property_declaration" => property(b, node),
        "parameter" => {
            let mut cursor = node.walk();
            let parts: Vec<Node<'t>> = node.children_by_field_name("name", &mut cursor).collect();
            if let [name, kind, ..] = parts.as_slice() {
                b.bind(b.scope(), b.of(*name), Value::Type(b.of(*kind)));
            }
        }
        "lambda_parameter" => {
            if let Some(name) = node.child_by_field_name("name") {
                b.bind(b.scope(), b.of(name), Value::Unknown);
            }
        }
        "if_statement" | "guard_statement" | "while_statement" => bound(b, node),
        "for_statement" => {
            if let Some(name) = node
                .child_by_field_name("item")
                .and_then(|item| item.child_by_field_name("bound_identifier"))
            {
                b.bind(b.scope(), b.of(name), Value::Unknown);
            }
        }
        "type_identifier" => b.uses_type(b.of(node)),
        "simple_identifier" => {
            let name = b.of(node);
            if name.starts_with(char::is_uppercase) {
                b.uses_type(name);
            }
        }
        "call_expression" => {
            call(b, node);
        }
        "control_transfer_statement" => {
            if child(node, &["throw_keyword"]).is_some()
                && let Some(error) = children(node).find(|part| part.kind() != "throw_keyword")
            {
                let path = match error.kind() {
                    "call_expression" => error.named_child(0).and_then(|f| path_of(b, f)),
                    _ => path_of(b, error),
                };
                let path = path.unwrap_or_default();
                // A case is an error of its enum.
                let name = match path.rsplit_once('.') {
                    Some((owner, case)) if case.starts_with(char::is_lowercase) => owner,
                    _ => &path,
                };
                b.throws(node, name);
            }
        }
        _ => {}
    }
    true
}

fn head<'t>(b: &mut Builder<'t>, node: Node<'t>, at: u32) {
    let mut words = Vec::new();
    let mut annotations = Vec::new();
    for part in child(node, &["modifiers"]).into_iter().flat_map(children) {
        if part.kind() == "attribute" {
            annotations.push(b.of(part).trim_start_matches('@').to_owned());
        } else {
            words.push(b.of(part).to_owned());
        }
    }
    let supertypes: Vec<String> = children(node)
        .filter(|part| part.kind() == "inheritance_specifier")
        .map(|part| bare(b.of(part)))
        .collect();
    let declaration = b.declaration(at);
    declaration.is_public = !words
        .iter()
        .any(|word| matches!(word.as_str(), "private" | "fileprivate"));
    declaration.is_test |= supertypes.iter().any(|s| s == "XCTestCase")
        || annotations.iter().any(|a| a.starts_with("Test"));
    declaration.modifiers.extend(words);
    declaration.annotations = annotations;
    declaration.supertypes = supertypes;
}

fn class<'t>(b: &mut Builder<'t>, node: Node<'t>) -> Option<u32> {
    let name = node.child_by_field_name("name")?;
    let body = node.child_by_field_name("body");
    let mut cursor = node.walk();
    let word = node
        .children(&mut cursor)
        .filter(|part| !part.is_named())
        .map(|part| b.of(part))
        .find(|word| matches!(*word, "class" | "struct" | "enum" | "extension" | "actor"));
    let kind = match word {
        Some("struct") => SymbolKind::Struct,
        Some("enum") => SymbolKind::Enum,
        Some("extension") => SymbolKind::Extension,
        _ => SymbolKind::Class,
    };
    let at = b.declare_as(node, name, simplify(b.of(name))?, kind, body);
    head(b, node, at);
    if word == Some("actor") {
        b.declaration(at).modifiers.push("actor".to_owned());
    }
    b.open(at);
    Some(at)
}

fn function<'t>(
    b: &mut Builder<'t>,
    node: Node<'t>,
    at: Node<'t>,
    name: String,
    kind: SymbolKind,
) -> Option<u32> {
    let index = b.declare_as(node, at, name, kind, node.child_by_field_name("body"));
    head(b, node, index);
    let number = children(node)
        .filter(|part| part.kind() == "parameter")
        .count();
    let mut cursor = node.walk();
    let result = node
        .children_by_field_name("name", &mut cursor)
        .nth(1)
        .or_else(|| node.child_by_field_name("return_type"))
        .and_then(|result| simplify(b.of(result)));
    let throws = child(node, &["throws"]).is_some();
    let is_test = kind == SymbolKind::Method && b.declaration(index).name.starts_with("test");
    let declaration = b.declaration(index);
    declaration.parameters = u16::try_from(number).unwrap_or(u16::MAX);
    declaration.result = if kind == SymbolKind::Constructor {
        None
    } else {
        result
    };
    declaration.is_test |= is_test && number == 0;
    if throws {
        declaration.modifiers.push("throws".to_owned());
    }
    b.open(index);
    Some(index)
}

fn property<'t>(b: &mut Builder<'t>, node: Node<'t>) {
    let Some(name) = node.child_by_field_name("name").and_then(|pattern| {
        pattern
            .child_by_field_name("bound_identifier")
            .or_else(|| child(pattern, &["simple_identifier"]))
    }) else {
        return;
    };
    let kind = child(node, &["type_annotation"]).map(|kind| b.of(kind));
    let hint = match (kind, node.child_by_field_name("value")) {
        (Some(kind), _) => Value::Type(kind),
        (None, Some(value)) => value_of(b, value),
        (None, None) => Value::Unknown,
    };
    let scope = b.scope();
    if !b.in_function() {
        let kind = if b.in_type() {
            SymbolKind::Field
        } else {
            SymbolKind::Variable
        };
        let at = b.declare(node, name, kind, None);
        head(b, node, at);
        if let Some(first) = child(node, &["value_binding_pattern"]) {
            let word = b.of(first).to_owned();
            b.declaration(at).modifiers.push(word);
        }
        // The getter of a computed property calls for the property.
        if node.child_by_field_name("computed_value").is_some() {
            b.open(at);
        }
    }
    b.bind(scope, b.of(name), hint);
}

/// `if let a = b`, `guard let a`
fn bound<'t>(b: &mut Builder<'t>, node: Node<'t>) {
    let mut cursor = node.walk();
    let parts: Vec<Node<'t>> = node.children(&mut cursor).collect();
    for (index, part) in parts.iter().enumerate() {
        if part.kind() != "value_binding_pattern" {
            continue;
        }
        let Some(name) = parts
            .get(index + 1)
            .filter(|name| name.kind() == "simple_identifier")
        else {
            continue;
        };
        let value = parts
            .get(index + 2)
            .filter(|sign| b.of(**sign) == "=")
            .and_then(|_| parts.get(index + 3));
        let hint = value.map_or_else(|| Value::Unknown, |value| value_of(b, *value));
        if value.is_some() {
            b.bind(b.scope(), b.of(*name), hint);
        }
    }
}

fn strip(mut node: Node<'_>) -> Node<'_> {
    while matches!(
        node.kind(),
        "try_expression"
            | "await_expression"
            | "postfix_expression"
            | "optional_chaining_expression"
    ) {
        let inner = node
            .child_by_field_name("expr")
            .or_else(|| node.child_by_field_name("target"));
        let Some(inner) =
            inner.or_else(|| children(node).find(|part| part.kind() != "try_operator"))
        else {
            return node;
        };
        node = inner;
    }
    node
}

fn value_of<'t>(b: &Builder<'t>, node: Node<'t>) -> Value<'t> {
    let node = strip(node);
    match node.kind() {
        "call_expression" => Value::Node(node),
        "as_expression" => b.field(node, "type").map_or(Value::Unknown, Value::Type),
        _ => path_of(b, node).map_or(Value::Unknown, Value::Path),
    }
}

fn path_of<'t>(b: &Builder<'t>, node: Node<'t>) -> Option<String> {
    let node = strip(node);
    match node.kind() {
        "simple_identifier" => Some(b.of(node).to_owned()),
        "self_expression" => Some("self".to_owned()),
        "super_expression" => Some("super".to_owned()),
        "navigation_expression" => {
            let object = path_of(b, node.child_by_field_name("target")?)?;
            let suffix = node
                .child_by_field_name("suffix")?
                .child_by_field_name("suffix")?;
            Some(format!("{object}.{}", b.of(suffix)))
        }
        _ => None,
    }
}

fn call<'t>(b: &mut Builder<'t>, node: Node<'t>) -> Option<u32> {
    let function = strip(node.named_child(0)?);
    let suffix = child(node, &["call_suffix"])?;
    let lambdas = children(suffix)
        .filter(|part| part.kind() == "lambda_literal")
        .count();
    let number = count(child(suffix, &["value_arguments"])) + lambdas;
    match function.kind() {
        "simple_identifier" => b.call(node, function, Receives::Nothing, CallKind::Plain, number),
        "navigation_expression" => {
            let name = function
                .child_by_field_name("suffix")?
                .child_by_field_name("suffix")?;
            let object = strip(function.child_by_field_name("target")?);
            let receiver = path_of(b, object).map_or(Receives::Node(object), Receives::Path);
            b.call(node, name, receiver, CallKind::Member, number)
        }
        _ => None,
    }
}
