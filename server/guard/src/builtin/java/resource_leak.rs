use tree_sitter::Node;

use super::super::bindings::{children, fields};
use super::super::{BuiltIn, Check, DEFAULTS, FileCx, Sink};
use super::LANGUAGES;
use crate::Layer;

pub(in super::super) static RULE: BuiltIn = BuiltIn {
    id: "java-resource-leak",
    layer: Layer::CodeLevel,
    languages: LANGUAGES,
    message: "This is not closed on every path.",
    fix_suggestion: "Open it in the head of a `try`.",
    why: "When something throws before the close, the file or connection stays open.",
    check: Check::Nodes {
        kinds: |_| &["local_variable_declaration"],
        visit,
    },
    page: include_str!("../../../../../docs/rules/java-resource-leak.md"),
    ..DEFAULTS
};

const RESOURCES: &[&str] = &[
    "FileInputStream",
    "FileOutputStream",
    "BufferedReader",
    "BufferedWriter",
    "Socket",
    "FileReader",
    "FileWriter",
    "Scanner",
];

fn visit<'a>(cx: &FileCx<'a>, node: Node<'a>, sink: &mut Sink) {
    for declarator in fields(node, "declarator") {
        let (Some(name), Some(value)) = (
            declarator.child_by_field_name("name"),
            declarator.child_by_field_name("value"),
        ) else {
            continue;
        };
        if !opens(cx, value) || is_taken_over(cx, node, cx.text_of(name)) {
            continue;
        }
        sink.report(value).message(format!(
            "`{}` is not closed on every path.",
            cx.text_of(name)
        ));
    }
}

/// Whether an expression opens something that has to be closed.
fn opens<'a>(cx: &FileCx<'a>, value: Node<'a>) -> bool {
    match value.kind() {
        "object_creation_expression" => {
            let made = cx.field_text(value, "type");
            let made = made.rsplit('.').next().unwrap_or(made);
            let first = value
                .child_by_field_name("arguments")
                .and_then(|arguments| arguments.named_child(0));
            // The standard input stays open for the next reader, and text in
            // memory has nothing to close.
            let in_memory = first.is_some_and(|first| {
                let text = cx.text_of(first);
                text == "System.in"
                    || text.contains("new StringReader(")
                    || text.contains("new InputStreamReader(System.in")
                    || made == "Scanner" && first.kind() == "string_literal"
            });
            RESOURCES.contains(&made) && !in_memory && !wraps_a_parameter(cx, value)
        }
        "method_invocation" => cx.field_text(value, "name") == "getConnection",
        "cast_expression" => value
            .child_by_field_name("value")
            .is_some_and(|inner| opens(cx, inner)),
        _ => false,
    }
}

/// `new BufferedWriter(new OutputStreamWriter(out))` where `out` is a parameter:
/// the caller opened the stream, and closes it.
fn wraps_a_parameter<'a>(cx: &FileCx<'a>, mut made: Node<'a>) -> bool {
    loop {
        let first = made
            .child_by_field_name("arguments")
            .and_then(|arguments| arguments.named_child(0));
        match first {
            Some(first) if first.kind() == "object_creation_expression" => made = first,
            Some(first) if first.kind() == "identifier" => {
                return cx
                    .bindings()
                    .find(cx.text_of(first), first.start_byte())
                    .filter(|binding| binding.by.kind() == "formal_parameter")
                    .is_some_and(|binding| {
                        let kind = cx.field_text(binding.by, "type");
                        ["Stream", "Reader", "Writer"]
                            .iter()
                            .any(|end| kind.ends_with(end))
                    });
            }
            _ => return false,
        }
    }
}

/// Whether the resource is closed in a `finally`, or becomes someone else's:
/// it is returned, stored, or given to a constructor or method that keeps it.
fn is_taken_over<'a>(cx: &FileCx<'a>, declaration: Node<'a>, name: &str) -> bool {
    // The scope of the variable is the rest of the block that it stands in.
    let after = std::iter::successors(declaration.next_named_sibling(), Node::next_named_sibling);
    let mut is_next = true;
    for statement in after {
        // `r.close();` right after it, with nothing in between that can throw.
        if is_next && closes(cx, statement, name) {
            return true;
        }
        is_next = false;
        if takes_over(cx, statement, name) {
            return true;
        }
    }
    false
}

fn takes_over<'a>(cx: &FileCx<'a>, node: Node<'a>, name: &str) -> bool {
    let is_it = |node: Node<'a>| node.kind() == "identifier" && cx.text_of(node) == name;
    let found = match node.kind() {
        "return_statement" => children(node).any(|value| mentions_as_value(cx, value, name)),
        "finally_clause" => mentions_close(cx, node, name),
        // `try (Reader r = resource)` and `try (resource)`
        "resource" => {
            node.child_by_field_name("value")
                .is_some_and(|value| mentions_as_value(cx, value, name))
                || children(node).any(is_it)
        }
        "assignment_expression" => node
            .child_by_field_name("right")
            .is_some_and(|value| mentions_as_value(cx, value, name)),
        // A wrapper is the one to be closed.
        "object_creation_expression" => node
            .child_by_field_name("arguments")
            .is_some_and(|arguments| children(arguments).any(is_it)),
        // `connections.add(c)`, `closeQuietly(c)`, `use(c)`
        "method_invocation" => {
            let method = cx.field_text(node, "name");
            let keeps = ["add", "put", "set", "register", "close", "push", "offer"]
                .iter()
                .any(|verb| method.starts_with(verb));
            keeps
                && node
                    .child_by_field_name("arguments")
                    .is_some_and(|arguments| children(arguments).any(is_it))
        }
        _ => false,
    };
    found || children(node).any(|child| takes_over(cx, child, name))
}

/// The variable itself, or something that is made of it.
fn mentions_as_value<'a>(cx: &FileCx<'a>, value: Node<'a>, name: &str) -> bool {
    match value.kind() {
        "identifier" => cx.text_of(value) == name,
        "object_creation_expression" => value
            .child_by_field_name("arguments")
            .is_some_and(|list| children(list).any(|one| mentions_as_value(cx, one, name))),
        "parenthesized_expression" | "cast_expression" | "ternary_expression" => {
            children(value).any(|inner| mentions_as_value(cx, inner, name))
        }
        _ => false,
    }
}

/// `name.close();`
fn closes<'a>(cx: &FileCx<'a>, statement: Node<'a>, name: &str) -> bool {
    statement.kind() == "expression_statement"
        && statement.named_child(0).is_some_and(|call| {
            call.kind() == "method_invocation"
                && cx.field_text(call, "name") == "close"
                && cx.field_text(call, "object") == name
        })
}

fn mentions_close<'a>(cx: &FileCx<'a>, node: Node<'a>, name: &str) -> bool {
    if node.kind() == "method_invocation" {
        let on_it = cx.field_text(node, "object") == name;
        let with_it = node
            .child_by_field_name("arguments")
            .is_some_and(|arguments| {
                children(arguments).any(|argument| cx.text_of(argument) == name)
            });
        let method = cx.field_text(node, "name");
        if on_it && method == "close" || with_it && method.to_ascii_lowercase().contains("close") {
            return true;
        }
    }
    children(node).any(|child| mentions_close(cx, child, name))
}
