use asd_recipe::Severity;
use tree_sitter::Node;

use super::super::bindings::children;
use super::super::{BuiltIn, Check, DEFAULTS, FileCx, Sink};
use super::LANGUAGES;

pub(in super::super) static RULE: BuiltIn = BuiltIn {
    id: "py-no-assert-in-prod",
    severity: Severity::Info,
    languages: LANGUAGES,
    message: "`assert` is not executed when Python runs with -O.",
    fix_suggestion: "Raise an exception when the condition does not hold.",
    why: "A check of input that disappears with a switch protects nothing.",
    threshold: Some(1),
    skips_tests: true,
    check: Check::Nodes {
        kinds: |_| &["assert_statement"],
        visit,
    },
    page: include_str!("../../../../../docs/rules/py-no-assert-in-prod.md"),
    ..DEFAULTS
};

fn visit<'a>(cx: &FileCx<'a>, node: Node<'a>, sink: &mut Sink) {
    let narrows = sink.threshold() > 0
        && node
            .named_child(0)
            .is_some_and(|condition| narrows_a_type(cx, condition));
    if narrows
        || cx
            .ancestors(node)
            .any(|outer| is_for_the_type_checker(cx, outer))
    {
        return;
    }
    sink.report(node);
}

/// `isinstance(x, T)`, `x is not None`, and several of them joined by `and`.
fn narrows_a_type<'a>(cx: &FileCx<'a>, condition: Node<'a>) -> bool {
    match condition.kind() {
        "call" => cx.field_text(condition, "function") == "isinstance",
        "comparison_operator" => {
            let mut operands = children(condition);
            operands.next();
            cx.field_text(condition, "operators") == "is not"
                && operands.next().is_some_and(|right| right.kind() == "none")
                && operands.next().is_none()
        }
        "boolean_operator" => {
            cx.field_text(condition, "operator") == "and"
                && ["left", "right"].iter().all(|side| {
                    condition
                        .child_by_field_name(side)
                        .is_some_and(|side| narrows_a_type(cx, side))
                })
        }
        "parenthesized_expression" => condition
            .named_child(0)
            .is_some_and(|inner| narrows_a_type(cx, inner)),
        _ => false,
    }
}

fn is_for_the_type_checker<'a>(cx: &FileCx<'a>, node: Node<'a>) -> bool {
    node.kind() == "if_statement"
        && matches!(
            cx.field_text(node, "condition"),
            "TYPE_CHECKING" | "typing.TYPE_CHECKING" | "t.TYPE_CHECKING"
        )
}
