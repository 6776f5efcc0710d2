//! Which literal a quotation mark begins: what stands before it decides.

use asd_text::Span;

use super::frame::{Close, Form};
use super::lexer::Lexer;
use super::lexis::{Escape, Interpolation, Literal, Quote};
use super::lookback::{is_name, line_end, run_before, word_before};
use super::slash::JS_OPERATORS;
use super::{MaskKind, yaml};
use crate::Language;

const NO_ESCAPES: (Escape, Interpolation) = (Escape::None, Interpolation::None);

impl Lexer<'_> {
    pub(super) fn quote(&mut self, at: usize, quote: Quote) {
        match quote {
            Quote::Code => {}
            Quote::Name => {
                let end = line_end(self.bytes, at).min(self.limit());
                if let Some(length) = memchr::memchr(b'`', &self.bytes[at + 1..end]) {
                    self.at = at + length + 2;
                }
            }
            Quote::CharOrLifetime => self.char_or_lifetime(at),
            Quote::Literal(literal) => self.literal(at, literal),
        }
    }

    fn char_or_lifetime(&mut self, at: usize) {
        let rest = &self.bytes[at + 1..self.limit()];
        let end = match rest.first() {
            Some(b'\\') => rest
                .iter()
                .take(12)
                .skip(2)
                .take_while(|b| **b != b'\n')
                .position(|b| *b == b'\'')
                .map(|length| at + length + 4),
            Some(b'\'' | b'\n' | b'\r') | None => None,
            Some(first) => {
                let length = match first {
                    0xf0.. => 4,
                    0xe0.. => 3,
                    0xc0.. => 2,
                    _ => 1,
                };
                (rest.get(length) == Some(&b'\'')).then_some(at + length + 2)
            }
        };
        if let Some(end) = end {
            let prefix = usize::from(word_before(self.bytes, at) == b"b");
            self.mark(MaskKind::Char, at - prefix, end, (1 + prefix, 1));
            self.at = end;
        }
    }

    /// Begins the literal of the mark at `at`, as what stands before the mark
    /// makes it.
    fn literal(&mut self, at: usize, literal: Literal) {
        let mark = self.bytes[at];
        let mut form = Form {
            kind: literal.kind,
            close: Close::Quote {
                mark,
                count: 1,
                hashes: 0,
                all: false,
            },
            escape: literal.escape,
            interpolation: literal.interpolation,
            lines: literal.lines,
        };
        let mut inner = at + 1;
        if let Some(triple) = literal.triple
            && self.starts_with(at, &[mark; 3])
        {
            form.close = Close::Quote {
                mark,
                count: 3,
                hashes: 0,
                all: triple.last_three,
            };
            form.escape = triple.escape;
            form.interpolation = triple.interpolation;
            form.lines = true;
            inner = at + 3;
        }
        let prefix = match self.language {
            Language::JavaScript | Language::TypeScript | Language::Tsx => self.js_quote(at, mark),
            Language::Python => Some(self.python_prefix(at, &mut form)),
            Language::Rust => Some(self.rust_prefix(at, &mut form)),
            Language::C | Language::Cpp | Language::Objc => {
                self.c_prefix(at, mark, &mut form, &mut inner)
            }
            Language::CSharp => Some(self.csharp_prefix(at, mark, &mut form, &mut inner)),
            Language::Swift => Some(self.swift_prefix(at, &mut form)),
            Language::Kotlin => Some(self.kotlin_prefix(at, mark, &mut form)),
            Language::Dart => Some(self.dart_prefix(at, &mut form)),
            Language::Bash => self.bash_prefix(at, mark, &mut form),
            Language::Ruby => self.ruby_quote(at, mark),
            Language::Yaml => yaml::scalar_starts(self.bytes, at, self.flow_depth > 0).then_some(0),
            _ => Some(0),
        };
        if let Some(length) = prefix {
            self.open(form, at - length, inner.min(self.limit()));
        }
    }

    /// A quotation mark right after a name is one in the text of JSX.
    fn js_quote(&self, at: usize, mark: u8) -> Option<usize> {
        let word = word_before(self.bytes, at);
        let starts = mark == b'`' || word.is_empty() || JS_OPERATORS.contains(&word);
        starts.then_some(0)
    }

    fn python_prefix(&self, at: usize, form: &mut Form) -> usize {
        let word = word_before(self.bytes, at);
        let lower = word.to_ascii_lowercase();
        let formatted = match lower.as_slice() {
            b"r" | b"u" | b"b" | b"br" | b"rb" => false,
            b"f" | b"t" | b"fr" | b"rf" | b"tr" | b"rt" => true,
            _ => return 0,
        };
        if formatted {
            form.interpolation = Interpolation::Braces(1);
        }
        word.len()
    }

    fn rust_prefix(&self, at: usize, form: &mut Form) -> usize {
        let hashes = self.hashes_before(at);
        let word = word_before(self.bytes, at - hashes);
        match word {
            b"r" | b"br" | b"cr" => {
                form.escape = Escape::None;
                form.close = Close::Quote {
                    mark: b'"',
                    count: 1,
                    hashes,
                    all: false,
                };
                word.len() + hashes
            }
            b"b" | b"c" if hashes == 0 => word.len(),
            _ => 0,
        }
    }

    fn c_prefix(&self, at: usize, mark: u8, form: &mut Form, inner: &mut usize) -> Option<usize> {
        let word = word_before(self.bytes, at);
        if mark == b'\'' && word.first().is_some_and(u8::is_ascii_digit) {
            // A mark between the digits of a number.
            return None;
        }
        match word {
            b"L" | b"u" | b"U" | b"u8" => Some(word.len()),
            b"R" | b"LR" | b"uR" | b"UR" | b"u8R"
                if mark == b'"' && self.language != Language::C =>
            {
                let delimiter = self.bytes[at + 1..self.limit()]
                    .iter()
                    .take(17)
                    .take_while(|b| {
                        !b.is_ascii_whitespace() && !matches!(b, b'(' | b')' | b'\\' | b'"')
                    })
                    .count();
                let open = at + 1 + delimiter;
                if self.byte(open) == Some(b'(') && open < self.limit() {
                    form.close = Close::Delimiter(Span::new(at + 1, open));
                    (form.escape, form.interpolation) = NO_ESCAPES;
                    form.lines = true;
                    *inner = open + 1;
                }
                Some(word.len())
            }
            b"" if self.byte_before(at) == Some(b'@') => Some(1),
            _ => Some(0),
        }
    }

    fn csharp_prefix(&self, at: usize, mark: u8, form: &mut Form, inner: &mut usize) -> usize {
        if mark != b'"' {
            return 0;
        }
        let prefix = self.bytes[..at]
            .iter()
            .rev()
            .take_while(|b| matches!(b, b'$' | b'@'))
            .count();
        let signs = &self.bytes[at - prefix..at];
        let dollars = signs.iter().filter(|b| **b == b'$').count();
        let verbatim = dollars < prefix;
        let marks = self.bytes[at..self.limit()]
            .iter()
            .take_while(|b| **b == b'"')
            .count();
        if verbatim {
            form.escape = Escape::Doubled;
            form.lines = true;
        } else if marks >= 3 {
            form.escape = Escape::None;
            form.lines = true;
            form.close = Close::Quote {
                mark,
                count: marks,
                hashes: 0,
                all: false,
            };
            *inner = at + marks;
        }
        if dollars > 0 {
            form.interpolation = Interpolation::Braces(dollars);
        }
        prefix
    }

    fn swift_prefix(&self, at: usize, form: &mut Form) -> usize {
        let hashes = self.hashes_before(at);
        if let Close::Quote {
            hashes: closing, ..
        } = &mut form.close
        {
            *closing = hashes;
        }
        form.escape = Escape::Backslash { hashes };
        form.interpolation = Interpolation::Backslash { hashes };
        hashes
    }

    fn kotlin_prefix(&self, at: usize, mark: u8, form: &mut Form) -> usize {
        let dollars = run_before(&self.bytes[..at], b'$');
        if mark == b'"' && dollars > 1 {
            // With several of them before it, a single `$` inside is text.
            form.interpolation = Interpolation::None;
            return dollars;
        }
        0
    }

    fn dart_prefix(&self, at: usize, form: &mut Form) -> usize {
        if word_before(self.bytes, at) == b"r" {
            (form.escape, form.interpolation) = NO_ESCAPES;
            return 1;
        }
        0
    }

    fn bash_prefix(&self, at: usize, mark: u8, form: &mut Form) -> Option<usize> {
        if mark == b'\'' && self.is_quiet() {
            return None;
        }
        let dollar = self.byte_before(at) == Some(b'$') && self.byte_before(at - 1) != Some(b'$');
        if dollar && mark == b'\'' {
            form.escape = Escape::Backslash { hashes: 0 };
        }
        Some(usize::from(dollar))
    }

    fn ruby_quote(&self, at: usize, mark: u8) -> Option<usize> {
        let word_follows = self.byte(at + 1).is_some_and(|b| is_name(b) || b == mark);
        let ternary = self.byte_before(at) == Some(b'?') && word_follows;
        (ternary || !self.is_ruby_name(at)).then_some(0)
    }

    /// Whether the mark at `at` is part of a variable's name, as in `$"`, or is a
    /// character, as in `?"`.
    pub(super) fn is_ruby_name(&self, at: usize) -> bool {
        match self.byte_before(at) {
            Some(b'$') => true,
            Some(b'?') => !self
                .byte_before(at - 1)
                .is_some_and(|b| is_name(b) || matches!(b, b')' | b']')),
            _ => false,
        }
    }
}
