//! Heredocs of Ruby and shells, and the literals of Ruby that a `%` begins.

use super::MaskKind;
use super::frame::{Close, Form};
use super::lexer::Lexer;
use super::lexis::{Escape, Interpolation};
use super::lookback::{is_first_on_line, is_name, last_code, line_end, word_before};
use super::slash::RUBY_OPERATORS;
use crate::Language;

impl Lexer<'_> {
    /// `%w[…]`, `%q(…)`, `%r{…}` and their like.
    pub(super) fn percent(&mut self, at: usize) {
        let letter = self.byte(at + 1).filter(|b| {
            matches!(
                b,
                b'w' | b'W' | b'i' | b'I' | b'q' | b'Q' | b'r' | b'x' | b's'
            )
        });
        let delimiter = at + 1 + usize::from(letter.is_some());
        let limit = self.limit();
        let Some(open) = self.byte(delimiter).filter(|_| delimiter < limit) else {
            return;
        };
        if !open.is_ascii_punctuation() || (letter.is_none() && open == b'=') {
            return;
        }
        let last = last_code(self.bytes, &self.spans, at);
        let operand = !is_first_on_line(self.bytes, at)
            && last.is_some_and(|last| {
                let byte = self.bytes[last];
                let value = (is_name(byte)
                    && !RUBY_OPERATORS.contains(&word_before(self.bytes, last + 1)))
                    || matches!(byte, b')' | b']' | b'}' | b'"' | b'\'' | b'`');
                // An argument without parentheses has a blank before it.
                value
                    && (last + 1 == at || (letter.is_none() && !matches!(open, b'(' | b'[' | b'{')))
            });
        if operand {
            return;
        }
        let closing = match open {
            b'(' => Some(b')'),
            b'[' => Some(b']'),
            b'{' => Some(b'}'),
            b'<' => Some(b'>'),
            _ => None,
        };
        let form = Form {
            kind: if letter == Some(b'r') {
                MaskKind::Regex
            } else {
                MaskKind::String
            },
            close: match closing {
                Some(close) => Close::Pair { open, close },
                None => Close::Quote {
                    mark: open,
                    count: 1,
                    hashes: 0,
                    all: false,
                },
            },
            escape: Escape::Backslash { hashes: 0 },
            interpolation: match letter {
                Some(b'w' | b'i' | b'q' | b's') => Interpolation::None,
                _ => Interpolation::HashBrace,
            },
            lines: true,
        };
        self.open(form, at, delimiter + 1);
    }

    pub(super) fn heredoc(&mut self, at: usize) {
        if !self.starts_with(at, b"<<") {
            return;
        }
        self.at = at + 2;
        if self.byte(at + 2) == Some(b'<') || self.byte_before(at) == Some(b'<') {
            self.at = at + 3;
            return;
        }
        let ruby = self.language == Language::Ruby;
        let mut word = at + 2;
        let sign = self
            .byte(word)
            .filter(|b| *b == b'-' || (ruby && *b == b'~'));
        word += usize::from(sign.is_some());
        if !ruby {
            word += self.bytes[word..]
                .iter()
                .take_while(|b| matches!(b, b' ' | b'\t'))
                .count();
        }
        let first = self.byte(word);
        let (id, end, quoted) = match first {
            Some(mark @ (b'"' | b'\'' | b'`')) => {
                let line = line_end(self.bytes, word);
                let Some(length) = memchr::memchr(mark, &self.bytes[word + 1..line]) else {
                    return;
                };
                let id = word + 1..word + 1 + length;
                // In a shell any quotes keep the body as it is.
                let quoted = mark == b'\'' || !ruby;
                (id.clone(), id.end + 1, quoted)
            }
            Some(b'\\') if !ruby => {
                let start = word + 1;
                let length = self.bytes[start..]
                    .iter()
                    .take_while(|b| is_name(**b))
                    .count();
                (start..start + length, start + length, true)
            }
            Some(byte) if is_name(byte) && !byte.is_ascii_digit() && byte != b'$' => {
                if ruby && sign.is_none() && !(byte.is_ascii_uppercase() || byte == b'_') {
                    return;
                }
                let length = self.bytes[word..]
                    .iter()
                    .take_while(|b| is_name(**b) || (!ruby && matches!(b, b'-' | b'.')))
                    .count();
                (word..word + length, word + length, false)
            }
            _ => return,
        };
        let interpolation = match (quoted, ruby) {
            (true, _) => Interpolation::None,
            (false, true) => Interpolation::HashBrace,
            (false, false) => Interpolation::Shell,
        };
        let bytes = self.bytes;
        if !id.is_empty() && self.expect_heredoc(end, &bytes[id], sign.is_some(), interpolation) {
            self.at = end;
        }
    }
}
