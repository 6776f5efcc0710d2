use asd_text::Span;
use tree_sitter::Node;

use super::super::bindings::children;
use super::super::{BuiltIn, Check, DEFAULTS, FileCx, Sink};
use super::LANGUAGES;
use crate::Layer;

pub(in super::super) static RULE: BuiltIn = BuiltIn {
    id: "py-mixed-indentation",
    layer: Layer::CodeLevel,
    languages: LANGUAGES,
    category: "style",
    message: "The file is indented with tabs and with spaces.",
    fix_suggestion: "Indent the whole file with spaces.",
    why: "How wide a tab looks depends on the editor, so the structure that a reader sees may not be the one that runs.",
    check: Check::Count {
        kinds: |_| &["block"],
        visit,
        finish,
    },
    page: include_str!("../../../../../docs/rules/py-mixed-indentation.md"),
    ..DEFAULTS
};

/// The indentation of every statement: lines inside of strings and brackets are
/// nobody's statement.
fn visit<'a>(cx: &FileCx<'a>, node: Node<'a>, indents: &mut Vec<Span>) {
    for statement in children(node).filter(|child| child.kind() != "comment") {
        let start = cx.text[..statement.start_byte()]
            .rfind(['\n', '\r'])
            .map_or(0, |at| at + 1);
        let indent = &cx.text[start..statement.start_byte()];
        let counts = indent.starts_with('\t') || indent.starts_with("  ");
        if counts && indent.trim().is_empty() {
            indents.push(Span::new(start, statement.start_byte()));
        }
    }
}

fn finish(cx: &FileCx<'_>, indents: &[Span], sink: &mut Sink) {
    let mut indents = indents.to_vec();
    indents.sort_by_key(|span| span.start);
    let is_tab = |span: &Span| cx.text.as_bytes()[span.start] == b'\t';
    let Some(first) = indents.first() else { return };
    if let Some(other) = indents.iter().find(|span| is_tab(span) != is_tab(first)) {
        let (this, that) = if is_tab(other) {
            ("a tab", "spaces")
        } else {
            ("spaces", "tabs")
        };
        sink.report(*other)
            .message(format!(
                "This line is indented with {this}, the lines before it with {that}."
            ))
            .related(*first, "the first indentation of the file");
    }
}
