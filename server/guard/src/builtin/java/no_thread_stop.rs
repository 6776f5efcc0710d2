use asd_recipe::Severity;
use tree_sitter::Node;

use super::super::bindings::children;
use super::super::{BuiltIn, Check, DEFAULTS, FileCx, Sink};
use super::{LANGUAGES, declaration};
use crate::RuleTag;

pub(in super::super) static RULE: BuiltIn = BuiltIn {
    id: "java-no-thread-stop",
    severity: Severity::Error,
    languages: LANGUAGES,
    category: "safety",
    message: "`Thread.stop` leaves shared data in any state.",
    fix_suggestion: "Interrupt the thread and let it end by itself.",
    why: "The thread releases its locks in the middle of what it does; the method is deprecated and no longer works in current Java.",
    tag: Some(RuleTag::Deprecated),
    check: Check::Nodes {
        kinds: |_| &["method_invocation"],
        visit,
    },
    page: include_str!("../../../../../docs/rules/java-no-thread-stop.md"),
    ..DEFAULTS
};

fn visit<'a>(cx: &FileCx<'a>, node: Node<'a>, sink: &mut Sink) {
    let no_arguments = node
        .child_by_field_name("arguments")
        .is_some_and(|arguments| {
            children(arguments).all(|child| child.kind().ends_with("comment"))
        });
    if cx.field_text(node, "name") != "stop" || !no_arguments {
        return;
    }
    if node
        .child_by_field_name("object")
        .is_some_and(|receiver| is_thread(cx, receiver))
    {
        sink.report(node);
    }
}

fn is_thread<'a>(cx: &FileCx<'a>, receiver: Node<'a>) -> bool {
    match receiver.kind() {
        "identifier" | "field_access" => {
            if let Some(declaration) = declaration(cx, receiver)
                && let Some(declared) = declaration.child_by_field_name("type")
            {
                return match cx.text_of(declared) {
                    "var" => {
                        value(cx, declaration, receiver).is_some_and(|value| is_thread(cx, value))
                    }
                    name => is_thread_type(cx, name),
                };
            }
            let name = match receiver.kind() {
                "field_access" => cx.field_text(receiver, "field"),
                _ => cx.text_of(receiver),
            };
            name.to_ascii_lowercase().ends_with("thread")
        }
        "object_creation_expression" => is_thread_type(cx, cx.field_text(receiver, "type")),
        "method_invocation" => {
            cx.field_text(receiver, "object") == "Thread"
                && cx.field_text(receiver, "name") == "currentThread"
        }
        "parenthesized_expression" => receiver
            .named_child(0)
            .is_some_and(|inner| is_thread(cx, inner)),
        "cast_expression" => is_thread_type(cx, cx.field_text(receiver, "type")),
        _ => false,
    }
}

/// `Thread`, or a class of this file that extends it.
fn is_thread_type(cx: &FileCx<'_>, name: &str) -> bool {
    matches!(name, "Thread" | "java.lang.Thread")
        || cx.bindings().all(name).iter().any(|binding| {
            binding.by.kind() == "class_declaration"
                && binding
                    .by
                    .child_by_field_name("superclass")
                    .and_then(|superclass| superclass.named_child(0))
                    .is_some_and(|parent| cx.text_of(parent) == "Thread")
        })
}

fn value<'a>(cx: &FileCx<'a>, declaration: Node<'a>, name: Node<'a>) -> Option<Node<'a>> {
    super::super::bindings::fields(declaration, "declarator")
        .find(|declarator| cx.field_text(*declarator, "name") == cx.text_of(name))
        .and_then(|declarator| declarator.child_by_field_name("value"))
}
