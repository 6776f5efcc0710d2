//! How what is opened gets closed.

use asd_recipe::MatchIn;
use asd_syntax::Language;
use serde_json::json;

use super::corpus::{Corpus, MinedFile, Part};
use super::draft::{Cut, Draft, Spot, key, regex_guard, rule_guard};

pub(super) fn mine(corpus: &Corpus) -> Vec<Draft> {
    corpus
        .languages(Part::Product)
        .into_iter()
        .flat_map(|language| match language {
            Language::Go => vec![go_locks(corpus)],
            Language::Python => vec![python_open(corpus)],
            Language::Swift => vec![weak_self(corpus)],
            _ => Vec::new(),
        })
        .collect()
}

/// A lock, and on the next line the deferred unlock of the same.
fn go_locks(corpus: &Corpus) -> Draft {
    let (mut kept, mut broken) = (Vec::new(), Vec::new());
    for (at, file) in corpus
        .product()
        .filter(|(_, file)| file.language() == Language::Go)
    {
        for number in 1..=file.line_count() {
            let line = file.line(number).trim();
            let Some(mutex) = line
                .strip_suffix(".Lock()")
                .or_else(|| line.strip_suffix(".RLock()"))
            else {
                continue;
            };
            if mutex.is_empty()
                || !mutex
                    .chars()
                    .all(|c| c.is_alphanumeric() || matches!(c, '_' | '.'))
            {
                continue;
            }
            let next = file.line(number + 1).trim();
            if next.starts_with("defer ")
                && next.contains(&format!("{mutex}."))
                && next.contains("Unlock")
            {
                kept.push(Spot::lines(at, number, number + 1));
            } else {
                broken.push(Spot::line(at, number));
            }
        }
    }
    Draft {
        miner: "resource",
        dimension: "concurrency-async",
        language: Language::Go,
        key: key(&["go", "defer-unlock"]),
        title: "A mutex is unlocked by `defer` on the line after `Lock`".to_owned(),
        when: "A mutex is locked".to_owned(),
        do_: "Write `defer mu.Unlock()` on the next line".to_owned(),
        dont: "Unlock by hand at the end".to_owned(),
        unit: "locks",
        kept,
        broken,
        min_files: 3,
        guard: Some(rule_guard(
            Language::Go,
            json!({
                "kind": "expression_statement",
                "regex": r"^[\w.]+\.R?Lock\(\)$",
                "not": {"precedes": {"kind": "defer_statement", "regex": "Unlock"}},
            }),
            "A lock without a deferred unlock on the next line",
        )),
        by_file: false,
        cut: Cut::Whole,
    }
}

/// Files are opened in a `with`.
fn python_open(corpus: &Corpus) -> Draft {
    let (mut kept, mut broken) = (Vec::new(), Vec::new());
    for (at, file) in corpus
        .product()
        .filter(|(_, file)| file.language() == Language::Python)
    {
        for site in &file.facts().calls {
            if file.call_path(site).as_deref() != Some("open") {
                continue;
            }
            let spot = Spot::line(at, site.line);
            if is_in_with(file, site.line) {
                kept.push(spot)
            } else {
                broken.push(spot)
            }
        }
    }
    let guard = rule_guard(
        Language::Python,
        json!({
            "kind": "call",
            "has": {"field": "function", "kind": "identifier", "regex": "^open$"},
            "not": {"any": [
                {"inside": {"kind": "with_item", "stopBy": "end"}},
                {"inside": {"kind": "call", "regex": r"^[\w.]*enter_context\(", "stopBy": "end"}},
            ]},
        }),
        "A file that is opened outside of a `with`",
    );
    Draft {
        miner: "resource",
        dimension: "error-resilience",
        language: Language::Python,
        key: key(&["python", "open-in-with"]),
        title: "Files are opened in a `with` statement".to_owned(),
        when: "A file is opened".to_owned(),
        do_: "Write `with open(…) as f:`".to_owned(),
        dont: "Call `open` outside of a `with`".to_owned(),
        unit: "calls of `open`",
        kept,
        broken,
        min_files: 3,
        guard: Some(guard),
        by_file: false,
        cut: Cut::Nothing,
    }
}

/// Whether a line belongs to the head of a `with`, which may have several lines.
fn is_in_with(file: &MinedFile, line: u32) -> bool {
    let here = file.line(line).trim();
    let begins = |text: &str| text.starts_with("with ") || text.starts_with("async with ");
    let above = || {
        (line.saturating_sub(6).max(1)..line)
            .rev()
            .take_while(|&above| !file.line(above).trim_end().ends_with(':'))
            .any(|above| begins(file.line(above).trim()))
    };
    begins(here) || here.contains("enter_context(") || above()
}

/// Closures that use `self` take it weakly.
fn weak_self(corpus: &Corpus) -> Draft {
    let (mut kept, mut broken) = (Vec::new(), Vec::new());
    for (at, file) in corpus
        .product()
        .filter(|(_, file)| file.language() == Language::Swift)
    {
        for number in 1..=file.line_count() {
            let line = file.line(number);
            if line.contains("[weak self]") || line.contains("[weak self,") {
                kept.push(Spot::line(at, number));
            } else if line.contains("[unowned self]") || line.contains("[unowned self,") {
                broken.push(Spot::line(at, number));
            }
        }
    }
    Draft {
        miner: "resource",
        dimension: "swift-objc-idiom",
        language: Language::Swift,
        key: key(&["swift", "weak-self"]),
        title: "Closures capture `self` weakly, never `unowned`".to_owned(),
        when: "A closure that is kept uses `self`".to_owned(),
        do_: "Capture it with `[weak self]`".to_owned(),
        dont: "Capture it with `[unowned self]`".to_owned(),
        unit: "captures of `self`",
        kept,
        broken,
        min_files: 3,
        guard: Some(regex_guard(
            Language::Swift,
            r"\[unowned self\b".to_owned(),
            MatchIn::Code,
            "Captures `self` unowned",
        )),
        by_file: false,
        cut: Cut::Nothing,
    }
}
