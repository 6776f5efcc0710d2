//! Rules of Objective-C, and what they share.

pub(super) mod assign_object;
pub(super) mod assign_object_property;
pub(super) mod block_retain_cycle;
pub(super) mod dealloc_async;
pub(super) mod duplicate_category;
pub(super) mod kvo_missing_remove;
pub(super) mod main_thread_blocking;
pub(super) mod main_thread_sync;
pub(super) mod missing_nonatomic;
pub(super) mod missing_weakify;
pub(super) mod mutable_public_collection;
pub(super) mod timer_retain_cycle;

use tree_sitter::Node;

use super::FileCx;
use super::bindings::children;

const LANGUAGES: &[&str] = &["objc"];

/// The parts of a message's selector, each with its argument.
fn selector<'a>(cx: &FileCx<'a>, message: Node<'a>) -> Vec<(&'a str, Option<Node<'a>>)> {
    let mut parts: Vec<(&'a str, Option<Node<'a>>)> = Vec::new();
    let mut cursor = message.walk();
    let mut more = cursor.goto_first_child();
    while more {
        let child = cursor.node();
        match cursor.field_name() {
            Some("method") => parts.push((cx.text_of(child), None)),
            Some("receiver") => {}
            _ if child.is_named() && child.kind() != "comment" => {
                if let Some((_, argument @ None)) = parts.last_mut() {
                    *argument = Some(child);
                }
            }
            _ => {}
        }
        more = cursor.goto_next_sibling();
    }
    parts
}

/// Every node of some kinds below a node.
fn below<'a>(node: Node<'a>, kinds: &[&str]) -> Vec<Node<'a>> {
    let mut found = Vec::new();
    let mut open = vec![node];
    while let Some(node) = open.pop() {
        if kinds.contains(&node.kind()) {
            found.push(node);
        }
        let at = open.len();
        open.extend(children(node));
        open[at..].reverse();
    }
    found
}

/// The method or function around a node.
fn enclosing_method<'a>(cx: &FileCx<'a>, node: Node<'a>) -> Option<Node<'a>> {
    cx.ancestors(node)
        .find(|outer| matches!(outer.kind(), "method_definition" | "function_definition"))
}

/// The selector that a method is defined for, without its colons.
fn method_name<'a>(cx: &FileCx<'a>, method: Node<'a>) -> &'a str {
    children(method)
        .find(|child| child.kind() == "identifier")
        .map_or("", |name| cx.text_of(name))
}

/// Whether an expression gives the main queue: itself, or a variable of the
/// function that was initialised with it.
fn is_main_queue<'a>(cx: &FileCx<'a>, queue: Node<'a>) -> bool {
    match queue.kind() {
        "call_expression" => cx.field_text(queue, "function") == "dispatch_get_main_queue",
        "identifier" => enclosing_method(cx, queue).is_some_and(|method| {
            below(method, &["init_declarator", "assignment_expression"])
                .into_iter()
                .filter(|made| made.start_byte() < queue.start_byte())
                .rfind(|made| {
                    let name = made
                        .child_by_field_name("declarator")
                        .or_else(|| made.child_by_field_name("left"));
                    name.is_some_and(|name| cx.text_of(name) == cx.text_of(queue))
                })
                .and_then(|made| {
                    made.child_by_field_name("value")
                        .or_else(|| made.child_by_field_name("right"))
                })
                .is_some_and(|value| value.kind() == "call_expression" && is_main_queue(cx, value))
        }),
        _ => false,
    }
}

/// Whether a condition asks for the main thread: `Some(true)` when it holds
/// there, `Some(false)` when it holds elsewhere.
fn main_thread_check<'a>(cx: &FileCx<'a>, condition: Node<'a>) -> Option<bool> {
    let text = cx.text_of(condition);
    let text = text.trim_start_matches('(').trim_end_matches(')').trim();
    // Besides NSThread's own, projects have functions such as `RCTIsMainQueue()`.
    let lower = text.to_ascii_lowercase();
    let asks = [
        "ismainthread",
        "ismainqueue",
        "onmainthread",
        "onmainqueue",
        "pthread_main_np",
    ]
    .iter()
    .any(|name| lower.contains(name));
    if !asks || text.contains("&&") || text.contains("||") {
        return None;
    }
    let negated = text.starts_with('!') ^ (text.contains("== NO") || text.contains("== false"));
    Some(!negated)
}

/// The first node below a block that keeps `self` alive: `self` itself, or an
/// instance variable.
fn captured<'a>(cx: &FileCx<'a>, block: Node<'a>) -> Option<(Node<'a>, Capture)> {
    let mut variable = None;
    for name in below(block, &["identifier"]) {
        let text = cx.text_of(name);
        // `typeof(self)` is a type and captures nothing.
        let is_type = name
            .parent()
            .is_some_and(|parent| parent.kind() == "typeof_specifier");
        if text == "self" && !is_type {
            return Some((name, Capture::This));
        }
        let is_variable = text
            .strip_prefix('_')
            .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_lowercase()))
            && text != "_cmd"
            && name.parent().is_none_or(|parent| {
                !matches!(parent.kind(), "call_expression" | "parameter_declaration")
            });
        if is_variable && variable.is_none() {
            variable = Some((name, Capture::Variable));
        }
    }
    variable
}

/// How a block keeps `self` alive.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Capture {
    This,
    Variable,
}

/// Whether a block stays after the statement: it is assigned to a property or an
/// instance variable, or given to a setter.
fn is_stored<'a>(cx: &FileCx<'a>, block: Node<'a>) -> bool {
    let Some(parent) = cx.parent(block) else {
        return false;
    };
    match parent.kind() {
        "assignment_expression" => {
            parent.child_by_field_name("right") == Some(block)
                && parent.child_by_field_name("left").is_some_and(|left| {
                    left.kind() == "field_expression"
                        || left.kind() == "identifier" && cx.text_of(left).starts_with('_')
                })
        }
        "message_expression" => {
            let parts = selector(cx, parent);
            matches!(parts.as_slice(), [(name, Some(argument))]
            if *argument == block
                && name.strip_prefix("set").is_some_and(|rest| {
                    rest.starts_with(|c: char| c.is_ascii_uppercase())
                }))
        }
        _ => false,
    }
}

/// Whether `self` is another, weak name around the block.
fn is_weakified<'a>(cx: &FileCx<'a>, block: Node<'a>) -> bool {
    enclosing_method(cx, block).is_some_and(|method| {
        let before = &cx.text[method.start_byte()..block.start_byte()];
        before.contains("@weakify(self)")
    })
}

/// A property that is declared with `@property`.
struct Property<'a> {
    attributes: Vec<&'a str>,
    attribute_list: Option<Node<'a>>,
    declaration: Node<'a>,
}

fn property<'a>(cx: &FileCx<'a>, node: Node<'a>) -> Option<Property<'a>> {
    let declaration = children(node).find(|child| child.kind() == "struct_declaration")?;
    let attribute_list =
        children(node).find(|child| child.kind() == "property_attributes_declaration");
    let attributes = attribute_list
        .into_iter()
        .flat_map(children)
        .map(|attribute| cx.text_of(attribute))
        .collect();
    Some(Property {
        attributes,
        attribute_list,
        declaration,
    })
}

impl<'a> Property<'a> {
    fn is(&self, attribute: &str) -> bool {
        self.attributes.contains(&attribute)
    }

    /// The name that it is declared with.
    fn name(&self, cx: &FileCx<'a>) -> &'a str {
        below(self.declaration, &["identifier", "field_identifier"])
            .last()
            .map_or("", |name| cx.text_of(*name))
    }

    /// The type when it is a pointer to an object: `id`, `id<P>`, `NSString *`; for
    /// a block, what makes it one.
    fn object_type(&self, cx: &FileCx<'a>) -> Option<Node<'a>> {
        let declarator =
            children(self.declaration).find(|child| child.kind() == "struct_declarator")?;
        let pointers = below(declarator, &["pointer_declarator"]).len();
        // A block is an object, whatever it takes and gives.
        if let Some(block) = below(declarator, &["block_pointer_declarator"]).first() {
            return Some(*block);
        }
        let specifier = children(self.declaration)
            .filter(|child| {
                matches!(
                    child.kind(),
                    "type_identifier" | "generic_specifier" | "typedefed_specifier"
                )
            })
            .last()?;
        if !below(declarator, &["function_declarator"]).is_empty() {
            return None;
        }
        let text = cx.text_of(specifier);
        let is_object = match specifier.kind() {
            "typedefed_specifier" => {
                pointers == 0
                    && text
                        .strip_prefix("id")
                        .is_some_and(|rest| rest.is_empty() || rest.trim_start().starts_with('<'))
            }
            "generic_specifier" => pointers == 1,
            _ => pointers == 1 && looks_like_a_class(text),
        };
        is_object.then_some(specifier)
    }
}

/// Classes are written `NSString`; structures of C `FILE`, `sqlite3`, `foo_t`.
fn looks_like_a_class(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_uppercase())
        && name.contains(|c: char| c.is_ascii_lowercase())
        && !name.ends_with("Ref")
        && !name.ends_with("_t")
}
