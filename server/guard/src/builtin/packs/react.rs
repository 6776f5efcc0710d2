use asd_recipe::Severity;
use tree_sitter::Node;

use super::super::javascript::{LANGUAGES, arguments, callee, member};
use super::super::{BuiltIn, Check, DEFAULTS, FileCx, Sink, children};

pub(super) static INDEX_KEY: BuiltIn = BuiltIn {
    id: "react-no-array-index-key",
    languages: LANGUAGES,
    message: "The key of this element is its place in the list.",
    fix_suggestion: "Use an id of the item as its key.",
    why: "When the list is sorted, or an item goes, React keeps the state of one item for another.",
    skips_tests: true,
    check: Check::Nodes {
        kinds: |_| &["jsx_attribute"],
        visit: index_key,
    },
    page: include_str!("../../../../../docs/rules/react-no-array-index-key.md"),
    ..DEFAULTS
};

pub(super) static STATE_MUTATION: BuiltIn = BuiltIn {
    id: "react-no-direct-mutation-state",
    severity: Severity::Error,
    languages: LANGUAGES,
    message: "`this.state` is changed without React being told.",
    fix_suggestion: "Call `this.setState(…)`.",
    why: "Nothing is drawn anew, and the next `setState` may undo the change.",
    check: Check::Nodes {
        kinds: |_| {
            &[
                "assignment_expression",
                "augmented_assignment_expression",
                "update_expression",
            ]
        },
        visit: state_mutation,
    },
    page: include_str!("../../../../../docs/rules/react-no-direct-mutation-state.md"),
    ..DEFAULTS
};

pub(super) static HOOKS: BuiltIn = BuiltIn {
    id: "react-rules-of-hooks",
    severity: Severity::Error,
    languages: LANGUAGES,
    message: "This hook is not called on every render.",
    fix_suggestion: "Call it at the top of the component, and put the condition into it.",
    why: "React tells hooks apart by the order of their calls: one that is left out shifts all that follow.",
    check: Check::Nodes {
        kinds: |_| &["call_expression"],
        visit: hooks,
    },
    page: include_str!("../../../../../docs/rules/react-rules-of-hooks.md"),
    ..DEFAULTS
};

fn index_key<'a>(cx: &FileCx<'a>, node: Node<'a>, sink: &mut Sink) {
    let is_key = node
        .named_child(0)
        .is_some_and(|name| cx.text_of(name) == "key");
    let value = node
        .named_child(1)
        .filter(|value| value.kind() == "jsx_expression")
        .and_then(|value| value.named_child(0));
    let Some(value) = value.filter(|_| is_key) else {
        return;
    };
    let callback = cx
        .ancestors(node)
        .find(|outer| matches!(outer.kind(), "arrow_function" | "function_expression"));
    let Some(index) = callback.and_then(|callback| index_of(cx, callback)) else {
        return;
    };
    if is_made_of(cx, value, index) {
        sink.report(value);
    }
}

/// The name of the index that a callback of `map` and the like is given.
fn index_of<'a>(cx: &FileCx<'a>, callback: Node<'a>) -> Option<&'a str> {
    let call = callback
        .parent()
        .filter(|list| list.kind() == "arguments")?
        .parent()?;
    let (_, method) = member(cx, callee(call)?)?;
    let position = match method {
        "map" | "flatMap" | "forEach" | "filter" => 1,
        "reduce" | "reduceRight" => 2,
        _ => return None,
    };
    let parameters = callback.child_by_field_name("parameters")?;
    let parameter = children(parameters).nth(position)?;
    // In TypeScript a parameter is a node around its name.
    let name = parameter
        .child_by_field_name("pattern")
        .unwrap_or(parameter);
    (name.kind() == "identifier").then(|| cx.text_of(name))
}

/// Whether a key says nothing but the index: itself, or a text with it and
/// nothing else that changes.
fn is_made_of<'a>(cx: &FileCx<'a>, value: Node<'a>, index: &str) -> bool {
    match value.kind() {
        "identifier" => cx.text_of(value) == index,
        "template_string" => {
            let mut parts = children(value)
                .filter(|part| part.kind() == "template_substitution")
                .filter_map(|part| part.named_child(0))
                .peekable();
            parts.peek().is_some() && parts.all(|part| is_made_of(cx, part, index))
        }
        "binary_expression" => {
            let sides = ["left", "right"].map(|side| value.child_by_field_name(side));
            let is_fixed = |side: &Node<'a>| matches!(side.kind(), "string" | "number");
            sides
                .iter()
                .flatten()
                .any(|side| is_made_of(cx, *side, index))
                && sides
                    .iter()
                    .flatten()
                    .all(|side| is_fixed(side) || is_made_of(cx, *side, index))
        }
        "call_expression" => {
            let is_text = callee(value).is_some_and(|callee| {
                cx.text_of(callee) == "String"
                    || member(cx, callee).is_some_and(|(object, method)| {
                        method == "toString" && is_made_of(cx, object, index)
                    })
            });
            let arguments = arguments(value);
            is_text && arguments.iter().all(|one| is_made_of(cx, *one, index))
        }
        _ => false,
    }
}

fn state_mutation<'a>(cx: &FileCx<'a>, node: Node<'a>, sink: &mut Sink) {
    let target = node
        .child_by_field_name("left")
        .or_else(|| node.child_by_field_name("argument"));
    let Some(target) = target else { return };
    let mut at = target;
    let mut is_state = false;
    while let ("member_expression" | "subscript_expression", Some(object)) =
        (at.kind(), at.child_by_field_name("object"))
    {
        is_state = object.kind() == "this" && cx.field_text(at, "property") == "state";
        at = object;
    }
    // A component sets its first state in its constructor, as a whole or in parts.
    let in_constructor = || {
        cx.ancestors(node)
            .find(|outer| {
                matches!(
                    outer.kind(),
                    "method_definition" | "function_expression" | "function_declaration"
                )
            })
            .is_some_and(|method| cx.field_text(method, "name") == "constructor")
    };
    let is_component = || {
        cx.ancestors(node)
            .find(|outer| matches!(outer.kind(), "class_declaration" | "class"))
            .and_then(|class| children(class).find(|child| child.kind() == "class_heritage"))
            .is_some_and(|heritage| cx.text_of(heritage).contains("Component"))
    };
    if is_state && is_component() && !in_constructor() {
        sink.report(target);
    }
}

fn hooks<'a>(cx: &FileCx<'a>, node: Node<'a>, sink: &mut Sink) {
    let Some(callee) = callee(node) else { return };
    let name = match member(cx, callee) {
        Some((object, method)) if cx.text_of(object) == "React" => method,
        Some(_) => return,
        None if callee.kind() == "identifier" => cx.text_of(callee),
        None => return,
    };
    // `use` itself may stand under a condition.
    if !is_hook(name) {
        return;
    }
    let mut inner = node;
    for outer in cx.ancestors(node) {
        if is_function(outer) {
            if is_component(cx, outer) {
                return;
            }
            // Somebody else calls a function that is no component and no hook.
            let within = cx.ancestors(outer).any(|outer| is_component(cx, outer));
            if within
                && outer
                    .parent()
                    .is_some_and(|parent| parent.kind() == "arguments")
            {
                break;
            }
            return;
        }
        let is_conditional = match outer.kind() {
            "if_statement" => outer.child_by_field_name("condition") != Some(inner),
            "ternary_expression" => outer.child_by_field_name("condition") != Some(inner),
            "binary_expression" => {
                matches!(cx.field_text(outer, "operator"), "&&" | "||" | "??")
                    && outer.child_by_field_name("right") == Some(inner)
            }
            "for_statement" | "for_in_statement" | "while_statement" | "do_statement"
            | "switch_case" => true,
            _ => false,
        };
        if is_conditional {
            let component = cx.ancestors(node).find(|outer| is_function(*outer));
            if component.is_some_and(|component| is_component(cx, component)) {
                break;
            }
            return;
        }
        inner = outer;
    }
    if inner.parent().is_some() {
        sink.report(callee)
            .message(format!("`{name}` is not called on every render."));
    }
}

fn is_hook(name: &str) -> bool {
    name.strip_prefix("use")
        .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_uppercase()))
}

fn is_function(node: Node<'_>) -> bool {
    matches!(
        node.kind(),
        "arrow_function" | "function_expression" | "function_declaration" | "method_definition"
    )
}

/// Whether a function is a component or a hook, by its name.
fn is_component<'a>(cx: &FileCx<'a>, function: Node<'a>) -> bool {
    if !is_function(function) {
        return false;
    }
    let name = match function.child_by_field_name("name") {
        Some(name) => Some(name),
        None => {
            let mut parent = function.parent();
            // `memo(() => …)`, `forwardRef(function …)`
            if let Some(call) = parent
                .filter(|list| list.kind() == "arguments")
                .and_then(|list| list.parent())
                && callee(call).is_some_and(|callee| {
                    let text = cx.text_of(callee);
                    matches!(text.rsplit('.').next(), Some("memo" | "forwardRef"))
                })
            {
                parent = call.parent();
            }
            parent
                .filter(|parent| parent.kind() == "variable_declarator")
                .and_then(|declarator| declarator.child_by_field_name("name"))
        }
    };
    name.is_some_and(|name| {
        let name = cx.text_of(name);
        is_hook(name)
            || function.kind() != "method_definition"
                && name.starts_with(|c: char| c.is_ascii_uppercase())
    })
}
