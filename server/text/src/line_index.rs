use crate::{LineEnding, Span};

/// The unit in which a column is counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Encoding {
    /// Bytes of UTF-8.
    Utf8,
    /// Code units of UTF-16, the protocol's default.
    #[default]
    Utf16,
    /// Unicode scalar values.
    Utf32,
}

impl Encoding {
    /// How many units one character takes.
    #[must_use]
    pub const fn len(self, c: char) -> usize {
        match self {
            Self::Utf8 => c.len_utf8(),
            Self::Utf16 => c.len_utf16(),
            Self::Utf32 => 1,
        }
    }

    /// How many units `text` takes.
    #[must_use]
    pub fn measure(self, text: &str) -> usize {
        match self {
            Self::Utf8 => text.len(),
            Self::Utf16 => text
                .bytes()
                .map(|b| usize::from(!is_continuation(b)) + usize::from(b >= 0xF0))
                .sum(),
            Self::Utf32 => text.bytes().map(|b| usize::from(!is_continuation(b))).sum(),
        }
    }
}

const fn is_continuation(byte: u8) -> bool {
    byte & 0xC0 == 0x80
}

/// A place in text as a person or an editor names it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Position {
    /// Line, counted from 0.
    pub line: u32,
    /// Column, counted from 0 in the units of an [`Encoding`].
    pub character: u32,
}

impl Position {
    /// Line and column, both counted from 0.
    #[must_use]
    pub const fn new(line: u32, character: u32) -> Self {
        Self { line, character }
    }
}

/// A half-open range of positions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PositionRange {
    /// Where it starts.
    pub start: Position,
    /// One past its end.
    pub end: Position,
}

/// Bytes between two remembered unit counts; a conversion never counts more.
const STRIDE: usize = 256;

/// Where the lines of a text start, and how many units precede each stretch of
/// it, so that a conversion costs the same on a line of any length.
///
/// A line ends with `\n`, `\r\n` or a lone `\r`, as the protocol says.
#[derive(Clone, Debug, Default)]
pub struct LineIndex {
    starts: Vec<usize>,
    len: usize,
    /// Units before byte `i * STRIDE`; empty when the text is ASCII.
    utf16: Vec<usize>,
    utf32: Vec<usize>,
}

impl LineIndex {
    /// Indexes `text`. Takes one pass over its bytes.
    #[must_use]
    pub fn new(text: &str) -> Self {
        let bytes = text.as_bytes();
        let mut starts = Vec::with_capacity(bytes.len() / 32 + 1);
        starts.push(0);
        for at in memchr::memchr2_iter(b'\n', b'\r', bytes) {
            let part_of_crlf = bytes[at] == b'\r' && bytes.get(at + 1) == Some(&b'\n');
            if !part_of_crlf {
                starts.push(at + 1);
            }
        }
        let (mut utf16, mut utf32) = (Vec::new(), Vec::new());
        if !text.is_ascii() {
            let (mut units, mut scalars) = (0, 0);
            for chunk in bytes.chunks(STRIDE) {
                utf16.push(units);
                utf32.push(scalars);
                let leads = chunk.iter().filter(|b| !is_continuation(**b)).count();
                let astral = chunk.iter().filter(|b| **b >= 0xF0).count();
                scalars += leads;
                units += leads + astral;
            }
            utf16.push(units);
            utf32.push(scalars);
        }
        Self {
            starts,
            len: bytes.len(),
            utf16,
            utf32,
        }
    }

    /// Number of lines; a final line ending opens one more, empty line.
    #[must_use]
    pub fn line_count(&self) -> usize {
        self.starts.len()
    }

    /// The line, counted from 0, that holds `offset`.
    #[must_use]
    pub fn line_of(&self, offset: usize) -> usize {
        self.starts
            .partition_point(|start| *start <= offset)
            .saturating_sub(1)
    }

    /// Where `line` starts; the end of the text for a line past the last.
    #[must_use]
    pub fn line_start(&self, line: usize) -> usize {
        self.starts.get(line).copied().unwrap_or(self.len)
    }

    /// The bytes of `line` without its line ending.
    #[must_use]
    pub fn line_span(&self, text: &str, line: usize) -> Span {
        let start = self.line_start(line);
        let end = self.line_start(line + 1);
        let content = text[start..end].trim_end_matches(['\n', '\r']);
        Span::new(start, start + content.len())
    }

    /// The bytes of `line` with its line ending.
    #[must_use]
    pub fn full_line_span(&self, line: usize) -> Span {
        Span::new(self.line_start(line), self.line_start(line + 1))
    }

    /// How `line` ends; for the last line, how the text's first line ends.
    #[must_use]
    pub fn line_ending(&self, text: &str, line: usize) -> LineEnding {
        let of = |line: usize| {
            let full = self.full_line_span(line).of(text);
            if full.ends_with("\r\n") {
                Some(LineEnding::CrLf)
            } else if full.ends_with('\n') {
                Some(LineEnding::Lf)
            } else if full.ends_with('\r') {
                Some(LineEnding::Cr)
            } else {
                None
            }
        };
        of(line).or_else(|| of(0)).unwrap_or_default()
    }

    /// The leading blanks of `line`, byte for byte.
    #[must_use]
    pub fn indentation<'t>(&self, text: &'t str, line: usize) -> &'t str {
        let content = self.line_span(text, line).of(text);
        &content[..content.len() - content.trim_start_matches([' ', '\t']).len()]
    }

    /// The position of a byte offset. An offset past the end is taken as the
    /// end, one inside a line ending as the end of that line's content, one
    /// inside a character as its start.
    #[must_use]
    pub fn position(&self, text: &str, offset: usize, encoding: Encoding) -> Position {
        let mut offset = offset.min(text.len());
        while !text.is_char_boundary(offset) {
            offset -= 1;
        }
        let line = self.line_of(offset);
        let start = self.starts[line];
        let offset = offset.min(self.line_span(text, line).end);
        let units =
            self.units_before(text, offset, encoding) - self.units_before(text, start, encoding);
        Position::new(clamp_u32(line), clamp_u32(units))
    }

    /// The positions of both ends of a span.
    #[must_use]
    pub fn range(&self, text: &str, span: Span, encoding: Encoding) -> PositionRange {
        PositionRange {
            start: self.position(text, span.start, encoding),
            end: self.position(text, span.end, encoding),
        }
    }

    /// The byte offset of a position. A line past the last is taken as the end
    /// of the text, a column past the line's content as the end of that
    /// content, one inside a character as its start.
    #[must_use]
    pub fn offset(&self, text: &str, position: Position, encoding: Encoding) -> usize {
        let line = position.line as usize;
        if line >= self.starts.len() {
            return text.len();
        }
        let content = self.line_span(text, line);
        let column = position.character as usize;
        let counts = match encoding {
            Encoding::Utf16 if !self.utf16.is_empty() => &self.utf16,
            Encoding::Utf32 if !self.utf32.is_empty() => &self.utf32,
            _ => {
                let mut offset = content.end.min(content.start.saturating_add(column));
                while !text.is_char_boundary(offset) {
                    offset -= 1;
                }
                return offset;
            }
        };
        let target = self
            .units_before(text, content.start, encoding)
            .saturating_add(column);
        let stretch = counts
            .partition_point(|units| *units <= target)
            .saturating_sub(1);
        let mut offset = (stretch * STRIDE).clamp(content.start, content.end);
        while !text.is_char_boundary(offset) {
            offset += 1;
        }
        let mut units = self.units_before(text, offset, encoding);
        for c in text[offset..content.end].chars() {
            units += encoding.len(c);
            if units > target {
                break;
            }
            offset += c.len_utf8();
        }
        offset
    }

    /// The span between two positions, each clamped; the ends are swapped when
    /// a client sends them the wrong way round.
    #[must_use]
    pub fn span(&self, text: &str, range: PositionRange, encoding: Encoding) -> Span {
        let start = self.offset(text, range.start, encoding);
        let end = self.offset(text, range.end, encoding);
        Span::new(start.min(end), start.max(end))
    }

    fn units_before(&self, text: &str, offset: usize, encoding: Encoding) -> usize {
        let counts = match encoding {
            Encoding::Utf16 if !self.utf16.is_empty() => &self.utf16,
            Encoding::Utf32 if !self.utf32.is_empty() => &self.utf32,
            _ => return offset,
        };
        let stretch = offset / STRIDE;
        let tail = &text.as_bytes()[stretch * STRIDE..offset];
        let leads = tail.iter().filter(|b| !is_continuation(**b)).count();
        let astral = match encoding {
            Encoding::Utf16 => tail.iter().filter(|b| **b >= 0xF0).count(),
            _ => 0,
        };
        counts[stretch] + leads + astral
    }
}

fn clamp_u32(value: usize) -> u32 {
    u32::try_from(value).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const ENCODINGS: [Encoding; 3] = [Encoding::Utf8, Encoding::Utf16, Encoding::Utf32];

    fn at(text: &str, needle: &str, encoding: Encoding) -> u32 {
        let offset = text.find(needle).unwrap();
        LineIndex::new(text)
            .position(text, offset, encoding)
            .character
    }

    #[test]
    fn columns_are_counted_in_the_asked_unit() {
        let text = "/* 🦀 */ console.log(1)";
        assert_eq!(at(text, "console", Encoding::Utf16), 9);
        assert_eq!(at(text, "console", Encoding::Utf8), 11);
        assert_eq!(at(text, "console", Encoding::Utf32), 8);
    }

    #[test]
    fn a_family_emoji_is_not_one_column() {
        let text = "👩‍👩‍👧 e\u{301} TODO";
        assert_eq!(at(text, "TODO", Encoding::Utf16), 12);
        assert_eq!(at(text, "TODO", Encoding::Utf8), 23);
        assert_eq!(at(text, "TODO", Encoding::Utf32), 9);
    }

    #[test]
    fn three_kinds_of_line_ends() {
        let text = "a\r\nb\rc\n";
        let index = LineIndex::new(text);
        assert_eq!(index.line_count(), 4);
        assert_eq!(index.line_span(text, 0), Span::new(0, 1));
        assert_eq!(index.line_ending(text, 0), LineEnding::CrLf);
        assert_eq!(index.line_ending(text, 1), LineEnding::Cr);
        assert_eq!(index.line_ending(text, 2), LineEnding::Lf);
        assert_eq!(index.line_ending(text, 3), LineEnding::CrLf);
        assert_eq!(
            index.position(text, 2, Encoding::Utf16),
            Position::new(0, 1)
        );
        assert_eq!(index.offset(text, Position::new(0, 99), Encoding::Utf16), 1);
    }

    #[test]
    fn hostile_positions_are_clamped() {
        let text = "a🦀\nb";
        let index = LineIndex::new(text);
        for encoding in ENCODINGS {
            assert_eq!(index.offset(text, Position::new(0, 9999), encoding), 5);
            assert_eq!(
                index.offset(text, Position::new(9999, 0), encoding),
                text.len()
            );
            assert_eq!(
                index.offset(text, Position::new(u32::MAX, u32::MAX), encoding),
                text.len()
            );
        }
        assert_eq!(
            index.offset(text, Position::new(0, 2), Encoding::Utf16),
            1,
            "inside a surrogate pair"
        );
        assert_eq!(
            index.offset(text, Position::new(0, 3), Encoding::Utf8),
            1,
            "inside a UTF-8 sequence"
        );
    }

    /// Text with the shapes that go wrong: several widths, all line ends.
    pub(crate) fn odd_text() -> impl Strategy<Value = String> {
        let piece = prop_oneof![
            4 => "[a-z ]{1,8}",
            1 => Just("\n".to_owned()),
            1 => Just("\r\n".to_owned()),
            1 => Just("\r".to_owned()),
            1 => Just("饼干".to_owned()),
            1 => Just("👩‍👩‍👧".to_owned()),
            1 => Just("e\u{301}".to_owned()),
            1 => Just("\u{FEFF}".to_owned()),
            1 => "\\PC{0,4}",
        ];
        prop::collection::vec(piece, 0..120).prop_map(|pieces| pieces.concat())
    }

    fn line_by_hand(text: &str, offset: usize) -> (usize, usize) {
        let (mut line, mut start, mut at) = (0, 0, 0);
        let bytes = text.as_bytes();
        while at < offset {
            let ends =
                bytes[at] == b'\n' || (bytes[at] == b'\r' && bytes.get(at + 1) != Some(&b'\n'));
            at += 1;
            if ends {
                line += 1;
                start = at;
            }
        }
        (line, start)
    }

    proptest! {
        #[test]
        fn positions_agree_with_counting_by_hand(text in odd_text()) {
            let index = LineIndex::new(&text);
            for (offset, _) in text.char_indices() {
                let (line, start) = line_by_hand(&text, offset);
                let inside_ending = offset > index.line_span(&text, line).end;
                let end = if inside_ending { index.line_span(&text, line).end } else { offset };
                for encoding in ENCODINGS {
                    let position = index.position(&text, offset, encoding);
                    prop_assert_eq!(position.line as usize, line);
                    prop_assert_eq!(position.character as usize, encoding.measure(&text[start..end]));
                    prop_assert_eq!(index.offset(&text, position, encoding), end);
                }
            }
        }

        #[test]
        fn any_position_gives_a_boundary_inside_the_text(
            text in odd_text(), line in 0u32..200, character in prop_oneof![0u32..80, Just(u32::MAX)],
        ) {
            let index = LineIndex::new(&text);
            for encoding in ENCODINGS {
                let offset = index.offset(&text, Position::new(line, character), encoding);
                prop_assert!(text.is_char_boundary(offset));
            }
        }
    }

    #[test]
    fn a_long_line_of_wide_characters_converts_exactly() {
        let text = "汉🦀a".repeat(5_000);
        let index = LineIndex::new(&text);
        for encoding in ENCODINGS {
            for (offset, _) in text.char_indices().step_by(97) {
                let position = index.position(&text, offset, encoding);
                assert_eq!(
                    position.character as usize,
                    encoding.measure(&text[..offset])
                );
                assert_eq!(index.offset(&text, position, encoding), offset);
            }
        }
    }
}
