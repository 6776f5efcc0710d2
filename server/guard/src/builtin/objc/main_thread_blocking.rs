use tree_sitter::Node;

use super::super::{BuiltIn, Check, DEFAULTS, FileCx, Sink};
use super::{LANGUAGES, is_main_queue, selector};

pub(in super::super) static RULE: BuiltIn = BuiltIn {
    id: "objc-possible-main-thread-blocking",
    languages: LANGUAGES,
    category: "performance",
    message: "On the main thread this freezes the interface.",
    fix_suggestion: "Use `dispatch_after`, or wait on another queue.",
    why: "Nothing is drawn and no touch is answered until the time is over; the system ends an app that does it for long.",
    skips_tests: true,
    check: Check::Nodes {
        kinds: |_| &["call_expression"],
        visit,
    },
    page: include_str!("../../../../../docs/rules/objc-possible-main-thread-blocking.md"),
    ..DEFAULTS
};

fn visit<'a>(cx: &FileCx<'a>, node: Node<'a>, sink: &mut Sink) {
    if matches!(cx.field_text(node, "function"), "sleep" | "usleep") && !is_elsewhere(cx, node) {
        sink.report(node);
    }
}

/// Whether the nearest block around runs on another queue.
fn is_elsewhere<'a>(cx: &FileCx<'a>, node: Node<'a>) -> bool {
    let mut around = cx
        .ancestors(node)
        .skip_while(|outer| outer.kind() != "block_literal")
        .skip(1);
    let Some(parent) = around.next() else {
        return false;
    };
    match parent.kind() {
        "argument_list" => around.next().is_some_and(|call| {
            cx.field_text(call, "function").starts_with("dispatch_")
                && parent
                    .named_child(0)
                    .is_some_and(|queue| !is_main_queue(cx, queue))
        }),
        "message_expression" => {
            let name = selector(cx, parent).first().map_or("", |(name, _)| *name);
            match name {
                "addOperationWithBlock" | "addExecutionBlock" => {
                    !cx.field_text(parent, "receiver").contains("mainQueue")
                }
                "detachNewThreadWithBlock" | "initWithBlock" => true,
                _ => false,
            }
        }
        _ => false,
    }
}
