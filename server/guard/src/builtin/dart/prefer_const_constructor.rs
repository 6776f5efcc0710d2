use asd_recipe::Severity;
use asd_text::{Span, TextEdit};
use tree_sitter::Node;

use super::super::{BuiltIn, Check, DEFAULTS, FileCx, Sink};
use super::LANGUAGES;

pub(in super::super) static RULE: BuiltIn = BuiltIn {
    id: "dart-prefer-const-constructor",
    severity: Severity::Info,
    languages: LANGUAGES,
    category: "performance",
    message: "`new` is never needed.",
    fix_suggestion: "Remove it, or write `const` where the object never changes.",
    why: "A const widget is made once and never rebuilt; `new` hides where that is possible.",
    fixable: true,
    check: Check::Nodes {
        kinds: |_| &["new_expression"],
        visit,
    },
    page: include_str!("../../../../../docs/rules/dart-prefer-const-constructor.md"),
    ..DEFAULTS
};

fn visit<'a>(_: &FileCx<'a>, node: Node<'a>, sink: &mut Sink) {
    let (Some(keyword), Some(next)) = (node.child(0), node.child(1)) else {
        return;
    };
    let gap = Span::new(keyword.start_byte(), next.start_byte());
    sink.report(node)
        .safe_fix("Remove `new`", vec![TextEdit::remove(gap)]);
}
