//! Shows a place of a text as a person reads it: the lines, with carets.

use std::ops::Range;

use annotate_snippets::{AnnotationKind, Element, Group, Level, Origin, Renderer, Snippet};
use asd_recipe::Severity;
use asd_text::{Encoding, LineIndex, Span};

/// Longer lines are cut to the surroundings of the place.
const MAX_LINE: usize = 200;
/// How much of a cut line is shown on each side.
const AROUND: usize = 60;
/// How many lines of one place are shown.
const MAX_LINES: usize = 6;

/// A place with what is said of it.
pub(crate) struct Excerpt<'e> {
    pub(crate) severity: Severity,
    pub(crate) code: &'e str,
    pub(crate) message: &'e str,
    pub(crate) path: &'e str,
    pub(crate) text: &'e str,
    pub(crate) lines: &'e LineIndex,
    pub(crate) span: Span,
    /// Lines below the source, each with the word in front of it.
    pub(crate) notes: Vec<(&'static str, String)>,
}

/// Draws excerpts.
pub(crate) struct Painter {
    renderer: Renderer,
}

impl Painter {
    pub(crate) fn new(colors: bool) -> Self {
        let renderer = if colors {
            Renderer::styled()
        } else {
            Renderer::plain()
        };
        Self {
            renderer: renderer.term_width(MAX_LINE + 40),
        }
    }

    pub(crate) fn paint(&self, excerpt: &Excerpt<'_>) -> String {
        let level = match excerpt.severity {
            Severity::Error => Level::ERROR,
            Severity::Warning => Level::WARNING,
            Severity::Info => Level::INFO,
        };
        let start = excerpt
            .lines
            .position(excerpt.text, excerpt.span.start, Encoding::Utf32);
        let (source, place) = cut(excerpt.text, excerpt.lines, excerpt.span);
        let origin = Origin::path(excerpt.path)
            .line(start.line as usize + 1)
            .char_column(start.character as usize + 1);
        let snippet = Snippet::source(source)
            .line_start(start.line as usize + 1)
            .annotation(AnnotationKind::Primary.span(place));
        let mut elements: Vec<Element<'_>> = vec![origin.into(), snippet.into()];
        for (word, note) in &excerpt.notes {
            let note = printable(note);
            elements.push(Level::NOTE.with_name(*word).message(note).into());
        }
        let title = level
            .primary_title(printable(excerpt.message))
            .id(excerpt.code);
        let group: Group<'_> = title.elements(elements);
        let painted = self.renderer.render(&[group]);
        // The place is named above, with the column of the uncut line; the
        // renderer then draws a second, empty name for the source.
        let mut lines: Vec<&str> = painted.lines().collect();
        if lines.get(3).is_some_and(|line| line.contains(":::")) {
            lines.remove(3);
        }
        lines.join("\n")
    }
}

/// The lines that a span touches, each without its ending, and where the span
/// lies in them.
fn cut(text: &str, lines: &LineIndex, span: Span) -> (String, Range<usize>) {
    let first = lines.line_of(span.start);
    let last = lines.line_of(span.end).min(first + MAX_LINES - 1);
    let mut source = String::new();
    let (mut from, mut to) = (None, 0);
    for line in first..=last {
        let whole = lines.line_span(text, line);
        let start = span.start.clamp(whole.start, whole.end);
        let end = span.end.clamp(whole.start, whole.end);
        let (mut left, mut right) = (whole.start, whole.end);
        if whole.len() > MAX_LINE {
            left = back(text, start, AROUND).max(whole.start);
            right = forward(text, end.min(start + MAX_LINE), AROUND).min(whole.end);
        }
        if left > whole.start {
            source.push('…');
        }
        from.get_or_insert(source.len() + start - left);
        to = source.len() + end.min(right) - left;
        source.push_str(&text[left..right]);
        if right < whole.end {
            source.push('…');
        }
        source.push('\n');
    }
    let from = from.unwrap_or(0);
    (source, from..to.max(from))
}

/// The offset that lies at most `count` bytes before, at a character.
fn back(text: &str, offset: usize, count: usize) -> usize {
    let mut at = offset.saturating_sub(count);
    while !text.is_char_boundary(at) {
        at += 1;
    }
    at
}

/// The offset that lies at most `count` bytes behind, at a character.
fn forward(text: &str, offset: usize, count: usize) -> usize {
    let mut at = offset.saturating_add(count).min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// Text from a file without characters that would steer a terminal.
fn printable(text: &str) -> String {
    text.chars()
        .map(|c| match c {
            '\n' | '\t' => ' ',
            c if c.is_control() => '\u{FFFD}',
            c => c,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;

    fn check(text: &str, part: &str, expected: &Expect) {
        let at = text.find(part).unwrap();
        let painted = Painter::new(false).paint(&Excerpt {
            severity: Severity::Warning,
            code: "no-console",
            message: "Write through the logger",
            path: "src/a.ts",
            text,
            lines: &LineIndex::new(text),
            span: Span::new(at, at + part.len()),
            notes: vec![("do", "Call logger.debug".to_owned())],
        });
        expected.assert_eq(&(painted + "\n"));
    }

    #[test]
    fn carets_stand_under_the_expression() {
        check(
            "let a = 1\r\nlet 饼 = \"🍪\"; console.log(饼)\r\n",
            "console.log(饼)",
            &expect![[r#"
                warning[no-console]: Write through the logger
                 --> src/a.ts:2:14
                  |
                2 | let 饼 = "🍪"; console.log(饼)
                  |                ^^^^^^^^^^^^^^^
                  |
                  = do: Call logger.debug
            "#]],
        );
    }

    #[test]
    fn a_long_line_is_cut_around_the_place() {
        let text = format!("{}console.log(1){}", "a;".repeat(400), "b;".repeat(400));
        check(
            &text,
            "console.log(1)",
            &expect![[r#"
                warning[no-console]: Write through the logger
                 --> src/a.ts:1:801
                  |
                1 | …a;a;a;a;a;a;a;a;a;a;a;a;a;a;a;a;a;a;a;a;a;a;a;a;a;a;a;a;a;a;console.log(1)b;b;b;b;b;b;b;b;b;b;b;b;b;b;b;b;b;b;b;b;b;b;b;b;b;b;b;b;b;b;…
                  |                                                              ^^^^^^^^^^^^^^
                  |
                  = do: Call logger.debug
            "#]],
        );
    }

    #[test]
    fn several_lines_are_bracketed() {
        check(
            "if (x) {\r  y()\r}\r",
            "x) {\r  y()\r}",
            &expect![[r#"
                warning[no-console]: Write through the logger
                 --> src/a.ts:1:5
                  |
                1 |   if (x) {
                  |  _____^
                2 | |   y()
                3 | | }
                  | |_^
                  |
                  = do: Call logger.debug
            "#]],
        );
    }

    #[test]
    fn control_characters_do_not_reach_the_terminal() {
        let text = "console.log('\u{1b}[2J')";
        let painted = Painter::new(false).paint(&Excerpt {
            severity: Severity::Error,
            code: "x",
            message: "\u{1b}]0;title\u{7}",
            path: "a.ts",
            text,
            lines: &LineIndex::new(text),
            span: Span::new(0, 3),
            notes: Vec::new(),
        });
        assert!(!painted.contains(['\u{1b}', '\u{7}']), "{painted:?}");
    }
}
