use tree_sitter::Node;

use super::super::{BuiltIn, Check, DEFAULTS, FileCx, Sink};
use super::{LANGUAGES, property};

pub(in super::super) static RULE: BuiltIn = BuiltIn {
    id: "objc-assign-object",
    languages: LANGUAGES,
    message: "The property does not hold the object that it points to.",
    fix_suggestion: "Use `weak`, `strong` or `copy`.",
    why: "When the object is gone the pointer stays, and the next use crashes.",
    fixable: true,
    yields_to: Some("ast_assign_object_property"),
    check: Check::Nodes {
        kinds: |_| &["property_declaration"],
        visit,
    },
    page: include_str!("../../../../../docs/rules/objc-assign-object.md"),
    ..DEFAULTS
};

fn visit<'a>(cx: &FileCx<'a>, node: Node<'a>, sink: &mut Sink) {
    check(cx, node, &["assign", "unsafe_unretained"], sink);
}

/// Reports the first of these attributes on a property of an object type.
pub(super) fn check<'a>(cx: &FileCx<'a>, node: Node<'a>, attributes: &[&str], sink: &mut Sink) {
    let Some(property) = property(cx, node) else {
        return;
    };
    let attribute = property
        .attribute_list
        .into_iter()
        .flat_map(super::children)
        .find(|attribute| attributes.contains(&cx.text_of(*attribute)));
    let Some(attribute) = attribute else { return };
    if property.is("readonly") {
        return;
    }
    if let Some(kind) = property.object_type(cx) {
        let name = cx.text_of(attribute);
        let is_block = kind.kind() == "block_pointer_declarator";
        let (what, instead) = if is_block {
            // On the stack it is gone with the function that made it.
            ("the block".to_owned(), "copy")
        } else {
            let class = cx.text_of(kind);
            (format!("`{class}`"), ownership(class, &property, cx))
        };
        sink.report(attribute)
            .message(format!(
                "`{name}` does not hold the object: {what} may be gone when it is used."
            ))
            .unsafe_fix(
                format!("Use `{instead}`"),
                vec![asd_text::TextEdit::replace(
                    super::super::bindings::span_of(attribute),
                    instead,
                )],
            )
            .related(kind, "the object type");
    }
}

/// What a property of an object type usually is: partners that own the object
/// are weak, values are copied, everything else is held.
fn ownership<'a>(kind: &str, property: &super::Property<'a>, cx: &FileCx<'a>) -> &'static str {
    let class = kind.split('<').next().unwrap_or(kind).trim();
    let partner = |name: &str| {
        let name = name.to_ascii_lowercase();
        ["delegate", "datasource"]
            .iter()
            .any(|ending| name.ends_with(ending))
    };
    let protocol = kind
        .split_once('<')
        .filter(|_| class == "id")
        .map_or("", |(_, rest)| rest.trim_end_matches(['>', ' ']));
    let stated = property.name(cx);
    if partner(stated) || partner(protocol) || stated == "parent" || stated == "owner" {
        "weak"
    } else if VALUES.contains(&class) {
        "copy"
    } else {
        "strong"
    }
}

/// Classes with a mutable twin, and those that are treated like them: who holds
/// one does not want it to change.
const VALUES: &[&str] = &[
    "NSArray",
    "NSAttributedString",
    "NSCharacterSet",
    "NSData",
    "NSDictionary",
    "NSIndexSet",
    "NSNumber",
    "NSOrderedSet",
    "NSSet",
    "NSString",
    "NSURLRequest",
];
