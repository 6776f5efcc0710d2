use asd_recipe::Severity;
use asd_syntax::Language;
use asd_text::Span;
use tree_sitter::Node;

use super::super::bindings::{children, fields, span_of};
use super::super::{BuiltIn, Check, DEFAULTS, FileCx, Sink};
use crate::Layer;

pub(in super::super) static RULE: BuiltIn = BuiltIn {
    id: "ast_singleton_abuse",
    layer: Layer::Ast,
    severity: Severity::Info,
    languages: &[
        "objc",
        "swift",
        "javascript",
        "typescript",
        "java",
        "kotlin",
        "dart",
        "rust",
    ],
    category: "maintainability",
    message: "This file has many singletons.",
    fix_suggestion: "Pass the objects to those who need them.",
    why: "Everyone can reach and change them, and tests cannot replace them.",
    threshold: Some(2),
    check: Check::Count {
        kinds: |language| match language {
            Language::Swift => &["property_declaration"],
            Language::Objc => &["method_definition"],
            Language::Java => &["method_declaration"],
            Language::Kotlin => &["object_declaration"],
            Language::Dart => &["declaration"],
            Language::Rust => &["static_item"],
            _ => &["method_definition"],
        },
        visit,
        finish,
    },
    page: include_str!("../../../../../docs/rules/ast_singleton_abuse.md"),
    ..DEFAULTS
};

/// The names under which the one object is reached.
const NAMES: &[&str] = &[
    "shared",
    "sharedInstance",
    "instance",
    "_instance",
    "default",
    "getInstance",
    "current",
];

fn visit<'a>(cx: &FileCx<'a>, node: Node<'a>, counted: &mut Vec<Span>) {
    if let Some(name) = singleton(cx, node) {
        counted.push(span_of(name));
    }
}

/// The name of the singleton that a declaration makes.
fn singleton<'a>(cx: &FileCx<'a>, node: Node<'a>) -> Option<Node<'a>> {
    let has = |kind: &str| {
        children(node)
            .filter(|child| child.kind() == "modifiers")
            .any(|modifiers| {
                cx.text_of(modifiers)
                    .split_whitespace()
                    .any(|word| word == kind)
            })
    };
    let named = |name: Node<'a>| NAMES.contains(&cx.text_of(name)).then_some(name);
    match cx.language {
        Language::Swift => {
            let name = node.child_by_field_name("name")?;
            let constant = children(node).any(|child| {
                child.kind() == "value_binding_pattern" && cx.text_of(child).starts_with("let")
            });
            node.child_by_field_name("value")?;
            (constant && has("static")).then_some(())?;
            named(name)
        }
        Language::Java => {
            has("static").then_some(())?;
            named(node.child_by_field_name("name")?)
        }
        Language::Kotlin => {
            // The cases of a sealed hierarchy are values, not services.
            let is_case = children(node).any(|child| child.kind() == "delegation_specifier");
            (!is_case).then_some(())?;
            children(node).find(|child| child.kind() == "type_identifier")
        }
        Language::Dart => {
            let mut cursor = node.walk();
            let is_static = node
                .children(&mut cursor)
                .any(|child| child.kind() == "static");
            is_static.then_some(())?;
            children(node)
                .filter(|child| child.kind().ends_with("_list"))
                .flat_map(children)
                .filter_map(|variable| fields(variable, "name").next())
                .find_map(named)
        }
        Language::Rust => {
            // One in a function is its own business.
            cx.ancestors(node)
                .all(|outer| outer.kind() != "function_item")
                .then_some(())?;
            let kind = cx.field_text(node, "type");
            let kind = kind.rsplit("::").next().unwrap_or(kind);
            ["OnceLock<", "OnceCell<", "LazyLock<", "Lazy<"]
                .iter()
                .any(|lazy| kind.starts_with(lazy))
                .then(|| node.child_by_field_name("name"))?
        }
        Language::Objc => {
            let text = cx.text_of(node);
            (text.starts_with('+') && text.contains("dispatch_once(")).then_some(())?;
            // What is made once must be an object that the method gives.
            let result = children(node).find(|child| child.kind() == "method_type")?;
            let result = cx.text_of(result).trim_matches(['(', ')', ' ']);
            (result == "id" || result == "instancetype" || result.ends_with('*')).then_some(())?;
            children(node).find(|child| child.kind() == "identifier")
        }
        _ => {
            let mut cursor = node.walk();
            let is_static = node
                .children(&mut cursor)
                .any(|child| child.kind() == "static");
            is_static.then_some(())?;
            named(node.child_by_field_name("name")?)
        }
    }
}

fn finish(_: &FileCx<'_>, counted: &[Span], sink: &mut Sink) {
    let allowed = sink.threshold();
    if let Some(over) = counted.get(allowed as usize) {
        let first = counted[0];
        sink.report(*over)
            .message(format!(
                "This file has {} singletons; {allowed} are allowed.",
                counted.len()
            ))
            .related(first, "the first of them");
    }
}
