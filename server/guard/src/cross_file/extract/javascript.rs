//! Imports that are carried out when a module is loaded.

use tree_sitter::Node;

use super::{FileFacts, at};
use crate::builtin::children;
use crate::cross_file::facts::Import;

pub(super) fn read(facts: &mut FileFacts, path: &str, text: &str, root: Node<'_>) {
    // A declaration file is gone when the program runs.
    if [".d.ts", ".d.mts", ".d.cts"]
        .iter()
        .any(|end| path.ends_with(end))
    {
        return;
    }
    let has_require = memchr::memmem::find(text.as_bytes(), b"require").is_some();
    for statement in children(root) {
        match statement.kind() {
            "import_statement" | "export_statement" => {
                if !is_type_only(statement, text) {
                    let source = statement.child_by_field_name("source").or_else(|| {
                        children(statement)
                            .find(|child| child.kind() == "import_require_clause")?
                            .child_by_field_name("source")
                    });
                    add(facts, text, source);
                }
                if has_require && let Some(inner) = statement.child_by_field_name("declaration") {
                    requires(facts, text, inner);
                }
            }
            _ if has_require => requires(facts, text, statement),
            _ => {}
        }
    }
}

fn add(facts: &mut FileFacts, text: &str, source: Option<Node<'_>>) {
    let Some(source) = source else { return };
    let specifier = text[source.byte_range()].trim_matches(['"', '\'', '`']);
    // A query makes something else of a file, a colon names a scheme.
    if specifier.is_empty() || specifier.contains([':', '?', '!', '$']) {
        return;
    }
    facts.imports.push(Import {
        specifier: specifier.into(),
        at: at(source),
    });
}

/// Whether nothing is left of an import or export when types are taken away.
fn is_type_only(statement: Node<'_>, text: &str) -> bool {
    let mut words = text[statement.byte_range()].split_whitespace();
    if let (Some(_), Some(second)) = (words.next(), words.next()) {
        let second = second.split(['{', '*']).next().unwrap_or(second);
        // `import type from "./a"` imports a value that is called `type`.
        if matches!(second, "type" | "typeof") && !matches!(words.next(), Some("from" | ",")) {
            return true;
        }
    }
    let mut names = children(statement)
        .filter(|child| matches!(child.kind(), "import_clause" | "export_clause"))
        .flat_map(|clause| {
            if clause.kind() == "import_clause" {
                children(clause).collect::<Vec<_>>()
            } else {
                vec![clause]
            }
        })
        .flat_map(|item| {
            if matches!(item.kind(), "named_imports" | "export_clause") {
                children(item).collect()
            } else {
                vec![item]
            }
        })
        .filter(|item| item.kind() != "comment")
        .peekable();
    names.peek().is_some()
        && names.all(|item| {
            matches!(item.kind(), "import_specifier" | "export_specifier")
                && item
                    .child(0)
                    .is_some_and(|first| matches!(first.kind(), "type" | "typeof"))
        })
}

/// Adds the calls of `require` in a statement that are made while the module
/// loads.
fn requires(facts: &mut FileFacts, text: &str, node: Node<'_>) {
    let mut todo = vec![node];
    while let Some(node) = todo.pop() {
        match node.kind() {
            // What stands in a function waits until it is called, and what
            // stands under a condition may never be loaded.
            "function_declaration"
            | "function_expression"
            | "generator_function_declaration"
            | "generator_function"
            | "arrow_function"
            | "class_declaration"
            | "abstract_class_declaration"
            | "class"
            | "method_definition"
            | "statement_block"
            | "if_statement"
            | "ternary_expression"
            | "interface_declaration"
            | "type_alias_declaration" => continue,
            "call_expression" => {
                let callee = node.child_by_field_name("function");
                let is_require = callee.is_some_and(|callee| {
                    callee.kind() == "identifier" && &text[callee.byte_range()] == "require"
                });
                if is_require {
                    let arguments = node.child_by_field_name("arguments");
                    let mut arguments = arguments.into_iter().flat_map(children);
                    let first = arguments.next().filter(|first| first.kind() == "string");
                    add(facts, text, first);
                    continue;
                }
            }
            _ => {}
        }
        let from = todo.len();
        todo.extend(children(node));
        todo[from..].reverse();
    }
}
