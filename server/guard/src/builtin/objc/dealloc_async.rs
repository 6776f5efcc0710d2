use asd_recipe::Severity;
use tree_sitter::Node;

use super::super::{BuiltIn, Check, DEFAULTS, FileCx, Sink};
use super::{LANGUAGES, captured, enclosing_method, method_name, selector};

pub(in super::super) static RULE: BuiltIn = BuiltIn {
    id: "objc-dealloc-async",
    severity: Severity::Error,
    languages: LANGUAGES,
    message: "`self` is used after `dealloc`.",
    fix_suggestion: "Copy what is needed into a local variable, or do it earlier.",
    why: "An object that is being freed cannot be kept alive: the block or the receiver gets a dead pointer.",
    check: Check::Nodes {
        kinds: |_| &["call_expression", "message_expression"],
        visit,
    },
    page: include_str!("../../../../../docs/rules/objc-dealloc-async.md"),
    ..DEFAULTS
};

fn visit<'a>(cx: &FileCx<'a>, node: Node<'a>, sink: &mut Sink) {
    if !is_later(cx, node) {
        return;
    }
    let in_dealloc = enclosing_method(cx, node).is_some_and(|method| {
        method.kind() == "method_definition" && method_name(cx, method) == "dealloc"
    });
    if in_dealloc && let Some((name, _)) = captured(cx, node) {
        sink.report(node).related(name, "here `self` is captured");
    }
}

/// Whether a call or message lets something happen later, or elsewhere.
fn is_later<'a>(cx: &FileCx<'a>, node: Node<'a>) -> bool {
    if node.kind() == "call_expression" {
        return matches!(
            cx.field_text(node, "function"),
            "dispatch_async" | "dispatch_after"
        );
    }
    let parts = selector(cx, node);
    let Some((first, _)) = parts.first() else {
        return false;
    };
    first.starts_with("postNotification")
        || first.starts_with("performSelector")
            && parts.iter().any(|(name, _)| *name == "afterDelay")
}
