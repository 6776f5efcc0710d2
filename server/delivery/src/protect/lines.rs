//! Line endings of files that others wrote.

/// How a line ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LineEnding {
    Lf,
    CrLf,
    Cr,
}

impl LineEnding {
    pub(crate) const fn text(self) -> &'static str {
        match self {
            Self::Lf => "\n",
            Self::CrLf => "\r\n",
            Self::Cr => "\r",
        }
    }
}

/// A line with its ending.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Line<'t> {
    /// Where it begins, in bytes.
    pub start: usize,
    /// Where its ending begins.
    pub content_end: usize,
    /// Where the next line begins.
    pub end: usize,
    pub text: &'t str,
}

/// The lines of a text; each ends with LF, CRLF, a lone CR or the text.
pub(crate) fn lines(text: &str) -> impl Iterator<Item = Line<'_>> {
    let bytes = text.as_bytes();
    let mut start = 0;
    std::iter::from_fn(move || {
        if start >= bytes.len() {
            return None;
        }
        let content_end = bytes[start..]
            .iter()
            .position(|b| matches!(b, b'\n' | b'\r'))
            .map_or(bytes.len(), |at| start + at);
        let end = match bytes.get(content_end) {
            Some(b'\r') if bytes.get(content_end + 1) == Some(&b'\n') => content_end + 2,
            Some(_) => content_end + 1,
            None => content_end,
        };
        let line = Line {
            start,
            content_end,
            end,
            text: &text[start..content_end],
        };
        start = end;
        Some(line)
    })
}

/// The ending that most lines have; `None` when no line ends. LF wins a tie.
pub(crate) fn ending_of<'t>(parts: impl IntoIterator<Item = &'t str>) -> Option<LineEnding> {
    let mut counts = [0usize; 3];
    for part in parts {
        for line in lines(part) {
            match &part[line.content_end..line.end] {
                "\n" => counts[0] += 1,
                "\r\n" => counts[1] += 1,
                "\r" => counts[2] += 1,
                _ => {}
            }
        }
    }
    if counts == [0, 0, 0] {
        return None;
    }
    Some(if counts[1] > counts[0] && counts[1] >= counts[2] {
        LineEnding::CrLf
    } else if counts[2] > counts[0] {
        LineEnding::Cr
    } else {
        LineEnding::Lf
    })
}

/// `text`, which has LF, with another ending.
pub(crate) fn with_ending(text: &str, ending: LineEnding) -> String {
    match ending {
        LineEnding::Lf => text.to_owned(),
        other => text.replace('\n', other.text()),
    }
}

/// Any text with LF.
pub(crate) fn with_lf(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for line in lines(text) {
        out.push_str(line.text);
        if line.end > line.content_end {
            out.push('\n');
        }
    }
    out
}

/// Where the text begins behind a byte order mark.
pub(crate) fn without_bom(text: &str) -> &str {
    text.strip_prefix('\u{feff}').unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_ending_is_seen() {
        let texts: Vec<&str> = lines("a\r\nb\nc\rd").map(|line| line.text).collect();
        assert_eq!(texts, ["a", "b", "c", "d"]);
        assert_eq!(ending_of(["a\r\nb\r\nc\n"]), Some(LineEnding::CrLf));
        assert_eq!(ending_of(["a\r\nb\n"]), Some(LineEnding::Lf));
        assert_eq!(ending_of(["a\rb\r"]), Some(LineEnding::Cr));
        assert_eq!(ending_of(["a"]), None);
        assert_eq!(with_lf("a\r\nb\rc"), "a\nb\nc");
    }
}
