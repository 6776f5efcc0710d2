//! Guards are tried on the project: one that does not find exactly the places
//! that were counted against its convention is left out.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use asd_guard::{GuardOptions, RuleSet, SourceFilter, Target};
use asd_recipe::{Guard, Lifecycle, Recipe, Severity};
use asd_syntax::Language;
use rayon::prelude::*;

use super::candidate::GuardState;
use super::corpus::{Corpus, MinedFile, Part, is_aside};
use super::draft::{Draft, Spot};

/// What became of each draft's guard.
pub(super) fn verify(corpus: &Corpus, drafts: &[Draft], cancel: &AtomicBool) -> Vec<GuardState> {
    let recipes: Vec<(Arc<str>, Arc<Recipe>)> = drafts
        .iter()
        .enumerate()
        .filter_map(|(index, draft)| {
            let mut guard = draft.guard.clone()?;
            guard.id = rule_id(index);
            let mut recipe = Recipe {
                trigger: format!("@{}", rule_id(index)),
                title: draft.title.clone(),
                language: draft.language.id().to_owned(),
                lifecycle: Lifecycle::Active,
                ..Recipe::default()
            };
            recipe.constraints.guards.push(guard);
            Some((Arc::from(format!("{index:06}.md")), Arc::new(recipe)))
        })
        .collect();
    let options = GuardOptions {
        sources: SourceFilter::Recipe,
        ..GuardOptions::default()
    };
    let (rules, problems) = RuleSet::build(&recipes, &options, None);
    let mut broken: BTreeMap<String, String> = BTreeMap::new();
    for problem in problems {
        if problem.problem.severity == Severity::Error {
            broken.insert(problem.rule_id.clone(), problem.problem.message.clone());
        }
    }
    let found: Vec<BTreeMap<String, Vec<u32>>> = corpus
        .files
        .par_iter()
        .map(|file| findings(&rules, file, cancel))
        .collect();
    drafts
        .iter()
        .enumerate()
        .map(|(index, draft)| {
            let Some(guard) = &draft.guard else {
                return GuardState::Without;
            };
            let id = rule_id(index);
            match broken.get(&id) {
                Some(message) => {
                    GuardState::Dropped(format!("the guard does not compile: {message}"))
                }
                None => judged(corpus, draft, guard, &id, &found),
            }
        })
        .collect()
}

fn rule_id(index: usize) -> String {
    format!("mined-{index}")
}

fn findings(rules: &RuleSet, file: &MinedFile, cancel: &AtomicBool) -> BTreeMap<String, Vec<u32>> {
    let language = Language::of_file(Path::new(&file.path), &file.text).unwrap_or(file.language());
    let target = Target {
        path: Some(&file.path),
        text: &file.text,
        language,
        previous: None,
    };
    let mut lines: BTreeMap<String, Vec<u32>> = BTreeMap::new();
    if let Ok(report) = rules.check(&target, cancel) {
        for finding in report.findings {
            lines
                .entry(finding.rule.id.clone())
                .or_default()
                .push(file.line_of(finding.span.start));
        }
    }
    lines
}

/// Compares what a guard finds with what was counted. What it finds in files
/// that were not counted is put out of its reach.
fn judged(
    corpus: &Corpus,
    draft: &Draft,
    guard: &Guard,
    id: &str,
    found: &[BTreeMap<String, Vec<u32>>],
) -> GuardState {
    let counted: BTreeSet<Part> = draft
        .kept
        .iter()
        .chain(&draft.broken)
        .map(|spot| corpus.files[spot.file].part)
        .collect();
    let mut open: Vec<(Spot, bool)> = draft.broken.iter().map(|&spot| (spot, false)).collect();
    let mut excluded = BTreeSet::new();
    for (at, lines) in found.iter().enumerate() {
        let file = &corpus.files[at];
        for &line in lines.get(id).into_iter().flatten() {
            if !counted.contains(&file.part) {
                excluded.insert(glob_around(corpus, file, &counted));
                continue;
            }
            let mut known = false;
            for (spot, seen) in &mut open {
                if spot.file == at && (draft.by_file || (spot.first..=spot.last).contains(&line)) {
                    *seen = true;
                    known = true;
                }
            }
            if !known {
                return GuardState::Dropped(format!(
                    "a guard would also find {}:{line}",
                    file.path
                ));
            }
        }
    }
    if let Some((spot, _)) = open.iter().find(|(_, seen)| !seen) {
        return GuardState::Dropped(format!(
            "a guard would not find {}:{}",
            corpus.files[spot.file].path, spot.first
        ));
    }
    let mut guard = guard.clone();
    guard.exclude_paths.extend(excluded);
    GuardState::Exact(Box::new(guard))
}

/// A glob that takes in a file that was not counted, and none that was: the
/// folder that sets it aside, else the file.
fn glob_around(corpus: &Corpus, file: &MinedFile, counted: &BTreeSet<Part>) -> String {
    let folders = file
        .path
        .rsplit_once('/')
        .map_or("", |(folders, _)| folders);
    for folder in folders.split('/').filter(|folder| !folder.is_empty()) {
        let telling = is_aside(folder)
            || asd_syntax::is_test_path(&format!("{folder}/x"))
            || folder.to_lowercase().contains("test");
        let hides_counted = || {
            corpus.files.iter().any(|other| {
                counted.contains(&other.part)
                    && other
                        .path
                        .split('/')
                        .rev()
                        .skip(1)
                        .any(|part| part == folder)
            })
        };
        if telling && !hides_counted() {
            return format!("**/{folder}/**");
        }
    }
    let name = crate::path::name(&file.path);
    for shape in [
        "*_test.go",
        "test_*.py",
        "*_test.py",
        "*Test.java",
        "*.test.ts",
        "*.spec.ts",
        "*.test.js",
    ] {
        let (start, end) = shape.split_once('*').unwrap_or((shape, ""));
        if name.starts_with(start) && name.ends_with(end) {
            return format!("**/{shape}");
        }
    }
    file.path.clone()
}
