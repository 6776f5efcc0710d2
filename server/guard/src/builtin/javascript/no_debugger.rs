use asd_recipe::Severity;
use asd_text::TextEdit;
use tree_sitter::Node;

use super::super::bindings::span_of;
use super::super::edits::remove_statement;
use super::super::{BuiltIn, Check, DEFAULTS, FileCx, Sink};
use super::{LANGUAGES, in_list};

pub(in super::super) static RULE: BuiltIn = BuiltIn {
    id: "js-no-debugger",
    severity: Severity::Error,
    languages: LANGUAGES,
    category: "style",
    message: "`debugger` stops the program when developer tools are open.",
    fix_suggestion: "Remove the statement; set a breakpoint in the debugger instead.",
    why: "It is left over from a debugging session and halts the page of everyone who has the tools open.",
    fixable: true,
    check: Check::Nodes {
        kinds: |_| &["debugger_statement"],
        visit,
    },
    page: include_str!("../../../../../docs/rules/js-no-debugger.md"),
    ..DEFAULTS
};

fn visit<'a>(cx: &FileCx<'a>, node: Node<'a>, sink: &mut Sink) {
    let edit = if in_list(node) {
        remove_statement(cx.text, span_of(node))
    } else {
        TextEdit::replace(span_of(node), "{}")
    };
    sink.report(node).safe_fix("Remove `debugger`", vec![edit]);
}
