use asd_text::Span;
use tree_sitter::Node;

use super::super::bindings::{children, span_of};
use super::super::{BuiltIn, Check, DEFAULTS, FileCx, Sink};
use super::LANGUAGES;
use crate::Layer;

pub(in super::super) static RULE: BuiltIn = BuiltIn {
    id: "dart-excessive-late",
    layer: Layer::CodeLevel,
    languages: LANGUAGES,
    message: "Many variables of this file are `late`.",
    fix_suggestion: "Give them a value in the constructor, or make them nullable.",
    why: "Each is a check that moved from the compiler to the user.",
    threshold: Some(3),
    check: Check::Count {
        kinds: |_| {
            &[
                "declaration",
                "top_level_variable_declaration",
                "initialized_variable_declaration",
            ]
        },
        visit,
        finish,
    },
    page: include_str!("../../../../../docs/rules/dart-excessive-late.md"),
    ..DEFAULTS
};

fn visit<'a>(_: &FileCx<'a>, node: Node<'a>, counted: &mut Vec<Span>) {
    let has = |keyword: &str| {
        let mut cursor = node.walk();
        node.children(&mut cursor)
            .any(|child| child.kind() == keyword)
    };
    if !has("late") || has("final") {
        return;
    }
    if node.kind() == "initialized_variable_declaration" {
        if let Some(name) = node
            .child_by_field_name("name")
            .filter(|_| node.child_by_field_name("value").is_none())
        {
            counted.push(span_of(name));
        }
        return;
    }
    for list in children(node).filter(|child| child.kind() == "initialized_identifier_list") {
        for variable in children(list) {
            if let Some(name) = variable
                .child_by_field_name("name")
                .filter(|_| variable.child_by_field_name("value").is_none())
            {
                counted.push(span_of(name));
            }
        }
    }
}

fn finish(_: &FileCx<'_>, counted: &[Span], sink: &mut Sink) {
    let allowed = sink.threshold();
    if let Some(over) = counted.get(allowed as usize) {
        sink.report(*over).message(format!(
            "This file has {} `late` variables without a value; {allowed} are allowed.",
            counted.len()
        ));
    }
}
