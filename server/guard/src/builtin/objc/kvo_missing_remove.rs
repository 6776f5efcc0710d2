use tree_sitter::Node;

use super::super::{BuiltIn, Check, DEFAULTS, FileCx, Sink};
use super::{LANGUAGES, below, children, selector};
use crate::Layer;

pub(in super::super) static RULE: BuiltIn = BuiltIn {
    id: "objc-kvo-missing-remove",
    layer: Layer::CodeLevel,
    languages: LANGUAGES,
    message: "The class observes a key path and never stops.",
    fix_suggestion: "Remove the observer, in `dealloc` at the latest.",
    why: "A change that comes after the observer is gone crashes.",
    check: Check::Nodes {
        kinds: |_| &["class_implementation"],
        visit,
    },
    page: include_str!("../../../../../docs/rules/objc-kvo-missing-remove.md"),
    ..DEFAULTS
};

fn visit<'a>(cx: &FileCx<'a>, node: Node<'a>, sink: &mut Sink) {
    let Some(added) = message(cx, node, "addObserver") else {
        return;
    };
    let removed = cx.tree.is_some_and(|tree| {
        // They may stand inside of `#if`.
        below(tree.root_node(), &["class_implementation"])
            .into_iter()
            .filter(|item| class_name(cx, *item) == class_name(cx, node))
            .any(|item| message(cx, item, "removeObserver").is_some())
    });
    if !removed {
        sink.report(added);
    }
}

fn class_name<'a>(cx: &FileCx<'a>, class: Node<'a>) -> &'a str {
    children(class)
        .find(|child| child.kind() == "identifier")
        .map_or("", |name| cx.text_of(name))
}

/// The first message of that name with a key path.
fn message<'a>(cx: &FileCx<'a>, class: Node<'a>, name: &str) -> Option<Node<'a>> {
    // Most classes have none, and need no walk.
    cx.text_of(class).contains(name).then_some(())?;
    below(class, &["message_expression"])
        .into_iter()
        .find(|message| {
            let parts = selector(cx, *message);
            parts.first().is_some_and(|(first, _)| *first == name)
                && parts.iter().any(|(part, _)| *part == "forKeyPath")
        })
}
