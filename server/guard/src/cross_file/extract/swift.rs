//! Members of Swift extensions and classes.

use tree_sitter::Node;

use super::{FileFacts, at, plain};
use crate::builtin::children;
use crate::cross_file::facts::{Class, Member};

pub(super) fn read(facts: &mut FileFacts, text: &str, root: Node<'_>) {
    let mut conditions = Conditions::default();
    for item in children(root) {
        if item.kind() == "directive" {
            conditions.take(&text[item.byte_range()]);
            continue;
        }
        if item.kind() != "class_declaration" {
            continue;
        }
        let Some(name) = item.child_by_field_name("name") else {
            continue;
        };
        let kind = item.child_by_field_name("declaration_kind");
        match kind.map(|kind| &text[kind.byte_range()]) {
            // A type of that name that only this file can see.
            Some("extension") if has_private_type(root, text, &text[name.byte_range()]) => {}
            Some("extension") => extension(facts, text, item, name, &mut conditions),
            Some("class") => facts.classes.push(Class {
                name: text[name.byte_range()].into(),
                superclass: children(item)
                    .find(|child| child.kind() == "inheritance_specifier")
                    .and_then(|specifier| specifier.named_child(0))
                    .map(|class| plain(&text[class.byte_range()])),
                at: at(name),
            }),
            _ => {}
        }
    }
}

fn has_private_type(root: Node<'_>, text: &str, name: &str) -> bool {
    children(root)
        .filter(|item| item.kind() == "class_declaration" && is_private(*item, text))
        .any(|item| {
            item.child_by_field_name("name")
                .is_some_and(|own| &text[own.byte_range()] == name)
        })
}

/// The `#if` around a place, outermost first.
#[derive(Default)]
struct Conditions(Vec<String>);

impl Conditions {
    fn take(&mut self, directive: &str) {
        let directive = squeezed(directive);
        if directive.starts_with("#if") {
            self.0.push(directive);
        } else if directive.starts_with("#else") {
            // The branches of one `#if` exclude each other.
            if let Some(last) = self.0.last_mut() {
                last.push_str(&directive);
            }
        } else if directive.starts_with("#endif") {
            self.0.pop();
        }
    }
}

fn extension(
    facts: &mut FileFacts,
    text: &str,
    item: Node<'_>,
    name: Node<'_>,
    conditions: &mut Conditions,
) {
    let Some(body) = item.child_by_field_name("body") else {
        return;
    };
    let depth = conditions.0.len();
    if is_private(item, text) {
        return;
    }
    let of = squeezed(&text[name.byte_range()]);
    let constraint = children(item)
        .find(|child| child.kind() == "type_constraints")
        .map(|constraint| squeezed(&text[constraint.byte_range()]))
        .unwrap_or_default();
    for member in children(body) {
        if member.kind() == "directive" {
            conditions.take(&text[member.byte_range()]);
            continue;
        }
        if is_private(member, text) {
            continue;
        }
        for (signature, name) in signatures(member, text) {
            facts.members.push(Member {
                of: of.as_str().into(),
                condition: format!("{constraint}{}", conditions.0.concat()).into(),
                signature: signature.into(),
                at: at(name),
            });
        }
    }
    conditions.0.truncate(depth);
}

/// Whether other files cannot see a declaration, or it gives way to another.
fn is_private(node: Node<'_>, text: &str) -> bool {
    children(node)
        .filter(|child| child.kind() == "modifiers")
        .flat_map(children)
        .any(|modifier| {
            let word = &text[modifier.byte_range()];
            matches!(word, "private" | "fileprivate") || word.starts_with("@_disfavoredOverload")
        })
}

fn is_static(node: Node<'_>, text: &str) -> bool {
    children(node)
        .filter(|child| child.kind() == "modifiers")
        .flat_map(children)
        .any(|modifier| matches!(&text[modifier.byte_range()], "static" | "class"))
}

/// What tells a member from others, with the node that names it; a `var` may
/// declare several.
fn signatures<'a>(member: Node<'a>, text: &str) -> Vec<(String, Node<'a>)> {
    let prefix = if is_static(member, text) {
        "static "
    } else {
        ""
    };
    let name = member.child_by_field_name("name");
    let word = |node: Node<'_>| squeezed(&text[node.byte_range()]);
    match member.kind() {
        "function_declaration" => name
            .map(|name| {
                (
                    format!("{prefix}func {}{}", word(name), call(member, text)),
                    name,
                )
            })
            .into_iter()
            .collect(),
        "init_declaration" => {
            let keyword = member.child_by_field_name("name").or(member.child(0));
            keyword
                .map(|keyword| (format!("init{}", call(member, text)), keyword))
                .into_iter()
                .collect()
        }
        "subscript_declaration" => member
            .child(0)
            .map(|keyword| (format!("{prefix}subscript{}", call(member, text)), keyword))
            .into_iter()
            .collect(),
        "property_declaration" => {
            let type_ = children(member)
                .find(|child| child.kind() == "type_annotation")
                .map(word)
                .unwrap_or_default();
            children(member)
                .filter(|child| child.kind() == "pattern")
                .map(|name| (format!("{prefix}var {}{type_}", word(name)), name))
                .collect()
        }
        "class_declaration" | "typealias_declaration" => name
            .filter(|name| name.kind() == "type_identifier")
            .map(|name| (format!("type {}", word(name)), name))
            .into_iter()
            .collect(),
        _ => Vec::new(),
    }
}

/// Parameters, result and constraints of a function, initialiser or subscript.
fn call(member: Node<'_>, text: &str) -> String {
    let mut signature = String::new();
    let mut cursor = member.walk();
    // The value that follows `=` is no part of the type.
    let mut is_default = false;
    let mut is_open = false;
    for child in member.children(&mut cursor) {
        let source = &text[child.byte_range()];
        match child.kind() {
            "type_parameters" => signature.push_str(&squeezed(source)),
            "(" => {
                is_open = true;
                signature.push('(');
            }
            ")" => {
                is_open = false;
                signature.push(')');
            }
            "," => is_default = false,
            "=" => is_default = true,
            "parameter" => signature.push_str(&parameter(child, text)),
            "async" => signature.push_str("async"),
            "->" => signature.push_str("->"),
            "type_constraints" => signature.push_str(&squeezed(source)),
            "function_body" | "computed_property" | "computed_value" => break,
            "..." => signature.push_str("..."),
            _ if !is_open && !is_default && signature.ends_with("->") => {
                signature.push_str(&squeezed(source));
            }
            _ => {}
        }
    }
    signature
}

/// The label and the type of a parameter.
fn parameter(node: Node<'_>, text: &str) -> String {
    let source = &text[node.byte_range()];
    let Some((names, type_)) = source.split_once(':') else {
        return squeezed(source);
    };
    let label = names.split_whitespace().next().unwrap_or_default();
    // In a subscript and before a default value there may be more.
    let type_ = type_.split('=').next().unwrap_or(type_);
    format!("{label}:{};", squeezed(type_))
}

fn squeezed(text: &str) -> String {
    let mut result = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        // Words stay apart, signs need no room around them.
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        if result.ends_with(is_word) && word.starts_with(is_word) {
            result.push(' ');
        }
        result.push_str(word);
    }
    result
}
