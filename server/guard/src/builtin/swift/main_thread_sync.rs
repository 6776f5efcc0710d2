use asd_recipe::Severity;
use tree_sitter::Node;

use super::super::bindings::children;
use super::super::{BuiltIn, Check, DEFAULTS, FileCx, Sink};
use super::LANGUAGES;

pub(in super::super) static RULE: BuiltIn = BuiltIn {
    id: "main-thread-sync-swift",
    severity: Severity::Error,
    languages: LANGUAGES,
    message: "On the main thread this waits for itself for ever.",
    fix_suggestion: "Use `DispatchQueue.main.async`, or check `Thread.isMainThread` first.",
    why: "The main queue cannot run the block before the call returns, and the call returns after the block has run.",
    check: Check::Nodes {
        kinds: |_| &["call_expression"],
        visit,
    },
    page: include_str!("../../../../../docs/rules/main-thread-sync-swift.md"),
    ..DEFAULTS
};

fn visit<'a>(cx: &FileCx<'a>, node: Node<'a>, sink: &mut Sink) {
    let Some(callee) = node
        .named_child(0)
        .filter(|callee| callee.kind() == "navigation_expression")
    else {
        return;
    };
    let text = cx.text_of(callee);
    if !text.ends_with("sync") || !text.contains("DispatchQueue") {
        return;
    }
    let path: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    let is_main_sync = matches!(
        path.as_str(),
        "DispatchQueue.main.sync" | "Dispatch.DispatchQueue.main.sync"
    );
    let own_type = cx
        .bindings()
        .find("DispatchQueue", node.start_byte())
        .is_some();
    if is_main_sync && !own_type && !is_off_the_main_thread(cx, node) {
        sink.report(callee);
    }
}

/// Whether a condition around the call, or a `guard` before it, says that this
/// is another thread.
fn is_off_the_main_thread<'a>(cx: &FileCx<'a>, node: Node<'a>) -> bool {
    let mut inner = node;
    for outer in cx.ancestors(node) {
        match outer.kind() {
            "if_statement" => {
                let condition = outer
                    .child_by_field_name("condition")
                    .map(|condition| thread_check(cx, condition));
                let mut cursor = outer.walk();
                let in_else = outer
                    .children(&mut cursor)
                    .take_while(|child| *child != inner)
                    .any(|child| child.kind() == "else");
                if condition == Some(Some(in_else)) {
                    return true;
                }
            }
            "statements" => {
                let checked = children(outer)
                    .take_while(|statement| *statement != inner)
                    .any(|statement| leaves_the_main_thread(cx, statement));
                if checked {
                    return true;
                }
            }
            "function_declaration" | "init_declaration" | "computed_property" => return false,
            _ => {}
        }
        inner = outer;
    }
    false
}

/// `Some(true)` for `Thread.isMainThread`, `Some(false)` for its negation.
fn thread_check<'a>(cx: &FileCx<'a>, condition: Node<'a>) -> Option<bool> {
    let text = cx.text_of(condition);
    let (negated, rest) = match text.strip_prefix('!') {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    matches!(
        rest.trim(),
        "Thread.isMainThread" | "Thread.current.isMainThread" | "pthread_main_np() != 0"
    )
    .then_some(!negated)
}

/// `guard !Thread.isMainThread else { …; return }` and
/// `if Thread.isMainThread { …; return }`.
fn leaves_the_main_thread<'a>(cx: &FileCx<'a>, statement: Node<'a>) -> bool {
    let on_main = match statement.kind() {
        "guard_statement" => Some(false),
        "if_statement" => Some(true),
        _ => return false,
    };
    let check = statement
        .child_by_field_name("condition")
        .and_then(|condition| thread_check(cx, condition));
    let leaves = children(statement)
        .find(|child| child.kind() == "statements")
        .and_then(|body| children(body).last())
        .is_some_and(|last| last.kind() == "control_transfer_statement");
    check == on_main && leaves
}
