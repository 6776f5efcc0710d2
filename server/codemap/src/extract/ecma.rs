//! JavaScript and TypeScript, with JSX, ES modules and CommonJS.

use asd_syntax::Node;

use super::builder::{Builder, Receives, Value, child, children, count};
use super::ecma_modules::{export, exports_of, import, require, required, string};
use super::types::bare;
use crate::facts::{CallKind, Export, ImportStyle, SymbolKind, TypeHint};

pub(super) fn enter<'t>(b: &mut Builder<'t>, node: Node<'t>) -> bool {
    match node.kind() {
        "function_declaration" | "generator_function_declaration" | "function_signature" => {
            function(b, node, SymbolKind::Function);
        }
        "method_definition" | "method_signature" | "abstract_method_signature" => {
            let is_constructor = b.field(node, "name") == Some("constructor");
            let kind = if is_constructor {
                SymbolKind::Constructor
            } else {
                SymbolKind::Method
            };
            if b.in_type() {
                function(b, node, kind);
            } else {
                function(b, node, SymbolKind::Function);
            }
        }
        "class_declaration" | "abstract_class_declaration" => {
            class(b, node, SymbolKind::Class);
        }
        "interface_declaration" => {
            class(b, node, SymbolKind::Interface);
        }
        "enum_declaration" => {
            class(b, node, SymbolKind::Enum);
        }
        "internal_module" | "module" if node.child_by_field_name("name").is_some() => {
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
        "type_alias_declaration" => {
            if let Some(name) = node.child_by_field_name("name") {
                let at = b.declare(node, name, SymbolKind::Alias, None);
                let of = b.field(node, "value").and_then(super::types::simplify);
                let public = is_exported(node);
                b.declaration(at).supertypes.extend(of);
                b.declaration(at).is_public = public;
                b.open(at);
            }
        }
        "variable_declarator" => declarator(b, node),
        "public_field_definition" | "field_definition" | "property_signature" => field(b, node),
        "pair" => {
            // A function in an object that is exported or assigned.
            if let (Some(key), Some(value)) = (
                node.child_by_field_name("key"),
                node.child_by_field_name("value"),
            ) && is_function(value)
                && !b.in_function()
                && matches!(key.kind(), "property_identifier" | "string")
            {
                let at = b.declare(
                    node,
                    key,
                    SymbolKind::Function,
                    value.child_by_field_name("body"),
                );
                shape(b, value, at);
                b.open(at);
            }
        }
        "required_parameter" | "optional_parameter" => parameter(b, node),
        "formal_parameters" => {
            for name in children(node).filter(|part| part.kind() == "identifier") {
                b.bind(b.scope(), b.of(name), Value::Unknown);
            }
        }
        "arrow_function" => {
            if let Some(name) = node.child_by_field_name("parameter") {
                b.bind(b.scope(), b.of(name), Value::Unknown);
            }
        }
        "import_statement" => {
            import(b, node);
            return false;
        }
        "export_statement" => export(b, node),
        "import_alias" => {}
        "assignment_expression" => assignment(b, node),
        "call_expression" => {
            call(b, node);
        }
        "new_expression" => {
            construct(b, node);
        }
        "throw_statement" => {
            if let Some(error) = node.named_child(0) {
                let name = match error.kind() {
                    "new_expression" => b.field(error, "constructor"),
                    "call_expression" => b.field(error, "function"),
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

pub(super) fn is_function(node: Node<'_>) -> bool {
    matches!(
        node.kind(),
        "function_expression" | "arrow_function" | "generator_function" | "function"
    )
}

fn is_exported(node: Node<'_>) -> bool {
    let parent = node.parent();
    let parent = match parent {
        Some(parent)
            if matches!(
                parent.kind(),
                "lexical_declaration" | "variable_declaration" | "ambient_declaration"
            ) =>
        {
            parent.parent()
        }
        other => other,
    };
    parent.is_some_and(|parent| parent.kind() == "export_statement")
}

/// Parameters, result and words of a function.
pub(super) fn shape<'t>(b: &mut Builder<'t>, node: Node<'t>, at: u32) {
    let result = b
        .field(node, "return_type")
        .and_then(super::types::simplify);
    let number = match node.child_by_field_name("parameters") {
        Some(list) => count(Some(list)),
        None => usize::from(node.child_by_field_name("parameter").is_some()),
    };
    let head_end = node
        .child_by_field_name("body")
        .map_or(node.end_byte(), |body| body.start_byte());
    let head = &b.text[node.start_byte()..head_end];
    let head = head.split(['(', '<']).next().unwrap_or(head);
    let words: Vec<String> = head
        .split_whitespace()
        .filter(|word| {
            matches!(
                *word,
                "async"
                    | "static"
                    | "override"
                    | "abstract"
                    | "private"
                    | "protected"
                    | "public"
                    | "get"
                    | "set"
                    | "readonly"
            )
        })
        .map(str::to_owned)
        .collect();
    let declaration = b.declaration(at);
    declaration.result = result;
    declaration.parameters = u16::try_from(number).unwrap_or(u16::MAX);
    declaration.has_body = node.child_by_field_name("body").is_some();
    if words
        .iter()
        .any(|word| matches!(word.as_str(), "private" | "protected"))
    {
        declaration.is_public = false;
    }
    declaration.modifiers = words;
}

fn decorators<'t>(b: &Builder<'t>, node: Node<'t>) -> Vec<String> {
    let outer = node
        .parent()
        .filter(|parent| parent.kind() == "export_statement");
    let mut found: Vec<String> = outer
        .into_iter()
        .chain([node])
        .flat_map(children)
        .filter(|part| part.kind() == "decorator")
        .map(|part| b.of(part).trim_start_matches('@').to_owned())
        .collect();
    let mut before = node.prev_named_sibling();
    while let Some(decorator) = before.filter(|before| before.kind() == "decorator") {
        found.push(b.of(decorator).trim_start_matches('@').to_owned());
        before = decorator.prev_named_sibling();
    }
    found
}

fn function<'t>(b: &mut Builder<'t>, node: Node<'t>, kind: SymbolKind) -> Option<u32> {
    let name = node.child_by_field_name("name")?;
    let at = b.declare(node, name, kind, node.child_by_field_name("body"));
    let member = kind != SymbolKind::Function;
    let public = member && !b.of(name).starts_with('#') || is_exported(node);
    let annotations = decorators(b, node);
    b.declaration(at).is_public = public;
    b.declaration(at).annotations = annotations;
    shape(b, node, at);
    b.open(at);
    Some(at)
}

fn class<'t>(b: &mut Builder<'t>, node: Node<'t>, kind: SymbolKind) -> Option<u32> {
    let name = node.child_by_field_name("name")?;
    let at = b.declare(node, name, kind, node.child_by_field_name("body"));
    class_shape(b, node, at);
    Some(at)
}

/// Supertypes and decorators of a class.
pub(super) fn class_shape<'t>(b: &mut Builder<'t>, node: Node<'t>, at: u32) {
    let mut supertypes = Vec::new();
    for part in children(node) {
        match part.kind() {
            "class_heritage" => {
                for clause in children(part) {
                    match clause.kind() {
                        "extends_clause" => {
                            supertypes.extend(b.field(clause, "value").map(bare));
                        }
                        "implements_clause" => {
                            supertypes.extend(children(clause).map(|t| bare(b.of(t))))
                        }
                        _ => supertypes.push(bare(b.of(clause))),
                    }
                }
            }
            "extends_type_clause" | "extends_clause" => {
                supertypes.extend(children(part).map(|t| bare(b.of(t))));
            }
            _ => {}
        }
    }
    let annotations = decorators(b, node);
    let is_abstract = node.kind() == "abstract_class_declaration";
    let public = is_exported(node);
    let declaration = b.declaration(at);
    declaration.supertypes = supertypes;
    declaration.annotations = annotations;
    declaration.is_public = public;
    if is_abstract {
        declaration.modifiers.push("abstract".to_owned());
    }
    b.open(at);
}

fn declarator<'t>(b: &mut Builder<'t>, node: Node<'t>) {
    let Some(name) = node.child_by_field_name("name") else {
        return;
    };
    let value = node.child_by_field_name("value");
    if let Some(module) = value.and_then(|value| required(b, value)) {
        require(b, node, name, module);
        return;
    }
    if name.kind() != "identifier" {
        for part in pattern_names(name) {
            b.bind(b.scope(), b.of(part), Value::Unknown);
        }
        return;
    }
    let text = b.of(name);
    match value {
        Some(value) if is_function(value) => {
            let at = b.declare(
                node,
                name,
                SymbolKind::Function,
                value.child_by_field_name("body"),
            );
            shape(b, value, at);
            let public = is_exported(node);
            b.declaration(at).is_public = public;
            b.open(at);
        }
        Some(value) if value.kind() == "class" => {
            let at = b.declare(
                node,
                name,
                SymbolKind::Class,
                value.child_by_field_name("body"),
            );
            class_shape(b, value, at);
        }
        _ => {
            let declared = b.field(node, "type");
            let hint = match (declared, value) {
                (Some(kind), _) => Value::Type(kind),
                (None, Some(value)) => value_of(b, value),
                (None, None) => Value::Unknown,
            };
            let holds_functions = value.is_some_and(|value| value.kind() == "object");
            if !b.in_function() {
                let constant = node
                    .parent()
                    .is_some_and(|parent| b.of(parent).starts_with("const"));
                let kind = if constant {
                    SymbolKind::Constant
                } else {
                    SymbolKind::Variable
                };
                let scope = b.scope();
                let at = b.declare(node, name, kind, None);
                let public = is_exported(node);
                b.declaration(at).is_public = public;
                b.bind(scope, text, hint);
                if holds_functions {
                    b.open(at);
                }
            } else {
                b.bind(b.scope(), text, hint);
            }
        }
    }
}

fn pattern_names(pattern: Node<'_>) -> Vec<Node<'_>> {
    let mut found = Vec::new();
    let mut open = vec![pattern];
    while let Some(node) = open.pop() {
        match node.kind() {
            "identifier" | "shorthand_property_identifier_pattern" => found.push(node),
            "pair_pattern" => open.extend(node.child_by_field_name("value")),
            "object_pattern" | "array_pattern" | "rest_pattern" => open.extend(children(node)),
            "assignment_pattern" | "object_assignment_pattern" => {
                open.extend(node.child_by_field_name("left"));
            }
            _ => {}
        }
    }
    found
}

fn field<'t>(b: &mut Builder<'t>, node: Node<'t>) {
    let name = node
        .child_by_field_name("name")
        .or_else(|| node.child_by_field_name("property"));
    let Some(name) = name else { return };
    if !b.in_type() {
        return;
    }
    let scope = b.container();
    let value = node.child_by_field_name("value");
    if let Some(value) = value.filter(|value| is_function(*value)) {
        let at = b.declare(
            node,
            name,
            SymbolKind::Method,
            value.child_by_field_name("body"),
        );
        shape(b, value, at);
        b.open(at);
        return;
    }
    let at = b.declare(node, name, SymbolKind::Field, None);
    let annotations = decorators(b, node);
    b.declaration(at).annotations = annotations;
    let hint = match (b.field(node, "type"), value) {
        (Some(kind), _) => Value::Type(kind),
        (None, Some(value)) => value_of(b, value),
        (None, None) => Value::Unknown,
    };
    b.bind(scope, b.of(name), hint);
}

fn parameter<'t>(b: &mut Builder<'t>, node: Node<'t>) {
    let Some(pattern) = node.child_by_field_name("pattern") else {
        return;
    };
    if pattern.kind() != "identifier" {
        return;
    }
    let name = b.of(pattern);
    let kind = b.field(node, "type");
    let hint = || kind.map_or(Value::Unknown, Value::Type);
    b.bind(b.scope(), name, hint());
    // `constructor(private a: A)` declares a field.
    if child(node, &["accessibility_modifier"]).is_some() || b.of(node).starts_with("readonly ") {
        b.bind(b.container(), name, hint());
    }
}

/// `exports.a = …`, `module.exports = …`, `A.prototype.f = function`,
/// `this.a = new A()`.
fn assignment<'t>(b: &mut Builder<'t>, node: Node<'t>) {
    let (Some(left), Some(right)) = (
        node.child_by_field_name("left"),
        node.child_by_field_name("right"),
    ) else {
        return;
    };
    let Some(path) = path_of(b, left) else { return };
    let function = is_function(right);
    if path == "module.exports" {
        exports_of(b, node, right, function);
        return;
    }
    let exported = path
        .strip_prefix("exports.")
        .or_else(|| path.strip_prefix("module.exports."));
    if let Some(name) = exported.filter(|name| !name.contains('.')) {
        let name = name.to_owned();
        if let Some(module) = required(b, right) {
            let import = b.import(node, module, ImportStyle::Dynamic, Vec::new(), None);
            b.facts.exports.push(Export {
                name,
                local: "*".to_owned(),
                import: Some(import),
            });
            return;
        }
        let local = match right.kind() {
            "identifier" => b.of(right).to_owned(),
            _ => name.clone(),
        };
        let at = left.child_by_field_name("property").unwrap_or(left);
        if function {
            let index = b.declare_as(
                node,
                at,
                name.clone(),
                SymbolKind::Function,
                right.child_by_field_name("body"),
            );
            shape(b, right, index);
            b.open(index);
        } else if right.kind() == "class" {
            let index = b.declare_as(
                node,
                at,
                name.clone(),
                SymbolKind::Class,
                right.child_by_field_name("body"),
            );
            class_shape(b, right, index);
        }
        b.facts.exports.push(Export {
            name,
            local,
            import: None,
        });
        return;
    }
    let property = left.child_by_field_name("property");
    if let Some(field) = path
        .strip_prefix("this.")
        .filter(|field| !field.contains('.'))
    {
        let scope = b.container().or_else(|| b.scope());
        if !function {
            let value = value_of(b, right);
            let known = b.facts.bindings.iter().any(|binding| {
                binding.scope == scope && binding.name == field && binding.hint != TypeHint::Unknown
            });
            if !known {
                b.bind(scope, field, value);
            }
        }
        return;
    }
    if function && let Some(property) = property {
        let (owner, name) = path.rsplit_once('.').unwrap_or(("", &path));
        let (owner, kind) = match owner.strip_suffix(".prototype") {
            Some(owner) => (owner, SymbolKind::Method),
            None => (owner, SymbolKind::Function),
        };
        let (owner, name) = (owner.to_owned(), name.to_owned());
        let at = b.declare_as(
            node,
            property,
            name,
            kind,
            right.child_by_field_name("body"),
        );
        if !owner.is_empty() && !owner.contains('.') {
            b.declaration(at).owner = Some(owner);
        }
        shape(b, right, at);
        b.open(at);
    }
}

fn strip(mut node: Node<'_>) -> Node<'_> {
    while matches!(
        node.kind(),
        "await_expression"
            | "parenthesized_expression"
            | "non_null_expression"
            | "as_expression"
            | "satisfies_expression"
    ) {
        let Some(inner) = node.named_child(0) else {
            return node;
        };
        node = inner;
    }
    node
}

fn value_of<'t>(b: &Builder<'t>, node: Node<'t>) -> Value<'t> {
    if node.kind() == "as_expression"
        && let Some(kind) = node.named_child(1)
    {
        return Value::Type(b.of(kind));
    }
    let node = strip(node);
    match node.kind() {
        "call_expression" | "new_expression" => Value::Node(node),
        "binary_expression" => node
            .child_by_field_name("right")
            .filter(|_| matches!(b.field(node, "operator"), Some("||" | "??")))
            .map_or(Value::Unknown, |right| value_of(b, right)),
        _ => path_of(b, node).map_or(Value::Unknown, Value::Path),
    }
}

fn path_of<'t>(b: &Builder<'t>, node: Node<'t>) -> Option<String> {
    let node = strip(node);
    match node.kind() {
        "identifier" | "this" | "super" => Some(b.of(node).to_owned()),
        "member_expression" => {
            let object = path_of(b, node.child_by_field_name("object")?)?;
            Some(format!("{object}.{}", b.field(node, "property")?))
        }
        _ => None,
    }
}

fn call<'t>(b: &mut Builder<'t>, node: Node<'t>) -> Option<u32> {
    let mut function = strip(node.child_by_field_name("function")?);
    let arguments = node.child_by_field_name("arguments")?;
    if function.kind() == "sequence_expression" {
        // `(0, a.b)()` of compilers
        function = function.child_by_field_name("right")?;
    }
    let first = arguments.named_child(0);
    let names_module = matches!(b.of(function), "require" | "import")
        || function.kind() == "import"
        || matches!(b.of(function), "require.resolve" | "import.meta.resolve");
    if names_module && let Some(module) = first.and_then(|first| string(b, first)) {
        // Those of a variable are there already.
        let seen = b.facts.imports.last().is_some_and(|import| {
            import.module == module
                && import.style == ImportStyle::Dynamic
                && import.span.start <= node.start_byte()
                && node.end_byte() <= import.span.end
        });
        if !seen {
            b.import(node, module, ImportStyle::Dynamic, Vec::new(), None);
        }
        return None;
    }
    let number = count(Some(arguments));
    match function.kind() {
        "identifier" => b.call(node, function, Receives::Nothing, CallKind::Plain, number),
        "super" => b.call_named(
            node,
            function,
            "constructor".to_owned(),
            Receives::Path("super".to_owned()),
            CallKind::Member,
            number,
        ),
        "member_expression" => {
            let mut name = function.child_by_field_name("property")?;
            let mut object = strip(function.child_by_field_name("object")?);
            // `f.call(this)` and `f.apply(this)` call f.
            if matches!(b.of(name), "call" | "apply") {
                match object.kind() {
                    "identifier" => {
                        return b.call(node, object, Receives::Nothing, CallKind::Plain, number);
                    }
                    "member_expression" => {
                        name = object.child_by_field_name("property")?;
                        object = strip(object.child_by_field_name("object")?);
                    }
                    _ => {}
                }
            }
            let receiver = path_of(b, object).map_or(Receives::Node(object), Receives::Path);
            b.call(node, name, receiver, CallKind::Member, number)
        }
        _ => None,
    }
}

fn construct<'t>(b: &mut Builder<'t>, node: Node<'t>) -> Option<u32> {
    let constructor = node.child_by_field_name("constructor")?;
    let number = count(node.child_by_field_name("arguments"));
    match constructor.kind() {
        "identifier" => b.call(
            node,
            constructor,
            Receives::Nothing,
            CallKind::Construct,
            number,
        ),
        "member_expression" => {
            let name = constructor.child_by_field_name("property")?;
            let object = path_of(b, constructor.child_by_field_name("object")?)?;
            b.call(
                node,
                name,
                Receives::Path(object),
                CallKind::Construct,
                number,
            )
        }
        _ => None,
    }
}
