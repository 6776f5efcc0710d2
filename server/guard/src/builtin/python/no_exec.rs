use asd_recipe::Severity;
use tree_sitter::Node;

use super::super::{BuiltIn, Check, DEFAULTS, FileCx, Sink};
use super::{LANGUAGES, builtin};

pub(in super::super) static RULE: BuiltIn = BuiltIn {
    id: "py-no-exec",
    severity: Severity::Error,
    languages: LANGUAGES,
    category: "safety",
    message: "`exec` runs text as code.",
    fix_suggestion: "Call a function, or import the module with importlib.",
    why: "Whoever controls the text controls the process.",
    check: Check::Nodes {
        kinds: |_| &["call"],
        visit,
    },
    page: include_str!("../../../../../docs/rules/py-no-exec.md"),
    ..DEFAULTS
};

fn visit<'a>(cx: &FileCx<'a>, node: Node<'a>, sink: &mut Sink) {
    if node
        .child_by_field_name("function")
        .and_then(|callee| builtin(cx, callee))
        .is_some_and(|name| name == "exec")
    {
        sink.report(node);
    }
}
