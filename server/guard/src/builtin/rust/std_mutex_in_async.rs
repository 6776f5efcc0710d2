use tree_sitter::Node;

use super::super::bindings::children;
use super::super::{BuiltIn, Check, DEFAULTS, FileCx, Sink};
use super::{LANGUAGES, in_test, method_call};

pub(in super::super) static RULE: BuiltIn = BuiltIn {
    id: "rust-std-mutex-in-async",
    languages: LANGUAGES,
    message: "The lock is still held while the task waits.",
    fix_suggestion: "Drop the guard before the `.await`, or use the lock of the async runtime.",
    why: "Other tasks of the thread wait for the lock, and the one that holds it may wait for them.",
    skips_tests: true,
    check: Check::Nodes {
        kinds: |_| &["let_declaration"],
        visit,
    },
    page: include_str!("../../../../../docs/rules/rust-std-mutex-in-async.md"),
    ..DEFAULTS
};

fn visit<'a>(cx: &FileCx<'a>, node: Node<'a>, sink: &mut Sink) {
    let (Some(name), Some(value)) = (
        node.child_by_field_name("pattern").and_then(bound_name),
        node.child_by_field_name("value"),
    ) else {
        return;
    };
    let Some(lock) = guard_of(cx, value) else {
        return;
    };
    if !is_std(cx) || !is_async(cx, node) || in_test(cx, node) {
        return;
    }
    let guard = cx.text_of(name);
    // The statements after it in the same block, up to its drop.
    for statement in std::iter::successors(node.next_named_sibling(), Node::next_named_sibling) {
        if drops(cx, statement, guard) {
            return;
        }
        if let Some(awaited) = awaits(cx, statement, guard) {
            sink.report(lock)
                .related(awaited, "the guard is still alive at this `.await`");
            return;
        }
    }
}

fn bound_name(pattern: Node<'_>) -> Option<Node<'_>> {
    match pattern.kind() {
        "identifier" => Some(pattern),
        "mut_pattern" => children(pattern).find(|child| child.kind() == "identifier"),
        _ => None,
    }
}

/// The call of `lock`, `read` or `write` whose guard an expression gives:
/// `m.lock().unwrap()`, `m.lock()?`, `m.lock().expect("…")`.
fn guard_of<'a>(cx: &FileCx<'a>, value: Node<'a>) -> Option<Node<'a>> {
    if value.kind() == "try_expression" {
        return value.named_child(0).and_then(|inner| guard_of(cx, inner));
    }
    for method in ["unwrap", "expect", "unwrap_or_else"] {
        if let Some((receiver, _)) = method_call(cx, value, method) {
            return guard_of(cx, receiver);
        }
    }
    ["lock", "read", "write"]
        .iter()
        .find(|method| {
            method_call(cx, value, method).is_some_and(|(_, arguments)| arguments.is_empty())
        })
        .map(|_| value)
}

/// Whether the locks of this file are those of the standard library.
fn is_std(cx: &FileCx<'_>) -> bool {
    let names = ["Mutex", "RwLock"];
    let imported = |from: &str| {
        names.iter().any(|name| {
            cx.bindings()
                .all(name)
                .iter()
                .any(|binding| cx.text_of(binding.by).contains(from))
        })
    };
    imported("std::sync")
        || names
            .iter()
            .any(|name| cx.text.contains(&format!("std::sync::{name}")))
}

fn is_async<'a>(cx: &FileCx<'a>, node: Node<'a>) -> bool {
    for outer in cx.ancestors(node) {
        match outer.kind() {
            "async_block" => return true,
            "closure_expression" => {
                return cx.text_of(outer).starts_with("async");
            }
            "function_item" => {
                return children(outer)
                    .find(|child| child.kind() == "function_modifiers")
                    .is_some_and(|modifiers| cx.text_of(modifiers).contains("async"));
            }
            _ => {}
        }
    }
    false
}

/// `drop(guard);`
fn drops<'a>(cx: &FileCx<'a>, statement: Node<'a>, guard: &str) -> bool {
    statement.named_child(0).is_some_and(|call| {
        call.kind() == "call_expression"
            && matches!(
                cx.field_text(call, "function"),
                "drop" | "mem::drop" | "std::mem::drop"
            )
            && call
                .child_by_field_name("arguments")
                .and_then(|arguments| arguments.named_child(0))
                .is_some_and(|argument| cx.text_of(argument) == guard)
    })
}

/// The first `.await` in a node before the guard is dropped there; not in a
/// block that is only made, not run.
fn awaits<'a>(cx: &FileCx<'a>, node: Node<'a>, guard: &str) -> Option<Node<'a>> {
    match node.kind() {
        "await_expression" => return Some(node),
        "async_block" | "closure_expression" | "function_item" => return None,
        "block" => {
            for statement in children(node) {
                if drops(cx, statement, guard) {
                    return None;
                }
                if let Some(awaited) = awaits(cx, statement, guard) {
                    return Some(awaited);
                }
            }
            return None;
        }
        _ => {}
    }
    children(node).find_map(|child| awaits(cx, child, guard))
}
