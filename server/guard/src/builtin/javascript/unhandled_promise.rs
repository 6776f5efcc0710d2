use tree_sitter::Node;

use super::super::{BuiltIn, Check, DEFAULTS, FileCx, Sink};
use super::{LANGUAGES, arguments, callee, member, unwrapped};
use crate::Layer;

pub(in super::super) static RULE: BuiltIn = BuiltIn {
    id: "js-unhandled-promise",
    layer: Layer::CodeLevel,
    languages: LANGUAGES,
    category: "correctness",
    message: "Nobody handles it when this promise is rejected.",
    fix_suggestion: "Await or return the chain, or end it with `.catch(…)`.",
    why: "A rejection without a handler is lost in a browser and ends a Node process.",
    check: Check::Nodes {
        kinds: |_| &["expression_statement"],
        visit,
    },
    page: include_str!("../../../../../docs/rules/js-unhandled-promise.md"),
    ..DEFAULTS
};

fn visit<'a>(cx: &FileCx<'a>, node: Node<'a>, sink: &mut Sink) {
    if let Some(expression) = node.named_child(0) {
        dropped(cx, expression, sink);
    }
}

/// Reports every chain whose value an expression statement drops.
fn dropped<'a>(cx: &FileCx<'a>, node: Node<'a>, sink: &mut Sink) {
    let node = unwrapped(node);
    match node.kind() {
        "call_expression" if is_unhandled(cx, node) => {
            sink.report(first_call(cx, node));
        }
        "binary_expression" if matches!(cx.field_text(node, "operator"), "&&" | "||" | "??") => {
            if let Some(right) = node.child_by_field_name("right") {
                dropped(cx, right, sink);
            }
        }
        "ternary_expression" => {
            for branch in ["consequence", "alternative"] {
                if let Some(branch) = node.child_by_field_name(branch) {
                    dropped(cx, branch, sink);
                }
            }
        }
        _ => {}
    }
}

/// The call that a chain starts with: what makes the promise.
fn first_call<'a>(cx: &FileCx<'a>, call: Node<'a>) -> Node<'a> {
    let mut first = call;
    while let Some((object, _)) = callee(first)
        .map(unwrapped)
        .and_then(|callee| member(cx, callee))
        && let object = unwrapped(object)
        && object.kind() == "call_expression"
    {
        first = object;
    }
    first
}

fn is_unhandled<'a>(cx: &FileCx<'a>, call: Node<'a>) -> bool {
    let Some((object, method)) = callee(call)
        .map(unwrapped)
        .and_then(|callee| member(cx, callee))
    else {
        return false;
    };
    let object = unwrapped(object);
    match method {
        "then" => {
            let handlers = arguments(call);
            let handled = match handlers.as_slice() {
                // `then()` is no promise method that anyone writes.
                [] => true,
                [only] => only.kind() == "spread_element",
                [_, second, ..] => !matches!(cx.text_of(*second), "null" | "undefined"),
            };
            !handled && !is_command_queue(cx, object)
        }
        // A rejection passes through `finally`.
        "finally" => object.kind() == "call_expression" && is_unhandled(cx, object),
        _ => false,
    }
}

/// Chains of the Cypress test runner look like promises and are none.
fn is_command_queue<'a>(cx: &FileCx<'a>, mut node: Node<'a>) -> bool {
    loop {
        let inner = match node.kind() {
            "call_expression" => node.child_by_field_name("function"),
            "member_expression" | "subscript_expression" => node.child_by_field_name("object"),
            "identifier" => return cx.text_of(node) == "cy",
            _ => None,
        };
        match inner {
            Some(inner) => node = inner,
            None => return false,
        }
    }
}
