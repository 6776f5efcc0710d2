use asd_text::{Span, TextEdit};
use tree_sitter::Node;

use super::super::{BuiltIn, Check, DEFAULTS, FileCx, Sink};

pub(in super::super) static RULE: BuiltIn = BuiltIn {
    id: "ts-no-non-null-assertion",
    languages: &["typescript"],
    category: "safety",
    message: "`!` tells the compiler that this is never null, and nothing checks it.",
    fix_suggestion: "Use `?.`, `??`, or a check that narrows the type.",
    why: "When the value is null after all, the error appears far from here.",
    fixable: true,
    skips_tests: true,
    check: Check::Nodes {
        kinds: |_| &["non_null_expression"],
        visit,
    },
    page: include_str!("../../../../../docs/rules/ts-no-non-null-assertion.md"),
    ..DEFAULTS
};

fn visit<'a>(cx: &FileCx<'a>, node: Node<'a>, sink: &mut Sink) {
    let edit = optional_chain(cx, node);
    let found = sink.report(node);
    if let Some(edit) = edit {
        found.unsafe_fix("Use an optional chain", vec![edit]);
    }
}

/// `a!.b` as `a?.b`, where that is an expression that is only read.
fn optional_chain<'a>(cx: &FileCx<'a>, node: Node<'a>) -> Option<TextEdit> {
    let mut around = cx.ancestors(node);
    let parent = around.next()?;
    let mark = Span::new(node.end_byte() - 1, node.end_byte());
    let text = match parent.kind() {
        "member_expression" if parent.child_by_field_name("object") == Some(node) => {
            if parent.child_by_field_name("optional_chain").is_some() {
                ""
            } else {
                "?"
            }
        }
        "subscript_expression" if parent.child_by_field_name("object") == Some(node) => {
            if parent.child_by_field_name("optional_chain").is_some() {
                ""
            } else {
                "?."
            }
        }
        "call_expression" if parent.child_by_field_name("function") == Some(node) => "?.",
        _ => return None,
    };
    // The target of an assignment or `new` cannot be an optional chain.
    let mut inner = parent;
    for outer in around {
        let chained = match outer.kind() {
            "member_expression" | "subscript_expression" => {
                outer.child_by_field_name("object") == Some(inner)
            }
            "call_expression" => outer.child_by_field_name("function") == Some(inner),
            "non_null_expression" => true,
            "assignment_expression" | "augmented_assignment_expression"
                if outer.child_by_field_name("left") == Some(inner) =>
            {
                return None;
            }
            "update_expression" | "new_expression" | "object_pattern" | "array_pattern"
            | "pair_pattern" | "rest_pattern" => return None,
            "for_in_statement" if outer.child_by_field_name("left") == Some(inner) => return None,
            _ => false,
        };
        if !chained {
            break;
        }
        inner = outer;
    }
    Some(TextEdit::replace(mark, text))
}
