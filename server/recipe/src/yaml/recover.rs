use asd_text::{Span, TextEdit};
use serde_json::Value as Json;

use super::load::load;
use super::{Entry, Node, Style, Value, YamlError, quoted_scalar};
use crate::lines::{Line, indent_of, lines_from};

/// A front matter as far as it could be read.
#[derive(Debug)]
pub(crate) struct Loaded {
    pub root: Node,
    /// The entries that are not YAML, in file order.
    pub broken: Vec<BrokenEntry>,
}

/// An entry that is not YAML. Where a person can see what was meant, its text
/// is in the tree all the same.
#[derive(Debug)]
pub(crate) struct BrokenEntry {
    pub span: Span,
    pub message: String,
    /// The edit that puts the value in quotes.
    pub quote: Option<TextEdit>,
}

/// Reads a mapping. When the text as a whole is not YAML, each entry is read by
/// itself, and each item of a list below a broken entry again by itself, so
/// that one unquoted `@` hides no other field and no other guard.
///
/// # Errors
/// [`YamlError::TooDeep`] and [`YamlError::TooBig`] only.
pub(crate) fn load_lenient(text: &str, base: usize) -> Result<Loaded, YamlError> {
    let error = match load(text, base) {
        Ok(root) => {
            return Ok(Loaded {
                root,
                broken: Vec::new(),
            });
        }
        Err(error @ YamlError::Syntax { .. }) => error,
        Err(error) => return Err(error),
    };
    let mut recovery = Recovery {
        broken: Vec::new(),
        json: false,
    };
    let root = recovery
        .read(text, base, 0)?
        .unwrap_or_else(|| Node::null(base));
    let mut broken = recovery.broken;
    if broken.is_empty()
        && !recovery.json
        && let YamlError::Syntax { at, message } = error
    {
        broken.push(BrokenEntry {
            span: line_around(text, base, at),
            message: format!("Not valid YAML: {message}."),
            quote: None,
        });
    }
    Ok(Loaded { root, broken })
}

/// After how many broken entries the rest is not looked at: this is no front
/// matter that somebody is writing.
const MAX_BROKEN: usize = 200;
/// How many times a broken entry is taken apart again.
const MAX_LEVELS: usize = 8;

struct Recovery {
    broken: Vec<BrokenEntry>,
    /// Whether an entry was JSON that the YAML parser does not take.
    json: bool,
}

impl Recovery {
    /// Reads the entries (or items) at the least indentation of `text`, each by
    /// itself.
    fn read(&mut self, text: &str, base: usize, level: usize) -> Result<Option<Node>, YamlError> {
        let lines = lines_from(text, 0);
        let Some(first) = lines.iter().find(|line| !is_filler(text, line)) else {
            return Ok(None);
        };
        let indent = indent_of(first.text(text));
        let is_list = is_item(&first.text(text)[indent..]);
        let mut items = Vec::new();
        let mut entries: Vec<Entry> = Vec::new();
        for group in groups(text, &lines, indent, is_list) {
            if self.broken.len() >= MAX_BROKEN {
                break;
            }
            let slice = group.of(text);
            match load(slice, base + group.start) {
                Ok(node) => match node.value {
                    Value::Map(more) if !is_list => entries.extend(more),
                    Value::Seq(more) if is_list => items.extend(more),
                    _ if node.is_null() => {}
                    _ => self.not_an_entry(slice, base + group.start),
                },
                Err(YamlError::Syntax { at, message }) => {
                    let broken = Broken {
                        text: slice,
                        base: base + group.start,
                        at,
                        message: &message,
                        level,
                    };
                    if is_list {
                        items.extend(self.item(&broken)?);
                    } else {
                        entries.extend(self.entry(&broken)?);
                    }
                }
                Err(error) => return Err(error),
            }
        }
        let spans: Vec<Span> = if is_list {
            items.iter().map(|item: &Node| item.span).collect()
        } else {
            entries
                .iter()
                .map(|entry| {
                    Span::new(
                        entry.key_span.start,
                        entry.value.span.end.max(entry.key_span.end),
                    )
                })
                .collect()
        };
        let start = base + first.content.start + indent;
        let end = spans.iter().map(|span| span.end).max().unwrap_or(start);
        Ok(Some(Node {
            value: if is_list {
                Value::Seq(items)
            } else {
                Value::Map(entries)
            },
            span: Span::new(start, end.max(start)),
        }))
    }

    fn not_an_entry(&mut self, text: &str, base: usize) {
        self.broken.push(BrokenEntry {
            span: line_around(text, base, base),
            message: "This line is not a `key: value` entry.".into(),
            quote: None,
        });
    }

    fn entry(&mut self, broken: &Broken<'_>) -> Result<Option<Entry>, YamlError> {
        let Some(header) = Header::of(broken.text) else {
            self.not_an_entry(broken.text, broken.base);
            return Ok(None);
        };
        let value = self.value(broken, header.rest)?;
        Ok(Some(Entry {
            key: header.key,
            key_span: header.span.shifted(broken.base),
            value: value.unwrap_or_else(|| Node::null(broken.base + header.rest)),
        }))
    }

    fn item(&mut self, broken: &Broken<'_>) -> Result<Option<Node>, YamlError> {
        let dash = indent_of(broken.text);
        if !is_item(&broken.text[dash..]) {
            self.not_an_entry(broken.text, broken.base);
            return Ok(None);
        }
        let first_line = lines_from(broken.text, 0)[0];
        let rest = &first_line.text(broken.text)[dash + 1..];
        if Header::of(rest).is_some() && broken.level < MAX_LEVELS {
            // Without its dash the item is a mapping of its own.
            let mut without_dash = broken.text.to_owned();
            without_dash.replace_range(dash..=dash, " ");
            return self.read(&without_dash, broken.base, broken.level + 1);
        }
        self.value(broken, dash + 1)
    }

    /// What follows a key or a dash: lines of its own, or one line of text that
    /// is not YAML but can be understood.
    fn value(&mut self, broken: &Broken<'_>, from: usize) -> Result<Option<Node>, YamlError> {
        let lines = lines_from(broken.text, 0);
        let first = lines[0];
        let rest = &broken.text[from..first.content.end.max(from)];
        let trimmed = rest.trim();
        let more: Vec<&Line> = lines[1..]
            .iter()
            .filter(|line| !is_filler(broken.text, line))
            .collect();
        if (trimmed.is_empty() || trimmed.starts_with('#'))
            && broken.level < MAX_LEVELS
            && let Some(next) = more.first()
        {
            let start = next.whole.start;
            let nested = &broken.text[start..];
            if indent_of(nested) > 0 || is_item(nested) {
                return self.read(nested, broken.base + start, broken.level + 1);
            }
        }
        let start = broken.base + from + (rest.len() - rest.trim_start().len());
        let span = Span::new(start, start + trimmed.len());
        if more.is_empty() && !trimmed.is_empty() {
            if let Ok(json) = serde_json::from_str::<Json>(trimmed)
                && (json.is_object() || json.is_array())
            {
                // The YAML parser refuses the surrogate pairs of JSON.
                self.json = true;
                return Ok(Some(Node::from_json(&json, span)));
            }
            let meant = unclosed_quote(trimmed).unwrap_or(trimmed);
            self.broken.push(BrokenEntry {
                span,
                message: explain(trimmed, broken.message),
                quote: Some(TextEdit::replace(span, quoted_scalar(meant))),
            });
            return Ok(Some(Node::scalar(meant, Style::Quoted, span)));
        }
        self.broken.push(BrokenEntry {
            span: line_around(broken.text, broken.base, broken.at),
            message: explain(trimmed, broken.message),
            quote: None,
        });
        Ok(None)
    }
}

struct Broken<'a> {
    text: &'a str,
    base: usize,
    at: usize,
    message: &'a str,
    level: usize,
}

/// `key:` at the start of a line.
struct Header {
    key: String,
    span: Span,
    /// Where the value begins.
    rest: usize,
}

impl Header {
    fn of(text: &str) -> Option<Self> {
        let line = lines_from(text, 0).first().copied()?;
        let content = line.text(text);
        let mut indent = indent_of(content);
        if content[indent..].starts_with('\u{feff}') {
            // The parser steps over a stray byte order mark too.
            indent += '\u{feff}'.len_utf8();
        }
        let mut from = indent;
        let colon = loop {
            let colon = from + content[from..].find(':')?;
            let after = content[colon + 1..].chars().next();
            if after.is_none_or(char::is_whitespace) {
                break colon;
            }
            from = colon + 1;
        };
        let key = content[indent..colon].trim_end();
        let plain = !key.is_empty()
            && !key.starts_with([
                '-', '?', '[', '{', '#', '&', '*', '!', '|', '>', '%', '@', '`',
            ])
            || key == "-";
        let name = key.trim_matches(['"', '\'']);
        (plain && key != "-").then(|| Self {
            key: name.to_owned(),
            span: Span::new(indent, indent + key.len()),
            rest: colon + 1,
        })
    }
}

fn is_item(text: &str) -> bool {
    text.strip_prefix('-')
        .is_some_and(|rest| rest.is_empty() || rest.starts_with(char::is_whitespace))
}

/// Blank lines and comment lines belong to no entry of their own.
fn is_filler(text: &str, line: &Line) -> bool {
    let content = line.text(text).trim_start();
    content.is_empty() || content.starts_with('#')
}

/// Cuts `text` into entries: each begins with a line of the given indentation
/// (or less) and takes the deeper lines that follow.
fn groups(text: &str, lines: &[Line], indent: usize, is_list: bool) -> Vec<Span> {
    let mut groups: Vec<Span> = Vec::new();
    for line in lines {
        let content = line.text(text);
        let own = indent_of(content);
        let rest = &content[own..];
        let begins = !is_filler(text, line)
            && own <= indent
            && (is_list || !is_item(rest))
            && (!is_list || is_item(rest) || own < indent)
            && !rest.starts_with([']', '}']);
        match groups.last_mut() {
            Some(last) if !begins => last.end = line.whole.end,
            None if !begins => {}
            _ => groups.push(line.whole),
        }
    }
    groups
}

fn unclosed_quote(text: &str) -> Option<&str> {
    ['"', '\''].into_iter().find_map(|quote| {
        text.strip_prefix(quote)
            .filter(|rest| !rest.contains(quote))
    })
}

/// The line of `text` around the offset `at` of the file, without blanks.
fn line_around(text: &str, base: usize, at: usize) -> Span {
    let lines = lines_from(text, 0);
    let offset = at.saturating_sub(base);
    let line = lines
        .iter()
        .rfind(|line| line.whole.start <= offset && !is_filler(text, line))
        .or_else(|| lines.iter().find(|line| !is_filler(text, line)));
    let Some(line) = line else {
        return Span::empty(base);
    };
    let content = line.text(text);
    let start = base + line.content.start + (content.len() - content.trim_start().len());
    Span::new(start, start + content.trim().len())
}

/// Says in plain words why `value` is not YAML.
fn explain(value: &str, message: &str) -> String {
    let first = value.chars().next();
    match first {
        Some(c @ ('@' | '`' | '%')) => {
            format!("A value cannot begin with `{c}` in YAML. Put it in quotes.")
        }
        Some(c @ ('*' | '&' | '!')) => {
            format!("`{c}` at the start of a value has a meaning of its own in YAML. Put the value in quotes.")
        }
        Some(c @ ('[' | '{' | ']' | '}')) => format!(
            "A value that begins with `{c}` must be a complete YAML list or mapping. Close it, or put the value in quotes if it is text."
        ),
        Some(c @ ('"' | '\'')) if unclosed_quote(value).is_some() => {
            format!("The quote {c} is not closed.")
        }
        Some('"') => "This quoted text is not valid YAML. Inside double quotes `\\` begins an escape; write `\\\\`, or use single quotes.".into(),
        Some('\'') => "This quoted text is not valid YAML. Inside single quotes, write a quote twice (`''`).".into(),
        _ if value.contains(": ") => {
            "A plain value cannot hold `: `. Put it in quotes.".into()
        }
        _ if message.contains("tab") => "Tabs cannot indent YAML. Use spaces.".into(),
        _ => format!("Not valid YAML: {message}."),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> (String, Vec<String>) {
        let loaded = load_lenient(text, 0).unwrap();
        let broken = loaded
            .broken
            .iter()
            .map(|broken| format!("{:?}: {}", broken.span.of(text), broken.message))
            .collect();
        (loaded.root.to_json().to_string(), broken)
    }

    #[test]
    fn an_unquoted_trigger_hides_no_other_field() {
        let (json, broken) = read("title: T\ntrigger: @net\ndo: a: b\ntags: [x]\n");
        assert_eq!(
            json,
            r#"{"title":"T","trigger":"@net","do":"a: b","tags":["x"]}"#
        );
        assert_eq!(
            broken,
            [
                "\"@net\": A value cannot begin with `@` in YAML. Put it in quotes.",
                "\"a: b\": A plain value cannot hold `: `. Put it in quotes.",
            ]
        );
    }

    #[test]
    fn one_broken_guard_hides_no_other_guard() {
        let (json, broken) = read(
            "guards:\n  - id: a\n    pattern: \"\\d\"\n    message: m\n  - id: b\n    pattern: 'x'\ntitle: T\n",
        );
        assert_eq!(
            json,
            r#"{"guards":[{"id":"a","pattern":"\"\\d\"","message":"m"},{"id":"b","pattern":"x"}],"title":"T"}"#
        );
        assert_eq!(broken.len(), 1, "{broken:?}");
        assert!(
            broken[0].starts_with(r#""\"\\d\"": This quoted text"#),
            "{broken:?}"
        );
    }

    #[test]
    fn an_unclosed_list_ends_with_its_entry() {
        let (json, broken) = read("tags: [a, b\ntitle: T\ntrigger: \"@t\n");
        assert_eq!(json, r#"{"tags":"[a, b","title":"T","trigger":"@t"}"#);
        assert_eq!(broken.len(), 2);
    }

    #[test]
    fn json_with_escaped_surrogates_is_read() {
        let (json, broken) = read("_content: {\"a\": \"\\ud83c\\udf6a\"}\nb: 1\n");
        assert_eq!(json, r#"{"_content":{"a":"🍪"},"b":1}"#);
        assert!(broken.is_empty(), "{broken:?}");
    }
}
