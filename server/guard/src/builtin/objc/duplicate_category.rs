use tree_sitter::Node;

use super::super::{BuiltIn, Check, DEFAULTS, FileCx, Sink};
use super::{LANGUAGES, children};
use crate::Layer;

pub(in super::super) static RULE: BuiltIn = BuiltIn {
    id: "objc-duplicate-category",
    layer: Layer::CodeLevel,
    languages: LANGUAGES,
    message: "The category is declared twice in this file.",
    fix_suggestion: "Join the two, or give one another name.",
    why: "When both define a method, which one runs is a matter of chance.",
    check: Check::Nodes {
        kinds: |_| &["class_interface"],
        visit,
    },
    page: include_str!("../../../../../docs/rules/objc-duplicate-category.md"),
    ..DEFAULTS
};

fn visit<'a>(cx: &FileCx<'a>, node: Node<'a>, sink: &mut Sink) {
    let Some(key) = key(cx, node) else { return };
    let first = std::iter::successors(node.prev_named_sibling(), Node::prev_named_sibling)
        .filter(|item| item.kind() == "class_interface")
        .filter(|item| self::key(cx, *item) == Some(key))
        .last();
    if let (Some(first), Some(category)) = (first, node.child_by_field_name("category")) {
        sink.report(category)
            .message(format!(
                "`{}({})` is declared twice in this file.",
                key.0, key.1
            ))
            .related(
                first.child_by_field_name("category").unwrap_or(first),
                "the first declaration",
            );
    }
}

/// Class and category; `None` for a class or an extension.
fn key<'a>(cx: &FileCx<'a>, interface: Node<'a>) -> Option<(&'a str, &'a str)> {
    let category = interface.child_by_field_name("category")?;
    let class = children(interface).find(|child| child.kind() == "identifier")?;
    Some((cx.text_of(class), cx.text_of(category)))
}
