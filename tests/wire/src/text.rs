//! Positions counted by hand, so that the server is not checked against its own
//! arithmetic.

use serde_json::{Value, json};

/// The units in which a client may count columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Encoding {
    Utf8,
    Utf16,
    Utf32,
}

/// All of them.
pub const ENCODINGS: [Encoding; 3] = [Encoding::Utf8, Encoding::Utf16, Encoding::Utf32];
/// The line endings that every test of columns runs with.
pub const LINE_ENDINGS: [&str; 2] = ["\n", "\r\n"];

impl Encoding {
    /// The name that the protocol gives it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Utf8 => "utf-8",
            Self::Utf16 => "utf-16",
            Self::Utf32 => "utf-32",
        }
    }

    fn units(self, text: &str) -> usize {
        match self {
            Self::Utf8 => text.len(),
            Self::Utf16 => text.encode_utf16().count(),
            Self::Utf32 => text.chars().count(),
        }
    }
}

/// The byte offsets at which lines start.
fn line_starts(text: &str) -> Vec<usize> {
    let bytes = text.as_bytes();
    let mut starts = vec![0];
    for (at, byte) in bytes.iter().enumerate() {
        let ends = match byte {
            b'\n' => true,
            b'\r' => bytes.get(at + 1) != Some(&b'\n'),
            _ => false,
        };
        if ends {
            starts.push(at + 1);
        }
    }
    starts
}

/// The position of a byte offset.
#[must_use]
pub fn position(text: &str, offset: usize, encoding: Encoding) -> Value {
    let starts = line_starts(text);
    let line = starts
        .iter()
        .rposition(|start| *start <= offset)
        .unwrap_or(0);
    json!({"line": line, "character": encoding.units(&text[starts[line]..offset])})
}

/// The byte offset of a position that lies in the text.
///
/// # Panics
/// When it does not.
#[must_use]
pub fn offset(text: &str, position: &Value, encoding: Encoding) -> usize {
    let line = position["line"].as_u64().expect("a line") as usize;
    let column = position["character"].as_u64().expect("a column") as usize;
    let starts = line_starts(text);
    let start = starts[line];
    let content = text[start..].split(['\r', '\n']).next().unwrap_or_default();
    let within = content
        .char_indices()
        .map(|(at, _)| at)
        .chain([content.len()])
        .find(|at| encoding.units(&content[..*at]) == column);
    start + within.unwrap_or_else(|| panic!("{position} is not in {content:?}"))
}

/// The end of a text.
#[must_use]
pub fn end_of(text: &str, encoding: Encoding) -> Value {
    position(text, text.len(), encoding)
}

/// The range of the n-th occurrence (from 0) of `needle`.
///
/// # Panics
/// When there is none.
#[must_use]
pub fn range_of(text: &str, needle: &str, nth: usize, encoding: Encoding) -> Value {
    let start = text
        .match_indices(needle)
        .nth(nth)
        .unwrap_or_else(|| panic!("{needle:?} is not in the text"))
        .0;
    json!({
        "start": position(text, start, encoding),
        "end": position(text, start + needle.len(), encoding),
    })
}

/// A text after the edits of a `TextEdit[]`, all of which refer to the old one.
///
/// # Panics
/// When edits overlap or do not lie in the text.
#[must_use]
pub fn apply_edits(text: &str, edits: &Value, encoding: Encoding) -> String {
    let mut edits: Vec<(usize, usize, &str)> = edits
        .as_array()
        .expect("a list of edits")
        .iter()
        .map(|edit| {
            (
                offset(text, &edit["range"]["start"], encoding),
                offset(text, &edit["range"]["end"], encoding),
                edit["newText"].as_str().expect("a new text"),
            )
        })
        .collect();
    edits.sort_by_key(|(start, end, _)| (*start, *end));
    let mut result = String::new();
    let mut done = 0;
    for (start, end, new) in edits {
        assert!(start >= done, "edits overlap at byte {start}");
        result.push_str(&text[done..start]);
        result.push_str(new);
        done = end;
    }
    result.push_str(&text[done..]);
    result
}

/// A document after a workspace edit that changes it and nothing else.
///
/// # Panics
/// When the edit is none of that kind.
#[must_use]
pub fn edited(text: &str, edit: &Value, encoding: Encoding) -> String {
    let changes = edit["documentChanges"].as_array().expect("versioned edits");
    assert_eq!(changes.len(), 1, "one document is edited: {edit}");
    apply_edits(text, &changes[0]["edits"], encoding)
}
