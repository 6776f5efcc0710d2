//! Whether a slash begins a regular expression.

use super::MaskKind;
use super::frame::{Close, Form};
use super::lexer::Lexer;
use super::lexis::{Escape, Interpolation, RegexLiteral};
use super::lookback::{
    closes_condition, is_first_on_line, is_name, last_code, line_end, word_before,
};

/// Words of JavaScript after which a value begins.
pub(super) const JS_OPERATORS: &[&[u8]] = &[
    b"return",
    b"typeof",
    b"case",
    b"in",
    b"of",
    b"delete",
    b"void",
    b"throw",
    b"new",
    b"do",
    b"else",
    b"instanceof",
    b"await",
    b"yield",
    b"from",
    b"import",
    b"export",
    b"default",
    b"extends",
    b"as",
    b"is",
    b"keyof",
];

/// Words of Ruby after which a value begins.
pub(super) const RUBY_OPERATORS: &[&[u8]] = &[
    b"if", b"unless", b"while", b"until", b"and", b"or", b"not", b"when", b"return", b"elsif",
    b"then", b"do", b"else", b"in", b"puts", b"yield", b"begin", b"end",
];

/// What a slash is.
enum Slash {
    Operator,
    /// The start of a regular expression.
    Regex,
    /// The same, if it ends on its line.
    RegexOnLine,
}

impl Lexer<'_> {
    pub(super) fn regex(&mut self, at: usize) {
        match self.lexis.regex {
            RegexLiteral::None => {}
            RegexLiteral::JavaScript => self.js_regex(at),
            RegexLiteral::Ruby => self.ruby_regex(at),
            RegexLiteral::Swift => self.swift_regex(at),
        }
    }

    fn js_regex(&mut self, at: usize) {
        if !self.js_regex_starts(at) {
            return;
        }
        let Some(end) = self.regex_end(at) else {
            return;
        };
        let flags = self.bytes[end..self.limit()]
            .iter()
            .take_while(|b| b.is_ascii_lowercase())
            .count();
        self.mark(MaskKind::Regex, at, end + flags, (1, 1 + flags));
        self.at = end + flags;
    }

    fn ruby_regex(&mut self, at: usize) {
        let lines = match self.ruby_slash(at) {
            Slash::Operator => return,
            Slash::Regex => true,
            // A guess must not swallow more than the line.
            Slash::RegexOnLine => false,
        };
        if !lines && self.regex_end(at).is_none() {
            return;
        }
        let form = Form {
            kind: MaskKind::Regex,
            close: Close::Quote {
                mark: b'/',
                count: 1,
                hashes: 0,
                all: false,
            },
            escape: Escape::Backslash { hashes: 0 },
            interpolation: Interpolation::HashBrace,
            lines,
        };
        self.open(form, at, at + 1);
    }

    /// Where the regular expression that starts at `at` ends, if it does on its
    /// line.
    fn regex_end(&mut self, at: usize) -> Option<usize> {
        if at < self.no_regex_before {
            return None;
        }
        let limit = self.limit();
        let mut class = false;
        let mut end = at + 1;
        while end < limit {
            match self.bytes[end] {
                b'\n' | b'\r' => break,
                b'\\' if end + 1 < limit && !matches!(self.bytes[end + 1], b'\n' | b'\r') => {
                    end += 1
                }
                b'[' => class = true,
                b']' => class = false,
                b'/' if !class || self.lexis.regex != RegexLiteral::JavaScript => {
                    return Some(end + 1);
                }
                _ => {}
            }
            end += 1;
        }
        self.no_regex_before = end;
        None
    }

    fn js_regex_starts(&self, at: usize) -> bool {
        let Some(last) = last_code(self.bytes, &self.spans, at) else {
            return true;
        };
        let before = self.byte_before(last);
        match self.bytes[last] {
            b')' => closes_condition(self.bytes, last),
            b']' | b'"' | b'\'' | b'`' => false,
            // After a block on its own line a statement begins; otherwise it is
            // a division, or the text of JSX.
            b'}' => {
                is_first_on_line(self.bytes, at)
                    && self
                        .byte(at + 1)
                        .is_some_and(|b| !matches!(b, b' ' | b'>' | b'='))
            }
            sign @ (b'+' | b'-') => before != Some(sign),
            b'!' => !before.is_some_and(|b| is_name(b) || matches!(b, b')' | b']')),
            b'>' => before == Some(b'='),
            b'<' => last + 1 != at,
            b'.' => false,
            byte if is_name(byte) => {
                let word = word_before(self.bytes, last + 1);
                let property = self.byte_before(last + 1 - word.len()) == Some(b'.');
                !property && JS_OPERATORS.contains(&word)
            }
            _ => true,
        }
    }

    fn ruby_slash(&self, at: usize) -> Slash {
        let Some(last) = last_code(self.bytes, &self.spans, at) else {
            return Slash::Regex;
        };
        if self.is_ruby_name(at) {
            return Slash::Operator;
        }
        // An operator ends a line, it does not begin one.
        let first = is_first_on_line(self.bytes, at);
        let before = self.byte_before(last);
        let method = matches!(self.bytes[last], b'?' | b'!') && before.is_some_and(is_name);
        match self.bytes[last] {
            b'.' => Slash::Operator,
            b':' if last + 1 == at => Slash::Operator,
            _ if first => Slash::Regex,
            b')' | b']' | b'}' | b'"' | b'\'' | b'`' => Slash::Operator,
            byte if is_name(byte) || method => {
                let word = word_before(self.bytes, last + 1);
                let argument = last + 1 < at
                    && !word.first().is_some_and(u8::is_ascii_digit)
                    && self
                        .byte(at + 1)
                        .is_some_and(|b| !b.is_ascii_whitespace() && b != b'=');
                if RUBY_OPERATORS.contains(&word) {
                    Slash::Regex
                } else if word != b"def" && argument {
                    Slash::RegexOnLine
                } else {
                    Slash::Operator
                }
            }
            _ => Slash::Regex,
        }
    }

    fn swift_regex(&mut self, at: usize) {
        if at < self.no_regex_before {
            return;
        }
        let hashes = self.hashes_before(at);
        let limit = self.limit();
        let line = line_end(self.bytes, at).min(limit);
        let end = if hashes > 0 {
            let until = if line == at + 1 { limit } else { line };
            let closing = |end: usize| {
                self.bytes[end + 1..until]
                    .iter()
                    .take(hashes)
                    .filter(|b| **b == b'#')
                    .count()
                    == hashes
            };
            let end = memchr::memchr_iter(b'/', &self.bytes[at + 1..until])
                .map(|length| at + 1 + length)
                .find(|end| closing(*end))
                .map(|end| end + 1 + hashes);
            if end.is_none() {
                self.no_regex_before = until;
            }
            end
        } else {
            self.bare_swift_regex_starts(at)
                .then(|| self.regex_end(at))
                .flatten()
                .filter(|end| !matches!(self.bytes[end - 2], b' ' | b'\t'))
        };
        if let Some(end) = end {
            let start = at - hashes;
            self.mark(MaskKind::Regex, start, end, (hashes + 1, hashes + 1));
            self.at = end;
        }
    }

    fn bare_swift_regex_starts(&self, at: usize) -> bool {
        if self
            .byte(at + 1)
            .is_none_or(|b| b.is_ascii_whitespace() || matches!(b, b'=' | b')' | b','))
        {
            return false;
        }
        let Some(last) = last_code(self.bytes, &self.spans, at) else {
            return true;
        };
        match self.bytes[last] {
            b'(' | b',' | b'=' | b':' | b'[' | b'{' => true,
            byte if is_name(byte) => {
                matches!(
                    word_before(self.bytes, last + 1),
                    b"return" | b"case" | b"in" | b"try"
                )
            }
            _ => false,
        }
    }
}
