use asd_recipe::Severity;
use tree_sitter::Node;

use super::super::bindings::{children, fields};
use super::super::{BuiltIn, Check, DEFAULTS, FileCx, Sink};
use super::LANGUAGES;

pub(in super::super) static RULE: BuiltIn = BuiltIn {
    id: "go-no-global-var",
    severity: Severity::Info,
    languages: LANGUAGES,
    category: "style",
    message: "A variable of the package can be changed from everywhere.",
    fix_suggestion: "Pass it as a parameter, or keep it in a struct.",
    why: "Tests influence each other through it, and goroutines race for it.",
    skips_tests: true,
    check: Check::Nodes {
        kinds: |_| &["var_declaration"],
        visit,
    },
    page: include_str!("../../../../../docs/rules/go-no-global-var.md"),
    ..DEFAULTS
};

fn visit<'a>(cx: &FileCx<'a>, node: Node<'a>, sink: &mut Sink) {
    if cx
        .parent(node)
        .is_none_or(|parent| parent.kind() != "source_file")
    {
        return;
    }
    for child in children(node) {
        match child.kind() {
            "var_spec" => spec(cx, child, node, sink),
            "var_spec_list" => {
                for child in children(child).filter(|child| child.kind() == "var_spec") {
                    spec(cx, child, child, sink);
                }
            }
            _ => {}
        }
    }
}

/// `documented` is what a directive comment stands above.
fn spec<'a>(cx: &FileCx<'a>, spec: Node<'a>, documented: Node<'a>, sink: &mut Sink) {
    if is_embedded(cx, documented) || synchronises(cx.field_text(spec, "type")) {
        return;
    }
    let values: Vec<Node<'a>> = spec
        .child_by_field_name("value")
        .map(|list| children(list).filter(|n| n.kind() != "comment").collect())
        .unwrap_or_default();
    for (index, name) in fields(spec, "name").filter(Node::is_named).enumerate() {
        let text = cx.text_of(name);
        let value = values.get(index).map_or("", |value| cx.text_of(*value));
        // By its name it is an error, whichever function makes it.
        let is_error = text
            .strip_prefix("Err")
            .or_else(|| text.strip_prefix("err"));
        let is_sentinel = is_error.is_some_and(|rest| {
            rest.is_empty() || rest.starts_with(|c: char| c.is_uppercase() || c.is_ascii_digit())
        }) && (value.contains('(') || cx.field_text(spec, "type") == "error");
        if text == "_"
            || is_sentinel
            || value.starts_with("regexp.MustCompile")
            || synchronises(value.trim_start_matches(['&', '*']))
        {
            continue;
        }
        sink.report(name).message(format!(
            "`{text}` can be changed from everywhere in the package."
        ));
    }
}

/// Types that are made to be shared, and embedded files.
fn synchronises(text: &str) -> bool {
    let text = text.trim_start_matches('*');
    ["sync.", "atomic.", "embed."]
        .iter()
        .any(|package| text.starts_with(package))
}

fn is_embedded<'a>(cx: &FileCx<'a>, declaration: Node<'a>) -> bool {
    let above = cx.text[..declaration.start_byte()].trim_end();
    let line = above.rfind('\n').map_or(above, |at| &above[at + 1..]);
    line.trim_start().starts_with("//go:embed")
}
