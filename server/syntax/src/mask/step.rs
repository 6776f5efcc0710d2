//! What begins at a byte of code: a comment, a literal, or nothing.

use asd_text::Span;

use super::lexer::{Close, Form, Lexer};
use super::lexis::{Escape, Interpolation, Literal, Quote, RegexLiteral};
use super::lookback::{
    closes_condition, is_first_on_line, is_name, last_code, line_end, next_line, run_before,
    word_before,
};
use super::{MaskKind, yaml};
use crate::Language;

/// Words of JavaScript after which a value begins.
const JS_OPERATORS: &[&[u8]] = &[
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
const RUBY_OPERATORS: &[&[u8]] = &[
    b"if", b"unless", b"while", b"until", b"and", b"or", b"not", b"when", b"return", b"elsif",
    b"then", b"do", b"else", b"in", b"puts", b"yield", b"begin", b"end",
];

/// Words before `:` that make `//` a part of an address, not a comment.
const SCHEMES: &[&[u8]] = &[b"http", b"https", b"ftp", b"ws", b"wss", b"file"];

/// What a slash is.
enum Slash {
    Operator,
    /// The start of a regular expression.
    Regex,
    /// The same, if it ends on its line.
    RegexOnLine,
}

const NO_ESCAPES: (Escape, Interpolation) = (Escape::None, Interpolation::None);

impl Lexer<'_> {
    /// Reads what begins with `byte` at the current place of code.
    pub(super) fn step(&mut self, byte: u8) {
        let at = self.at;
        self.at += 1;
        match byte {
            b'"' => self.quote(at, self.lexis.double),
            b'\'' => self.quote(at, self.lexis.single),
            b'`' => self.quote(at, self.lexis.back),
            b'/' => self.slash(at),
            b'#' => self.hash(at),
            b'\\' => self.at = (at + 2).min(self.limit()),
            b'<' => self.heredoc(at),
            b'%' => self.percent(at),
            b'=' => self.ruby_block_comment(at),
            b'|' | b'>' => self.block_scalar(at),
            b'[' | b'{' => self.flow(at),
            b']' | b'}' => self.flow_depth = self.flow_depth.saturating_sub(1),
            _ => {}
        }
    }

    fn block_scalar(&mut self, at: usize) {
        let Some(scalar) = yaml::block_scalar(self.bytes, at) else {
            return;
        };
        if let Some(comment) = scalar.comment {
            self.line_comment(comment);
        }
        self.at = scalar.end.max(self.at);
    }

    /// A bracket opens a flow collection of YAML where a scalar can start.
    fn flow(&mut self, at: usize) {
        let inside = self.flow_depth > 0;
        if inside || yaml::scalar_starts(self.bytes, at, false) {
            self.flow_depth += 1;
        }
    }

    fn slash(&mut self, at: usize) {
        if self.starts_with(at, b"//") && self.lexis.line.contains(&"//") {
            if self.is_address(at) {
                self.at = at + 2;
            } else {
                self.line_comment(at);
            }
        } else if let Some(block) = self.lexis.block
            && self.starts_with(at, block.open.as_bytes())
        {
            self.block_comment(at, block.nested);
        } else {
            self.regex(at);
        }
    }

    /// Whether the `//` at `at` is that of an address in JSX text.
    fn is_address(&self, at: usize) -> bool {
        self.lexis.regex == RegexLiteral::JavaScript
            && self.byte_before(at) == Some(b':')
            && SCHEMES.contains(&word_before(self.bytes, at - 1))
    }

    fn line_comment(&mut self, at: usize) {
        let limit = self.limit();
        let mut end = line_end(self.bytes, at).min(limit);
        while self.lexis.spliced && end < limit && self.byte_before(end) == Some(b'\\') {
            end = line_end(self.bytes, next_line(self.bytes, end)).min(limit);
        }
        let text = &self.bytes[at..end];
        let doc = self.lexis.docs
            && (text.starts_with(b"//!")
                || (text.starts_with(b"///") && !text.starts_with(b"////")));
        let kind = if doc {
            MaskKind::DocComment
        } else {
            MaskKind::LineComment
        };
        self.mark(kind, at, end, (0, 0));
        self.at = end;
    }

    fn block_comment(&mut self, at: usize, nested: bool) {
        let limit = self.limit();
        let mut end = limit;
        let mut depth = 1;
        let mut from = at + 2;
        while let Some(star) = memchr::memchr(b'*', &self.bytes[from..limit]) {
            let star = from + star;
            if star + 1 < limit && self.bytes[star + 1] == b'/' {
                depth -= 1;
                from = star + 2;
                if depth == 0 {
                    end = from;
                    break;
                }
            } else if nested && star > from && self.bytes[star - 1] == b'/' {
                depth += 1;
                from = star + 1;
            } else {
                from = star + 1;
            }
        }
        let text = &self.bytes[at..end];
        let doc = self.lexis.docs
            && (text.starts_with(b"/*!")
                || (text.starts_with(b"/**")
                    && !text.starts_with(b"/**/")
                    && !text.starts_with(b"/***")));
        let kind = if doc {
            MaskKind::DocComment
        } else {
            MaskKind::BlockComment
        };
        self.mark(kind, at, end, (0, 0));
        self.at = end;
    }

    fn hash(&mut self, at: usize) {
        // In a shell and in YAML `#` starts a comment only where a word could
        // start.
        let starts = match self.language {
            Language::Bash => self.byte_before(at).is_none_or(|b| {
                b.is_ascii_whitespace() || matches!(b, b';' | b'|' | b'&' | b'(' | b')' | b'`')
            }),
            Language::Yaml => self.byte_before(at).is_none_or(|b| b.is_ascii_whitespace()),
            Language::Ruby => !self.is_ruby_name(at),
            _ => true,
        };
        if starts {
            self.line_comment(at);
        }
    }

    fn ruby_block_comment(&mut self, at: usize) {
        let starts_line = |b: Option<u8>| matches!(b, None | Some(b'\n'));
        if !starts_line(self.byte_before(at)) || !self.starts_with(at, b"=begin") {
            return;
        }
        let limit = self.limit();
        let end = memchr::memmem::find(&self.bytes[at..limit], b"\n=end").map_or(limit, |length| {
            line_end(self.bytes, at + length + 1).min(limit)
        });
        self.mark(MaskKind::BlockComment, at, end, (0, 0));
        self.at = end;
    }

    fn quote(&mut self, at: usize, quote: Quote) {
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
        let hashes = run_before(self.bytes, at, b'#');
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
        let hashes = run_before(self.bytes, at, b'#');
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
        let dollars = run_before(self.bytes, at, b'$');
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
    fn is_ruby_name(&self, at: usize) -> bool {
        match self.byte_before(at) {
            Some(b'$') => true,
            Some(b'?') => !self
                .byte_before(at - 1)
                .is_some_and(|b| is_name(b) || matches!(b, b')' | b']')),
            _ => false,
        }
    }

    fn regex(&mut self, at: usize) {
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
        let hashes = run_before(self.bytes, at, b'#');
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

    /// `%w[…]`, `%q(…)`, `%r{…}` and their like.
    fn percent(&mut self, at: usize) {
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

    fn heredoc(&mut self, at: usize) {
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
