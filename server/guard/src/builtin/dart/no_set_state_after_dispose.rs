use asd_recipe::Severity;
use tree_sitter::Node;

use super::super::{BuiltIn, Check, DEFAULTS, FileCx, Sink};
use super::{LANGUAGES, after_await::unguarded_await};

pub(in super::super) static RULE: BuiltIn = BuiltIn {
    id: "dart-no-set-state-after-dispose",
    severity: Severity::Info,
    languages: LANGUAGES,
    message: "After the `await` the widget may be gone, and `setState` throws.",
    fix_suggestion: "Write `if (!mounted) return;` between them.",
    why: "The user can leave the page while the program waits.",
    yields_to: Some("dart-setstate-after-dispose"),
    check: Check::Nodes {
        kinds: |_| &["call_expression"],
        visit,
    },
    page: include_str!("../../../../../docs/rules/dart-no-set-state-after-dispose.md"),
    ..DEFAULTS
};

fn visit<'a>(cx: &FileCx<'a>, node: Node<'a>, sink: &mut Sink) {
    let Some(callee) = node.child_by_field_name("function") else {
        return;
    };
    if !is_set_state(cx.text_of(callee)) {
        return;
    }
    if let Some(awaited) = unguarded_await(cx, node) {
        sink.report(callee)
            .related(awaited, "the `await` before it");
    }
}

pub(super) fn is_set_state(callee: &str) -> bool {
    matches!(callee, "setState" | "this.setState")
}
