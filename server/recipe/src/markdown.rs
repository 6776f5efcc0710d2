//! The block structure of Markdown as far as recipes need it: headings, and the
//! fenced code blocks that hide them.

use asd_text::{LineEnding, Span, with_line_ending};

use crate::lines::{Line, indent_of, lines_from};

/// A fenced code block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fence {
    /// The info string, without blanks; empty when there is none.
    pub info: Span,
    /// The code, from its first line to the end of its last one, without the
    /// last line ending; with the indentation of the fence.
    pub content: Span,
    /// From the opening line to the closing one, without its line ending.
    pub whole: Span,
    /// The code without the indentation of the fence, lines ended by LF.
    pub text: String,
    /// Whether there is a closing line.
    pub closed: bool,
}

/// A heading that begins with `#`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Heading {
    pub level: u8,
    pub title: Span,
    /// The line without its ending.
    pub line: Span,
    /// Where the next line begins.
    pub next: usize,
}

/// What stands in a Markdown text.
#[derive(Clone, Debug, Default)]
pub(crate) struct Blocks {
    pub headings: Vec<Heading>,
    pub fences: Vec<Fence>,
    /// The lines outside of fences that are not blank, headings among them.
    pub prose: Vec<Line>,
}

/// Reads `text` from the byte `from` on.
pub(crate) fn blocks(text: &str, from: usize) -> Blocks {
    let lines = lines_from(text, from);
    let mut result = Blocks::default();
    // The column at which the text of the innermost list item begins: fences
    // that belong to the item may be indented up to three blanks more.
    let mut list_column = 0;
    let mut after_blank = true;
    let mut index = 0;
    while let Some(line) = lines.get(index) {
        let content = line.text(text);
        let indent = indent_of(content);
        if content.trim().is_empty() {
            after_blank = true;
            index += 1;
            continue;
        }
        if let Some(column) = list_item_column(content) {
            list_column = column;
        } else if indent == 0 && after_blank {
            list_column = 0;
        }
        after_blank = false;
        if indent < list_column + 4
            && let Some(opening) = Opening::of(content)
        {
            index = fence(text, &lines, index, opening, &mut result.fences);
            // No paragraph can go on behind a fence.
            after_blank = true;
            continue;
        }
        result.prose.push(*line);
        if indent < 4
            && let Some(heading) = heading(text, line)
        {
            if indent < list_column {
                list_column = 0;
            }
            result.headings.push(heading);
        }
        index += 1;
    }
    result
}

/// The opening line of a fence.
struct Opening {
    marker: char,
    length: usize,
    indent: usize,
    /// The info string within the line.
    info: Span,
}

impl Opening {
    fn of(line: &str) -> Option<Self> {
        let indent = indent_of(line);
        let rest = &line[indent..];
        let marker = rest.chars().next().filter(|c| matches!(c, '`' | '~'))?;
        let after = rest.trim_start_matches(marker);
        let length = rest.len() - after.len();
        if length < 3 || (marker == '`' && after.contains('`')) {
            return None;
        }
        let start = indent + length + (after.len() - after.trim_start().len());
        let info = after.trim();
        Some(Self {
            marker,
            length,
            indent,
            info: Span::new(start.min(line.len()), start.min(line.len()) + info.len()),
        })
    }

    fn is_closed_by(&self, line: &str) -> bool {
        let indent = indent_of(line);
        let rest = line[indent..].trim_end();
        indent <= self.indent + 3
            && rest.chars().count() >= self.length
            && rest.chars().all(|c| c == self.marker)
    }
}

/// Takes the fence that opens at `lines[index]` and returns the index of the
/// line behind it.
fn fence(
    text: &str,
    lines: &[Line],
    index: usize,
    opening: Opening,
    fences: &mut Vec<Fence>,
) -> usize {
    let open = lines[index];
    let mut code: Vec<&str> = Vec::new();
    let mut content = Span::empty(open.whole.end);
    let mut end = open.content.end;
    let mut next = index + 1;
    let mut closed = false;
    while let Some(line) = lines.get(next) {
        let own = line.text(text);
        next += 1;
        end = line.content.end;
        if opening.is_closed_by(own) {
            closed = true;
            break;
        }
        content = Span::new(content.start, line.content.end);
        let blanks = indent_of(own).min(opening.indent);
        code.push(&own[blanks..]);
    }
    fences.push(Fence {
        info: opening.info.shifted(open.content.start),
        content,
        whole: Span::new(open.content.start, end),
        text: code.join("\n"),
        closed,
    });
    next
}

/// The column at which the text of a list item begins, when `line` is one.
fn list_item_column(line: &str) -> Option<usize> {
    let indent = indent_of(line);
    let rest = &line[indent..];
    let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let marker = match rest[digits..].chars().next()? {
        '-' | '*' | '+' if digits == 0 => 1,
        '.' | ')' if (1..=9).contains(&digits) => digits + 1,
        _ => return None,
    };
    let after = &rest[marker..];
    if after.is_empty() {
        return Some(indent + marker + 1);
    }
    let blanks = indent_of(after);
    (blanks > 0).then(|| indent + marker + blanks.min(4))
}

fn heading(text: &str, line: &Line) -> Option<Heading> {
    let content = line.text(text);
    let indent = indent_of(content);
    let rest = &content[indent..];
    let after = rest.trim_start_matches('#');
    let level = rest.len() - after.len();
    if !(1..=6).contains(&level) || !(after.is_empty() || after.starts_with([' ', '\t'])) {
        return None;
    }
    let mut title = after.trim();
    let without_closing = title.trim_end_matches('#');
    if without_closing.is_empty() || without_closing.ends_with([' ', '\t']) {
        title = without_closing.trim_end();
    }
    let start = line.content.start + indent + level + (after.len() - after.trim_start().len());
    let start = start.min(line.content.end);
    Some(Heading {
        level: u8::try_from(level).unwrap_or(6),
        title: Span::new(start, start + title.len()),
        line: line.content,
        next: line.whole.end,
    })
}

/// A block of Markdown as it is stored: LF line ends, no blank lines around it,
/// outside of code no blanks at the ends of lines, and its last fence closed.
pub(crate) fn block_text(raw: &str) -> String {
    let text = with_line_ending(raw, LineEnding::Lf);
    let text = tidy_lines(&text);
    let mut rest = text.trim_end();
    while let Some((line, after)) = rest.split_once('\n') {
        if !line.trim().is_empty() {
            break;
        }
        rest = after;
    }
    let mut block = rest.to_owned();
    close_fence(&mut block);
    block
}

/// Closes the fence that is open at the end of `text`.
fn close_fence(text: &mut String) {
    let found = blocks(text, 0);
    let Some(fence) = found.fences.last().filter(|fence| !fence.closed) else {
        return;
    };
    let line = &text[fence.whole.start..];
    let line = line[indent_of(line)..].lines().next().unwrap_or_default();
    let marker = if line.starts_with('~') { '~' } else { '`' };
    let length = line.len() - line.trim_start_matches(marker).len();
    text.push('\n');
    text.extend(std::iter::repeat_n(marker, length));
}

/// Takes away the blanks at the ends of lines outside of fences. The two blanks
/// that break a line within a paragraph stay.
pub(crate) fn tidy_lines(text: &str) -> String {
    let lines = lines_from(text, 0);
    let has_blanks = lines.iter().any(|line| {
        let content = line.text(text);
        content.ends_with(char::is_whitespace)
    });
    if !has_blanks {
        return text.to_owned();
    }
    let fences = blocks(text, 0).fences;
    let mut out = String::with_capacity(text.len());
    let mut fences = fences.iter().peekable();
    for (index, line) in lines.iter().enumerate() {
        while fences
            .next_if(|fence| fence.whole.end < line.content.start)
            .is_some()
        {}
        let content = line.text(text);
        let in_code = fences.peek().is_some_and(|fence| {
            fence.whole.contains(line.content)
                && (line.content != fence.whole || fence.whole.is_empty())
        });
        let trimmed = content.trim_end();
        let next_is_text = lines
            .get(index + 1)
            .is_some_and(|next| !next.is_blank(text));
        if in_code {
            out.push_str(content);
        } else if !trimmed.is_empty() && content.ends_with("  ") && next_is_text {
            out.push_str(trimmed);
            out.push_str("  ");
        } else {
            out.push_str(trimmed);
        }
        out.push_str(&text[line.content.end..line.whole.end]);
    }
    out
}

/// `text` with the headings that `ends` picks moved down to `level`, so that
/// they do not end the section that they stand in, and with its last fence
/// closed.
pub(crate) fn contained(text: &str, level: u8, ends: impl Fn(&str, u8) -> bool) -> String {
    let found = blocks(text, 0);
    let mut out = String::with_capacity(text.len());
    let mut done = 0;
    for heading in &found.headings {
        let title = heading.title.of(text);
        if !ends(title, heading.level) {
            continue;
        }
        let at = heading.line.start + indent_of(heading.line.of(text));
        out.push_str(&text[done..at]);
        for _ in heading.level..level {
            out.push('#');
        }
        done = at;
    }
    out.push_str(&text[done..]);
    close_fence(&mut out);
    out
}

/// The fence that can hold `code`: longer than any run of backticks at the
/// start of a line of it.
pub(crate) fn fence_for(code: &str) -> String {
    let longest = code
        .split(['\n', '\r'])
        .map(|line| {
            let line = line.trim_start();
            line.len() - line.trim_start_matches('`').len()
        })
        .max()
        .unwrap_or(0);
    "`".repeat((longest + 1).max(3))
}

/// `code` as a fenced block that ends with a line ending.
pub(crate) fn fenced(info: &str, code: &str) -> String {
    let fence = fence_for(code);
    let info: String = info
        .chars()
        .filter(|c| !matches!(c, '`' | '\n' | '\r'))
        .collect();
    let info = info.trim();
    if code.is_empty() {
        format!("{fence}{info}\n{fence}\n")
    } else {
        let code = with_line_ending(code, LineEnding::Lf);
        format!("{fence}{info}\n{code}\n{fence}\n")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outline(text: &str) -> String {
        let blocks = blocks(text, 0);
        let mut out = String::new();
        for heading in &blocks.headings {
            out.push_str(&format!("{} {:?}\n", heading.level, heading.title.of(text)));
        }
        for fence in &blocks.fences {
            let open = if fence.closed { "" } else { " (open)" };
            out.push_str(&format!(
                "{:?} {:?}{open}\n",
                fence.info.of(text),
                fence.text
            ));
        }
        out
    }

    #[test]
    fn fences_hide_headings() {
        let text = "# A #\r\n````md\r\n```\r\n## no\r\n```\r\n````\r\n## B\r\n~~~ swift bad\r\n## no\r\n~~~\r\n####### no\r\n#no\r\n  ### C#\r\n```\r\n## open";
        expect_test::expect![[r####"
            1 "A"
            2 "B"
            3 "C#"
            "md" "```\n## no\n```"
            "swift bad" "## no"
            "" "## open" (open)
        "####]]
        .assert_eq(&outline(text));
    }

    #[test]
    fn fences_in_lists_are_indented() {
        let text = "1. step\n\n   ```rust good\n   fn a() {\n       b\n   }\n   ```\n\n10. other\n\n      ```\n      x\n      ```\ntext\n\n    ```\n    an indented block, not a fence\n";
        expect_test::expect![[r#"
            "rust good" "fn a() {\n    b\n}"
            "" "x"
        "#]]
        .assert_eq(&outline(text));
    }

    #[test]
    fn a_fence_is_longer_than_those_inside() {
        assert_eq!(fence_for("a ``` b"), "```");
        assert_eq!(fence_for("```\nx\n```"), "````");
        assert_eq!(fence_for("  `````"), "``````");
    }
}
