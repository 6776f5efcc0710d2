//! Annotations, decorators and derives that go together.

use std::collections::{BTreeMap, BTreeSet};

use asd_recipe::MatchIn;
use asd_syntax::Language;

use super::corpus::{Corpus, Part};
use super::draft::{Cut, Draft, Spot, key, regex_guard};
use crate::facts::{Declaration, SymbolKind};

/// A declaration, its file, and what is written above it.
type Marked<'c> = (usize, &'c Declaration, BTreeSet<String>);

/// Derives that the language asks for together.
const DEMANDED: &[(&str, &str)] = &[
    ("derive Copy", "derive Clone"),
    ("derive Eq", "derive PartialEq"),
    ("derive PartialOrd", "derive PartialEq"),
    ("derive Ord", "derive PartialOrd"),
    ("derive Ord", "derive PartialEq"),
    ("derive Ord", "derive Eq"),
    ("derive Hash", "derive PartialEq"),
    ("derive Hash", "derive Eq"),
    ("derive PartialEq", "derive Eq"),
];

pub(super) fn mine(corpus: &Corpus) -> Vec<Draft> {
    let mut drafts = Vec::new();
    for language in corpus.languages(Part::Product) {
        drafts.extend(together(corpus, language));
        if language == Language::Rust {
            drafts.push(debug(corpus));
        }
    }
    drafts
}

/// The names of what is written above a declaration.
fn marks(declaration: &Declaration) -> BTreeSet<String> {
    let mut marks = BTreeSet::new();
    for annotation in &declaration.annotations {
        let (name, rest) = annotation.split_once('(').unwrap_or((annotation, ""));
        let name = name.trim();
        if name == "derive" {
            for part in rest.trim_end_matches(')').split(',') {
                let part = part.trim().rsplit("::").next().unwrap_or_default();
                if !part.is_empty() {
                    marks.insert(format!("derive {part}"));
                }
            }
        } else if !matches!(
            name,
            "doc"
                | "cfg"
                | "cfg_attr"
                | "allow"
                | "expect"
                | "Override"
                | "SuppressWarnings"
                | "override"
                | "property"
                | "staticmethod"
                | "classmethod"
        ) {
            marks.insert(name.to_owned());
        }
    }
    marks
}

fn together(corpus: &Corpus, language: Language) -> Vec<Draft> {
    let implemented = implementations(corpus);
    let mut of: BTreeMap<String, Vec<Marked<'_>>> = BTreeMap::new();
    for (at, _, declaration) in corpus.declarations(language) {
        let mut marks = marks(declaration);
        let written: Vec<String> = marks.iter().cloned().collect();
        // A trait that is implemented by hand counts as derived.
        if let Some(traits) = implemented
            .get(&(at, declaration.name.as_str()))
            .filter(|_| language == Language::Rust)
        {
            marks.extend(traits.iter().map(|name| format!("derive {name}")));
        }
        for mark in written {
            of.entry(mark)
                .or_default()
                .push((at, declaration, marks.clone()));
        }
    }
    // What most declarations have anyway goes with everything.
    let all = corpus
        .declarations(language)
        .filter(|(_, _, declaration)| !marks(declaration).is_empty())
        .count();
    let mut drafts = Vec::new();
    for (mark, places) in &of {
        let others: BTreeSet<&String> = places.iter().flat_map(|(_, _, marks)| marks).collect();
        for other in others {
            let demanded = DEMANDED.iter().any(|(a, b)| a == mark && b == other);
            let sorts_differ = mark.starts_with("derive ") != other.starts_with("derive ");
            let common = of.get(other).map_or(0, Vec::len) * 2 > all;
            if other == mark || demanded || sorts_differ || common || other == "derive Debug" {
                continue;
            }
            let (kept, broken): (Vec<_>, Vec<_>) = places
                .iter()
                .partition(|(_, _, marks)| marks.contains(other));
            let spots = |list: Vec<&Marked<'_>>| -> Vec<Spot> {
                list.into_iter()
                    .map(|(at, declaration, _)| {
                        Spot::lines(
                            *at,
                            declaration.line.saturating_sub(2).max(1),
                            declaration.line,
                        )
                    })
                    .collect()
            };
            let (a, b) = (shown(mark), shown(other));
            let guard = match (mark.strip_prefix("derive "), other.strip_prefix("derive ")) {
                (Some(a), Some(b)) => {
                    let mut guard = regex_guard(
                        language,
                        format!(r"#\[derive\([^)]*\b{a}\b[^)]*\)\]"),
                        MatchIn::Code,
                        &format!("Derives `{a}` without `{b}`"),
                    );
                    guard.exclude_line.push(format!(r"\b{b}\b"));
                    Some(guard)
                }
                _ => None,
            };
            drafts.push(Draft {
                miner: "annotations",
                dimension: "coding-standards",
                language,
                key: key(&[language.id(), mark, "with", other]),
                title: format!("What has {a} has {b} too"),
                when: format!("{a} is put on a declaration"),
                do_: format!("Put {b} on it too"),
                dont: format!("Use {a} alone"),
                unit: "declarations",
                kept: spots(kept),
                broken: spots(broken),
                min_files: 3,
                guard,
                by_file: false,
                cut: Cut::Whole,
            });
        }
    }
    drafts
}

fn shown(mark: &str) -> String {
    match mark.strip_prefix("derive ") {
        Some(name) => format!("`derive({name})`"),
        None => format!("`{mark}`"),
    }
}

/// The traits that are implemented by hand for a type, by file and type.
fn implementations(corpus: &Corpus) -> BTreeMap<(usize, &str), BTreeSet<&str>> {
    let mut all: BTreeMap<(usize, &str), BTreeSet<&str>> = BTreeMap::new();
    for (at, _, declaration) in corpus.declarations(Language::Rust) {
        if declaration.kind == SymbolKind::Extension {
            let name = declaration
                .name
                .split('<')
                .next()
                .unwrap_or(&declaration.name);
            for base in &declaration.supertypes {
                all.entry((at, name))
                    .or_default()
                    .insert(super::names::last_segment(base));
            }
        }
    }
    all
}

/// Public types that can be printed while debugging.
fn debug(corpus: &Corpus) -> Draft {
    let implemented = implementations(corpus);
    let by_name: BTreeSet<&str> = implemented
        .iter()
        .filter(|(_, traits)| traits.contains("Debug"))
        .map(|((_, name), _)| *name)
        .collect();
    let (mut kept, mut broken) = (Vec::new(), Vec::new());
    for (at, _, declaration) in corpus.declarations(Language::Rust) {
        let is_public_type = matches!(declaration.kind, SymbolKind::Struct | SymbolKind::Enum)
            && declaration.modifiers.iter().any(|word| word == "pub")
            && declaration.parent.is_none();
        if !is_public_type {
            continue;
        }
        let spot = Spot::lines(
            at,
            declaration.line.saturating_sub(2).max(1),
            declaration.line,
        );
        if marks(declaration).contains("derive Debug")
            || by_name.contains(declaration.name.as_str())
        {
            kept.push(spot);
        } else {
            broken.push(spot);
        }
    }
    Draft {
        miner: "annotations",
        dimension: "coding-standards",
        language: Language::Rust,
        key: key(&["rust-public-types-debug"]),
        title: "Public Rust types implement `Debug`".to_owned(),
        when: "A public struct or enum is added".to_owned(),
        do_: "Derive or implement `Debug` for it".to_owned(),
        dont: "Leave it without `Debug`".to_owned(),
        unit: "public types",
        kept,
        broken,
        min_files: 3,
        guard: None,
        by_file: false,
        cut: Cut::Whole,
    }
}
