//! Whether work has left what it was primed for: a file of another module, a
//! search for something else. (mcp.md §6)

use std::collections::BTreeSet;

use crate::task::intent::{Drift, DriftEvent, IntentState};

/// Queries that share less than this with the prime are about something else.
const SHIFT: f64 = 0.3;

/// The words of a text that two queries are compared by: lower-case, split at
/// blanks and `. / \ |`, and by the search tokenizer where a word is Chinese,
/// Japanese or Korean; of two characters at least.
fn words(text: &str) -> BTreeSet<String> {
    let mut words = BTreeSet::new();
    for word in text.split(|c: char| c.is_whitespace() || matches!(c, '.' | '/' | '\\' | '|')) {
        if word.is_ascii() {
            words.insert(word.to_lowercase());
        } else {
            words.extend(asd_search::tokenize(word));
        }
    }
    words.retain(|word| word.chars().count() >= 2);
    words
}

/// The share that two texts have in common, from 0 to 1.
fn overlap(left: &BTreeSet<String>, right: &BTreeSet<String>) -> f64 {
    let larger = left.len().max(right.len());
    if larger == 0 {
        return 0.0;
    }
    #[expect(clippy::cast_precision_loss, reason = "a few words")]
    let share = left.intersection(right).count() as f64 / larger as f64;
    share
}

/// How much of a query the prime had: the larger of the overlaps of the words
/// as they stand and with synonyms added on both sides.
fn prime_overlap(query: &str, prime: &str) -> f64 {
    let plain = overlap(&words(query), &words(prime));
    // A word and its translations are one meaning: a query is on its way when
    // what it says, in whichever language, was in the prime.
    let with = |text: &str| {
        let mut all = words(text);
        for synonym in asd_search::Synonyms::built_in().expand(text) {
            all.extend(words(&synonym));
        }
        all
    };
    let (query_words, prime_words) = (with(query), with(prime));
    let shared = query_words.intersection(&prime_words).count();
    let smaller = words(query).len().max(words(prime).len()).max(1);
    #[expect(clippy::cast_precision_loss, reason = "a few words")]
    let expanded = (shared as f64 / smaller as f64).min(1.0);
    plain.max(expanded)
}

/// A search that is about something else than the prime, told once a query.
pub(crate) fn of_query(
    intent: &IntentState,
    tool: &str,
    query: &str,
    now: i64,
) -> Option<DriftEvent> {
    if intent.prime_query.trim().is_empty() || is_known(intent, Drift::SearchShift, query) {
        return None;
    }
    let overlap = prime_overlap(query, &intent.prime_query);
    (overlap < SHIFT).then(|| DriftEvent {
        kind: Drift::SearchShift,
        timestamp: now,
        tool: tool.to_owned(),
        detail: query.to_owned(),
        prime_overlap: (overlap * 100.0).round() / 100.0,
    })
}

/// A file of a module that the prime was not about, told once a module.
pub(crate) fn of_module(
    intent: &IntentState,
    tool: &str,
    module: &str,
    now: i64,
) -> Option<DriftEvent> {
    let prime = intent.prime_module.as_deref()?;
    let same_way = is_within(module, prime) || is_within(prime, module);
    if same_way || is_known(intent, Drift::NewModule, module) {
        return None;
    }
    let named = intent.named_modules.contains(module);
    Some(DriftEvent {
        kind: Drift::NewModule,
        timestamp: now,
        tool: tool.to_owned(),
        detail: module.to_owned(),
        prime_overlap: if named { 1.0 } else { 0.0 },
    })
}

fn is_known(intent: &IntentState, kind: Drift, detail: &str) -> bool {
    intent
        .drift_events
        .iter()
        .any(|event| event.kind == kind && event.detail == detail)
}

/// Whether a module is another or lies in it.
fn is_within(inner: &str, outer: &str) -> bool {
    inner
        .strip_prefix(outer)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn primed(query: &str, module: Option<&str>) -> IntentState {
        IntentState {
            prime_query: query.to_owned(),
            prime_module: module.map(str::to_owned),
            ..IntentState::default()
        }
    }

    fn shifts(prime: &str, query: &str) -> bool {
        of_query(&primed(prime, None), "asd_search", query, 0).is_some()
    }

    #[test]
    fn a_query_for_something_else_is_a_shift() {
        assert!(shifts("add cache middleware", "database migration"));
        assert!(shifts("加个缓存中间件", "数据库迁移"));
    }

    #[test]
    fn a_query_in_another_language_is_none() {
        assert!(!shifts("cache", "缓存策略"));
        assert!(!shifts("帮我加个缓存中间件", "cache middleware"));
        assert!(!shifts("add cache middleware", "cache middleware eviction"));
    }

    #[test]
    fn a_module_is_left_for_another_but_not_for_its_parts() {
        let intent = primed("x", Some("net"));
        assert!(of_module(&intent, "asd_guard", "ui", 0).is_some());
        assert!(of_module(&intent, "asd_guard", "net/http", 0).is_none());
        assert!(of_module(&intent, "asd_guard", "network", 0).is_some());
        assert!(of_module(&primed("x", None), "asd_guard", "ui", 0).is_none());
    }

    #[test]
    fn what_was_told_is_not_told_again() {
        let mut intent = primed("cache", Some("net"));
        let first = of_module(&intent, "asd_guard", "ui", 0).unwrap();
        intent.drift_events.push(first);
        assert!(of_module(&intent, "asd_guard", "ui", 1).is_none());
        assert!((intent.drift_score() - 1.0).abs() < f64::EPSILON);
    }
}
