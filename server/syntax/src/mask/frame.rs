//! What the lexer keeps of the literals, and of the code inside of them, that
//! are open.

use asd_text::Span;

use super::MaskKind;
use super::lexis::{Escape, Interpolation};

/// How an open literal goes on and ends.
#[derive(Clone, Copy)]
pub(super) struct Form {
    pub kind: MaskKind,
    pub close: Close,
    pub escape: Escape,
    pub interpolation: Interpolation,
    pub lines: bool,
}

#[derive(Clone, Copy)]
pub(super) enum Close {
    /// As many marks, then as many `#`. `all` takes further marks along.
    Quote {
        mark: u8,
        count: usize,
        hashes: usize,
        all: bool,
    },
    /// `)`, the bytes of this span of the text, `"`. (C++)
    Delimiter(Span),
    /// `close`, when each `open` before it is closed.
    Pair { open: u8, close: u8 },
    /// At the limit of its frame, whose last line, as long as said, ends it.
    Line { length: usize },
    /// Before the `}` of the interpolation that it is the format of.
    Format,
}

/// What is open at a place of the text.
pub(super) struct Frame {
    /// Where the enclosing heredoc or the text ends.
    pub limit: usize,
    pub state: State,
}

pub(super) enum State {
    /// Code inside a literal.
    Code(Embedded),
    Text(Piece),
}

#[derive(Clone, Copy)]
pub(super) struct Embedded {
    pub open: u8,
    pub close: u8,
    pub depth: usize,
    /// Whether all brackets count for the depth, and a colon outside of them
    /// begins a format.
    pub format: bool,
    /// Whether `'` means nothing.
    pub quiet: bool,
}

/// The part of a literal that is being read: up to the next interpolation.
#[derive(Clone, Copy)]
pub(super) struct Piece {
    pub form: Form,
    pub start: usize,
    /// How many of its first bytes are delimiter.
    pub open: usize,
    pub depth: usize,
}

/// What a byte that no UTF-8 text contains stands for: nothing to wait for.
pub(super) const NEVER: u8 = 0xff;

/// What a byte of a literal may start.
pub(super) enum Inside {
    /// Nothing; the literal goes on here.
    Text(usize),
    /// A name that is code.
    Name(Span),
    /// Code from here on, in these brackets.
    Code { start: usize, brackets: (u8, u8) },
}
