//! What a module of JavaScript or TypeScript imports and exports.

use asd_syntax::Node;

use super::builder::{Builder, child, children, imported};
use super::ecma::{class_shape, is_function, shape};
use crate::facts::{Export, ImportStyle, SymbolKind};

/// The text of a string without its quotes.
pub(super) fn string<'t>(b: &Builder<'t>, node: Node<'t>) -> Option<&'t str> {
    let text = b.of(node);
    match node.kind() {
        "string" => text.get(1..text.len().saturating_sub(1)),
        "template_string" if !text.contains("${") => text.get(1..text.len().saturating_sub(1)),
        _ => None,
    }
}

pub(super) fn import<'t>(b: &mut Builder<'t>, node: Node<'t>) {
    let source = node.child_by_field_name("source");
    let Some(module) = source.and_then(|source| string(b, source)) else {
        // `import a = require('./a')`
        if let Some(clause) = child(node, &["import_require_clause"])
            && let Some(module) = clause
                .child_by_field_name("source")
                .and_then(|s| string(b, s))
        {
            let alias = child(clause, &["identifier"]).map(|name| b.of(name).to_owned());
            b.import(node, module, ImportStyle::Import, Vec::new(), alias);
        }
        return;
    };
    let text = b.of(node);
    let only_types = text.strip_prefix("import").is_some_and(|rest| {
        let rest = rest.trim_start();
        rest.starts_with("type ") && !rest.starts_with("type from")
    });
    let style = if only_types {
        ImportStyle::Types
    } else {
        ImportStyle::Import
    };
    let mut names = Vec::new();
    let mut alias = None;
    if let Some(clause) = child(node, &["import_clause"]) {
        for part in children(clause) {
            match part.kind() {
                "identifier" => names.push(imported("default", b.of(part))),
                "namespace_import" => {
                    alias = child(part, &["identifier"]).map(|name| b.of(name).to_owned());
                }
                "named_imports" => {
                    for one in children(part).filter(|part| part.kind() == "import_specifier") {
                        if let Some(name) = b.field(one, "name") {
                            let name = name.trim_matches(['"', '\'']);
                            names.push(imported(name, b.field(one, "alias").unwrap_or(name)));
                        }
                    }
                }
                _ => {}
            }
        }
    }
    b.import(node, module, style, names, alias);
}

pub(super) fn export<'t>(b: &mut Builder<'t>, node: Node<'t>) {
    let module = node
        .child_by_field_name("source")
        .and_then(|source| string(b, source));
    let import =
        module.map(|module| b.import(node, module, ImportStyle::Reexport, Vec::new(), None));
    let mut push = |name: &str, local: &str| {
        b.facts.exports.push(Export {
            name: name.to_owned(),
            local: local.to_owned(),
            import,
        });
    };
    let clause = child(node, &["export_clause", "namespace_export"]);
    let text = &b.text[node.byte_range()];
    match clause {
        Some(clause) if clause.kind() == "namespace_export" => {
            if let Some(name) = clause.named_child(0) {
                push(&b.text[name.byte_range()], "*");
            }
        }
        Some(clause) => {
            for one in children(clause).filter(|part| part.kind() == "export_specifier") {
                let get = |field| {
                    one.child_by_field_name(field)
                        .map(|n| b.text[n.byte_range()].trim_matches(['"', '\'']))
                };
                if let Some(name) = get("name") {
                    let shown = get("alias").unwrap_or(name);
                    b.facts.exports.push(Export {
                        name: shown.to_owned(),
                        local: name.to_owned(),
                        import,
                    });
                }
            }
        }
        None if import.is_some() => push("*", "*"),
        None => {
            let declared = node.child_by_field_name("declaration");
            let is_default = text
                .strip_prefix("export")
                .is_some_and(|rest| rest.trim_start().starts_with("default"));
            if let Some(name) = declared.and_then(|declared| declared.child_by_field_name("name")) {
                if is_default {
                    push("default", &b.text[name.byte_range()]);
                }
            } else if let Some(value) = node.child_by_field_name("value") {
                if value.kind() == "identifier" {
                    push("default", &b.text[value.byte_range()]);
                } else if is_function(value) || value.kind() == "class" {
                    anonymous(b, node, value, "default");
                    b.facts.exports.push(Export {
                        name: "default".to_owned(),
                        local: "default".to_owned(),
                        import: None,
                    });
                }
            } else if is_default
                && let Some(value) = child(node, &["function_declaration", "class_declaration"])
            {
                anonymous(b, node, value, "default");
                b.facts.exports.push(Export {
                    name: "default".to_owned(),
                    local: "default".to_owned(),
                    import: None,
                });
            }
        }
    }
}

/// A function or class without a name of its own that is known under `name`.
pub(super) fn anonymous<'t>(b: &mut Builder<'t>, node: Node<'t>, value: Node<'t>, name: &str) {
    let body = value.child_by_field_name("body");
    if value.kind().starts_with("class") {
        let at = b.declare_as(node, value, name.to_owned(), SymbolKind::Class, body);
        class_shape(b, value, at);
    } else {
        let at = b.declare_as(node, value, name.to_owned(), SymbolKind::Function, body);
        shape(b, value, at);
        b.open(at);
    }
}

/// The module of `require('…')`, also of `require('…').name`.
pub(super) fn required<'t>(b: &Builder<'t>, node: Node<'t>) -> Option<&'t str> {
    match node.kind() {
        "call_expression" if b.field(node, "function") == Some("require") => {
            string(b, node.child_by_field_name("arguments")?.named_child(0)?)
        }
        "call_expression" if is_interop(b.field(node, "function")?) => {
            required(b, node.child_by_field_name("arguments")?.named_child(0)?)
        }
        "member_expression" => required(b, node.child_by_field_name("object")?),
        "await_expression" => {
            let call = node.named_child(0)?;
            (call.kind() == "call_expression" && b.field(call, "function") == Some("import"))
                .then(|| string(b, call.child_by_field_name("arguments")?.named_child(0)?))?
        }
        _ => None,
    }
}

/// Functions of compilers around `require`.
fn is_interop(function: &str) -> bool {
    matches!(
        function,
        "__importDefault" | "__importStar" | "_interopRequireDefault" | "_interopRequireWildcard"
    )
}

pub(super) fn require<'t>(b: &mut Builder<'t>, node: Node<'t>, name: Node<'t>, module: &str) {
    let value = node.child_by_field_name("value");
    let property = value
        .filter(|value| value.kind() == "member_expression")
        .and_then(|value| b.field(value, "property"));
    let mut names = Vec::new();
    let mut alias = None;
    if name.kind() == "identifier" {
        match property {
            Some(property) => names.push(imported(property, b.of(name))),
            None => alias = Some(b.of(name).to_owned()),
        }
    } else if property.is_none() {
        for part in children(name) {
            match part.kind() {
                "shorthand_property_identifier_pattern" => {
                    names.push(imported(b.of(part), b.of(part)));
                }
                "pair_pattern" => {
                    if let (Some(key), Some(local)) = (b.field(part, "key"), b.field(part, "value"))
                    {
                        names.push(imported(key, local));
                    }
                }
                _ => {}
            }
        }
    }
    b.import(node, module, ImportStyle::Dynamic, names, alias);
}

pub(super) fn exports_of<'t>(b: &mut Builder<'t>, node: Node<'t>, right: Node<'t>, function: bool) {
    let mut push = |name: &str, local: &str, import| {
        b.facts.exports.push(Export {
            name: name.to_owned(),
            local: local.to_owned(),
            import,
        });
    };
    match right.kind() {
        "identifier" => push("=", &b.text[right.byte_range()], None),
        "object" => {
            for part in children(right) {
                match part.kind() {
                    "shorthand_property_identifier" => {
                        let name = &b.text[part.byte_range()];
                        push(name, name, None);
                    }
                    "pair" => {
                        let get = |field| part.child_by_field_name(field);
                        if let (Some(key), Some(value)) = (get("key"), get("value")) {
                            let key = b.text[key.byte_range()].trim_matches(['"', '\'']);
                            let value = match value.kind() {
                                "identifier" => &b.text[value.byte_range()],
                                _ => key,
                            };
                            push(key, value, None);
                        }
                    }
                    "method_definition" => {
                        if let Some(name) = part.child_by_field_name("name") {
                            let name = &b.text[name.byte_range()];
                            push(name, name, None);
                        }
                    }
                    _ => {}
                }
            }
        }
        _ if function || right.kind() == "class" => {
            let name = right
                .child_by_field_name("name")
                .map_or("exports", |name| &b.text[name.byte_range()]);
            push("=", name, None);
            anonymous(b, node, right, name);
        }
        _ => {
            if let Some(module) = required(b, right) {
                let import = b.import(node, module, ImportStyle::Dynamic, Vec::new(), None);
                b.facts.exports.push(Export {
                    name: "*".to_owned(),
                    local: "*".to_owned(),
                    import: Some(import),
                });
            }
        }
    }
}
