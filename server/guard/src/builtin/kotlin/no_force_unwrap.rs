use asd_text::{Span, TextEdit};
use tree_sitter::Node;

use super::super::{BuiltIn, Check, DEFAULTS, FileCx, Sink};
use super::LANGUAGES;

pub(in super::super) static RULE: BuiltIn = BuiltIn {
    id: "kotlin-no-force-unwrap",
    languages: LANGUAGES,
    category: "safety",
    message: "`!!` throws when the value is null.",
    fix_suggestion: "Use `?.`, `?:`, or requireNotNull with a message.",
    why: "A NullPointerException without a message is what the type system is there to prevent.",
    fixable: true,
    skips_tests: true,
    check: Check::Nodes {
        kinds: |_| &["postfix_expression"],
        visit,
    },
    page: include_str!("../../../../../docs/rules/kotlin-no-force-unwrap.md"),
    ..DEFAULTS
};

fn visit<'a>(cx: &FileCx<'a>, node: Node<'a>, sink: &mut Sink) {
    let Some(operator) = node
        .child_count()
        .checked_sub(1)
        .and_then(|last| node.child(last))
        .filter(|operator| operator.kind() == "!!")
    else {
        return;
    };
    let chained = cx.parent(node).is_some_and(|parent| {
        parent.kind() == "navigation_expression"
            && parent.named_child(0) == Some(node)
            && cx.text[node.end_byte()..].starts_with('.')
    });
    let found = sink.report(node);
    if chained {
        found.unsafe_fix(
            "Use a safe call",
            vec![TextEdit::replace(
                Span::new(operator.start_byte(), operator.end_byte()),
                "?",
            )],
        );
    }
}
