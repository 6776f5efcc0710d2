use super::super::{BuiltIn, Check, DEFAULTS, FileCx, Sink};
use super::LANGUAGES;
use crate::Layer;

pub(in super::super) static RULE: BuiltIn = BuiltIn {
    id: "ast_class_bloat",
    layer: Layer::Ast,
    languages: LANGUAGES,
    category: "maintainability",
    message: "The type has many methods.",
    fix_suggestion: "Move what belongs together into a type of its own.",
    why: "A type that does everything is changed for every reason.",
    threshold: Some(30),
    strict_threshold: Some(20),
    yields_to: Some("ast_god_class"),
    check: Check::File(check),
    page: include_str!("../../../../../docs/rules/ast_class_bloat.md"),
    ..DEFAULTS
};

fn check<'a>(cx: &FileCx<'a>, sink: &mut Sink) {
    let allowed = sink.threshold();
    for type_ in &cx.outline().types {
        if type_.methods > allowed {
            sink.report(type_.at).message(format!(
                "`{}` has {} methods; {allowed} are allowed.",
                type_.name, type_.methods
            ));
        }
    }
}
