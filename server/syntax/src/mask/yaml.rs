//! Where scalars begin in YAML. A plain scalar may hold quotes and `#`, and a
//! block scalar anything at all.

use super::lookback::{line_end, next_line};

/// Whether a scalar can start at `at`; `in_flow` says that the place is inside
/// of `[…]` or `{…}`.
pub(super) fn scalar_starts(bytes: &[u8], at: usize, in_flow: bool) -> bool {
    let mut at = at;
    // Before it there may be a tag and an anchor.
    for _ in 0..3 {
        let blanks = bytes[..at]
            .iter()
            .rev()
            .take_while(|b| matches!(b, b' ' | b'\t'))
            .count();
        let before = &bytes[..at - blanks];
        match before.last() {
            None | Some(b'\n' | b'\r') => return true,
            Some(b'[' | b'{' | b',') => return in_flow,
            // `{"a":"b"}` is written without a blank.
            Some(b':') => {
                return blanks > 0 || in_flow && matches!(before, [.., b'"' | b'\'', b':']);
            }
            Some(b'-' | b'?') if blanks > 0 && is_indicator(before) => return true,
            Some(_) if blanks > 0 => {
                let word = before
                    .iter()
                    .rev()
                    .take_while(|b| !b.is_ascii_whitespace())
                    .count();
                let start = before.len() - word;
                if !is_property(&before[start..]) {
                    return false;
                }
                at = start;
            }
            Some(_) => return false,
        }
    }
    false
}

/// Whether a word is a tag or an anchor.
fn is_property(word: &[u8]) -> bool {
    match word {
        [b'!'] => true,
        [b'!', next, ..] => next.is_ascii_alphanumeric() || matches!(next, b'!' | b'<'),
        [b'&', next, ..] => next.is_ascii_alphanumeric() || *next == b'_',
        _ => false,
    }
}

/// Whether the last byte of `before` stands alone, as the dash of a list does.
fn is_indicator(before: &[u8]) -> bool {
    before.len() < 2 || before[before.len() - 2].is_ascii_whitespace()
}

/// A block scalar.
pub(super) struct BlockScalar {
    /// Where the comment behind its indicator starts.
    pub comment: Option<usize>,
    /// Where it ends.
    pub end: usize,
}

/// The block scalar whose `|` or `>` stands at `at`.
pub(super) fn block_scalar(bytes: &[u8], at: usize) -> Option<BlockScalar> {
    if !scalar_starts(bytes, at, false) {
        return None;
    }
    let line_end = line_end(bytes, at);
    let header = bytes[at + 1..line_end].trim_ascii_end();
    let marks = header
        .iter()
        .take_while(|b| matches!(b, b'+' | b'-' | b'0'..=b'9'))
        .count();
    let behind = &header[marks..];
    let comment = behind.trim_ascii_start();
    let valid = comment.is_empty() || (comment[0] == b'#' && comment.len() < behind.len());
    if marks > 2 || !valid {
        return None;
    }
    let comment = (!comment.is_empty()).then(|| at + 1 + header.len() - comment.len());
    let line_start = bytes[..at]
        .iter()
        .rposition(|b| matches!(b, b'\n' | b'\r'))
        .map_or(0, |newline| newline + 1);
    let mut parent = indent(&bytes[line_start..at]);
    // `- key: |` belongs to the key.
    while bytes[line_start + parent..at].starts_with(b"- ") {
        let blanks = indent(&bytes[line_start + parent + 1..at]);
        if line_start + parent + 1 + blanks >= at {
            break;
        }
        parent += 1 + blanks;
    }
    // At the top of a document nothing holds the scalar.
    let held = !bytes[line_start..at].trim_ascii().is_empty();
    let mut end = line_end;
    let mut least = None;
    let mut start = next_line(bytes, line_end);
    while start < bytes.len() {
        let stop = memchr::memchr(b'\n', &bytes[start..]).map_or(bytes.len(), |l| start + l);
        let line = bytes[start..stop].trim_ascii_end();
        if !line.is_empty() {
            let depth = indent(line);
            if depth < *least.get_or_insert(depth) || (held && depth <= parent) {
                break;
            }
            end = stop;
        }
        start = stop + 1;
    }
    Some(BlockScalar { comment, end })
}

fn indent(line: &[u8]) -> usize {
    line.iter().take_while(|b| **b == b' ').count()
}
