use asd_recipe::Severity;
use tree_sitter::Node;

use super::super::bindings::children;
use super::super::{BuiltIn, Check, DEFAULTS, FileCx, Sink};
use super::{LANGUAGES, annotations, imported};
use crate::Layer;

pub(in super::super) static RULE: BuiltIn = BuiltIn {
    id: "kotlin-global-scope",
    layer: Layer::CodeLevel,
    languages: LANGUAGES,
    message: "A coroutine in `GlobalScope` belongs to nobody.",
    fix_suggestion: "Launch it in a scope that ends with its owner.",
    why: "Nothing cancels it and nothing waits for it; it leaks what it holds, and its failure is lost.",
    check: Check::Nodes {
        kinds: |_| &["call_expression"],
        visit,
    },
    page: include_str!("../../../../../docs/rules/kotlin-global-scope.md"),
    ..DEFAULTS
};

fn visit<'a>(cx: &FileCx<'a>, node: Node<'a>, sink: &mut Sink) {
    let Some(callee) = node
        .named_child(0)
        .filter(|callee| callee.kind() == "navigation_expression")
    else {
        return;
    };
    let mut parts = children(callee);
    let (Some(receiver), Some(method)) = (parts.next(), parts.last()) else {
        return;
    };
    let method = cx.text_of(method).trim_start_matches(['.', '?']).trim();
    if !matches!(method, "launch" | "async") || !is_global_scope(cx, receiver) {
        return;
    }
    let accepted = cx.ancestors(node).any(|outer| {
        annotations(cx, outer).any(|annotation| annotation.contains("DelicateCoroutinesApi"))
    });
    let found = sink.report(callee);
    if accepted {
        found.severity(Severity::Info);
    }
}

fn is_global_scope<'a>(cx: &FileCx<'a>, receiver: Node<'a>) -> bool {
    match receiver.kind() {
        "simple_identifier" => matches!(
            imported(cx, receiver),
            Some("GlobalScope" | "kotlinx.coroutines.GlobalScope")
        ),
        _ => cx.text_of(receiver) == "kotlinx.coroutines.GlobalScope",
    }
}
