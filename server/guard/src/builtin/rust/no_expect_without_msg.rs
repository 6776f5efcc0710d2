use asd_recipe::Severity;
use tree_sitter::Node;

use super::super::bindings::span_of;
use super::super::{BuiltIn, Check, DEFAULTS, FileCx, Sink};
use super::{LANGUAGES, method_call};

pub(in super::super) static RULE: BuiltIn = BuiltIn {
    id: "rust-no-expect-without-msg",
    severity: Severity::Info,
    languages: LANGUAGES,
    category: "style",
    message: "`expect` has no message.",
    fix_suggestion: "Say why the value is there.",
    why: "The message is all that the person sees who reads the crash.",
    check: Check::Nodes {
        kinds: |_| &["call_expression"],
        visit,
    },
    page: include_str!("../../../../../docs/rules/rust-no-expect-without-msg.md"),
    ..DEFAULTS
};

fn visit<'a>(cx: &FileCx<'a>, node: Node<'a>, sink: &mut Sink) {
    let Some((_, arguments)) = method_call(cx, node, "expect") else {
        return;
    };
    let [message] = arguments.as_slice() else {
        return;
    };
    let text = cx.text_of(*message);
    let blank = match message.kind() {
        "string_literal" => text.trim_matches('"').trim().is_empty(),
        "raw_string_literal" => text
            .trim_start_matches('r')
            .trim_matches('#')
            .trim_matches('"')
            .trim()
            .is_empty(),
        _ => false,
    };
    if blank {
        // The method and its argument: the receiver may be long.
        let start = node
            .child_by_field_name("function")
            .and_then(|callee| callee.child_by_field_name("field"))
            .map_or(node.start_byte(), |field| field.start_byte());
        sink.report(asd_text::Span::new(start, span_of(node).end));
    }
}
