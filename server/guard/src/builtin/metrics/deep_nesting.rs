use super::super::{BuiltIn, Check, DEFAULTS, FileCx, Sink};
use super::LANGUAGES;
use crate::Layer;

pub(in super::super) static RULE: BuiltIn = BuiltIn {
    id: "ast_deep_nesting",
    layer: Layer::Ast,
    languages: LANGUAGES,
    category: "maintainability",
    message: "Blocks are nested deeply.",
    fix_suggestion: "Return early, or move the inner part into a function.",
    why: "To understand the innermost line one has to keep all conditions around it in mind.",
    threshold: Some(6),
    strict_threshold: Some(5),
    check: Check::File(check),
    page: include_str!("../../../../../docs/rules/ast_deep_nesting.md"),
    ..DEFAULTS
};

fn check<'a>(cx: &FileCx<'a>, sink: &mut Sink) {
    let allowed = sink.threshold();
    for function in &cx.outline().functions {
        let (depth, at) = function.deepest;
        if depth > allowed {
            sink.report(at)
                .message(format!(
                    "Blocks are nested {depth} deep here; {allowed} are allowed."
                ))
                .related(function.at, "in this function");
        }
    }
}
