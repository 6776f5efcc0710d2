//! What code stands in: loops, async functions, constructors, tests.

use asd_syntax::Language;

use super::facts::{
    CALLS, N, callee, enclosing_types, function_name, head, is_closure, is_function, type_name,
    words,
};

const LOOPS: &[&str] = &[
    "for_statement",
    "for_in_statement",
    "for_of_statement",
    "enhanced_for_statement",
    "foreach_statement",
    "for_each_statement",
    "for_range_loop",
    "for_expression",
    "for",
    "while_statement",
    "while_expression",
    "while",
    "until",
    "do_statement",
    "do_while_statement",
    "repeat_while_statement",
    "loop_expression",
    "list_comprehension",
    "set_comprehension",
    "dictionary_comprehension",
    "generator_expression",
];

/// What a loop evaluates once, before it turns for the first time.
const ONCE: &[&str] = &[
    "right",
    "collection",
    "value",
    "iterable",
    "initializer",
    "init",
];

/// Methods whose closure is the body of a loop.
const LOOPING_METHODS: &[&str] = &["forEach", "each", "times", "loop"];

/// The function or closure that a node's code runs in.
fn nearest_function<'t>(node: &N<'t>) -> Option<N<'t>> {
    node.ancestors()
        .find(|around| is_function(around) || (is_closure(around) && !runs_in_place(around)))
}

/// Closures that run where they are written, and so in what runs there.
fn runs_in_place(node: &N<'_>) -> bool {
    matches!(*node.lang(), Language::Kotlin | Language::Ruby)
}

pub(super) fn in_async(node: &N<'_>) -> bool {
    for around in node.ancestors() {
        if around.kind() == "async_block" {
            return true;
        }
        let is_function = is_function(&around);
        if !is_function && (!is_closure(&around) || runs_in_place(&around)) {
            continue;
        }
        if words(&head(&around)).any(|word| matches!(word, "async" | "suspend")) {
            return true;
        }
        // Dart says it at the start of the body.
        return around
            .field("body")
            .is_some_and(|body| body.text().starts_with("async"));
    }
    false
}

pub(super) fn in_loop(node: &N<'_>) -> bool {
    let mut inner = node.clone();
    let mut is_source = false;
    for around in node.ancestors() {
        if is_function(&around) {
            return false;
        }
        if matches!(&*around.kind(), "for_in_clause" | "range_clause") {
            is_source = is_evaluated_once(&around, &inner);
            inner = around;
            continue;
        }
        if is_closure(&around) {
            if is_loop_body(&around) {
                return true;
            }
            if !runs_in_place(&around) {
                return false;
            }
        }
        if LOOPS.contains(&&*around.kind()) && !is_source && !is_evaluated_once(&around, &inner) {
            return true;
        }
        is_source = false;
        inner = around;
    }
    false
}

fn is_evaluated_once(around: &N<'_>, inner: &N<'_>) -> bool {
    // Kotlin's loop has no fields, but a body of a kind of its own.
    if *around.lang() == Language::Kotlin && around.kind() == "for_statement" {
        return inner.kind() != "control_structure_body";
    }
    ONCE.iter().any(|field| {
        around
            .field(field)
            .is_some_and(|part| part.range() == inner.range())
    })
}

/// Whether a closure is handed to `forEach` and the like.
fn is_loop_body(closure: &N<'_>) -> bool {
    let call = closure
        .ancestors()
        .take(4)
        .find(|around| CALLS.contains(&&*around.kind()));
    call.and_then(|call| callee(&call)).is_some_and(|callee| {
        let name = callee.path.rsplit('.').next().unwrap_or_default();
        LOOPING_METHODS.contains(&name)
    })
}

pub(super) fn in_constructor(node: &N<'_>) -> bool {
    let Some(function) = enclosing_function(node) else {
        return false;
    };
    if matches!(
        &*function.kind(),
        "constructor_declaration"
            | "compact_constructor_declaration"
            | "init_declaration"
            | "secondary_constructor"
            | "anonymous_initializer"
    ) {
        return true;
    }
    // A method without a return type looks like a constructor of another name.
    let class = enclosing_types(&function).into_iter().next();
    let constructs = |signature: N<'_>| {
        signature
            .dfs()
            .find(|inner| inner.kind().contains("constructor_signature"))
            .and_then(|inner| inner.field("name"))
            .is_some_and(|name| Some(name.text().into_owned()) == class)
    };
    if function.field("signature").is_some_and(constructs) {
        return true;
    }
    let Some(name) = function_name(&function) else {
        return false;
    };
    match *function.lang() {
        Language::Python => name == "__init__" || name == "__new__",
        Language::Ruby => name == "initialize",
        Language::Rust => name == "new",
        Language::Go => name.starts_with("New") && function.field("receiver").is_none(),
        Language::Objc => name.starts_with("init"),
        Language::Cpp => {
            enclosing_types(&function).first() == Some(&name) || {
                let types = function_scope(&function);
                types.as_deref() == Some(name.as_str())
            }
        }
        _ => name == "constructor",
    }
}

fn function_scope(function: &N<'_>) -> Option<String> {
    let declarator = function.field("declarator")?;
    let text = declarator.text();
    let (scope, _) = text.split('(').next()?.rsplit_once("::")?;
    Some(scope.rsplit("::").next()?.trim().to_owned())
}

pub(super) fn in_destructor(node: &N<'_>) -> bool {
    let Some(function) = enclosing_function(node) else {
        return false;
    };
    if matches!(
        &*function.kind(),
        "deinit_declaration" | "destructor_declaration"
    ) {
        return true;
    }
    let Some(name) = function_name(&function) else {
        return false;
    };
    match *function.lang() {
        Language::Python => name == "__del__",
        Language::Rust => name == "drop",
        Language::Objc => name == "dealloc",
        Language::Java | Language::Kotlin => name == "finalize",
        Language::Dart => name == "dispose",
        Language::Cpp => name.starts_with('~'),
        _ => false,
    }
}

/// The function around a node, whatever closures stand between.
fn enclosing_function<'t>(node: &N<'t>) -> Option<N<'t>> {
    node.ancestors().find(is_function)
}

pub(super) fn in_test(node: &N<'_>) -> bool {
    for around in node.ancestors() {
        if is_function(&around) {
            let name = function_name(&around).unwrap_or_default();
            if name.starts_with("test") || name.starts_with("Test") || is_marked_as_test(&around) {
                return true;
            }
        }
        if CALLS.contains(&&*around.kind())
            && callee(&around).is_some_and(|callee| {
                matches!(
                    callee.path.as_str(),
                    "it" | "test"
                        | "describe"
                        | "beforeEach"
                        | "afterEach"
                        | "testWidgets"
                        | "group"
                        | "setUp"
                        | "tearDown"
                )
            })
        {
            return true;
        }
        if let Some(declared) = type_name(&around)
            && (declared.name.ends_with("Test")
                || declared.name.ends_with("Tests")
                || words(&head(&around)).any(|word| word == "XCTestCase"))
        {
            return true;
        }
        if around.kind() == "mod_item" && is_marked_as_test(&around) {
            return true;
        }
    }
    // What stands in the function's own head counts as well.
    nearest_function(node).is_some_and(|function| is_marked_as_test(&function))
}

fn is_marked_as_test(node: &N<'_>) -> bool {
    const MARKS: &[&str] = &["Test", "ParameterizedTest", "Fact", "Theory", "TestMethod"];
    if words(&head(node)).any(|word| MARKS.contains(&word)) {
        return true;
    }
    std::iter::successors(node.prev(), N::prev)
        .take_while(|before| before.kind() == "attribute_item" || before.kind().contains("comment"))
        .any(|attribute| words(&attribute.text()).any(|word| word == "test"))
}
