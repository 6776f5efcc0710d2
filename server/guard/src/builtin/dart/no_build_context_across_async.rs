use tree_sitter::Node;

use super::super::{BuiltIn, Check, DEFAULTS, FileCx, Sink};
use super::{LANGUAGES, after_await::unguarded_await};

pub(in super::super) static RULE: BuiltIn = BuiltIn {
    id: "dart-no-build-context-across-async",
    languages: LANGUAGES,
    message: "After the `await` this context may belong to a widget that is gone.",
    fix_suggestion: "Check `context.mounted` first, or take what is needed from the context before the `await`.",
    why: "Looking something up in a context that was disposed throws, or finds the wrong place.",
    check: Check::Nodes {
        kinds: |_| &["identifier"],
        visit,
    },
    page: include_str!("../../../../../docs/rules/dart-no-build-context-across-async.md"),
    ..DEFAULTS
};

fn visit<'a>(cx: &FileCx<'a>, node: Node<'a>, sink: &mut Sink) {
    if cx.text_of(node) != "context" {
        return;
    }
    let Some(parent) = cx.parent(node) else {
        return;
    };
    let is_value = match parent.kind() {
        // `context.mounted` is the check itself.
        "member_expression" | "null_aware_member_expression" => {
            parent.child_by_field_name("object") == Some(node)
                && cx.field_text(parent, "property") != "mounted"
        }
        "formal_parameter" | "label" | "named_argument" => {
            parent.child_by_field_name("name") != Some(node) && parent.kind() != "formal_parameter"
        }
        "initialized_identifier" | "initialized_variable_declaration" => {
            parent.child_by_field_name("name") != Some(node)
        }
        "library_import" | "combinator" | "import_specification" => false,
        _ => true,
    };
    // A context that a closure is given is a fresh one.
    if is_value && let Some(awaited) = unguarded_await(cx, node) {
        sink.report(node).related(awaited, "the `await` before it");
    }
}
