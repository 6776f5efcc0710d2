//! Where a comment can be written, and in which form.
//!
//! A comment that is to be added to code must be one there: inside a string
//! over several lines it would be text, between the tags of JSX it needs braces,
//! and after a line that is continued it would break the code.

use asd_text::Span;
use tree_sitter::Node;

use crate::markup::{self, Part};
use crate::regions::fences;
use crate::{Language, Mask, MaskKind, Region, Tree, parse, regions};

/// A place for a comment of one's own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CommentSlot {
    /// Where to insert it: the start of a line for a comment above it, before
    /// the line's indentation; the end of a line for a comment behind it.
    pub at: usize,
    /// What stands before the comment's text, without a blank.
    pub open: &'static str,
    /// What stands after it; empty for a comment that ends with its line.
    pub close: &'static str,
}

/// A place for a comment on a line of its own before the line that holds
/// `offset`. Where none is possible there (in a string over several lines, in a
/// tag of markup, after a continued line), it is before the line on which that
/// which is in the way starts. `None` where the language has no comments.
///
/// `tree` is that of `text`; without it the text is parsed where that is needed
/// to know.
#[must_use]
pub fn comment_above(
    language: Language,
    text: &str,
    tree: Option<&Tree>,
    offset: usize,
) -> Option<CommentSlot> {
    if let Some(region) = region_at(language, text, offset) {
        let inner = region.span.of(text);
        let slot = comment_above(region.language, inner, None, offset - region.span.start)?;
        return Some(moved(slot, region.span.start));
    }
    let place = Place::new(language, text, tree);
    let mut at = line_start(text, offset);
    // Each step leads to an earlier line.
    while let Some(obstacle) = place.obstacle_before(at) {
        at = line_start(text, obstacle);
    }
    let (open, close) = place.form(first_on_line(text, at))?;
    Some(CommentSlot { at, open, close })
}

/// A place for a comment at the end of the line that holds `offset`; `None`
/// where there is none, or where a comment ends the line already.
///
/// `tree` is that of `text`; without it the text is parsed where that is needed
/// to know.
#[must_use]
pub fn comment_behind(
    language: Language,
    text: &str,
    tree: Option<&Tree>,
    offset: usize,
) -> Option<CommentSlot> {
    if let Some(region) = region_at(language, text, offset) {
        let inner = region.span.of(text);
        let offset = offset - region.span.start;
        // Behind the last line the closing tag may follow.
        if line_end(inner, offset) == inner.len() {
            return None;
        }
        let slot = comment_behind(region.language, inner, None, offset)?;
        return Some(moved(slot, region.span.start));
    }
    let place = Place::new(language, text, tree);
    let at = line_end(text, offset);
    if place.obstacle_before(at).is_some() || place.is_continued(at) {
        return None;
    }
    let (open, close) = place.form(at)?;
    Some(CommentSlot { at, open, close })
}

fn region_at(language: Language, text: &str, offset: usize) -> Option<Region> {
    regions(language, text)
        .into_iter()
        .find(|region| region.span.touches(offset))
}

const fn moved(slot: CommentSlot, by: usize) -> CommentSlot {
    CommentSlot {
        at: slot.at + by,
        ..slot
    }
}

fn line_start(text: &str, offset: usize) -> usize {
    let before = &text.as_bytes()[..offset.min(text.len())];
    let start = memchr::memrchr2(b'\n', b'\r', before).map_or(0, |newline| newline + 1);
    if start == 0 && text.starts_with('\u{feff}') {
        return '\u{feff}'.len_utf8();
    }
    start
}

fn line_end(text: &str, offset: usize) -> usize {
    let offset = offset.min(text.len());
    memchr::memchr2(b'\n', b'\r', &text.as_bytes()[offset..])
        .map_or(text.len(), |length| offset + length)
}

/// Whether another line ends before `start`.
fn follows_line(text: &str, start: usize) -> bool {
    text[..start].ends_with(['\n', '\r'])
}

/// The end of the text of the line before the one that starts at `start`.
fn line_before(text: &str, start: usize) -> usize {
    let before = &text[..start];
    let before = before.strip_suffix('\n').unwrap_or(before);
    before.strip_suffix('\r').unwrap_or(before).len()
}

/// Where the line ends that closes the front matter.
fn front_matter_end(text: &str) -> Option<usize> {
    let first = line_start(text, 0);
    let is_mark = |start| matches!(text[start..line_end(text, start)].trim_end(), "---" | "...");
    if !text[first..].starts_with("---") || !is_mark(first) {
        return None;
    }
    memchr::memchr2_iter(b'\n', b'\r', text.as_bytes())
        .map(|ending| ending + 1)
        .find(|start| is_mark(*start))
        .map(|start| line_end(text, start))
}

/// The first byte of the line at `start` that is no blank.
fn first_on_line(text: &str, start: usize) -> usize {
    let blanks = text.as_bytes()[start..]
        .iter()
        .take_while(|b| matches!(b, b' ' | b'\t'))
        .count();
    start + blanks
}

struct Place<'t> {
    language: Language,
    text: &'t str,
    mask: Mask,
    tree: Option<Tree>,
    /// The parts of markup.
    parts: Vec<Part>,
}

impl<'t> Place<'t> {
    fn new(language: Language, text: &'t str, tree: Option<&Tree>) -> Self {
        Self {
            language,
            text,
            mask: Mask::new(language, text),
            tree: tree.cloned().or_else(|| match language {
                Language::JavaScript
                | Language::Tsx
                | Language::Python
                | Language::Swift
                | Language::CSharp
                | Language::Yaml => parse(language, text, None),
                _ => None,
            }),
            parts: match language {
                Language::Html | Language::Vue | Language::Svelte => markup::parts(text.as_bytes()),
                _ => Vec::new(),
            },
        }
    }

    /// Where that starts which keeps a comment from standing at `at`; always on
    /// an earlier line, so that the line of it can be tried next.
    fn obstacle_before(&self, at: usize) -> Option<usize> {
        let line = line_start(self.text, at);
        let in_mask = self.mask_obstacle(at);
        let in_tree = self.tree_obstacle(at);
        let in_tag = self.tag_obstacle(at);
        let in_block = self.block_obstacle(at);
        let continued = (at == line && follows_line(self.text, line))
            .then(|| line - 1)
            .filter(|end| self.is_continued(*end));
        [in_mask, in_tree, in_tag, in_block, continued]
            .into_iter()
            .flatten()
            .filter(|obstacle| *obstacle < line || at > line)
            .min()
    }

    /// The literal or comment that goes on at `at`.
    fn mask_obstacle(&self, at: usize) -> Option<usize> {
        let index = self.mask.spans.partition_point(|span| span.span.end < at);
        let span = self.mask.spans.get(index)?;
        match span.kind {
            // The body starts after the line that announces it.
            MaskKind::Heredoc => {
                (span.span.start <= at && at < span.span.end && span.span.start > 0)
                    .then(|| span.span.start - 1)
            }
            MaskKind::LineComment | MaskKind::DocComment if span.span.end == at => {
                (span.span.start < at).then_some(span.span.start)
            }
            _ => (span.span.start < at && at < span.span.end).then_some(span.span.start),
        }
    }

    /// The literal whose nodes hold `at`, for what the mask sees as code: a block
    /// scalar, and embedded code in a language where no comment may be in it.
    fn tree_obstacle(&self, at: usize) -> Option<usize> {
        let literal = |kind: &str| match self.language {
            Language::Python => kind == "string",
            Language::Swift => kind.ends_with("string_literal"),
            Language::CSharp => kind.ends_with("string_expression"),
            Language::Yaml => kind == "block_scalar",
            Language::JavaScript | Language::Tsx => kind == "string",
            _ => false,
        };
        let mut node = self.tree.as_ref()?.root_node();
        loop {
            let reaches =
                at < node.end_byte() || (node.kind() == "block_scalar" && at <= node.end_byte());
            if node.start_byte() < at && reaches && literal(node.kind()) {
                return Some(node.start_byte());
            }
            node = child_around(node, at)?;
        }
    }

    /// The tag of markup that holds `at`.
    fn tag_obstacle(&self, at: usize) -> Option<usize> {
        if !matches!(
            self.language,
            Language::Html | Language::Vue | Language::Svelte
        ) {
            return None;
        }
        let hidden = |offset: usize| {
            self.parts.iter().find_map(|part| match part {
                Part::Comment(span) | Part::Value(span) | Part::RawText { text: span, .. } => {
                    (span.start <= offset && offset < span.end).then_some(*span)
                }
            })
        };
        // Back to the last angle bracket that is one.
        let bytes = self.text.as_bytes();
        let mut offset = at;
        while let Some(bracket) = memchr::memrchr2(b'<', b'>', &bytes[..offset]) {
            match hidden(bracket) {
                Some(Span { start, .. }) => offset = start,
                None if bytes[bracket] == b'>' => return None,
                None => {
                    let starts = bytes
                        .get(bracket + 1)
                        .is_some_and(|b| b.is_ascii_alphabetic() || *b == b'/');
                    return starts.then_some(bracket);
                }
            }
        }
        None
    }

    /// The block of Markdown that holds `at` and takes no comments: front matter,
    /// a code block in a language that is not known, the rows of a table.
    fn block_obstacle(&self, at: usize) -> Option<usize> {
        if self.language != Language::Markdown {
            return None;
        }
        let line = line_start(self.text, at);
        let front = front_matter_end(self.text).filter(|end| at <= *end && line > 0);
        if front.is_some() {
            return Some(0);
        }
        let fence = fences(self.text).into_iter().find(|fence| {
            let Span { start, end } = fence.outer;
            start < at && (at < end || (at == end && at > line))
        });
        if let Some(fence) = fence {
            return Some(fence.outer.start);
        }
        let is_row =
            |start| self.text.as_bytes().get(first_on_line(self.text, start)) == Some(&b'|');
        if at > line || !is_row(line) || !follows_line(self.text, line) {
            return None;
        }
        let above = line_start(self.text, line_before(self.text, line));
        is_row(above).then_some(above)
    }

    /// Whether the line that ends at `end` goes on in the next one.
    fn is_continued(&self, end: usize) -> bool {
        let continues = matches!(
            self.language,
            Language::C
                | Language::Cpp
                | Language::Objc
                | Language::Bash
                | Language::Python
                | Language::Ruby
        );
        let line = self.text[..end].trim_end_matches(['\r', '\n']);
        let marks = line.len() - line.trim_end_matches('\\').len();
        continues && marks % 2 == 1
    }

    /// What a comment at `at` looks like.
    fn form(&self, at: usize) -> Option<(&'static str, &'static str)> {
        if matches!(self.language, Language::JavaScript | Language::Tsx)
            && let Some(tree) = &self.tree
            && is_between_jsx_tags(tree, at)
        {
            return Some(("{/*", "*/}"));
        }
        let comments = self.language.comments();
        match (comments.line, comments.block) {
            (Some(line), _) => Some((line, "")),
            (None, block) => block,
        }
    }
}

/// The child of `node` that goes on at `at`.
fn child_around(node: Node<'_>, at: usize) -> Option<Node<'_>> {
    let mut cursor = node.walk();
    if !cursor.goto_first_child() {
        return None;
    }
    loop {
        let child = cursor.node();
        let end = child.end_byte();
        // A block scalar reaches to the end of its last line.
        if child.start_byte() < at && (at < end || (at == end && child.kind().starts_with("block")))
        {
            return Some(child);
        }
        if child.start_byte() >= at || !cursor.goto_next_sibling() {
            return None;
        }
    }
}

/// Whether what stands at `at` is text between the tags of JSX.
fn is_between_jsx_tags(tree: &Tree, at: usize) -> bool {
    let mut node = tree.root_node();
    let mut between = false;
    loop {
        match node.kind() {
            "jsx_element" | "jsx_fragment" => between = true,
            "jsx_text" => {}
            _ => between = false,
        }
        match child_around(node, at) {
            Some(child) => node = child,
            None => return between,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// `text` with the comment of `slot` in it.
    fn written(text: &str, slot: CommentSlot, own_line: bool) -> String {
        let CommentSlot { at, open, close } = slot;
        let blank = if close.is_empty() { "" } else { " " };
        let comment = format!("{open} c{blank}{close}");
        let (before, after) = text.split_at(at);
        if own_line {
            let indent: String = after
                .chars()
                .take_while(|c| matches!(c, ' ' | '\t'))
                .collect();
            format!("{before}{indent}{comment}\n{after}")
        } else {
            format!("{before} {comment}{after}")
        }
    }

    /// Writes a comment above the line of `$0`, and one behind it.
    fn check(language: Language, marked: &str, above: Option<&str>, behind: Option<&str>) {
        let offset = marked.find("$0").unwrap();
        let text = marked.replace("$0", "");
        let tree = parse(language, &text, None);
        for tree in [tree.as_ref(), None] {
            let slot = comment_above(language, &text, tree, offset);
            let found = slot.map(|slot| written(&text, slot, true));
            assert_eq!(found.as_deref(), above, "above in {marked}");
            let slot = comment_behind(language, &text, tree, offset);
            let found = slot.map(|slot| written(&text, slot, false));
            assert_eq!(found.as_deref(), behind, "behind in {marked}");
        }
        for text in [above, behind].into_iter().flatten() {
            // Whatever parsed still does, and the comment is one.
            if tree
                .as_ref()
                .is_some_and(|tree| !tree.root_node().has_error())
            {
                let tree = parse(language, text, None).unwrap();
                assert!(!tree.root_node().has_error(), "{text}");
            }
        }
    }

    #[test]
    fn each_language_has_its_own_form() {
        for (language, above, behind) in [
            (Language::Swift, "// c\nx\ny", "x // c\ny"),
            (Language::Python, "# c\nx\ny", "x # c\ny"),
            (Language::Bash, "# c\nx\ny", "x # c\ny"),
            (Language::Css, "/* c */\nx\ny", "x /* c */\ny"),
            (Language::Markdown, "<!-- c -->\nx\ny", "x <!-- c -->\ny"),
            (Language::Vue, "<!-- c -->\nx\ny", "x <!-- c -->\ny"),
        ] {
            check(language, "$0x\ny", Some(above), Some(behind));
        }
        check(Language::Json, "{\n  $0\"a\": 1\n}", None, None);
    }

    #[test]
    fn the_indentation_is_that_of_the_line() {
        check(
            Language::Go,
            "func f() {\r\n\t  a($0)\r\n}\r\n",
            Some("func f() {\r\n\t  // c\n\t  a()\r\n}\r\n"),
            Some("func f() {\r\n\t  a() // c\r\n}\r\n"),
        );
        check(
            Language::Python,
            "\u{feff}a($0)",
            Some("\u{feff}# c\na()"),
            Some("\u{feff}a() # c"),
        );
    }

    #[test]
    fn no_comment_is_put_into_a_literal() {
        check(
            Language::TypeScript,
            "f();\nconst a = `x\n  $0y\n`;\n",
            Some("f();\n// c\nconst a = `x\n  y\n`;\n"),
            None,
        );
        check(
            Language::TypeScript,
            "const a = `x\n  ${f(\n    $0b,\n  )}\n`;\n",
            Some("const a = `x\n  ${f(\n    // c\n    b,\n  )}\n`;\n"),
            Some("const a = `x\n  ${f(\n    b, // c\n  )}\n`;\n"),
        );
        check(
            Language::Python,
            "if a:\n    b = f\"\"\"x\n    {\n      $0y\n    }\n\"\"\"\n",
            Some("if a:\n    # c\n    b = f\"\"\"x\n    {\n      y\n    }\n\"\"\"\n"),
            None,
        );
        check(
            Language::Ruby,
            "f(<<~A, <<~B)\n  x\nA\n  $0y\nB\nz\n",
            Some("# c\nf(<<~A, <<~B)\n  x\nA\n  y\nB\nz\n"),
            None,
        );
        check(
            Language::Bash,
            "cat <<A\n$0x\nA\n",
            Some("# c\ncat <<A\nx\nA\n"),
            None,
        );
        check(
            Language::Yaml,
            "a:\n  run: |\n    x\n    $0y\nb: 1\n",
            Some("a:\n  # c\n  run: |\n    x\n    y\nb: 1\n"),
            None,
        );
        check(
            Language::Markdown,
            "a\n\n```\n$0b\n```\nc\n",
            Some("a\n\n<!-- c -->\n```\nb\n```\nc\n"),
            None,
        );
        check(
            Language::Markdown,
            "---\ntitle: $0a\n---\nb\n",
            Some("<!-- c -->\n---\ntitle: a\n---\nb\n"),
            None,
        );
        check(
            Language::Markdown,
            "a\n\n| a | b |\n|---|---|\n| $0c | d |\n",
            Some("a\n\n<!-- c -->\n| a | b |\n|---|---|\n| c | d |\n"),
            Some("a\n\n| a | b |\n|---|---|\n| c | d | <!-- c -->\n"),
        );
        check(
            Language::Rust,
            "/* a\n  $0b */ f();",
            Some("// c\n/* a\n  b */ f();"),
            Some("/* a\n  b */ f(); // c"),
        );
    }

    #[test]
    fn a_comment_that_ends_the_line_is_left_alone() {
        check(
            Language::Java,
            "class A {\n  int $0a; // b\n}\n",
            Some("class A {\n  // c\n  int a; // b\n}\n"),
            None,
        );
    }

    #[test]
    fn a_continued_line_is_not_cut() {
        check(
            Language::Bash,
            "a\nb \\\n  $0c \\\n  d\n",
            Some("a\n# c\nb \\\n  c \\\n  d\n"),
            None,
        );
        check(
            Language::C,
            "#define A(x) \\\n  $0f(x)\n",
            Some("// c\n#define A(x) \\\n  f(x)\n"),
            Some("#define A(x) \\\n  f(x) // c\n"),
        );
    }

    #[test]
    fn jsx_has_a_form_for_each_place() {
        let source = |marked: &str| {
            format!(
                "const a = () => {{\n  return (\n    <p\n      id={{b}}\n    >\n{marked}    </p>\n  );\n}};\n"
            )
        };
        check(
            Language::Tsx,
            &source("      <b>x</b>\n      $0{f()}\n"),
            Some(&source("      <b>x</b>\n      {/* c */}\n      {f()}\n")),
            Some(&source("      <b>x</b>\n      {f()} {/* c */}\n")),
        );
        check(
            Language::JavaScript,
            &source("      some $0text\n"),
            Some(&source("      {/* c */}\n      some text\n")),
            Some(&source("      some text {/* c */}\n")),
        );
        check(
            Language::Tsx,
            &source("      {f(\n        $0g,\n      )}\n"),
            Some(&source("      {f(\n        // c\n        g,\n      )}\n")),
            Some(&source("      {f(\n        g, // c\n      )}\n")),
        );
        check(
            Language::Tsx,
            "const a = (\n  <p\n    $0id={b}\n  />\n);\n",
            Some("const a = (\n  <p\n    // c\n    id={b}\n  />\n);\n"),
            Some("const a = (\n  <p\n    id={b} // c\n  />\n);\n"),
        );
        check(
            Language::Tsx,
            "const a = (\n  $0<p>x</p>\n);\n",
            Some("const a = (\n  // c\n  <p>x</p>\n);\n"),
            Some("const a = (\n  <p>x</p> // c\n);\n"),
        );
        check(
            Language::Tsx,
            "const a = <p title=\"x\n  $0y\" />;\n",
            Some("// c\nconst a = <p title=\"x\n  y\" />;\n"),
            Some("const a = <p title=\"x\n  y\" />; // c\n"),
        );
    }

    #[test]
    fn markup_has_comments_between_its_tags_only() {
        check(
            Language::Html,
            "<div>\n  <p\n    $0a=\"b\"\n  >x</p>\n</div>\n",
            Some("<div>\n  <!-- c -->\n  <p\n    a=\"b\"\n  >x</p>\n</div>\n"),
            None,
        );
        check(
            Language::Vue,
            "<template>\n  $0<p a=\"x > y\">z</p>\n</template>\n",
            Some("<template>\n  <!-- c -->\n  <p a=\"x > y\">z</p>\n</template>\n"),
            Some("<template>\n  <p a=\"x > y\">z</p> <!-- c -->\n</template>\n"),
        );
    }

    #[test]
    fn a_part_in_another_language_has_that_ones_comments() {
        check(
            Language::Vue,
            "<script lang=\"ts\">\nf();\n$0g();\n</script>\n",
            Some("<script lang=\"ts\">\nf();\n// c\ng();\n</script>\n"),
            Some("<script lang=\"ts\">\nf();\ng(); // c\n</script>\n"),
        );
        check(
            Language::Html,
            "<style>\na { $0b: c }\n</style>\n",
            Some("<style>\n/* c */\na { b: c }\n</style>\n"),
            Some("<style>\na { b: c } /* c */\n</style>\n"),
        );
        check(
            Language::Html,
            "<p>\n<script>$0f()</script>\n",
            Some("<p>\n<script>// c\nf()</script>\n"),
            None,
        );
        check(
            Language::Markdown,
            "- a\n  ```py\n  $0f()\n  ```\n",
            Some("- a\n  ```py\n  # c\n  f()\n  ```\n"),
            Some("- a\n  ```py\n  f() # c\n  ```\n"),
        );
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn any_place_of_any_text_can_be_asked_for(
            text in "([a-z<>/\"'`{}()#\\\\ \n\r饼🍪]|<p>|/\\*|\"\"\"|```js\n|: \\|\n|<<A\n){0,30}",
            share in 0.0..1.0f64,
        ) {
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_precision_loss, reason = "any offset will do")]
            let mut offset = (text.len() as f64 * share) as usize;
            while !text.is_char_boundary(offset) {
                offset -= 1;
            }
            for &language in Language::all() {
                for slot in [
                    comment_above(language, &text, None, offset),
                    comment_behind(language, &text, None, offset),
                ].into_iter().flatten() {
                    prop_assert!(text.is_char_boundary(slot.at));
                }
            }
        }
    }
}
