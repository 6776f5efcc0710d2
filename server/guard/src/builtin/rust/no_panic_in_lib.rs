use tree_sitter::Node;

use super::super::bindings::span_of;
use super::super::{BuiltIn, Check, DEFAULTS, FileCx, Sink};
use super::{LANGUAGES, in_test, macro_in_macro, macro_name};

pub(in super::super) static RULE: BuiltIn = BuiltIn {
    id: "rust-no-panic-in-lib",
    languages: LANGUAGES,
    message: "A library panics here.",
    fix_suggestion: "Return an error and let the caller decide.",
    why: "Whoever calls the library cannot go on.",
    skips_tests: true,
    check: Check::Nodes {
        kinds: |_| &["macro_invocation", "identifier"],
        visit,
    },
    page: include_str!("../../../../../docs/rules/rust-no-panic-in-lib.md"),
    ..DEFAULTS
};

fn visit<'a>(cx: &FileCx<'a>, node: Node<'a>, sink: &mut Sink) {
    let span = match node.kind() {
        "identifier" => macro_in_macro(cx, node, &["panic"]),
        _ => (macro_name(cx, node) == "panic").then(|| span_of(node)),
    };
    if let Some(span) = span
        && !is_program(cx)
        && !in_test(cx, node)
    {
        sink.report(span);
    }
}

/// Whether the file belongs to a program and not to a library.
fn is_program(cx: &FileCx<'_>) -> bool {
    cx.file_name() == "main.rs"
        || cx
            .path
            .is_some_and(|path| path.starts_with("src/bin/") || path.contains("/src/bin/"))
}
