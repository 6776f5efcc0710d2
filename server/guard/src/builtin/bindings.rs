//! Who declares a name, and where the name is visible.
//!
//! One walk over the tree, made when a rule first asks. It knows what rules
//! need to tell the global `eval` from a local one or to read the declared type
//! of a receiver; it does not resolve other files.

mod dart;
mod go;
mod java;
mod javascript;
mod kotlin;
mod python;
mod rust;
mod swift;

use std::collections::HashMap;

use asd_syntax::Language;
use asd_text::Span;
use tree_sitter::Node;

use super::FileCx;

/// One declaration of a name.
#[derive(Clone, Copy)]
pub(crate) struct Binding<'a> {
    /// Where the name can be used.
    pub(crate) scope: Span,
    /// The name itself.
    pub(crate) name: Node<'a>,
    /// What declares it: a declarator, a parameter, a function, an import.
    pub(crate) by: Node<'a>,
}

/// All declarations of a file and all places where a name stands.
#[derive(Default)]
pub(crate) struct Bindings<'a> {
    declared: HashMap<&'a str, Vec<Binding<'a>>>,
    occurrences: HashMap<&'a str, Vec<Node<'a>>>,
}

/// The scopes around a node while declarations are collected.
#[derive(Clone, Copy)]
struct Scopes {
    /// The nearest function, or the file.
    function: Span,
    /// The nearest block, class or function, or the file.
    block: Span,
    /// Whether `block` is that of a class.
    in_class: bool,
}

/// What kind of scope a node opens for its children.
enum Opens {
    Nothing,
    Function,
    Block,
    Class,
}

/// Collects the declarations of one language.
struct Binder {
    opens: fn(&str) -> Opens,
    declare: for<'a> fn(&mut Bindings<'a>, &'a str, Node<'a>, Scopes),
    /// The kinds of leaves that are names.
    names: &'static [&'static str],
}

fn binder(language: Language) -> Option<&'static Binder> {
    Some(match language {
        Language::JavaScript | Language::TypeScript | Language::Tsx => &javascript::BINDER,
        Language::Python => &python::BINDER,
        Language::Java => &java::BINDER,
        Language::Kotlin => &kotlin::BINDER,
        Language::Go => &go::BINDER,
        Language::Dart => &dart::BINDER,
        Language::Rust => &rust::BINDER,
        Language::Swift => &swift::BINDER,
        _ => return None,
    })
}

impl<'a> Bindings<'a> {
    /// Walks the tree of a file.
    pub(crate) fn of(cx: &FileCx<'a>) -> Self {
        let mut bindings = Self::default();
        let Some(binder) = binder(cx.language) else {
            return bindings;
        };
        let whole = Span::new(0, cx.text.len());
        let file = Scopes {
            function: whole,
            block: whole,
            in_class: false,
        };
        // The scopes that the nodes around have inside.
        let mut around: Vec<Scopes> = Vec::new();
        for placed in cx.nodes() {
            around.truncate(placed.depth as usize);
            let node = placed.node;
            let scopes = around.last().copied().unwrap_or(file);
            if !node.is_named() {
                around.push(scopes);
                continue;
            }
            let kind = node.kind();
            if node.child_count() == 0 && binder.names.contains(&kind) {
                bindings
                    .occurrences
                    .entry(cx.text_of(node))
                    .or_default()
                    .push(node);
            }
            (binder.declare)(&mut bindings, cx.text, node, scopes);
            let span = span_of(node);
            around.push(match (binder.opens)(kind) {
                Opens::Nothing => scopes,
                Opens::Function => Scopes {
                    function: span,
                    block: span,
                    in_class: false,
                },
                Opens::Block => Scopes {
                    block: span,
                    in_class: false,
                    ..scopes
                },
                Opens::Class => Scopes {
                    block: span,
                    in_class: true,
                    ..scopes
                },
            });
        }
        bindings
    }

    /// The declaration that `name` means at a byte offset: the innermost scope
    /// around it wins.
    pub(crate) fn find(&self, name: &str, at: usize) -> Option<&Binding<'a>> {
        self.declared
            .get(name)?
            .iter()
            .filter(|binding| binding.scope.start <= at && at < binding.scope.end)
            .min_by_key(|binding| (binding.scope.len(), usize::MAX - binding.name.start_byte()))
    }

    /// Every declaration of `name`, in the order of the text.
    pub(crate) fn all(&self, name: &str) -> &[Binding<'a>] {
        self.declared.get(name).map_or(&[], Vec::as_slice)
    }

    /// Every place where `name` stands as a name, in the order of the text.
    pub(crate) fn occurrences(&self, name: &str) -> &[Node<'a>] {
        self.occurrences.get(name).map_or(&[], Vec::as_slice)
    }

    fn add(&mut self, text: &'a str, name: Node<'a>, by: Node<'a>, scope: Span) {
        self.declared
            .entry(&text[name.byte_range()])
            .or_default()
            .push(Binding { scope, name, by });
    }
}

/// The bytes of a node.
pub(crate) fn span_of(node: Node<'_>) -> Span {
    Span::new(node.start_byte(), node.end_byte())
}

/// The named children of a node.
pub(crate) fn children<'a>(node: Node<'a>) -> impl Iterator<Item = Node<'a>> {
    let mut cursor = node.walk();
    let mut more = cursor.goto_first_child();
    std::iter::from_fn(move || {
        while more {
            let child = cursor.node();
            more = cursor.goto_next_sibling();
            if child.is_named() {
                return Some(child);
            }
        }
        None
    })
}

/// The children of a node that stand in a field.
pub(crate) fn fields<'a>(node: Node<'a>, field: &'static str) -> impl Iterator<Item = Node<'a>> {
    let mut cursor = node.walk();
    let mut more = cursor.goto_first_child();
    std::iter::from_fn(move || {
        while more {
            let (child, name) = (cursor.node(), cursor.field_name());
            more = cursor.goto_next_sibling();
            if name == Some(field) {
                return Some(child);
            }
        }
        None
    })
}
