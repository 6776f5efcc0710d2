use tree_sitter::Node;

use super::super::bindings::{children, fields};
use super::super::{BuiltIn, Check, DEFAULTS, FileCx, Sink};
use super::LANGUAGES;
use super::set_state_after_dispose::method_name;

pub(in super::super) static RULE: BuiltIn = BuiltIn {
    id: "dart-dispose-controller",
    languages: LANGUAGES,
    message: "This controller is never disposed.",
    fix_suggestion: "Dispose or close it in `dispose()`.",
    why: "Its listeners and timers stay alive with everything they refer to.",
    check: Check::Nodes {
        kinds: |_| &["class_declaration"],
        visit,
    },
    page: include_str!("../../../../../docs/rules/dart-dispose-controller.md"),
    ..DEFAULTS
};

const CONTROLLERS: &[&str] = &[
    "TextEditingController",
    "AnimationController",
    "ScrollController",
    "FocusNode",
    "TabController",
    "PageController",
    "StreamController",
];

fn visit<'a>(cx: &FileCx<'a>, node: Node<'a>, sink: &mut Sink) {
    let Some(body) = node.child_by_field_name("body") else {
        return;
    };
    let class = cx.text_of(body);
    let dispose = children(body)
        .find(|member| method_name(cx, *member) == Some("dispose"))
        .map_or("", |member| cx.text_of(member));
    for declaration in children(body)
        .filter_map(|member| member.named_child(0))
        .filter(|child| child.kind() == "declaration")
    {
        for list in children(declaration).filter(|c| c.kind() == "initialized_identifier_list") {
            for field in children(list) {
                let Some(name) = field.child_by_field_name("name") else {
                    continue;
                };
                let text = cx.text_of(name);
                let made = match field.child_by_field_name("value") {
                    Some(value) => controller(cx, value),
                    None => assigned(class, text),
                };
                if let Some(kind) = made
                    && !disposes(dispose, text)
                {
                    sink.report(name)
                        .message(format!("The {kind} `{text}` is never disposed."));
                }
            }
        }
    }
}

/// The controller that an expression makes.
fn controller<'a>(cx: &FileCx<'a>, value: Node<'a>) -> Option<&'static str> {
    let made = match value.kind() {
        "call_expression" => cx.field_text(value, "function"),
        "new_expression" | "constructor_invocation" => {
            fields(value, "type").next().map_or("", |t| cx.text_of(t))
        }
        "cascade" => return value.named_child(0).and_then(|inner| controller(cx, inner)),
        _ => "",
    };
    known(made)
}

fn known(made: &str) -> Option<&'static str> {
    let name = made.split(['<', '.', '(']).next().unwrap_or(made).trim();
    CONTROLLERS.iter().copied().find(|known| *known == name)
}

/// `name = ScrollController(…)` anywhere in the class.
fn assigned(class: &str, name: &str) -> Option<&'static str> {
    words(class, name).find_map(|rest| {
        let value = rest.trim_start().strip_prefix('=')?.trim_start();
        let value = value.strip_prefix("new ").unwrap_or(value);
        let end = value.find(|c: char| !c.is_alphanumeric() && c != '_')?;
        known(&value[..end]).filter(|_| value[end..].starts_with(['(', '<', '.']))
    })
}

/// Whether a body calls `name.dispose()` or `name.close()`, in any form.
fn disposes(body: &str, name: &str) -> bool {
    words(body, name).any(|rest| {
        let chain = rest.split(';').next().unwrap_or(rest);
        chain.trim_start().starts_with(['.', '?', '!'])
            && [".dispose(", ".close("]
                .iter()
                .any(|call| chain.contains(call))
    })
}

/// What follows each occurrence of a whole word.
fn words<'t>(text: &'t str, word: &str) -> impl Iterator<Item = &'t str> {
    let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    text.match_indices(word).filter_map(move |(at, found)| {
        let rest = &text[at + found.len()..];
        let whole = !text[..at].ends_with(is_part) && !rest.starts_with(is_part);
        whole.then_some(rest)
    })
}
