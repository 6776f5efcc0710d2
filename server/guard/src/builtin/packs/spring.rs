use tree_sitter::Node;

use super::super::{BuiltIn, Check, DEFAULTS, FileCx, Sink, children};

const LANGUAGES: &[&str] = &["java"];

pub(super) static FIELD_INJECTION: BuiltIn = BuiltIn {
    id: "spring-field-injection",
    languages: LANGUAGES,
    category: "style",
    message: "The field is filled behind the back of the constructor.",
    fix_suggestion: "Take it as a parameter of the constructor, and make it final.",
    why: "The object can be made without what it needs, in tests above all, and cycles show only at run time.",
    skips_tests: true,
    check: Check::Nodes {
        kinds: |_| &["field_declaration"],
        visit: field_injection,
    },
    page: include_str!("../../../../../docs/rules/spring-field-injection.md"),
    ..DEFAULTS
};

pub(super) static PRIVATE_TRANSACTION: BuiltIn = BuiltIn {
    id: "spring-private-transactional",
    languages: LANGUAGES,
    message: "The annotation has no effect on a private method.",
    fix_suggestion: "Move the method to a class of its own and make it public, or use a TransactionTemplate.",
    why: "Spring's proxies see calls from outside only, so it runs without a transaction.",
    check: Check::Nodes {
        kinds: |_| &["method_declaration"],
        visit: private_transaction,
    },
    page: include_str!("../../../../../docs/rules/spring-private-transactional.md"),
    ..DEFAULTS
};

pub(super) static MAPPING_WITHOUT_METHOD: BuiltIn = BuiltIn {
    id: "spring-request-mapping-method",
    languages: LANGUAGES,
    category: "safety",
    message: "The handler answers every method of HTTP.",
    fix_suggestion: "Use `@GetMapping`, `@PostMapping` and so on, or name the method.",
    why: "What should only be posted can be had by a link, which protection against forged requests lets pass.",
    check: Check::Nodes {
        kinds: |_| &["method_declaration"],
        visit: mapping,
    },
    page: include_str!("../../../../../docs/rules/spring-request-mapping-method.md"),
    ..DEFAULTS
};

/// The annotation of a declaration by its simple name, with its modifiers.
fn annotation<'a>(
    cx: &FileCx<'a>,
    declaration: Node<'a>,
    names: &[&str],
) -> Option<(Node<'a>, Node<'a>)> {
    let modifiers = children(declaration).find(|child| child.kind() == "modifiers")?;
    let annotation = children(modifiers)
        .filter(|child| matches!(child.kind(), "marker_annotation" | "annotation"))
        .find(|annotation| {
            let name = cx.field_text(*annotation, "name");
            names.contains(&name.rsplit('.').next().unwrap_or(name))
        })?;
    Some((modifiers, annotation))
}

fn has<'a>(cx: &FileCx<'a>, modifiers: Node<'a>, modifier: &str) -> bool {
    let mut cursor = modifiers.walk();
    modifiers
        .children(&mut cursor)
        .any(|child| cx.text_of(child) == modifier)
}

fn uses_it(cx: &FileCx<'_>) -> bool {
    cx.text.contains("org.springframework") || cx.text.contains("jakarta.transaction")
}

fn field_injection<'a>(cx: &FileCx<'a>, node: Node<'a>, sink: &mut Sink) {
    if let Some((modifiers, annotation)) = annotation(cx, node, &["Autowired"])
        && !has(cx, modifiers, "static")
        && uses_it(cx)
    {
        sink.report(annotation);
    }
}

fn private_transaction<'a>(cx: &FileCx<'a>, node: Node<'a>, sink: &mut Sink) {
    if let Some((modifiers, annotation)) = annotation(cx, node, &["Transactional"])
        && has(cx, modifiers, "private")
        && uses_it(cx)
    {
        sink.report(annotation);
    }
}

fn mapping<'a>(cx: &FileCx<'a>, node: Node<'a>, sink: &mut Sink) {
    let Some((_, annotation)) = annotation(cx, node, &["RequestMapping"]) else {
        return;
    };
    let names_method = annotation
        .child_by_field_name("arguments")
        .is_some_and(|arguments| {
            children(arguments).any(|pair| cx.field_text(pair, "key") == "method")
        });
    if !names_method && uses_it(cx) {
        sink.report(annotation);
    }
}
