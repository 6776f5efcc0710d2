use tree_sitter::Node;

use super::super::bindings::span_of;
use super::super::{BuiltIn, Check, DEFAULTS, FileCx, Sink};
use super::{LANGUAGES, in_test, macro_in_macro, macro_name};

pub(in super::super) static RULE: BuiltIn = BuiltIn {
    id: "rust-no-todo-macro",
    languages: LANGUAGES,
    message: "This part is not written yet and panics.",
    fix_suggestion: "Write it, or return an error.",
    why: "Whoever gets here gets a crash.",
    skips_tests: true,
    check: Check::Nodes {
        kinds: |_| &["macro_invocation", "identifier"],
        visit,
    },
    page: include_str!("../../../../../docs/rules/rust-no-todo-macro.md"),
    ..DEFAULTS
};

const NAMES: &[&str] = &["todo", "unimplemented"];

fn visit<'a>(cx: &FileCx<'a>, node: Node<'a>, sink: &mut Sink) {
    let (name, span) = match node.kind() {
        "identifier" => match macro_in_macro(cx, node, NAMES) {
            Some(span) => (cx.text_of(node), span),
            None => return,
        },
        _ => (macro_name(cx, node), span_of(node)),
    };
    if NAMES.contains(&name) && !in_test(cx, node) {
        sink.report(span)
            .message(format!("`{name}!` panics: this part is not written yet."));
    }
}
