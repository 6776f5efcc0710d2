//! Where scalars begin in YAML. A plain scalar may hold quotes and `#`, and a
//! block scalar anything at all.

/// Whether a quotation mark at `at` starts a scalar.
pub(super) fn scalar_starts(bytes: &[u8], at: usize) -> bool {
    let blanks = bytes[..at]
        .iter()
        .rev()
        .take_while(|b| matches!(b, b' ' | b'\t'))
        .count();
    let before = &bytes[..at - blanks];
    match before.last() {
        None | Some(b'\n' | b'\r' | b'[' | b'{' | b',') => true,
        // `{"a":"b"}` is written without a blank.
        Some(b':') => {
            blanks > 0 || before.len() > 1 && matches!(before[before.len() - 2], b'"' | b'\'')
        }
        Some(b'-' | b'?') if blanks > 0 => is_indicator(before),
        Some(_) if blanks > 0 => {
            let word = before
                .iter()
                .rev()
                .take_while(|b| !b.is_ascii_whitespace())
                .count();
            // A tag or an anchor.
            matches!(before[before.len() - word], b'!' | b'&')
        }
        Some(_) => false,
    }
}

/// Whether the last byte of `before` stands alone, as the dash of a list does.
fn is_indicator(before: &[u8]) -> bool {
    before.len() < 2 || before[before.len() - 2].is_ascii_whitespace()
}

/// Where the block scalar ends whose `|` or `>` stands at `at`; `None` when none
/// does.
pub(super) fn block_scalar(bytes: &[u8], at: usize) -> Option<usize> {
    if !scalar_starts(bytes, at) {
        return None;
    }
    let line_end = super::lookback::line_end(bytes, at);
    let header = bytes[at + 1..line_end].trim_ascii_end();
    let marks = header
        .iter()
        .take_while(|b| matches!(b, b'+' | b'-' | b'0'..=b'9'))
        .count();
    let comment = header[marks..].trim_ascii_start();
    if marks > 2
        || !(comment.is_empty() || (comment[0] == b'#' && comment.len() < header.len() - marks))
    {
        return None;
    }
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
    let mut end = line_end;
    let mut least = None;
    let mut start = super::lookback::next_line(bytes, line_end);
    while start < bytes.len() {
        let stop = memchr::memchr(b'\n', &bytes[start..]).map_or(bytes.len(), |l| start + l);
        let line = bytes[start..stop].trim_ascii_end();
        if !line.is_empty() {
            let depth = indent(line);
            if depth < *least.get_or_insert(depth)
                || (depth <= parent && parent_is_key(bytes, line_start, at))
            {
                break;
            }
            end = stop;
        }
        start = stop + 1;
    }
    (end > line_end).then_some(end)
}

/// Whether something other than the document itself holds the scalar.
fn parent_is_key(bytes: &[u8], line_start: usize, at: usize) -> bool {
    !bytes[line_start..at].trim_ascii().is_empty()
}

fn indent(line: &[u8]) -> usize {
    line.iter().take_while(|b| **b == b' ').count()
}
