//! Categories and classes of Objective-C.

use tree_sitter::Node;

use super::{FileFacts, at, plain};
use crate::builtin::children;
use crate::cross_file::facts::{Category, Class};

pub(super) fn read(facts: &mut FileFacts, text: &str, root: Node<'_>) {
    let mut todo = vec![root];
    while let Some(node) = todo.pop() {
        match node.kind() {
            "class_interface" | "class_implementation" => declaration(facts, text, node),
            kind if kind.starts_with("preproc_")
                || matches!(kind, "translation_unit" | "linkage_specification" | "ERROR")
                || kind.contains("declaration_list") =>
            {
                let from = todo.len();
                todo.extend(children(node));
                todo[from..].reverse();
            }
            _ => {}
        }
    }
}

fn declaration(facts: &mut FileFacts, text: &str, node: Node<'_>) {
    let Some(class) = children(node).find(|child| child.kind() == "identifier") else {
        return;
    };
    let is_implementation = node.kind() == "class_implementation";
    if let Some(category) = node.child_by_field_name("category") {
        facts.categories.push(Category {
            class: text[class.byte_range()].into(),
            name: text[category.byte_range()].into(),
            is_implementation,
            at: at(category),
        });
        return;
    }
    // `@interface A ()` adds to a class that is declared elsewhere.
    let is_extension = node.child(2).is_some_and(|third| third.kind() == "(");
    if !is_implementation && !is_extension {
        facts.classes.push(Class {
            name: text[class.byte_range()].into(),
            superclass: node
                .child_by_field_name("superclass")
                .map(|superclass| plain(&text[superclass.byte_range()])),
            at: at(class),
        });
    }
}
