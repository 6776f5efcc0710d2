use tree_sitter::Node;

use super::super::{BuiltIn, Check, DEFAULTS, FileCx, Sink};
use super::{Capture, LANGUAGES, captured, is_stored, is_weakified};
use crate::Layer;

pub(in super::super) static RULE: BuiltIn = BuiltIn {
    id: "ast_missing_weakify",
    layer: Layer::Ast,
    languages: LANGUAGES,
    message: "A stored block captures `self` strongly.",
    fix_suggestion: "Capture a weak reference, and make it strong inside of the block.",
    why: "The object holds the block and the block holds the object: neither is ever freed.",
    check: Check::Nodes {
        kinds: |_| &["block_literal"],
        visit,
    },
    page: include_str!("../../../../../docs/rules/ast_missing_weakify.md"),
    ..DEFAULTS
};

fn visit<'a>(cx: &FileCx<'a>, node: Node<'a>, sink: &mut Sink) {
    if is_stored(cx, node)
        && !is_weakified(cx, node)
        && let Some((name, Capture::This)) = captured(cx, node)
    {
        sink.report(name).related(node, "the block that is stored");
    }
}
