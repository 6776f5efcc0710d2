//! What begins at a byte of code: a comment, a literal, or nothing.

use super::lexer::Lexer;
use super::lexis::RegexLiteral;
use super::lookback::{line_end, next_line, word_before};
use super::{MaskKind, yaml};
use crate::Language;

/// Words before `:` that make `//` a part of an address, not a comment.
const SCHEMES: &[&[u8]] = &[b"http", b"https", b"ftp", b"ws", b"wss", b"file"];

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
}
