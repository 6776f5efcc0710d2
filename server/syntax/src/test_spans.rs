use asd_recipe::MatchIn;
use asd_text::Span;
use tree_sitter::Node;

use crate::{Language, Mask, Tree};

/// The parts of a source file that are only built for tests: in Rust, items
/// with `#[cfg(test)]`, `#[test]`, `#[tokio::test]` and their like, with their
/// attributes. In order, without overlap. Other languages keep tests in files
/// of their own ([`crate::is_test_path`]) and have none. (guard.md §4)
///
/// Items are found in `tree` where there is one, else by braces that are code.
#[must_use]
pub fn test_spans(language: Language, text: &str, mask: &Mask, tree: Option<&Tree>) -> Vec<Span> {
    if language != Language::Rust || !text.contains("test") && !text.contains("bench") {
        return Vec::new();
    }
    match tree {
        Some(tree) => in_tree(text, tree),
        None => in_code(&mask.view(text, MatchIn::Code)),
    }
}

/// Attributes that make a function a test, by the last part of their path.
const TEST_ATTRIBUTES: &[&str] = &[
    "test",
    "bench",
    "rstest",
    "test_case",
    "quickcheck",
    "proptest",
    "wasm_bindgen_test",
];

/// Whether the text between `#[` and `]` is that of a test.
fn is_test_attribute(attribute: &str) -> bool {
    let end = attribute
        .find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | ':' | ' ')))
        .unwrap_or(attribute.len());
    let path = attribute[..end].trim();
    let name = path.rsplit("::").next().unwrap_or(path).trim();
    if name == "cfg" {
        return requires_test(&attribute[end..]);
    }
    TEST_ATTRIBUTES.contains(&name)
}

/// Whether a condition holds only when tests are built: `test` stands in it,
/// under nothing but `all`.
fn requires_test(condition: &str) -> bool {
    // What each open parenthesis belongs to.
    let mut around: Vec<&str> = Vec::new();
    let mut word = 0..0;
    let mut requires = false;
    let mut in_string = false;
    for (at, c) in condition.char_indices() {
        if c.is_alphanumeric() || c == '_' {
            if word.end < at {
                word.start = at;
            }
            word.end = at + c.len_utf8();
            continue;
        }
        in_string ^= c == '"';
        let name = &condition[word.clone()];
        let ends = !in_string && matches!(c, ')' | ',');
        requires |= ends && name == "test" && is_conjunction(&around);
        match c {
            '(' if !in_string => around.push(name),
            ')' if !in_string => {
                around.pop();
            }
            _ => {}
        }
        if !c.is_whitespace() {
            word = at + 1..at + 1;
        }
    }
    requires
}

fn is_conjunction(around: &[&str]) -> bool {
    around.iter().all(|name| matches!(*name, "" | "all"))
}

fn in_tree(text: &str, tree: &Tree) -> Vec<Span> {
    let mut spans: Vec<Span> = Vec::new();
    let root = tree.root_node();
    let mut cursor = root.walk();
    loop {
        let node = cursor.node();
        let inside = spans.last().is_some_and(|s| node.start_byte() < s.end);
        if !inside && let Some(attribute) = attribute_of(text, node) {
            if is_test_attribute(attribute) {
                spans.push(item_span(node));
            }
        } else if !inside && cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return spans;
            }
        }
    }
}

/// The text between the brackets of an attribute.
fn attribute_of<'t>(text: &'t str, node: Node<'_>) -> Option<&'t str> {
    if !matches!(node.kind(), "attribute_item" | "inner_attribute_item") {
        return None;
    }
    let inner = text[node.byte_range()].trim_start_matches(['#', '!', ' ', '[']);
    Some(inner.strip_suffix(']').unwrap_or(inner))
}

/// From the first attribute of the item that `attribute` belongs to, to its end.
fn item_span(attribute: Node<'_>) -> Span {
    if attribute.kind() == "inner_attribute_item" {
        let around = attribute.parent().unwrap_or(attribute);
        return Span::new(around.start_byte(), around.end_byte());
    }
    let belongs = |node: &Node| node.kind() == "attribute_item" || node.kind().ends_with("comment");
    let mut start = attribute;
    while let Some(before) = start.prev_named_sibling().filter(belongs) {
        start = before;
    }
    // Comments before the first attribute are not part of the item.
    while start.kind() != "attribute_item"
        && let Some(after) = start.next_named_sibling()
    {
        start = after;
    }
    let mut end = attribute;
    while let Some(after) = end.next_named_sibling() {
        end = after;
        if !belongs(&after) {
            break;
        }
    }
    Span::new(start.start_byte(), end.end_byte())
}

/// The same on a text in which comments and literals are blank.
fn in_code(code: &str) -> Vec<Span> {
    let bytes = code.as_bytes();
    let mut spans = Vec::new();
    let mut at = 0;
    while let Some(length) = memchr::memchr(b'#', &bytes[at..]) {
        let start = at + length;
        let inner = bytes[start + 1..].starts_with(b"!");
        let open = start + 1 + usize::from(inner);
        at = start + 1;
        if bytes.get(open) != Some(&b'[') {
            continue;
        }
        // All attributes of one item.
        let mut is_test = false;
        let mut next = open;
        while bytes.get(next) == Some(&b'[') {
            let close = closing(bytes, next);
            is_test |= is_test_attribute(&code[next + 1..close.saturating_sub(1).max(next + 1)]);
            at = close;
            if inner {
                break;
            }
            let blank = code.len() - code[close..].trim_start().len();
            next = match bytes.get(blank) {
                Some(b'#') => blank + 1,
                _ => break,
            };
        }
        if is_test && inner {
            return vec![Span::new(0, code.len())];
        }
        if is_test {
            at = item_end(bytes, at);
            spans.push(Span::new(start, at));
        }
    }
    spans
}

/// Where the bracket at `open` is closed.
fn closing(bytes: &[u8], open: usize) -> usize {
    let mut depth = 0usize;
    for (at, byte) in bytes.iter().enumerate().skip(open) {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return at + 1;
                }
            }
            _ => {}
        }
    }
    bytes.len()
}

/// Where the item from `at` on ends: after its block or its `;`, or where that
/// which holds it ends.
fn item_end(bytes: &[u8], from: usize) -> usize {
    let mut at = from;
    while at < bytes.len() {
        match bytes[at] {
            b';' => return at + 1,
            b'{' => return closing(bytes, at),
            b'(' | b'[' => at = closing(bytes, at),
            b')' | b']' | b'}' => return at,
            _ => at += 1,
        }
    }
    bytes.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse;

    fn check(text: &str, expected: &[&str]) {
        let mask = Mask::new(Language::Rust, text);
        let tree = parse(Language::Rust, text, None);
        for tree in [tree.as_ref(), None] {
            let found: Vec<_> = test_spans(Language::Rust, text, &mask, tree)
                .into_iter()
                .map(|span| span.of(text))
                .collect();
            assert_eq!(found, expected, "with a tree: {}", tree.is_some());
        }
    }

    #[test]
    fn any_item_can_be_one_of_tests() {
        check(
            "use a;\n#[cfg(test)]\nuse b;\nfn f() {}\n#[test]\nfn g() { h(\"}\"); /* } */ }\n\
             #[tokio::test(flavor = \"x\")]\nasync fn i<A, B>(a: [u8; 2]) -> C where A: D<B> {}\n\
             #[allow(x)]\n// why\n#[cfg(test)]\n/// doc\nmod t {\n  #[test]\n  fn j() {}\n}\nfn k() {}\n",
            &[
                "#[cfg(test)]\nuse b;",
                "#[test]\nfn g() { h(\"}\"); /* } */ }",
                "#[tokio::test(flavor = \"x\")]\nasync fn i<A, B>(a: [u8; 2]) -> C where A: D<B> {}",
                "#[allow(x)]\n// why\n#[cfg(test)]\n/// doc\nmod t {\n  #[test]\n  fn j() {}\n}",
            ],
        );
    }

    #[test]
    fn conditions_count_only_when_they_require_tests() {
        for required in ["test", "all(test, unix)", "all(unix, all(test))"] {
            let item = format!("#[cfg({required})]\nfn f() {{}}");
            check(&format!("{item}\nfn g() {{}}"), &[&item]);
        }
        for optional in [
            "not(test)",
            "any(test, unix)",
            "all(unix, not(test))",
            "feature = \"test\"",
            "test_util",
            "all(not(all(test)))",
        ] {
            check(&format!("#[cfg({optional})]\nfn f() {{}}\n"), &[]);
        }
    }

    #[test]
    fn text_that_looks_like_an_attribute_is_none() {
        check("// #[test]\nfn f() { g(\"#[test]\"); }\n", &[]);
        check(
            "#[derive(Test)]\nstruct A;\n#[doc = \"test\"]\nfn f() {}\n",
            &[],
        );
    }

    #[test]
    fn a_file_can_be_for_tests_as_a_whole() {
        check("#![cfg(test)]\nfn f() {}", &["#![cfg(test)]\nfn f() {}"]);
    }

    #[test]
    fn items_inside_of_others() {
        check(
            "impl A {\n  #[cfg(test)]\n  fn f(&self) {}\n  fn g(&self) {}\n}\n",
            &["#[cfg(test)]\n  fn f(&self) {}"],
        );
    }

    #[test]
    fn what_is_being_typed_is_no_harm() {
        for text in [
            "#[cfg(test)",
            "#[test",
            "#[cfg(test)]",
            "#[test]\nfn f() {",
            "#",
            "#![",
        ] {
            let mask = Mask::new(Language::Rust, text);
            let tree = parse(Language::Rust, text, None);
            for tree in [tree.as_ref(), None] {
                for span in test_spans(Language::Rust, text, &mask, tree) {
                    assert!(span.end <= text.len());
                }
            }
        }
    }
}
