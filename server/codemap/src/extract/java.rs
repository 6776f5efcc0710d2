//! Java.

use asd_syntax::Node;

use super::builder::{Builder, Receives, Value, child, children, count, imported};
use super::types::{bare, simplify};
use crate::facts::{CallKind, ImportStyle, SymbolKind};

pub(super) fn enter<'t>(b: &mut Builder<'t>, node: Node<'t>) -> bool {
    match node.kind() {
        "package_declaration" => {
            let name = child(node, &["scoped_identifier", "identifier"]);
            b.facts.package = name.map(|name| b.of(name).to_owned());
            return false;
        }
        "import_declaration" => {
            import(b, node);
            return false;
        }
        "class_declaration" | "record_declaration" => {
            class(b, node, SymbolKind::Class);
        }
        "interface_declaration" | "annotation_type_declaration" => {
            class(b, node, SymbolKind::Interface);
        }
        "enum_declaration" => {
            class(b, node, SymbolKind::Enum);
        }
        "enum_constant" => {
            if let Some(name) = node.child_by_field_name("name") {
                let at = b.declare(node, name, SymbolKind::Constant, None);
                b.bind(b.container(), b.of(name), Value::Unknown);
                b.open(at);
            }
        }
        "method_declaration" | "annotation_type_element_declaration" => {
            method(b, node, SymbolKind::Method);
        }
        "constructor_declaration" | "compact_constructor_declaration" => {
            method(b, node, SymbolKind::Constructor);
        }
        "field_declaration" | "constant_declaration" => {
            let Some(kind) = b.field(node, "type") else {
                return true;
            };
            let container = b.container();
            for one in children(node).filter(|part| part.kind() == "variable_declarator") {
                if let Some(name) = one.child_by_field_name("name") {
                    let at = b.declare(one, name, SymbolKind::Field, None);
                    modifiers(b, node, at);
                    b.bind(container, b.of(name), Value::Type(kind));
                }
            }
        }
        "local_variable_declaration" => {
            let Some(kind) = b.field(node, "type") else {
                return true;
            };
            for one in children(node).filter(|part| part.kind() == "variable_declarator") {
                if let Some(name) = b.field(one, "name") {
                    let value = one.child_by_field_name("value");
                    let hint = match (kind, value) {
                        ("var", Some(value)) => value_of(b, value),
                        _ => Value::Type(kind),
                    };
                    b.bind(b.scope(), name, hint);
                }
            }
        }
        "formal_parameter"
        | "enhanced_for_statement"
        | "resource"
        | "spread_parameter"
        | "instanceof_expression"
        | "type_pattern" => {
            let kind = b.field(node, "type").or_else(|| b.field(node, "right"));
            if let (Some(name), Some(kind)) = (b.field(node, "name"), kind) {
                // A component of a record is its field.
                let in_record = node
                    .parent()
                    .and_then(|list| list.parent())
                    .is_some_and(|p| p.kind() == "record_declaration");
                let scope = if in_record { b.container() } else { b.scope() };
                b.bind(scope, name, Value::Type(kind));
            }
        }
        "catch_formal_parameter" => {
            if let (Some(name), Some(kind)) = (b.field(node, "name"), child(node, &["catch_type"]))
            {
                b.bind(b.scope(), name, Value::Type(b.of(kind)));
            }
        }
        "lambda_expression" => {
            if let Some(parameters) = node.child_by_field_name("parameters") {
                let names: Vec<Node<'t>> = match parameters.kind() {
                    "identifier" => vec![parameters],
                    "inferred_parameters" => children(parameters).collect(),
                    _ => Vec::new(),
                };
                for name in names {
                    b.bind(b.scope(), b.of(name), Value::Unknown);
                }
            }
        }
        "type_identifier" => b.uses_type(b.of(node)),
        "method_invocation" => {
            invocation(b, node);
        }
        "object_creation_expression" => {
            creation(b, node);
        }
        "explicit_constructor_invocation" => {
            if let Some(constructor) = node.child_by_field_name("constructor") {
                let number = count(node.child_by_field_name("arguments"));
                let path = b.of(constructor).to_owned();
                b.call_named(
                    node,
                    constructor,
                    "<init>".to_owned(),
                    Receives::Path(path),
                    CallKind::Construct,
                    number,
                );
            }
        }
        "marker_annotation" | "annotation" => {
            if let Some(name) = b.field(node, "name") {
                b.uses_type(name);
            }
        }
        "field_access" | "method_reference" => {
            if let Some(object) = node.named_child(0)
                && object.kind() == "identifier"
                && b.of(object).starts_with(char::is_uppercase)
            {
                b.uses_type(b.of(object));
            }
        }
        "throw_statement" => {
            if let Some(error) = node.named_child(0) {
                let name = match error.kind() {
                    "object_creation_expression" => b.field(error, "type"),
                    "identifier" => Some(b.of(error)),
                    _ => None,
                };
                b.throws(node, name.unwrap_or_default());
            }
        }
        _ => {}
    }
    true
}

fn import<'t>(b: &mut Builder<'t>, node: Node<'t>) {
    let Some(name) = child(node, &["scoped_identifier", "identifier"]) else {
        return;
    };
    let path: String = b.of(name).split_whitespace().collect();
    let is_static = b
        .of(node)
        .trim_start_matches("import")
        .trim_start()
        .starts_with("static");
    let wildcard = child(node, &["asterisk"]).is_some();
    let (module, name) = if wildcard {
        (path.as_str(), "*")
    } else {
        path.rsplit_once('.').unwrap_or(("", &path))
    };
    let names = vec![imported(name, name)];
    let index = b.import(node, module, ImportStyle::Import, names, None);
    if is_static {
        b.facts.imports[index as usize]
            .within
            .push("static".to_owned());
    }
}

fn modifiers<'t>(b: &mut Builder<'t>, node: Node<'t>, at: u32) {
    let Some(list) = child(node, &["modifiers"]) else {
        let in_interface = b.declaration(at).parent.is_some_and(|parent| {
            b.facts.declarations[parent as usize].kind == SymbolKind::Interface
        });
        b.declaration(at).is_public = in_interface;
        return;
    };
    let mut words = Vec::new();
    let mut annotations = Vec::new();
    let mut cursor = list.walk();
    for part in list.children(&mut cursor) {
        if part.is_named() {
            if part.kind().contains("annotation") {
                annotations.push(b.of(part).trim_start_matches('@').to_owned());
            }
        } else {
            words.push(b.of(part).to_owned());
        }
    }
    let declaration = b.declaration(at);
    declaration.is_public = !words.iter().any(|word| word == "private");
    declaration.is_test |= annotations.iter().any(|a| {
        matches!(
            a.split('(').next(),
            Some("Test" | "ParameterizedTest" | "RepeatedTest" | "TestFactory")
        )
    });
    declaration.modifiers = words;
    declaration.annotations = annotations;
}

fn class<'t>(b: &mut Builder<'t>, node: Node<'t>, kind: SymbolKind) -> Option<u32> {
    let name = node.child_by_field_name("name")?;
    let at = b.declare(node, name, kind, node.child_by_field_name("body"));
    modifiers(b, node, at);
    let mut supertypes = Vec::new();
    for part in children(node) {
        match part.kind() {
            "superclass" => supertypes.extend(part.named_child(0).map(|t| bare(b.of(t)))),
            "super_interfaces" | "extends_interfaces" => {
                for list in children(part) {
                    supertypes.extend(children(list).map(|t| bare(b.of(t))));
                }
            }
            _ => {}
        }
    }
    b.declaration(at).supertypes = supertypes;
    b.open(at);
    Some(at)
}

fn method<'t>(b: &mut Builder<'t>, node: Node<'t>, kind: SymbolKind) -> Option<u32> {
    let name = node.child_by_field_name("name")?;
    let at = b.declare(node, name, kind, node.child_by_field_name("body"));
    modifiers(b, node, at);
    let result = b.field(node, "type").and_then(simplify);
    let generic: Vec<&str> = node
        .child_by_field_name("type_parameters")
        .into_iter()
        .flat_map(children)
        .filter_map(|one| one.named_child(0))
        .map(|name| b.of(name))
        .collect();
    let result = result.filter(|name| !generic.contains(&name.as_str()));
    let number = count(node.child_by_field_name("parameters"));
    let declaration = b.declaration(at);
    declaration.result = result;
    declaration.parameters = u16::try_from(number).unwrap_or(u16::MAX);
    b.open(at);
    Some(at)
}

fn value_of<'t>(b: &Builder<'t>, node: Node<'t>) -> Value<'t> {
    match node.kind() {
        "method_invocation" | "object_creation_expression" => Value::Node(node),
        "cast_expression" => b.field(node, "type").map_or(Value::Unknown, Value::Type),
        _ => path_of(b, node).map_or(Value::Unknown, Value::Path),
    }
}

fn path_of<'t>(b: &Builder<'t>, node: Node<'t>) -> Option<String> {
    match node.kind() {
        "identifier" | "this" | "super" | "type_identifier" => Some(b.of(node).to_owned()),
        "field_access" => {
            let object = path_of(b, node.child_by_field_name("object")?)?;
            Some(format!("{object}.{}", b.field(node, "field")?))
        }
        "parenthesized_expression" => path_of(b, node.named_child(0)?),
        _ => None,
    }
}

fn invocation<'t>(b: &mut Builder<'t>, node: Node<'t>) -> Option<u32> {
    let name = node.child_by_field_name("name")?;
    let number = count(node.child_by_field_name("arguments"));
    let Some(object) = node.child_by_field_name("object") else {
        return b.call(node, name, Receives::Nothing, CallKind::Plain, number);
    };
    if object.kind() == "identifier" && b.of(object).starts_with(char::is_uppercase) {
        b.uses_type(b.of(object));
    }
    let receiver = path_of(b, object).map_or(Receives::Node(object), Receives::Path);
    b.call(node, name, receiver, CallKind::Member, number)
}

fn creation<'t>(b: &mut Builder<'t>, node: Node<'t>) -> Option<u32> {
    let mut kind = node.child_by_field_name("type")?;
    if kind.kind() == "generic_type" {
        kind = kind.named_child(0)?;
    }
    let number = count(node.child_by_field_name("arguments"));
    let text: String = b.of(kind).split_whitespace().collect();
    match text.rsplit_once('.') {
        Some((owner, name)) => b.call_named(
            node,
            kind,
            name.to_owned(),
            Receives::Path(owner.to_owned()),
            CallKind::Construct,
            number,
        ),
        None => b.call_named(
            node,
            kind,
            text,
            Receives::Nothing,
            CallKind::Construct,
            number,
        ),
    }
}
