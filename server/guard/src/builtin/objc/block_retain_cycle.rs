use tree_sitter::Node;

use super::super::{BuiltIn, Check, DEFAULTS, FileCx, Sink};
use super::{LANGUAGES, captured, is_stored, is_weakified};

pub(in super::super) static RULE: BuiltIn = BuiltIn {
    id: "objc-block-retain-cycle",
    languages: LANGUAGES,
    message: "The block keeps `self` alive, and is kept itself.",
    fix_suggestion: "Capture a weak reference, and make it strong inside of the block.",
    why: "Neither of the two is ever freed.",
    yields_to: Some("ast_missing_weakify"),
    check: Check::Nodes {
        kinds: |_| &["block_literal"],
        visit,
    },
    page: include_str!("../../../../../docs/rules/objc-block-retain-cycle.md"),
    ..DEFAULTS
};

fn visit<'a>(cx: &FileCx<'a>, node: Node<'a>, sink: &mut Sink) {
    if is_stored(cx, node)
        && !is_weakified(cx, node)
        && let Some((name, _)) = captured(cx, node)
    {
        sink.report(name).related(node, "the block that is stored");
    }
}
