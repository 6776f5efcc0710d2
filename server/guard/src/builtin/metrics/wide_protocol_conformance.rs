use super::super::{BuiltIn, Check, DEFAULTS, FileCx, Sink};
use super::supertypes::interfaces;
use crate::Layer;

pub(in super::super) static RULE: BuiltIn = BuiltIn {
    id: "ast_wide_protocol_conformance",
    layer: Layer::Ast,
    languages: &["objc", "swift", "typescript", "java", "kotlin", "dart"],
    category: "maintainability",
    message: "The type conforms to many protocols or interfaces.",
    fix_suggestion: "Let parts of it conform, each to what it is for.",
    why: "A type with many roles is changed for the reasons of all of them.",
    threshold: Some(5),
    check: Check::File(check),
    page: include_str!("../../../../../docs/rules/ast_wide_protocol_conformance.md"),
    ..DEFAULTS
};

fn check<'a>(cx: &FileCx<'a>, sink: &mut Sink) {
    let allowed = sink.threshold();
    for type_ in &cx.outline().types {
        let count = type_
            .declaration
            .map_or(0, |declaration| interfaces(cx, declaration));
        if count > allowed as usize {
            sink.report(type_.at).message(format!(
                "`{}` conforms to {count} protocols or interfaces; {allowed} are allowed.",
                type_.name
            ));
        }
    }
}
