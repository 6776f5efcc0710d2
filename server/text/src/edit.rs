use std::borrow::Cow;

use thiserror::Error;

use crate::Span;

/// The replacement of a span by other text.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TextEdit {
    /// What is replaced; empty for an insertion.
    pub span: Span,
    /// What takes its place; empty for a removal.
    pub text: String,
}

impl TextEdit {
    /// Puts `text` in the place of `span`.
    pub fn replace(span: Span, text: impl Into<String>) -> Self {
        Self {
            span,
            text: text.into(),
        }
    }

    /// Puts `text` at `offset`.
    pub fn insert(offset: usize, text: impl Into<String>) -> Self {
        Self::replace(Span::empty(offset), text)
    }

    /// Takes `span` away.
    #[must_use]
    pub fn remove(span: Span) -> Self {
        Self::replace(span, "")
    }
}

/// Two edits of one batch want the same bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("two edits overlap at byte {at}")]
pub struct OverlappingEdits {
    /// Where the second of them starts.
    pub at: usize,
}

/// Applies a batch of edits, given in any order, whose spans all refer to
/// `text`. Insertions at one offset keep the order in which they were given.
///
/// # Errors
/// [`OverlappingEdits`] when two spans share a byte; nothing is applied then.
pub fn apply_edits(text: &str, edits: &[TextEdit]) -> Result<String, OverlappingEdits> {
    let mut ordered: Vec<&TextEdit> = edits.iter().collect();
    ordered.sort_by_key(|edit| (edit.span.start, edit.span.end));
    let mut result = String::with_capacity(text.len());
    let mut done = 0;
    for edit in ordered {
        if edit.span.start < done {
            return Err(OverlappingEdits {
                at: edit.span.start,
            });
        }
        result.push_str(&text[done..edit.span.start]);
        result.push_str(&edit.text);
        done = edit.span.end;
    }
    result.push_str(&text[done..]);
    Ok(result)
}

/// How a line ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LineEnding {
    /// `\n`
    #[default]
    Lf,
    /// `\r\n`
    CrLf,
    /// A lone `\r`.
    Cr,
}

impl LineEnding {
    /// The characters themselves.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Lf => "\n",
            Self::CrLf => "\r\n",
            Self::Cr => "\r",
        }
    }
}

/// `text` with every line ending written as `ending`.
#[must_use]
pub fn with_line_ending(text: &str, ending: LineEnding) -> Cow<'_, str> {
    if !text.contains(['\r', '\n']) || (ending == LineEnding::Lf && !text.contains('\r')) {
        return Cow::Borrowed(text);
    }
    let mut result = String::with_capacity(text.len() + 8);
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\r' => {
                chars.next_if_eq(&'\n');
                result.push_str(ending.as_str());
            }
            '\n' => result.push_str(ending.as_str()),
            other => result.push(other),
        }
    }
    Cow::Owned(result)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_batch_refers_to_the_old_text() {
        let edits = [
            TextEdit::replace(Span::new(4, 7), "two"),
            TextEdit::insert(0, "a "),
            TextEdit::insert(0, "b "),
        ];
        assert_eq!(apply_edits("one zwo", &edits).unwrap(), "a b one two");
    }

    #[test]
    fn overlapping_edits_are_refused() {
        let edits = [
            TextEdit::remove(Span::new(0, 3)),
            TextEdit::remove(Span::new(2, 4)),
        ];
        assert_eq!(apply_edits("abcd", &edits), Err(OverlappingEdits { at: 2 }));
    }

    #[test]
    fn line_endings_are_rewritten_as_a_whole() {
        assert_eq!(
            with_line_ending("a\nb\r\nc\rd", LineEnding::CrLf),
            "a\r\nb\r\nc\r\nd"
        );
        assert_eq!(with_line_ending("a\nb", LineEnding::Cr), "a\rb");
        assert_eq!(with_line_ending("a\nb", LineEnding::Lf), "a\nb");
    }
}
