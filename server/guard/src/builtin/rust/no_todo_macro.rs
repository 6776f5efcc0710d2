use tree_sitter::Node;

use super::super::{BuiltIn, Check, DEFAULTS, FileCx, Sink};
use super::{LANGUAGES, in_test, macro_name};

pub(in super::super) static RULE: BuiltIn = BuiltIn {
    id: "rust-no-todo-macro",
    languages: LANGUAGES,
    message: "This part is not written yet and panics.",
    fix_suggestion: "Write it, or return an error.",
    why: "Whoever gets here gets a crash.",
    skips_tests: true,
    check: Check::Nodes {
        kinds: |_| &["macro_invocation"],
        visit,
    },
    page: include_str!("../../../../../docs/rules/rust-no-todo-macro.md"),
    ..DEFAULTS
};

fn visit<'a>(cx: &FileCx<'a>, node: Node<'a>, sink: &mut Sink) {
    if let name @ ("todo" | "unimplemented") = macro_name(cx, node)
        && !in_test(cx, node)
    {
        sink.report(node)
            .message(format!("`{name}!` panics: this part is not written yet."));
    }
}
