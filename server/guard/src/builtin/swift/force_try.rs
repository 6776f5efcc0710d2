use asd_recipe::Severity;
use tree_sitter::Node;

use super::super::bindings::children;
use super::super::{BuiltIn, Check, DEFAULTS, FileCx, Sink};
use super::LANGUAGES;

pub(in super::super) static RULE: BuiltIn = BuiltIn {
    id: "swift-force-try",
    languages: LANGUAGES,
    category: "safety",
    message: "`try!` crashes when the call throws.",
    fix_suggestion: "Handle the error with `do`/`catch`, or pass it on with `throws`.",
    why: "The error that would have said what happened is lost with the process.",
    skips_tests: true,
    check: Check::Nodes {
        kinds: |_| &["try_expression"],
        visit,
    },
    page: include_str!("../../../../../docs/rules/swift-force-try.md"),
    ..DEFAULTS
};

fn visit<'a>(cx: &FileCx<'a>, node: Node<'a>, sink: &mut Sink) {
    let forced = children(node)
        .any(|child| child.kind() == "try_operator" && cx.text_of(child).ends_with('!'));
    if !forced {
        return;
    }
    let literal = node
        .child_by_field_name("expr")
        .is_some_and(|made| is_made_of_literals(cx, made));
    let found = sink.report(node);
    if literal {
        // What it is made of cannot change, so the first run shows the error.
        found.severity(Severity::Info);
    }
}

/// `NSRegularExpression(pattern: "a+")`: an initialiser, and literals only.
fn is_made_of_literals<'a>(cx: &FileCx<'a>, call: Node<'a>) -> bool {
    if call.kind() != "call_expression" {
        return false;
    }
    let mut parts = children(call);
    let (Some(callee), Some(suffix)) = (parts.next(), parts.next()) else {
        return false;
    };
    let is_type = callee.kind() == "simple_identifier"
        && cx.text_of(callee).starts_with(|c: char| c.is_uppercase());
    let arguments: Vec<Node<'a>> = children(suffix)
        .filter(|child| child.kind() == "value_arguments")
        .flat_map(children)
        .collect();
    is_type
        && !arguments.is_empty()
        && arguments.iter().all(|argument| {
            argument
                .child_by_field_name("value")
                .is_some_and(is_literal)
        })
}

fn is_literal(value: Node<'_>) -> bool {
    match value.kind() {
        "line_string_literal" | "multi_line_string_literal" | "raw_string_literal" => {
            children(value).all(|part| !part.kind().contains("interpol"))
        }
        "array_literal" => children(value).all(is_literal),
        // `.caseInsensitive`
        "prefix_expression" => children(value).all(|part| part.kind() != "call_expression"),
        kind => kind.ends_with("_literal"),
    }
}
