//! Rules of Rust, and what they share.

pub(super) mod clone_overuse;
pub(super) mod excessive_unsafe;
pub(super) mod excessive_unwrap;
pub(super) mod no_expect_without_msg;
pub(super) mod no_panic_in_lib;
pub(super) mod no_todo_macro;
pub(super) mod no_unwrap;
pub(super) mod std_mutex_in_async;
pub(super) mod string_push_in_loop;
pub(super) mod unsafe_block;

use tree_sitter::Node;

use super::FileCx;
use super::bindings::children;

const LANGUAGES: &[&str] = &["rust"];

/// Whether a node is test code: under `#[cfg(test)]`, in a `#[test]` function of
/// any test framework, in a test, bench or example target, or in `build.rs`.
fn in_test<'a>(cx: &FileCx<'a>, node: Node<'a>) -> bool {
    cx.is_test
        || is_aside(cx)
        || is_test_item(cx, node)
        || cx.ancestors(node).any(|outer| is_test_item(cx, outer))
}

/// Whether the file is built for something else than the library or program;
/// `tests.rs` is where a module keeps its tests.
fn is_aside(cx: &FileCx<'_>) -> bool {
    const FOLDERS: &[&str] = &["tests", "benches", "examples", "test_helpers", "test_utils"];
    let name = cx.file_name();
    matches!(
        name,
        "build.rs" | "tests.rs" | "test.rs" | "test_helpers.rs" | "test_utils.rs"
    ) || name.contains("doctest")
        || cx.in_folder(FOLDERS)
}

fn is_test_item<'a>(cx: &FileCx<'a>, item: Node<'a>) -> bool {
    match item.kind() {
        "source_file" => children(item)
            .take_while(|child| {
                matches!(
                    child.kind(),
                    "inner_attribute_item" | "line_comment" | "block_comment"
                )
            })
            .any(|child| child.kind() == "inner_attribute_item" && is_test_attribute(cx, child)),
        kind if kind.ends_with("_item") || kind.ends_with("_declaration") || kind == "block" => {
            attributes(item).any(|attribute| is_test_attribute(cx, attribute))
        }
        _ => false,
    }
}

/// The attributes in front of an item.
fn attributes(item: Node<'_>) -> impl Iterator<Item = Node<'_>> {
    std::iter::successors(item.prev_named_sibling(), Node::prev_named_sibling)
        .take_while(|sibling| {
            matches!(
                sibling.kind(),
                "attribute_item" | "line_comment" | "block_comment"
            )
        })
        .filter(|sibling| sibling.kind() == "attribute_item")
}

fn is_test_attribute<'a>(cx: &FileCx<'a>, attribute: Node<'a>) -> bool {
    let text = cx.text_of(attribute);
    let inner = text
        .trim_start_matches('#')
        .trim_start_matches('!')
        .trim()
        .trim_start_matches('[')
        .trim_end_matches(']')
        .trim();
    let path = inner.split(['(', '=']).next().unwrap_or(inner).trim();
    match path.rsplit("::").next().unwrap_or(path) {
        "test" | "rstest" | "test_case" | "bench" | "quickcheck" | "wasm_bindgen_test" => true,
        "cfg" => requires_test(inner),
        _ => false,
    }
}

/// `cfg(test)`, `cfg(all(test, …))`, `cfg(any(test, …))`; not `cfg(not(test))`.
fn requires_test(cfg: &str) -> bool {
    let compact: String = cfg.chars().filter(|c| !c.is_whitespace()).collect();
    compact.split(['(', ')', ',']).any(|word| word == "test") && !compact.contains("not(test")
}

/// The receiver and arguments of a call of that method.
fn method_call<'a>(
    cx: &FileCx<'a>,
    call: Node<'a>,
    method: &str,
) -> Option<(Node<'a>, Vec<Node<'a>>)> {
    let callee = call
        .child_by_field_name("function")
        .filter(|callee| callee.kind() == "field_expression")?;
    if cx.field_text(callee, "field") != method {
        return None;
    }
    let arguments = call
        .child_by_field_name("arguments")
        .map(|list| children(list).filter(|child| !is_comment(*child)).collect())
        .unwrap_or_default();
    Some((callee.child_by_field_name("value")?, arguments))
}

fn is_comment(node: Node<'_>) -> bool {
    matches!(node.kind(), "line_comment" | "block_comment")
}

/// The last segment of the path of a macro.
fn macro_name<'a>(cx: &FileCx<'a>, invocation: Node<'a>) -> &'a str {
    let path = cx.field_text(invocation, "macro");
    path.rsplit("::").next().unwrap_or(path)
}

/// In the arguments of a macro there are tokens only: the place of `name!(…)`
/// when `token` is its name. The body of `macro_rules!` is no code yet.
fn macro_in_macro<'a>(cx: &FileCx<'a>, token: Node<'a>, names: &[&str]) -> Option<asd_text::Span> {
    names.contains(&cx.text_of(token)).then_some(())?;
    cx.parent(token)
        .filter(|parent| parent.kind() == "token_tree")?;
    let mark = token.next_sibling().filter(|next| next.kind() == "!")?;
    let arguments = mark
        .next_sibling()
        .filter(|next| next.kind() == "token_tree")?;
    cx.ancestors(token)
        .all(|outer| !is_macro_body(cx, outer))
        .then(|| asd_text::Span::new(token.start_byte(), arguments.end_byte()))
}

/// Whether a node is the definition of a macro, or the tokens of one that
/// another macro is given: `wrap! { macro_rules! name { … } }`.
fn is_macro_body<'a>(cx: &FileCx<'a>, node: Node<'a>) -> bool {
    match node.kind() {
        "macro_definition" => true,
        "token_tree" => std::iter::successors(node.prev_sibling(), Node::prev_sibling)
            .take(3)
            .any(|before| before.kind() == "identifier" && cx.text_of(before) == "macro_rules"),
        _ => false,
    }
}

/// In the arguments of a macro there are tokens only: the place of `.method()`
/// when `token` is its name, from the start of the receiver's last token.
fn method_in_macro<'a>(cx: &FileCx<'a>, token: Node<'a>, method: &str) -> Option<asd_text::Span> {
    if cx.text_of(token) != method {
        return None;
    }
    let before = token.prev_sibling().filter(|dot| dot.kind() == ".")?;
    let after = token
        .next_sibling()
        .filter(|arguments| cx.text_of(*arguments).starts_with('('))?;
    let empty = children(after).next().is_none();
    if cx.ancestors(token).any(|outer| is_macro_body(cx, outer)) {
        return None;
    }
    let start = before
        .prev_sibling()
        .map_or(before.start_byte(), |receiver| receiver_start(receiver));
    empty.then(|| asd_text::Span::new(start, after.end_byte()))
}

/// Walks back over `a.b(c)?.d` in a list of tokens.
fn receiver_start(last: Node<'_>) -> usize {
    let mut at = last;
    loop {
        let Some(before) = at.prev_sibling() else {
            return at.start_byte();
        };
        let joins = matches!(before.kind(), "." | "::" | "?")
            || matches!(at.kind(), "." | "::" | "?")
            || at.kind() == "token_tree" && matches!(before.kind(), "identifier" | "!" | ">");
        let opens = before.kind() == "(" || before.kind() == "[" || before.kind() == "{";
        if !joins || opens {
            return at.start_byte();
        }
        at = before;
    }
}
