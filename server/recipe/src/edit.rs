//! A change of a recipe as a change of its file that leaves alone what stays.

use asd_text::{LineEnding, apply_edits, with_line_ending};
use serde_json::{Map, Value as Json};

use crate::body::Part;
use crate::front_matter::find;
use crate::lines::line_ending;
use crate::write::front_matter;
use crate::{Home, PatchError, Recipe, content_hash, parse, patch_front_matter, to_markdown};

/// The text of a recipe file that says what `after` says. Of `text`, the file as
/// it is, only the front-matter keys and body sections are written anew that say
/// something else; comments, the order of keys and unknown keys stay. Where that
/// cannot be done, the whole file is written in the canonical form.
///
/// The hash of the result is its own.
#[must_use]
pub fn rewrite(text: &str, home: Home, after: &Recipe) -> String {
    in_place(text, home, after)
        .and_then(|new| with_hash(&new).ok())
        .unwrap_or_else(|| {
            let new = to_markdown(after);
            with_hash(&new).unwrap_or(new)
        })
}

/// The text with the hash that it has. (knowledge.md §4)
///
/// # Errors
/// [`PatchError`] when it has no front matter to write the hash in.
pub fn with_hash(text: &str) -> Result<String, PatchError> {
    patched(text, &[("hash", Some(content_hash(text).into()))])
}

/// The text with changed front-matter keys: see [`patch_front_matter`].
fn patched(text: &str, changes: &[(&str, Option<Json>)]) -> Result<String, PatchError> {
    let edits = patch_front_matter(text, changes)?;
    apply_edits(text, &edits).map_err(|_| PatchError::NoFrontMatter)
}

fn in_place(text: &str, home: Home, after: &Recipe) -> Option<String> {
    let before = parse(text, home).recipe?;
    // What a guard does not state follows from the recipe, so that guards which
    // nobody changed may say something else now; their text stays.
    let guards_stay = before.constraints.guards == after.constraints.guards;
    let mut changes = changed_keys(&front_matter(&before), &front_matter(after));
    changes.retain(|(key, _)| !(guards_stay && key == "guards"));
    let changes: Vec<(&str, Option<Json>)> = changes
        .iter()
        .map(|(key, value)| (key.as_str(), value.clone()))
        .collect();
    let new = changed_body(&patched(text, &changes).ok()?, &before, after)?;
    let read = parse(&new, home).recipe?;
    let wanted = parse(&to_markdown(after), home).recipe?;
    let (mut read, mut wanted) = (shape(&read), shape(&wanted));
    if guards_stay {
        for shape in [&mut read, &mut wanted] {
            shape["constraints"]["guards"].take();
        }
    }
    (read == wanted).then_some(new)
}

/// What a recipe says, without where it says it and with what hash.
fn shape(recipe: &Recipe) -> Json {
    let mut shape = serde_json::to_value(recipe).unwrap_or_default();
    if let Some(shape) = shape.as_object_mut() {
        shape.remove("hash");
    }
    shape
}

/// The keys that differ, those of `reasoning` one by one.
fn changed_keys(
    before: &Map<String, Json>,
    after: &Map<String, Json>,
) -> Vec<(String, Option<Json>)> {
    let mut changes = Vec::new();
    for key in union(before, after) {
        if key == "hash" || before.get(key) == after.get(key) {
            continue;
        }
        match (before.get(key), after.get(key)) {
            (Some(Json::Object(old)), Some(Json::Object(new))) if key == "reasoning" => {
                for inner in union(old, new) {
                    if old.get(inner) != new.get(inner) {
                        changes.push((format!("{key}.{inner}"), new.get(inner).cloned()));
                    }
                }
            }
            (_, value) => changes.push((key.clone(), value.cloned())),
        }
    }
    changes
}

fn union<'m>(
    one: &'m Map<String, Json>,
    other: &'m Map<String, Json>,
) -> impl Iterator<Item = &'m String> {
    let more = other.keys().filter(|key| !one.contains_key(*key));
    one.keys().chain(more)
}

/// The text with the body sections that differ.
fn changed_body(text: &str, before: &Recipe, after: &Recipe) -> Option<String> {
    let (old, new) = (sections(before), sections(after));
    let ending = line_ending(text);
    let mut text = text.to_owned();
    for part in PARTS {
        let wanted = new.iter().find(|(p, _)| *p == part).map(|(_, text)| text);
        if old.iter().find(|(p, _)| *p == part).map(|(_, text)| text) != wanted {
            text = replaced(&text, part, wanted.map(String::as_str), ending)?;
        }
    }
    Some(text)
}

const PARTS: [Part; 8] = [
    Part::Description,
    Part::Rationale,
    Part::CoreCode,
    Part::Pattern,
    Part::UsageGuide,
    Part::Steps,
    Part::Changes,
    Part::Verification,
];

/// The sections of a recipe in the canonical form.
fn sections(recipe: &Recipe) -> Vec<(Part, String)> {
    let text = to_markdown(recipe);
    let mut sections: Vec<(Part, String)> = Vec::new();
    for section in parse(&text, Home::Recipes).sections {
        if section.level != 2 {
            continue;
        }
        let whole = section.whole.of(&text).trim_end().to_owned();
        match (Part::of(&section.title), sections.last_mut()) {
            (Some(part), _) => sections.push((part, whole)),
            // A section of the author's own belongs to the description.
            (None, Some((_, text))) => {
                text.push_str("\n\n");
                text.push_str(&whole);
            }
            (None, None) => {}
        }
    }
    sections
}

/// The text with one section replaced, added behind those that come before it,
/// or taken out.
fn replaced(text: &str, part: Part, wanted: Option<&str>, ending: LineEnding) -> Option<String> {
    let body = find(text)?.body;
    let sections: Vec<_> = parse(text, Home::Recipes)
        .sections
        .into_iter()
        .filter(|section| section.level == 2)
        .collect();
    // What the description is made of: text before the first section, the
    // section itself and those of the author's own.
    let belongs = |title: &str| match Part::of(title) {
        Some(other) => other == part,
        None => part == Part::Description,
    };
    let first = sections.first().map_or(text.len(), |s| s.whole.start);
    let place = PARTS.iter().position(|other| *other == part)?;
    let mut kept = text[..body].to_owned();
    let mut is_written = wanted.is_none();
    let mut write = |kept: &mut String| {
        if let Some(wanted) = wanted
            && !is_written
        {
            let new_line = ending.as_str();
            if !kept.ends_with(&[new_line, new_line].concat()) && !kept.is_empty() {
                if !kept.ends_with(new_line) {
                    kept.push_str(new_line);
                }
                kept.push_str(new_line);
            }
            kept.push_str(&with_line_ending(wanted, ending));
            kept.push_str(new_line);
            is_written = true;
        }
    };
    if part == Part::Description {
        write(&mut kept);
        if first < text.len() {
            kept.push_str(ending.as_str());
        }
    } else {
        kept.push_str(&text[body..first]);
    }
    for section in &sections {
        let comes_later = Part::of(&section.title)
            .and_then(|other| PARTS.iter().position(|part| *part == other))
            .is_some_and(|other| other > place);
        if belongs(&section.title) {
            write(&mut kept);
            let is_last = section.whole.end == text.len();
            if wanted.is_some() && !is_last && part != Part::Description {
                kept.push_str(ending.as_str());
            }
            continue;
        }
        if comes_later {
            write(&mut kept);
            if !kept.ends_with(&[ending.as_str(), ending.as_str()].concat()) {
                kept.push_str(ending.as_str());
            }
        }
        kept.push_str(section.whole.of(text));
    }
    write(&mut kept);
    Some(kept)
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = "---\n# ours\ntitle: T   # short\ntrigger: \"@t\"\nkind: rule\nlanguage: rust\ndo: Old way\nreasoning:\n  whyStandard: W # why\n  sources: [src/a.rs]\nmine: {a: 1}\nguards:\n  - pattern: 'old' # here\nhash: 0000000000000000\n---\n\nLead text.\n\n## Rationale\n\nWhy.\n\n## Core code\n\n```rust\nold();\n```\n\n## Notes\n\nKept.\n\n## Usage guide\n\n### Steps\n\nDo it.\n";

    fn changed(change: impl FnOnce(&mut Recipe)) -> String {
        let mut recipe = parse(FILE, Home::Recipes).recipe.unwrap();
        change(&mut recipe);
        let new = rewrite(FILE, Home::Recipes, &recipe);
        let read = parse(&new, Home::Recipes).recipe.unwrap();
        assert_eq!(read.hash.as_deref(), Some(content_hash(&new).as_str()));
        let mut canonical = to_markdown(&recipe);
        canonical = with_hash(&canonical).unwrap();
        let mut wanted = parse(&canonical, Home::Recipes).recipe.unwrap();
        wanted.constraints = read.constraints.clone();
        assert_eq!(shape(&read), shape(&wanted));
        new
    }

    /// The lines that are in only one of the two texts.
    fn diff(new: &str) -> String {
        let lines = |text: &str, other: &str, sign: &str| -> String {
            text.lines()
                .filter(|line| !other.lines().any(|l| l == *line) && !line.starts_with("hash:"))
                .map(|line| format!("{sign}{line}\n"))
                .collect()
        };
        lines(FILE, new, "-") + &lines(new, FILE, "+")
    }

    #[test]
    fn only_what_changed_is_written_anew() {
        let new = changed(|recipe| {
            recipe.do_clause = "New way".into();
            recipe.reasoning.sources[0].path = "src/b.rs".into();
            recipe.updated_at = Some(5);
        });
        expect_test::expect![[r#"
            -do: Old way
            -  sources: [src/a.rs]
            +do: New way
            +  sources: [src/b.rs]
            +updatedAt: 5
        "#]]
        .assert_eq(&diff(&new));
    }

    #[test]
    fn sections_are_replaced_added_and_taken_out() {
        let new = changed(|recipe| {
            recipe.core_code.as_mut().unwrap().text = "fresh();\n```\nfence".into();
            recipe.content.rationale = String::new();
            recipe.content.pattern = "pattern();".into();
        });
        expect_test::expect![[r#"
            -## Rationale
            -Why.
            -old();
            +````rust
            +fresh();
            +fence
            +````
            +## Pattern
            +pattern();
        "#]]
        .assert_eq(&diff(&new));
        assert!(
            new.contains("# ours\n") && new.contains("\n\n## Notes\n\nKept."),
            "{new}"
        );
        assert!(!new.contains("\n\n\n"), "{new}");
    }

    #[test]
    fn the_description_is_all_text_that_belongs_to_it() {
        let new = changed(|recipe| recipe.content.markdown = "Only this.".into());
        expect_test::expect![[r#"
            -Lead text.
            -## Notes
            -Kept.
            +## Description
            +Only this.
        "#]]
        .assert_eq(&diff(&new));
        assert!(!new.contains("\n\n\n"), "{new}");
    }

    #[test]
    fn line_ends_stay() {
        let file = FILE.replace('\n', "\r\n");
        let mut recipe = parse(&file, Home::Recipes).recipe.unwrap();
        recipe.content.rationale = "Because.\nOf that.".into();
        let new = rewrite(&file, Home::Recipes, &recipe);
        assert_eq!(new.matches('\n').count(), new.matches("\r\n").count());
        assert!(new.contains("# ours\r\n"), "{new}");
    }

    #[test]
    fn a_front_matter_that_cannot_be_changed_in_place_is_written_anew() {
        let file = "---\n{title: T, trigger: \"@t\", do: x}\n---\n";
        let mut recipe = parse(file, Home::Recipes).recipe.unwrap();
        recipe.do_clause = "y".into();
        let new = rewrite(file, Home::Recipes, &recipe);
        assert_eq!(parse(&new, Home::Recipes).recipe.unwrap().do_clause, "y");
    }
}
