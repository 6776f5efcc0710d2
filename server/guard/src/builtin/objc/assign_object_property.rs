use tree_sitter::Node;

use super::super::{BuiltIn, Check, DEFAULTS, FileCx, Sink};
use super::{LANGUAGES, assign_object};
use crate::Layer;

pub(in super::super) static RULE: BuiltIn = BuiltIn {
    id: "ast_assign_object_property",
    layer: Layer::Ast,
    languages: LANGUAGES,
    message: "An object property is declared with `assign`.",
    fix_suggestion: "Use `weak`, `strong` or `copy`.",
    why: "When the object is gone the pointer stays, and the next use crashes.",
    fixable: true,
    check: Check::Nodes {
        kinds: |_| &["property_declaration"],
        visit,
    },
    page: include_str!("../../../../../docs/rules/ast_assign_object_property.md"),
    ..DEFAULTS
};

fn visit<'a>(cx: &FileCx<'a>, node: Node<'a>, sink: &mut Sink) {
    assign_object::check(cx, node, &["assign"], sink);
}
