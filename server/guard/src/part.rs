use std::borrow::Cow;
use std::cell::OnceCell;

use asd_recipe::MatchIn;
use asd_syntax::{Language, Mask};
use asd_text::{LineIndex, Span};

/// A text in one language: a file, or a part of one. What costs a pass over it
/// is made when it is first asked for.
pub(crate) struct Part<'t> {
    pub(crate) language: Language,
    pub(crate) text: &'t str,
    lines: OnceCell<LineIndex>,
    mask: OnceCell<Mask>,
    views: [OnceCell<Cow<'t, str>>; 3],
    slow_rules_stay_out: OnceCell<bool>,
}

/// Texts above this get only the rules that stay linear. (editor.md §1)
pub(crate) const LARGE: usize = 2 << 20;

impl<'t> Part<'t> {
    pub(crate) fn new(language: Language, text: &'t str) -> Self {
        Self {
            language,
            text,
            lines: OnceCell::new(),
            mask: OnceCell::new(),
            views: [const { OnceCell::new() }; 3],
            slow_rules_stay_out: OnceCell::new(),
        }
    }

    pub(crate) fn lines(&self) -> &LineIndex {
        self.lines.get_or_init(|| LineIndex::new(self.text))
    }

    pub(crate) fn mask(&self) -> &Mask {
        self.mask
            .get_or_init(|| Mask::new(self.language, self.text))
    }

    /// The text with everything blank that a rule does not want to see.
    pub(crate) fn view(&self, match_in: MatchIn) -> &str {
        let slot = match match_in {
            MatchIn::Text => return self.text,
            MatchIn::Code => &self.views[0],
            MatchIn::Comments => &self.views[1],
            MatchIn::Strings => &self.views[2],
        };
        slot.get_or_init(|| self.mask().view(self.text, match_in))
    }

    /// Whether the text is so large, or has lines so long, that only linear
    /// rules are run on it.
    pub(crate) fn is_heavy(&self) -> bool {
        *self
            .slow_rules_stay_out
            .get_or_init(|| self.text.len() > LARGE || asd_syntax::is_minified(self.text))
    }
}

/// The line around an offset of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Line {
    /// Its content, without its ending.
    pub(crate) content: Span,
    /// Where the next line starts; the end of the text when there is none.
    pub(crate) next: usize,
}

impl Line {
    /// The line that holds `offset`; a line holds its ending.
    pub(crate) fn around(text: &str, offset: usize) -> Self {
        let bytes = text.as_bytes();
        let mut offset = offset.min(bytes.len());
        if offset > 0 && bytes.get(offset) == Some(&b'\n') && bytes[offset - 1] == b'\r' {
            offset -= 1;
        }
        let start = memchr::memrchr2(b'\n', b'\r', &bytes[..offset]).map_or(0, |at| at + 1);
        Self::starting(text, start)
    }

    /// The line that starts at `start`.
    pub(crate) fn starting(text: &str, start: usize) -> Self {
        let bytes = text.as_bytes();
        let end =
            memchr::memchr2(b'\n', b'\r', &bytes[start..]).map_or(bytes.len(), |at| start + at);
        let ending = match (bytes.get(end), bytes.get(end + 1)) {
            (None, _) => 0,
            (Some(b'\r'), Some(b'\n')) => 2,
            _ => 1,
        };
        Self {
            content: Span::new(start, end),
            next: end + ending,
        }
    }

    /// Whether no line follows.
    pub(crate) fn is_last(self) -> bool {
        self.next == self.content.end
    }
}

/// All lines of a text.
pub(crate) fn lines(text: &str) -> impl Iterator<Item = Line> {
    let mut next = Some(0);
    std::iter::from_fn(move || {
        let line = Line::starting(text, next?);
        next = (!line.is_last()).then_some(line.next);
        Some(line)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_those_of_the_line_index() {
        for text in [
            "",
            "a",
            "a\n",
            "a\r\nb",
            "a\rb\n\nc\r",
            "\r\n\r\n",
            "饼\n干",
        ] {
            let index = LineIndex::new(text);
            let all: Vec<Line> = lines(text).collect();
            assert_eq!(all.len(), index.line_count(), "{text:?}");
            for (number, line) in all.iter().enumerate() {
                assert_eq!(line.content, index.line_span(text, number), "{text:?}");
                for offset in line.content.start..line.next {
                    assert_eq!(Line::around(text, offset), *line, "{text:?} {offset}");
                }
            }
        }
    }
}
