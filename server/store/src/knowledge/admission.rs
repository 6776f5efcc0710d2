//! What is refused as knowledge, whoever wrote it.

use asd_recipe::{Home, ParsedRecipe, ProblemCode, Recipe, Severity};
use asd_text::LineIndex;
use serde_json::Value as Json;

use crate::MAX_RECIPE;

/// The longest id in characters; a UUID has 36.
const MAX_ID: usize = 128;

/// Why a recipe is refused, with the line where that shows, counted from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Refusal {
    pub(crate) line: Option<u32>,
    pub(crate) message: String,
}

impl From<&str> for Refusal {
    fn from(message: &str) -> Self {
        Self {
            line: None,
            message: message.to_owned(),
        }
    }
}

/// Reads a text as knowledge, or says why it is none: it cannot be read as a
/// whole, or something in it is made to harm.
pub(crate) fn admit(text: &str, home: Home) -> Result<(ParsedRecipe, Recipe), Refusal> {
    if text.len() as u64 > MAX_RECIPE {
        return Err("This file is larger than 1 MB. Split it into several recipes.".into());
    }
    let mut parsed = asd_recipe::parse(text, home);
    let refused = parsed.problems.iter().find(|problem| {
        problem.code == ProblemCode::Hostile
            || (problem.code == ProblemCode::FrontMatter && problem.severity == Severity::Error)
    });
    if let Some(problem) = refused {
        return Err(Refusal {
            line: line_at(text, problem.span.start),
            message: problem.message.clone(),
        });
    }
    let Some(recipe) = parsed.recipe.take() else {
        return Err("This is not a recipe: it has no front matter.".into());
    };
    if may_hold_escapes(text)
        && let Some(c) = serde_json::to_value(&recipe)
            .ok()
            .and_then(|said| unseen(&said))
    {
        return Err(Refusal {
            line: None,
            message: format!(
                "An escape in the front matter stands for the character U+{:04X}, which cannot be seen. Remove it.",
                u32::from(c)
            ),
        });
    }
    if let Some(id) = recipe.id.as_deref()
        && !is_sound_id(id)
    {
        let line = parsed
            .fields
            .get("id")
            .and_then(|field| line_at(text, field.key.start));
        return Err(Refusal {
            line,
            message: "The id is not one: it may hold letters, digits, `-`, `_`, `.` and `:`, at most 128, and no `..`. Remove the line; `asd sync` assigns an id.".to_owned(),
        });
    }
    Ok((parsed, recipe))
}

/// Whether double-quoted YAML may say something that the text does not show.
fn may_hold_escapes(text: &str) -> bool {
    let bytes = text.as_bytes();
    bytes
        .windows(2)
        .any(|pair| pair[0] == b'\\' && b"0abefvxuUNLP_".contains(&pair[1]))
}

/// A character in any text of a value that has no place in one.
fn unseen(value: &Json) -> Option<char> {
    let is_unseen = |c: &char| {
        (c.is_control() && !matches!(c, '\t' | '\n' | '\r' | '\u{85}'))
            || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    match value {
        Json::String(text) => text.chars().find(is_unseen),
        Json::Array(items) => items.iter().find_map(unseen),
        Json::Object(map) => map
            .iter()
            .find_map(|(key, value)| key.chars().find(is_unseen).or_else(|| unseen(value))),
        _ => None,
    }
}

fn line_at(text: &str, offset: usize) -> Option<u32> {
    u32::try_from(LineIndex::new(text).line_of(offset) + 1).ok()
}

/// Ids stand in paths, in journals and in messages.
fn is_sound_id(id: &str) -> bool {
    !id.is_empty()
        && id.len() <= MAX_ID
        && !id.contains("..")
        && id
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | ':'))
        // Names given to files that have no id yet.
        && !id.starts_with(super::facts::NO_ID)
}

/// Why a file of this name is not read, whatever it holds.
pub(crate) fn refused_name(rel: &str) -> Option<Refusal> {
    let disguised = |c: char| {
        c.is_control()
            || matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fffd}')
    };
    rel.contains(disguised)
        .then(|| "The name of this file holds characters that cannot be seen. Rename it.".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(text: &str) -> String {
        let refusal = admit(text, Home::Recipes).unwrap_err();
        format!("{:?} {}", refusal.line, refusal.message)
    }

    #[test]
    fn what_is_made_to_harm_is_refused_with_its_reason() {
        let recipe = |more: &str| format!("---\ntitle: T\ntrigger: \"@t\"\n{more}\n---\n");
        let mut laughs = String::from("a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n");
        for level in 1..10 {
            let before = format!("*a{},", level - 1).repeat(10);
            laughs.push_str(&format!("a{level}: &a{level} [{before}]\n"));
        }
        let deep = format!("deep: {}x{}", "[".repeat(5000), "]".repeat(5000));
        let huge = "x".repeat(2_000_000);
        for (what, text) in [
            ("larger", recipe(&huge)),
            ("aliases", recipe(&laughs)),
            ("levels deep", recipe(&deep)),
            ("U+0000", recipe("do: \"a\0b\"")),
            ("stands for the character U+0000", recipe(r#"do: "a\0b""#)),
            (
                "stands for the character U+202E",
                recipe(r#"tags: ["a\u202eb"]"#),
            ),
            ("direction", recipe("do: \"a\u{202e}b\"")),
            (
                "out of the project",
                recipe("reasoning: {sources: [\"../../etc/passwd\"]}"),
            ),
            (
                "out of the project",
                recipe("reasoning: {sources: [/etc/passwd]}"),
            ),
            (
                "names the recipe's file",
                "---\ntitle: T\ntrigger: \"@../../x\"\n---\n".to_owned(),
            ),
            ("The id is not one", recipe("id: ../../x")),
            (
                "The id is not one",
                recipe("id: \"file:Alembic/recipes/a.md\""),
            ),
            ("no front matter", "hello".to_owned()),
        ] {
            let message = if what == "no front matter" {
                refused(&text).replace("begins with its front matter", what)
            } else {
                refused(&text)
            };
            assert!(message.contains(what), "{what}: {message}");
        }
    }

    #[test]
    fn odd_but_honest_text_is_taken() {
        for text in [
            "---\ntitle: 👩‍👩‍👧 缓存 café\ntrigger: \"@t\"\nid: 5b0c4d1e-7a55-4c58-9d5e-0a4f3c1e2b77\n---\n",
            "---\ntitle: T\nguards: [{pattern: '\\bold\\b\\x41\\u0041'}, {pattern: \"\\\\x00\"}]\n---\n",
            "---\ntitle: [\u{5d0}\u{5d1}]\ntrigger: \"@t\"\n---\n",
        ] {
            assert!(admit(text, Home::Recipes).is_ok(), "{text}");
        }
        assert!(refused_name("Alembic/recipes/缓存.md").is_none());
        assert!(refused_name("Alembic/recipes/a\u{202e}dm.exe.md").is_some());
    }
}
