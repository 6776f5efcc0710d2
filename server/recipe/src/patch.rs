//! Changes of single front-matter keys that leave the rest of a file alone.

use asd_text::{LineEnding, Span, TextEdit, with_line_ending};
use serde_json::{Map, Value as Json};
use thiserror::Error;

use crate::front_matter::{FrontMatter, find};
use crate::hostile::refusal;
use crate::keys::{KeyInfo, REASONING, TOP, find_key};
use crate::lines::{indent_of, line_ending};
use crate::yaml::{Emitter, Entry, Value, YamlError, load_lenient};

/// Why a front matter could not be changed.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum PatchError {
    /// The file has no front matter, or one that is refused or not a mapping.
    #[error("the file has no readable front matter")]
    NoFrontMatter,
    /// Only keys of the front matter itself and of `reasoning` can be changed.
    #[error("`{0}` cannot be changed in place")]
    UnknownPath(String),
}

/// The edits that set (or, for `None`, remove) keys of the front matter: keys
/// of the front matter itself, and `reasoning.<key>`.
///
/// A key is found under any of its names. Only its own lines are touched, so
/// that comments, the order of keys, quotes and line endings elsewhere stay; a
/// key that is not there yet is put where the canonical order has it.
///
/// # Errors
/// [`PatchError`] when there is nothing to change in; no edit is made then.
pub fn patch_front_matter(
    text: &str,
    changes: &[(&str, Option<Json>)],
) -> Result<Vec<TextEdit>, PatchError> {
    if refusal(text).is_some() {
        return Err(PatchError::NoFrontMatter);
    }
    let front = find(text).ok_or(PatchError::NoFrontMatter)?;
    let root = load_lenient(front.content.of(text), front.content.start)
        .map_err(|_: YamlError| PatchError::NoFrontMatter)?
        .root;
    let entries = match &root.value {
        Value::Map(entries) => entries.as_slice(),
        _ if root.is_null() => &[],
        _ => return Err(PatchError::NoFrontMatter),
    };
    if root.span.of(text).starts_with('{') {
        // The whole front matter in braces has no lines of its own for its keys.
        return Err(PatchError::NoFrontMatter);
    }
    let patch = Patch {
        text,
        front: &front,
        ending: line_ending(text),
    };
    let mut edits = Vec::new();
    let mut reasoning: Vec<(&str, Option<Json>)> = Vec::new();
    let top = Place::top(entries);
    // Keys that come to stand at one place come in the canonical order.
    let mut ordered: Vec<&(&str, Option<Json>)> = changes.iter().collect();
    ordered.sort_by_key(|(path, _)| top.order(path.split('.').next().unwrap_or_default()));
    for (path, value) in ordered {
        match path.split_once('.') {
            None => edits.extend(patch.set(&top, path, value.as_ref())),
            Some(("reasoning", key)) if !key.contains('.') => reasoning.push((key, value.clone())),
            Some(_) => return Err(PatchError::UnknownPath((*path).to_owned())),
        }
    }
    if !reasoning.is_empty() {
        patch.reasoning(&top, &reasoning, &mut edits);
    }
    Ok(edits)
}

/// A mapping in which keys are set.
struct Place<'n> {
    entries: &'n [Entry],
    table: &'static [KeyInfo],
}

impl<'n> Place<'n> {
    const fn top(entries: &'n [Entry]) -> Self {
        Self {
            entries,
            table: TOP,
        }
    }

    fn find(&self, name: &str) -> Option<&'n Entry> {
        let key = find_key(self.table, name);
        self.entries
            .iter()
            .find(|entry| entry.key == name || key.is_some_and(|key| key.is(&entry.key)))
    }

    fn order(&self, name: &str) -> usize {
        self.table
            .iter()
            .position(|key| key.is(name))
            .unwrap_or(self.table.len())
    }
}

struct Patch<'t> {
    text: &'t str,
    front: &'t FrontMatter,
    ending: LineEnding,
}

impl Patch<'_> {
    fn set(&self, place: &Place<'_>, name: &str, value: Option<&Json>) -> Option<TextEdit> {
        match (place.find(name), value) {
            (Some(entry), Some(value)) => Some(self.replace(entry, value)),
            (Some(entry), None) => Some(self.remove(entry)),
            (None, Some(value)) => Some(self.insert(place, name, value)),
            (None, None) => None,
        }
    }

    fn reasoning(
        &self,
        top: &Place<'_>,
        changes: &[(&str, Option<Json>)],
        edits: &mut Vec<TextEdit>,
    ) {
        let entry = top.find("reasoning");
        let inner = entry.and_then(|entry| entry.value.entries());
        let is_block = inner.is_some_and(|inner| {
            inner.first().is_some_and(|first| {
                entry.is_some_and(|entry| {
                    first.key_span.start == entry.value.span.start
                        && self.line_start(first.key_span.start)
                            != self.line_start(entry.key_span.start)
                })
            })
        });
        let removes_all = |inner: &[Entry]| {
            inner.iter().all(|entry| {
                changes
                    .iter()
                    .any(|(name, value)| value.is_none() && entry.key == *name)
            })
        };
        if let (true, Some(inner)) = (is_block, inner)
            && !removes_all(inner)
        {
            let place = Place {
                entries: inner,
                table: REASONING,
            };
            for (name, value) in changes {
                edits.extend(self.set(&place, name, value.as_ref()));
            }
            return;
        }
        // In braces, or not there: the mapping is written anew.
        let mut map = match entry.map(|entry| entry.value.to_json()) {
            Some(Json::Object(map)) => map,
            _ => Map::new(),
        };
        for (name, value) in changes {
            let written = inner
                .and_then(|inner| {
                    let place = Place {
                        entries: inner,
                        table: REASONING,
                    };
                    place.find(name).map(|entry| entry.key.clone())
                })
                .unwrap_or_else(|| (*name).to_owned());
            match value {
                Some(value) => {
                    map.insert(written, value.clone());
                }
                None => {
                    map.shift_remove(&written);
                }
            }
        }
        let value = (!map.is_empty()).then(|| Json::Object(map));
        edits.extend(self.set(top, "reasoning", value.as_ref()));
    }

    fn replace(&self, entry: &Entry, value: &Json) -> TextEdit {
        let rendered = self.render(value, self.column(entry.key_span.start));
        let old = entry.value.span;
        let same_line = !old.of(self.text).contains(['\n', '\r']);
        let one_line = !rendered.contains(['\n', '\r']);
        let after_colon = self.after_colon(entry);
        if old.is_empty() || !same_line || !one_line || old.start < after_colon {
            let end = old.end.max(after_colon);
            return TextEdit::replace(Span::new(after_colon, end), rendered);
        }
        TextEdit::replace(old, rendered.trim_start())
    }

    fn after_colon(&self, entry: &Entry) -> usize {
        let rest = &self.text[entry.key_span.end..];
        let blanks = rest.len() - rest.trim_start_matches([' ', '\t']).len();
        if rest[blanks..].starts_with(':') {
            entry.key_span.end + blanks + 1
        } else {
            entry.key_span.end
        }
    }

    /// The value as it stands behind `key:`, with its first blank.
    fn render(&self, value: &Json, column: usize) -> String {
        let mut emitter = Emitter::default();
        emitter.entry(0, "k", value);
        let text = emitter.finish();
        let text = text
            .strip_prefix("k:")
            .unwrap_or(&text)
            .trim_end_matches('\n');
        let indented = text.replace('\n', &format!("\n{}", " ".repeat(column)));
        with_line_ending(&indented, self.ending).into_owned()
    }

    fn line_start(&self, at: usize) -> usize {
        self.text[..at].rfind(['\n', '\r']).map_or(0, |end| end + 1)
    }

    fn column(&self, at: usize) -> usize {
        let line = &self.text[self.line_start(at)..at];
        if line.trim().is_empty() {
            line.len()
        } else {
            0
        }
    }

    /// Behind the line ending of the line around `at`.
    fn next_line(&self, at: usize) -> usize {
        match self.text[at..].find(['\n', '\r']) {
            Some(length) if self.text[at + length..].starts_with("\r\n") => at + length + 2,
            Some(length) => at + length + 1,
            None => self.text.len(),
        }
    }

    /// Behind the lines at `at` that are indented more than `column`: they are
    /// what could not be read of a broken entry.
    fn behind_deeper_lines(&self, mut at: usize, column: usize) -> usize {
        while at < self.front.content.end {
            let line = &self.text[at..self.front.content.end];
            let line = &line[..line.find(['\n', '\r']).unwrap_or(line.len())];
            if line.trim().is_empty() || indent_of(line) <= column || line.trim().starts_with('#') {
                break;
            }
            at = self.next_line(at);
        }
        at
    }

    fn remove(&self, entry: &Entry) -> TextEdit {
        let end = entry.value.span.end.max(self.after_colon(entry));
        TextEdit::remove(Span::new(
            self.line_start(entry.key_span.start),
            self.next_line(end).min(self.front.content.end),
        ))
    }

    fn insert(&self, place: &Place<'_>, name: &str, value: &Json) -> TextEdit {
        let order = place.order(name);
        let before = place
            .entries
            .iter()
            .rfind(|entry| place.order(&entry.key) <= order);
        let column = place
            .entries
            .first()
            .map_or(0, |entry| self.column(entry.key_span.start));
        let (at, lead) = match (before, place.entries.first()) {
            (Some(entry), _) => {
                let end = entry.value.span.end.max(self.after_colon(entry));
                let at = self.behind_deeper_lines(self.next_line(end), column);
                let open = !self.text[..at].ends_with(['\n', '\r']);
                (at, if open { self.ending.as_str() } else { "" })
            }
            (None, Some(first)) => (self.line_start(first.key_span.start), ""),
            (None, None) => (self.front.content.start, ""),
        };
        let key = crate::yaml::scalar(name);
        let rendered = self.render(value, column);
        let end = self.ending.as_str();
        let blanks = " ".repeat(column);
        TextEdit::insert(at, format!("{lead}{blanks}{key}:{rendered}{end}"))
    }
}

#[cfg(test)]
mod tests {
    use asd_text::apply_edits;
    use serde_json::json;

    use super::*;

    fn patched(text: &str, changes: &[(&str, Option<Json>)]) -> String {
        let edits = patch_front_matter(text, changes).unwrap();
        apply_edits(text, &edits).unwrap()
    }

    const FILE: &str = "---\r\n# head\r\ntitle: T   # the title\r\ntrigger: \"@a\"\r\nlife_cycle: own\r\nlifecycle:   # soon\r\ntags:\r\n  - x # first\r\n  - y\r\n# about reasons\r\nreasoning:\r\n    sources: [a/b.rs]   # one\r\n    confidence: 0.5\r\n---\r\nbody\r\n";

    #[test]
    fn only_the_lines_of_the_key_change() {
        let text = patched(
            FILE,
            &[
                ("trigger", Some(json!("@b"))),
                ("lifecycle", Some(json!("active"))),
                ("tags", Some(json!(["z"]))),
                ("reasoning.confidence", Some(json!(0.75))),
                ("reasoning.sources", Some(json!(["c/d.rs", "e/f.rs:1"]))),
                ("kind", Some(json!("rule"))),
                ("hash", Some(json!("00ff"))),
                (
                    "lifecycleHistory",
                    Some(json!([{"from": "pending", "to": "active", "at": 1}])),
                ),
            ],
        );
        let expected = "---\n# head\ntitle: T   # the title\ntrigger: \"@b\"\nkind: rule\nlife_cycle: own\nlifecycle: active   # soon\ntags: [z]\n# about reasons\nreasoning:\n    sources: [c/d.rs, \"e/f.rs:1\"]   # one\n    confidence: 0.75\nlifecycleHistory:\n  - from: pending\n    to: active\n    at: 1\nhash: 00ff\n---\nbody\n";
        assert_eq!(text, expected.replace('\n', "\r\n"));
    }

    #[test]
    fn keys_are_removed_with_their_lines() {
        let text = patched(
            FILE,
            &[
                ("tags", None),
                ("reasoning.confidence", None),
                ("hash", None),
            ],
        );
        assert_eq!(
            text,
            FILE.replace("tags:\r\n  - x # first\r\n  - y\r\n", "")
                .replace("    confidence: 0.5\r\n", "")
        );
        let none_left = patched(
            FILE,
            &[("reasoning.confidence", None), ("reasoning.sources", None)],
        );
        assert!(!none_left.contains("reasoning:"));
    }

    #[test]
    fn a_missing_or_inline_mapping_is_written_anew() {
        assert_eq!(
            patched(
                "---\ntitle: T\n---\n",
                &[
                    ("reasoning.confidence", Some(json!(1))),
                    ("reasoning.whyStandard", Some(json!("w: x"))),
                ]
            ),
            "---\ntitle: T\nreasoning:\n  confidence: 1\n  whyStandard: \"w: x\"\n---\n"
        );
        assert_eq!(
            patched(
                "---\nreasoning: {why_standard: w}\ntitle: T\n---\n",
                &[("reasoning.whyStandard", Some(json!("v"))),]
            ),
            "---\nreasoning:\n  why_standard: v\ntitle: T\n---\n"
        );
        assert_eq!(
            patched("---\n---\n", &[("title", Some(json!("T")))]),
            "---\ntitle: T\n---\n"
        );
    }

    #[test]
    fn a_broken_neighbour_does_not_matter() {
        assert_eq!(
            patched(
                "---\ntrigger: @a\ntitle: x: y\n---\n",
                &[("trigger", Some(json!("@b")))]
            ),
            "---\ntrigger: \"@b\"\ntitle: x: y\n---\n"
        );
        assert_eq!(
            patched(
                "---\ntitle: T\n  - stray: 1\n---\n",
                &[("kind", Some(json!("rule")))]
            ),
            "---\ntitle: T\n  - stray: 1\nkind: rule\n---\n"
        );
    }

    #[test]
    fn a_file_without_front_matter_is_refused() {
        assert_eq!(
            patch_front_matter("x", &[("a", None)]),
            Err(PatchError::NoFrontMatter)
        );
        assert_eq!(
            patch_front_matter("---\na: 1\n---\n", &[("guards.0.id", None)]),
            Err(PatchError::UnknownPath("guards.0.id".into()))
        );
    }
}
