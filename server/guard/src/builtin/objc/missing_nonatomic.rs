use asd_recipe::Severity;
use asd_text::TextEdit;
use tree_sitter::Node;

use super::super::{BuiltIn, Check, DEFAULTS, FileCx, Sink};
use super::{LANGUAGES, property};
use crate::Layer;

pub(in super::super) static RULE: BuiltIn = BuiltIn {
    id: "ast_missing_nonatomic",
    layer: Layer::Ast,
    severity: Severity::Info,
    languages: LANGUAGES,
    category: "performance",
    message: "The property is atomic by default.",
    fix_suggestion: "Write `nonatomic`, or `atomic` where it is meant.",
    why: "Every access takes a lock, and yet a sequence of accesses is not safe.",
    fixable: true,
    check: Check::Nodes {
        kinds: |_| &["property_declaration"],
        visit,
    },
    page: include_str!("../../../../../docs/rules/ast_missing_nonatomic.md"),
    ..DEFAULTS
};

fn visit<'a>(cx: &FileCx<'a>, node: Node<'a>, sink: &mut Sink) {
    let Some(property) = property(cx, node) else {
        return;
    };
    let Some(list) = property.attribute_list else {
        return;
    };
    if property.attributes.is_empty() || property.is("atomic") || property.is("nonatomic") {
        return;
    }
    sink.report(list).unsafe_fix(
        "Write `nonatomic`",
        vec![TextEdit::insert(list.start_byte() + 1, "nonatomic, ")],
    );
}
