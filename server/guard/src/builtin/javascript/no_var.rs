use asd_text::{Span, TextEdit};
use tree_sitter::Node;

use super::super::bindings::{Binding, children, span_of};
use super::super::{BuiltIn, Check, DEFAULTS, FileCx, Sink};
use super::LANGUAGES;

pub(in super::super) static RULE: BuiltIn = BuiltIn {
    id: "js-no-var",
    languages: LANGUAGES,
    category: "style",
    message: "`var` is visible in the whole function.",
    fix_suggestion: "Use `let`, or `const` when it is never assigned again.",
    why: "It can be used before its line and outside of its block, and closures in a loop share it.",
    fixable: true,
    skips_tests: true,
    check: Check::Nodes {
        kinds: |_| &["variable_declaration", "for_in_statement"],
        visit,
    },
    page: include_str!("../../../../../docs/rules/js-no-var.md"),
    ..DEFAULTS
};

const FOLDERS: &[&str] = &[
    "mock",
    "mocks",
    "__mocks__",
    "fixture",
    "fixtures",
    "__fixtures__",
];

/// A line this long was not written by hand.
const LONG_LINE: usize = 2_000;

fn visit<'a>(cx: &FileCx<'a>, node: Node<'a>, sink: &mut Sink) {
    let keyword = match node.kind() {
        "for_in_statement" => node
            .child_by_field_name("kind")
            .filter(|kind| kind.kind() == "var"),
        _ => node.child(0),
    };
    let Some(keyword) = keyword else { return };
    if cx.in_folder(FOLDERS)
        || cx
            .ancestors(node)
            .any(|outer| outer.kind() == "ambient_declaration")
        || cx.text.lines().any(|line| line.len() > LONG_LINE)
    {
        return;
    }
    // The keyword and the first name: what follows may be a long function.
    let name = match node.kind() {
        "for_in_statement" => node.child_by_field_name("left"),
        _ => node
            .named_child(0)
            .and_then(|declarator| declarator.child_by_field_name("name")),
    };
    let span = Span::new(
        keyword.start_byte(),
        name.map_or(keyword.end_byte(), |name| name.end_byte()),
    );
    let edit = TextEdit::replace(span_of(keyword), "let");
    let same = means_the_same(cx, node);
    let found = sink.report(span);
    if same {
        found.safe_fix("Use `let`", vec![edit]);
    } else {
        found.unsafe_fix("Use `let`", vec![edit]);
    }
}

/// Whether `let` in the place of `var` changes nothing: every name is declared
/// once, used only after its declaration and only inside its block, and no
/// iteration can see the value of the one before.
fn means_the_same<'a>(cx: &FileCx<'a>, node: Node<'a>) -> bool {
    let mut around = cx.ancestors(node);
    let Some(parent) = around.next() else {
        return false;
    };
    let block = match parent.kind() {
        "program" => {
            // The names of a script become properties of the global object.
            if !children(parent)
                .any(|child| matches!(child.kind(), "import_statement" | "export_statement"))
            {
                return false;
            }
            span_of(parent)
        }
        "statement_block" | "for_statement" => span_of(parent),
        _ if node.kind() == "for_in_statement" => span_of(node),
        _ => return false,
    };
    let in_loop = std::iter::once(parent)
        .chain(around)
        .take_while(|outer| {
            !outer.kind().contains("function") && outer.kind() != "method_definition"
        })
        .any(|outer| {
            matches!(
                outer.kind(),
                "for_statement" | "for_in_statement" | "while_statement" | "do_statement"
            )
        });
    if in_loop || node.kind() == "for_in_statement" {
        return false;
    }
    children(node)
        .filter(|child| child.kind() == "variable_declarator")
        .all(|declarator| {
            declarator
                .child_by_field_name("name")
                .is_some_and(|name| name.kind() == "identifier" && used_after(cx, name, block))
        })
}

fn used_after<'a>(cx: &FileCx<'a>, name: Node<'a>, block: Span) -> bool {
    let text = cx.text_of(name);
    let bindings = cx.bindings();
    let Some(Binding { scope, .. }) = bindings.find(text, name.start_byte()).copied() else {
        return false;
    };
    let declared = bindings
        .all(text)
        .iter()
        .filter(|other| scope.contains(span_of(other.name)))
        .count();
    declared == 1
        && text != "let"
        && bindings
            .occurrences(text)
            .iter()
            .map(|other| span_of(*other))
            .filter(|other| scope.contains(*other))
            .all(|other| {
                other == span_of(name) || (block.contains(other) && name.end_byte() <= other.start)
            })
}
