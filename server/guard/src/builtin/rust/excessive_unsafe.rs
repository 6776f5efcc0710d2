use asd_text::Span;
use tree_sitter::Node;

use super::super::bindings::children;
use super::super::{BuiltIn, Check, DEFAULTS, FileCx, Sink};
use super::LANGUAGES;
use crate::Layer;

pub(in super::super) static RULE: BuiltIn = BuiltIn {
    id: "rust-excessive-unsafe",
    layer: Layer::CodeLevel,
    languages: LANGUAGES,
    category: "safety",
    message: "This file has much unsafe code.",
    fix_suggestion: "Put it behind one small safe interface.",
    why: "What has to be read with care should be in one place.",
    threshold: Some(3),
    check: Check::Count {
        kinds: |_| &["unsafe_block", "function_modifiers"],
        visit,
        finish,
    },
    page: include_str!("../../../../../docs/rules/rust-excessive-unsafe.md"),
    ..DEFAULTS
};

fn visit<'a>(cx: &FileCx<'a>, node: Node<'a>, counted: &mut Vec<Span>) {
    if node.kind() == "unsafe_block" {
        counted.push(Span::new(
            node.start_byte(),
            node.start_byte() + "unsafe".len(),
        ));
        return;
    }
    let mut cursor = node.walk();
    let keyword = node
        .children(&mut cursor)
        .find(|child| child.kind() == "unsafe");
    // A function without a body only says that it exists elsewhere.
    let has_body = cx
        .parent(node)
        .is_some_and(|function| children(function).any(|child| child.kind() == "block"));
    if let Some(keyword) = keyword
        && has_body
    {
        counted.push(Span::new(keyword.start_byte(), keyword.end_byte()));
    }
}

fn finish(_: &FileCx<'_>, counted: &[Span], sink: &mut Sink) {
    let allowed = sink.threshold();
    if let Some(over) = counted.get(allowed as usize) {
        sink.report(*over).message(format!(
            "This file has {} unsafe blocks and functions; {allowed} are allowed.",
            counted.len()
        ));
    }
}
