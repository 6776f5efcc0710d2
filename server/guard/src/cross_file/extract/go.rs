//! Packages, build constraints and `init` functions of Go.

use tree_sitter::Node;

use super::{FileFacts, at};
use crate::builtin::children;

pub(super) fn read(facts: &mut FileFacts, text: &str, root: Node<'_>) {
    let mut old_lines: Vec<String> = Vec::new();
    for item in children(root) {
        let source = &text[item.byte_range()];
        match item.kind() {
            // Constraints stand before the package clause.
            "comment" if facts.package.is_none() => {
                if let Some(constraint) = source.strip_prefix("//go:build ") {
                    facts.constraint = Some(constraint.trim().into());
                } else if let Some(options) = source
                    .strip_prefix("//")
                    .and_then(|rest| rest.trim_start().strip_prefix("+build "))
                {
                    old_lines.push(old_line(options));
                }
            }
            "package_clause" => {
                facts.package = children(item)
                    .find(|child| child.kind() == "package_identifier")
                    .map(|name| text[name.byte_range()].into());
            }
            "function_declaration" => {
                if let Some(name) = item.child_by_field_name("name")
                    && &text[name.byte_range()] == "init"
                {
                    facts.inits.push(at(name));
                }
            }
            _ => {}
        }
    }
    // Where both forms stand, they say the same.
    if facts.constraint.is_none() && !old_lines.is_empty() {
        facts.constraint = Some(old_lines.join(" && ").into());
    }
}

/// `a,b c` as an expression of the new form: spaces mean or, commas mean and.
fn old_line(options: &str) -> String {
    let options: Vec<String> = options
        .split_whitespace()
        .map(|option| format!("({})", option.replace(',', " && ")))
        .collect();
    format!("({})", options.join(" || "))
}
