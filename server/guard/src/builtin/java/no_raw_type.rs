use asd_text::TextEdit;
use tree_sitter::Node;

use super::super::bindings::children;
use super::super::{BuiltIn, Check, DEFAULTS, FileCx, Sink};
use super::LANGUAGES;

pub(in super::super) static RULE: BuiltIn = BuiltIn {
    id: "java-no-raw-type",
    languages: LANGUAGES,
    category: "style",
    message: "A generic type is used without its type arguments.",
    fix_suggestion: "Name the type of the elements, or `<?>` when it does not matter.",
    why: "The compiler cannot check what is put in, and a ClassCastException comes later, somewhere else.",
    fixable: true,
    check: Check::Nodes {
        kinds: |_| {
            &[
                "field_declaration",
                "constant_declaration",
                "local_variable_declaration",
                "formal_parameter",
                "spread_parameter",
                "method_declaration",
                "enhanced_for_statement",
                "resource",
            ]
        },
        visit,
    },
    page: include_str!("../../../../../docs/rules/java-no-raw-type.md"),
    ..DEFAULTS
};

/// Each with the number of its type parameters.
const COLLECTIONS: &[(&str, usize)] = &[
    ("List", 1),
    ("Map", 2),
    ("Set", 1),
    ("Collection", 1),
    ("Iterable", 1),
    ("Queue", 1),
    ("Deque", 1),
];

fn visit<'a>(cx: &FileCx<'a>, node: Node<'a>, sink: &mut Sink) {
    let declared = node.child_by_field_name("type").or_else(|| {
        // The type of a variadic parameter has no field.
        (node.kind() == "spread_parameter")
            .then(|| {
                children(node)
                    .find(|child| !matches!(child.kind(), "modifiers" | "variable_declarator"))
            })
            .flatten()
    });
    if let Some(declared) = declared {
        raw_types(cx, declared, sink);
    }
}

fn raw_types<'a>(cx: &FileCx<'a>, declared: Node<'a>, sink: &mut Sink) {
    match declared.kind() {
        "type_identifier" if is_collection(cx, declared) => {
            report(cx.text_of(declared), declared, sink);
        }
        "scoped_type_identifier" => {
            if let Some(name) = cx.text_of(declared).strip_prefix("java.util.") {
                report(name, declared, sink);
            }
        }
        "generic_type" => {
            for arguments in children(declared).filter(|child| child.kind() == "type_arguments") {
                for argument in children(arguments) {
                    raw_types(cx, argument, sink);
                }
            }
        }
        "array_type" | "wildcard" | "annotated_type" => {
            for inner in children(declared) {
                raw_types(cx, inner, sink);
            }
        }
        _ => {}
    }
}

fn report(name: &str, at: Node<'_>, sink: &mut Sink) {
    let Some((_, parameters)) = COLLECTIONS.iter().find(|(known, _)| *known == name) else {
        return;
    };
    let arguments = format!("<{}>", vec!["?"; *parameters].join(", "));
    sink.report(at)
        .message(format!("`{name}` is used without its type arguments."))
        .unsafe_fix(
            format!("Use `{name}{arguments}`"),
            vec![TextEdit::insert(at.end_byte(), arguments)],
        );
}

/// Whether a simple name is that of the JDK: imported from `java.util`, and
/// nothing else in the file has it.
fn is_collection<'a>(cx: &FileCx<'a>, name: Node<'a>) -> bool {
    let text = cx.text_of(name);
    if !COLLECTIONS.iter().any(|(known, _)| *known == text) {
        return false;
    }
    if let Some(binding) = cx.bindings().find(text, name.start_byte()) {
        return binding.by.kind() == "import_declaration"
            && binding
                .by
                .named_child(0)
                .is_some_and(|path| cx.text_of(path).strip_suffix(text) == Some("java.util."));
    }
    text == "Iterable"
        || cx.tree.is_some_and(|tree| {
            children(tree.root_node())
                .filter(|child| child.kind() == "import_declaration")
                .any(|import| {
                    children(import).any(|child| child.kind() == "asterisk")
                        && import
                            .named_child(0)
                            .is_some_and(|path| cx.text_of(path) == "java.util")
                })
        })
}
