use asd_recipe::Severity;
use tree_sitter::Node;

use super::super::javascript::{LANGUAGES, arguments, callee};
use super::super::{BuiltIn, Check, DEFAULTS, FileCx, Sink};

pub(super) static ASYNC_COMPUTED: BuiltIn = BuiltIn {
    id: "vue-no-async-in-computed",
    severity: Severity::Error,
    languages: LANGUAGES,
    message: "A computed value is a promise here, not what it resolves to.",
    fix_suggestion: "Watch what it depends on, and set a `ref` when the work is done.",
    why: "A template shows `[object Promise]`, and what is read after the first `await` is not tracked.",
    check: Check::Nodes {
        kinds: |_| &["call_expression"],
        visit: async_computed,
    },
    page: include_str!("../../../../../docs/rules/vue-no-async-in-computed.md"),
    ..DEFAULTS
};

pub(super) static PROPS: BuiltIn = BuiltIn {
    id: "vue-no-mutating-props",
    severity: Severity::Error,
    languages: LANGUAGES,
    message: "A component changes what its parent gave it.",
    fix_suggestion: "Emit an event, or keep a copy in a `ref`.",
    why: "The parent does not know of it, and the next time it draws the change is gone.",
    check: Check::Nodes {
        kinds: |_| MUTATIONS,
        visit: props,
    },
    page: include_str!("../../../../../docs/rules/vue-no-mutating-props.md"),
    ..DEFAULTS
};

pub(super) static EFFECTS: BuiltIn = BuiltIn {
    id: "vue-no-side-effects-in-computed",
    languages: LANGUAGES,
    message: "A computed value changes something else while it is read.",
    fix_suggestion: "Do that in a watcher, or in the handler that changes the source.",
    why: "It happens when the value is read, as often as that is, and can set off itself.",
    check: Check::Nodes {
        kinds: |_| MUTATIONS,
        visit: effects,
    },
    page: include_str!("../../../../../docs/rules/vue-no-side-effects-in-computed.md"),
    ..DEFAULTS
};

const MUTATIONS: &[&str] = &[
    "assignment_expression",
    "augmented_assignment_expression",
    "update_expression",
];

/// What a node of [`MUTATIONS`] changes.
fn target(node: Node<'_>) -> Option<Node<'_>> {
    node.child_by_field_name("left")
        .or_else(|| node.child_by_field_name("argument"))
}

/// The name that a chain of members starts with.
fn root(mut node: Node<'_>) -> Option<Node<'_>> {
    let whole = node;
    while let ("member_expression" | "subscript_expression", Some(object)) =
        (node.kind(), node.child_by_field_name("object"))
    {
        node = object;
    }
    (node != whole).then_some(node)
}

/// The function that a call of Vue's `computed` is given.
fn computed_getter<'a>(cx: &FileCx<'a>, call: Node<'a>) -> Option<Node<'a>> {
    let is_computed = call.kind() == "call_expression"
        && callee(call).is_some_and(|callee| cx.text_of(callee) == "computed");
    let first = arguments(call).into_iter().next().filter(|_| is_computed)?;
    matches!(first.kind(), "arrow_function" | "function_expression").then_some(first)
}

fn async_computed<'a>(cx: &FileCx<'a>, node: Node<'a>, sink: &mut Sink) {
    if let Some(getter) = computed_getter(cx, node)
        && let Some(keyword) = getter.child(0).filter(|first| first.kind() == "async")
    {
        sink.report(keyword);
    }
}

fn props<'a>(cx: &FileCx<'a>, node: Node<'a>, sink: &mut Sink) {
    let Some(target) = target(node) else { return };
    let Some(name) = root(target).filter(|root| root.kind() == "identifier") else {
        return;
    };
    let binding = cx.bindings().find(cx.text_of(name), name.start_byte());
    let value = binding
        .filter(|binding| binding.by.kind() == "variable_declarator")
        .and_then(|binding| binding.by.child_by_field_name("value"));
    let is_props = value
        .map(|value| cx.text_of(value))
        .is_some_and(|value| value.starts_with("defineProps") || value.starts_with("withDefaults"));
    if is_props {
        sink.report(target);
    }
}

fn effects<'a>(cx: &FileCx<'a>, node: Node<'a>, sink: &mut Sink) {
    let Some(target) = target(node) else { return };
    // Names of its own are no one else's business.
    let Some(name) = root(target) else { return };
    let function = cx.ancestors(node).find(|outer| {
        matches!(
            outer.kind(),
            "arrow_function" | "function_expression" | "function_declaration" | "method_definition"
        )
    });
    let Some(function) = function else { return };
    let is_getter = function
        .parent()
        .and_then(|list| list.parent())
        .and_then(|call| computed_getter(cx, call))
        .is_some_and(|getter| getter == function);
    let is_own = cx
        .bindings()
        .find(cx.text_of(name), name.start_byte())
        .is_some_and(|binding| function.start_byte() <= binding.name.start_byte());
    if is_getter && !is_own {
        sink.report(target);
    }
}
