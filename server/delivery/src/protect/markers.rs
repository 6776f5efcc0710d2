//! Finding the markers that bound our section in somebody's file.

use std::ops::Range;

use crate::protect::lines::lines;

pub(crate) const BEGIN: &str = "<!-- asd:begin -->";
pub(crate) const END: &str = "<!-- asd:end -->";

/// One section with its markers; all ranges are of the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Pair {
    /// From the first marker line to behind the second with its ending.
    pub whole: Range<usize>,
    /// What lies between the marker lines.
    pub body: Range<usize>,
}

/// What a file holds of markers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Found {
    /// Sections that are in order; none when there is no marker.
    Pairs(Vec<Pair>),
    /// Markers that do not match.
    Malformed {
        /// The line of the marker that is wrong, counted from 1.
        line: usize,
        /// For a lone first marker with nothing but text behind it: where that
        /// text begins.
        open_body: Option<usize>,
    },
}

/// The markers of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Scan {
    pub found: Found,
    /// The line of a code fence that is never closed, counted from 1. Markers
    /// behind it would not count.
    pub open_fence: Option<usize>,
}

/// Looks for markers outside of fenced code.
pub(crate) fn scan(text: &str) -> Scan {
    let mut pairs = Vec::new();
    let mut open: Option<(usize, usize, usize)> = None;
    let mut fault = None;
    let mut fence: Option<(char, usize, usize)> = None;
    for (index, line) in lines(text).enumerate() {
        let number = index + 1;
        // A byte order mark in front of a marker is not part of its line.
        let unmarked = line.text.trim_start_matches('\u{feff}');
        let start = line.content_end - unmarked.len();
        let trimmed = unmarked.trim();
        if let Some((sign, length, _)) = fence {
            let run = trimmed.chars().take_while(|c| *c == sign).count();
            if run >= length && trimmed.chars().all(|c| c == sign) {
                fence = None;
            }
            continue;
        }
        if let Some((sign, length)) = opens_fence(trimmed) {
            fence = Some((sign, length, number));
            continue;
        }
        if fault.is_some() {
            continue;
        }
        match (trimmed, open) {
            (BEGIN, None) => open = Some((start, line.end, number)),
            (END, Some((start, body, _))) => {
                pairs.push(Pair {
                    whole: start..line.end,
                    body: body..line.start,
                });
                open = None;
            }
            (BEGIN, Some(_)) | (END, None) => fault = Some((number, None)),
            _ => {}
        }
    }
    if let (None, Some((_, body, number))) = (fault, open) {
        fault = Some((number, pairs.is_empty().then_some(body)));
    }
    Scan {
        found: match fault {
            Some((line, open_body)) => Found::Malformed { line, open_body },
            None => Found::Pairs(pairs),
        },
        open_fence: fence.map(|(_, _, number)| number),
    }
}

/// Whether a text holds a line that is the first marker, outside of fences.
pub(crate) fn has_begin_line(text: &str) -> bool {
    match scan(text).found {
        Found::Pairs(pairs) => !pairs.is_empty(),
        Found::Malformed { .. } => true,
    }
}

fn opens_fence(trimmed: &str) -> Option<(char, usize)> {
    let sign = trimmed.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let length = trimmed.chars().take_while(|c| *c == sign).count();
    let info = &trimmed[length..];
    (length >= 3 && !(sign == '`' && info.contains('`'))).then_some((sign, length))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fault(text: &str) -> Option<usize> {
        match scan(text).found {
            Found::Malformed { line, .. } => Some(line),
            Found::Pairs(_) => None,
        }
    }

    fn pairs(text: &str) -> usize {
        match scan(text).found {
            Found::Pairs(pairs) => pairs.len(),
            Found::Malformed { .. } => usize::MAX,
        }
    }

    #[test]
    fn markers_must_match() {
        assert_eq!(fault("a\n<!-- asd:begin -->\nb"), Some(2));
        assert_eq!(fault("a\n<!-- asd:end -->\nb"), Some(2));
        assert_eq!(fault("<!-- asd:end -->\n<!-- asd:begin -->\n"), Some(1));
        assert_eq!(
            fault("<!-- asd:begin -->\n<!-- asd:begin -->\n<!-- asd:end -->\n"),
            Some(2)
        );
        assert_eq!(pairs("<!-- asd:begin -->\nx\n  <!-- asd:end -->"), 1);
        assert_eq!(
            pairs("\u{feff}<!-- asd:begin -->\r\n<!-- asd:end -->\r\n"),
            1
        );
    }

    #[test]
    fn markers_in_code_or_in_a_sentence_are_none() {
        assert_eq!(pairs("```\n<!-- asd:begin -->\n```\n"), 0);
        assert_eq!(pairs("~~~~ md\n~~~\n<!-- asd:begin -->\n~~~~\n"), 0);
        assert_eq!(pairs("`<!-- asd:begin -->`\n"), 0);
        assert_eq!(
            pairs("between <!-- asd:begin --> and <!-- asd:end -->\n"),
            0
        );
        assert_eq!(
            pairs("``` not a fence ```\n<!-- asd:begin -->\n<!-- asd:end -->\n"),
            1
        );
    }

    #[test]
    fn a_fence_that_stays_open_is_named() {
        assert_eq!(scan("a\n```sh\nb\n").open_fence, Some(2));
        assert_eq!(scan("a\n```sh\nb\n```\n").open_fence, None);
    }
}
