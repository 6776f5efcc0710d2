//! A convention before it is judged.

use std::collections::BTreeSet;

use asd_recipe::{AstGuard, FixTemplate, Guard, GuardKind, GuardSpans, MatchIn, Severity};
use asd_syntax::Language;
use serde_json::Value as Json;

use super::evidence::is_enough;

/// A place in a file of the corpus, by lines from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Spot {
    pub file: usize,
    pub first: u32,
    pub last: u32,
}

impl Spot {
    pub const fn line(file: usize, line: u32) -> Self {
        Self {
            file,
            first: line,
            last: line,
        }
    }

    pub const fn lines(file: usize, first: u32, last: u32) -> Self {
        Self { file, first, last }
    }
}

/// How the examples of a convention are cut from the code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cut {
    /// The whole of what the place covers, when it is short.
    Whole,
    /// The statement that begins on the line.
    Statement,
    /// The first lines of the file.
    Head,
    /// Nothing can be shown: it is about the file, not about its text.
    Nothing,
}

/// A convention with its places.
#[derive(Clone, Debug)]
pub(super) struct Draft {
    /// Who found it.
    pub miner: &'static str,
    pub dimension: &'static str,
    pub language: Language,
    /// The same for the same convention at every run; becomes the trigger.
    pub key: String,
    pub title: String,
    pub when: String,
    pub do_: String,
    pub dont: String,
    /// What was counted: `calls`, `classes`, `files`.
    pub unit: &'static str,
    pub kept: Vec<Spot>,
    pub broken: Vec<Spot>,
    /// In how many files it must be seen.
    pub min_files: usize,
    pub guard: Option<Guard>,
    /// Whether files are counted, so that a guard may find several places in one
    /// of them.
    pub by_file: bool,
    pub cut: Cut,
}

impl Draft {
    /// Whether the counts say enough. No file alone makes a convention.
    pub fn holds(&self, min_support: usize) -> bool {
        let files: BTreeSet<usize> = self.kept.iter().map(|spot| spot.file).collect();
        files.len() >= self.min_files && is_enough(self.kept.len(), self.broken.len(), min_support)
    }
}

/// A guard on a regular expression in one language.
pub(super) fn regex_guard(
    language: Language,
    pattern: String,
    match_in: MatchIn,
    message: &str,
) -> Guard {
    guard(
        language,
        GuardKind::Regex {
            pattern,
            flags: String::new(),
            match_in,
            multiline: false,
        },
        message,
    )
}

/// A guard on a rule over the syntax tree.
pub(super) fn rule_guard(language: Language, rule: Json, message: &str) -> Guard {
    guard(
        language,
        GuardKind::Ast(AstGuard::Rule {
            rule,
            constraints: None,
            utils: None,
        }),
        message,
    )
}

fn guard(language: Language, kind: GuardKind, message: &str) -> Guard {
    Guard {
        id: String::new(),
        kind,
        message: message.to_owned(),
        severity: Severity::Warning,
        fix_suggestion: String::new(),
        fix: None,
        languages: vec![language.id().to_owned()],
        include_paths: Vec::new(),
        exclude_paths: Vec::new(),
        exclude_line: Vec::new(),
        positive_examples: Vec::new(),
        negative_examples: Vec::new(),
        extra: indexmap::IndexMap::new(),
        spans: GuardSpans::default(),
    }
}

/// A fix that wants a look before it is applied.
pub(super) fn replacing(template: String) -> Option<FixTemplate> {
    Some(FixTemplate {
        template,
        safe: false,
        ..FixTemplate::default()
    })
}

/// A text as a regular expression that matches it alone.
pub(super) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        if c.is_ascii_punctuation()
            && !matches!(
                c,
                '_' | '"' | '\'' | '/' | ',' | ';' | ':' | '<' | '>' | '=' | '!' | '@' | '%' | '`'
            )
        {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

/// Words of a key, joined as a trigger is.
pub(super) fn key(parts: &[&str]) -> String {
    let joined = parts.join(" ");
    asd_recipe::normalise_trigger(&joined).unwrap_or_else(|| "@convention".to_owned())
}
