use asd_recipe::Severity;
use asd_syntax::Language;
use tree_sitter::Node;

use super::super::bindings::children;
use super::super::{BuiltIn, Check, DEFAULTS, FileCx, Sink};

pub(in super::super) static RULE: BuiltIn = BuiltIn {
    id: "java-no-empty-catch",
    languages: &["java", "kotlin"],
    message: "The exception is caught and forgotten.",
    fix_suggestion: "Handle it, log it, or name it `ignored` and say why.",
    why: "The program goes on as if nothing had happened, and nobody can find out what did.",
    check: Check::Nodes {
        kinds: |language| match language {
            Language::Kotlin => &["catch_block"],
            _ => &["catch_clause"],
        },
        visit,
    },
    page: include_str!("../../../../../docs/rules/java-no-empty-catch.md"),
    ..DEFAULTS
};

fn visit<'a>(cx: &FileCx<'a>, node: Node<'a>, sink: &mut Sink) {
    let (name, body) = match cx.language {
        Language::Kotlin => (
            children(node)
                .find(|child| child.kind() == "simple_identifier")
                .map_or("", |name| cx.text_of(name)),
            node,
        ),
        _ => {
            let Some(body) = node.child_by_field_name("body") else {
                return;
            };
            (
                children(node)
                    .find(|child| child.kind() == "catch_formal_parameter")
                    .map_or("", |parameter| cx.field_text(parameter, "name")),
                body,
            )
        }
    };
    if name == "_" || name.starts_with("ignore") || name.starts_with("expected") {
        return;
    }
    let mut says_why = false;
    for part in children(body) {
        match part.kind() {
            "line_comment" | "block_comment" | "multiline_comment" => says_why = true,
            // The parameter of a Kotlin catch.
            "simple_identifier" | "user_type" | "annotation" if body == node => {}
            _ => return,
        }
    }
    let found = sink.report(node);
    if says_why {
        found.severity(Severity::Info);
    }
}
