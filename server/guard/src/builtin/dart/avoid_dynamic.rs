use tree_sitter::Node;

use super::super::{BuiltIn, Check, DEFAULTS, FileCx, Sink};
use super::LANGUAGES;

pub(in super::super) static RULE: BuiltIn = BuiltIn {
    id: "dart-avoid-dynamic",
    languages: LANGUAGES,
    category: "style",
    message: "`dynamic` turns off the type checker.",
    fix_suggestion: "Name the type, or use `Object?` and check it.",
    why: "A wrong name of a method is found when it is called, by the user.",
    check: Check::Nodes {
        kinds: |_| &["type"],
        visit,
    },
    page: include_str!("../../../../../docs/rules/dart-avoid-dynamic.md"),
    ..DEFAULTS
};

fn visit<'a>(cx: &FileCx<'a>, node: Node<'a>, sink: &mut Sink) {
    if cx.text_of(node).trim_end_matches('?') != "dynamic" {
        return;
    }
    let mut around = cx.ancestors(node);
    // As a type argument or in a cast it is not the type of anything declared.
    let declares = around.next().is_some_and(|parent| {
        matches!(
            parent.kind(),
            "declaration"
                | "initialized_variable_declaration"
                | "top_level_variable_declaration"
                | "for_statement"
                | "formal_parameter"
                | "function_signature"
                | "getter_signature"
        )
    });
    if declares && !signature_of_json(cx, node) {
        sink.report(node);
    }
}

/// Whether a type stands in the signature of `fromJson` or `toJson`.
fn signature_of_json<'a>(cx: &FileCx<'a>, node: Node<'a>) -> bool {
    for outer in cx.ancestors(node) {
        match outer.kind() {
            "function_signature" | "factory_constructor_signature" | "constructor_signature" => {
                return super::super::bindings::fields(outer, "name").any(|name| {
                    let name = cx.text_of(name).trim_start_matches('_');
                    name.ends_with("fromJson")
                        || name.ends_with("FromJson")
                        || name.ends_with("toJson")
                        || name.ends_with("ToJson")
                });
            }
            "block" | "class_body" => return false,
            _ => {}
        }
    }
    false
}
