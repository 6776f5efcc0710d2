//! Dart.

use asd_syntax::Node;

use super::builder::{Builder, Receives, Value, child, children, count, imported};
use super::types::{bare, simplify};
use crate::facts::{CallKind, Export, ImportStyle, SymbolKind};

pub(super) fn enter<'t>(b: &mut Builder<'t>, node: Node<'t>) -> bool {
    match node.kind() {
        "library_import" => {
            if let Some(uri) = uri_of(b, node) {
                let specification = child(node, &["import_specification"]).unwrap_or(node);
                let alias = b.field(specification, "alias").map(str::to_owned);
                let mut names = Vec::new();
                for combinator in children(specification).filter(|part| part.kind() == "combinator")
                {
                    if b.of(combinator).starts_with("show") {
                        names.extend(
                            children(combinator).map(|name| imported(b.of(name), b.of(name))),
                        );
                    }
                }
                if names.is_empty() && alias.is_none() {
                    names.push(imported("*", "*"));
                }
                b.import(node, uri, ImportStyle::Import, names, alias);
            }
            return false;
        }
        "library_export" => {
            if let Some(uri) = uri_of(b, node) {
                let import = b.import(node, uri, ImportStyle::Reexport, Vec::new(), None);
                b.facts.exports.push(Export {
                    name: "*".to_owned(),
                    local: "*".to_owned(),
                    import: Some(import),
                });
            }
            return false;
        }
        "part_directive" => {
            if let Some(uri) = uri_of(b, node) {
                b.import(node, uri, ImportStyle::Part, Vec::new(), None);
            }
            return false;
        }
        "part_of_directive" => {
            if let Some(uri) = uri_of(b, node) {
                b.import(
                    node,
                    uri,
                    ImportStyle::Part,
                    vec![imported("of", "of")],
                    None,
                );
            }
            return false;
        }
        "class_declaration" | "extension_type_declaration" => {
            class(b, node, SymbolKind::Class);
        }
        "mixin_declaration" => {
            class(b, node, SymbolKind::Interface);
        }
        "enum_declaration" => {
            class(b, node, SymbolKind::Enum);
        }
        "extension_declaration" => {
            let of = node.child_by_field_name("class");
            if let Some(of) = of {
                let name = simplify(b.of(of)).unwrap_or_else(|| b.of(of).to_owned());
                let at = b.declare_as(
                    node,
                    of,
                    name,
                    SymbolKind::Extension,
                    node.child_by_field_name("body"),
                );
                b.open(at);
            }
        }
        "type_alias" => {
            if let Some(name) = child(node, &["type_identifier", "identifier"]) {
                b.declare(node, name, SymbolKind::Alias, None);
            }
        }
        "enum_entry" => {
            if let Some(name) = node.child_by_field_name("name") {
                b.declare(node, name, SymbolKind::Constant, None);
            }
        }
        "function_declaration"
        | "method_declaration"
        | "local_function_declaration"
        | "external_function_declaration" => {
            callable(b, node);
        }
        "declaration" => {
            if child(
                node,
                &[
                    "constructor_signature",
                    "constant_constructor_signature",
                    "factory_constructor_signature",
                    "redirecting_factory_constructor_signature",
                    "function_signature",
                    "getter_signature",
                    "setter_signature",
                ],
            )
            .is_some()
            {
                callable(b, node);
            } else {
                fields(b, node);
            }
        }
        "initialized_variable_declaration"
        | "static_final_declaration"
        | "initialized_variable_definition" => variable(b, node),
        "formal_parameter" | "normal_formal_parameter" | "default_formal_parameter" => {
            if let Some(name) = node
                .child_by_field_name("name")
                .or_else(|| child(node, &["identifier"]))
            {
                let kind = child(node, &["type"]).map(|kind| b.of(kind));
                b.bind(
                    b.scope(),
                    b.of(name),
                    kind.map_or(Value::Unknown, Value::Type),
                );
            }
        }
        "type_identifier" => b.uses_type(b.of(node)),
        "call_expression" => {
            call(b, node);
        }
        "cascade_call_expression" => {
            if let Some(name) = node.child_by_field_name("property") {
                let number = count(node.child_by_field_name("arguments"));
                let target = ancestor(node, "cascade").and_then(|cascade| cascade.named_child(0));
                let receiver = target.map_or(Receives::Node(node), |target| {
                    path_of(b, target).map_or(Receives::Node(target), Receives::Path)
                });
                b.call(node, name, receiver, CallKind::Member, number);
            }
        }
        "new_expression" | "const_object_expression" | "constructor_invocation" => {
            if let Some(kind) = node
                .child_by_field_name("type")
                .or_else(|| child(node, &["type"]))
            {
                let number = count(node.child_by_field_name("arguments"));
                if let Some(name) = simplify(b.of(kind)) {
                    b.call_named(
                        node,
                        kind,
                        name,
                        Receives::Nothing,
                        CallKind::Construct,
                        number,
                    );
                }
            }
        }
        "throw_expression" => {
            if let Some(error) = node.child_by_field_name("value") {
                let name = match error.kind() {
                    "call_expression" => b.field(error, "function"),
                    "new_expression" => b.field(error, "type"),
                    _ => Some(b.of(error)),
                };
                b.throws(node, name.unwrap_or_default());
            }
        }
        _ => {}
    }
    true
}

fn ancestor<'t>(node: Node<'t>, kind: &str) -> Option<Node<'t>> {
    std::iter::successors(node.parent(), Node::parent)
        .take(4)
        .find(|parent| parent.kind() == kind)
}

/// The text of the first string in a directive.
fn uri_of<'t>(b: &Builder<'t>, node: Node<'t>) -> Option<&'t str> {
    let text = b.of(node);
    let quote = text.find(['\'', '"'])?;
    let rest = &text[quote + 1..];
    rest.find(text[quote..].chars().next()?)
        .map(|end| &rest[..end])
}

fn class<'t>(b: &mut Builder<'t>, node: Node<'t>, kind: SymbolKind) -> Option<u32> {
    let name = node.child_by_field_name("name")?;
    let at = b.declare_as(
        node,
        name,
        bare(b.of(name)),
        kind,
        node.child_by_field_name("body"),
    );
    let mut supertypes = Vec::new();
    let mut open: Vec<Node<'t>> = children(node)
        .filter(|part| matches!(part.kind(), "superclass" | "interfaces" | "mixins" | "type"))
        .collect();
    open.reverse();
    while let Some(part) = open.pop() {
        if part.kind() == "type" {
            supertypes.push(bare(b.of(part)));
        } else {
            let mut inner: Vec<Node<'t>> = children(part).collect();
            inner.reverse();
            open.extend(inner);
        }
    }
    annotate(b, node, at);
    let declaration = b.declaration(at);
    declaration.supertypes = supertypes;
    b.open(at);
    Some(at)
}

fn annotate<'t>(b: &mut Builder<'t>, node: Node<'t>, at: u32) {
    let annotations: Vec<String> = children(node)
        .filter(|part| part.kind() == "annotation")
        .map(|part| b.of(part).trim_start_matches('@').to_owned())
        .collect();
    let declaration = b.declaration(at);
    declaration.is_public = !declaration.name.starts_with('_');
    if annotations.iter().any(|a| a == "override") {
        declaration.modifiers.push("override".to_owned());
    }
    declaration.annotations = annotations;
}

/// The signature that holds the name, however deep it is wrapped.
fn signature_of(node: Node<'_>) -> Option<Node<'_>> {
    let mut open = vec![node];
    while let Some(part) = open.pop() {
        if part.kind().ends_with("_signature") && part.child_by_field_name("name").is_some() {
            return Some(part);
        }
        if matches!(part.kind(), "method_signature") || part.id() == node.id() {
            open.extend(children(part));
        }
    }
    None
}

fn callable<'t>(b: &mut Builder<'t>, node: Node<'t>) -> Option<u32> {
    let signature = signature_of(node)?;
    let mut cursor = signature.walk();
    let names: Vec<Node<'t>> = signature
        .children_by_field_name("name", &mut cursor)
        .filter(Node::is_named)
        .collect();
    let name = *names.last()?;
    let is_constructor = signature.kind().contains("constructor");
    let kind = match (is_constructor, b.in_type()) {
        (true, _) => SymbolKind::Constructor,
        (false, true) => SymbolKind::Method,
        (false, false) => SymbolKind::Function,
    };
    let body = node
        .child_by_field_name("body")
        .or_else(|| child(node, &["function_body"]));
    let at = b.declare(node, name, kind, body);
    annotate(b, node, at);
    let result = b.field(signature, "return_type").and_then(simplify);
    let is_static = b
        .of(node)
        .split('(')
        .next()
        .is_some_and(|head| head.split_whitespace().any(|word| word == "static"));
    let number = count(signature.child_by_field_name("parameters"));
    let container = b
        .container()
        .map(|at| b.facts.declarations[at as usize].name.clone());
    let declaration = b.declaration(at);
    declaration.result = if is_constructor { container } else { result };
    declaration.parameters = u16::try_from(number).unwrap_or(u16::MAX);
    if is_static {
        declaration.modifiers.push("static".to_owned());
    }
    b.open(at);
    Some(at)
}

fn fields<'t>(b: &mut Builder<'t>, node: Node<'t>) {
    let kind = child(node, &["type"]).map(|kind| b.of(kind));
    let container = b.container();
    for list in children(node) {
        if !matches!(
            list.kind(),
            "initialized_identifier_list" | "static_final_declaration_list" | "identifier_list"
        ) {
            continue;
        }
        for one in children(list) {
            let name = one
                .child_by_field_name("name")
                .or_else(|| child(one, &["identifier"]));
            let name = name.unwrap_or(one);
            if name.kind() != "identifier" {
                continue;
            }
            let at = b.declare(one, name, SymbolKind::Field, None);
            let public = !b.of(name).starts_with('_');
            b.declaration(at).is_public = public;
            let hint = match (kind, one.child_by_field_name("value")) {
                (Some(kind), _) => Value::Type(kind),
                (None, Some(value)) => value_of(b, value),
                (None, None) => Value::Unknown,
            };
            b.bind(container, b.of(name), hint);
        }
    }
}

fn variable<'t>(b: &mut Builder<'t>, node: Node<'t>) {
    let name = node
        .child_by_field_name("name")
        .or_else(|| child(node, &["identifier"]));
    let Some(name) = name else { return };
    let kind = child(node, &["type"]).map(|kind| b.of(kind));
    let hint = match (kind, node.child_by_field_name("value")) {
        (Some(kind), _) => Value::Type(kind),
        (None, Some(value)) => value_of(b, value),
        (None, None) => Value::Unknown,
    };
    if !b.in_function() && !b.in_type() {
        let at = b.declare(node, name, SymbolKind::Variable, None);
        let public = !b.of(name).starts_with('_');
        b.declaration(at).is_public = public;
    }
    b.bind(b.scope(), b.of(name), hint);
}

fn value_of<'t>(b: &Builder<'t>, node: Node<'t>) -> Value<'t> {
    match node.kind() {
        "call_expression" | "new_expression" | "const_object_expression" => Value::Node(node),
        "await_expression" | "parenthesized_expression" | "unary_expression" => node
            .named_child(0)
            .map_or(Value::Unknown, |inner| value_of(b, inner)),
        _ => path_of(b, node).map_or(Value::Unknown, Value::Path),
    }
}

fn path_of<'t>(b: &Builder<'t>, node: Node<'t>) -> Option<String> {
    match node.kind() {
        "identifier" | "this" | "super" | "type_identifier" => Some(b.of(node).to_owned()),
        "member_expression" | "null_aware_member_expression" => {
            let property = b.field(node, "property")?;
            match node.child_by_field_name("object") {
                Some(object) => Some(format!("{}.{property}", path_of(b, object)?)),
                None => Some(format!("{}.{property}", b.of(node.child(0)?))),
            }
        }
        _ => None,
    }
}

fn call<'t>(b: &mut Builder<'t>, node: Node<'t>) -> Option<u32> {
    let function = node.child_by_field_name("function")?;
    let number = count(node.child_by_field_name("arguments"));
    match function.kind() {
        "identifier" => b.call(node, function, Receives::Nothing, CallKind::Plain, number),
        _ if function.child_by_field_name("property").is_some() => {
            let name = function.child_by_field_name("property")?;
            let receiver = match function.child_by_field_name("object") {
                Some(object) => path_of(b, object).map_or(Receives::Node(object), Receives::Path),
                // `this` and `super` are no named nodes here.
                None => Receives::Path(b.of(function.child(0)?).to_owned()),
            };
            b.call(node, name, receiver, CallKind::Member, number)
        }
        _ => None,
    }
}
