//! Types that are made by a function of their own instead of as they stand.

use std::collections::{BTreeMap, BTreeSet};

use asd_recipe::MatchIn;
use asd_syntax::Language;

use super::corpus::{Corpus, Part};
use super::draft::{Cut, Draft, Spot, escape, key, regex_guard};
use crate::facts::{CallKind, SymbolKind};
use crate::map::KNOWN_CALL;

pub(super) fn mine(corpus: &Corpus) -> Vec<Draft> {
    if !corpus.languages(Part::Product).contains(&Language::Go) {
        return Vec::new();
    }
    // `NewClient` of a package makes a `Client` of it.
    let mut types: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (_, file, declaration) in corpus.declarations(Language::Go) {
        if declaration.kind == SymbolKind::Struct {
            types
                .entry(&declaration.name)
                .or_default()
                .insert(crate::path::folder(&file.path));
        }
    }
    let mut drafts = Vec::new();
    for symbol in corpus.map.symbols() {
        let declaration = corpus.map.declaration(symbol);
        let home = corpus.map.file_of(symbol).0 as usize;
        let file = &corpus.files[home];
        if file.part != Part::Product
            || file.language() != Language::Go
            || declaration.kind != SymbolKind::Function
        {
            continue;
        }
        let Some(made) = declaration
            .name
            .strip_prefix("New")
            .or_else(|| declaration.name.strip_prefix("new"))
        else {
            continue;
        };
        let folder = crate::path::folder(&file.path);
        let Some((name, _)) = types
            .iter()
            .find(|(name, folders)| name.eq_ignore_ascii_case(made) && folders.contains(folder))
        else {
            continue;
        };
        let kept: BTreeSet<Spot> = corpus
            .map
            .calls_to(symbol)
            .filter(|edge| {
                edge.confidence >= KNOWN_CALL
                    && corpus.files[edge.file.0 as usize].part == Part::Product
            })
            .map(|edge| Spot::line(edge.file.0 as usize, edge.line))
            .collect();
        let mut broken = BTreeSet::new();
        for (at, other) in corpus
            .product()
            .filter(|(at, other)| *at != home && other.language() == Language::Go)
        {
            let near = crate::path::folder(&other.path) == folder;
            for site in &other.facts().calls {
                if site.kind == CallKind::Construct && site.name == *name && near {
                    broken.insert(Spot::line(at, site.line));
                }
            }
        }
        let mut guard = regex_guard(
            Language::Go,
            format!(r"(?:^|[^\w.\]*]){}\{{", escape(name)),
            MatchIn::Code,
            &format!("Makes a `{name}` without `{}`", declaration.name),
        );
        guard.include_paths.push(format!("{folder}/*.go"));
        guard.exclude_paths.push(file.path.clone());
        drafts.push(Draft {
            miner: "constructor",
            dimension: "design-patterns",
            language: Language::Go,
            key: key(&["made-by", &declaration.name]),
            title: format!("`{name}` is made by `{}`", declaration.name),
            when: format!("A `{name}` is needed"),
            do_: format!("Call `{}`", declaration.name),
            dont: format!("Write a `{name}` literal"),
            unit: "places",
            kept: kept.into_iter().collect(),
            broken: broken.into_iter().collect(),
            min_files: 3,
            guard: Some(guard),
            by_file: false,
            cut: Cut::Statement,
        });
    }
    drafts
}
