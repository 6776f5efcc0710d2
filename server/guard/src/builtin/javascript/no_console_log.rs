use asd_recipe::Severity;
use tree_sitter::Node;

use super::super::bindings::span_of;
use super::super::edits::remove_statement;
use super::super::{BuiltIn, Check, DEFAULTS, FileCx, Sink};
use super::{LANGUAGES, callee, global, in_list, member, unwrapped, whole_statement};

pub(in super::super) static RULE: BuiltIn = BuiltIn {
    id: "js-no-console-log",
    severity: Severity::Info,
    languages: LANGUAGES,
    category: "style",
    message: "`console.log` is left in production code.",
    fix_suggestion: "Use the logger of the project, or remove the call.",
    why: "It fills the console of every user, may show private data, and cannot be turned off.",
    fixable: true,
    skips_tests: true,
    check: Check::Nodes {
        kinds: |_| &["call_expression"],
        visit,
    },
    page: include_str!("../../../../../docs/rules/js-no-console-log.md"),
    ..DEFAULTS
};

/// Folders whose programs talk to a terminal.
const FOLDERS: &[&str] = &[
    "mock",
    "mocks",
    "__mocks__",
    "fixtures",
    "scripts",
    "script",
    "tools",
    "debug",
    "bin",
    "cli",
];

fn visit<'a>(cx: &FileCx<'a>, node: Node<'a>, sink: &mut Sink) {
    let Some(callee) = callee(node).map(unwrapped) else {
        return;
    };
    let object = match member(cx, callee) {
        Some((object, "log")) => object,
        // `console.log.apply(console, arguments)`
        Some((method, "call" | "apply")) => match member(cx, unwrapped(method)) {
            Some((object, "log")) => object,
            _ => return,
        },
        _ => return,
    };
    if global(cx, object) != Some("console") || cx.in_folder(FOLDERS) || is_tool(cx.file_name()) {
        return;
    }
    let removal = whole_statement(cx, node)
        .filter(|statement| in_list(*statement))
        .map(|statement| remove_statement(cx.text, span_of(statement)));
    let found = sink.report(node);
    if let Some(edit) = removal {
        // Its arguments may do something, so a person should look at it.
        found.unsafe_fix("Remove the call", vec![edit]);
    }
}

fn is_tool(file_name: &str) -> bool {
    let stem = file_name.split('.').next().unwrap_or(file_name);
    matches!(stem, "cli" | "debug")
}
