use std::cell::RefCell;
use std::ops::ControlFlow;

use asd_text::{DocumentEdit, Point};
use ast_grep_core::AstGrep;
use ast_grep_core::tree_sitter::StrDoc;

use crate::Language;

/// A syntax tree. Cloning is cheap.
pub type Tree = tree_sitter::Tree;
/// A parsed text as ast-grep sees it.
pub type Doc = StrDoc<Language>;
/// The root that patterns and rules are matched from.
pub type Root = AstGrep<Doc>;

thread_local! {
    /// One parser for each language on each thread: making one is not free, and
    /// one cannot be shared.
    static PARSERS: RefCell<Vec<Option<tree_sitter::Parser>>> = const { RefCell::new(Vec::new()) };
}

/// Parses `text`; `old` is an earlier tree of it that was told of every edit
/// since ([`edit_tree`]). `None` when the language has no grammar.
#[must_use]
pub fn parse(language: Language, text: &str, old: Option<&Tree>) -> Option<Tree> {
    parse_while(language, text, old, &mut || true)
}

/// Like [`parse`], but asks `go_on` from time to time and gives `None` as soon
/// as it says no.
///
/// Few grammars know that a lone CR ends a line, so that a comment would swallow
/// the rest of a text that has no other line endings. They are told that it is
/// an LF. Such a text is always parsed as a whole: see [`may_be_reused`].
#[must_use]
pub fn parse_while(
    language: Language,
    text: &str,
    old: Option<&Tree>,
    go_on: &mut dyn FnMut() -> bool,
) -> Option<Tree> {
    let grammar = language.grammar()?;
    PARSERS.with_borrow_mut(|parsers| {
        let index = language as usize;
        if parsers.len() <= index {
            parsers.resize_with(Language::all().len(), || None);
        }
        let slot = &mut parsers[index];
        if slot.is_none() {
            let mut parser = tree_sitter::Parser::new();
            parser.set_language(&grammar).ok()?;
            *slot = Some(parser);
        }
        let parser = slot.as_mut()?;
        // What a cancelled parse left behind would otherwise be resumed.
        parser.reset();
        let bytes = text.as_bytes();
        let first_cr = lone_cr(bytes, 0);
        let old = if first_cr.is_some() { None } else { old };
        let mut progress = |_: &tree_sitter::ParseState| {
            if go_on() {
                ControlFlow::Continue(())
            } else {
                ControlFlow::Break(())
            }
        };
        let options = tree_sitter::ParseOptions::new().progress_callback(&mut progress);
        parser.parse_with_options(
            &mut |offset, _| match first_cr {
                Some(first) => up_to_lone_cr(bytes, offset, first),
                None => bytes.get(offset..).unwrap_or_default(),
            },
            old,
            Some(options),
        )
    })
}

/// Whether the tree of a text can be given to [`parse`] as an old one later. That
/// of a text with a lone CR cannot: a change next to it could make it another
/// character than the grammar saw.
#[must_use]
pub fn may_be_reused(text: &str) -> bool {
    lone_cr(text.as_bytes(), 0).is_none()
}

/// The first CR at or behind `from` that no LF follows.
fn lone_cr(bytes: &[u8], from: usize) -> Option<usize> {
    memchr::memchr_iter(b'\r', bytes.get(from..)?)
        .map(|at| from + at)
        .find(|at| bytes.get(at + 1) != Some(&b'\n'))
}

/// What the parser reads at `offset`: up to the next lone CR, or an LF for one.
fn up_to_lone_cr(bytes: &[u8], offset: usize, first: usize) -> &[u8] {
    let next = if offset <= first {
        Some(first)
    } else {
        lone_cr(bytes, offset)
    };
    match next {
        Some(next) if next == offset => b"\n",
        Some(next) => &bytes[offset..next],
        None => bytes.get(offset..).unwrap_or_default(),
    }
}

/// Tells a tree of a change of its text, before it is given to [`parse`].
pub fn edit_tree(tree: &mut Tree, edit: &DocumentEdit) {
    tree.edit(&tree_sitter::InputEdit {
        start_byte: edit.start_byte,
        old_end_byte: edit.old_end_byte,
        new_end_byte: edit.new_end_byte,
        start_position: point(edit.start_point),
        old_end_position: point(edit.old_end_point),
        new_end_position: point(edit.new_end_point),
    });
}

const fn point(point: Point) -> tree_sitter::Point {
    tree_sitter::Point {
        row: point.row,
        column: point.column,
    }
}

/// The share, from 0 to 1, of the text's bytes that the grammar could make
/// nothing of. Above 0.3 a tree is not relied on. (guard.md §5)
///
/// Constructs that were understood inside an error node are not counted: a
/// bracket that is still to be closed puts the whole file under one error node,
/// though all but a line of it is read well.
#[must_use]
pub fn error_share(tree: &Tree) -> f64 {
    let root = tree.root_node();
    if !root.has_error() || root.end_byte() == 0 {
        return 0.0;
    }
    let mut wrong = 0;
    let mut cursor = root.walk();
    // Whether each ancestor of the cursor's node is an error node.
    let mut errors = vec![false];
    loop {
        let node = cursor.node();
        let in_error = errors.last().copied().unwrap_or_default();
        let length = node.end_byte() - node.start_byte();
        if node.is_error() {
            if !in_error {
                wrong += length;
            }
        } else if in_error && node.is_named() && node.child_count() > 0 {
            wrong -= length;
        }
        if node.has_error() && cursor.goto_first_child() {
            errors.push(node.is_error());
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                #[expect(clippy::cast_precision_loss, reason = "a share needs no more")]
                return wrong as f64 / root.end_byte() as f64;
            }
            errors.pop();
        }
    }
}

/// Joins text and tree for matching.
#[must_use]
pub fn root(language: Language, text: &str, tree: Tree) -> Root {
    AstGrep::doc(StrDoc {
        src: text.to_owned(),
        lang: language,
        tree,
    })
}

#[cfg(test)]
mod tests {
    use asd_text::{Change, Document, Encoding, Position, PositionRange};
    use proptest::prelude::*;

    use super::*;

    /// Every node with its kind and bytes, so that two trees can be compared.
    fn outline(tree: &Tree) -> String {
        let mut result = String::new();
        let mut cursor = tree.walk();
        loop {
            let node = cursor.node();
            result += &format!(
                "{}{}{} {:?}\n",
                " ".repeat(cursor.depth() as usize),
                node.kind(),
                if node.is_missing() { " missing" } else { "" },
                node.byte_range()
            );
            if cursor.goto_first_child() {
                continue;
            }
            while !cursor.goto_next_sibling() {
                if !cursor.goto_parent() {
                    return result;
                }
            }
        }
    }

    const SOURCES: &[(Language, &str)] = &[
        (
            Language::TypeScript,
            "class A {\n  f(x: number) { return `饼${x + 1}干`; }\n}\nexport const a = /re/g;\r\nlet 🍪 = 1;\n",
        ),
        (
            Language::Rust,
            "/// 饼干\nfn f<'a>(x: &'a str) -> char {\n    let c = 'x';\n    r#\"🍪\"#; c\n}\n",
        ),
        (
            Language::Go,
            "package a\n\nfunc f() error {\n\tfor _, x := range 饼 {\n\t\treturn `raw`\n\t}\n}\n",
        ),
        (
            Language::Json,
            "{\"a\": [1, 2, {\"饼\": null}],\r\n \"b\": \"🍪\"}",
        ),
        (
            Language::Java,
            "class A {\n  int f(int x) { return x > 0 ? \"饼\".length() : 1; }\n}\n",
        ),
    ];

    /// What is typed, by hand or by paste.
    fn insertion() -> impl Strategy<Value = String> {
        prop_oneof![
            Just(String::new()),
            "[a-z{}()\"'`;/* 饼🍪\n\r]{1,4}",
            Just("\n  if (a) { b(); }\n".to_owned()),
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn an_edited_tree_is_that_of_a_fresh_parse(
            source in 0..SOURCES.len(),
            edits in prop::collection::vec((0u32..6, 0u32..40, 0u32..2, 0u32..12, insertion()), 1..6),
        ) {
            let (language, text) = SOURCES[source];
            let mut document = Document::new(text);
            let mut tree = parse(language, text, None).unwrap();
            let mut reusable = true;
            for (line, character, lines, characters, insertion) in edits {
                let start = Position { line, character };
                let end = Position { line: line + lines, character: character + characters };
                let change = Change {
                    range: Some(PositionRange { start, end }),
                    text: insertion,
                };
                let edit = document.apply(&change, Encoding::Utf16).unwrap();
                let text = document.snapshot().text;
                let old = reusable.then(|| {
                    edit_tree(&mut tree, &edit);
                    &tree
                });
                let again = parse(language, &text, old).unwrap();
                let fresh = parse(language, &text, None).unwrap();
                // Where the text does not parse, the grammar's way of repair
                // may depend on what was there before.
                if !fresh.root_node().has_error() {
                    prop_assert_eq!(outline(&again), outline(&fresh), "{:?}", text);
                }
                prop_assert_eq!(again.root_node().end_byte(), fresh.root_node().end_byte());
                tree = again;
                reusable = may_be_reused(&text);
            }
        }
    }

    #[test]
    fn a_parse_can_be_stopped_and_started_anew() {
        let text = "const a = [1, 2, 3];\n".repeat(20_000);
        let mut asked = 0;
        let stopped = parse_while(Language::JavaScript, &text, None, &mut || {
            asked += 1;
            asked < 3
        });
        assert!(stopped.is_none());
        assert_eq!(asked, 3);
        let tree = parse(Language::JavaScript, "a", None).unwrap();
        assert_eq!(tree.root_node().end_byte(), 1);
    }

    #[test]
    fn a_lone_cr_ends_a_line_in_every_language() {
        let whole = |language, text: &str| {
            let unix = text.replace("\r\n", "\n").replace('\r', "\n");
            let tree = parse(language, &unix, None).unwrap();
            assert!(!tree.root_node().has_error(), "{language:?}");
            (
                outline(&parse(language, text, None).unwrap()),
                outline(&tree),
            )
        };
        for (language, text) in [
            (Language::Python, "# a\rif b:\r  c()\rd()\r"),
            (Language::Bash, "# a\rb c\rif d\rthen e\rfi\r"),
            (
                Language::Go,
                "package a\r// b\rfunc c() {\r\td := 1\r\te(d)\r}\r",
            ),
            (Language::Kotlin, "// a\rfun b() {\r  c()\r  d()\r}\r"),
            (Language::Swift, "// a\rfunc b() {\r  c()\r  d()\r}\r"),
            (Language::JavaScript, "// a\rlet b = `c`\rd()\r"),
            (Language::Ruby, "# a\rb(1)\rc = 2\r"),
            (Language::Rust, "// a\rfn b() {}\r"),
        ] {
            let (old, new) = whole(language, text);
            assert_eq!(old, new, "{language:?}");
            assert!(!may_be_reused(text));
        }
        let mixed = "// a\rb()\r\n// 饼\r\rc()";
        let tree = parse(Language::JavaScript, mixed, None).unwrap();
        let calls = tree.root_node().named_child_count();
        assert_eq!(calls, 4, "{}", outline(&tree));
        assert_eq!(tree.root_node().end_byte(), mixed.len());
        assert!(may_be_reused("a\r\nb\n"));
    }

    #[test]
    fn languages_without_a_grammar_give_no_tree() {
        assert!(parse(Language::Markdown, "# a", None).is_none());
        assert!(parse(Language::Vue, "<script></script>", None).is_none());
    }

    fn share(language: Language, text: &str) -> f64 {
        error_share(&parse(language, text, None).unwrap())
    }

    #[test]
    fn the_error_share_tells_prose_from_code_in_the_making() {
        let whole = "function f() {\n  return a.b(c);\n}\n".repeat(20);
        assert_eq!(share(Language::JavaScript, &whole), 0.0);
        assert_eq!(share(Language::JavaScript, ""), 0.0);

        let open = format!("function g() {{\n  if (a {{\n{whole}");
        assert!(share(Language::JavaScript, &open) < 0.3);

        let prose = "This is, as you can see, no code at all: it's a letter; yours, \
                     with (un)kind regards & all that. #1 @2 } ] %%% \u{1}\u{2}";
        assert!(share(Language::JavaScript, prose) > 0.3);
        assert!(share(Language::Java, "} ] ) \u{0} \u{1} } }") > 0.9);
    }

    #[test]
    fn a_text_and_its_tree_are_matched_together() {
        let text = "a = B.shared";
        let tree = parse(Language::Python, text, None).unwrap();
        let root = root(Language::Python, text, tree);
        let found = root.root().find("$A.shared").map(|node| node.range());
        assert_eq!(found, Some(4..12));
    }
}
