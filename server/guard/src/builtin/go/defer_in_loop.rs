use tree_sitter::Node;

use super::super::{BuiltIn, Check, DEFAULTS, FileCx, Sink};
use super::{LANGUAGES, is_function};
use crate::Layer;

pub(in super::super) static RULE: BuiltIn = BuiltIn {
    id: "go-defer-in-loop",
    layer: Layer::CodeLevel,
    languages: LANGUAGES,
    message: "`defer` runs when the function ends, not when the iteration does.",
    fix_suggestion: "Move the body of the loop into a function.",
    why: "Files, locks and connections of all iterations stay open until the loop is over.",
    check: Check::Nodes {
        kinds: |_| &["defer_statement"],
        visit,
    },
    page: include_str!("../../../../../docs/rules/go-defer-in-loop.md"),
    ..DEFAULTS
};

fn visit<'a>(cx: &FileCx<'a>, node: Node<'a>, sink: &mut Sink) {
    let keyword_and_call = || {
        let mut end = node.end_byte();
        // A deferred literal: its body need not be underlined.
        if let Some(body) = node
            .named_child(0)
            .and_then(|call| call.child_by_field_name("function"))
            .filter(|callee| callee.kind() == "func_literal")
            .and_then(|literal| literal.child_by_field_name("body"))
        {
            end = body.start_byte();
        }
        asd_text::Span::new(node.start_byte(), cx.text[..end].trim_end().len())
    };
    let loop_around = cx
        .ancestors(node)
        .take_while(|outer| !is_function(*outer))
        .find(|outer| outer.kind() == "for_statement");
    if let Some(around) = loop_around {
        let head = asd_text::Span::new(around.start_byte(), around.start_byte() + 3);
        sink.report(keyword_and_call()).related(head, "the loop");
    }
}
