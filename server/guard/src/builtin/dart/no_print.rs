use asd_recipe::Severity;
use tree_sitter::Node;

use super::super::{BuiltIn, Check, DEFAULTS, FileCx, Sink};
use super::LANGUAGES;

pub(in super::super) static RULE: BuiltIn = BuiltIn {
    id: "dart-no-print",
    severity: Severity::Info,
    languages: LANGUAGES,
    category: "style",
    message: "`print` is left in production code.",
    fix_suggestion: "Use a logger, or `debugPrint` in Flutter.",
    why: "It writes to the log of the device in release builds too, and long lines are cut off.",
    skips_tests: true,
    check: Check::Nodes {
        kinds: |_| &["call_expression"],
        visit,
    },
    page: include_str!("../../../../../docs/rules/dart-no-print.md"),
    ..DEFAULTS
};

fn visit<'a>(cx: &FileCx<'a>, node: Node<'a>, sink: &mut Sink) {
    let is_print = node.child_by_field_name("function").is_some_and(|callee| {
        callee.kind() == "identifier"
            && cx.text_of(callee) == "print"
            && cx.bindings().find("print", callee.start_byte()).is_none()
    });
    if is_print && !cx.in_folder(&["bin", "tool"]) {
        sink.report(node);
    }
}
