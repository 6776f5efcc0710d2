use asd_recipe::Severity;
use asd_syntax::Language;
use tree_sitter::Node;

use super::super::bindings::children;
use super::super::{BuiltIn, Check, DEFAULTS, FileCx, Sink};
use super::{is_main_queue, main_thread_check};

pub(in super::super) static RULE: BuiltIn = BuiltIn {
    id: "no-main-thread-sync",
    severity: Severity::Error,
    languages: &["objc", "swift"],
    message: "On the main thread this waits for itself for ever.",
    fix_suggestion: "Use `dispatch_async`, or check for the main thread first.",
    why: "The main queue cannot run the block before the call returns, and the call returns after the block has run.",
    check: Check::Nodes {
        kinds: |_| &["call_expression"],
        visit,
    },
    page: include_str!("../../../../../docs/rules/no-main-thread-sync.md"),
    ..DEFAULTS
};

fn visit<'a>(cx: &FileCx<'a>, node: Node<'a>, sink: &mut Sink) {
    if cx.language == Language::Swift {
        if let Some(callee) = swift(cx, node) {
            sink.report(callee);
        }
        return;
    }
    if cx.field_text(node, "function") != "dispatch_sync" {
        return;
    }
    let arguments = node.child_by_field_name("arguments");
    let Some(queue) = arguments.and_then(|list| list.named_child(0)) else {
        return;
    };
    if !is_main_queue(cx, queue) || is_off_the_main_thread(cx, node) {
        return;
    }
    // Without the block, which may be long.
    sink.report(asd_text::Span::new(node.start_byte(), queue.end_byte()));
}

/// The old form: `dispatch_sync(dispatch_get_main_queue()) { … }`.
fn swift<'a>(cx: &FileCx<'a>, call: Node<'a>) -> Option<Node<'a>> {
    let callee = call
        .named_child(0)
        .filter(|callee| cx.text_of(*callee) == "dispatch_sync")?;
    let suffix = call.named_child(1)?;
    let first = children(suffix)
        .find(|child| child.kind() == "value_arguments")
        .and_then(|arguments| arguments.named_child(0))?;
    (cx.text_of(first) == "dispatch_get_main_queue()").then_some(callee)
}

/// Whether a condition around the call, or one before it that leaves, says that
/// this is another thread.
fn is_off_the_main_thread<'a>(cx: &FileCx<'a>, node: Node<'a>) -> bool {
    let mut inner = node;
    for outer in cx.ancestors(node) {
        match outer.kind() {
            "if_statement" => {
                let check = outer
                    .child_by_field_name("condition")
                    .and_then(|condition| main_thread_check(cx, condition));
                let in_else = outer.child_by_field_name("alternative") == Some(inner);
                if check == Some(in_else) {
                    return true;
                }
            }
            "compound_statement" => {
                let left = children(outer)
                    .take_while(|statement| *statement != inner)
                    .filter(|statement| statement.kind() == "if_statement")
                    .any(|statement| {
                        statement
                            .child_by_field_name("condition")
                            .and_then(|condition| main_thread_check(cx, condition))
                            == Some(true)
                            && statement
                                .child_by_field_name("consequence")
                                .is_some_and(leaves)
                    });
                if left {
                    return true;
                }
            }
            "method_definition" | "function_definition" => return false,
            _ => {}
        }
        inner = outer;
    }
    false
}

fn leaves(statement: Node<'_>) -> bool {
    match statement.kind() {
        "return_statement" => true,
        "compound_statement" => children(statement)
            .filter(|child| child.kind() != "comment")
            .last()
            .is_some_and(leaves),
        _ => false,
    }
}
