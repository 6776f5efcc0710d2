use asd_text::{LineEnding, Span};

/// One line of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Line {
    /// The line without its ending.
    pub content: Span,
    /// The line with its ending.
    pub whole: Span,
}

impl Line {
    pub(crate) fn text<'a>(&self, text: &'a str) -> &'a str {
        self.content.of(text)
    }

    pub(crate) fn is_blank(&self, text: &str) -> bool {
        self.text(text).trim().is_empty()
    }
}

/// The lines of `text` from `from` on; `\n`, `\r\n` and a lone `\r` end a line.
/// A text that ends with a line ending has no further, empty line.
pub(crate) fn lines_from(text: &str, from: usize) -> Vec<Line> {
    let bytes = text.as_bytes();
    let mut lines = Vec::new();
    let mut start = from;
    let mut at = from;
    while at < bytes.len() {
        let ending = match bytes[at] {
            b'\n' => 1,
            b'\r' if bytes.get(at + 1) == Some(&b'\n') => 2,
            b'\r' => 1,
            _ => {
                at += 1;
                continue;
            }
        };
        lines.push(Line {
            content: Span::new(start, at),
            whole: Span::new(start, at + ending),
        });
        at += ending;
        start = at;
    }
    if start < bytes.len() {
        lines.push(Line {
            content: Span::new(start, bytes.len()),
            whole: Span::new(start, bytes.len()),
        });
    }
    lines
}

/// The line ending that the text uses first; LF when it has none.
pub(crate) fn line_ending(text: &str) -> LineEnding {
    match text.find(['\r', '\n']) {
        Some(at) if text[at..].starts_with("\r\n") => LineEnding::CrLf,
        Some(at) if text.as_bytes()[at] == b'\r' => LineEnding::Cr,
        _ => LineEnding::Lf,
    }
}

/// The number of blanks at the start of `line`; a tab counts as one.
pub(crate) fn indent_of(line: &str) -> usize {
    line.len() - line.trim_start_matches([' ', '\t']).len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_line_ending_ends_a_line() {
        let text = "a\nb\r\nc\rd\n\n";
        let lines: Vec<&str> = lines_from(text, 0)
            .iter()
            .map(|line| line.text(text))
            .collect();
        assert_eq!(lines, ["a", "b", "c", "d", ""]);
        assert_eq!(line_ending("a\rb\n"), LineEnding::Cr);
        assert_eq!(line_ending("a\r\nb"), LineEnding::CrLf);
        assert_eq!(line_ending("a"), LineEnding::Lf);
    }
}
