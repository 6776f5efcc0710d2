use tree_sitter::Node;

use super::super::bindings::children;
use super::super::{BuiltIn, Check, DEFAULTS, FileCx, Sink};
use super::{LANGUAGES, annotations, imported};
use crate::Layer;

pub(in super::super) static RULE: BuiltIn = BuiltIn {
    id: "kotlin-run-blocking",
    layer: Layer::CodeLevel,
    languages: LANGUAGES,
    message: "`runBlocking` blocks the thread until the coroutine is done.",
    fix_suggestion: "Make the function `suspend`, or launch in a scope.",
    why: "On the main thread the interface freezes; in a coroutine it can wait for itself for ever.",
    skips_tests: true,
    check: Check::Nodes {
        kinds: |_| &["call_expression"],
        visit,
    },
    page: include_str!("../../../../../docs/rules/kotlin-run-blocking.md"),
    ..DEFAULTS
};

fn visit<'a>(cx: &FileCx<'a>, node: Node<'a>, sink: &mut Sink) {
    let Some(callee) = node.named_child(0) else {
        return;
    };
    let is_it = match callee.kind() {
        "simple_identifier" => matches!(
            imported(cx, callee),
            Some("runBlocking" | "kotlinx.coroutines.runBlocking")
        ),
        "navigation_expression" => cx.text_of(callee) == "kotlinx.coroutines.runBlocking",
        _ => false,
    };
    if is_it && !cx.ancestors(node).any(|outer| is_entry_or_test(cx, outer)) {
        sink.report(callee);
    }
}

/// `fun main`, or a test method.
fn is_entry_or_test<'a>(cx: &FileCx<'a>, function: Node<'a>) -> bool {
    function.kind() == "function_declaration"
        && (children(function)
            .find(|child| child.kind() == "simple_identifier")
            .is_some_and(|name| cx.text_of(name) == "main")
            || annotations(cx, function).any(|annotation| annotation.contains("Test")))
}
