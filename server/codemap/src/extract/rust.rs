//! Rust.

use asd_syntax::Node;

use super::builder::{Builder, Receives, Value, child, children, count, imported};
use super::types::bare;
use crate::facts::{CallKind, ImportStyle, SymbolKind};

pub(super) fn enter<'t>(b: &mut Builder<'t>, node: Node<'t>) -> bool {
    match node.kind() {
        "function_item" | "function_signature_item" => function(b, node),
        "struct_item" | "union_item" => item(b, node, SymbolKind::Struct),
        "enum_item" => item(b, node, SymbolKind::Enum),
        "trait_item" => item(b, node, SymbolKind::Interface),
        "type_item" | "associated_type" => {
            if let Some(at) = item(b, node, SymbolKind::Alias) {
                let result = b.field(node, "type").and_then(super::types::simplify);
                b.declaration(at).supertypes.extend(result);
            }
            return true;
        }
        "const_item" => variable(b, node, SymbolKind::Constant),
        "static_item" => variable(b, node, SymbolKind::Variable),
        "macro_definition" => {
            item(b, node, SymbolKind::Macro);
            return false;
        }
        "mod_item" => module(b, node),
        "impl_item" => implementation(b, node),
        "enum_variant" => {
            item(b, node, SymbolKind::Constant);
            return true;
        }
        "field_declaration" => {
            item(b, node, SymbolKind::Field);
            if let (Some(name), Some(kind)) = (b.field(node, "name"), b.field(node, "type")) {
                b.bind(b.container(), name, Value::Type(kind));
            }
            return true;
        }
        "use_declaration" => {
            let reexports = child(node, &["visibility_modifier"]).is_some();
            let style = if reexports {
                ImportStyle::Reexport
            } else {
                ImportStyle::Import
            };
            if let Some(tree) = node.child_by_field_name("argument") {
                uses(b, tree, "", style);
            }
            return false;
        }
        "extern_crate_declaration" => {
            if let Some(name) = b.field(node, "name") {
                let alias = b.field(node, "alias").unwrap_or(name);
                import(b, node, name, ImportStyle::Import, None, Some(alias));
            }
            return false;
        }
        "let_declaration" | "let_condition" => {
            let_binding(b, node);
            return true;
        }
        "parameter" => {
            if let Some(pattern) = node.child_by_field_name("pattern")
                && let Some(name) = identifier(b, pattern)
                && let Some(kind) = b.field(node, "type")
            {
                b.bind(b.scope(), name, Value::Type(kind));
            }
            return true;
        }
        "call_expression" => {
            call(b, node);
            return true;
        }
        "struct_expression" => {
            if let Some(name) = node.child_by_field_name("name") {
                let at = match name.kind() {
                    "scoped_type_identifier" => name.child_by_field_name("name").unwrap_or(name),
                    _ => name,
                };
                let receiver = name
                    .child_by_field_name("path")
                    .and_then(|path| path_of(b, path));
                let receiver = receiver.map_or(Receives::Nothing, Receives::Path);
                b.call(node, at, receiver, CallKind::Construct, 0);
            }
            return true;
        }
        "macro_invocation" => {
            if let Some(name) = node.child_by_field_name("macro") {
                let (at, receiver) = match name.kind() {
                    "scoped_identifier" => (
                        name.child_by_field_name("name").unwrap_or(name),
                        name.child_by_field_name("path")
                            .and_then(|path| path_of(b, path)),
                    ),
                    _ => (name, None),
                };
                let receiver = receiver.map_or(Receives::Nothing, Receives::Path);
                b.call(node, at, receiver, CallKind::Macro, 0);
            }
            return true;
        }
        "token_tree" => {
            tokens(b, node);
            return true;
        }
        "scoped_identifier" | "scoped_type_identifier" => {
            qualified(b, node);
            return true;
        }
        _ => return true,
    };
    true
}

/// The attributes before a node, without `#[` and `]`.
fn attributes<'t>(b: &Builder<'t>, node: Node<'t>) -> Vec<String> {
    let mut found = Vec::new();
    let mut before = node.prev_named_sibling();
    while let Some(attribute) = before {
        match attribute.kind() {
            "attribute_item" => found.push(
                b.of(attribute)
                    .trim_start_matches("#[")
                    .trim_end_matches(']')
                    .trim()
                    .to_owned(),
            ),
            "line_comment" | "block_comment" => {}
            _ => break,
        }
        before = attribute.prev_named_sibling();
    }
    found.reverse();
    found
}

fn item<'t>(b: &mut Builder<'t>, node: Node<'t>, kind: SymbolKind) -> Option<u32> {
    let name = node.child_by_field_name("name")?;
    let body = node.child_by_field_name("body");
    let at = b.declare(node, name, kind, body);
    let annotations = attributes(b, node);
    let visibility = child(node, &["visibility_modifier"]).map(|v| b.of(v).to_owned());
    let in_trait = b
        .declaration(at)
        .parent
        .is_some_and(|parent| b.facts.declarations[parent as usize].kind == SymbolKind::Interface);
    let supertypes = node.child_by_field_name("bounds").map(|bounds| {
        children(bounds)
            .filter(|bound| bound.kind() != "lifetime")
            .map(|bound| bare(b.of(bound)))
            .collect::<Vec<_>>()
    });
    let declaration = b.declaration(at);
    declaration.is_public = visibility.is_some() || in_trait;
    declaration.modifiers.extend(visibility);
    declaration.is_test |= annotations.iter().any(|a| is_test(a));
    declaration.annotations = annotations;
    declaration
        .supertypes
        .extend(supertypes.into_iter().flatten());
    if !matches!(kind, SymbolKind::Field) {
        b.open(at);
    }
    Some(at)
}

fn is_test(attribute: &str) -> bool {
    let name = attribute.split('(').next().unwrap_or(attribute).trim();
    name.rsplit("::").next() == Some("test")
        || (name == "cfg" && attribute.contains("(test)"))
        || name == "rstest"
        || name == "test_case"
}

fn function<'t>(b: &mut Builder<'t>, node: Node<'t>) -> Option<u32> {
    let kind = if b.in_type() {
        SymbolKind::Method
    } else {
        SymbolKind::Function
    };
    let at = item(b, node, kind)?;
    let result = b
        .field(node, "return_type")
        .and_then(super::types::simplify);
    let parameters = node.child_by_field_name("parameters");
    let has_self = parameters.is_some_and(|list| child(list, &["self_parameter"]).is_some());
    let number = count(parameters) - usize::from(has_self);
    let words = child(node, &["function_modifiers"]).map(|words| b.of(words).to_owned());
    let declaration = b.declaration(at);
    declaration.result = result;
    declaration.parameters = u16::try_from(number).unwrap_or(u16::MAX);
    declaration.modifiers.extend(
        words
            .iter()
            .flat_map(|words| words.split_whitespace())
            .map(str::to_owned),
    );
    if kind == SymbolKind::Method && !has_self {
        declaration.modifiers.push("static".to_owned());
    }
    Some(at)
}

fn variable<'t>(b: &mut Builder<'t>, node: Node<'t>, kind: SymbolKind) -> Option<u32> {
    let scope = b.scope();
    let at = item(b, node, kind)?;
    if let (Some(name), Some(kind)) = (b.field(node, "name"), b.field(node, "type")) {
        b.bind(scope, name, Value::Type(kind));
    }
    Some(at)
}

fn module<'t>(b: &mut Builder<'t>, node: Node<'t>) -> Option<u32> {
    let name = b.field(node, "name")?;
    if node.child_by_field_name("body").is_some() {
        return item(b, node, SymbolKind::Module);
    }
    let path = attributes(b, node).iter().find_map(|attribute| {
        let (key, value) = attribute.split_once('=')?;
        (key.trim() == "path").then(|| value.trim().trim_matches('"').to_owned())
    });
    let public = child(node, &["visibility_modifier"]).is_some();
    let index = import(b, node, name, ImportStyle::Module, None, path.as_deref());
    if public {
        b.facts.imports[index as usize]
            .names
            .push(imported("pub", "pub"));
    }
    None
}

/// `impl Trait for Type`
fn implementation<'t>(b: &mut Builder<'t>, node: Node<'t>) -> Option<u32> {
    let of = node.child_by_field_name("type")?;
    let name = super::types::simplify(b.of(of)).unwrap_or_else(|| b.of(of).to_owned());
    let at = b.declare_as(
        node,
        of,
        name,
        SymbolKind::Extension,
        node.child_by_field_name("body"),
    );
    let supertype = b.field(node, "trait").map(bare);
    let annotations = attributes(b, node);
    let declaration = b.declaration(at);
    declaration.supertypes.extend(supertype);
    declaration.is_test |= annotations.iter().any(|a| is_test(a));
    declaration.annotations = annotations;
    b.open(at);
    Some(at)
}

fn import<'t>(
    b: &mut Builder<'t>,
    node: Node<'t>,
    module: &str,
    style: ImportStyle,
    name: Option<(&str, &str)>,
    alias: Option<&str>,
) -> u32 {
    let names = name
        .map(|(name, local)| imported(name, local))
        .into_iter()
        .collect();
    let index = b.import(node, module, style, names, alias.map(str::to_owned));
    let within = modules_around(b);
    b.facts.imports[index as usize].within = within;
    index
}

/// The names of the inline modules around the current node.
fn modules_around(b: &Builder<'_>) -> Vec<String> {
    let mut names: Vec<String> = b
        .facts
        .around(b.scope())
        .map(|at| &b.facts.declarations[at as usize])
        .filter(|declaration| declaration.kind == SymbolKind::Module)
        .map(|declaration| declaration.name.clone())
        .collect();
    names.reverse();
    names
}

/// Takes a tree of uses apart, a leaf at a time.
fn uses<'t>(b: &mut Builder<'t>, node: Node<'t>, prefix: &str, style: ImportStyle) {
    let join = |path: &str| {
        let path: String = path.split_whitespace().collect();
        if prefix.is_empty() {
            path
        } else {
            format!("{prefix}::{path}")
        }
    };
    let leaf = |b: &mut Builder<'t>, path: &str, alias: Option<&str>| {
        let whole = join(path);
        let whole = whole.trim_start_matches("::");
        let (module, name) = whole.rsplit_once("::").unwrap_or(("", whole));
        if name == "self" {
            let local = alias.unwrap_or_else(|| module.rsplit("::").next().unwrap_or(module));
            let (outer, name) = module.rsplit_once("::").unwrap_or(("", module));
            import(b, node, outer, style, Some((name, local)), None);
        } else {
            import(
                b,
                node,
                module,
                style,
                Some((name, alias.unwrap_or(name))),
                None,
            );
        }
    };
    match node.kind() {
        "use_as_clause" => {
            if let (Some(path), Some(alias)) = (b.field(node, "path"), b.field(node, "alias")) {
                leaf(b, path, Some(alias));
            }
        }
        "scoped_use_list" => {
            let path = b
                .field(node, "path")
                .map_or_else(|| prefix.to_owned(), join);
            if let Some(list) = node.child_by_field_name("list") {
                for part in children(list) {
                    uses(b, part, &path, style);
                }
            }
        }
        "use_list" => {
            for part in children(node) {
                uses(b, part, prefix, style);
            }
        }
        "use_wildcard" => {
            let path = b
                .of(node)
                .trim_end_matches('*')
                .trim_end_matches(':')
                .to_owned();
            let module = if path.is_empty() {
                prefix.to_owned()
            } else {
                join(&path)
            };
            let module = module.trim_start_matches("::").to_owned();
            import(b, node, &module, style, Some(("*", "*")), None);
        }
        "line_comment" | "block_comment" => {}
        _ => leaf(b, b.of(node), None),
    }
}

/// The only name in a pattern.
fn identifier<'t>(b: &Builder<'t>, pattern: Node<'t>) -> Option<&'t str> {
    match pattern.kind() {
        "identifier" => Some(b.of(pattern)),
        "mut_pattern" | "ref_pattern" | "reference_pattern" => children(pattern)
            .filter(|part| part.kind() == "identifier")
            .last()
            .map(|part| b.of(part)),
        // `Some(x)`, `Ok(x)`: the wrapper is left out of types as well.
        "tuple_struct_pattern" => {
            let of = b.field(pattern, "type")?;
            let mut parts = children(pattern).skip(1);
            let first = parts.next()?;
            (matches!(of, "Some" | "Ok") && parts.next().is_none())
                .then(|| identifier(b, first))
                .flatten()
        }
        _ => None,
    }
}

fn let_binding<'t>(b: &mut Builder<'t>, node: Node<'t>) {
    let Some(pattern) = node.child_by_field_name("pattern") else {
        return;
    };
    let Some(name) = identifier(b, pattern) else {
        return;
    };
    let value = match (b.field(node, "type"), node.child_by_field_name("value")) {
        (Some(kind), _) => Value::Type(kind),
        (None, Some(value)) => value_of(b, value),
        (None, None) => Value::Unknown,
    };
    b.bind(b.scope(), name, value);
}

/// What an expression is made of, behind references, `?`, `.await` and blocks.
fn value_of<'t>(b: &Builder<'t>, node: Node<'t>) -> Value<'t> {
    let inner = strip(node);
    match inner.kind() {
        "call_expression" | "struct_expression" => Value::Node(inner),
        _ => path_of(b, inner).map_or(Value::Unknown, Value::Path),
    }
}

fn strip(mut node: Node<'_>) -> Node<'_> {
    loop {
        node = match node.kind() {
            "reference_expression"
            | "try_expression"
            | "await_expression"
            | "parenthesized_expression"
            | "unary_expression" => {
                let inner = node.child_by_field_name("value");
                let Some(inner) = inner.or_else(|| node.named_child(0)) else {
                    return node;
                };
                inner
            }
            _ => return node,
        };
    }
}

/// The names of a path or a chain of fields, joined by dots.
fn path_of<'t>(b: &Builder<'t>, node: Node<'t>) -> Option<String> {
    let node = strip(node);
    match node.kind() {
        "identifier" | "self" | "super" | "crate" | "type_identifier" | "metavariable" => {
            Some(b.of(node).to_owned())
        }
        "generic_type" => path_of(b, node.child_by_field_name("type")?),
        "bracketed_type" => {
            // `<Type as Trait>::f`
            let inner = node.named_child(0)?;
            match inner.kind() {
                "qualified_type" => path_of(b, inner.child_by_field_name("type")?),
                _ => path_of(b, inner),
            }
        }
        "scoped_identifier" | "scoped_type_identifier" => {
            let name = b.field(node, "name")?;
            Some(match node.child_by_field_name("path") {
                Some(path) => format!("{}.{name}", path_of(b, path)?),
                None => name.to_owned(),
            })
        }
        "field_expression" => {
            let field = b.field(node, "field")?;
            Some(format!(
                "{}.{field}",
                path_of(b, node.child_by_field_name("value")?)?
            ))
        }
        _ => None,
    }
}

fn call<'t>(b: &mut Builder<'t>, node: Node<'t>) -> Option<u32> {
    let mut function = node.child_by_field_name("function")?;
    if function.kind() == "generic_function" {
        function = function.child_by_field_name("function")?;
    }
    let arguments = count(node.child_by_field_name("arguments"));
    match function.kind() {
        "identifier" => b.call(
            node,
            function,
            Receives::Nothing,
            CallKind::Plain,
            arguments,
        ),
        "scoped_identifier" => {
            let name = function.child_by_field_name("name")?;
            let receiver = match function.child_by_field_name("path") {
                Some(path) => path_of(b, path).map_or(Receives::Node(path), Receives::Path),
                None => Receives::Nothing,
            };
            b.call(node, name, receiver, CallKind::Path, arguments)
        }
        "field_expression" => {
            let name = function.child_by_field_name("field")?;
            let value = strip(function.child_by_field_name("value")?);
            let receiver = path_of(b, value).map_or(Receives::Node(value), Receives::Path);
            b.call(node, name, receiver, CallKind::Member, arguments)
        }
        _ => None,
    }
}

/// The calls in the arguments of a macro, which the grammar leaves as tokens:
/// a name before parentheses, with the names and dots before it.
fn tokens<'t>(b: &mut Builder<'t>, node: Node<'t>) {
    let mut cursor = node.walk();
    let parts: Vec<Node<'t>> = node.children(&mut cursor).collect();
    for (index, pair) in parts.windows(2).enumerate() {
        let [name, list] = pair else { continue };
        if name.kind() != "identifier"
            || list.kind() != "token_tree"
            || !b.of(*list).starts_with('(')
        {
            continue;
        }
        let mut path = Vec::new();
        let mut kind = CallKind::Plain;
        let mut at = index;
        let mut broken = false;
        while at >= 1 && matches!(parts[at - 1].kind(), "." | "::") {
            if kind == CallKind::Plain {
                kind = if parts[at - 1].kind() == "." {
                    CallKind::Member
                } else {
                    CallKind::Path
                };
            }
            if at < 2
                || !matches!(
                    parts[at - 2].kind(),
                    "identifier" | "self" | "crate" | "super"
                )
            {
                broken = true;
                break;
            }
            path.push(b.of(parts[at - 2]));
            at -= 2;
        }
        path.reverse();
        let arguments = b.of(*list).matches(',').count();
        let receiver = if broken {
            Receives::Node(*list)
        } else if path.is_empty() {
            Receives::Nothing
        } else {
            Receives::Path(path.join("."))
        };
        b.call(*name, *name, receiver, kind, arguments);
    }
}

/// A path in the code that starts at the crate or goes up names another file
/// without an import.
fn qualified<'t>(b: &mut Builder<'t>, node: Node<'t>) {
    let is_inner = node.parent().is_some_and(|parent| {
        matches!(
            parent.kind(),
            "scoped_identifier" | "scoped_type_identifier"
        )
    });
    if is_inner {
        return;
    }
    let text: String = b.of(node).split_whitespace().collect();
    if text.starts_with('<') || text.contains(['<', '$']) {
        return;
    }
    let (module, name) = match text.rsplit_once("::") {
        Some((module, name)) if !module.is_empty() => (module.to_owned(), name.to_owned()),
        _ => return,
    };
    let seen = b.facts.imports.iter().any(|import| {
        import.style == ImportStyle::Path
            && import.module == module
            && import.names.iter().any(|n| n.name == name)
    });
    if !seen {
        // Named as nothing, since a path in the code brings no name with it.
        import(b, node, &module, ImportStyle::Path, Some((&name, "")), None);
    }
}
