//! What runs after an `await`, when the widget may be gone.

use tree_sitter::Node;

use super::super::FileCx;
use super::super::bindings::children;

/// The `await` after which `node` runs without a look at `mounted` in between,
/// in the same function.
pub(super) fn unguarded_await<'a>(cx: &FileCx<'a>, node: Node<'a>) -> Option<Node<'a>> {
    let mut inner = node;
    for outer in cx.ancestors(node) {
        match outer.kind() {
            "function_body" | "function_expression_body" => return None,
            "if_statement" | "conditional_expression" => {
                let condition = outer
                    .child_by_field_name("condition")
                    .or_else(|| outer.named_child(0))
                    .filter(|condition| *condition != inner);
                if let Some(condition) = condition {
                    let alternative = outer.child_by_field_name("alternative") == Some(inner);
                    let guarded = if alternative {
                        denies_mounted(cx, condition)
                    } else {
                        requires_mounted(cx, condition)
                    };
                    if guarded {
                        return None;
                    }
                    if let Some(awaited) = awaits(condition) {
                        return Some(awaited);
                    }
                }
            }
            "logical_and_expression" => {
                if let Some(left) = children(outer).next().filter(|left| *left != inner) {
                    if requires_mounted(cx, left) {
                        return None;
                    }
                    if let Some(awaited) = awaits(left) {
                        return Some(awaited);
                    }
                }
            }
            "for_statement" if outer.child_by_field_name("body") == Some(inner) => {
                // `await for` waits before each iteration.
                let keyword = outer.child(0).filter(|first| first.kind() == "await");
                if keyword.is_some() {
                    return keyword;
                }
            }
            _ => {}
        }
        // What stands before it in the same node runs before it; the branches
        // of a condition exclude each other.
        if !matches!(
            outer.kind(),
            "if_statement" | "conditional_expression" | "try_statement"
        ) {
            let before: Vec<Node<'a>> = children(outer)
                .take_while(|child| *child != inner)
                .collect();
            for earlier in before.into_iter().rev() {
                if guards(cx, earlier) {
                    return None;
                }
                if let Some(awaited) = awaits_and_goes_on(earlier) {
                    return Some(awaited);
                }
            }
        } else if outer.kind() == "try_statement" {
            // A handler runs after a part of the body.
            let body = outer.child_by_field_name("body");
            if body != Some(inner)
                && let Some(awaited) = body.and_then(awaits)
            {
                return Some(awaited);
            }
        }
        inner = outer;
    }
    None
}

/// `if (!mounted) return;`
fn guards<'a>(cx: &FileCx<'a>, statement: Node<'a>) -> bool {
    statement.kind() == "if_statement"
        && statement
            .child_by_field_name("condition")
            .is_some_and(|condition| denies_mounted(cx, condition))
        && statement
            .child_by_field_name("consequence")
            .is_some_and(leaves)
}

/// `mounted`, `context.mounted`, `this.mounted`, by itself or joined by `&&`.
fn requires_mounted<'a>(cx: &FileCx<'a>, condition: Node<'a>) -> bool {
    match condition.kind() {
        "logical_and_expression" => children(condition).any(|side| requires_mounted(cx, side)),
        "parenthesized_expression" => condition
            .named_child(0)
            .is_some_and(|inner| requires_mounted(cx, inner)),
        "identifier" | "member_expression" => is_mounted(cx.text_of(condition)),
        _ => false,
    }
}

/// `!mounted`, by itself or joined by `||`.
fn denies_mounted<'a>(cx: &FileCx<'a>, condition: Node<'a>) -> bool {
    match condition.kind() {
        "logical_or_expression" => children(condition).any(|side| denies_mounted(cx, side)),
        "parenthesized_expression" => condition
            .named_child(0)
            .is_some_and(|inner| denies_mounted(cx, inner)),
        "unary_expression" => cx
            .text_of(condition)
            .strip_prefix('!')
            .is_some_and(|rest| is_mounted(rest.trim())),
        _ => false,
    }
}

fn is_mounted(text: &str) -> bool {
    text == "mounted" || text.ends_with(".mounted")
}

/// The last `await` in a node, not in functions inside of it.
fn awaits(node: Node<'_>) -> Option<Node<'_>> {
    let mut last: Option<Node<'_>> = None;
    let mut open = vec![node];
    while let Some(node) = open.pop() {
        let keyword = match node.kind() {
            "function_expression" | "local_function_declaration" => continue,
            "await_expression" | "for_statement" => {
                node.child(0).filter(|first| first.kind() == "await")
            }
            _ => None,
        };
        if let Some(keyword) = keyword
            && last.is_none_or(|last| last.start_byte() < keyword.start_byte())
        {
            last = Some(keyword);
        }
        open.extend(children(node));
    }
    last
}

/// The last `await` in a statement after which what follows can run.
fn awaits_and_goes_on(statement: Node<'_>) -> Option<Node<'_>> {
    if leaves(statement) {
        return None;
    }
    if statement.kind() != "if_statement" {
        return awaits(statement);
    }
    ["alternative", "consequence", "condition"]
        .iter()
        .filter_map(|part| statement.child_by_field_name(part))
        .find_map(awaits_and_goes_on)
}

/// Whether a statement always leaves the block around it.
pub(super) fn leaves(statement: Node<'_>) -> bool {
    match statement.kind() {
        "return_statement" | "break_statement" | "continue_statement" => true,
        "expression_statement" => statement.named_child(0).is_some_and(|inner| {
            inner.kind().contains("throw") || inner.kind() == "rethrow_expression"
        }),
        "block" => children(statement)
            .filter(|child| child.kind() != "comment")
            .last()
            .is_some_and(leaves),
        "if_statement" => ["consequence", "alternative"]
            .iter()
            .all(|branch| statement.child_by_field_name(branch).is_some_and(leaves)),
        kind => kind.contains("throw"),
    }
}
