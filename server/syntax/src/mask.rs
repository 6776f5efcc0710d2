use std::borrow::Cow;

use asd_recipe::MatchIn;
use asd_text::Span;

use crate::Language;

/// What a stretch of text is to a reader.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the names say it")]
pub enum MaskKind {
    LineComment,
    BlockComment,
    DocComment,
    String,
    Char,
    Regex,
    Heredoc,
}

impl MaskKind {
    /// Whether it is a comment of any kind; if not, it is a literal.
    #[must_use]
    pub const fn is_comment(self) -> bool {
        matches!(
            self,
            Self::LineComment | Self::BlockComment | Self::DocComment
        )
    }
}

/// A comment or a literal, with its delimiters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MaskSpan {
    /// Where.
    pub span: Span,
    /// What.
    pub kind: MaskKind,
}

/// The comments and literals of a text, found by one linear pass without a
/// parse. Whatever is not in it is code; expressions inside an interpolated
/// string are code. (guard.md §4)
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Mask {
    /// In order, without overlap.
    pub spans: Vec<MaskSpan>,
}

impl Mask {
    /// Lexes `text`.
    #[must_use]
    pub fn new(_language: Language, _text: &str) -> Self {
        todo!()
    }

    /// What stands at `offset`; `None` for code.
    #[must_use]
    pub fn at(&self, offset: usize) -> Option<MaskSpan> {
        let after = self.spans.partition_point(|s| s.span.start <= offset);
        self.spans[..after]
            .last()
            .copied()
            .filter(|s| offset < s.span.end)
    }

    /// `text` with all that `match_in` does not ask for replaced by spaces,
    /// byte for byte, line endings kept: every offset stays the same.
    #[must_use]
    pub fn view<'t>(&self, _text: &'t str, _match_in: MatchIn) -> Cow<'t, str> {
        todo!()
    }
}
