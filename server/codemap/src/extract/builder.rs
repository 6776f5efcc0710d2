//! What the extraction of every language shares: the walk, the stack of
//! declarations around a node, and how facts are added.

use std::collections::HashMap;

use asd_syntax::{Language, Node};
use asd_text::{LineIndex, Span};

use super::types::simplify;
use super::{Enter, line_count};
use crate::facts::{
    Binding, CallKind, CallSite, Declaration, FileFacts, Import, ImportStyle, ImportedName,
    MAX_CALL_SITES, Receiver, SymbolKind, Thrown, TypeHint,
};

/// The longest signature, in characters.
const LONGEST_SIGNATURE: usize = 200;

pub(super) struct Builder<'t> {
    pub text: &'t str,
    pub facts: FileFacts,
    /// Declarations around the current node, with their depth in the tree.
    scopes: Vec<(usize, u32)>,
    depth: usize,
    lines: LineIndex,
    /// The call site of each call node that was met.
    sites: HashMap<usize, u32>,
    /// Call sites whose receiver is a call node that comes later.
    receivers: Vec<(u32, usize)>,
    /// Bindings whose value is a call node that comes later.
    values: Vec<(u32, usize)>,
    type_names: Vec<&'t str>,
    /// Where the current node starts.
    offset: usize,
}

impl<'t> Builder<'t> {
    pub fn new(text: &'t str, language: Language) -> Self {
        Self {
            text,
            facts: FileFacts::empty(language, line_count(text)),
            scopes: Vec::new(),
            depth: 0,
            lines: LineIndex::new(text),
            sites: HashMap::new(),
            receivers: Vec::new(),
            values: Vec::new(),
            type_names: Vec::new(),
            offset: 0,
        }
    }

    /// Visits a tree without recursion, so that no nesting is too deep.
    pub fn walk(&mut self, root: Node<'t>, enter: Enter) {
        let mut cursor = root.walk();
        loop {
            self.offset = cursor.node().start_byte();
            if enter(self, cursor.node()) && cursor.goto_first_child() {
                self.depth += 1;
                continue;
            }
            loop {
                while self
                    .scopes
                    .last()
                    .is_some_and(|(depth, _)| *depth >= self.depth)
                {
                    self.scopes.pop();
                }
                if cursor.goto_next_sibling() {
                    break;
                }
                if !cursor.goto_parent() {
                    return;
                }
                self.depth -= 1;
            }
        }
    }

    pub fn finish(mut self, has_errors: bool) -> FileFacts {
        for (site, node) in self.receivers {
            if let Some(&call) = self.sites.get(&node) {
                self.facts.calls[site as usize].receiver = Receiver::Call(call);
            }
        }
        for (binding, node) in self.values {
            if let Some(&call) = self.sites.get(&node) {
                self.facts.bindings[binding as usize].hint = TypeHint::Call(call);
            }
        }
        self.type_names.sort_unstable();
        self.type_names.dedup();
        self.facts.type_names = self
            .type_names
            .iter()
            .map(|&name| name.to_owned())
            .collect();
        self.facts.has_errors = has_errors;
        self.facts
    }

    /// The text of a node.
    pub fn of(&self, node: Node<'_>) -> &'t str {
        &self.text[node.byte_range()]
    }

    /// The text of a field of a node.
    pub fn field(&self, node: Node<'_>, name: &str) -> Option<&'t str> {
        node.child_by_field_name(name).map(|child| self.of(child))
    }

    pub fn line(&self, offset: usize) -> u32 {
        u32::try_from(self.lines.line_of(offset) + 1).unwrap_or(u32::MAX)
    }

    /// The innermost declaration around the current node.
    pub fn scope(&self) -> Option<u32> {
        self.scopes.last().map(|(_, declaration)| *declaration)
    }

    /// The innermost function around the current node, else its type.
    pub fn caller(&self) -> Option<u32> {
        let callable = self
            .scopes
            .iter()
            .rev()
            .map(|(_, at)| *at)
            .find(|&at| self.facts.declarations[at as usize].kind.is_callable());
        callable.or_else(|| self.scope())
    }

    /// The innermost type, extension or module around the current node.
    pub fn container(&self) -> Option<u32> {
        self.scopes.iter().rev().map(|(_, at)| *at).find(|&at| {
            let kind = self.facts.declarations[at as usize].kind;
            kind.is_type() || kind == SymbolKind::Extension
        })
    }

    /// Whether the nearest declaration is a type or an extension: then a
    /// function is a method.
    pub fn in_type(&self) -> bool {
        self.scope().is_some_and(|at| {
            let kind = self.facts.declarations[at as usize].kind;
            kind.is_type() || kind == SymbolKind::Extension
        })
    }

    pub fn in_function(&self) -> bool {
        self.scopes
            .iter()
            .any(|(_, at)| self.facts.declarations[*at as usize].kind.is_callable())
    }

    /// Adds a declaration; `body` is where its signature ends.
    pub fn declare(
        &mut self,
        node: Node<'t>,
        name: Node<'t>,
        kind: SymbolKind,
        body: Option<Node<'t>>,
    ) -> u32 {
        let text = self.of(name).to_owned();
        self.declare_as(node, name, text, kind, body)
    }

    /// Like [`Self::declare`], under another name than that of the node.
    pub fn declare_as(
        &mut self,
        node: Node<'t>,
        name: Node<'t>,
        text: String,
        kind: SymbolKind,
        body: Option<Node<'t>>,
    ) -> u32 {
        let parent = self.scope();
        let end = body.map_or(node.end_byte(), |body| body.start_byte());
        let inherited = parent.is_some_and(|at| self.facts.declarations[at as usize].is_test);
        let declaration = Declaration {
            name: text,
            kind,
            span: Span::new(node.start_byte(), node.end_byte()),
            name_span: Span::new(name.start_byte(), name.end_byte()),
            line: self.line(name.start_byte()),
            end_line: self.line(node.end_byte()),
            signature: signature(&self.text[node.start_byte()..end.max(node.start_byte())]),
            parent,
            modifiers: Vec::new(),
            annotations: Vec::new(),
            supertypes: Vec::new(),
            owner: None,
            result: None,
            parameters: 0,
            is_public: true,
            is_test: inherited,
            has_body: body.is_some(),
        };
        self.facts.declarations.push(declaration);
        u32::try_from(self.facts.declarations.len() - 1).unwrap_or(u32::MAX)
    }

    pub fn declaration(&mut self, index: u32) -> &mut Declaration {
        &mut self.facts.declarations[index as usize]
    }

    /// What follows below the current node belongs to this declaration.
    pub fn open(&mut self, declaration: u32) {
        self.scopes.push((self.depth, declaration));
    }

    /// Adds a call site for `node`; gives its index unless there are too many.
    pub fn call(
        &mut self,
        node: Node<'t>,
        name: Node<'t>,
        receiver: Receives<'t>,
        kind: CallKind,
        arguments: usize,
    ) -> Option<u32> {
        self.call_named(
            node,
            name,
            self.of(name).to_owned(),
            receiver,
            kind,
            arguments,
        )
    }

    pub fn call_named(
        &mut self,
        node: Node<'t>,
        at: Node<'t>,
        name: String,
        receiver: Receives<'t>,
        kind: CallKind,
        arguments: usize,
    ) -> Option<u32> {
        if name.is_empty() {
            return None;
        }
        if self.facts.calls.len() >= MAX_CALL_SITES {
            self.facts.truncated = true;
            return None;
        }
        let index = u32::try_from(self.facts.calls.len()).ok()?;
        let receiver = match receiver {
            Receives::Nothing => Receiver::None,
            Receives::Path(path) => Receiver::Path(path),
            Receives::Node(node) => {
                self.receivers.push((index, node.id()));
                Receiver::Other
            }
        };
        self.facts.calls.push(CallSite {
            name,
            receiver,
            kind,
            arguments: u16::try_from(arguments).unwrap_or(u16::MAX),
            caller: self.caller(),
            line: self.line(at.start_byte()),
            span: Span::new(at.start_byte(), at.end_byte()),
        });
        self.sites.insert(node.id(), index);
        Some(index)
    }

    /// Says what is known of a variable of the current scope.
    pub fn bind(&mut self, scope: Option<u32>, name: &str, value: Value<'t>) {
        if name.is_empty() || name == "_" {
            return;
        }
        let hint = match value {
            Value::Type(text) => match simplify(text) {
                Some(name) => TypeHint::Named(name),
                None => TypeHint::Unknown,
            },
            Value::Path(path) => TypeHint::Path(path),
            Value::Node(node) => {
                let index = u32::try_from(self.facts.bindings.len()).unwrap_or(u32::MAX);
                self.values.push((index, node.id()));
                TypeHint::Unknown
            }
            Value::Unknown => TypeHint::Unknown,
        };
        self.facts.bindings.push(Binding {
            name: name.to_owned(),
            scope,
            hint,
            at: u32::try_from(self.offset).unwrap_or(u32::MAX),
        });
    }

    /// Adds an import of the current scope.
    pub fn import(
        &mut self,
        node: Node<'t>,
        module: impl Into<String>,
        style: ImportStyle,
        names: Vec<ImportedName>,
        alias: Option<String>,
    ) -> u32 {
        self.facts.imports.push(Import {
            module: module.into(),
            names,
            alias,
            style,
            within: Vec::new(),
            scope: self.scope(),
            line: self.line(node.start_byte()),
            span: Span::new(node.start_byte(), node.end_byte()),
        });
        u32::try_from(self.facts.imports.len() - 1).unwrap_or(u32::MAX)
    }

    pub fn throws(&mut self, node: Node<'t>, error: &str) {
        if error.is_empty() {
            return;
        }
        self.facts.throws.push(Thrown {
            error: error.to_owned(),
            scope: self.caller(),
            line: self.line(node.start_byte()),
        });
    }

    pub fn uses_type(&mut self, name: &'t str) {
        self.type_names.push(name);
    }
}

/// What a call is sent to, while the tree is at hand.
pub(super) enum Receives<'t> {
    Nothing,
    Path(String),
    /// An expression, perhaps a call.
    Node(Node<'t>),
}

/// What a variable is made of, while the tree is at hand.
pub(super) enum Value<'t> {
    Type(&'t str),
    Path(String),
    Node(Node<'t>),
    Unknown,
}

/// A name under which something is imported.
pub(super) fn imported(name: &str, local: &str) -> ImportedName {
    ImportedName {
        name: name.to_owned(),
        local: local.to_owned(),
    }
}

/// The named children of a node.
pub(super) fn children<'t>(node: Node<'t>) -> impl Iterator<Item = Node<'t>> {
    let mut child = node.named_child(0);
    std::iter::from_fn(move || {
        let current = child?;
        child = current.next_named_sibling();
        Some(current)
    })
}

/// The first named child of one of these kinds.
pub(super) fn child<'t>(node: Node<'t>, kinds: &[&str]) -> Option<Node<'t>> {
    children(node).find(|child| kinds.contains(&child.kind()))
}

/// The number of arguments in a list.
pub(super) fn count(arguments: Option<Node<'_>>) -> usize {
    arguments.map_or(0, |list| {
        children(list)
            .filter(|child| !child.kind().contains("comment"))
            .count()
    })
}

/// A text on one line, cut at 200 characters.
fn signature(text: &str) -> String {
    let mut result = String::new();
    for word in text.split_whitespace() {
        if !result.is_empty() {
            result.push(' ');
        }
        result.push_str(word);
        if result.len() > LONGEST_SIGNATURE * 4 {
            break;
        }
    }
    let result = result.trim_end_matches(['{', ':', '=', ' ']);
    match result.char_indices().nth(LONGEST_SIGNATURE) {
        Some((end, _)) => format!("{}…", &result[..end]),
        None => result.to_owned(),
    }
}
