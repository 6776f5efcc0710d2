//! The parts of markup that matter here: comments, attribute values, and the
//! elements whose text is in another language. Read by one linear pass that
//! takes any text.

use asd_text::Span;
use memchr::memmem;

/// A part of markup.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// `<!-- … -->`; an open one ends with the text.
    Comment(Span),
    /// An attribute's value with its quotation marks.
    Value(Span),
    /// The text of a `<script>` or `<style>`, and the tag before it.
    RawText { tag: Span, text: Span },
}

/// Where the comment that starts at `at` ends; an open one ends with the text.
pub(crate) fn comment_end(bytes: &[u8], at: usize) -> usize {
    memmem::find(&bytes[at + 4..], b"-->").map_or(bytes.len(), |length| at + 4 + length + 3)
}

/// The parts of a text, in order.
pub(crate) fn parts(bytes: &[u8]) -> Vec<Part> {
    let mut parts = Vec::new();
    let mut at = 0;
    while let Some(length) = memchr::memchr(b'<', &bytes[at..]) {
        at += length;
        if bytes[at..].starts_with(b"<!--") {
            let end = comment_end(bytes, at);
            parts.push(Part::Comment(Span::new(at, end)));
            at = end;
        } else if bytes.get(at + 1).is_some_and(u8::is_ascii_alphabetic) {
            at = tag(bytes, at, &mut parts);
        } else {
            at += 1;
        }
    }
    parts
}

/// Reads the tag at `start`, and the text of a script or style after it.
fn tag(bytes: &[u8], start: usize, parts: &mut Vec<Part>) -> usize {
    let mut at = start + 1;
    while let Some(length) = memchr::memchr3(b'>', b'"', b'\'', &bytes[at..]) {
        at += length;
        let mark = bytes[at];
        if mark == b'>' {
            let end = at + 1;
            let Some(text) = raw_text(bytes, start, end) else {
                return end;
            };
            let tag = Span::new(start, end);
            parts.push(Part::RawText { tag, text });
            return text.end;
        }
        let Some(length) = memchr::memchr(mark, &bytes[at + 1..]) else {
            // An open value must not swallow the rest of the file.
            return at + 1;
        };
        let end = at + 1 + length + 1;
        parts.push(Part::Value(Span::new(at, end)));
        at = end;
    }
    bytes.len()
}

/// The text after the tag `start..end`, if it is one that is not markup.
fn raw_text(bytes: &[u8], start: usize, end: usize) -> Option<Span> {
    let name = name(&bytes[start + 1..end]);
    let raw = name.eq_ignore_ascii_case(b"script") || name.eq_ignore_ascii_case(b"style");
    if !raw || bytes[..end].ends_with(b"/>") {
        return None;
    }
    let mut at = end;
    while let Some(length) = memmem::find(&bytes[at..], b"</") {
        at += length;
        let closing = bytes.get(at + 2..at + 2 + name.len());
        if closing.is_some_and(|closing| closing.eq_ignore_ascii_case(name)) {
            return Some(Span::new(end, at));
        }
        at += 2;
    }
    Some(Span::new(end, bytes.len()))
}

/// The name at the start of a tag.
pub(crate) fn name(tag: &[u8]) -> &[u8] {
    let length = tag
        .iter()
        .take_while(|b| !b.is_ascii_whitespace() && !matches!(b, b'>' | b'/'))
        .count();
    &tag[..length]
}

/// The value of an attribute of the tag `tag`, as it is written between `<` and
/// `>`; empty for one without a value.
pub(crate) fn attribute<'t>(tag: &'t str, wanted: &str) -> Option<&'t str> {
    let mut rest = tag.get(name(tag.as_bytes()).len()..)?;
    loop {
        rest = rest.trim_start_matches(|c: char| c.is_ascii_whitespace() || c == '/');
        let length = rest
            .find(|c: char| c.is_ascii_whitespace() || matches!(c, '=' | '/' | '>'))
            .unwrap_or(rest.len());
        let found = &rest[..length];
        rest = rest[length..].trim_start();
        let mut value = "";
        if let Some(after) = rest.strip_prefix('=') {
            let after = after.trim_start();
            let end = match after.chars().next() {
                Some(mark @ ('"' | '\'')) => {
                    let inner = &after[1..];
                    let length = inner.find(mark).unwrap_or(inner.len());
                    value = &inner[..length];
                    (length + 2).min(after.len())
                }
                _ => {
                    let length = after
                        .find(|c: char| c.is_ascii_whitespace() || c == '>')
                        .unwrap_or(after.len());
                    value = &after[..length];
                    length
                }
            };
            rest = &after[end..];
        }
        if found.is_empty() && value.is_empty() {
            return None;
        }
        if found.eq_ignore_ascii_case(wanted) {
            return Some(value);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attributes_are_read_in_every_spelling() {
        let tag = "script setup lang=ts TYPE = 'module' data-a=\"lang='x'\" src";
        assert_eq!(attribute(tag, "lang"), Some("ts"));
        assert_eq!(attribute(tag, "type"), Some("module"));
        assert_eq!(attribute(tag, "setup"), Some(""));
        assert_eq!(attribute(tag, "src"), Some(""));
        assert_eq!(attribute(tag, "data-a"), Some("lang='x'"));
        assert_eq!(attribute(tag, "none"), None);
        assert_eq!(attribute("a b=\"open", "b"), Some("open"));
        assert_eq!(attribute("a = = b", "b"), Some(""));
        assert_eq!(attribute("", "b"), None);
    }
}
