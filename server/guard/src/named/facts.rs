//! What calls, types, functions and loops look like in the grammars. Kinds of
//! different grammars do not get into each other's way, so that one table
//! serves all.

use asd_syntax::{Doc, Language};
use asd_text::Span;
use ast_grep_core::Node;

pub(super) type N<'t> = Node<'t, Doc>;

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

/// A name with its place.
pub(super) struct Declared {
    pub(super) name: String,
    pub(super) span: Span,
}

/// What a call calls.
pub(super) struct Callee {
    pub(super) path: String,
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

pub(super) fn type_name(node: &N<'_>) -> Option<Declared> {
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

pub(super) fn is_function(node: &N<'_>) -> bool {
    FUNCTIONS.contains(&&*node.kind())
}

pub(super) fn is_closure(node: &N<'_>) -> bool {
    CLOSURES.contains(&&*node.kind()) || (node.kind() == "block" && *node.lang() == Language::Ruby)
}

pub(super) fn function_name(node: &N<'_>) -> Option<String> {
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
            signature.dfs().find_map(|inner| inner.field("name"))
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
pub(super) fn head<'t>(node: &N<'t>) -> String {
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

pub(super) fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !(c.is_alphanumeric() || c == '_'))
        .filter(|word| !word.is_empty())
}
