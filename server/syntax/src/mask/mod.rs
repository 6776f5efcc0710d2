#[cfg(test)]
mod agreement;
mod frame;
mod heredoc;
mod lexer;
mod lexis;
mod lookback;
mod markup;
mod quotes;
mod ruby_shell;
mod slash;
mod step;
#[cfg(test)]
mod tests;
mod yaml;

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
    /// The same without its delimiters: for a comment the whole of it.
    ///
    /// A literal with code inside is several spans, and what encloses the code
    /// (`${` and `}`) is delimiter too.
    pub inner: Span,
    /// What.
    pub kind: MaskKind,
}

/// The comments and literals of a text, found by one linear pass without a
/// parse. Whatever is not in it is code; expressions inside an interpolated
/// string are code. (guard.md §4)
///
/// Plain and block scalars of YAML are code, as are scripts and styles in
/// markup and the fences of Markdown: what is in those is checked in its own
/// language, see [`crate::regions`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Mask {
    /// In order, without overlap.
    pub spans: Vec<MaskSpan>,
}

impl Mask {
    /// Lexes `text`.
    #[must_use]
    pub fn new(language: Language, text: &str) -> Self {
        let spans = match lexis::lexis_of(language) {
            Some(lexis) => lexer::Lexer::new(language, lexis, text).run(),
            None => markup::lex(language, text),
        };
        Self { spans }
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
    ///
    /// - `Code`: comments vanish; of literals the delimiters stay, so that
    ///   `eval("` can still be matched, and the text between them vanishes.
    /// - `Comments`: the comments with their delimiters.
    /// - `Strings`: what stands between the delimiters of strings, characters
    ///   and heredocs.
    /// - `Text`: everything.
    #[must_use]
    pub fn view<'t>(&self, text: &'t str, match_in: MatchIn) -> Cow<'t, str> {
        match match_in {
            MatchIn::Text => Cow::Borrowed(text),
            MatchIn::Code => {
                let hidden = self.spans.iter().map(|s| s.inner);
                let hidden = hidden.filter(|span| !span.is_empty());
                blanked(text, hidden)
            }
            MatchIn::Comments => {
                let shown = self.spans.iter().filter(|s| s.kind.is_comment());
                blanked(text, between(text.len(), shown.map(|s| s.span)))
            }
            MatchIn::Strings => {
                let shown = self.spans.iter().filter(|s| {
                    matches!(
                        s.kind,
                        MaskKind::String | MaskKind::Char | MaskKind::Heredoc
                    )
                });
                blanked(text, between(text.len(), shown.map(|s| s.inner)))
            }
        }
    }
}

/// The parts of a text of `length` bytes that none of `spans` covers.
fn between(length: usize, spans: impl Iterator<Item = Span>) -> impl Iterator<Item = Span> {
    let ends = std::iter::once(Span::empty(length));
    spans
        .chain(ends)
        .scan(0, |done, span| {
            let gap = Span::new(*done, span.start);
            *done = span.end;
            Some(gap)
        })
        .filter(|gap| !gap.is_empty())
}

/// `text` with spaces in the place of `hidden`.
fn blanked(text: &str, hidden: impl Iterator<Item = Span>) -> Cow<'_, str> {
    let mut hidden = hidden.peekable();
    if hidden.peek().is_none() {
        return Cow::Borrowed(text);
    }
    let mut result = String::with_capacity(text.len());
    let mut done = 0;
    for span in hidden {
        result.push_str(&text[done..span.start]);
        let bytes = text.as_bytes();
        let mut at = span.start;
        for end in memchr::memchr2_iter(b'\n', b'\r', &bytes[span.range()]) {
            push_blanks(&mut result, span.start + end - at);
            result.push(char::from(bytes[span.start + end]));
            at = span.start + end + 1;
        }
        push_blanks(&mut result, span.end - at);
        done = span.end;
    }
    result.push_str(&text[done..]);
    Cow::Owned(result)
}

fn push_blanks(to: &mut String, mut count: usize) {
    const BLANKS: &str = "                                                                ";
    while count > 0 {
        let some = count.min(BLANKS.len());
        to.push_str(&BLANKS[..some]);
        count -= some;
    }
}
