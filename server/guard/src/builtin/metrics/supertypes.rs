//! What a type extends and which interfaces it states.

use asd_syntax::Language;
use tree_sitter::Node;

use super::super::FileCx;
use super::super::bindings::children;

/// The class that a declaration extends.
pub(super) fn superclass<'a>(cx: &FileCx<'a>, declaration: Node<'a>) -> Option<Node<'a>> {
    match cx.language {
        Language::JavaScript | Language::TypeScript | Language::Tsx => {
            let heritage = children(declaration).find(|child| child.kind() == "class_heritage")?;
            match children(heritage).find(|child| child.kind() == "extends_clause") {
                Some(clause) => clause.child_by_field_name("value"),
                // In JavaScript the expression stands there itself.
                None => children(heritage).find(|child| child.kind() != "implements_clause"),
            }
        }
        Language::Python => declaration
            .child_by_field_name("superclasses")
            .and_then(|list| children(list).find(|child| child.kind() != "keyword_argument")),
        Language::Java | Language::Dart => {
            let superclass = declaration.child_by_field_name("superclass")?;
            children(superclass).find(|child| child.kind() != "mixins")
        }
        Language::Kotlin => children(declaration)
            .filter(|child| child.kind() == "delegation_specifier")
            .filter_map(|specifier| specifier.named_child(0))
            .find(|inner| inner.kind() == "constructor_invocation")
            .and_then(|invocation| invocation.named_child(0)),
        Language::Objc => declaration.child_by_field_name("superclass"),
        Language::Swift if cx.field_text(declaration, "declaration_kind") == "class" => {
            // It comes first; a class without one begins with its protocols.
            inherited(declaration)
                .next()
                .filter(|first| !is_protocol(cx, plain(cx.text_of(*first))))
        }
        _ => None,
    }
}

/// The number of interfaces or protocols that a declaration states.
pub(super) fn interfaces<'a>(cx: &FileCx<'a>, declaration: Node<'a>) -> usize {
    let list = |owner: Node<'a>, kind: &str| {
        children(owner)
            .filter(|child| child.kind() == kind)
            .flat_map(children)
            .flat_map(|child| {
                let inner = matches!(child.kind(), "type_list");
                inner
                    .then(|| children(child))
                    .into_iter()
                    .flatten()
                    .chain((!inner).then_some(child))
            })
            .filter(|child| !child.kind().ends_with("comment"))
            .count()
    };
    match cx.language {
        Language::TypeScript | Language::Tsx => children(declaration)
            .filter(|child| child.kind() == "class_heritage")
            .map(|heritage| list(heritage, "implements_clause"))
            .sum(),
        Language::Java => {
            list(declaration, "super_interfaces") + list(declaration, "extends_interfaces")
        }
        Language::Dart => list(declaration, "interfaces"),
        Language::Kotlin => children(declaration)
            .filter(|child| child.kind() == "delegation_specifier")
            .filter_map(|specifier| specifier.named_child(0))
            .filter(|inner| inner.kind() != "constructor_invocation")
            .count(),
        Language::Objc => list(declaration, "parameterized_arguments"),
        Language::Swift => {
            let all = inherited(declaration).count();
            // The first of a class may be its superclass.
            let is_class = cx.field_text(declaration, "declaration_kind") == "class";
            let extends = is_class && superclass(cx, declaration).is_some();
            all - usize::from(extends)
        }
        _ => 0,
    }
}

/// What a Swift type states after its colon.
fn inherited<'a>(declaration: Node<'a>) -> impl Iterator<Item = Node<'a>> {
    children(declaration)
        .filter(|child| child.kind() == "inheritance_specifier")
        .filter_map(|specifier| specifier.named_child(0))
}

/// Whether a name is that of a protocol: declared in the file, or named as
/// protocols are.
fn is_protocol(cx: &FileCx<'_>, name: &str) -> bool {
    cx.bindings()
        .all(name)
        .iter()
        .any(|binding| binding.by.kind() == "protocol_declaration")
        || ["able", "ible", "ing", "Delegate", "DataSource", "Protocol"]
            .iter()
            .any(|ending| name.ends_with(ending))
        || PROTOCOLS.contains(&name)
}

/// A type without its arguments.
fn plain(name: &str) -> &str {
    name.split('<').next().unwrap_or(name).trim()
}

/// Protocols of the standard library and of the system whose names do not tell.
const PROTOCOLS: &[&str] = &[
    "Actor",
    "AnyObject",
    "BidirectionalCollection",
    "Collection",
    "CustomNSError",
    "Decoder",
    "Encoder",
    "Error",
    "IteratorProtocol",
    "LocalizedError",
    "NSCoding",
    "NSCopying",
    "NSObjectProtocol",
    "NSSecureCoding",
    "ObservableObject",
    "PreviewProvider",
    "RandomAccessCollection",
    "Sequence",
    "UIApplicationDelegate",
    "View",
];
