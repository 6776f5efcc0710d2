use super::super::{BuiltIn, Check, DEFAULTS, FileCx, Sink};
use super::LANGUAGES;
use crate::Layer;

pub(in super::super) static RULE: BuiltIn = BuiltIn {
    id: "ast_method_complexity",
    layer: Layer::Ast,
    languages: LANGUAGES,
    category: "maintainability",
    message: "The function has many paths.",
    fix_suggestion: "Move parts of it into functions with a name.",
    why: "Each path wants to be understood and tested.",
    threshold: Some(20),
    strict_threshold: Some(15),
    check: Check::File(check),
    page: include_str!("../../../../../docs/rules/ast_method_complexity.md"),
    ..DEFAULTS
};

fn check<'a>(cx: &FileCx<'a>, sink: &mut Sink) {
    let allowed = sink.threshold();
    for function in &cx.outline().functions {
        if function.complexity > allowed {
            let subject = super::subject(function.name);
            sink.report(function.at).message(format!(
                "{subject} has a cyclomatic complexity of {}; {allowed} is allowed.",
                function.complexity
            ));
        }
    }
}
