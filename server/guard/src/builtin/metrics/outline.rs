//! The functions and types of a file with their measures.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, PoisonError};

use asd_syntax::Language;
use asd_text::Span;
use tree_sitter::Node;

use super::super::FileCx;
use super::super::bindings::{children, fields, span_of};
use super::shape::{Shape, shape};

/// A function with its measures.
pub(crate) struct Function<'a> {
    /// Its name; empty when it has none.
    pub(super) name: &'a str,
    /// The name, or the first word of a function without one.
    pub(super) at: Span,
    /// Its body.
    pub(super) body: Option<Node<'a>>,
    /// 1 and the decisions in it.
    pub(super) complexity: u32,
    /// How deep blocks are nested, and the head of the deepest one.
    pub(super) deepest: (u32, Span),
}

/// A type with its measures; extensions and implementations in the file count
/// towards the type.
pub(crate) struct Type<'a> {
    /// Its name without type arguments.
    pub(super) name: &'a str,
    /// The name where the type is declared, else where it is first extended.
    pub(super) at: Span,
    /// What declares it; `None` when only extensions are here.
    pub(super) declaration: Option<Node<'a>>,
    /// Methods without constructors.
    pub(super) methods: u32,
    /// Fields and properties.
    pub(super) properties: u32,
}

/// The functions and types of a file, in the order of the text.
#[derive(Default)]
pub(crate) struct Outline<'a> {
    pub(super) functions: Vec<Function<'a>>,
    pub(super) types: Vec<Type<'a>>,
}

/// What a node is around the nodes below it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Around {
    Nothing,
    Function(usize),
    Type(usize),
    /// A class without a name.
    Anonymous,
    Nest,
}

/// What the measures need to know of a kind of node.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
struct Role {
    function: bool,
    method: bool,
    type_: bool,
    anonymous: bool,
    property: bool,
    decision: bool,
    arm: bool,
    logic: bool,
    nest: bool,
    assignment: bool,
}

/// The roles of a grammar's kinds, by id; made once for each grammar.
fn roles(language: Language, shape: &Shape) -> Arc<[Role]> {
    static ROLES: Mutex<BTreeMap<Language, Arc<[Role]>>> = Mutex::new(BTreeMap::new());
    let mut made = ROLES.lock().unwrap_or_else(PoisonError::into_inner);
    Arc::clone(
        made.entry(language)
            .or_insert_with(|| make_roles(language, shape)),
    )
}

fn make_roles(language: Language, shape: &Shape) -> Arc<[Role]> {
    let Some(grammar) = language.grammar() else {
        return Arc::default();
    };
    (0..grammar.node_kind_count())
        .map(|id| {
            let kind = u16::try_from(id)
                .ok()
                .and_then(|id| grammar.node_kind_for_id(id))
                .unwrap_or_default();
            Role {
                function: shape.functions.contains(&kind),
                method: shape.methods.contains(&kind),
                type_: shape.types.contains(&kind),
                anonymous: shape.anonymous.contains(&kind),
                property: shape.properties.contains(&kind),
                decision: shape.decisions.contains(&kind),
                arm: shape.arms.contains(&kind),
                logic: shape.logic.contains(&kind),
                nest: shape.nests.contains(&kind),
                assignment: language == Language::Python && kind == "assignment",
            }
        })
        .collect()
}

struct Walk<'c, 'a> {
    cx: &'c FileCx<'a>,
    outline: Outline<'a>,
    by_name: HashMap<&'a str, usize>,
    /// The names that `self.x = …` has made properties of, by type.
    assigned: Vec<(usize, &'a str)>,
}

impl<'a> Outline<'a> {
    /// Measures a file.
    pub(crate) fn of(cx: &FileCx<'a>) -> Self {
        let Some(shape) = shape(cx.language) else {
            return Self::default();
        };
        let roles = roles(cx.language, shape);
        let mut walk = Walk {
            cx,
            outline: Self::default(),
            by_name: HashMap::new(),
            assigned: Vec::new(),
        };
        // For each node around: what it is, and the node.
        let mut around: Vec<(Around, Node<'a>)> = Vec::new();
        for placed in cx.nodes() {
            around.truncate(placed.depth as usize);
            let role = roles
                .get(usize::from(placed.kind))
                .copied()
                .unwrap_or_default();
            let what = if role == Role::default() || !placed.node.is_named() {
                Around::Nothing
            } else {
                walk.visit(placed.node, role, &around)
            };
            around.push((what, placed.node));
        }
        walk.outline
    }
}

impl<'a> Walk<'_, 'a> {
    fn visit(&mut self, node: Node<'a>, role: Role, around: &[(Around, Node<'a>)]) -> Around {
        let function = around.iter().rev().find_map(|(what, _)| match what {
            Around::Function(index) => Some(*index),
            _ => None,
        });
        let counts = role.decision
            || role.arm && !is_default_arm(self.cx, node)
            || role.logic && is_logical(self.cx, node);
        if let (true, Some(index)) = (counts, function) {
            self.outline.functions[index].complexity += 1;
        }
        // The innermost type, when no function lies between.
        let in_type = around
            .iter()
            .rev()
            .find_map(|(what, _)| match what {
                Around::Type(index) => Some(Some(*index)),
                Around::Function(_) | Around::Anonymous => Some(None),
                _ => None,
            })
            .flatten();
        if role.method {
            self.method(node, in_type);
        }
        if let (true, Some(index)) = (role.property, in_type) {
            self.outline.types[index].properties += property_count(self.cx, node);
        }
        if role.assignment {
            self.python_property(node, in_type, around);
        }
        if role.function {
            return Around::Function(self.function(node, around));
        }
        if role.type_ {
            return match self.type_(node) {
                Some(index) => Around::Type(index),
                None => Around::Nothing,
            };
        }
        if role.anonymous {
            return Around::Anonymous;
        }
        if role.nest && !is_else_if(node, around) {
            if let Some(index) = function {
                let depth = around
                    .iter()
                    .rev()
                    .take_while(|(what, _)| !matches!(what, Around::Function(_)))
                    .filter(|(what, _)| *what == Around::Nest)
                    .count();
                let depth = u32::try_from(depth).unwrap_or(u32::MAX).saturating_add(1);
                let deepest = &mut self.outline.functions[index].deepest;
                if depth > deepest.0 {
                    *deepest = (depth, head(self.cx, node));
                }
            }
            return Around::Nest;
        }
        Around::Nothing
    }

    fn function(&mut self, node: Node<'a>, around: &[(Around, Node<'a>)]) -> usize {
        let name = name_of(node).or_else(|| {
            // `const f = () => …`, `{ f: () => … }`, `x.f = () => …`
            let (_, parent) = around.last()?;
            ["name", "key", "left"]
                .iter()
                .find_map(|field| parent.child_by_field_name(field))
                .filter(|name| name.id() != node.id() && name.end_byte() <= node.start_byte())
        });
        let at = match name {
            Some(name) => span_of(name),
            None => head(self.cx, node),
        };
        self.outline.functions.push(Function {
            name: name.map_or("", |name| self.cx.text_of(name)),
            at,
            body: body_of(node),
            complexity: 1,
            deepest: (0, at),
        });
        self.outline.functions.len() - 1
    }

    fn method(&mut self, node: Node<'a>, in_type: Option<usize>) {
        let index = if self.cx.language == Language::Go {
            // The receiver says whose method it is.
            let receiver = node
                .child_by_field_name("receiver")
                .and_then(|list| list.named_child(0))
                .and_then(|parameter| parameter.child_by_field_name("type"));
            let Some(receiver) = receiver else { return };
            let name = base_name(self.cx.text_of(receiver).trim_start_matches('*'));
            self.named(name, span_of(receiver))
        } else {
            let Some(index) = in_type else { return };
            if name_of(node).is_some_and(|name| {
                matches!(
                    self.cx.text_of(name),
                    "constructor" | "__init__" | "__new__"
                )
            }) {
                return;
            }
            index
        };
        self.outline.types[index].methods += 1;
    }

    fn type_(&mut self, node: Node<'a>) -> Option<usize> {
        let cx = self.cx;
        let (name, extends) = match node.kind() {
            "impl_item" => (node.child_by_field_name("type")?, true),
            "type_spec" => {
                let is_struct = node
                    .child_by_field_name("type")
                    .is_some_and(|kind| matches!(kind.kind(), "struct_type" | "interface_type"));
                if !is_struct {
                    return None;
                }
                (name_of(node)?, false)
            }
            "extension_declaration" => (children(node).find(|child| child.kind() == "type")?, true),
            "class_interface" => (
                children(node).find(|child| child.kind() == "identifier")?,
                // A category or an extension.
                node.child_by_field_name("superclass").is_none(),
            ),
            "class_implementation" => (
                children(node).find(|child| child.kind() == "identifier")?,
                true,
            ),
            _ => {
                let extends = cx.field_text(node, "declaration_kind") == "extension";
                (name_of(node)?, extends)
            }
        };
        let index = self.named(base_name(cx.text_of(name)), span_of(name));
        if !extends {
            let type_ = &mut self.outline.types[index];
            if type_.declaration.is_none() {
                type_.declaration = Some(node);
                type_.at = span_of(name);
            }
        }
        Some(index)
    }

    fn named(&mut self, name: &'a str, at: Span) -> usize {
        *self.by_name.entry(name).or_insert_with(|| {
            self.outline.types.push(Type {
                name,
                at,
                declaration: None,
                methods: 0,
                properties: 0,
            });
            self.outline.types.len() - 1
        })
    }

    /// `x = 1` in the body of a class, and `self.x = 1` in its methods; each
    /// name once.
    fn python_property(
        &mut self,
        assignment: Node<'a>,
        in_type: Option<usize>,
        around: &[(Around, Node<'a>)],
    ) {
        let Some(left) = assignment.child_by_field_name("left") else {
            return;
        };
        let (index, name) = match left.kind() {
            "identifier" => (in_type, self.cx.text_of(left)),
            "attribute" if self.cx.field_text(left, "object") == "self" => (
                around.iter().rev().find_map(|(what, _)| match what {
                    Around::Type(index) => Some(*index),
                    _ => None,
                }),
                self.cx.field_text(left, "attribute"),
            ),
            _ => return,
        };
        if let Some(index) = index
            && !self.assigned.contains(&(index, name))
        {
            self.assigned.push((index, name));
            self.outline.types[index].properties += 1;
        }
    }
}

/// `List<T>` as `List`, `a.B` as `B`.
fn base_name(text: &str) -> &str {
    let text = text.split(['<', '[']).next().unwrap_or(text).trim();
    let text = text.rsplit("::").next().unwrap_or(text);
    text.rsplit('.').next().unwrap_or(text)
}

fn name_of(node: Node<'_>) -> Option<Node<'_>> {
    node.child_by_field_name("name")
        .or_else(|| {
            // Dart: the name stands in the signature.
            let mut signature = node.child_by_field_name("signature")?;
            loop {
                if let Some(name) = signature.child_by_field_name("name") {
                    return Some(name);
                }
                signature = signature.named_child(0)?;
            }
        })
        .or_else(|| {
            children(node).find(|child| {
                matches!(
                    child.kind(),
                    "simple_identifier" | "type_identifier" | "identifier"
                )
            })
        })
        .filter(|name| {
            // An arrow function with one parameter starts with an identifier.
            node.kind() != "arrow_function" && name.start_byte() >= node.start_byte()
        })
}

fn body_of(node: Node<'_>) -> Option<Node<'_>> {
    node.child_by_field_name("body").or_else(|| {
        children(node).find(|child| {
            matches!(
                child.kind(),
                "function_body" | "compound_statement" | "block" | "statements"
            )
        })
    })
}

/// The first word of a node.
fn head(cx: &FileCx<'_>, node: Node<'_>) -> Span {
    let start = node.start_byte();
    let word = cx.text[start..node.end_byte()]
        .find(|c: char| !c.is_alphanumeric() && c != '_' && c != '@')
        .unwrap_or(node.end_byte() - start);
    if word == 0 {
        let first = cx.text[start..].chars().next().map_or(0, char::len_utf8);
        return Span::new(start, start + first);
    }
    Span::new(start, start + word)
}

/// How many properties a declaration makes.
fn property_count(cx: &FileCx<'_>, node: Node<'_>) -> u32 {
    let many = match node.kind() {
        // `val` and `var` in front of a constructor's parameter.
        "class_parameter" => {
            usize::from(children(node).any(|child| child.kind() == "binding_pattern_kind"))
        }
        "field_declaration" if cx.language == Language::Java => fields(node, "declarator").count(),
        "field_declaration" if cx.language == Language::Go => {
            fields(node, "name").filter(Node::is_named).count().max(1)
        }
        // A computed one is a method in disguise, but still a property.
        _ => 1,
    };
    u32::try_from(many).unwrap_or(u32::MAX)
}

fn is_logical(cx: &FileCx<'_>, node: Node<'_>) -> bool {
    let operator = node
        .child_by_field_name("operator")
        .map(|operator| cx.text_of(operator));
    match node.kind() {
        "let_chain" => true,
        "boolean_operator" => true,
        _ => matches!(operator, Some("&&" | "||")),
    }
}

/// `default:`, `else ->`, `_ =>`
fn is_default_arm(cx: &FileCx<'_>, arm: Node<'_>) -> bool {
    match arm.kind() {
        "match_arm" => arm
            .child_by_field_name("pattern")
            .is_some_and(|pattern| cx.text_of(pattern).trim() == "_"),
        "case_clause" => children(arm)
            .next()
            .is_some_and(|pattern| cx.text_of(pattern) == "_"),
        "switch_expression_case" => cx.text_of(arm).starts_with('_'),
        "switch_entry" => children(arm).any(|child| child.kind() == "default_keyword"),
        _ => arm
            .child(0)
            .is_some_and(|first| matches!(first.kind(), "default" | "else")),
    }
}

/// Whether an `if` is the `else if` of another, which is no deeper than that.
fn is_else_if<'a>(node: Node<'a>, around: &[(Around, Node<'a>)]) -> bool {
    let Some((_, parent)) = around.last() else {
        return false;
    };
    if parent.kind() == "else_clause" {
        return node.kind().starts_with("if_");
    }
    if parent.kind() == node.kind() {
        return parent.child_by_field_name("alternative") == Some(node)
            || node
                .prev_sibling()
                .is_some_and(|before| before.kind() == "else");
    }
    parent.kind() == "control_structure_body"
        && node.kind() == "if_expression"
        && around.len() >= 2
        && around[around.len() - 2]
            .1
            .child_by_field_name("alternative")
            == Some(*parent)
        && parent.start_byte() == node.start_byte()
}
