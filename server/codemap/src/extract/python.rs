//! Python.

use asd_syntax::Node;

use super::builder::{Builder, Receives, Value, children, count, imported};
use super::types::bare;
use crate::facts::{CallKind, ImportStyle, SymbolKind};

pub(super) fn enter<'t>(b: &mut Builder<'t>, node: Node<'t>) -> bool {
    match node.kind() {
        "function_definition" => {
            function(b, node);
        }
        "class_definition" => {
            class(b, node);
        }
        "import_statement" => {
            for part in children(node) {
                match part.kind() {
                    "aliased_import" => {
                        let (Some(name), Some(alias)) =
                            (b.field(part, "name"), b.field(part, "alias"))
                        else {
                            continue;
                        };
                        b.import(
                            node,
                            name,
                            ImportStyle::Import,
                            Vec::new(),
                            Some(alias.to_owned()),
                        );
                    }
                    "dotted_name" => {
                        b.import(node, b.of(part), ImportStyle::Import, Vec::new(), None);
                    }
                    _ => {}
                }
            }
            return false;
        }
        "import_from_statement" => {
            from_import(b, node);
            return false;
        }
        "assignment" => assignment(b, node),
        "typed_parameter" | "typed_default_parameter" => {
            let name = node
                .child_by_field_name("name")
                .or_else(|| node.named_child(0));
            if let (Some(name), Some(kind)) = (name, b.field(node, "type"))
                && name.kind() == "identifier"
            {
                b.bind(b.scope(), b.of(name), Value::Type(kind));
            }
        }
        "parameters" => {
            for parameter in children(node).filter(|part| part.kind() == "identifier") {
                b.bind(b.scope(), b.of(parameter), Value::Unknown);
            }
        }
        "as_pattern" => {
            // `with A() as a`
            if let (Some(value), Some(alias)) =
                (node.named_child(0), node.child_by_field_name("alias"))
            {
                let value = value_of(b, value);
                b.bind(b.scope(), b.of(alias), value);
            }
        }
        "for_statement" => {
            if let Some(left) = node.child_by_field_name("left")
                && left.kind() == "identifier"
            {
                b.bind(b.scope(), b.of(left), Value::Unknown);
            }
        }
        "call" => {
            call(b, node);
        }
        "raise_statement" => {
            if let Some(error) = node.named_child(0) {
                let error = match error.kind() {
                    "call" => error.child_by_field_name("function").unwrap_or(error),
                    _ => error,
                };
                let name = b.of(error);
                b.throws(node, name);
            }
        }
        _ => {}
    }
    true
}

fn decorators<'t>(b: &Builder<'t>, node: Node<'t>) -> Vec<String> {
    node.parent()
        .filter(|parent| parent.kind() == "decorated_definition")
        .into_iter()
        .flat_map(children)
        .filter(|part| part.kind() == "decorator")
        .map(|part| b.of(part).trim_start_matches('@').trim().to_owned())
        .collect()
}

fn is_private(name: &str) -> bool {
    name.starts_with('_') && !(name.starts_with("__") && name.ends_with("__"))
}

fn function<'t>(b: &mut Builder<'t>, node: Node<'t>) -> Option<u32> {
    let name = node.child_by_field_name("name")?;
    let kind = match (b.in_type(), b.of(name)) {
        (true, "__init__") => SymbolKind::Constructor,
        (true, _) => SymbolKind::Method,
        _ => SymbolKind::Function,
    };
    let at = b.declare(node, name, kind, node.child_by_field_name("body"));
    let annotations = decorators(b, node);
    let result = b
        .field(node, "return_type")
        .and_then(super::types::simplify);
    let is_async = b.of(node).starts_with("async");
    let is_static = annotations.iter().any(|a| a == "staticmethod");
    let has_self = kind != SymbolKind::Function && !is_static;
    let number =
        count(node.child_by_field_name("parameters")).saturating_sub(usize::from(has_self));
    let declaration = b.declaration(at);
    declaration.is_public = !is_private(&declaration.name);
    declaration.is_test |= declaration.name.starts_with("test_");
    declaration.result = result;
    declaration.parameters = u16::try_from(number).unwrap_or(u16::MAX);
    if is_async {
        declaration.modifiers.push("async".to_owned());
    }
    for word in ["staticmethod", "classmethod", "property", "abstractmethod"] {
        if annotations
            .iter()
            .any(|a| a == word || a.ends_with(&format!(".{word}")))
        {
            declaration.modifiers.push(word.to_owned());
        }
    }
    declaration.annotations = annotations;
    b.open(at);
    if has_self
        && let Some(first) = node
            .child_by_field_name("parameters")
            .and_then(|list| list.named_child(0))
        && first.kind() == "identifier"
        && let name = b.of(first)
        && name != "self"
    {
        b.bind(Some(at), name, Value::Path("self".to_owned()));
    }
    Some(at)
}

fn class<'t>(b: &mut Builder<'t>, node: Node<'t>) -> Option<u32> {
    let name = node.child_by_field_name("name")?;
    let supertypes: Vec<String> = node
        .child_by_field_name("superclasses")
        .into_iter()
        .flat_map(children)
        .filter(|part| matches!(part.kind(), "identifier" | "attribute" | "subscript"))
        .map(|part| bare(b.of(part)))
        .collect();
    let kind = if supertypes
        .iter()
        .any(|s| s == "Protocol" || s.ends_with(".Protocol"))
    {
        SymbolKind::Interface
    } else if supertypes.iter().any(|s| {
        matches!(
            s.rsplit('.').next(),
            Some("Enum" | "IntEnum" | "StrEnum" | "Flag")
        )
    }) {
        SymbolKind::Enum
    } else {
        SymbolKind::Class
    };
    let at = b.declare(node, name, kind, node.child_by_field_name("body"));
    let annotations = decorators(b, node);
    let declaration = b.declaration(at);
    declaration.is_public = !is_private(&declaration.name);
    declaration.is_test |=
        declaration.name.starts_with("Test") || supertypes.iter().any(|s| s.ends_with("TestCase"));
    declaration.supertypes = supertypes;
    declaration.annotations = annotations;
    b.open(at);
    Some(at)
}

fn from_import<'t>(b: &mut Builder<'t>, node: Node<'t>) {
    let Some(module) = b.field(node, "module_name") else {
        return;
    };
    let mut names = Vec::new();
    for part in children(node).skip(1) {
        match part.kind() {
            "wildcard_import" => names.push(imported("*", "*")),
            "dotted_name" => names.push(imported(b.of(part), b.of(part))),
            "aliased_import" => {
                if let (Some(name), Some(alias)) = (b.field(part, "name"), b.field(part, "alias")) {
                    names.push(imported(name, alias));
                }
            }
            _ => {}
        }
    }
    let module: String = module.split_whitespace().collect();
    b.import(node, module, ImportStyle::Import, names, None);
}

fn assignment<'t>(b: &mut Builder<'t>, node: Node<'t>) {
    let Some(left) = node.child_by_field_name("left") else {
        return;
    };
    let declared = b.field(node, "type");
    let value = match (declared, node.child_by_field_name("right")) {
        (Some(kind), _) => Value::Type(kind),
        (None, Some(right)) => value_of(b, right),
        (None, None) => Value::Unknown,
    };
    match left.kind() {
        "identifier" => {
            let name = b.of(left);
            if !b.in_function() {
                let constant =
                    name.chars().any(char::is_uppercase) && !name.chars().any(char::is_lowercase);
                let kind = match (b.in_type(), constant) {
                    (_, true) => SymbolKind::Constant,
                    (true, false) => SymbolKind::Field,
                    (false, false) => SymbolKind::Variable,
                };
                let at = b.declare(node, left, kind, None);
                let public = !is_private(name);
                b.declaration(at).is_public = public;
                // `Alias = Class`
                if let Value::Path(path) = &value
                    && kind == SymbolKind::Variable
                {
                    let path = path.clone();
                    b.declaration(at).supertypes.push(path);
                }
            }
            b.bind(b.scope(), name, value);
        }
        "attribute" => {
            if b.field(left, "object") == Some("self")
                && let Some(name) = b.field(left, "attribute")
            {
                let container = b.container();
                let known = b.facts.bindings.iter().any(|binding| {
                    binding.scope == container
                        && binding.name == name
                        && binding.hint != crate::facts::TypeHint::Unknown
                });
                if !known {
                    b.bind(container, name, value);
                }
            }
        }
        _ => {}
    }
}

fn value_of<'t>(b: &Builder<'t>, node: Node<'t>) -> Value<'t> {
    match node.kind() {
        "call" => Value::Node(node),
        "await" | "parenthesized_expression" => node
            .named_child(0)
            .map_or(Value::Unknown, |inner| value_of(b, inner)),
        _ => path_of(b, node).map_or(Value::Unknown, Value::Path),
    }
}

fn path_of<'t>(b: &Builder<'t>, node: Node<'t>) -> Option<String> {
    match node.kind() {
        "identifier" => Some(b.of(node).to_owned()),
        "attribute" => {
            let object = path_of(b, node.child_by_field_name("object")?)?;
            Some(format!("{object}.{}", b.field(node, "attribute")?))
        }
        "call" if b.field(node, "function") == Some("super") => Some("super".to_owned()),
        _ => None,
    }
}

fn call<'t>(b: &mut Builder<'t>, node: Node<'t>) -> Option<u32> {
    let function = node.child_by_field_name("function")?;
    let arguments = count(node.child_by_field_name("arguments"));
    match function.kind() {
        "identifier" => b.call(
            node,
            function,
            Receives::Nothing,
            CallKind::Plain,
            arguments,
        ),
        "attribute" => {
            let name = function.child_by_field_name("attribute")?;
            let object = function.child_by_field_name("object")?;
            let receiver = path_of(b, object).map_or(Receives::Node(object), Receives::Path);
            b.call(node, name, receiver, CallKind::Member, arguments)
        }
        _ => None,
    }
}
