use tree_sitter::Node;

use super::super::bindings::children;
use super::super::{BuiltIn, Check, DEFAULTS, FileCx, Sink};
use super::LANGUAGES;

pub(in super::super) static RULE: BuiltIn = BuiltIn {
    id: "swift-force-cast",
    languages: LANGUAGES,
    category: "safety",
    message: "`as!` crashes when the value has another type.",
    fix_suggestion: "Use `as?` with `guard let` or `if let`.",
    why: "A value from outside can always be of another type.",
    skips_tests: true,
    check: Check::Nodes {
        kinds: |_| &["as_expression"],
        visit,
    },
    page: include_str!("../../../../../docs/rules/swift-force-cast.md"),
    ..DEFAULTS
};

fn visit<'a>(cx: &FileCx<'a>, node: Node<'a>, sink: &mut Sink) {
    let forced =
        children(node).any(|child| child.kind() == "as_operator" && cx.text_of(child) == "as!");
    if !forced {
        return;
    }
    if let Some(value) = node.child_by_field_name("expr") {
        let text = cx.text_of(value);
        let name = text.split(['(', '{']).next().unwrap_or(text).trim_end();
        let last = name.rsplit('.').next().unwrap_or(name);
        let is_known =
            last == "layer" || last.starts_with("dequeueReusable") && text.len() > name.len();
        if is_known {
            return;
        }
    }
    sink.report(node);
}
