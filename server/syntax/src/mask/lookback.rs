//! What stands before and around a byte. Each of these looks at a bounded
//! stretch or at one that the next call cannot look at again, so that lexing
//! stays linear.

use super::MaskSpan;

/// Whether a byte can be part of a name; all beyond ASCII can.
pub(super) const fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$') || byte >= 0x80
}

/// The word that ends before `at`, at most its last 12 bytes.
pub(super) fn word_before(bytes: &[u8], at: usize) -> &[u8] {
    let before = &bytes[..at];
    let length = before
        .iter()
        .rev()
        .take(12)
        .take_while(|b| is_name(**b))
        .count();
    &before[at - length..]
}

/// How many times `byte` stands at the end of `before`.
pub(super) fn run_before(before: &[u8], byte: u8) -> usize {
    before.iter().rev().take_while(|b| **b == byte).count()
}

/// Where the line that holds `at` ends, before its line ending.
pub(super) fn line_end(bytes: &[u8], at: usize) -> usize {
    memchr::memchr2(b'\n', b'\r', &bytes[at..]).map_or(bytes.len(), |length| at + length)
}

/// Where the line after the one that holds `at` starts.
pub(super) fn next_line(bytes: &[u8], at: usize) -> usize {
    memchr::memchr(b'\n', &bytes[at..]).map_or(bytes.len(), |length| at + length + 1)
}

/// Whether only blanks stand between the start of its line and `at`.
pub(super) fn is_first_on_line(bytes: &[u8], at: usize) -> bool {
    bytes[..at]
        .iter()
        .rev()
        .find(|b| !matches!(b, b' ' | b'\t'))
        .is_none_or(|b| matches!(b, b'\n' | b'\r'))
}

/// The last byte before `at` that is neither white space nor in a comment.
pub(super) fn last_code(bytes: &[u8], spans: &[MaskSpan], at: usize) -> Option<usize> {
    let mut at = at;
    let mut comments = spans.iter().rev().take_while(|s| s.kind.is_comment());
    let mut comment = comments.next();
    loop {
        at -= bytes[..at]
            .iter()
            .rev()
            .take_while(|b| b.is_ascii_whitespace())
            .count();
        match comment {
            Some(span) if span.span.end == at => {
                at = span.span.start;
                comment = comments.next();
            }
            _ => return at.checked_sub(1),
        }
    }
}

/// Whether the `)` at `at` closes the condition of an `if`, `while`, `for` or
/// `with`. A condition of more than 512 bytes is taken for none.
pub(super) fn closes_condition(bytes: &[u8], at: usize) -> bool {
    let mut depth = 0usize;
    for open in (at.saturating_sub(512)..at).rev() {
        match bytes[open] {
            b')' => depth += 1,
            b'(' if depth > 0 => depth -= 1,
            b'(' => {
                let end = bytes[..open].trim_ascii_end().len();
                return matches!(word_before(bytes, end), b"if" | b"while" | b"for" | b"with");
            }
            _ => {}
        }
    }
    false
}
