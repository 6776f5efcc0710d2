use asd_recipe::Severity;
use asd_text::Span;
use tree_sitter::Node;

use super::super::bindings::{children, span_of};
use super::super::{BuiltIn, Check, DEFAULTS, FileCx, Sink};
use super::{LANGUAGES, in_test, method_call};

pub(in super::super) static RULE: BuiltIn = BuiltIn {
    id: "rust-clone-overuse",
    severity: Severity::Info,
    languages: LANGUAGES,
    category: "performance",
    message: "This function clones many values.",
    fix_suggestion: "Borrow, or move the value when it is not needed any more.",
    why: "Each clone may allocate, and often stands for an owner that was not thought about.",
    threshold: Some(3),
    skips_tests: true,
    check: Check::Nodes {
        kinds: |_| &["function_item"],
        visit,
    },
    page: include_str!("../../../../../docs/rules/rust-clone-overuse.md"),
    ..DEFAULTS
};

fn visit<'a>(cx: &FileCx<'a>, node: Node<'a>, sink: &mut Sink) {
    let Some(body) = node.child_by_field_name("body") else {
        return;
    };
    // Most functions have none, and need no walk.
    if cx.text_of(body).matches(".clone()").count() <= sink.threshold() as usize {
        return;
    }
    let clones = collect(cx, body);
    let allowed = sink.threshold();
    if let Some(over) = clones.get(allowed as usize)
        && !in_test(cx, node)
    {
        sink.report(*over).message(format!(
            "`{}` clones {} times; {allowed} are allowed.",
            cx.field_text(node, "name"),
            clones.len()
        ));
    }
}

fn collect<'a>(cx: &FileCx<'a>, body: Node<'a>) -> Vec<Span> {
    let mut clones = Vec::new();
    let mut open = vec![body];
    while let Some(node) = open.pop() {
        if node.kind() == "call_expression"
            && method_call(cx, node, "clone").is_some_and(|(_, arguments)| arguments.is_empty())
            && !feeds_a_closure(node)
        {
            clones.push(span_of(node));
        }
        open.extend(children(node).filter(|child| child.kind() != "function_item"));
    }
    clones.sort_by_key(|span| (span.end, span.start));
    clones
}

/// `let tx = tx.clone(); move || …`: a handle that a `move` closure takes.
fn feeds_a_closure(clone: Node<'_>) -> bool {
    let Some(declaration) = clone
        .parent()
        .filter(|parent| parent.kind() == "let_declaration")
    else {
        return false;
    };
    std::iter::successors(declaration.next_named_sibling(), Node::next_named_sibling)
        .find(|next| next.kind() != "let_declaration")
        .is_some_and(|next| is_move_closure(next, 3))
}

fn is_move_closure(node: Node<'_>, depth: u8) -> bool {
    let is_move = node
        .child(0)
        .is_some_and(|first| first.kind() == "move" || node.kind() == "async_block");
    matches!(node.kind(), "closure_expression" | "async_block") && is_move
        || depth > 0 && children(node).any(|child| is_move_closure(child, depth - 1))
}
