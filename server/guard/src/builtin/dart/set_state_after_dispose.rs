use tree_sitter::Node;

use super::super::bindings::children;
use super::super::{BuiltIn, Check, DEFAULTS, FileCx, Sink};
use super::no_set_state_after_dispose::is_set_state;
use super::{LANGUAGES, after_await::unguarded_await};
use crate::Layer;

pub(in super::super) static RULE: BuiltIn = BuiltIn {
    id: "dart-setstate-after-dispose",
    layer: Layer::CodeLevel,
    languages: LANGUAGES,
    message: "This State is disposed, and `setState` is called after an `await` without a look at `mounted`.",
    fix_suggestion: "Write `if (!mounted) return;` between them.",
    why: "The user can leave the page while the program waits; then `setState` throws.",
    check: Check::Nodes {
        kinds: |_| &["call_expression"],
        visit,
    },
    page: include_str!("../../../../../docs/rules/dart-setstate-after-dispose.md"),
    ..DEFAULTS
};

fn visit<'a>(cx: &FileCx<'a>, node: Node<'a>, sink: &mut Sink) {
    let Some(callee) = node.child_by_field_name("function") else {
        return;
    };
    if !is_set_state(cx.text_of(callee)) || !in_disposed_state(cx, node) {
        return;
    }
    if let Some(awaited) = unguarded_await(cx, node) {
        sink.report(callee)
            .related(awaited, "the `await` before it");
    }
}

/// Whether the class around is a `State` with a `dispose` of its own.
fn in_disposed_state<'a>(cx: &FileCx<'a>, node: Node<'a>) -> bool {
    cx.ancestors(node)
        .find(|outer| outer.kind() == "class_declaration")
        .is_some_and(|class| {
            let is_state = class
                .child_by_field_name("superclass")
                .is_some_and(|parent| cx.text_of(parent).contains("State"));
            is_state
                && class.child_by_field_name("body").is_some_and(|body| {
                    children(body).any(|member| method_name(cx, member) == Some("dispose"))
                })
        })
}

/// The name of the method that a member of a class is.
pub(super) fn method_name<'a>(cx: &FileCx<'a>, member: Node<'a>) -> Option<&'a str> {
    let method = member
        .named_child(0)
        .filter(|child| child.kind() == "method_declaration")?;
    let signature = method.child_by_field_name("signature")?;
    let function = children(signature).find(|child| child.kind() == "function_signature")?;
    Some(cx.field_text(function, "name"))
}
