//! Where a cursor stands in front matter that is being written, and so is not
//! yet YAML: read from the indentation of the lines above it alone.

use asd_text::Span;

/// What is being written at a place of the front matter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Cursor {
    /// The keys around it, outermost first; entries of a list do not count.
    pub parents: Vec<String>,
    /// What is being written.
    pub at: At,
    /// Whether what is written is an entry of a list.
    pub in_list: bool,
}

/// A key or a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum At {
    /// The key in this span, which ends where its letters end.
    Key(Span),
    /// The value of the last of the parents, without quotes.
    Value(Span),
}

/// Reads the place at `offset`, which lies in the front matter `within`.
/// `None` in a comment.
#[must_use]
pub(crate) fn cursor(text: &str, within: Span, offset: usize) -> Option<Cursor> {
    let offset = offset.clamp(within.start, within.end);
    let head = &text[within.start..offset];
    let line_start = within.start + head.rfind(['\n', '\r']).map_or(0, |at| at + 1);
    let line_end = text[offset..within.end]
        .find(['\n', '\r'])
        .map_or(within.end, |at| offset + at);
    let line = Line::read(&text[line_start..line_end])?;
    let typed = &text[line_start..offset];
    if typed.len() < line.content {
        // In front of what the line says: nothing can be completed there, but a
        // blank line is the start of a key.
        if !text[line_start..line_end].trim().is_empty() {
            return None;
        }
    }
    let content = line.content.min(typed.len());
    let written = &typed[content..];
    if is_comment(written) {
        return None;
    }
    let mut parents = enclosing(&text[within.start..line_start], content, &line.dashes);
    if let Some(colon) = key_end(written) {
        parents.push(unquoted(&written[..colon]).to_owned());
        let rest = &written[colon + 1..];
        return Some(Cursor {
            parents,
            at: At::Value(value_span(text, offset, line_end, rest)),
            in_list: rest.trim_start().starts_with('['),
        });
    }
    // An entry of a list may be a scalar or the first key of a map.
    let start = line_start + content;
    let end = offset
        + text[offset..line_end]
            .find(|c: char| c == ':' || c.is_whitespace())
            .unwrap_or(line_end - offset);
    Some(Cursor {
        parents,
        at: At::Key(Span::new(start, end)),
        in_list: !line.dashes.is_empty(),
    })
}

/// The scalar that is being written behind a colon: in a flow list, the entry.
fn value_span(text: &str, offset: usize, line_end: usize, rest: &str) -> Span {
    let trimmed = rest.trim_start();
    let mut begun = rest.len() - trimmed.len();
    if trimmed.starts_with('[') {
        let last = rest.rfind(['[', ',']).map_or(begun, |at| at + 1);
        begun = last + rest[last..].len() - rest[last..].trim_start().len();
    }
    begun += rest[begun..].len() - rest[begun..].trim_start_matches(['"', '\'']).len();
    let start = offset - (rest.len() - begun);
    let tail = &text[offset..line_end];
    let end = offset
        + tail
            .find(|c: char| c.is_whitespace() || matches!(c, ',' | ']' | '"' | '\'' | '#'))
            .unwrap_or(tail.len());
    Span::new(start, end)
}

/// Where a line's dashes and its content stand.
#[derive(Debug)]
struct Line {
    dashes: Vec<usize>,
    content: usize,
}

impl Line {
    /// `None` for a comment.
    fn read(line: &str) -> Option<Self> {
        let mut dashes = Vec::new();
        let mut at = 0;
        loop {
            at += line[at..].len() - line[at..].trim_start_matches([' ', '\t']).len();
            let rest = &line[at..];
            if rest.starts_with('#') {
                return None;
            }
            if rest.starts_with("- ") || rest == "-" {
                dashes.push(at);
                at += 1;
            } else {
                return Some(Self {
                    dashes,
                    content: at,
                });
            }
        }
    }
}

/// The keys under which an entry at column `content` stands, given the lines
/// above it.
fn enclosing(above: &str, content: usize, dashes: &[usize]) -> Vec<String> {
    let mut parents = Vec::new();
    // A key of the enclosing map stands left of `limit`, or at it when a dash
    // stands there: a list may be as far in as its key.
    let (mut limit, mut dash) = match dashes.first() {
        Some(dash) => (*dash, true),
        None => (content, false),
    };
    for text in above.split(['\n', '\r']).rev() {
        if text.trim().is_empty() {
            continue;
        }
        let Some(line) = Line::read(text) else {
            continue;
        };
        let outer = line.content < limit || (dash && line.content <= limit);
        if outer && line.dashes.is_empty() {
            if let Some(colon) = key_end(&text[line.content..]) {
                parents.push(unquoted(&text[line.content..line.content + colon]).to_owned());
                (limit, dash) = (line.content, false);
            }
        } else if let Some(first) = line
            .dashes
            .first()
            .filter(|_| !dash && line.content <= limit)
        {
            if line.content < limit
                && let Some(colon) = key_end(&text[line.content..])
            {
                parents.push(unquoted(&text[line.content..line.content + colon]).to_owned());
            }
            // The first line of the list's entry that holds this one.
            (limit, dash) = (*first, true);
        }
        if limit == 0 && !dash {
            break;
        }
    }
    parents.reverse();
    parents
}

/// Where the key's colon stands; a colon in a plain scalar is not followed by a
/// blank.
fn key_end(line: &str) -> Option<usize> {
    let quoted = line
        .chars()
        .next()
        .filter(|c| matches!(c, '"' | '\''))
        .and_then(|quote| line[1..].find(quote).map(|at| at + 2))
        .unwrap_or(0);
    line[quoted..]
        .match_indices(':')
        .map(|(at, _)| quoted + at)
        .find(|at| line[at + 1..].is_empty() || line[at + 1..].starts_with([' ', '\t']))
}

fn unquoted(key: &str) -> &str {
    key.trim().trim_matches(['"', '\''])
}

fn is_comment(written: &str) -> bool {
    written.starts_with('#') || written.contains(" #")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The place of `|` in a front matter, as `a.b key "x"` or `a.b value "x"`.
    fn place(text: &str) -> String {
        let offset = text.find('|').unwrap();
        let text = text.replacen('|', "", 1);
        let Some(cursor) = cursor(&text, Span::new(0, text.len()), offset) else {
            return "none".to_owned();
        };
        let (what, span) = match cursor.at {
            At::Key(span) => ("key", span),
            At::Value(span) => ("value", span),
        };
        let list = if cursor.in_list { " in list" } else { "" };
        format!(
            "{} {what} {:?}{list}",
            cursor.parents.join("."),
            span.of(&text)
        )
    }

    #[test]
    fn keys_and_values_at_the_top() {
        assert_eq!(place("title: A\nki|"), r#" key "ki""#);
        assert_eq!(place("title: A\n|"), r#" key """#);
        assert_eq!(place("title: A\nk|ind: rule"), r#" key "kind""#);
        assert_eq!(place("kind: |"), r#"kind value """#);
        assert_eq!(place("kind: ru|le # why"), r#"kind value "rule""#);
        assert_eq!(place("kind: \"ru|\""), r#"kind value "ru""#);
        assert_eq!(place("# ki|"), "none");
        assert_eq!(place("kind: rule # wh|"), "none");
    }

    #[test]
    fn keys_of_a_nested_map() {
        assert_eq!(
            place("reasoning:\n  why: x\n  so|\nguards:\n"),
            r#"reasoning key "so""#
        );
        assert_eq!(
            place("reasoning:\r\n  confidence: |"),
            r#"reasoning.confidence value """#
        );
    }

    #[test]
    fn entries_of_lists() {
        assert_eq!(place("guards:\n  - id: a\n    se|"), r#"guards key "se""#);
        assert_eq!(
            place("guards:\n- id: a\n  severity: |"),
            r#"guards.severity value """#
        );
        assert_eq!(place("guards:\n  - |"), r#"guards key "" in list"#);
        assert_eq!(
            place("guards:\n  - fix:\n      ki|"),
            r#"guards.fix key "ki""#
        );
        assert_eq!(
            place("reasoning:\n  x: 1\n  sources:\n    - src/a|"),
            r#"reasoning.sources key "src/a" in list"#
        );
        assert_eq!(place("guards:\n  - id: a\nkind: |"), r#"kind value """#);
    }

    #[test]
    fn entries_of_flow_lists() {
        assert_eq!(
            place("languages: [ts, py|]"),
            r#"languages value "py" in list"#
        );
        assert_eq!(
            place("depends_on: [\"@a|\"]"),
            r#"depends_on value "@a" in list"#
        );
    }
}
