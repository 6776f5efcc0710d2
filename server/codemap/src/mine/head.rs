//! What files begin with: a notice, a directive.

use std::collections::BTreeMap;

use asd_syntax::Language;
use serde_json::json;

use super::corpus::{Corpus, MinedFile, Part};
use super::draft::{Cut, Draft, Spot, escape, key, rule_guard};
use super::names::spoken;

/// How many lines of a file are its head.
const HEAD: u32 = 40;
/// Stands for a year.
const YEAR: char = '\u{1}';

pub(super) fn mine(corpus: &Corpus) -> Vec<Draft> {
    corpus
        .languages(Part::Product)
        .into_iter()
        .flat_map(|language| of_language(corpus, language))
        .collect()
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Sort {
    Directive,
    Notice,
}

fn of_language(corpus: &Corpus, language: Language) -> Vec<Draft> {
    let files: Vec<(usize, &MinedFile)> = corpus
        .product()
        .filter(|(_, file)| file.language() == language && !file.text.trim().is_empty())
        .collect();
    let mut holders: BTreeMap<(Sort, String), BTreeMap<usize, u32>> = BTreeMap::new();
    for &(at, file) in &files {
        let mut first = true;
        // A long docstring may stand above a directive of Python.
        let head = if language == Language::Python {
            file.line_count()
        } else {
            HEAD
        };
        for number in 1..=head.min(file.line_count()) {
            let line = file.line(number);
            if let Some((sort, text)) = telling(line, first) {
                holders
                    .entry((sort, text))
                    .or_default()
                    .entry(at)
                    .or_insert(number);
            }
            first &= line.trim().is_empty();
        }
    }
    let Some(root) = root_kind(language) else {
        return Vec::new();
    };
    // Of a notice, the line that most files have speaks for the others.
    let mut best: BTreeMap<(Sort, String), (String, BTreeMap<usize, u32>)> = BTreeMap::new();
    for ((sort, text), at) in holders {
        if at.len() * 2 < files.len() {
            continue;
        }
        let slot = match sort {
            Sort::Notice => (sort, String::new()),
            Sort::Directive => (sort, text.clone()),
        };
        let better = best
            .get(&slot)
            .is_none_or(|(known, other)| (at.len(), rank(&text)) > (other.len(), rank(known)));
        if better {
            best.insert(slot, (text, at));
        }
    }
    best.into_iter()
        .map(|((sort, _), (text, holders))| {
            let mut kept = Vec::new();
            let mut broken = Vec::new();
            for &(at, file) in &files {
                match holders.get(&at) {
                    Some(&line) => kept.push(Spot::lines(at, 1, line)),
                    None => broken.push(Spot::lines(at, 1, file.line_count().max(1))),
                }
            }
            let shown = text.replace(YEAR, "<year>");
            let pattern = escape(&text).replace(YEAR, r"\d{4}(?:\s*[-,]\s*\d{4})*");
            let (what, name) = match sort {
                Sort::Notice => ("notice", format!("the notice `{}`", clipped(&shown))),
                Sort::Directive => ("directive", format!("`{}`", clipped(&shown))),
            };
            Draft {
                miner: "file-head",
                dimension: "coding-standards",
                language,
                key: key(&[
                    language.id(),
                    "files-begin-with",
                    if sort == Sort::Notice {
                        "notice"
                    } else {
                        &shown
                    },
                ]),
                title: format!("{} files begin with {name}", spoken(language)),
                when: format!("A {} file is added", spoken(language)),
                do_: format!("Put {name} at its top"),
                dont: format!("Leave the {what} out"),
                unit: "files",
                kept,
                broken,
                min_files: 3,
                guard: Some(rule_guard(
                    language,
                    json!({
                        "nthChild": 1,
                        "inside": {"kind": root, "not": {"regex": pattern}},
                    }),
                    &format!("The {what} of the other files is missing"),
                )),
                by_file: true,
                cut: Cut::Head,
            }
        })
        .collect()
}

/// How well a line of a notice names it.
fn rank(text: &str) -> usize {
    let lower = text.to_lowercase();
    usize::from(lower.contains("spdx")) * 4
        + usize::from(lower.contains("copyright")) * 2
        + usize::from(lower.starts_with("licensed"))
}

fn clipped(text: &str) -> String {
    let clean = text.replace('`', "'");
    match clean.char_indices().nth(60) {
        Some((end, _)) => format!("{}…", clean[..end].trim_end()),
        None => clean,
    }
}

/// A line that says something of the file as a whole.
fn telling(line: &str, first: bool) -> Option<(Sort, String)> {
    let text = line.trim();
    if is_directive(text, first) {
        return Some((Sort::Directive, text.to_owned()));
    }
    let comment = ["//", "#", "/*", "*", "--", ";"]
        .iter()
        .any(|mark| text.starts_with(mark));
    let bare = text
        .trim_start_matches(['/', '#', '*', '-', ';', '!', ' '])
        .trim_end_matches(['*', '/', ' ']);
    let says = bare.chars().filter(|c| c.is_alphabetic()).count() >= 12;
    let pragma = text.starts_with("#include")
        || text.starts_with("#import")
        || text.starts_with("#define")
        || text.starts_with("#!");
    let notice = comment && says && !pragma && is_legal(bare);
    notice.then(|| (Sort::Notice, years(bare)))
}

/// Words of notices: other comments at the top are about their own file.
fn is_legal(text: &str) -> bool {
    let text = text.to_lowercase();
    ["copyright", "licen", "spdx", "warranty", "all rights"]
        .iter()
        .any(|word| text.contains(word))
}

fn is_directive(text: &str, first: bool) -> bool {
    let bare = text.trim_end_matches(';');
    (first
        && matches!(
            bare,
            "'use strict'" | "\"use strict\"" | "'use client'" | "\"use client\""
        ))
        || text.starts_with("from __future__ import ")
        || text == "#pragma once"
        || text == "NS_ASSUME_NONNULL_BEGIN"
        || bare == "import 'package:flutter/material.dart'"
}

/// A line with its years taken out.
fn years(line: &str) -> String {
    let mut out = String::new();
    let mut digits = String::new();
    for c in line.chars().chain(['\n']) {
        if c.is_ascii_digit() {
            digits.push(c);
            continue;
        }
        if digits.len() == 4 && (digits.starts_with("19") || digits.starts_with("20")) {
            let again = out.trim_end_matches([' ', '-', ',']).ends_with(YEAR);
            if again {
                out.truncate(out.trim_end_matches([' ', '-', ',']).len());
            } else {
                out.push(YEAR);
            }
        } else {
            out.push_str(&digits);
        }
        digits.clear();
        if c != '\n' {
            out.push(c);
        }
    }
    out
}

/// The kind of the node that is a whole file.
pub(super) const fn root_kind(language: Language) -> Option<&'static str> {
    Some(match language {
        Language::Python => "module",
        Language::JavaScript | Language::TypeScript | Language::Java | Language::Dart => "program",
        Language::Go | Language::Rust | Language::Swift | Language::Kotlin => "source_file",
        Language::C | Language::Cpp | Language::Objc => "translation_unit",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_year_and_a_range_of_years_are_the_same() {
        assert_eq!(years("Copyright 2015 A"), years("Copyright 2013-2021 A"));
        assert_ne!(years("Copyright 2015 A"), years("Copyright 2015 B"));
    }
}
