//! The names and the code that are taken.

use std::collections::HashMap;

use asd_recipe::{Recipe, Severity, trigger_key};

use super::{CONFLICT, DUPLICATE, Issue, Layer, free_trigger};
use crate::entry_key;
use crate::relations::title_key;

/// What is known of the entries that are there: titles, triggers and code.
#[derive(Clone, Debug, Default)]
pub struct KnownEntries {
    titles: HashMap<String, String>,
    triggers: HashMap<String, String>,
    code: HashMap<String, String>,
}

impl KnownEntries {
    /// What is known of these entries. Retired ones hold no name.
    #[must_use]
    pub fn new<'a>(recipes: impl IntoIterator<Item = &'a Recipe>) -> Self {
        let mut known = Self::default();
        for recipe in recipes {
            if recipe.lifecycle != asd_recipe::Lifecycle::Deprecated {
                known.add(recipe);
            }
        }
        known
    }

    /// Adds an entry; names that are taken stay with who has them.
    pub fn add(&mut self, recipe: &Recipe) {
        let who = || {
            let key = entry_key(recipe);
            if key.is_empty() {
                recipe.title.clone()
            } else {
                key.to_owned()
            }
        };
        let title = title_key(&recipe.title);
        if !title.is_empty() {
            self.titles.entry(title).or_insert_with(who);
        }
        let trigger = trigger_key(&recipe.trigger);
        if !trigger.is_empty() {
            self.triggers.entry(trigger).or_insert_with(who);
        }
        if let Some(code) = code_fingerprint(recipe) {
            self.code.entry(code).or_insert_with(who);
        }
    }

    /// Whether a trigger is taken; given in the form of [`trigger_key`].
    #[must_use]
    pub fn has_trigger(&self, key: &str) -> bool {
        self.triggers.contains_key(key)
    }

    /// What an entry shares with those that are known, other than itself.
    #[must_use]
    pub fn conflicts(&self, recipe: &Recipe) -> Vec<Issue> {
        let me = recipe.id.as_deref();
        let other = |found: Option<&String>| found.filter(|id| Some(id.as_str()) != me).cloned();
        let mut issues = Vec::new();
        let mut report = |code, field, message| {
            issues.push(Issue {
                layer: Layer::L3,
                severity: Severity::Error,
                code,
                field,
                message,
            });
        };
        if let Some(id) = other(self.titles.get(&title_key(&recipe.title))) {
            report(
                CONFLICT,
                "title",
                format!(
                    "The title \"{}\" belongs to {id} already. Say what differs, or change that entry.",
                    recipe.title.trim()
                ),
            );
        }
        if let Some(id) = other(self.triggers.get(&trigger_key(&recipe.trigger))) {
            let free = free_trigger(&recipe.trigger, |key| self.has_trigger(key));
            report(
                CONFLICT,
                "trigger",
                format!(
                    "The trigger `{}` belongs to {id} already; `{free}` is free.",
                    recipe.trigger
                ),
            );
        }
        let code = code_fingerprint(recipe).and_then(|code| other(self.code.get(&code)));
        if let Some(id) = code {
            report(
                DUPLICATE,
                "coreCode",
                format!("The entry {id} has the same code already."),
            );
        }
        issues
    }
}

/// The shortest code that is compared, in characters.
const MIN_CODE: usize = 30;
/// How much of it is compared.
const COMPARED: usize = 200;
/// The least that has to be left of it.
const MIN_LEFT: usize = 20;

/// What code is compared by: the pattern (else the core code) without comments
/// and white space, in lower case, its first 200 characters. `None` when there
/// is too little to compare.
#[must_use]
pub fn code_fingerprint(recipe: &Recipe) -> Option<String> {
    let core = recipe.core_code.as_ref();
    let (code, language) = if recipe.content.pattern.trim().is_empty() {
        let core = core?;
        let language = if core.language.is_empty() {
            &recipe.language
        } else {
            &core.language
        };
        (core.text.as_str(), language)
    } else {
        (unfenced(&recipe.content.pattern), &recipe.language)
    };
    if code.trim().chars().count() < MIN_CODE {
        return None;
    }
    let bare: String = without_comments(code, language)
        .chars()
        .filter(|c| !c.is_whitespace())
        .flat_map(char::to_lowercase)
        .take(COMPARED)
        .collect();
    (bare.chars().count() >= MIN_LEFT).then_some(bare)
}

/// The code in the first fence of a text; the text itself when it has none.
pub(crate) fn unfenced(text: &str) -> &str {
    let trimmed = text.trim();
    let Some(rest) = trimmed.strip_prefix("```") else {
        return text;
    };
    let Some(start) = rest.find('\n') else {
        return text;
    };
    let code = &rest[start + 1..];
    code.find("\n```").map_or(code, |end| &code[..end])
}

/// The code with its comments left out, as its language has them.
pub(crate) fn without_comments(code: &str, language: &str) -> String {
    use asd_syntax::{Language, Mask};
    let Some(language) = asd_recipe::canonical_language(language).and_then(Language::from_id)
    else {
        return code.to_owned();
    };
    let mask = Mask::new(language, code);
    let mut kept = String::with_capacity(code.len());
    let mut at = 0;
    for span in &mask.spans {
        if span.kind.is_comment() && span.span.start >= at {
            kept.push_str(&code[at..span.span.start]);
            at = span.span.end;
        }
    }
    kept.push_str(&code[at..]);
    kept
}
