//! Kotlin.

use asd_syntax::Node;

use super::builder::{Builder, Receives, Value, child, children, count, imported};
use super::types::{bare, simplify};
use crate::facts::{CallKind, ImportStyle, SymbolKind};

/// Nodes that are types.
const TYPES: &[&str] = &["user_type", "nullable_type", "parenthesized_type"];

pub(super) fn enter<'t>(b: &mut Builder<'t>, node: Node<'t>) -> bool {
    match node.kind() {
        "package_header" => {
            b.facts.package = child(node, &["identifier"]).map(|name| joined(b, name));
            return false;
        }
        "import_header" => {
            import(b, node);
            return false;
        }
        "class_declaration" => {
            class(b, node);
        }
        "object_declaration" => {
            if let Some(name) = child(node, &["type_identifier", "simple_identifier"]) {
                let body = child(node, &["class_body"]);
                let at = b.declare(node, name, SymbolKind::Class, body);
                head(b, node, at);
                b.declaration(at).modifiers.push("object".to_owned());
                b.open(at);
            }
        }
        "type_alias" => {
            if let Some(name) = child(node, &["type_identifier"]) {
                let of = children(node)
                    .find(|part| TYPES.contains(&part.kind()))
                    .and_then(|t| simplify(b.of(t)));
                let at = b.declare(node, name, SymbolKind::Alias, None);
                b.declaration(at).supertypes.extend(of);
            }
        }
        "function_declaration" => {
            function(b, node);
        }
        "secondary_constructor" => {
            if let Some(container) = b.container() {
                let name = b.facts.declarations[container as usize].name.clone();
                let at = b.declare_as(
                    node,
                    node.child(0).unwrap_or(node),
                    name,
                    SymbolKind::Constructor,
                    None,
                );
                let number = count(child(node, &["function_value_parameters"]));
                b.declaration(at).parameters = u16::try_from(number).unwrap_or(u16::MAX);
                b.open(at);
            }
        }
        "property_declaration" => property(b, node),
        "class_parameter" => {
            let is_field = child(node, &["binding_pattern_kind"]).is_some();
            typed(b, node, if is_field { b.container() } else { b.scope() });
        }
        "parameter" => typed(b, node, b.scope()),
        "lambda_parameters" => {
            for one in children(node) {
                if let Some(name) = child(one, &["simple_identifier"]) {
                    let kind = children(one).find(|part| TYPES.contains(&part.kind()));
                    b.bind(
                        b.scope(),
                        b.of(name),
                        kind.map_or(Value::Unknown, |kind| Value::Type(b.of(kind))),
                    );
                }
            }
        }
        "enum_entry" => {
            if let Some(name) = child(node, &["simple_identifier"]) {
                b.declare(node, name, SymbolKind::Constant, None);
            }
        }
        "type_identifier" => b.uses_type(b.of(node)),
        "navigation_expression" => {
            if let Some(first) = node.named_child(0)
                && first.kind() == "simple_identifier"
                && b.of(first).starts_with(char::is_uppercase)
            {
                b.uses_type(b.of(first));
            }
        }
        "call_expression" => {
            call(b, node);
        }
        "jump_expression" => {
            if b.of(node).starts_with("throw")
                && let Some(error) = node.named_child(0)
            {
                let name = match error.kind() {
                    "call_expression" => error.named_child(0).map(|name| b.of(name)),
                    "simple_identifier" => Some(b.of(error)),
                    _ => None,
                };
                b.throws(node, name.unwrap_or_default());
            }
        }
        _ => {}
    }
    true
}

/// The parts of a dotted name without blanks.
fn joined(b: &Builder<'_>, node: Node<'_>) -> String {
    b.of(node).split_whitespace().collect()
}

fn import<'t>(b: &mut Builder<'t>, node: Node<'t>) {
    let Some(name) = child(node, &["identifier"]) else {
        return;
    };
    let path = joined(b, name);
    if child(node, &["wildcard_import"]).is_some() {
        b.import(
            node,
            path,
            ImportStyle::Import,
            vec![imported("*", "*")],
            None,
        );
        return;
    }
    let alias = child(node, &["import_alias"])
        .and_then(|alias| alias.named_child(0))
        .map(|name| b.of(name));
    let (module, name) = path.rsplit_once('.').unwrap_or(("", &path));
    let names = vec![imported(name, alias.unwrap_or(name))];
    b.import(node, module, ImportStyle::Import, names, None);
}

/// Modifiers and annotations.
fn head<'t>(b: &mut Builder<'t>, node: Node<'t>, at: u32) {
    let mut words = Vec::new();
    let mut annotations = Vec::new();
    for part in child(node, &["modifiers"]).into_iter().flat_map(children) {
        if part.kind() == "annotation" {
            annotations.push(b.of(part).trim_start_matches('@').to_owned());
        } else {
            words.push(b.of(part).to_owned());
        }
    }
    let supertypes: Vec<String> = children(node)
        .filter(|part| part.kind() == "delegation_specifier")
        .filter_map(|part| part.named_child(0))
        .map(|part| bare(b.of(part)))
        .collect();
    let declaration = b.declaration(at);
    declaration.is_public = !words.iter().any(|word| word == "private");
    declaration.is_test |= annotations
        .iter()
        .any(|a| matches!(a.as_str(), "Test" | "ParameterizedTest"));
    declaration.modifiers = words;
    declaration.annotations = annotations;
    declaration.supertypes = supertypes;
}

fn class<'t>(b: &mut Builder<'t>, node: Node<'t>) -> Option<u32> {
    let name = child(node, &["type_identifier", "simple_identifier"])?;
    let body = child(node, &["class_body", "enum_class_body"]);
    let before = &b.text[node.start_byte()..name.start_byte()];
    let kind = if before.split_whitespace().any(|word| word == "interface") {
        SymbolKind::Interface
    } else if before.split_whitespace().any(|word| word == "enum") {
        SymbolKind::Enum
    } else {
        SymbolKind::Class
    };
    let at = b.declare(node, name, kind, body);
    head(b, node, at);
    b.open(at);
    Some(at)
}

fn function<'t>(b: &mut Builder<'t>, node: Node<'t>) -> Option<u32> {
    let name = child(node, &["simple_identifier"])?;
    let in_companion = node
        .parent()
        .and_then(|body| body.parent())
        .is_some_and(|p| p.kind() == "companion_object");
    let kind = if b.in_type() || in_companion {
        SymbolKind::Method
    } else {
        SymbolKind::Function
    };
    let at = b.declare(node, name, kind, child(node, &["function_body"]));
    head(b, node, at);
    let owner = child(node, &["receiver_type"]).and_then(|receiver| simplify(b.of(receiver)));
    let mut after = child(node, &["function_value_parameters"]);
    let number = count(after);
    let mut result = None;
    while let Some(part) = after.and_then(|part| part.next_named_sibling()) {
        if TYPES.contains(&part.kind()) {
            result = simplify(b.of(part));
            break;
        }
        after = Some(part);
    }
    if result.is_none()
        && let Some(value) = child(node, &["function_body"]).and_then(|body| body.named_child(0))
        && let Value::Node(call) = value_of(b, value)
        && let Some(name) = call.named_child(0)
        && b.of(name).starts_with(char::is_uppercase)
        && name.kind() == "simple_identifier"
    {
        // `fun make() = A(1)`
        result = Some(b.of(name).to_owned());
    }
    let declaration = b.declaration(at);
    declaration.owner = owner;
    declaration.result = result;
    declaration.parameters = u16::try_from(number).unwrap_or(u16::MAX);
    b.open(at);
    Some(at)
}

fn typed<'t>(b: &mut Builder<'t>, node: Node<'t>, scope: Option<u32>) {
    if let Some(name) = child(node, &["simple_identifier"]) {
        let kind = children(node).find(|part| TYPES.contains(&part.kind()));
        b.bind(
            scope,
            b.of(name),
            kind.map_or(Value::Unknown, |kind| Value::Type(b.of(kind))),
        );
    }
}

fn property<'t>(b: &mut Builder<'t>, node: Node<'t>) {
    let Some(variable) = child(node, &["variable_declaration"]) else {
        return;
    };
    let Some(name) = child(variable, &["simple_identifier"]) else {
        return;
    };
    let kind = children(variable).find(|part| TYPES.contains(&part.kind()));
    let value = children(node)
        .filter(|part| part.start_byte() > variable.start_byte())
        .find(|part| {
            !matches!(
                part.kind(),
                "getter" | "setter" | "property_delegate" | "type_constraints"
            )
        });
    let hint = match (kind, value) {
        (Some(kind), _) => Value::Type(b.of(kind)),
        (None, Some(value)) => value_of(b, value),
        (None, None) => Value::Unknown,
    };
    let in_function = b.in_function();
    let scope = b.scope();
    if !in_function {
        let is_constant =
            child(node, &["modifiers"]).is_some_and(|words| b.of(words).contains("const"));
        let kind = match (b.in_type(), is_constant) {
            (_, true) => SymbolKind::Constant,
            (true, false) => SymbolKind::Field,
            (false, false) => SymbolKind::Variable,
        };
        let at = b.declare(node, name, kind, None);
        head(b, node, at);
    }
    b.bind(scope, b.of(name), hint);
}

fn value_of<'t>(b: &Builder<'t>, node: Node<'t>) -> Value<'t> {
    match node.kind() {
        "call_expression" => Value::Node(node),
        "as_expression" => children(node)
            .last()
            .map_or(Value::Unknown, |kind| Value::Type(b.of(kind))),
        _ => path_of(b, node).map_or(Value::Unknown, Value::Path),
    }
}

fn path_of<'t>(b: &Builder<'t>, node: Node<'t>) -> Option<String> {
    match node.kind() {
        "simple_identifier" => Some(b.of(node).to_owned()),
        "this_expression" => Some("this".to_owned()),
        "super_expression" => Some("super".to_owned()),
        "navigation_expression" => {
            let object = path_of(b, node.named_child(0)?)?;
            let suffix = child(node, &["navigation_suffix"])?;
            Some(format!(
                "{object}.{}",
                b.of(child(suffix, &["simple_identifier"])?)
            ))
        }
        "postfix_expression" | "parenthesized_expression" => path_of(b, node.named_child(0)?),
        _ => None,
    }
}

fn call<'t>(b: &mut Builder<'t>, node: Node<'t>) -> Option<u32> {
    let function = node.named_child(0)?;
    let suffix = child(node, &["call_suffix"])?;
    let lambda = child(suffix, &["annotated_lambda"]).is_some();
    let number = count(child(suffix, &["value_arguments"])) + usize::from(lambda);
    match function.kind() {
        "simple_identifier" => b.call(node, function, Receives::Nothing, CallKind::Plain, number),
        "navigation_expression" => {
            let name = child(
                child(function, &["navigation_suffix"])?,
                &["simple_identifier"],
            )?;
            let object = function.named_child(0)?;
            let receiver = path_of(b, object).map_or(Receives::Node(object), Receives::Path);
            b.call(node, name, receiver, CallKind::Member, number)
        }
        _ => None,
    }
}
