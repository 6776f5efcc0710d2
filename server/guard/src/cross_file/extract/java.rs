//! Packages and classes of Java and Kotlin.

use tree_sitter::Node;

use super::{FileFacts, at, plain};
use crate::builtin::children;
use crate::cross_file::facts::{Class, Import};

pub(super) fn read_java(facts: &mut FileFacts, text: &str, root: Node<'_>) {
    for item in children(root) {
        match item.kind() {
            "package_declaration" => {
                facts.package = name_in(item, text, &["scoped_identifier", "identifier"]);
            }
            "import_declaration" => import(facts, text, item, &["scoped_identifier"]),
            "class_declaration"
            | "interface_declaration"
            | "enum_declaration"
            | "record_declaration"
            | "annotation_type_declaration" => {
                let Some(name) = item.child_by_field_name("name") else {
                    continue;
                };
                let superclass = item
                    .child_by_field_name("superclass")
                    .and_then(|clause| children(clause).next())
                    .map(|class| plain(&text[class.byte_range()]));
                facts.classes.push(Class {
                    name: text[name.byte_range()].into(),
                    superclass,
                    at: at(name),
                });
            }
            _ => {}
        }
    }
}

pub(super) fn read_kotlin(facts: &mut FileFacts, text: &str, root: Node<'_>) {
    for item in children(root) {
        match item.kind() {
            "package_header" => facts.package = name_in(item, text, &["identifier"]),
            "import_list" => {
                for header in children(item) {
                    import(facts, text, header, &["identifier"]);
                }
            }
            "class_declaration" | "object_declaration" => {
                let Some(name) = children(item).find(|child| child.kind() == "type_identifier")
                else {
                    continue;
                };
                // The parts of one class on several platforms are one class.
                let is_of_a_platform = children(item)
                    .filter(|child| child.kind() == "modifiers")
                    .flat_map(children)
                    .any(|modifier| modifier.kind() == "platform_modifier");
                if is_of_a_platform {
                    continue;
                }
                let superclass = children(item)
                    .filter(|child| child.kind() == "delegation_specifier")
                    .filter_map(|specifier| specifier.named_child(0))
                    .find(|inner| inner.kind() == "constructor_invocation")
                    .and_then(|invocation| invocation.named_child(0))
                    .map(|class| plain(&text[class.byte_range()]));
                facts.classes.push(Class {
                    name: text[name.byte_range()].into(),
                    superclass,
                    at: at(name),
                });
            }
            _ => {}
        }
    }
}

fn name_in(item: Node<'_>, text: &str, kinds: &[&str]) -> Option<Box<str>> {
    let name = children(item).find(|child| kinds.contains(&child.kind()))?;
    let name: String = text[name.byte_range()].split_whitespace().collect();
    Some(name.into())
}

/// Keeps an import for the classes that it names.
fn import(facts: &mut FileFacts, text: &str, item: Node<'_>, kinds: &[&str]) {
    let is_plain = children(item).all(|child| kinds.contains(&child.kind()));
    if is_plain && let Some(specifier) = name_in(item, text, kinds) {
        facts.imports.push(Import {
            specifier,
            at: at(item),
        });
    }
}
