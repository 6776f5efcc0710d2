use asd_recipe::Severity;
use tree_sitter::Node;

use super::super::{BuiltIn, Check, DEFAULTS, FileCx, Sink};
use super::{LANGUAGES, in_test, method_call, method_in_macro};

pub(in super::super) static RULE: BuiltIn = BuiltIn {
    id: "rust-no-unwrap",
    languages: LANGUAGES,
    message: "`unwrap` panics when there is no value.",
    fix_suggestion: "Return the error with `?`, or say with `expect` why it cannot happen.",
    why: "The panic says nothing of what was expected, and a library takes its caller down.",
    skips_tests: true,
    check: Check::Nodes {
        kinds: |_| &["call_expression", "identifier"],
        visit,
    },
    page: include_str!("../../../../../docs/rules/rust-no-unwrap.md"),
    ..DEFAULTS
};

fn visit<'a>(cx: &FileCx<'a>, node: Node<'a>, sink: &mut Sink) {
    if node.kind() == "identifier" {
        if let Some(span) = in_macro(cx, node)
            && !in_test(cx, node)
        {
            sink.report(span);
        }
        return;
    }
    let Some((receiver, arguments)) = method_call(cx, node, "unwrap") else {
        return;
    };
    if !arguments.is_empty() || in_test(cx, node) {
        return;
    }
    let locks = ["lock", "read", "write"].iter().any(|method| {
        method_call(cx, receiver, method).is_some_and(|(_, arguments)| arguments.is_empty())
    });
    let found = sink.report(node);
    if locks {
        // A poisoned lock means that another thread has panicked already.
        found.severity(Severity::Info);
    }
}

pub(super) fn in_macro<'a>(cx: &FileCx<'a>, token: Node<'a>) -> Option<asd_text::Span> {
    if cx.text_of(token) != "unwrap" {
        return None;
    }
    cx.parent(token)
        .filter(|parent| parent.kind() == "token_tree")
        .and_then(|_| method_in_macro(cx, token, "unwrap"))
}
