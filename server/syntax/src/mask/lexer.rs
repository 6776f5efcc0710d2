//! The lexer: one pass over the bytes that stops only where something may
//! begin or end. Literals with code inside are kept on a stack.

use std::collections::VecDeque;

use asd_text::Span;

use super::frame::{Close, Embedded, Form, Frame, Inside, NEVER, Piece, State};
use super::heredoc::{Heredoc, Terminators};
use super::lexis::{Escape, INNER, Interpolation, Lexis};
use super::{MaskKind, MaskSpan, lookback};
use crate::Language;

pub(super) struct Lexer<'t> {
    pub language: Language,
    pub lexis: &'static Lexis,
    pub bytes: &'t [u8],
    pub at: usize,
    pub spans: Vec<MaskSpan>,
    frames: Vec<Frame>,
    heredocs: VecDeque<Heredoc>,
    terminators: Option<Terminators<'t>>,
    /// Up to here a `/` has been found to start no regular expression.
    pub no_regex_before: usize,
    /// How many flow collections of YAML are open.
    pub flow_depth: usize,
}

impl<'t> Lexer<'t> {
    pub fn new(language: Language, lexis: &'static Lexis, text: &'t str) -> Self {
        Self {
            language,
            lexis,
            bytes: text.as_bytes(),
            at: 0,
            spans: Vec::new(),
            frames: Vec::new(),
            heredocs: VecDeque::new(),
            terminators: None,
            no_regex_before: 0,
            flow_depth: 0,
        }
    }

    pub fn run(mut self) -> Vec<MaskSpan> {
        self.shebang();
        while self.at < self.bytes.len() || !self.frames.is_empty() {
            match self.frames.last() {
                Some(Frame {
                    state: State::Text(piece),
                    limit,
                }) => {
                    let (piece, limit) = (*piece, *limit);
                    self.text(piece, limit);
                }
                _ => self.code(),
            }
        }
        self.spans
    }

    /// Where what has been read as a comment or a literal ends.
    pub fn floor(&self) -> usize {
        self.spans.last().map_or(0, |span| span.span.end)
    }

    /// How many `#` stand directly before `at`, those of a closed literal aside.
    pub fn hashes_before(&self, at: usize) -> usize {
        lookback::run_before(&self.bytes[self.floor().min(at)..at], b'#')
    }

    /// Where what is being read ends at the latest.
    pub fn limit(&self) -> usize {
        self.frames.last().map_or(self.bytes.len(), |f| f.limit)
    }

    pub fn byte(&self, at: usize) -> Option<u8> {
        self.bytes.get(at).copied()
    }

    /// The byte before `at`.
    pub fn byte_before(&self, at: usize) -> Option<u8> {
        self.bytes.get(at.checked_sub(1)?).copied()
    }

    pub fn starts_with(&self, at: usize, what: &[u8]) -> bool {
        self.bytes
            .get(at..)
            .is_some_and(|rest| rest.starts_with(what))
    }

    /// Marks `start..end`; its first `open` and last `close` bytes are
    /// delimiters.
    pub fn mark(
        &mut self,
        kind: MaskKind,
        start: usize,
        end: usize,
        (open, close): (usize, usize),
    ) {
        let inner = start + open;
        let start = start.max(self.floor());
        if start >= end {
            return;
        }
        let inner_start = inner.clamp(start, end);
        let inner_end = end.saturating_sub(close).max(inner_start);
        self.spans.push(MaskSpan {
            span: Span::new(start, end),
            inner: Span::new(inner_start, inner_end),
            kind,
        });
    }

    /// Begins a literal at `start` whose delimiter ends at `inner`.
    pub fn open(&mut self, form: Form, start: usize, inner: usize) {
        let limit = self.limit();
        self.frames.push(Frame {
            limit,
            state: State::Text(Piece {
                form,
                start,
                open: inner - start,
                depth: 0,
            }),
        });
        self.at = inner;
    }

    /// Whether `'` has no meaning here.
    pub fn is_quiet(&self) -> bool {
        matches!(
            self.frames.last(),
            Some(Frame {
                state: State::Code(Embedded { quiet: true, .. }),
                ..
            })
        )
    }

    fn shebang(&mut self) {
        let start = if self.bytes.starts_with("\u{feff}".as_bytes()) {
            3
        } else {
            0
        };
        // `#![…]` is an attribute in Rust.
        if self.starts_with(start, b"#!") && self.byte(start + 2) != Some(b'[') {
            let end = lookback::line_end(self.bytes, start);
            self.mark(MaskKind::LineComment, start, end, (0, 0));
            self.at = end;
        }
    }

    /// Reads code up to the next literal, the end of the frame, or a heredoc.
    fn code(&mut self) {
        let limit = self.limit();
        let stops = if self.frames.is_empty() {
            &self.lexis.stops
        } else {
            &self.lexis.inner_stops
        };
        let depth = self.frames.len();
        loop {
            let until = self.heredocs.front().map_or(limit, |h| h.start.min(limit));
            while self.at < until && !stops[usize::from(self.bytes[self.at])] {
                self.at += 1;
            }
            if self.at >= limit {
                self.leave_code(limit, 0);
                return;
            }
            if self.at >= until {
                self.heredoc_body(limit);
                return;
            }
            let byte = self.bytes[self.at];
            if !self.bracket(byte) {
                self.step(byte);
            }
            if self.frames.len() != depth || self.at >= limit {
                return;
            }
        }
    }

    /// Takes a bracket that counts in embedded code; says whether it was one.
    fn bracket(&mut self, byte: u8) -> bool {
        let Some(Frame {
            state: State::Code(embedded),
            limit,
        }) = self.frames.last_mut()
        else {
            return false;
        };
        let limit = *limit;
        if byte == embedded.close && embedded.depth == 0 {
            let at = self.at;
            self.leave_code(at, 1);
            self.at = at + 1;
            return true;
        }
        let (opens, closes) = if embedded.format {
            (
                matches!(byte, b'(' | b'[' | b'{'),
                matches!(byte, b')' | b']' | b'}'),
            )
        } else {
            (byte == embedded.open, byte == embedded.close)
        };
        let mut length = 1;
        if opens {
            embedded.depth += 1;
        } else if closes {
            embedded.depth = embedded.depth.saturating_sub(1);
        } else if byte == b':' && embedded.format && embedded.depth == 0 {
            if self.starts_with(self.at, b"::") {
                length = 2;
            } else {
                self.begin_format(limit);
            }
        } else if !INNER.contains(&byte) {
            return false;
        }
        self.at += length;
        true
    }

    /// Begins the format behind an interpolated value, at its colon.
    fn begin_format(&mut self, limit: usize) {
        self.frames.push(Frame {
            limit,
            state: State::Text(Piece {
                form: Form {
                    kind: MaskKind::String,
                    close: Close::Format,
                    escape: Escape::None,
                    interpolation: Interpolation::Braces(1),
                    lines: false,
                },
                start: self.at,
                open: 1,
                depth: 0,
            }),
        });
    }

    /// Ends the embedded code of a literal, whose next piece starts at `at` with
    /// a delimiter of `open` bytes.
    fn leave_code(&mut self, at: usize, open: usize) {
        self.frames.pop();
        if let Some(Frame {
            state: State::Text(piece),
            ..
        }) = self.frames.last_mut()
        {
            piece.start = at;
            piece.open = open;
        }
    }

    /// Remembers a heredoc whose body begins on the next line. Gives `false`
    /// when no line ends it.
    pub fn expect_heredoc(
        &mut self,
        opener: usize,
        id: &'t [u8],
        indented: bool,
        interpolation: Interpolation,
    ) -> bool {
        let start = match self.heredocs.back() {
            Some(last) => lookback::next_line(self.bytes, last.end),
            None => lookback::next_line(self.bytes, opener),
        };
        let terminators = self
            .terminators
            .get_or_insert_with(|| Terminators::new(self.bytes));
        let Some(line) = terminators.find(id, start, indented) else {
            return false;
        };
        self.heredocs.push_back(Heredoc {
            start,
            end: line.end,
            terminator: line.len(),
            interpolation,
        });
        true
    }

    fn heredoc_body(&mut self, limit: usize) {
        let Some(heredoc) = self.heredocs.pop_front() else {
            return;
        };
        let start = self.at.max(heredoc.start);
        let limit = heredoc.end.min(limit);
        if start >= limit {
            return;
        }
        self.frames.push(Frame {
            limit,
            state: State::Text(Piece {
                form: Form {
                    kind: MaskKind::Heredoc,
                    close: Close::Line {
                        length: heredoc.terminator,
                    },
                    escape: match heredoc.interpolation {
                        Interpolation::None => Escape::None,
                        _ => Escape::Backslash { hashes: 0 },
                    },
                    interpolation: heredoc.interpolation,
                    lines: true,
                },
                start,
                open: 0,
                depth: 0,
            }),
        });
        self.at = start;
    }

    /// Reads a literal up to its end or to code inside it.
    fn text(&mut self, mut piece: Piece, limit: usize) {
        let form = piece.form;
        let (closer, opener) = match form.close {
            Close::Quote { mark, .. } => (mark, NEVER),
            Close::Delimiter(_) => (b')', NEVER),
            Close::Pair { open, close } => (close, open),
            Close::Line { .. } => (NEVER, NEVER),
            Close::Format => (b'}', NEVER),
        };
        let escape = match form.escape {
            Escape::Backslash { .. } => b'\\',
            Escape::None | Escape::Doubled => NEVER,
        };
        let (trigger, second) = match form.interpolation {
            Interpolation::None | Interpolation::Backslash { .. } => (NEVER, NEVER),
            Interpolation::DollarBrace | Interpolation::Dollar => (b'$', NEVER),
            Interpolation::Braces(_) => (b'{', NEVER),
            Interpolation::HashBrace => (b'#', NEVER),
            Interpolation::Shell => (b'$', b'`'),
        };
        let mut at = self.at;
        while at < limit {
            let byte = self.bytes[at];
            if byte == closer {
                match self.closed_at(&mut piece, at, limit) {
                    Ok(end) => return self.close(piece, end, end - at),
                    Err(next) => at = next,
                }
            } else if byte == escape {
                let hashes = match form.escape {
                    Escape::Backslash { hashes } => hashes,
                    _ => 0,
                };
                if !self.starts_with(at + 1, &b"################"[..hashes.min(16)]) {
                    at += 1;
                    continue;
                }
                let next = at + 1 + hashes;
                if matches!(form.interpolation, Interpolation::Backslash { .. })
                    && self.byte(next) == Some(b'(')
                {
                    return self.embed(piece, next + 1, next + 1 - at, (b'(', b')'));
                }
                at = self.after_escape(&form, next, limit);
            } else if byte == opener {
                piece.depth += 1;
                at += 1;
            } else if byte == trigger || byte == second {
                match self.interpolated(&form, at, limit) {
                    Inside::Text(next) => at = next,
                    Inside::Name(name) => {
                        self.mark(form.kind, piece.start, name.start, (piece.open, 1));
                        piece.start = name.end;
                        piece.open = 0;
                        at = name.end;
                    }
                    Inside::Code { start, brackets } => {
                        return self.embed(piece, start, start - at, brackets);
                    }
                }
            } else if matches!(byte, b'\n' | b'\r') && !form.lines {
                return self.close(piece, at, 0);
            } else {
                at += 1;
            }
        }
        let close = match form.close {
            Close::Line { length } => length,
            _ => 0,
        };
        self.close(piece, limit, close);
    }

    fn close(&mut self, piece: Piece, mut end: usize, mut close: usize) {
        if piece.form.kind == MaskKind::Regex && close > 0 {
            let flags = self.bytes[end..self.limit()]
                .iter()
                .take_while(|b| b.is_ascii_lowercase())
                .count();
            end += flags;
            close += flags;
        }
        self.mark(piece.form.kind, piece.start, end, (piece.open, close));
        self.frames.pop();
        self.at = end;
    }

    /// Where the literal ends whose closing mark may stand at `at`, or where to
    /// read on.
    fn closed_at(&self, piece: &mut Piece, at: usize, limit: usize) -> Result<usize, usize> {
        match piece.form.close {
            Close::Quote {
                mark,
                count,
                hashes,
                all,
            } => {
                if piece.form.escape == Escape::Doubled && self.byte(at + 1) == Some(mark) {
                    return Err(at + 2);
                }
                let most = if all { limit - at } else { count };
                let run = self.bytes[at..limit]
                    .iter()
                    .take(most)
                    .take_while(|b| **b == mark)
                    .count();
                if run < count {
                    return Err(at + run);
                }
                let end = at + run;
                let closed = self.bytes[end..limit]
                    .iter()
                    .take(hashes)
                    .filter(|b| **b == b'#')
                    .count()
                    == hashes;
                if closed {
                    Ok(end + hashes)
                } else {
                    Err(at + 1)
                }
            }
            Close::Delimiter(delimiter) => {
                let end = at + 1 + delimiter.len();
                if self.starts_with(at + 1, &self.bytes[delimiter.range()])
                    && self.byte(end) == Some(b'"')
                {
                    Ok(end + 1)
                } else {
                    Err(at + 1)
                }
            }
            Close::Pair { .. } if piece.depth > 0 => {
                piece.depth -= 1;
                Err(at + 1)
            }
            Close::Pair { .. } => Ok(at + 1),
            Close::Line { .. } => Err(at + 1),
            // The brace belongs to the interpolation.
            Close::Format => Ok(at),
        }
    }

    /// Where to read on after an escape, whose character stands at `next`.
    fn after_escape(&self, form: &Form, next: usize, limit: usize) -> usize {
        let after = match (form.interpolation, self.byte(next)) {
            (_, Some(b'\r')) if self.byte(next + 1) == Some(b'\n') => next + 2,
            // A backslash does not keep a brace from being one in Python, but
            // `\N{…}` names a character.
            (Interpolation::Braces(_), Some(b'{')) => next,
            (Interpolation::Braces(_), Some(b'N')) if self.byte(next + 1) == Some(b'{') => {
                let rest = &self.bytes[next..limit];
                let name = rest
                    .iter()
                    .take(128)
                    .position(|b| matches!(b, b'}' | b'\n' | b'"' | b'\''));
                name.map_or(next + 1, |length| next + length)
            }
            _ => next + 1,
        };
        after.min(limit)
    }

    fn embed(&mut self, piece: Piece, start: usize, close: usize, brackets: (u8, u8)) {
        self.mark(piece.form.kind, piece.start, start, (piece.open, close));
        let limit = self.limit();
        let format = matches!(piece.form.interpolation, Interpolation::Braces(_));
        // In a shell's `"${…}"` an apostrophe is text.
        let quiet = matches!(piece.form.interpolation, Interpolation::Shell) && brackets.0 == b'{';
        self.frames.push(Frame {
            limit,
            state: State::Code(Embedded {
                open: brackets.0,
                close: brackets.1,
                depth: 0,
                format,
                quiet,
            }),
        });
        if let Some(Frame {
            state: State::Text(open),
            ..
        }) = self.frames.iter_mut().rev().nth(1)
        {
            *open = piece;
        }
        self.at = start;
    }

    /// What a `$`, `{`, `#` or backtick inside a literal starts.
    fn interpolated(&self, form: &Form, at: usize, limit: usize) -> Inside {
        const BRACES: (u8, u8) = (b'{', b'}');
        let next = self.byte(at + 1).filter(|_| at + 1 < limit);
        let code = |length: usize, brackets| Inside::Code {
            start: at + length,
            brackets,
        };
        match form.interpolation {
            Interpolation::DollarBrace | Interpolation::Dollar | Interpolation::Shell
                if self.bytes[at] == b'$' && next == Some(b'{') =>
            {
                code(2, BRACES)
            }
            Interpolation::Dollar => self.name(at + 1, limit),
            Interpolation::HashBrace if next == Some(b'{') => code(2, BRACES),
            // `#@name` and `#$name`, variables of Ruby.
            Interpolation::HashBrace if matches!(next, Some(b'@' | b'$')) => {
                let signs = 1 + usize::from(self.starts_with(at + 1, b"@@"));
                match self.name(at + 1 + signs, limit) {
                    Inside::Name(name) => Inside::Name(Span::new(at + 1, name.end)),
                    Inside::Text(_) | Inside::Code { .. } => Inside::Text(at + 1),
                }
            }
            Interpolation::Shell if self.bytes[at] == b'`' => code(1, (NEVER, b'`')),
            Interpolation::Shell if next == Some(b'(') => code(2, (b'(', b')')),
            Interpolation::Shell => match next {
                Some(b'0'..=b'9' | b'@' | b'*' | b'#' | b'?' | b'$' | b'!' | b'-') => {
                    Inside::Name(Span::new(at + 1, at + 2))
                }
                _ => self.name(at + 1, limit),
            },
            Interpolation::Braces(1) if next == Some(b'{') => Inside::Text(at + 2),
            Interpolation::Braces(count) => {
                let run = self.bytes[at..limit]
                    .iter()
                    .take_while(|b| **b == b'{')
                    .count();
                if run >= count {
                    code(run, BRACES)
                } else {
                    Inside::Text(at + run)
                }
            }
            _ => Inside::Text(at + 1),
        }
    }

    fn name(&self, at: usize, limit: usize) -> Inside {
        let length = self.bytes[at.min(limit)..limit]
            .iter()
            .take_while(|b| lookback::is_name(**b) && **b != b'$')
            .count();
        if length == 0 || self.bytes[at].is_ascii_digit() {
            Inside::Text(at)
        } else {
            Inside::Name(Span::new(at, at + length))
        }
    }
}
