//! C, C++ and Objective-C.

use asd_syntax::{Language, Node};

use super::builder::{Builder, Receives, Value, child, children, count};
use super::types::{bare, simplify};
use crate::facts::{CallKind, ImportStyle, SymbolKind};

pub(super) fn enter<'t>(b: &mut Builder<'t>, node: Node<'t>) -> bool {
    match node.kind() {
        "preproc_include" => {
            if let Some(path) = node.child_by_field_name("path") {
                let text = b.of(path);
                let style = match path.kind() {
                    "string_literal" => ImportStyle::Quoted,
                    "system_lib_string" => ImportStyle::System,
                    _ => return false,
                };
                b.import(
                    node,
                    text.trim_matches(['"', '<', '>']),
                    style,
                    Vec::new(),
                    None,
                );
            }
            return false;
        }
        "module_import" => {
            if let Some(path) = b.field(node, "path") {
                b.import(node, path, ImportStyle::Import, Vec::new(), None);
            }
            return false;
        }
        "preproc_function_def" => {
            if let Some(name) = node.child_by_field_name("name") {
                let at = b.declare(
                    node,
                    name,
                    SymbolKind::Macro,
                    node.child_by_field_name("value"),
                );
                let number = count(node.child_by_field_name("parameters"));
                b.declaration(at).parameters = u16::try_from(number).unwrap_or(u16::MAX);
            }
            return false;
        }
        "preproc_def" => {
            if let Some(name) = node.child_by_field_name("name") {
                b.declare(node, name, SymbolKind::Constant, None);
            }
            return false;
        }
        "namespace_definition" => {
            if let Some(name) = node.child_by_field_name("name") {
                let at = b.declare(
                    node,
                    name,
                    SymbolKind::Module,
                    node.child_by_field_name("body"),
                );
                b.open(at);
            }
        }
        "class_specifier" => {
            record(b, node, SymbolKind::Class);
        }
        "struct_specifier" | "union_specifier" => {
            record(b, node, SymbolKind::Struct);
        }
        "enum_specifier" => {
            record(b, node, SymbolKind::Enum);
        }
        "type_definition" => {
            if let Some(name) = node.child_by_field_name("declarator")
                && name.kind() == "type_identifier"
            {
                let of = node.child_by_field_name("type");
                let anonymous = of.is_some_and(|of| of.child_by_field_name("body").is_some());
                let kind = if anonymous {
                    SymbolKind::Struct
                } else {
                    SymbolKind::Alias
                };
                let at = b.declare(node, name, kind, None);
                let of = b
                    .field(node, "type")
                    .filter(|_| !anonymous)
                    .and_then(simplify);
                let of = of.filter(|of| *of != b.declaration(at).name);
                b.declaration(at).supertypes.extend(of);
                if anonymous {
                    b.open(at);
                }
            }
        }
        "alias_declaration" => {
            if let Some(name) = node.child_by_field_name("name") {
                let at = b.declare(node, name, SymbolKind::Alias, None);
                let of = b.field(node, "type").and_then(simplify);
                b.declaration(at).supertypes.extend(of);
            }
        }
        "function_definition" => {
            function(b, node, node.child_by_field_name("body"));
        }
        "declaration" | "field_declaration" => declaration(b, node),
        "parameter_declaration" | "optional_parameter_declaration" => {
            if let (Some(kind), Some(name)) = (b.field(node, "type"), declared_name(node)) {
                b.bind(b.scope(), b.of(name), Value::Type(kind));
            }
        }
        "for_range_loop" => {
            if let (Some(kind), Some(name)) = (b.field(node, "type"), declared_name(node)) {
                b.bind(
                    b.scope(),
                    b.of(name),
                    if kind == "auto" {
                        Value::Unknown
                    } else {
                        Value::Type(kind)
                    },
                );
            }
        }
        "class_interface" | "class_implementation" | "protocol_declaration" => objc_class(b, node),
        "method_declaration" | "method_definition" if b.facts.language == Language::Objc => {
            objc_method(b, node);
        }
        "property_declaration" => {
            if let Some(of) = child(node, &["struct_declaration"])
                && let (Some(kind), Some(name)) = (of.named_child(0), declared_in(of))
            {
                let at = b.declare(node, name, SymbolKind::Field, None);
                let public = b.in_type();
                b.declaration(at).is_public = public;
                b.bind(b.container(), b.of(name), Value::Type(b.of(kind)));
            }
            return false;
        }
        "message_expression" => {
            message(b, node);
        }
        "call_expression" => {
            call(b, node);
        }
        "new_expression" => {
            if let Some(kind) = node.child_by_field_name("type") {
                let number = count(node.child_by_field_name("arguments"));
                construct(b, node, kind, number);
            }
        }
        "throw_statement" => {
            if let Some(error) = node.named_child(0) {
                let name = match error.kind() {
                    "call_expression" => b.field(error, "function"),
                    _ => Some(b.of(error)),
                };
                b.throws(node, name.unwrap_or_default());
            }
        }
        _ => {}
    }
    true
}

/// The name inside of pointers, references and arrays.
fn inner_name(mut node: Node<'_>) -> Option<Node<'_>> {
    loop {
        match node.kind() {
            "identifier" | "field_identifier" | "type_identifier" => return Some(node),
            _ => {
                node = node
                    .child_by_field_name("declarator")
                    .or_else(|| node.named_child(0))?;
            }
        }
    }
}

fn declared_name(node: Node<'_>) -> Option<Node<'_>> {
    let declarator = node.child_by_field_name("declarator")?;
    matches!(
        declarator.kind(),
        "identifier"
            | "pointer_declarator"
            | "reference_declarator"
            | "array_declarator"
            | "field_identifier"
    )
    .then(|| inner_name(declarator))
    .flatten()
}

fn declared_in(node: Node<'_>) -> Option<Node<'_>> {
    inner_name(child(node, &["struct_declarator"])?)
}

fn record<'t>(b: &mut Builder<'t>, node: Node<'t>, kind: SymbolKind) -> Option<u32> {
    let body = node.child_by_field_name("body")?;
    let name = node.child_by_field_name("name")?;
    let text = bare(b.of(name));
    let at = b.declare_as(node, name, text, kind, Some(body));
    let supertypes: Vec<String> = child(node, &["base_class_clause"])
        .into_iter()
        .flat_map(children)
        .filter(|part| part.kind() != "access_specifier")
        .map(|part| bare(b.of(part)))
        .collect();
    b.declaration(at).supertypes = supertypes;
    b.open(at);
    Some(at)
}

/// The function declarator below pointers and references.
fn function_declarator(mut node: Node<'_>) -> Option<Node<'_>> {
    loop {
        match node.kind() {
            "function_declarator" => return Some(node),
            "pointer_declarator" | "reference_declarator" => {
                node = node
                    .child_by_field_name("declarator")
                    .or_else(|| child(node, &["function_declarator"]))?;
            }
            _ => return None,
        }
    }
}

fn function<'t>(b: &mut Builder<'t>, node: Node<'t>, body: Option<Node<'t>>) -> Option<u32> {
    let declarator = function_declarator(node.child_by_field_name("declarator")?)?;
    let mut name = declarator.child_by_field_name("declarator")?;
    let mut owner = None;
    while name.kind() == "qualified_identifier" {
        let scope = b.field(name, "scope").map(bare);
        owner = match (owner, scope) {
            (Some(outer), Some(scope)) => Some(format!("{outer}.{scope}")),
            (None, scope) => scope,
            (outer, None) => outer,
        };
        name = name.child_by_field_name("name")?;
    }
    if !matches!(
        name.kind(),
        "identifier"
            | "field_identifier"
            | "destructor_name"
            | "operator_name"
            | "template_function"
            | "type_identifier"
    ) {
        return None;
    }
    let text = bare(b.of(name));
    let is_member = b.in_type() || owner.is_some();
    let owner_name = owner.clone().or_else(|| {
        b.container()
            .map(|at| b.facts.declarations[at as usize].name.clone())
    });
    let is_constructor =
        is_member && owner_name.as_deref().and_then(|o| o.rsplit('.').next()) == Some(&text);
    let kind = if is_constructor {
        SymbolKind::Constructor
    } else if is_member {
        SymbolKind::Method
    } else {
        SymbolKind::Function
    };
    let at = b.declare_as(node, name, text, kind, body);
    let result = b.field(node, "type").and_then(simplify);
    let parameters = declarator.child_by_field_name("parameters");
    let number = parameters.map_or(0, |list| {
        children(list)
            .filter(|one| one.kind() != "comment" && b.of(*one) != "void")
            .count()
    });
    let mut words: Vec<String> = children(node)
        .filter(|part| {
            matches!(
                part.kind(),
                "storage_class_specifier" | "virtual" | "type_qualifier"
            )
        })
        .map(|part| b.of(part).to_owned())
        .collect();
    words.extend(
        children(declarator)
            .filter(|part| part.kind() == "virtual_specifier")
            .map(|part| b.of(part).to_owned()),
    );
    let declaration = b.declaration(at);
    declaration.result = result;
    declaration.parameters = u16::try_from(number).unwrap_or(u16::MAX);
    declaration.owner = owner;
    declaration.is_public = is_member || !words.iter().any(|word| word == "static");
    declaration.modifiers = words;
    b.open(at);
    Some(at)
}

fn declaration<'t>(b: &mut Builder<'t>, node: Node<'t>) {
    let mut cursor = node.walk();
    let declarators: Vec<Node<'t>> = node
        .children_by_field_name("declarator", &mut cursor)
        .collect();
    let kind = b.field(node, "type");
    let scope = b.scope();
    let in_function = b.in_function();
    for declarator in declarators {
        if function_declarator(declarator).is_some() {
            // `Foo z(1);` inside of a function is a variable to a reader.
            if !in_function {
                function(b, node, None);
            }
            continue;
        }
        let (named, value) = match declarator.kind() {
            "init_declarator" => (
                declarator.child_by_field_name("declarator"),
                declarator.child_by_field_name("value"),
            ),
            _ => (Some(declarator), None),
        };
        let Some(name) = named.and_then(inner_name) else {
            continue;
        };
        let hint = match (kind, value) {
            (Some("auto"), Some(value)) => value_of(b, value),
            (Some(kind), _) => Value::Type(kind),
            (None, _) => Value::Unknown,
        };
        if !in_function {
            let kind = if b.in_type() {
                SymbolKind::Field
            } else {
                SymbolKind::Variable
            };
            let at = b.declare(node, name, kind, None);
            b.declaration(at).has_body = value.is_some();
        }
        b.bind(scope, b.of(name), hint);
        // `Foo z(1);` calls the constructor.
        if let (Some(value), Some(of)) = (value, node.child_by_field_name("type"))
            && matches!(value.kind(), "argument_list" | "initializer_list")
            && of.kind() == "type_identifier"
            && b.facts.language == Language::Cpp
        {
            let number = count(Some(value));
            b.call(
                declarator,
                of,
                Receives::Nothing,
                CallKind::Construct,
                number,
            );
        }
    }
}

fn value_of<'t>(b: &Builder<'t>, node: Node<'t>) -> Value<'t> {
    match node.kind() {
        "call_expression" | "new_expression" | "message_expression" => Value::Node(node),
        "cast_expression" => b.field(node, "type").map_or(Value::Unknown, Value::Type),
        _ => path_of(b, node).map_or(Value::Unknown, Value::Path),
    }
}

fn path_of<'t>(b: &Builder<'t>, node: Node<'t>) -> Option<String> {
    match node.kind() {
        "identifier" | "this" | "namespace_identifier" | "type_identifier" | "self" | "super" => {
            Some(b.of(node).to_owned())
        }
        "template_type" | "template_function" => Some(bare(b.of(node))),
        "field_expression" => {
            let object = path_of(b, node.child_by_field_name("argument")?)?;
            Some(format!("{object}.{}", b.field(node, "field")?))
        }
        "qualified_identifier" => Some(bare(b.of(node))),
        "pointer_expression" | "parenthesized_expression" => path_of(
            b,
            node.child_by_field_name("argument")
                .or_else(|| node.named_child(0))?,
        ),
        _ => None,
    }
}

fn construct<'t>(
    b: &mut Builder<'t>,
    node: Node<'t>,
    kind: Node<'t>,
    number: usize,
) -> Option<u32> {
    let text = bare(b.of(kind));
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

fn call<'t>(b: &mut Builder<'t>, node: Node<'t>) -> Option<u32> {
    let function = node.child_by_field_name("function")?;
    let number = count(node.child_by_field_name("arguments"));
    match function.kind() {
        "identifier" => b.call(node, function, Receives::Nothing, CallKind::Plain, number),
        "template_function" => {
            let name = function.child_by_field_name("name")?;
            b.call(node, name, Receives::Nothing, CallKind::Plain, number)
        }
        "field_expression" => {
            let mut name = function.child_by_field_name("field")?;
            if name.kind() == "template_method" {
                name = name.child_by_field_name("name")?;
            }
            let object = function.child_by_field_name("argument")?;
            let receiver = path_of(b, object).map_or(Receives::Node(object), Receives::Path);
            b.call(node, name, receiver, CallKind::Member, number)
        }
        "qualified_identifier" => {
            let mut path = Vec::new();
            let mut name = function;
            while name.kind() == "qualified_identifier" {
                path.extend(b.field(name, "scope").map(bare));
                name = name.child_by_field_name("name")?;
            }
            if name.kind() == "template_function" {
                name = name.child_by_field_name("name")?;
            }
            let receiver = if path.is_empty() {
                Receives::Nothing
            } else {
                Receives::Path(path.join("."))
            };
            b.call(node, name, receiver, CallKind::Path, number)
        }
        _ => None,
    }
}

fn objc_class<'t>(b: &mut Builder<'t>, node: Node<'t>) {
    let Some(name) = child(node, &["identifier"]) else {
        return;
    };
    let is_category = node.child_by_field_name("category").is_some();
    let kind = match node.kind() {
        "protocol_declaration" => SymbolKind::Interface,
        "class_implementation" => SymbolKind::Extension,
        _ if is_category => SymbolKind::Extension,
        _ => SymbolKind::Class,
    };
    let first = child(
        node,
        &[
            "method_declaration",
            "property_declaration",
            "implementation_definition",
        ],
    );
    let at = b.declare(node, name, kind, first);
    let mut supertypes: Vec<String> = b.field(node, "superclass").map(bare).into_iter().collect();
    if let Some(list) = child(
        node,
        &["parameterized_arguments", "protocol_reference_list"],
    ) {
        supertypes.extend(children(list).map(|part| bare(b.of(part))));
    }
    b.declaration(at).supertypes = supertypes;
    b.open(at);
}

/// The parts of a selector, with a colon for each that takes an argument.
fn selector<'t>(b: &Builder<'t>, node: Node<'t>) -> (String, usize) {
    let mut name = String::new();
    let mut number = 0;
    for part in children(node) {
        match part.kind() {
            "identifier" => name.push_str(b.of(part)),
            "method_parameter" => {
                name.push(':');
                number += 1;
            }
            _ => {}
        }
    }
    (name, number)
}

fn objc_method<'t>(b: &mut Builder<'t>, node: Node<'t>) -> Option<u32> {
    let at = child(node, &["identifier"])?;
    let (name, number) = selector(b, node);
    let body = child(node, &["compound_statement"]);
    let index = b.declare_as(node, at, name, SymbolKind::Method, body);
    let result = child(node, &["method_type"])
        .and_then(|kind| simplify(b.of(kind).trim_matches(['(', ')'])));
    let is_static = b.of(node).starts_with('+');
    let declaration = b.declaration(index);
    declaration.parameters = u16::try_from(number).unwrap_or(u16::MAX);
    declaration.result = result.filter(|name| name != "void").map(|name| {
        if matches!(name.as_str(), "instancetype" | "id") {
            "Self".to_owned()
        } else {
            name
        }
    });
    if is_static {
        declaration.modifiers.push("static".to_owned());
    }
    b.open(index);
    for parameter in children(node).filter(|part| part.kind() == "method_parameter") {
        let kind = child(parameter, &["method_type"]);
        if let (Some(kind), Some(name)) = (kind, child(parameter, &["identifier"])) {
            b.bind(
                Some(index),
                b.of(name),
                Value::Type(b.of(kind).trim_matches(['(', ')'])),
            );
        }
    }
    Some(index)
}

fn message<'t>(b: &mut Builder<'t>, node: Node<'t>) -> Option<u32> {
    let receiver = node.child_by_field_name("receiver")?;
    let mut cursor = node.walk();
    let parts: Vec<Node<'t>> = node.children_by_field_name("method", &mut cursor).collect();
    let first = *parts.first()?;
    let named = children(node)
        .filter(|part| part.kind() != "comment")
        .count();
    let number = named - 1 - parts.len();
    let mut name = parts
        .iter()
        .map(|part| b.of(*part))
        .collect::<Vec<_>>()
        .join(":");
    if number > 0 {
        name.push(':');
    }
    let receiver = path_of(b, receiver).map_or(Receives::Node(receiver), Receives::Path);
    b.call_named(node, first, name, receiver, CallKind::Member, number)
}
