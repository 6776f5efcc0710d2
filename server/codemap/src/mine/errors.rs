//! Which errors are thrown, and what they derive from.

use std::collections::{BTreeMap, BTreeSet};

use asd_recipe::MatchIn;
use asd_syntax::Language;
use serde_json::json;

use super::corpus::{Corpus, Part};
use super::draft::{Cut, Draft, Spot, escape, key, regex_guard, rule_guard};
use super::names::{last_segment, spoken};
use crate::facts::SymbolKind;

pub(super) fn mine(corpus: &Corpus) -> Vec<Draft> {
    let mut drafts = Vec::new();
    for language in corpus.languages(Part::Product) {
        let own = own_types(corpus, language);
        drafts.extend(plain_errors(corpus, language, &own));
        drafts.extend(one_family(corpus, language, &own));
        drafts.extend(by_folder(corpus, language, &own));
    }
    drafts
}

/// The supertypes of each type of the project, by name.
type Types = BTreeMap<String, Vec<String>>;

fn own_types(corpus: &Corpus, language: Language) -> Types {
    let mut types = Types::new();
    for (_, _, declaration) in corpus.declarations(language) {
        if matches!(
            declaration.kind,
            SymbolKind::Class | SymbolKind::Struct | SymbolKind::Enum
        ) {
            types.entry(declaration.name.clone()).or_default().extend(
                declaration
                    .supertypes
                    .iter()
                    .map(|base| last_segment(base).to_owned()),
            );
        }
    }
    types
}

/// A language's error without a meaning of its own, and how it is thrown.
const fn plain(language: Language) -> Option<(&'static str, &'static str)> {
    match language {
        Language::JavaScript | Language::TypeScript => {
            Some(("Error", r"\bthrow\s+(?:new\s+)?Error\("))
        }
        Language::Java => Some(("RuntimeException", r"\bthrow\s+new\s+RuntimeException\(")),
        Language::Kotlin => Some(("RuntimeException", r"\bthrow\s+RuntimeException\(")),
        Language::Dart => Some(("Exception", r"\bthrow\s+Exception\(")),
        _ => None,
    }
}

fn plain_errors(corpus: &Corpus, language: Language, own: &Types) -> Option<Draft> {
    let (error, pattern) = plain(language)?;
    let (mut kept, mut broken) = (Vec::new(), Vec::new());
    let mut others = 0;
    for (at, file) in corpus
        .product()
        .filter(|(_, file)| file.language() == language)
    {
        for thrown in &file.facts().throws {
            let name = last_segment(&thrown.error);
            if !own.contains_key(name) && name.starts_with(char::is_uppercase) {
                others += 1;
            }
            if name == error {
                broken.push(Spot::line(at, thrown.line));
            } else if own.contains_key(name) {
                kept.push(Spot::line(at, thrown.line));
            }
        }
    }
    // Where most errors are those of the platform, the own ones are no rule.
    if others > kept.len() {
        return None;
    }
    Some(Draft {
        miner: "error",
        dimension: "error-resilience",
        language,
        key: key(&[language.id(), "no-plain", error]),
        title: format!(
            "{} code throws the project's own errors, not a plain `{error}`",
            spoken(language)
        ),
        when: "An error is thrown".to_owned(),
        do_: "Throw one of the project's own error types".to_owned(),
        dont: format!("Throw a plain `{error}`"),
        unit: "throws",
        kept,
        broken,
        min_files: 3,
        guard: Some(regex_guard(
            language,
            pattern.to_owned(),
            MatchIn::Code,
            &format!("Throws a plain `{error}`"),
        )),
        by_file: false,
        cut: Cut::Statement,
    })
}

/// The types of the project that a type derives from, itself among them.
fn ancestors<'t>(own: &'t Types, name: &'t str) -> BTreeSet<&'t str> {
    let mut found = BTreeSet::new();
    let mut open = vec![name];
    while let Some(name) = open.pop() {
        if let Some((name, bases)) = own.get_key_value(name)
            && found.insert(name.as_str())
        {
            open.extend(bases.iter().map(String::as_str));
        }
    }
    found
}

fn is_error_name(name: &str) -> bool {
    (name.ends_with("Error") || name.ends_with("Exception")) && name.len() > 9
}

fn one_family(corpus: &Corpus, language: Language, own: &Types) -> Option<Draft> {
    let errors: Vec<_> = corpus
        .declarations(language)
        .filter(|(_, _, declaration)| {
            declaration.kind == SymbolKind::Class && is_error_name(&declaration.name)
        })
        .collect();
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for (_, _, declaration) in &errors {
        for base in ancestors(own, &declaration.name) {
            if base != declaration.name {
                *counts.entry(base).or_default() += 1;
            }
        }
    }
    let (root, _) = counts
        .into_iter()
        .max_by_key(|(name, count)| (*count, *name))?;
    let (mut kept, mut broken, mut family) = (Vec::new(), Vec::new(), BTreeSet::new());
    for (at, _, declaration) in &errors {
        if declaration.name == root {
            family.insert(root);
            continue;
        }
        let spot = Spot::line(*at, declaration.line);
        if ancestors(own, &declaration.name).contains(root) {
            kept.push(spot);
            family.extend(
                declaration
                    .supertypes
                    .iter()
                    .map(|base| last_segment(base))
                    .filter(|base| own.contains_key(*base)),
            );
        } else {
            broken.push(spot);
        }
    }
    let names = family
        .iter()
        .map(|name| escape(name))
        .collect::<Vec<_>>()
        .join("|");
    let guard = (language == Language::Python).then(|| {
        rule_guard(
            language,
            json!({
                "regex": r"^\w{3,}(Error|Exception)$",
                "not": {"regex": format!("^{}$", escape(root))},
                "inside": {
                    "kind": "class_definition", "field": "name",
                    "not": {"has": {"field": "superclasses", "regex": format!(r"\b(?:{names})\b")}},
                },
            }),
            &format!("An error that does not derive from `{root}`"),
        )
    });
    Some(Draft {
        miner: "error",
        dimension: "error-resilience",
        language,
        key: key(&[language.id(), "errors-derive-from", root]),
        title: format!("Errors of the project derive from `{root}`"),
        when: format!("A new {} error type is needed", spoken(language)),
        do_: format!("Derive it from `{root}` or one of its subclasses"),
        dont: "Derive it from an error of the language".to_owned(),
        unit: "error classes",
        kept,
        broken,
        min_files: 3,
        guard,
        by_file: false,
        cut: Cut::Statement,
    })
}

fn by_folder(corpus: &Corpus, language: Language, own: &Types) -> Vec<Draft> {
    let (mark, throw) = match language {
        Language::Python => ("raise", r"\braise\s+(?:\w+\.)*[A-Z]\w*"),
        Language::JavaScript | Language::TypeScript | Language::Java => {
            ("throw", r"\bthrow\s+new\s+(?:\w+\.)*[A-Z]\w*")
        }
        _ => return Vec::new(),
    };
    let mut folders: BTreeMap<&str, Vec<(Spot, &str)>> = BTreeMap::new();
    for (at, file) in corpus
        .product()
        .filter(|(_, file)| file.language() == language)
    {
        for thrown in &file.facts().throws {
            let name = last_segment(&thrown.error);
            // A small letter is a variable: an error that is passed on.
            if name.starts_with(char::is_uppercase)
                && !matches!(
                    name,
                    "NotImplementedError" | "UnsupportedOperationException"
                )
            {
                folders
                    .entry(crate::path::folder(&file.path))
                    .or_default()
                    .push((Spot::line(at, thrown.line), name));
            }
        }
    }
    let mut drafts = Vec::new();
    for (folder, throws) in folders {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for (_, name) in &throws {
            *counts.entry(name).or_default() += 1;
        }
        let Some((error, _)) = counts
            .into_iter()
            .max_by_key(|(name, count)| (*count, *name))
        else {
            continue;
        };
        if folder.is_empty() || !own.contains_key(error) {
            continue;
        }
        let (kept, broken): (Vec<_>, Vec<_>) = throws.iter().partition(|(_, name)| *name == error);
        let mut guard = regex_guard(
            language,
            throw.to_owned(),
            MatchIn::Code,
            &format!("Another error than `{error}` in `{folder}`"),
        );
        guard.exclude_line.push(format!(r"\b{}\b", escape(error)));
        guard
            .exclude_line
            .push(r"\b(?:NotImplementedError|UnsupportedOperationException)\b".to_owned());
        guard.include_paths.push(format!("{folder}/*"));
        drafts.push(Draft {
            miner: "error",
            dimension: "error-resilience",
            language,
            key: key(&[folder, "throws", error]),
            title: format!("`{folder}` signals what is wrong by `{error}`"),
            when: format!("Code in `{folder}` has to {mark} an error"),
            do_: format!("Use `{error}`"),
            dont: "Use another error type".to_owned(),
            unit: "throws",
            kept: kept.into_iter().map(|(spot, _)| spot).collect(),
            broken: broken.into_iter().map(|(spot, _)| spot).collect(),
            min_files: 3,
            guard: Some(guard),
            by_file: false,
            cut: Cut::Statement,
        });
    }
    drafts
}
