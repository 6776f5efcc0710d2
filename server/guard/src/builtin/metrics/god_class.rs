use super::super::{BuiltIn, Check, DEFAULTS, FileCx, Second, Sink};
use super::LANGUAGES;
use crate::Layer;

pub(in super::super) static RULE: BuiltIn = BuiltIn {
    id: "ast_god_class",
    layer: Layer::Ast,
    languages: LANGUAGES,
    category: "maintainability",
    message: "The type has many methods and many properties.",
    fix_suggestion: "Split it: each part takes its methods and the properties that they use.",
    why: "Everything depends on it, and nobody knows all of it.",
    threshold: Some(40),
    strict_threshold: Some(30),
    second: Some(Second {
        first_key: "_methods",
        key: "_properties",
        threshold: 20,
        strict_threshold: 15,
    }),
    check: Check::File(check),
    page: include_str!("../../../../../docs/rules/ast_god_class.md"),
    ..DEFAULTS
};

fn check<'a>(cx: &FileCx<'a>, sink: &mut Sink) {
    let methods = sink.threshold();
    let properties = sink.second_threshold();
    for type_ in &cx.outline().types {
        if type_.methods > methods && type_.properties > properties {
            sink.report(type_.at).message(format!(
                "`{}` has {} methods and {} properties; {methods} and {properties} are allowed.",
                type_.name, type_.methods, type_.properties
            ));
        }
    }
}
