use asd_recipe::Severity;
use asd_syntax::Language;
use tree_sitter::Node;

use super::super::{BuiltIn, Check, DEFAULTS, FileCx, Sink};
use super::in_main;

pub(in super::super) static RULE: BuiltIn = BuiltIn {
    id: "java-no-system-exit",
    severity: Severity::Error,
    languages: &["java", "kotlin"],
    message: "This ends the whole process.",
    fix_suggestion: "Throw an exception and let `main` decide.",
    why: "Callers cannot recover, `finally` blocks do not run, and a server takes all its requests down.",
    check: Check::Nodes {
        kinds: |language| match language {
            Language::Kotlin => &["call_expression"],
            _ => &["method_invocation"],
        },
        visit,
    },
    page: include_str!("../../../../../docs/rules/java-no-system-exit.md"),
    ..DEFAULTS
};

fn visit<'a>(cx: &FileCx<'a>, node: Node<'a>, sink: &mut Sink) {
    let exits = match cx.language {
        Language::Kotlin => node.named_child(0).is_some_and(|callee| kotlin(cx, callee)),
        _ => java(cx, node),
    };
    if exits && !in_main(cx, node) {
        sink.report(node);
    }
}

fn java<'a>(cx: &FileCx<'a>, call: Node<'a>) -> bool {
    let Some(object) = call.child_by_field_name("object") else {
        return false;
    };
    match cx.field_text(call, "name") {
        "exit" => {
            matches!(cx.text_of(object), "System" | "java.lang.System")
                && is_not_declared(cx, "System", object)
                || is_runtime(cx, object)
        }
        "halt" => is_runtime(cx, object),
        _ => false,
    }
}

fn is_runtime<'a>(cx: &FileCx<'a>, object: Node<'a>) -> bool {
    object.kind() == "method_invocation"
        && cx.field_text(object, "name") == "getRuntime"
        && cx.field_text(object, "object") == "Runtime"
}

fn kotlin<'a>(cx: &FileCx<'a>, callee: Node<'a>) -> bool {
    let text = cx.text_of(callee);
    match callee.kind() {
        "simple_identifier" => text == "exitProcess" && is_not_declared(cx, text, callee),
        "navigation_expression" => match text {
            "System.exit" | "java.lang.System.exit" => is_not_declared(cx, "System", callee),
            "kotlin.system.exitProcess"
            | "Runtime.getRuntime().exit"
            | "Runtime.getRuntime().halt" => true,
            _ => false,
        },
        _ => false,
    }
}

/// Whether the file has nothing of its own with that name; an import brings the
/// one that is meant.
fn is_not_declared<'a>(cx: &FileCx<'a>, name: &str, at: Node<'a>) -> bool {
    cx.bindings()
        .find(name, at.start_byte())
        .is_none_or(|binding| match binding.by.kind() {
            "import_header" => cx.text_of(binding.by).contains("kotlin.system.exitProcess"),
            "import_declaration" => cx.text_of(binding.by).contains("java.lang.System"),
            _ => false,
        })
}
