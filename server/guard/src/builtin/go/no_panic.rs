use tree_sitter::Node;

use super::super::bindings::{children, span_of};
use super::super::{BuiltIn, Check, DEFAULTS, FileCx, Sink};
use super::LANGUAGES;

pub(in super::super) static RULE: BuiltIn = BuiltIn {
    id: "go-no-panic",
    languages: LANGUAGES,
    message: "`panic` ends the process unless someone recovers.",
    fix_suggestion: "Return an error.",
    why: "Callers in Go look at errors; a panic in a goroutine takes the whole program down.",
    skips_tests: true,
    check: Check::Nodes {
        kinds: |_| &["call_expression"],
        visit,
    },
    page: include_str!("../../../../../docs/rules/go-no-panic.md"),
    ..DEFAULTS
};

fn visit<'a>(cx: &FileCx<'a>, node: Node<'a>, sink: &mut Sink) {
    let is_builtin = node.child_by_field_name("function").is_some_and(|callee| {
        callee.kind() == "identifier"
            && cx.text_of(callee) == "panic"
            && cx.bindings().find("panic", callee.start_byte()).is_none()
    });
    if is_builtin && !is_accepted(cx, node) && !panics_again(cx, node) {
        sink.report(node);
    }
}

/// Functions that say by their name that they panic, the start of a program,
/// and branches that cannot be reached.
fn is_accepted<'a>(cx: &FileCx<'a>, call: Node<'a>) -> bool {
    cx.ancestors(call).any(|outer| match outer.kind() {
        "function_declaration" | "method_declaration" => {
            let name = cx.field_text(outer, "name");
            name.starts_with("Must")
                || name.starts_with("must")
                || outer.kind() == "function_declaration" && matches!(name, "init" | "main")
        }
        "default_case" => is_unreachable(cx, outer, call),
        _ => false,
    })
}

/// Whether a comment or the message itself says so.
fn is_unreachable<'a>(cx: &FileCx<'a>, case: Node<'a>, call: Node<'a>) -> bool {
    let says = |text: &str| {
        let text = text.to_ascii_lowercase();
        [
            "unreachable",
            "not reachable",
            "never reached",
            "impossible",
            "can't happen",
            "cannot happen",
            "shouldn't happen",
            "should not happen",
            "should never happen",
            "never happens",
        ]
        .iter()
        .any(|word| text.contains(word))
    };
    let comment_above = children(case)
        .filter(|child| child.kind() == "comment")
        .any(|comment| says(cx.text_of(comment)));
    let line_end = cx.text[call.end_byte()..]
        .find('\n')
        .map_or(cx.text.len(), |at| call.end_byte() + at);
    comment_above || says(&cx.text[span_of(call).start..line_end])
}

/// `if r := recover(); r != nil { …; panic(r) }`
fn panics_again<'a>(cx: &FileCx<'a>, call: Node<'a>) -> bool {
    let Some(value) = call
        .child_by_field_name("arguments")
        .and_then(|arguments| arguments.named_child(0))
        .filter(|value| value.kind() == "identifier")
    else {
        return false;
    };
    cx.bindings()
        .find(cx.text_of(value), value.start_byte())
        .is_some_and(|binding| cx.field_text(binding.by, "right").trim() == "recover()")
}
