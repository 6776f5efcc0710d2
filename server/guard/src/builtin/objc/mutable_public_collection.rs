use tree_sitter::Node;

use super::super::{BuiltIn, Check, DEFAULTS, FileCx, Sink};
use super::{LANGUAGES, children, property};
use crate::Layer;

pub(in super::super) static RULE: BuiltIn = BuiltIn {
    id: "ast_mutable_public_collection",
    layer: Layer::Ast,
    languages: LANGUAGES,
    message: "Everyone can change this collection without the class knowing.",
    fix_suggestion: "Declare the immutable type here, or `readonly`, and keep the mutable one private.",
    why: "The class cannot keep its own promises when others change its data.",
    check: Check::Nodes {
        kinds: |_| &["property_declaration"],
        visit,
    },
    page: include_str!("../../../../../docs/rules/ast_mutable_public_collection.md"),
    ..DEFAULTS
};

fn visit<'a>(cx: &FileCx<'a>, node: Node<'a>, sink: &mut Sink) {
    if !cx.file_name().ends_with(".h") {
        return;
    }
    // `@interface A ()` is private, wherever it stands.
    let in_extension = cx.parent(node).is_some_and(|class| {
        let mut cursor = class.walk();
        class.child_by_field_name("category").is_none()
            && class.children(&mut cursor).any(|child| child.kind() == "(")
    });
    let Some(property) = property(cx, node).filter(|property| !property.is("readonly")) else {
        return;
    };
    if in_extension {
        return;
    }
    if let Some(kind) = property.object_type(cx) {
        let name = children(kind)
            .find(|child| child.kind() == "type_identifier")
            .unwrap_or(kind);
        if cx.text_of(name).starts_with("NSMutable") {
            sink.report(kind);
        }
    }
}
