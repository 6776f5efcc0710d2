//! Rules of JavaScript and TypeScript, and what they share.

pub(super) mod no_alert;
pub(super) mod no_console_log;
pub(super) mod no_debugger;
pub(super) mod no_eval;
pub(super) mod no_non_null_assertion;
pub(super) mod no_var;
pub(super) mod unhandled_promise;

use tree_sitter::Node;

use super::FileCx;

pub(super) const LANGUAGES: &[&str] = &["javascript", "typescript"];

/// The names under which the global object is known.
const GLOBAL_OBJECTS: &[&str] = &["window", "globalThis", "self", "global", "top", "parent"];

/// What a callee is behind parentheses, type assertions, and the comma of
/// `(0, eval)`.
pub(super) fn unwrapped(mut node: Node<'_>) -> Node<'_> {
    loop {
        let inner = match node.kind() {
            "parenthesized_expression"
            | "non_null_expression"
            | "as_expression"
            | "satisfies_expression"
            | "instantiation_expression" => {
                super::bindings::children(node).find(|child| child.kind() != "comment")
            }
            "sequence_expression" => super::bindings::children(node).last(),
            _ => None,
        };
        match inner {
            Some(inner) => node = inner,
            None => return node,
        }
    }
}

/// The name of a member, however it is written: `a.b`, `a?.b`, `a['b']`.
pub(super) fn member<'a>(cx: &FileCx<'a>, node: Node<'a>) -> Option<(Node<'a>, &'a str)> {
    // Children by place are found much faster than fields by name, and every
    // call of a file comes by here.
    match node.kind() {
        "member_expression" => {
            let property = node.child(node.child_count().checked_sub(1)?)?;
            Some((node.child(0)?, cx.text_of(property)))
        }
        "subscript_expression" => {
            let index = node.child_by_field_name("index")?;
            Some((node.child(0)?, literal(cx, index)?))
        }
        _ => None,
    }
}

/// What a call calls.
pub(super) fn callee(call: Node<'_>) -> Option<Node<'_>> {
    call.child(0).filter(|callee| !callee.is_extra())
}

/// The content of a string literal without substitutions.
fn literal<'a>(cx: &FileCx<'a>, node: Node<'a>) -> Option<&'a str> {
    let text = cx.text_of(node);
    let plain = match node.kind() {
        "string" => true,
        "template_string" => {
            super::bindings::children(node).all(|child| child.kind() != "template_substitution")
        }
        _ => false,
    };
    (plain && text.len() >= 2).then(|| &text[1..text.len() - 1])
}

/// The globals that rules ask for.
const GLOBALS: &[&str] = &[
    "alert",
    "confirm",
    "console",
    "eval",
    "execScript",
    "Function",
    "prompt",
    "setImmediate",
    "setInterval",
    "setTimeout",
    "String",
];

/// Which of these globals an expression names: `eval`, `window.eval`,
/// `globalThis['eval']`. A name that the file declares or imports is none.
fn global<'a>(cx: &FileCx<'a>, node: Node<'a>) -> Option<&'a str> {
    let node = unwrapped(node);
    if node.kind() == "identifier" {
        let name = cx.text_of(node);
        // Who declares which name is found out only for names that matter.
        let matters = GLOBALS.contains(&name) || GLOBAL_OBJECTS.contains(&name);
        return (matters && undeclared(cx, node)).then_some(name);
    }
    let (object, name) = member(cx, node)?;
    let object = unwrapped(object);
    match object.kind() {
        "identifier" => {
            (GLOBAL_OBJECTS.contains(&cx.text_of(object)) && undeclared(cx, object)).then_some(name)
        }
        // `window.window.eval`
        "member_expression" | "subscript_expression" => {
            global(cx, object).filter(|outer| GLOBAL_OBJECTS.contains(outer))?;
            Some(name)
        }
        _ => None,
    }
}

fn undeclared<'a>(cx: &FileCx<'a>, name: Node<'a>) -> bool {
    cx.bindings()
        .find(cx.text_of(name), name.start_byte())
        .is_none()
}

/// The arguments of a call, without comments.
pub(super) fn arguments<'a>(call: Node<'a>) -> Vec<Node<'a>> {
    call.child_by_field_name("arguments")
        .filter(|list| list.kind() == "arguments")
        .map(|list| {
            super::bindings::children(list)
                .filter(|child| child.kind() != "comment")
                .collect()
        })
        .unwrap_or_default()
}

/// The statement that consists of this expression only.
fn whole_statement<'a>(cx: &FileCx<'a>, expression: Node<'a>) -> Option<Node<'a>> {
    cx.parent(expression)
        .filter(|parent| parent.kind() == "expression_statement")
}

/// Whether a statement stands in a list of statements, so that it can go away
/// or be joined by others.
fn in_list(statement: Node<'_>) -> bool {
    statement.parent().is_some_and(|parent| {
        matches!(
            parent.kind(),
            "program" | "statement_block" | "switch_case" | "switch_default"
        )
    })
}
