//! What calls, types, functions and loops look like in the grammars. Kinds of
//! different grammars do not get into each other's way, so that one table
//! serves all.

use asd_syntax::{Doc, Language};
use asd_text::Span;
use ast_grep_core::Node;

type N<'t> = Node<'t, Doc>;

pub(super) const CALLS: &[&str] = &[
    "call_expression",
    "call",
    "method_invocation",
    "object_creation_expression",
    "new_expression",
    "invocation_expression",
    "message_expression",
    "constructor_invocation",
    "macro_invocation",
];

pub(super) const TYPES: &[&str] = &[
    "class_declaration",
    "class_definition",
    "abstract_class_declaration",
    "class",
    "interface_declaration",
    "protocol_declaration",
    "object_declaration",
    "mixin_declaration",
    "extension_declaration",
    "extension_type_declaration",
    "enum_declaration",
    "struct_declaration",
    "record_declaration",
    "class_specifier",
    "struct_specifier",
    "class_interface",
    "class_implementation",
    "struct_item",
    "enum_item",
    "trait_item",
    "impl_item",
    "type_spec",
    "module",
];

const FUNCTIONS: &[&str] = &[
    "function_declaration",
    "function_definition",
    "function_item",
    "generator_function_declaration",
    "generator_function",
    "method_definition",
    "method_declaration",
    "constructor_declaration",
    "compact_constructor_declaration",
    "init_declaration",
    "deinit_declaration",
    "destructor_declaration",
    "secondary_constructor",
    "anonymous_initializer",
    "method",
    "singleton_method",
    "local_function_statement",
    "local_function_declaration",
];

const CLOSURES: &[&str] = &[
    "arrow_function",
    "function_expression",
    "func_literal",
    "lambda",
    "lambda_literal",
    "lambda_expression",
    "closure_expression",
    "anonymous_method_expression",
    "anonymous_function",
    "block_literal",
    "do_block",
];

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

/// A name with its place.
pub(super) struct Declared {
    pub(super) name: String,
    pub(super) span: Span,
}

/// What a call calls.
pub(super) struct Callee {
    path: String,
    has_receiver: bool,
    is_message: bool,
    pub(super) span: Span,
}

/// `a::b`, `a->b`, `a?.b` and `[a b]` are all `a.b`.
pub(super) fn normal_path(path: &str) -> String {
    let path = path.trim().trim_end_matches("()");
    let path = match path
        .strip_prefix('[')
        .and_then(|path| path.strip_suffix(']'))
    {
        Some(message) => message.trim().replace(' ', "."),
        None => path.to_owned(),
    };
    let path: String = path.chars().filter(|c| !c.is_whitespace()).collect();
    let mut path = path;
    for separator in ["::", "->", "?.", "!!.", "!."] {
        path = path.replace(separator, ".");
    }
    path.strip_prefix("new.").unwrap_or(&path).to_owned()
}

pub(super) fn callee(node: &N<'_>) -> Option<Callee> {
    let between = |first: &N<'_>, last: &N<'_>| Span::new(first.range().start, last.range().end);
    if node.kind() == "message_expression" {
        let receiver = node.field("receiver")?;
        let parts: Vec<N<'_>> = node.field_children("method").collect();
        let takes_arguments = node.children().any(|child| child.kind() == ":");
        let selector: String = parts
            .iter()
            .map(|part| format!("{}{}", part.text(), if takes_arguments { ":" } else { "" }))
            .collect();
        // What is sent to the answer of another message is no call of the other.
        let path = if receiver.kind() == "message_expression" {
            format!("{}.{selector}", receiver.text())
        } else {
            format!("{}.{selector}", normal_path(&receiver.text()))
        };
        return Some(Callee {
            path,
            has_receiver: true,
            is_message: true,
            span: Span::from(node.range()),
        });
    }
    let receiver = node.field("object").or_else(|| node.field("receiver"));
    let name = ["name", "method", "function", "constructor", "type", "macro"]
        .into_iter()
        .find_map(|field| node.field(field))
        .or_else(|| node.children().find(N::is_named))?;
    let (path, span) = match &receiver {
        Some(receiver) => (
            format!("{}.{}", receiver.text(), name.text()),
            between(receiver, &name),
        ),
        None => (name.text().into_owned(), Span::from(name.range())),
    };
    let path = normal_path(&path);
    let path = path.split('<').next().unwrap_or_default().to_owned();
    Some(Callee {
        has_receiver: path.contains('.'),
        path,
        is_message: false,
        span,
    })
}

/// Whether a call is one of `target`: itself, something on it, or it at the end
/// of a longer path. A target of one name is called on its own or on the
/// global object; with a dot in front, on anything.
pub(super) fn is_call_of(callee: &Callee, target: &str) -> bool {
    let path = callee.path.as_str();
    if path.contains(['(', '[', '{']) {
        return false;
    }
    if let Some(method) = target.strip_prefix('.') {
        return callee.has_receiver && path.rsplit('.').next() == Some(method);
    }
    let ends = |target: &str| {
        path.strip_suffix(target)
            .is_some_and(|rest| rest.ends_with('.'))
    };
    if path == target
        || path
            .strip_prefix(target)
            .is_some_and(|rest| rest.starts_with('.'))
    {
        return true;
    }
    if callee.is_message {
        return ends(target) || ends(&format!("{target}:"));
    }
    if target.contains('.') {
        return ends(target);
    }
    ["window", "globalThis", "global", "self"]
        .iter()
        .any(|global| path == format!("{global}.{target}"))
}

/// The type that a node declares or extends, without its type parameters.
pub(super) fn declared_type(node: &N<'_>) -> Option<Declared> {
    if node.kind() == "impl_item" || node.kind() == "extension_declaration" {
        return None;
    }
    if node.kind() == "class_declaration" && node.text().starts_with("extension") {
        return None;
    }
    if node.kind() == "class_implementation" || node.field("category").is_some() {
        return None;
    }
    // In Go only what is a struct has methods of its own to speak of.
    if node.kind() == "type_spec" && node.field("type")?.kind() != "struct_type" {
        return None;
    }
    // A use of a C struct is not its declaration.
    if matches!(&*node.kind(), "struct_specifier" | "class_specifier") {
        node.field("body")?;
    }
    type_name(node)
}

fn type_name(node: &N<'_>) -> Option<Declared> {
    let kind = node.kind();
    if !TYPES.contains(&&*kind) {
        return None;
    }
    let field = match &*kind {
        "impl_item" => "type",
        "extension_declaration" => "class",
        _ => "name",
    };
    let named = node.field(field).or_else(|| {
        let direct = node.children().find(|child| {
            matches!(
                &*child.kind(),
                "type_identifier" | "identifier" | "simple_identifier" | "constant"
            )
        });
        // `const A = class { … }`
        direct.or_else(|| node.parent().and_then(|parent| parent.field("name")))
    })?;
    let text = named.text();
    let name = text
        .split(['<', '[', '('])
        .next()
        .unwrap_or_default()
        .trim();
    let span = Span::new(named.range().start, named.range().start + name.len());
    let name = name
        .rsplit([':', '.'])
        .next()
        .unwrap_or_default()
        .to_owned();
    (!name.is_empty()).then_some(Declared { name, span })
}

/// The names of the types around a node, innermost first.
pub(super) fn enclosing_types(node: &N<'_>) -> Vec<String> {
    let mut names = Vec::new();
    for around in node.ancestors() {
        if let Some(declared) = type_name(&around) {
            names.push(declared.name);
            continue;
        }
        match &*around.kind() {
            "method_declaration" => {
                if let Some(receiver) = around.field("receiver") {
                    names.extend(receiver_type(&receiver.text()));
                }
            }
            // The grammar takes `object Name { … }` for an expression where it
            // could be one.
            "infix_expression" => {
                let mut parts = around.children();
                if parts.next().is_some_and(|first| first.text() == "object") {
                    names.extend(parts.next().map(|name| name.text().into_owned()));
                }
            }
            "function_definition" => {
                let declarator = around.field("declarator").map(|d| d.text().into_owned());
                if let Some(head) = declarator.as_deref().and_then(|d| d.split('(').next())
                    && let Some((scope, _)) = head.rsplit_once("::")
                {
                    names.extend(scope.rsplit("::").next().map(str::to_owned));
                }
            }
            _ => {}
        }
    }
    names
}

/// `(c *Client[T])` is a method of `Client`.
fn receiver_type(receiver: &str) -> Option<String> {
    let inner = receiver.trim_matches(['(', ')']);
    let name = inner.split('[').next()?;
    let name = name.rsplit([' ', '*', '.']).next()?;
    (!name.is_empty()).then(|| name.to_owned())
}

/// The names of the functions around a node, innermost first.
pub(super) fn enclosing_functions(node: &N<'_>) -> Vec<String> {
    node.ancestors()
        .filter_map(|around| function_name(&around))
        .collect()
}

fn is_function(node: &N<'_>) -> bool {
    FUNCTIONS.contains(&&*node.kind())
}

fn is_closure(node: &N<'_>) -> bool {
    CLOSURES.contains(&&*node.kind()) || (node.kind() == "block" && *node.lang() == Language::Ruby)
}

fn function_name(node: &N<'_>) -> Option<String> {
    if is_closure(node) {
        let parent = node.parent()?;
        return matches!(
            &*parent.kind(),
            "variable_declarator" | "public_field_definition" | "field_definition" | "pair"
        )
        .then(|| parent.field("name").or_else(|| parent.field("key")))?
        .map(|name| name.text().into_owned());
    }
    if !is_function(node) {
        return None;
    }
    match &*node.kind() {
        "init_declaration" => return Some("init".to_owned()),
        "deinit_declaration" => return Some("deinit".to_owned()),
        _ => {}
    }
    let signature = node.field("signature");
    let name = node
        .field("name")
        .or_else(|| {
            let signature = signature.as_ref()?;
            let found = signature.dfs().find_map(|inner| inner.field("name"));
            found
        })
        .or_else(|| {
            node.children()
                .find(|child| matches!(&*child.kind(), "simple_identifier" | "identifier"))
        });
    if let Some(name) = name {
        return Some(name.text().into_owned());
    }
    let declarator = node.field("declarator")?;
    let text = declarator.text();
    let head = text.split('(').next()?.trim();
    let head = head.rsplit("::").next()?;
    Some(head.trim_start_matches(['*', '&', ' ']).to_owned())
}

/// The text of a declaration before its body.
fn head<'t>(node: &N<'t>) -> String {
    let text = node.text();
    let body = ["body", "class_body"]
        .into_iter()
        .find_map(|field| node.field(field))
        .or_else(|| {
            node.children().find(|child| {
                matches!(
                    &*child.kind(),
                    "class_body" | "function_body" | "compound_statement" | "declaration_list"
                )
            })
        });
    match body {
        Some(body) => text[..body.range().start - node.range().start].to_owned(),
        None => text.into_owned(),
    }
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !(c.is_alphanumeric() || c == '_'))
        .filter(|word| !word.is_empty())
}

/// The last name of a path, without type arguments.
fn simple(name: &str) -> &str {
    let name = name.split(['<', '(']).next().unwrap_or(name);
    name.rsplit(['.', ':']).next().unwrap_or(name).trim()
}

/// Whether the head of a type's declaration names the protocol.
pub(super) fn head_names(node: &N<'_>, protocol: &str) -> bool {
    let protocol = simple(protocol);
    let head = match &*node.kind() {
        // The interface declares everything between its two ends; its own
        // lines follow the head.
        "class_interface" => node.text().lines().next().unwrap_or_default().to_owned(),
        "type_spec" => node.text().into_owned(),
        _ => head(node),
    };
    if words(&head).skip(1).any(|word| word == protocol) {
        return true;
    }
    // `include P` in Ruby, `#[derive(P)]` before a Rust item.
    let derives = std::iter::successors(node.prev(), N::prev)
        .take_while(|before| before.kind() == "attribute_item" || before.kind().contains("comment"))
        .any(|attribute| {
            let text = attribute.text();
            text.contains("derive") && words(&text).any(|word| word == protocol)
        });
    derives
        || (*node.lang() == Language::Ruby
            && node.text().lines().any(|line| {
                let line = line.trim();
                line.strip_prefix("include")
                    .or_else(|| line.strip_prefix("prepend"))
                    .is_some_and(|rest| words(rest).any(|word| word == protocol))
            }))
}

/// Whether another declaration in the same text adds the conformance.
pub(super) fn conforms_elsewhere(node: &N<'_>, class: &str, protocol: &str) -> bool {
    let protocol = simple(protocol);
    let root = node.root().root();
    root.dfs().any(|other| match &*other.kind() {
        "class_declaration" => {
            other.text().starts_with("extension")
                && type_name(&other).is_some_and(|declared| declared.name == class)
                && words(&head(&other)).any(|word| word == protocol)
        }
        "class_interface" => {
            type_name(&other).is_some_and(|declared| declared.name == class)
                && head_names_in_line(&other, protocol)
        }
        "impl_item" => {
            other
                .field("trait")
                .is_some_and(|name| simple(&name.text()) == protocol)
                && type_name(&other).is_some_and(|declared| declared.name == class)
        }
        "var_spec" => {
            other
                .field("type")
                .is_some_and(|name| simple(&name.text()) == protocol)
                && other
                    .field("value")
                    .is_some_and(|value| words(&value.text()).any(|word| word == class))
        }
        _ => false,
    })
}

fn head_names_in_line(node: &N<'_>, protocol: &str) -> bool {
    let text = node.text();
    let line = text.lines().next().unwrap_or_default();
    words(line).any(|word| word == protocol)
}

/// The function or closure that a node's code runs in.
fn nearest_function<'t>(node: &N<'t>) -> Option<N<'t>> {
    let found = node
        .ancestors()
        .find(|around| is_function(around) || (is_closure(around) && !runs_in_place(around)));
    found
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
        let found = signature
            .dfs()
            .find(|inner| inner.kind().contains("constructor_signature"))
            .and_then(|inner| inner.field("name"));
        found.is_some_and(|name| Some(name.text().into_owned()) == class)
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
    let found = node.ancestors().find(is_function);
    found
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
    let found = std::iter::successors(node.prev(), N::prev)
        .take_while(|before| before.kind() == "attribute_item" || before.kind().contains("comment"))
        .any(|attribute| words(&attribute.text()).any(|word| word == "test"));
    found
}
