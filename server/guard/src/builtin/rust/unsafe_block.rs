use asd_text::Span;
use tree_sitter::Node;

use super::super::bindings::children;
use super::super::{BuiltIn, Check, DEFAULTS, FileCx, Sink};
use super::{LANGUAGES, is_comment};

pub(in super::super) static RULE: BuiltIn = BuiltIn {
    id: "rust-unsafe-block",
    languages: LANGUAGES,
    category: "safety",
    message: "Nothing says why this is sound.",
    fix_suggestion: "Write a `// SAFETY:` comment above it.",
    why: "The compiler does not check it, so the reader has to; without the reason nobody can.",
    check: Check::Nodes {
        kinds: |_| &["unsafe_block", "impl_item"],
        visit,
    },
    page: include_str!("../../../../../docs/rules/rust-unsafe-block.md"),
    ..DEFAULTS
};

fn visit<'a>(cx: &FileCx<'a>, node: Node<'a>, sink: &mut Sink) {
    let Some(keyword) = node.child(0).filter(|first| first.kind() == "unsafe") else {
        return;
    };
    if node.kind() == "unsafe_block" && explained_inside(cx, node) || explained_above(cx, node) {
        return;
    }
    // The head: what follows may be long.
    let end = node
        .child_by_field_name("body")
        .map_or(keyword.end_byte(), |body| {
            cx.text[..body.start_byte()].trim_end().len()
        });
    let found = sink.report(Span::new(node.start_byte(), end));
    if node.kind() == "impl_item" {
        found.message("Nothing says why this implementation is sound.");
    }
}

fn says_why(text: &str) -> bool {
    text.to_ascii_uppercase().contains("SAFETY:")
}

/// Whether the first thing in the block is the comment.
fn explained_inside<'a>(cx: &FileCx<'a>, node: Node<'a>) -> bool {
    children(node)
        .find(|child| child.kind() == "block")
        .is_some_and(|block| {
            children(block)
                .take_while(|child| is_comment(*child))
                .any(|comment| says_why(cx.text_of(comment)))
        })
}

/// Whether a comment stands right before the block, or in the lines above the
/// block or above the statement or item that it is part of.
fn explained_above<'a>(cx: &FileCx<'a>, node: Node<'a>) -> bool {
    if lines_above_say_why(cx.text, node.start_byte()) {
        return true;
    }
    for outer in cx.ancestors(node) {
        match outer.kind() {
            "block" | "declaration_list" | "source_file" | "match_block" | "unsafe_block" => {
                return false;
            }
            _ => {
                if lines_above_say_why(cx.text, outer.start_byte()) {
                    return true;
                }
            }
        }
    }
    false
}

fn lines_above_say_why(text: &str, at: usize) -> bool {
    let line_start = text[..at].rfind('\n').map_or(0, |found| found + 1);
    // `/* SAFETY: … */ unsafe { … }`
    if let Some(comment) = text[line_start..at].rfind("/*")
        && says_why(&text[line_start + comment..at])
    {
        return true;
    }
    text[..line_start]
        .lines()
        .rev()
        .map(str::trim)
        .take_while(|line| {
            line.starts_with("//")
                || line.starts_with("#[")
                || line.starts_with("/*")
                || line.starts_with('*')
                || line.ends_with("*/")
        })
        .any(says_why)
}
