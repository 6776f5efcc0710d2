use asd_syntax::Language;
use asd_text::Span;
use tree_sitter::Node;

use super::super::bindings::{children, span_of};
use super::super::{BuiltIn, Check, DEFAULTS, FileCx, Sink};
use super::LANGUAGES;
use crate::Layer;

pub(in super::super) static RULE: BuiltIn = BuiltIn {
    id: "ast_method_too_long",
    layer: Layer::Ast,
    languages: LANGUAGES,
    category: "maintainability",
    message: "The function is long.",
    fix_suggestion: "Move parts of it into functions with a name.",
    why: "What does not fit on a screen is hard to understand and to change.",
    threshold: Some(120),
    strict_threshold: Some(80),
    check: Check::File(check),
    page: include_str!("../../../../../docs/rules/ast_method_too_long.md"),
    ..DEFAULTS
};

fn check<'a>(cx: &FileCx<'a>, sink: &mut Sink) {
    let allowed = sink.threshold();
    for function in &cx.outline().functions {
        // A function without a name is part of the expression around it.
        let Some(body) = function.body.filter(|_| !function.name.is_empty()) else {
            continue;
        };
        let rows = body.end_position().row - body.start_position().row + 1;
        if rows <= allowed as usize {
            continue;
        }
        let lines = code_lines(cx, body);
        if lines > allowed as usize {
            let subject = super::subject(function.name);
            sink.report(function.at).message(format!(
                "{subject} has {lines} lines of code; {allowed} are allowed."
            ));
        }
    }
}

/// The lines of a body between its braces, without blank ones and those that
/// hold a comment only.
fn code_lines(cx: &FileCx<'_>, body: Node<'_>) -> usize {
    let text = cx.text_of(body);
    let mut offset = body.start_byte();
    let documentation = docstring(cx, body);
    let mut lines: Vec<bool> = Vec::new();
    for line in text.split_inclusive('\n') {
        let start = offset + (line.len() - line.trim_start().len());
        let end = offset + line.trim_end().len();
        let mut at = start;
        // Comments one after another may fill a line.
        while at < end {
            match cx.mask.at(at).filter(|span| span.kind.is_comment()) {
                Some(comment) => {
                    at = comment.span.end;
                    at += cx.text[at.min(end)..end].len()
                        - cx.text[at.min(end)..end].trim_start().len();
                }
                None => break,
            }
        }
        let is_documentation =
            documentation.is_some_and(|span| (span.start..span.end).contains(&start));
        lines.push(at < end && !is_documentation);
        offset += line.len();
    }
    let count = |lines: &[bool]| lines.iter().filter(|is_code| **is_code).count();
    match cx.language {
        Language::Python => count(&lines),
        // The lines of the braces are not part of it.
        _ => lines.get(1..lines.len().saturating_sub(1)).map_or(0, count),
    }
}

/// The text at the head of a function of Python that says what it does.
fn docstring(cx: &FileCx<'_>, body: Node<'_>) -> Option<Span> {
    if cx.language != Language::Python {
        return None;
    }
    children(body)
        .find(|statement| statement.kind() != "comment")
        .filter(|first| first.kind() == "expression_statement")
        .and_then(|first| first.named_child(0))
        .filter(|inner| inner.kind() == "string")
        .map(span_of)
}
