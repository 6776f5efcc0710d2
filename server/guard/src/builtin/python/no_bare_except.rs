use asd_text::TextEdit;
use tree_sitter::Node;

use super::super::bindings::children;
use super::super::{BuiltIn, Check, DEFAULTS, FileCx, Sink};
use super::LANGUAGES;

pub(in super::super) static RULE: BuiltIn = BuiltIn {
    id: "py-no-bare-except",
    languages: LANGUAGES,
    message: "`except:` also catches KeyboardInterrupt and SystemExit.",
    fix_suggestion: "Name the exceptions that can be handled, or `except Exception`.",
    why: "The program cannot be interrupted, and mistakes such as a wrong name are swallowed.",
    fixable: true,
    check: Check::Nodes {
        kinds: |_| &["except_clause"],
        visit,
    },
    page: include_str!("../../../../../docs/rules/py-no-bare-except.md"),
    ..DEFAULTS
};

fn visit<'a>(_: &FileCx<'a>, node: Node<'a>, sink: &mut Sink) {
    let mut cursor = node.walk();
    let group = node.children(&mut cursor).any(|child| child.kind() == "*");
    let mut parts = children(node).filter(|child| child.kind() != "comment");
    let (Some(body), None) = (parts.next(), parts.next()) else {
        return;
    };
    if group || body.kind() != "block" || raises_again(body) {
        return;
    }
    let Some(keyword) = node.child(0) else { return };
    sink.report(keyword).unsafe_fix(
        "Catch `Exception`",
        vec![TextEdit::insert(keyword.end_byte(), " Exception")],
    );
}

/// Whether the last statement is a bare `raise`.
fn raises_again(body: Node<'_>) -> bool {
    children(body)
        .filter(|child| child.kind() != "comment")
        .last()
        .is_some_and(|last| last.kind() == "raise_statement" && last.named_child_count() == 0)
}
