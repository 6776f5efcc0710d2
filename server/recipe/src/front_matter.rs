use asd_text::Span;

use crate::lines::{Line, line_ending, lines_from};

/// Where the front matter of a file stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FrontMatter {
    /// The opening `---`.
    pub opening: Span,
    /// Everything between the two `---` lines.
    pub content: Span,
    /// The closing `---`; `None` while it is not there.
    pub closing: Option<Span>,
    /// Where the body begins.
    pub body: usize,
}

/// The length of a byte order mark at the start of `text`.
pub(crate) fn bom_len(text: &str) -> usize {
    if text.starts_with('\u{feff}') { 3 } else { 0 }
}

/// Finds the front matter: the text between a first line `---` and the next
/// such line. Without that next line it ends in front of the first `##`
/// heading or fence, so that a file is read while it is being written.
pub(crate) fn find(text: &str) -> Option<FrontMatter> {
    let lines = lines_from(text, bom_len(text));
    let first = lines.iter().position(|line| !line.is_blank(text))?;
    let opening = lines[first];
    if opening.text(text).trim_end() != "---" {
        return None;
    }
    let start = opening.whole.end;
    let rest = &lines[first + 1..];
    let closing = rest
        .iter()
        .find(|line| matches!(line.text(text).trim_end(), "---" | "..."));
    if let Some(closing) = closing {
        return Some(FrontMatter {
            opening: opening.content,
            content: Span::new(start, closing.whole.start),
            closing: Some(closing.content),
            body: closing.whole.end,
        });
    }
    let body_starts = |line: &&Line| {
        let content = line.text(text);
        content.starts_with("## ") || content.starts_with("```") || content.starts_with("~~~")
    };
    let end = rest
        .iter()
        .find(body_starts)
        .map_or(text.len(), |line| line.whole.start);
    Some(FrontMatter {
        opening: opening.content,
        content: Span::new(start, end),
        closing: None,
        body: end,
    })
}

/// The text of a missing closing line, to be inserted where the front matter
/// ends.
pub(crate) fn missing_closing(text: &str, front: &FrontMatter) -> String {
    let ending = line_ending(text).as_str();
    let before = &text[..front.content.end];
    let lead = if before.is_empty() || before.ends_with(['\n', '\r']) {
        ""
    } else {
        ending
    };
    format!("{lead}---{ending}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_two_lines_are_found_under_any_line_ending() {
        for text in [
            "---\na: 1\n---\nbody",
            "\u{feff}---\r\na: 1\r\n---\r\nbody",
            "---\ra: 1\r---  \rbody",
            "\n---\na: 1\n...\nbody",
        ] {
            let front = find(text).unwrap();
            assert_eq!(front.content.of(text).trim_end(), "a: 1");
            assert_eq!(&text[front.body..], "body");
        }
        assert_eq!(find("a: 1\n---\n"), None);
        assert_eq!(find(""), None);
    }

    #[test]
    fn without_a_closing_line_the_body_begins_at_its_first_heading() {
        let text = "---\na: 1\n# a comment\n\n## Description\n";
        let front = find(text).unwrap();
        assert_eq!(front.closing, None);
        assert_eq!(front.content.of(text), "a: 1\n# a comment\n\n");
    }
}
