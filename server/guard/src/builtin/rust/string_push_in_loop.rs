use asd_recipe::Severity;
use tree_sitter::Node;

use super::super::{BuiltIn, Check, DEFAULTS, FileCx, Sink};
use super::{LANGUAGES, in_test, macro_name, method_call};

pub(in super::super) static RULE: BuiltIn = BuiltIn {
    id: "rust-no-string-push-in-loop",
    severity: Severity::Info,
    languages: LANGUAGES,
    category: "performance",
    message: "Each iteration makes a string and throws it away.",
    fix_suggestion: "Use `write!` into the string.",
    why: "The text is allocated, copied and freed once for each iteration.",
    skips_tests: true,
    check: Check::Nodes {
        kinds: |_| {
            &[
                "compound_assignment_expr",
                "assignment_expression",
                "call_expression",
            ]
        },
        visit,
    },
    page: include_str!("../../../../../docs/rules/rust-no-string-push-in-loop.md"),
    ..DEFAULTS
};

fn visit<'a>(cx: &FileCx<'a>, node: Node<'a>, sink: &mut Sink) {
    let string = match node.kind() {
        "compound_assignment_expr" => node
            .child_by_field_name("left")
            .filter(|_| cx.field_text(node, "operator") == "+=" && formats(cx, node, "right")),
        "assignment_expression" => node
            .child_by_field_name("left")
            .filter(|left| joins_itself(cx, *left, node)),
        _ => method_call(cx, node, "push_str")
            .filter(|(_, arguments)| arguments.iter().any(|argument| is_format(cx, *argument)))
            .map(|(receiver, _)| receiver),
    };
    let Some(string) = string.filter(|string| string.kind() == "identifier") else {
        return;
    };
    let around = cx
        .ancestors(node)
        .take_while(|outer| !matches!(outer.kind(), "function_item" | "closure_expression"))
        .find(|outer| {
            matches!(
                outer.kind(),
                "for_expression" | "while_expression" | "loop_expression"
            )
        });
    let Some(around) = around else { return };
    let Some(binding) = cx.bindings().find(cx.text_of(string), string.start_byte()) else {
        return;
    };
    // Made outside of the loop, with no room reserved.
    let outside = binding.name.start_byte() < around.start_byte();
    let value = cx.field_text(binding.by, "value");
    let is_string = binding.by.kind() == "let_declaration"
        && (value.starts_with("String::new")
            || value.starts_with("String::from")
            || value.starts_with("format!")
            || value.ends_with(".to_string()")
            || value.ends_with(".to_owned()")
            || cx.field_text(binding.by, "type") == "String")
        || binding.by.kind() == "parameter"
            && matches!(cx.field_text(binding.by, "type"), "&mut String" | "String");
    if outside && is_string && !value.contains("with_capacity") && !in_test(cx, node) {
        sink.report(node);
    }
}

fn formats<'a>(cx: &FileCx<'a>, node: Node<'a>, field: &str) -> bool {
    node.child_by_field_name(field)
        .is_some_and(|value| is_format(cx, value))
}

/// `&format!(…)`, `format!(…).as_str()`
fn is_format<'a>(cx: &FileCx<'a>, value: Node<'a>) -> bool {
    match value.kind() {
        "reference_expression" => formats(cx, value, "value"),
        "macro_invocation" => macro_name(cx, value) == "format",
        "call_expression" => {
            method_call(cx, value, "as_str").is_some_and(|(receiver, _)| is_format(cx, receiver))
        }
        _ => false,
    }
}

/// `s = s + …`
fn joins_itself<'a>(cx: &FileCx<'a>, left: Node<'a>, assignment: Node<'a>) -> bool {
    let mut value = assignment.child_by_field_name("right");
    while let Some(sum) = value.filter(|value| {
        value.kind() == "binary_expression" && cx.field_text(*value, "operator") == "+"
    }) {
        let first = sum.child_by_field_name("left");
        if first.is_some_and(|first| cx.text_of(first) == cx.text_of(left)) {
            return true;
        }
        value = first;
    }
    false
}
