use serde_json::Value as Json;

use super::Plain;

/// `text` as one YAML scalar on one line: plain where that is safe, else in
/// quotes.
pub(crate) fn scalar(text: &str) -> String {
    if is_safe_plain(text) {
        text.to_owned()
    } else {
        quoted_scalar(text)
    }
}

/// `text` as an item of `[…]`, where more characters have a meaning.
pub(crate) fn flow_scalar(text: &str) -> String {
    let plain = text.chars().all(|c| {
        c.is_ascii_alphanumeric() || matches!(c, ' ' | '_' | '-' | '.' | '/') || !c.is_ascii()
    });
    // The parser takes a dash in front of `,` or `]` for the start of an item.
    if plain && !text.ends_with('-') {
        scalar(text)
    } else {
        quoted_scalar(text)
    }
}

/// `text` in the quotes that need the fewest escapes.
pub(crate) fn quoted_scalar(text: &str) -> String {
    let needs_escape = text.chars().any(|c| c.is_control() || is_odd(c));
    let backslashes = text.contains('\\');
    let double = text.contains('"');
    if needs_escape || !(backslashes || double) {
        return double_quoted(text);
    }
    format!("'{}'", text.replace('\'', "''"))
}

fn double_quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if c.is_control() || is_odd(c) => {
                let code = u32::from(c);
                if code <= 0xff {
                    out.push_str(&format!("\\x{code:02x}"));
                } else {
                    out.push_str(&format!("\\u{code:04x}"));
                }
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// Line separators, byte order marks and non-characters, which readers of YAML
/// treat differently.
fn is_odd(c: char) -> bool {
    matches!(
        c,
        '\u{85}' | '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}'
    )
}

/// Whether every YAML reader, also one of version 1.1, takes the plain text as
/// this text, in block and in flow context.
fn is_safe_plain(text: &str) -> bool {
    let Some(first) = text.chars().next() else {
        return false;
    };
    let last = text.chars().next_back().unwrap_or(first);
    if first.is_whitespace() || last.is_whitespace() {
        return false;
    }
    // Letters and a few signs begin a value; what begins with a digit or
    // another sign may be a number, a date or a list item.
    let begins_text = first.is_alphabetic()
        || matches!(first, '_' | '/' | '$' | '(' | '^' | '~')
        || is_symbol_beyond_ascii(first);
    if !begins_text {
        return first.is_ascii_digit() && is_plain_code_like(text);
    }
    if looks_special(text) {
        return false;
    }
    !text.contains(": ")
        && !text.contains(" #")
        && !text.ends_with(':')
        && !text.contains(['\\', '`'])
        && !text.chars().any(|c| c.is_control() || is_odd(c))
}

fn is_symbol_beyond_ascii(c: char) -> bool {
    !c.is_ascii() && !c.is_whitespace() && !c.is_control() && !is_odd(c)
}

/// Text that begins with a digit is plain only when it cannot be a number or a
/// date to anybody: a UUID, a hash with a letter other than `e`.
fn is_plain_code_like(text: &str) -> bool {
    text.bytes()
        .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_'))
        && text.bytes().any(|b| {
            b.is_ascii_alphabetic()
                && !matches!(
                    b,
                    b'e' | b'E'
                        | b'x'
                        | b'X'
                        | b'o'
                        | b'O'
                        | b'b'
                        | b'B'
                        | b'_'
                        | b't'
                        | b'T'
                        | b'z'
                        | b'Z'
                )
        })
        && !text.starts_with("0x")
        && !text.starts_with("0X")
}

fn looks_special(text: &str) -> bool {
    const WORDS: &[&str] = &[
        "y", "n", "yes", "no", "on", "off", "true", "false", "null", "nan", "inf",
    ];
    text == "~"
        || Plain::of(text).is_some()
        || WORDS.iter().any(|word| text.eq_ignore_ascii_case(word))
}

/// Writes block mappings and lists with two blanks per level.
#[derive(Debug, Default)]
pub(crate) struct Emitter {
    out: String,
    /// Whether text of several lines is written as a block; else in quotes.
    blocks: bool,
}

/// A flow list longer than this is written one item a line.
const FLOW_WIDTH: usize = 100;

impl Emitter {
    /// Writes text of several lines as literal blocks, which read well but
    /// cannot have anything behind them on their last line.
    pub(crate) fn with_blocks() -> Self {
        Self {
            blocks: true,
            ..Self::default()
        }
    }

    pub(crate) fn finish(self) -> String {
        self.out
    }

    fn indent(&mut self, level: usize) {
        self.out.extend(std::iter::repeat_n("  ", level));
    }

    /// `key: value` at the given level; nested lists and mappings follow in
    /// block form, lists of scalars in one line where they fit.
    pub(crate) fn entry(&mut self, level: usize, key: &str, value: &Json) {
        self.indent(level);
        self.out.push_str(&scalar(key));
        self.out.push(':');
        self.value(level, value);
    }

    fn value(&mut self, level: usize, value: &Json) {
        match value {
            Json::Object(map) if !map.is_empty() => {
                self.out.push('\n');
                for (key, value) in map {
                    self.entry(level + 1, key, value);
                }
            }
            Json::Array(items) if !items.is_empty() => {
                let block = self.blocks
                    && items
                        .iter()
                        .any(|item| item.as_str().is_some_and(is_block_text));
                if let Some(flow) = flow_list(items).filter(|_| !block) {
                    self.out.push(' ');
                    self.out.push_str(&flow);
                    self.out.push('\n');
                } else {
                    self.out.push('\n');
                    for item in items {
                        self.item(level + 1, item);
                    }
                }
            }
            Json::String(text) if self.blocks && is_block_text(text) => {
                self.out.push_str(" |-\n");
                for line in text.split('\n') {
                    if !line.is_empty() {
                        self.indent(level + 1);
                        self.out.push_str(line);
                    }
                    self.out.push('\n');
                }
            }
            other => {
                self.out.push(' ');
                self.out.push_str(&simple(other));
                self.out.push('\n');
            }
        }
    }

    fn item(&mut self, level: usize, item: &Json) {
        self.indent(level);
        self.out.push('-');
        match item {
            Json::Object(map) if !map.is_empty() => {
                // The first entry stands on the line of the dash.
                let at = self.out.len();
                for (key, value) in map {
                    self.entry(level + 1, key, value);
                }
                let blanks = 2 * (level + 1);
                self.out.replace_range(at..at + blanks, " ");
            }
            other => self.value(level, other),
        }
    }
}

/// Whether a literal block gives `text` back as it is.
fn is_block_text(text: &str) -> bool {
    text.contains('\n')
        && !text.starts_with([' ', '\t', '\n'])
        && !text.ends_with('\n')
        && text
            .split('\n')
            .all(|line| line.is_empty() || !line.trim().is_empty())
        && !text
            .chars()
            .any(|c| (c.is_control() && !matches!(c, '\n' | '\t')) || is_odd(c))
}

fn simple(value: &Json) -> String {
    match value {
        Json::String(text) => scalar(text),
        Json::Array(_) => "[]".into(),
        Json::Object(_) => "{}".into(),
        other => other.to_string(),
    }
}

fn flow_item(value: &Json) -> String {
    match value {
        Json::String(text) => flow_scalar(text),
        other => simple(other),
    }
}

fn flow_list(items: &[Json]) -> Option<String> {
    let scalars = items
        .iter()
        .all(|item| !matches!(item, Json::Array(_) | Json::Object(_)));
    if !scalars {
        return None;
    }
    let line = format!(
        "[{}]",
        items.iter().map(flow_item).collect::<Vec<_>>().join(", ")
    );
    (line.chars().count() <= FLOW_WIDTH || items.len() == 1).then_some(line)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::super::load::load;
    use super::*;

    #[test]
    fn what_looks_like_something_else_is_quoted() {
        for text in [
            "",
            "123",
            "1.5",
            "true",
            "Yes",
            "no",
            "null",
            "~",
            "2024-01-01",
            "@x",
            "*x",
            "&x",
            "!x",
            "%x",
            "{x",
            "[x",
            ">x",
            "|x",
            "#x",
            "-x",
            "?x",
            "a: b",
            "a #b",
            "x:",
            " x",
            "x ",
            "0x1f",
            "1e5",
            "12e4",
            "007",
            ".5",
            "+1",
            "y",
            "`x`",
            "=",
        ] {
            assert_ne!(scalar(text), text, "{text}");
        }
        for text in [
            "RetryQueue backoff rule",
            "rust",
            "不要循环 sleep",
            "🍪 cookies",
            "src/net/retry.rs:10-48",
            "use RetryQueue::push",
            "3f9a6c1be0d4487a",
            "5b0c4d1e-7a55-4c58-9d5e-0a4f3c1e2b77",
            "Submit it (always)",
        ] {
            assert_eq!(scalar(text), text);
        }
        assert_eq!(scalar("@retry"), "\"@retry\"");
        assert_eq!(scalar(r"loop\s*\{"), r"'loop\s*\{'");
    }

    #[test]
    fn nested_values_are_written_in_block_form() {
        let mut emitter = Emitter::default();
        emitter.entry(0, "guards", &json!([{"id": "a", "rule": {"any": [{"kind": "x"}, {"kind": "y"}]}}, "s", [1, 2], [[]], {}]));
        emitter.entry(0, "tags", &json!(["a", "b, c", 1]));
        expect_test::expect![[r#"
            guards:
              - id: a
                rule:
                  any:
                    - kind: x
                    - kind: "y"
              - s
              - [1, 2]
              -
                - []
              - {}
            tags: [a, "b, c", 1]
        "#]]
        .assert_eq(&emitter.finish());
    }

    fn json_value() -> impl Strategy<Value = Json> {
        let leaf = prop_oneof![
            Just(Json::Null),
            any::<bool>().prop_map(Json::from),
            any::<i64>().prop_map(Json::from),
            any::<u64>().prop_map(Json::from),
            (-1e9..1e9_f64).prop_map(Json::from),
            any::<String>().prop_map(Json::from),
            "[ -~\n]{0,4}\n[ -~]{0,6}\n?[ -~]{0,6}".prop_map(Json::from),
            "[-:#@a-z0-9 '\"\\\\{}\\[\\],&*!|>%?~.\n]{0,12}".prop_map(Json::from),
        ];
        leaf.prop_recursive(4, 24, 5, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..5).prop_map(Json::from),
                prop::collection::vec(("[-a-z_0-9: ]{1,8}", inner), 0..5)
                    .prop_map(|entries| Json::Object(entries.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn every_value_comes_back(value in json_value()) {
            for mut emitter in [Emitter::default(), Emitter::with_blocks()] {
            emitter.entry(0, "k", &value);
            let text = emitter.finish();
            let read = load(&text, 0).map_err(|error| TestCaseError::fail(format!("{error:?}\n{text}")))?;
            prop_assert_eq!(&read.to_json()["k"], &value, "{}", text);
            }
        }
    }
}
