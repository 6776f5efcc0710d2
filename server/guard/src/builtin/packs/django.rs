use asd_recipe::Severity;
use tree_sitter::Node;

use super::super::{BuiltIn, Check, DEFAULTS, FileCx, Sink, children};

const LANGUAGES: &[&str] = &["python"];

pub(super) static DEBUG: BuiltIn = BuiltIn {
    id: "django-debug-in-settings",
    languages: LANGUAGES,
    category: "safety",
    message: "Debugging is on in the settings.",
    fix_suggestion: "Read it from the environment, off by default.",
    why: "Every error then shows visitors the code, the settings and the query.",
    skips_tests: true,
    check: Check::Nodes {
        kinds: |_| &["assignment"],
        visit: debug,
    },
    page: include_str!("../../../../../docs/rules/django-debug-in-settings.md"),
    ..DEFAULTS
};

pub(super) static NULLABLE_TEXT: BuiltIn = BuiltIn {
    id: "django-nullable-text-field",
    severity: Severity::Info,
    languages: LANGUAGES,
    category: "style",
    message: "A text field that may be null has two empty values.",
    fix_suggestion: "Leave `null=True` out and use the empty string, with `blank=True`.",
    why: "Queries have to ask for both, and one is forgotten.",
    check: Check::Nodes {
        kinds: |_| &["call"],
        visit: nullable_text,
    },
    page: include_str!("../../../../../docs/rules/django-nullable-text-field.md"),
    ..DEFAULTS
};

pub(super) static FORMATTED_SQL: BuiltIn = BuiltIn {
    id: "django-formatted-sql",
    severity: Severity::Error,
    languages: LANGUAGES,
    category: "safety",
    message: "Values are written into the query.",
    fix_suggestion: "Pass them as parameters: `execute(\"… %s\", [value])`.",
    why: "Whoever controls a value can end the query and begin another.",
    skips_tests: true,
    check: Check::Nodes {
        kinds: |_| &["call"],
        visit: formatted_sql,
    },
    page: include_str!("../../../../../docs/rules/django-formatted-sql.md"),
    ..DEFAULTS
};

fn debug<'a>(cx: &FileCx<'a>, node: Node<'a>, sink: &mut Sink) {
    let is_debug = cx.field_text(node, "left") == "DEBUG" && cx.field_text(node, "right") == "True";
    let name = cx.file_name();
    let is_settings = name == "settings.py"
        || cx.in_folder(&["settings"])
            && !["dev", "local", "test", "debug"]
                .iter()
                .any(|word| name.contains(word));
    let is_top = cx
        .parent(node)
        .and_then(|statement| statement.parent())
        .is_some_and(|outer| outer.kind() == "module");
    if is_debug && is_settings && is_top {
        sink.report(node);
    }
}

fn nullable_text<'a>(cx: &FileCx<'a>, node: Node<'a>, sink: &mut Sink) {
    const FIELDS: &[&str] = &[
        "models.CharField",
        "models.TextField",
        "models.SlugField",
        "models.EmailField",
        "models.FilePathField",
        "models.URLField",
    ];
    if !FIELDS.contains(&cx.field_text(node, "function")) {
        return;
    }
    let Some(arguments) = node.child_by_field_name("arguments") else {
        return;
    };
    let given = |name: &str| {
        children(arguments)
            .filter(|argument| argument.kind() == "keyword_argument")
            .find(|argument| cx.field_text(*argument, "name") == name)
    };
    let is_set = |argument: &Node<'a>| cx.field_text(*argument, "value") == "True";
    // Several rows may be null, but only one may be empty: then null is needed.
    let unique = given("unique").as_ref().is_some_and(is_set);
    if let Some(null) = given("null").filter(is_set)
        && !(unique && given("blank").as_ref().is_some_and(is_set))
    {
        sink.report(null);
    }
}

fn formatted_sql<'a>(cx: &FileCx<'a>, node: Node<'a>, sink: &mut Sink) {
    let Some(function) = node.child_by_field_name("function") else {
        return;
    };
    let name = match function.kind() {
        "attribute" => cx.field_text(function, "attribute"),
        "identifier" => cx.text_of(function),
        _ => return,
    };
    if !matches!(name, "execute" | "executemany" | "raw" | "RawSQL") {
        return;
    }
    let query = node
        .child_by_field_name("arguments")
        .and_then(|arguments| children(arguments).find(|child| child.kind() != "comment"));
    let Some(query) = query else { return };
    let says_sql = || {
        let text = cx.text_of(query).to_ascii_lowercase();
        ["select ", "insert ", "update ", "delete ", "where "]
            .iter()
            .any(|word| text.contains(word))
    };
    if is_formatted(cx, query) && says_sql() {
        sink.report(query);
    }
}

/// Whether a text is put together from others while the program runs.
fn is_formatted<'a>(cx: &FileCx<'a>, query: Node<'a>) -> bool {
    match query.kind() {
        "string" => children(query).any(|part| part.kind() == "interpolation"),
        "concatenated_string" | "parenthesized_expression" => {
            children(query).any(|part| is_formatted(cx, part))
        }
        "binary_operator" => {
            let sides = ["left", "right"].map(|side| query.child_by_field_name(side));
            let has_text = sides.iter().flatten().any(|side| {
                matches!(side.kind(), "string" | "concatenated_string") || is_formatted(cx, *side)
            });
            let only_text = sides.iter().flatten().all(|side| {
                matches!(side.kind(), "string" | "concatenated_string") && !is_formatted(cx, *side)
            });
            matches!(cx.field_text(query, "operator"), "%" | "+") && has_text && !only_text
        }
        "call" => query.child_by_field_name("function").is_some_and(|callee| {
            cx.field_text(callee, "attribute") == "format"
                && callee
                    .child_by_field_name("object")
                    .is_some_and(|object| object.kind().ends_with("string"))
        }),
        _ => false,
    }
}
