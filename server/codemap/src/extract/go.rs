//! Go.

use asd_syntax::Node;

use super::builder::{Builder, Receives, Value, child, children, count};
use super::types::simplify;
use crate::facts::{CallKind, ImportStyle, SymbolKind};

pub(super) fn enter<'t>(b: &mut Builder<'t>, node: Node<'t>) -> bool {
    match node.kind() {
        "package_clause" => {
            b.facts.package = node.named_child(0).map(|name| b.of(name).to_owned());
        }
        "import_spec" => {
            if let Some(path) = b.field(node, "path") {
                let alias = b.field(node, "name").map(str::to_owned);
                b.import(
                    node,
                    path.trim_matches(['"', '`']),
                    ImportStyle::Import,
                    Vec::new(),
                    alias,
                );
            }
            return false;
        }
        "function_declaration" => {
            function(b, node, SymbolKind::Function);
        }
        "method_declaration" => method(b, node),
        "type_spec" | "type_alias" => type_spec(b, node),
        "method_elem" | "method_spec" => {
            if let Some(name) = node.child_by_field_name("name") {
                let at = b.declare(node, name, SymbolKind::Method, None);
                shape(b, node, at);
            }
        }
        "type_elem" | "constraint_elem" => {
            if let Some(at) = b.container() {
                let embedded = b.of(node);
                if !embedded.contains(['|', '~']) {
                    let embedded = simplify(embedded);
                    b.declaration(at).supertypes.extend(embedded);
                }
            }
        }
        "field_declaration" => field(b, node),
        "const_spec" | "var_spec" => variable(b, node),
        "short_var_declaration" => short(b, node),
        "range_clause" => {
            for name in node
                .child_by_field_name("left")
                .into_iter()
                .flat_map(children)
            {
                b.bind(b.scope(), b.of(name), Value::Unknown);
            }
        }
        "parameter_declaration" | "variadic_parameter_declaration" => {
            let Some(kind) = b.field(node, "type") else {
                return true;
            };
            let mut cursor = node.walk();
            let names: Vec<Node<'t>> = node.children_by_field_name("name", &mut cursor).collect();
            for name in names {
                b.bind(b.scope(), b.of(name), Value::Type(kind));
            }
        }
        "type_identifier" => b.uses_type(b.of(node)),
        // What is used of another package says which of its files is meant.
        "qualified_type" => b.uses_type(b.of(node)),
        "selector_expression"
            if node
                .child_by_field_name("operand")
                .is_some_and(|operand| operand.kind() == "identifier") =>
        {
            b.uses_type(b.of(node));
        }
        "call_expression" => {
            call(b, node);
        }
        "composite_literal" => {
            if let Some(kind) = node.child_by_field_name("type") {
                match kind.kind() {
                    "type_identifier" => {
                        b.call(node, kind, Receives::Nothing, CallKind::Construct, 0);
                    }
                    "qualified_type" => {
                        if let (Some(package), Some(name)) =
                            (b.field(kind, "package"), kind.child_by_field_name("name"))
                        {
                            b.call(
                                node,
                                name,
                                Receives::Path(package.to_owned()),
                                CallKind::Construct,
                                0,
                            );
                        }
                    }
                    _ => {}
                }
            }
        }
        _ => {}
    }
    true
}

fn is_exported(name: &str) -> bool {
    name.starts_with(char::is_uppercase)
}

fn shape<'t>(b: &mut Builder<'t>, node: Node<'t>, at: u32) {
    let result = node
        .child_by_field_name("result")
        .and_then(|result| match result.kind() {
            "parameter_list" => result
                .named_child(0)
                .and_then(|first| b.field(first, "type")),
            _ => Some(b.of(result)),
        });
    let result = result.and_then(simplify);
    let number = node.child_by_field_name("parameters").map_or(0, |list| {
        children(list)
            .map(|one| {
                let mut cursor = one.walk();
                one.children_by_field_name("name", &mut cursor)
                    .count()
                    .max(1)
            })
            .sum()
    });
    let declaration = b.declaration(at);
    declaration.result = result;
    declaration.parameters = u16::try_from(number).unwrap_or(u16::MAX);
    declaration.is_public = is_exported(&declaration.name);
}

fn function<'t>(b: &mut Builder<'t>, node: Node<'t>, kind: SymbolKind) -> Option<u32> {
    let name = node.child_by_field_name("name")?;
    let at = b.declare(node, name, kind, node.child_by_field_name("body"));
    shape(b, node, at);
    let tests = ["Test", "Benchmark", "Fuzz", "Example"];
    let parameter = b.field(node, "parameters").unwrap_or_default();
    let is_test = tests.iter().any(|start| b.of(name).starts_with(start))
        && (parameter.contains("testing.") || b.of(name).starts_with("Example"));
    b.declaration(at).is_test |= is_test && kind == SymbolKind::Function;
    b.open(at);
    Some(at)
}

fn method<'t>(b: &mut Builder<'t>, node: Node<'t>) {
    let Some(at) = function(b, node, SymbolKind::Method) else {
        return;
    };
    let receiver = node
        .child_by_field_name("receiver")
        .and_then(|list| list.named_child(0));
    let owner = receiver
        .and_then(|one| b.field(one, "type"))
        .and_then(simplify);
    b.declaration(at).owner = owner;
}

fn type_spec<'t>(b: &mut Builder<'t>, node: Node<'t>) {
    let (Some(name), Some(of)) = (
        node.child_by_field_name("name"),
        node.child_by_field_name("type"),
    ) else {
        return;
    };
    let kind = match of.kind() {
        "struct_type" => SymbolKind::Struct,
        "interface_type" => SymbolKind::Interface,
        _ => SymbolKind::Alias,
    };
    let at = b.declare(node, name, kind, Some(of));
    let public = is_exported(b.of(name));
    let alias = (kind == SymbolKind::Alias && node.kind() == "type_alias")
        .then(|| simplify(b.of(of)))
        .flatten();
    let declaration = b.declaration(at);
    declaration.is_public = public;
    declaration.supertypes.extend(alias);
    b.open(at);
}

fn field<'t>(b: &mut Builder<'t>, node: Node<'t>) {
    let Some(kind) = b.field(node, "type") else {
        return;
    };
    let Some(container) = b.container() else {
        return;
    };
    let mut cursor = node.walk();
    let names: Vec<Node<'t>> = node.children_by_field_name("name", &mut cursor).collect();
    if names.is_empty() {
        if let Some(embedded) = simplify(kind) {
            let name = embedded.rsplit('.').next().unwrap_or(&embedded).to_owned();
            b.bind(Some(container), &name, Value::Type(kind));
            b.declaration(container).supertypes.push(embedded);
        }
        return;
    }
    for name in names {
        let at = b.declare(node, name, SymbolKind::Field, None);
        let public = is_exported(b.of(name));
        b.declaration(at).is_public = public;
        b.bind(Some(container), b.of(name), Value::Type(kind));
    }
}

fn variable<'t>(b: &mut Builder<'t>, node: Node<'t>) {
    let kind = b.field(node, "type");
    let values: Vec<Node<'t>> = node
        .child_by_field_name("value")
        .into_iter()
        .flat_map(children)
        .collect();
    let mut cursor = node.walk();
    let names: Vec<Node<'t>> = node.children_by_field_name("name", &mut cursor).collect();
    for (index, name) in names.iter().enumerate() {
        let hint = match (kind, values.get(index)) {
            (Some(kind), _) => Value::Type(kind),
            (None, Some(value)) => value_of(b, *value),
            (None, None) => Value::Unknown,
        };
        let scope = b.scope();
        if scope.is_none() {
            let kind = if node.kind() == "const_spec" {
                SymbolKind::Constant
            } else {
                SymbolKind::Variable
            };
            let at = b.declare(node, *name, kind, None);
            let public = is_exported(b.of(*name));
            b.declaration(at).is_public = public;
        }
        b.bind(scope, b.of(*name), hint);
    }
}

fn short<'t>(b: &mut Builder<'t>, node: Node<'t>) {
    let list = |field| -> Vec<Node<'t>> {
        node.child_by_field_name(field)
            .into_iter()
            .flat_map(children)
            .collect()
    };
    let (left, right) = (list("left"), list("right"));
    for (index, name) in left.iter().enumerate() {
        let hint = if index < right.len() && (left.len() == right.len() || index == 0) {
            value_of(b, right[index])
        } else {
            Value::Unknown
        };
        b.bind(b.scope(), b.of(*name), hint);
    }
}

fn value_of<'t>(b: &Builder<'t>, node: Node<'t>) -> Value<'t> {
    match node.kind() {
        "call_expression" | "composite_literal" => Value::Node(node),
        "unary_expression" | "parenthesized_expression" => {
            let inner = node
                .child_by_field_name("operand")
                .or_else(|| node.named_child(0));
            inner.map_or(Value::Unknown, |inner| value_of(b, inner))
        }
        "type_assertion_expression" => b.field(node, "type").map_or(Value::Unknown, Value::Type),
        _ => path_of(b, node).map_or(Value::Unknown, Value::Path),
    }
}

fn path_of<'t>(b: &Builder<'t>, node: Node<'t>) -> Option<String> {
    match node.kind() {
        "identifier" => Some(b.of(node).to_owned()),
        "selector_expression" => {
            let operand = path_of(b, node.child_by_field_name("operand")?)?;
            Some(format!("{operand}.{}", b.field(node, "field")?))
        }
        "parenthesized_expression" | "unary_expression" => path_of(
            b,
            node.child_by_field_name("operand")
                .or_else(|| node.named_child(0))?,
        ),
        _ => None,
    }
}

fn call<'t>(b: &mut Builder<'t>, node: Node<'t>) -> Option<u32> {
    let mut function = node.child_by_field_name("function")?;
    if function.kind() == "type_instantiation_expression" || function.kind() == "index_expression" {
        function = function.named_child(0)?;
    }
    let list = node.child_by_field_name("arguments");
    let arguments = count(list);
    match function.kind() {
        "identifier" => {
            let name = b.of(function);
            let index = b.call(
                node,
                function,
                Receives::Nothing,
                CallKind::Plain,
                arguments,
            )?;
            let first = list.and_then(|list| list.named_child(0));
            if let (true, Some(first)) = (matches!(name, "panic"), first) {
                let error = match first.kind() {
                    "call_expression" => b.field(first, "function"),
                    _ => None,
                };
                b.throws(node, error.unwrap_or("panic"));
            }
            // `new(T)` gives a T.
            if let (true, Some(first)) =
                (name == "new", first.and_then(|first| simplify(b.of(first))))
            {
                let site = &mut b.facts.calls[index as usize];
                site.name = first;
                site.kind = CallKind::Construct;
            }
            Some(index)
        }
        "selector_expression" => {
            let name = function.child_by_field_name("field")?;
            let operand = function.child_by_field_name("operand")?;
            let receiver = path_of(b, operand).map_or_else(
                || {
                    Receives::Node(
                        child(operand, &["call_expression"])
                            .filter(|_| operand.kind() == "parenthesized_expression")
                            .unwrap_or(operand),
                    )
                },
                Receives::Path,
            );
            b.call(node, name, receiver, CallKind::Member, arguments)
        }
        _ => None,
    }
}
