use std::sync::Arc;

use ropey::{Rope, RopeSlice};

use crate::{Encoding, LineIndex, Position, PositionRange, Span};

/// A text at one moment, with its lines found. Cheap to share.
#[derive(Clone, Debug)]
pub struct Snapshot {
    /// The whole text.
    pub text: Arc<str>,
    /// Its lines and columns.
    pub lines: Arc<LineIndex>,
}

impl Snapshot {
    /// Takes a text as it is.
    #[must_use]
    pub fn new(text: &str) -> Self {
        Self {
            lines: Arc::new(LineIndex::new(text)),
            text: Arc::from(text),
        }
    }

    /// See [`LineIndex::position`].
    #[must_use]
    pub fn position(&self, offset: usize, encoding: Encoding) -> Position {
        self.lines.position(&self.text, offset, encoding)
    }

    /// See [`LineIndex::range`].
    #[must_use]
    pub fn range(&self, span: Span, encoding: Encoding) -> PositionRange {
        self.lines.range(&self.text, span, encoding)
    }

    /// See [`LineIndex::offset`].
    #[must_use]
    pub fn offset(&self, position: Position, encoding: Encoding) -> usize {
        self.lines.offset(&self.text, position, encoding)
    }

    /// See [`LineIndex::span`].
    #[must_use]
    pub fn span(&self, range: PositionRange, encoding: Encoding) -> Span {
        self.lines.span(&self.text, range, encoding)
    }
}

/// One change as a client sends it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// What is replaced; `None` for the whole text.
    pub range: Option<PositionRange>,
    /// What takes its place.
    pub text: String,
}

/// A row and a byte column as tree-sitter counts them: only `\n` ends a row.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Point {
    /// Row, from 0.
    pub row: usize,
    /// Bytes since the row's start.
    pub column: usize,
}

/// What one change did, in the terms in which a syntax tree is told of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DocumentEdit {
    /// Where the change starts.
    pub start_byte: usize,
    /// Where the replaced text ended.
    pub old_end_byte: usize,
    /// Where the new text ends.
    pub new_end_byte: usize,
    /// `start_byte` as a point.
    pub start_point: Point,
    /// `old_end_byte` as a point, before the change.
    pub old_end_point: Point,
    /// `new_end_byte` as a point, after the change.
    pub new_end_point: Point,
}

/// The text of an open document. Changes are applied in the order in which they
/// come; whoever reads takes a [`Snapshot`].
#[derive(Clone, Debug, Default)]
pub struct Document {
    rope: Rope,
}

impl Document {
    /// A document that holds `text`.
    #[must_use]
    pub fn new(text: &str) -> Self {
        Self {
            rope: Rope::from_str(text),
        }
    }

    /// The text at this moment.
    #[must_use]
    pub fn snapshot(&self) -> Snapshot {
        Snapshot::new(&String::from(&self.rope))
    }

    /// Applies one change, whose columns are in units of `encoding`. Positions
    /// outside the text are clamped, as the protocol asks. Gives what changed,
    /// or `None` when the whole text was replaced.
    pub fn apply(&mut self, change: &Change, encoding: Encoding) -> Option<DocumentEdit> {
        let Some(range) = change.range else {
            self.rope = Rope::from_str(&change.text);
            return None;
        };
        let (a, b) = (
            self.char_at(range.start, encoding),
            self.char_at(range.end, encoding),
        );
        let (start, end) = (a.min(b), a.max(b));
        let start_byte = self.rope.char_to_byte(start);
        let old_end_byte = self.rope.char_to_byte(end);
        let start_point = self.point(start_byte);
        let old_end_point = self.point(old_end_byte);
        self.rope.remove(start..end);
        self.rope.insert(start, &change.text);
        let new_end_byte = start_byte + change.text.len();
        let new_end_point = match change.text.rfind('\n') {
            None => Point {
                row: start_point.row,
                column: start_point.column + change.text.len(),
            },
            Some(last) => Point {
                row: start_point.row + memchr::memchr_iter(b'\n', change.text.as_bytes()).count(),
                column: change.text.len() - last - 1,
            },
        };
        Some(DocumentEdit {
            start_byte,
            old_end_byte,
            new_end_byte,
            start_point,
            old_end_point,
            new_end_point,
        })
    }

    fn char_at(&self, position: Position, encoding: Encoding) -> usize {
        let line = position.line as usize;
        if line >= self.rope.len_lines() {
            return self.rope.len_chars();
        }
        let content = without_ending(self.rope.line(line));
        let column = position.character as usize;
        let within = match encoding {
            Encoding::Utf8 => content.byte_to_char(column.min(content.len_bytes())),
            Encoding::Utf16 => content.utf16_cu_to_char(column.min(content.len_utf16_cu())),
            Encoding::Utf32 => column.min(content.len_chars()),
        };
        self.rope.line_to_char(line) + within
    }

    fn point(&self, byte: usize) -> Point {
        let (mut row, mut row_start, mut seen) = (0, 0, 0);
        for chunk in self.rope.byte_slice(..byte).chunks() {
            let bytes = chunk.as_bytes();
            row += memchr::memchr_iter(b'\n', bytes).count();
            if let Some(last) = memchr::memrchr(b'\n', bytes) {
                row_start = seen + last + 1;
            }
            seen += bytes.len();
        }
        Point {
            row,
            column: byte - row_start,
        }
    }
}

fn without_ending(line: RopeSlice<'_>) -> RopeSlice<'_> {
    let mut len = line.len_chars();
    while len > 0 && matches!(line.char(len - 1), '\n' | '\r') {
        len -= 1;
    }
    line.slice(..len)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn range(start: (u32, u32), end: (u32, u32)) -> Option<PositionRange> {
        Some(PositionRange {
            start: Position::new(start.0, start.1),
            end: Position::new(end.0, end.1),
        })
    }

    fn changed(text: &str, change: &Change, encoding: Encoding) -> String {
        let mut document = Document::new(text);
        document.apply(change, encoding);
        document.snapshot().text.to_string()
    }

    #[test]
    fn columns_are_those_of_the_client() {
        let change = Change {
            range: range((0, 9), (0, 12)),
            text: "X".into(),
        };
        assert_eq!(
            changed("/* 🦀 */ foo", &change, Encoding::Utf16),
            "/* 🦀 */ X"
        );
    }

    #[test]
    fn the_last_line_may_be_named_by_the_line_after_it() {
        let delete_last = Change {
            range: range((1, 0), (2, 0)),
            text: String::new(),
        };
        assert_eq!(changed("a\nb", &delete_last, Encoding::Utf16), "a\n");
        let then_emoji = Change {
            range: range((2, 0), (9, 9)),
            text: "🦀".into(),
        };
        assert_eq!(changed("a\nb\n", &then_emoji, Encoding::Utf8), "a\nb\n🦀");
    }

    #[test]
    fn points_count_line_feeds_only() {
        let mut document = Document::new("a\rb\nc");
        let edit = document
            .apply(
                &Change {
                    range: range((2, 1), (2, 1)),
                    text: "x\ny".into(),
                },
                Encoding::Utf8,
            )
            .unwrap();
        assert_eq!(edit.start_point, Point { row: 1, column: 1 });
        assert_eq!(edit.new_end_point, Point { row: 2, column: 1 });
        assert_eq!(edit.new_end_byte, edit.start_byte + 3);
    }

    fn odd_text() -> impl Strategy<Value = String> {
        prop::collection::vec(
            prop_oneof![
                Just("\n"),
                Just("\r\n"),
                Just("\r"),
                Just("ab"),
                Just("饼"),
                Just("🦀"),
                Just("e\u{301}"),
                Just("\u{2028}")
            ],
            0..40,
        )
        .prop_map(|pieces| pieces.concat())
    }

    proptest! {
        /// The rope and the line index must agree on every position, since one
        /// takes the client's edits and the other answers it.
        #[test]
        fn edits_agree_with_the_line_index(
            text in odd_text(), new in odd_text(),
            a in (0u32..20, 0u32..20), b in (0u32..20, 0u32..20),
        ) {
            for encoding in [Encoding::Utf8, Encoding::Utf16, Encoding::Utf32] {
                let snapshot = Snapshot::new(&text);
                let change = Change { range: range(a, b), text: new.clone() };
                let span = snapshot.span(change.range.unwrap(), encoding);
                let expected = format!("{}{}{}", &text[..span.start], new, &text[span.end..]);
                let mut document = Document::new(&text);
                let edit = document.apply(&change, encoding).unwrap();
                prop_assert_eq!(&*document.snapshot().text, expected.as_str());
                prop_assert_eq!(Span::new(edit.start_byte, edit.old_end_byte), span);
            }
        }
    }
}
