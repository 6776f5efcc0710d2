use asd_text::TextEdit;
use tree_sitter::Node;

use super::super::bindings::{children, span_of};
use super::super::{BuiltIn, Check, DEFAULTS, FileCx, Sink};
use super::{LANGUAGES, builtin};

pub(in super::super) static RULE: BuiltIn = BuiltIn {
    id: "py-no-mutable-default",
    languages: LANGUAGES,
    message: "This default value is made once and shared by all calls.",
    fix_suggestion: "Use `None` as the default and make the value in the body.",
    why: "What one call puts into it, the next call finds there.",
    fixable: true,
    check: Check::Nodes {
        kinds: |_| &["default_parameter", "typed_default_parameter"],
        visit,
    },
    page: include_str!("../../../../../docs/rules/py-no-mutable-default.md"),
    ..DEFAULTS
};

fn visit<'a>(cx: &FileCx<'a>, node: Node<'a>, sink: &mut Sink) {
    let Some(value) = node.child_by_field_name("value") else {
        return;
    };
    let read_only = node
        .child_by_field_name("type")
        .is_some_and(|annotation| is_read_only(cx, annotation));
    if read_only || !is_mutable(cx, value) {
        return;
    }
    let edits = made_in_the_body(cx, node, value);
    let found = sink.report(value);
    if let Some(edits) = edits {
        found.unsafe_fix("Make the value in the body", edits);
    }
}

fn is_mutable<'a>(cx: &FileCx<'a>, value: Node<'a>) -> bool {
    match value.kind() {
        "list"
        | "dictionary"
        | "set"
        | "list_comprehension"
        | "dictionary_comprehension"
        | "set_comprehension" => true,
        "parenthesized_expression" => children(value)
            .find(|child| child.kind() != "comment")
            .is_some_and(|inner| is_mutable(cx, inner)),
        "call" => value
            .child_by_field_name("function")
            .is_some_and(|callee| makes_a_collection(cx, callee)),
        _ => false,
    }
}

/// Whether an annotation promises that nobody changes the value: `Sequence[int]`,
/// `Mapping[str, int] | None`, `Optional[Iterable[str]]`.
fn is_read_only<'a>(cx: &FileCx<'a>, annotation: Node<'a>) -> bool {
    let mut inner = children(annotation).filter(|child| child.kind() != "comment");
    match annotation.kind() {
        "type" | "parenthesized_expression" => {
            inner.next().is_some_and(|inner| is_read_only(cx, inner))
        }
        "none" => true,
        "binary_operator" => {
            cx.field_text(annotation, "operator") == "|"
                && ["left", "right"].iter().all(|side| {
                    annotation
                        .child_by_field_name(side)
                        .is_some_and(|side| is_read_only(cx, side))
                })
        }
        "union_type" => inner.all(|part| is_read_only(cx, part)),
        "identifier" | "attribute" | "member_type" => {
            READ_ONLY.contains(&last_name(cx.text_of(annotation)))
        }
        // `Sequence[int]` is a generic type, `typing.Sequence[int]` a subscript.
        "generic_type" | "subscript" => {
            let Some(name) = inner.next().map(|name| last_name(cx.text_of(name))) else {
                return false;
            };
            let parts: Vec<Node<'a>> = inner
                .flat_map(|part| {
                    if part.kind() == "type_parameter" {
                        children(part).collect()
                    } else {
                        vec![part]
                    }
                })
                .collect();
            match name {
                "Optional" | "Union" => parts.iter().all(|part| is_read_only(cx, *part)),
                "Annotated" => parts.first().is_some_and(|part| is_read_only(cx, *part)),
                name => READ_ONLY.contains(&name),
            }
        }
        _ => false,
    }
}

fn last_name(path: &str) -> &str {
    path.rsplit('.').next().unwrap_or(path).trim()
}

/// Types without a method that changes the value.
const READ_ONLY: &[&str] = &[
    "AbstractSet",
    "ByteString",
    "Callable",
    "Collection",
    "Container",
    "FrozenSet",
    "Iterable",
    "Literal",
    "LiteralString",
    "Mapping",
    "Never",
    "NoReturn",
    "Reversible",
    "Sequence",
    "Set",
    "Sized",
    "Tuple",
    "bool",
    "bytes",
    "complex",
    "float",
    "frozenset",
    "int",
    "object",
    "range",
    "str",
    "tuple",
];

fn makes_a_collection<'a>(cx: &FileCx<'a>, callee: Node<'a>) -> bool {
    if let Some("list" | "dict" | "set" | "bytearray") = builtin(cx, callee) {
        return true;
    }
    let name = match callee.kind() {
        "identifier" => {
            let name = cx.text_of(callee);
            let imported = cx
                .bindings()
                .find(name, callee.start_byte())
                .is_some_and(|binding| cx.field_text(binding.by, "module_name") == "collections");
            if !imported {
                return false;
            }
            name
        }
        "attribute" if cx.field_text(callee, "object") == "collections" => {
            cx.field_text(callee, "attribute")
        }
        _ => return false,
    };
    matches!(name, "defaultdict" | "deque" | "OrderedDict" | "Counter")
}

/// `None` in the signature, and the value at the head of a body that has lines
/// of its own.
fn made_in_the_body<'a>(
    cx: &FileCx<'a>,
    parameter: Node<'a>,
    value: Node<'a>,
) -> Option<Vec<TextEdit>> {
    let function = cx.ancestors(parameter).nth(1)?;
    if function.kind() != "function_definition" {
        return None;
    }
    let body = function.child_by_field_name("body")?;
    let mut statements = children(body).filter(|child| child.kind() != "comment");
    let mut first = statements.next()?;
    let is_docstring = first.kind() == "expression_statement"
        && first
            .named_child(0)
            .is_some_and(|inner| inner.kind() == "string");
    if is_docstring {
        first = statements.next()?;
    }
    let line_start = cx.text[..first.start_byte()].rfind('\n')? + 1;
    let indent = &cx.text[line_start..first.start_byte()];
    if !indent.trim().is_empty() || line_start <= function.start_byte() {
        return None;
    }
    let step = if indent.ends_with('\t') { "\t" } else { "    " };
    let break_ = if cx.text[..line_start].ends_with("\r\n") {
        "\r\n"
    } else {
        "\n"
    };
    let name = cx.field_text(parameter, "name");
    let text = cx.text_of(value);
    Some(vec![
        TextEdit::replace(span_of(value), "None"),
        TextEdit::insert(
            line_start,
            format!("{indent}if {name} is None:{break_}{indent}{step}{name} = {text}{break_}"),
        ),
    ])
}
