use asd_recipe::Severity;
use tree_sitter::Node;

use super::super::{BuiltIn, Check, DEFAULTS, FileCx, Sink};
use super::{LANGUAGES, arguments, callee, global, literal, member, unwrapped};

pub(in super::super) static RULE: BuiltIn = BuiltIn {
    id: "js-no-eval",
    severity: Severity::Error,
    languages: LANGUAGES,
    category: "safety",
    message: "`eval` runs text as code.",
    fix_suggestion: "Call a function, or read data with JSON.parse.",
    why: "Whoever controls the text controls the page or the process, and engines cannot optimise code around it.",
    check: Check::Nodes {
        kinds: |_| &["call_expression", "new_expression", "identifier"],
        visit,
    },
    page: include_str!("../../../../../docs/rules/js-no-eval.md"),
    ..DEFAULTS
};

fn visit<'a>(cx: &FileCx<'a>, node: Node<'a>, sink: &mut Sink) {
    if node.kind() == "identifier" {
        if is_taken(cx, node) {
            sink.report(node)
                .message("`eval` is kept under another name.");
        }
        return;
    }
    let called = node.kind() == "call_expression";
    let callee = if called {
        callee(node)
    } else {
        node.child_by_field_name("constructor")
    };
    let Some(callee) = callee else { return };
    match global(cx, callee) {
        Some("eval") if called => {
            sink.report(node);
        }
        Some("Function") => {
            sink.report(node)
                .message("`Function` compiles text to code, as `eval` does.");
        }
        Some(name @ ("setTimeout" | "setInterval" | "setImmediate" | "execScript"))
            if called
                && arguments(node)
                    .first()
                    .is_some_and(|first| is_text(cx, *first)) =>
        {
            sink.report(node)
                .message(format!("`{name}` with a string runs it as code."));
        }
        Some(_) => {}
        // `Function.call(…)`, `eval.apply(…)` and the like.
        None if called => {
            if let Some((object, "call" | "apply" | "bind")) = member(cx, unwrapped(callee)) {
                match global(cx, object) {
                    Some("eval") => {
                        sink.report(node);
                    }
                    Some("Function") => {
                        sink.report(node)
                            .message("`Function` compiles text to code, as `eval` does.");
                    }
                    _ => {}
                }
            }
        }
        None => {}
    }
}

/// `const run = eval`, `use(eval)`: the global `eval` as a value.
fn is_taken<'a>(cx: &FileCx<'a>, name: Node<'a>) -> bool {
    if cx.text_of(name) != "eval" {
        return false;
    }
    let Some(parent) = cx.parent(name) else {
        return false;
    };
    let is_value = match parent.kind() {
        "variable_declarator" | "assignment_pattern" | "pair" => {
            let field = if parent.kind() == "assignment_pattern" {
                "right"
            } else {
                "value"
            };
            parent.child_by_field_name(field) == Some(name)
        }
        "assignment_expression" => parent.child_by_field_name("right") == Some(name),
        "arguments" | "array" | "return_statement" => true,
        "arrow_function" => parent.child_by_field_name("body") == Some(name),
        _ => false,
    };
    is_value && global(cx, name) == Some("eval")
}

/// Whether an expression is certainly a string.
fn is_text<'a>(cx: &FileCx<'a>, node: Node<'a>) -> bool {
    let node = unwrapped(node);
    match node.kind() {
        "template_string" => true,
        "string" => literal(cx, node).is_some(),
        "binary_expression" => {
            cx.field_text(node, "operator") == "+"
                && ["left", "right"].iter().any(|side| {
                    node.child_by_field_name(side)
                        .is_some_and(|side| is_text(cx, side))
                })
        }
        "identifier" => constant(cx, node)
            .is_some_and(|value| matches!(value.kind(), "string" | "template_string")),
        "call_expression" => node
            .child_by_field_name("function")
            .and_then(|callee| global(cx, callee))
            .is_some_and(|name| name == "String"),
        _ => false,
    }
}

/// The initialiser of a `const` that a name refers to.
fn constant<'a>(cx: &FileCx<'a>, name: Node<'a>) -> Option<Node<'a>> {
    let binding = cx
        .bindings()
        .find(cx.text_of(name), name.start_byte())
        .filter(|binding| binding.by.kind() == "variable_declarator")?;
    let declaration = binding.by.parent()?;
    (cx.field_text(declaration, "kind") == "const")
        .then(|| binding.by.child_by_field_name("value"))?
}
