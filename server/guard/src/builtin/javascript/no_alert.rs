use tree_sitter::Node;

use super::super::{BuiltIn, Check, DEFAULTS, FileCx, Sink};
use super::{LANGUAGES, callee, global};

pub(in super::super) static RULE: BuiltIn = BuiltIn {
    id: "js-no-alert",
    languages: LANGUAGES,
    category: "style",
    message: "A native dialog blocks the whole page.",
    fix_suggestion: "Use a dialog or a notification of the user interface.",
    why: "`alert`, `confirm` and `prompt` stop all scripts, cannot be styled, and are suppressed in embedded pages.",
    check: Check::Nodes {
        kinds: |_| &["call_expression"],
        visit,
    },
    page: include_str!("../../../../../docs/rules/js-no-alert.md"),
    ..DEFAULTS
};

fn visit<'a>(cx: &FileCx<'a>, node: Node<'a>, sink: &mut Sink) {
    let name = callee(node).and_then(|callee| global(cx, callee));
    if let Some(name @ ("alert" | "confirm" | "prompt")) = name {
        sink.report(node)
            .message(format!("`{name}` blocks the whole page."));
    }
}
