use tree_sitter::Node;

use super::super::bindings::children;
use super::super::{BuiltIn, Check, DEFAULTS, FileCx, Sink};
use super::LANGUAGES;

pub(in super::super) static RULE: BuiltIn = BuiltIn {
    id: "dart-avoid-bang-operator",
    languages: LANGUAGES,
    message: "`!` throws when the value is null.",
    fix_suggestion: "Use `?.`, `??`, or a check that promotes a local variable.",
    why: "The error says nothing of what was expected to be there.",
    skips_tests: true,
    check: Check::Nodes {
        kinds: |_| &["null_assertion_expression"],
        visit,
    },
    page: include_str!("../../../../../docs/rules/dart-avoid-bang-operator.md"),
    ..DEFAULTS
};

fn visit<'a>(cx: &FileCx<'a>, node: Node<'a>, sink: &mut Sink) {
    let value = node.child_by_field_name("value");
    if value.is_some_and(|value| is_of_a_map(cx, value) || is_checked(cx, node, cx.text_of(value)))
    {
        return;
    }
    sink.report(node);
}

/// `map['key']!` is how the language says that a key is known to be there.
fn is_of_a_map<'a>(cx: &FileCx<'a>, value: Node<'a>) -> bool {
    if value.kind() != "subscript_expression" && value.kind() != "index_expression" {
        return false;
    }
    let by_text = children(value)
        .last()
        .is_some_and(|index| index.kind().contains("string"));
    let receiver = value.named_child(0);
    let is_map = receiver
        .filter(|receiver| receiver.kind() == "identifier")
        .and_then(|receiver| {
            cx.bindings()
                .find(cx.text_of(receiver), receiver.start_byte())
        })
        .is_some_and(|binding| {
            let declared = cx
                .text_of(binding.by)
                .trim_start_matches("final ")
                .trim_start();
            declared.starts_with("Map<") || declared.starts_with("const Map<")
        });
    by_text || is_map
}

/// Whether a check for null around the place, or before it in the same block,
/// rules null out.
fn is_checked<'a>(cx: &FileCx<'a>, node: Node<'a>, value: &str) -> bool {
    let mut inner = node;
    for outer in cx.ancestors(node) {
        match outer.kind() {
            "if_statement" | "conditional_expression" | "while_statement" => {
                let condition = outer
                    .child_by_field_name("condition")
                    .or_else(|| outer.named_child(0));
                let branch = |field| outer.child_by_field_name(field) == Some(inner);
                let body = branch("consequence") || branch("body");
                if let Some(condition) = condition.filter(|condition| *condition != inner)
                    && (body && says(cx, condition, value, "!=", "logical_and_expression")
                        || branch("alternative")
                            && says(cx, condition, value, "==", "logical_or_expression"))
                {
                    return true;
                }
            }
            "logical_and_expression" | "logical_or_expression" => {
                let operator = if outer.kind() == "logical_and_expression" {
                    "!="
                } else {
                    "=="
                };
                let left = children(outer).next().filter(|left| *left != inner);
                if left.is_some_and(|left| says(cx, left, value, operator, outer.kind())) {
                    return true;
                }
            }
            "block" => {
                // `if (x == null) return;` before it.
                let leaves = children(outer)
                    .take_while(|statement| *statement != inner)
                    .filter(|statement| statement.kind() == "if_statement")
                    .any(|statement| {
                        statement
                            .child_by_field_name("condition")
                            .is_some_and(|condition| {
                                says(cx, condition, value, "==", "logical_or_expression")
                            })
                            && statement
                                .child_by_field_name("consequence")
                                .is_some_and(super::after_await::leaves)
                    });
                if leaves {
                    return true;
                }
            }
            "function_body" | "function_expression_body" => return false,
            _ => {}
        }
        inner = outer;
    }
    false
}

/// Whether a condition compares `value` with null by `operator`, by itself or as
/// one side of `joined_by`.
fn says<'a>(
    cx: &FileCx<'a>,
    condition: Node<'a>,
    value: &str,
    operator: &str,
    joined_by: &str,
) -> bool {
    match condition.kind() {
        "equality_expression" => {
            let mut sides = children(condition).filter(|side| side.kind() != "equality_operator");
            cx.field_text(condition, "operator") == operator
                && matches!(
                    (sides.next(), sides.next()),
                    (Some(left), Some(right))
                        if right.kind() == "null_literal" && cx.text_of(left) == value
                            || left.kind() == "null_literal" && cx.text_of(right) == value
                )
        }
        "parenthesized_expression" => condition
            .named_child(0)
            .is_some_and(|inner| says(cx, inner, value, operator, joined_by)),
        kind if kind == joined_by => {
            children(condition).any(|side| says(cx, side, value, operator, joined_by))
        }
        _ => false,
    }
}
