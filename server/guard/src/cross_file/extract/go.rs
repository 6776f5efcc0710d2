//! Packages, build constraints and `init` functions of Go.

use tree_sitter::Node;

use super::{FileFacts, at};
use crate::builtin::children;
use crate::cross_file::facts::{Dropped, Results};

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
            "method_declaration" => facts.results.extend(results(text, item)),
            "type_declaration" => {
                for member in below(item, &["method_elem", "method_spec"]) {
                    facts.results.extend(results(text, member));
                }
            }
            "function_declaration" => {
                facts.results.extend(results(text, item));
                if let Some(name) = item.child_by_field_name("name")
                    && &text[name.byte_range()] == "init"
                {
                    facts.inits.push(at(name));
                }
            }
            _ => {}
        }
    }
    facts.results.sort();
    facts.results.dedup();
    if text.contains("_ :=") || text.contains("_ =") {
        for assignment in below(root, &["short_var_declaration", "assignment_statement"]) {
            facts.dropped.extend(dropped(text, assignment));
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

/// What a function says of its results.
fn results(text: &str, function: Node<'_>) -> Option<Results> {
    let name = function.child_by_field_name("name")?;
    let mut stated = Results {
        name: text[name.byte_range()].into(),
        count: 0,
        may_fail: false,
    };
    let Some(result) = function.child_by_field_name("result") else {
        return Some(stated);
    };
    let last = if result.kind() == "parameter_list" {
        let mut last = None;
        for parameter in children(result).filter(|child| child.kind() == "parameter_declaration") {
            // `(index, term uint64)` is one declaration of two results.
            let names = children(parameter)
                .filter(|child| child.kind() == "identifier")
                .count();
            stated.count += u32::try_from(names.max(1)).unwrap_or(u32::MAX);
            last = parameter.child_by_field_name("type");
        }
        last?
    } else {
        stated.count = 1;
        result
    };
    stated.may_fail = &text[last.byte_range()] == "error";
    Some(stated)
}

/// The last result of a call, when an assignment throws it away.
fn dropped(text: &str, assignment: Node<'_>) -> Option<Dropped> {
    let list = |field| {
        assignment
            .child_by_field_name(field)
            .map(|list| children(list).filter(|child| child.kind() != "comment"))
    };
    let names: Vec<Node<'_>> = list("left")?.collect();
    let blank = names
        .last()
        .filter(|name| &text[name.byte_range()] == "_")?;
    let mut values = list("right")?;
    let call = values
        .next()
        .filter(|call| call.kind() == "call_expression")?;
    if values.next().is_some() {
        return None;
    }
    let callee = call.child_by_field_name("function")?;
    let (name, of) = match callee.kind() {
        "identifier" => (callee, ""),
        "selector_expression" => (
            callee.child_by_field_name("field")?,
            &text[callee.child_by_field_name("operand")?.byte_range()],
        ),
        _ => return None,
    };
    Some(Dropped {
        name: text[name.byte_range()].into(),
        of: of.into(),
        count: u32::try_from(names.len()).ok()?,
        at: at(*blank),
    })
}

/// The nodes of some kinds in a tree, in the order of the text.
fn below<'a>(root: Node<'a>, kinds: &[&str]) -> Vec<Node<'a>> {
    let mut found = Vec::new();
    let mut cursor = root.walk();
    loop {
        let node = cursor.node();
        if kinds.contains(&node.kind()) {
            found.push(node);
        }
        if cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() || cursor.node() == root {
                return found;
            }
        }
    }
}
