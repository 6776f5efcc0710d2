use asd_text::Span;
use tree_sitter::Node;

use super::super::bindings::span_of;
use super::super::{BuiltIn, Check, DEFAULTS, FileCx, Sink};
use super::{LANGUAGES, in_test, method_call, no_unwrap::in_macro};
use crate::Layer;

pub(in super::super) static RULE: BuiltIn = BuiltIn {
    id: "rust-excessive-unwrap",
    layer: Layer::CodeLevel,
    languages: LANGUAGES,
    message: "This file unwraps many values.",
    fix_suggestion: "Let the functions return a Result.",
    why: "Where unwrapping is the habit, errors have no way out.",
    threshold: Some(3),
    skips_tests: true,
    check: Check::Count {
        kinds: |_| &["call_expression", "identifier"],
        visit,
        finish,
    },
    page: include_str!("../../../../../docs/rules/rust-excessive-unwrap.md"),
    ..DEFAULTS
};

fn visit<'a>(cx: &FileCx<'a>, node: Node<'a>, counted: &mut Vec<Span>) {
    let span = if node.kind() == "identifier" {
        in_macro(cx, node)
    } else {
        method_call(cx, node, "unwrap")
            .filter(|(_, arguments)| arguments.is_empty())
            .map(|_| span_of(node))
    };
    if let Some(span) = span
        && !in_test(cx, node)
    {
        counted.push(span);
    }
}

fn finish(_: &FileCx<'_>, counted: &[Span], sink: &mut Sink) {
    let allowed = sink.threshold();
    if let Some(over) = counted.get(allowed as usize) {
        sink.report(*over).message(format!(
            "This file calls `unwrap` {} times; {allowed} are allowed.",
            counted.len()
        ));
    }
}
