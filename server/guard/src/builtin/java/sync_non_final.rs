use tree_sitter::Node;

use super::super::bindings::children;
use super::super::{BuiltIn, Check, DEFAULTS, FileCx, Sink};
use super::{LANGUAGES, declaration, has_modifier};
use crate::Layer;

pub(in super::super) static RULE: BuiltIn = BuiltIn {
    id: "java-sync-non-final",
    layer: Layer::CodeLevel,
    languages: LANGUAGES,
    message: "The lock is a field that can be replaced.",
    fix_suggestion: "Make the field final, or lock an object of its own.",
    why: "After an assignment two threads hold different locks and both go in.",
    check: Check::Nodes {
        kinds: |_| &["synchronized_statement"],
        visit,
    },
    page: include_str!("../../../../../docs/rules/java-sync-non-final.md"),
    ..DEFAULTS
};

fn visit<'a>(cx: &FileCx<'a>, node: Node<'a>, sink: &mut Sink) {
    let lock = children(node)
        .find(|child| child.kind() == "parenthesized_expression")
        .and_then(|parenthesised| children(parenthesised).find(|c| !c.kind().ends_with("comment")));
    let Some(lock) = lock else { return };
    if let Some(field) = declaration(cx, lock).filter(|by| by.kind() == "field_declaration")
        && !has_modifier(field, "final")
    {
        let name = cx.text_of(lock);
        sink.report(lock)
            .message(format!(
                "The lock `{name}` is a field that can be replaced."
            ))
            .related(field, "it is declared here without `final`");
    }
}
