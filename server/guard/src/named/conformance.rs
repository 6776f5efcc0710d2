//! Which types conform to what.

use asd_syntax::Language;

use super::facts::{N, head, type_name, words};

/// The last name of a path, without type arguments.
fn simple(name: &str) -> &str {
    let name = name.split(['<', '(']).next().unwrap_or(name);
    name.rsplit(['.', ':']).next().unwrap_or(name).trim()
}

/// Whether the head of a type's declaration names the protocol.
pub(super) fn head_names(node: &N<'_>, protocol: &str) -> bool {
    let protocol = simple(protocol);
    let head = match &*node.kind() {
        // The interface declares everything between its two ends; its own
        // lines follow the head.
        "class_interface" => node.text().lines().next().unwrap_or_default().to_owned(),
        "type_spec" => node.text().into_owned(),
        _ => head(node),
    };
    if words(&head).skip(1).any(|word| word == protocol) {
        return true;
    }
    // `include P` in Ruby, `#[derive(P)]` before a Rust item.
    let derives = std::iter::successors(node.prev(), N::prev)
        .take_while(|before| before.kind() == "attribute_item" || before.kind().contains("comment"))
        .any(|attribute| {
            let text = attribute.text();
            text.contains("derive") && words(&text).any(|word| word == protocol)
        });
    derives
        || (*node.lang() == Language::Ruby
            && node.text().lines().any(|line| {
                let line = line.trim();
                line.strip_prefix("include")
                    .or_else(|| line.strip_prefix("prepend"))
                    .is_some_and(|rest| words(rest).any(|word| word == protocol))
            }))
}

/// Whether another declaration in the same text adds the conformance.
pub(super) fn conforms_elsewhere(node: &N<'_>, class: &str, protocol: &str) -> bool {
    let protocol = simple(protocol);
    let root = node.root().root();
    root.dfs().any(|other| match &*other.kind() {
        "class_declaration" => {
            other.text().starts_with("extension")
                && type_name(&other).is_some_and(|declared| declared.name == class)
                && words(&head(&other)).any(|word| word == protocol)
        }
        "class_interface" => {
            type_name(&other).is_some_and(|declared| declared.name == class)
                && head_names_in_line(&other, protocol)
        }
        "impl_item" => {
            other
                .field("trait")
                .is_some_and(|name| simple(&name.text()) == protocol)
                && type_name(&other).is_some_and(|declared| declared.name == class)
        }
        "var_spec" => {
            other
                .field("type")
                .is_some_and(|name| simple(&name.text()) == protocol)
                && other
                    .field("value")
                    .is_some_and(|value| words(&value.text()).any(|word| word == class))
        }
        _ => false,
    })
}

fn head_names_in_line(node: &N<'_>, protocol: &str) -> bool {
    let text = node.text();
    let line = text.lines().next().unwrap_or_default();
    words(line).any(|word| word == protocol)
}
