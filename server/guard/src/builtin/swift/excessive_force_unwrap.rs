use asd_text::Span;
use tree_sitter::Node;

use super::super::bindings::span_of;
use super::super::{BuiltIn, Check, DEFAULTS, FileCx, Sink};
use super::LANGUAGES;
use crate::Layer;

pub(in super::super) static RULE: BuiltIn = BuiltIn {
    id: "swift-excessive-force-unwrap",
    layer: Layer::CodeLevel,
    languages: LANGUAGES,
    category: "safety",
    message: "This file force-unwraps many values.",
    fix_suggestion: "Use `guard let`, `if let` or `??`.",
    why: "Each `!` is a crash that waits for a missing value.",
    threshold: Some(5),
    skips_tests: true,
    check: Check::Count {
        kinds: |_| &["postfix_expression"],
        visit,
        finish,
    },
    page: include_str!("../../../../../docs/rules/swift-excessive-force-unwrap.md"),
    ..DEFAULTS
};

fn visit<'a>(_: &FileCx<'a>, node: Node<'a>, counted: &mut Vec<Span>) {
    if node
        .child_by_field_name("operation")
        .is_some_and(|operation| operation.kind() == "bang")
    {
        counted.push(span_of(node));
    }
}

fn finish(_: &FileCx<'_>, counted: &[Span], sink: &mut Sink) {
    let mut counted = counted.to_vec();
    counted.sort_by_key(|span| span.end);
    let allowed = sink.threshold();
    if let Some(over) = counted.get(allowed as usize) {
        sink.report(*over).message(format!(
            "This file force-unwraps {} values; {allowed} are allowed.",
            counted.len()
        ));
    }
}
