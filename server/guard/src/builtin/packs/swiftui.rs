use asd_recipe::Severity;
use asd_text::TextEdit;
use tree_sitter::Node;

use super::super::{BuiltIn, Check, DEFAULTS, FileCx, Sink, children, span_of};

const LANGUAGES: &[&str] = &["swift"];

pub(super) static OWNED_OBJECT: BuiltIn = BuiltIn {
    id: "swiftui-observed-object-owned",
    languages: LANGUAGES,
    message: "The view makes the object anew whenever it is drawn.",
    fix_suggestion: "Use `@StateObject` for an object that the view makes itself.",
    why: "What the object holds is lost when the parent view is drawn again.",
    fixable: true,
    check: Check::Nodes {
        kinds: |_| &["property_declaration"],
        visit: owned_object,
    },
    page: include_str!("../../../../../docs/rules/swiftui-observed-object-owned.md"),
    ..DEFAULTS
};

pub(super) static PRIVATE_STATE: BuiltIn = BuiltIn {
    id: "swiftui-private-state",
    languages: LANGUAGES,
    category: "style",
    message: "The state of a view can be set from outside.",
    fix_suggestion: "Make it private, or take a `@Binding`.",
    why: "A value that a parent passes is used for the first drawing only, and ignored from then on.",
    fixable: true,
    check: Check::Nodes {
        kinds: |_| &["property_declaration"],
        visit: private_state,
    },
    page: include_str!("../../../../../docs/rules/swiftui-private-state.md"),
    ..DEFAULTS
};

pub(super) static INDICES: BuiltIn = BuiltIn {
    id: "swiftui-foreach-indices",
    severity: Severity::Info,
    languages: LANGUAGES,
    message: "The rows are told apart by their places in the list.",
    fix_suggestion: "Loop over the items, by their own ids.",
    why: "When an item goes, its row keeps the state of the next one, and the last index may be out of bounds.",
    check: Check::Nodes {
        kinds: |_| &["call_expression"],
        visit: indices,
    },
    page: include_str!("../../../../../docs/rules/swiftui-foreach-indices.md"),
    ..DEFAULTS
};

/// Only files that use the framework have its attributes.
fn uses_it(cx: &FileCx<'_>) -> bool {
    cx.text.contains("import SwiftUI")
}

/// The attribute of a property by its name, with the modifiers that it stands in.
fn attribute<'a>(cx: &FileCx<'a>, property: Node<'a>, name: &str) -> Option<(Node<'a>, Node<'a>)> {
    let modifiers = children(property).find(|child| child.kind() == "modifiers")?;
    let attribute = children(modifiers)
        .filter(|child| child.kind() == "attribute")
        .find(|attribute| cx.text_of(*attribute) == name)?;
    Some((modifiers, attribute))
}

fn owned_object<'a>(cx: &FileCx<'a>, node: Node<'a>, sink: &mut Sink) {
    let Some((_, attribute)) = attribute(cx, node, "@ObservedObject") else {
        return;
    };
    let makes_it = node.child_by_field_name("value").is_some_and(|value| {
        value.kind() == "call_expression"
            && cx
                .text_of(value)
                .starts_with(|c: char| c.is_ascii_uppercase())
    });
    if makes_it && uses_it(cx) {
        sink.report(attribute).unsafe_fix(
            "Use `@StateObject`",
            vec![TextEdit::replace(span_of(attribute), "@StateObject")],
        );
    }
}

fn private_state<'a>(cx: &FileCx<'a>, node: Node<'a>, sink: &mut Sink) {
    let found = ["@State", "@StateObject"]
        .iter()
        .find_map(|name| attribute(cx, node, name));
    let Some((modifiers, attribute)) = found else {
        return;
    };
    let is_private = children(modifiers)
        .any(|modifier| matches!(cx.text_of(modifier), "private" | "fileprivate"));
    // In a preview, a playground or a function it is nobody else's anyway.
    let is_member = cx
        .parent(node)
        .is_some_and(|body| body.kind() == "class_body");
    if !is_private && is_member && uses_it(cx) {
        let end = attribute.end_byte();
        sink.report(attribute)
            .unsafe_fix("Make it private", vec![TextEdit::insert(end, " private")]);
    }
}

fn indices<'a>(cx: &FileCx<'a>, node: Node<'a>, sink: &mut Sink) {
    let is_loop = node
        .named_child(0)
        .is_some_and(|callee| cx.text_of(callee) == "ForEach");
    let list = children(node)
        .find(|child| child.kind() == "call_suffix")
        .and_then(|suffix| children(suffix).find(|child| child.kind() == "value_arguments"));
    let Some(list) = list.filter(|_| is_loop) else {
        return;
    };
    let first = children(list)
        .next()
        .and_then(|argument| argument.child_by_field_name("value"));
    let Some(first) = first else { return };
    let text: String = cx.text_of(first).split_whitespace().collect();
    let is_indices = text.ends_with(".indices")
        || text
            .strip_prefix("0..<")
            .is_some_and(|end| end.ends_with(".count"));
    if is_indices && uses_it(cx) {
        sink.report(first);
    }
}
