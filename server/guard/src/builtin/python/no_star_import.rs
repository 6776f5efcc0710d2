use asd_recipe::Severity;
use tree_sitter::Node;

use super::super::bindings::children;
use super::super::{BuiltIn, Check, DEFAULTS, FileCx, Sink};
use super::LANGUAGES;

pub(in super::super) static RULE: BuiltIn = BuiltIn {
    id: "py-no-star-import",
    languages: LANGUAGES,
    category: "style",
    message: "`import *` hides where names come from.",
    fix_suggestion: "Import the names that are used, or the module.",
    why: "Names of the module replace names of this file silently, and tools cannot tell which names exist.",
    check: Check::Nodes {
        kinds: |_| &["wildcard_import"],
        visit,
    },
    page: include_str!("../../../../../docs/rules/py-no-star-import.md"),
    ..DEFAULTS
};

fn visit<'a>(cx: &FileCx<'a>, node: Node<'a>, sink: &mut Sink) {
    let Some(statement) = cx.parent(node) else {
        return;
    };
    let module = cx.field_text(statement, "module_name");
    let exports = matches!(cx.file_name(), "__init__.py" | "__init__.pyi")
        && cx
            .bindings()
            .all("__all__")
            .iter()
            .any(|binding| matches!(binding.by.kind(), "assignment"))
        || cx.file_name() == "__init__.py" && extends_all(cx);
    let found = sink.report(statement);
    found.message(format!(
        "`import *` hides which names come from `{module}`."
    ));
    if exports {
        found.severity(Severity::Info);
    }
}

/// `__all__ += …` at the top of the file.
fn extends_all(cx: &FileCx<'_>) -> bool {
    cx.tree.is_some_and(|tree| {
        children(tree.root_node()).any(|statement| {
            statement.named_child(0).is_some_and(|inner| {
                inner.kind() == "augmented_assignment"
                    && inner
                        .child_by_field_name("left")
                        .is_some_and(|left| cx.text_of(left) == "__all__")
            })
        })
    })
}
