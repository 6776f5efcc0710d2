use asd_recipe::Severity;
use tree_sitter::Node;

use super::super::{BuiltIn, Check, DEFAULTS, FileCx, Sink};
use super::LANGUAGES;

pub(in super::super) static RULE: BuiltIn = BuiltIn {
    id: "dart-no-relative-import",
    severity: Severity::Info,
    languages: LANGUAGES,
    category: "style",
    message: "A library of the package is imported by a relative path.",
    fix_suggestion: "Import it as `package:…`.",
    why: "The same library imported in both ways is two libraries with different types, and a moved file breaks its imports.",
    check: Check::Nodes {
        kinds: |_| &["import_specification"],
        visit,
    },
    page: include_str!("../../../../../docs/rules/dart-no-relative-import.md"),
    ..DEFAULTS
};

fn visit<'a>(cx: &FileCx<'a>, node: Node<'a>, sink: &mut Sink) {
    if !cx.in_folder(&["lib"]) {
        return;
    }
    let Some(uri) = node.child_by_field_name("uri") else {
        return;
    };
    let path = cx.text_of(uri).trim_matches(['\'', '"']);
    if !path.contains(':') && !path.is_empty() && !path.starts_with('/') {
        sink.report(uri);
    }
}
