use tree_sitter::Node;

use super::super::{BuiltIn, Check, DEFAULTS, FileCx, Sink};
use super::{LANGUAGES, selector};

pub(in super::super) static RULE: BuiltIn = BuiltIn {
    id: "objc-timer-retain-cycle",
    languages: LANGUAGES,
    message: "A repeating timer keeps its target alive.",
    fix_suggestion: "Use the API with a block and a weak reference, or a weak proxy as the target.",
    why: "The timer holds `self` until it is invalidated, so `dealloc`, where that is usually done, never comes.",
    check: Check::Nodes {
        kinds: |_| &["message_expression"],
        visit,
    },
    page: include_str!("../../../../../docs/rules/objc-timer-retain-cycle.md"),
    ..DEFAULTS
};

fn visit<'a>(cx: &FileCx<'a>, node: Node<'a>, sink: &mut Sink) {
    if cx.field_text(node, "receiver") != "NSTimer" {
        return;
    }
    let parts = selector(cx, node);
    let argument = |name: &str| {
        parts
            .iter()
            .find(|(part, _)| *part == name)
            .and_then(|(_, argument)| *argument)
            .map_or("", |argument| cx.text_of(argument))
    };
    let makes_a_timer = parts.first().is_some_and(|(name, _)| {
        matches!(
            *name,
            "scheduledTimerWithTimeInterval" | "timerWithTimeInterval"
        )
    });
    if makes_a_timer
        && argument("target") == "self"
        && matches!(argument("repeats"), "YES" | "true" | "TRUE" | "1")
    {
        sink.report(node);
    }
}
