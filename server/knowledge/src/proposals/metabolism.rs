//! What the use of knowledge suggests about it.

use std::collections::BTreeMap;

use asd_recipe::{Kind, Lifecycle, Recipe};
use serde::Serialize;

use crate::counters::Stats;
use crate::entry_key;
use crate::relations::{EdgeKind, RelationGraph};
use crate::signals::SignalType;

/// For how long the signals that call for suggestions have to be quiet, in
/// milliseconds.
pub const METABOLISM_DEBOUNCE_MS: i64 = 30_000;

/// Whether a signal of this kind calls for new suggestions.
#[must_use]
pub const fn wakes_metabolism(kind: SignalType) -> bool {
    matches!(
        kind,
        SignalType::Decay | SignalType::Quality | SignalType::Anomaly
    )
}

/// What a suggestion is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum SuggestionKind {
    /// A rule that fires has no code to show.
    AddCode,
    /// It is found but nobody takes it up.
    FoundNotUsed,
    /// Its authority is low among its category.
    LowAuthority,
    /// It refers to an entry that is retired.
    RefersToDeprecated,
    /// Tasks keep drifting to a topic that no entry covers.
    CoverageGap,
    /// Prime returns it and no task uses it.
    PrimedNotUsed,
}

/// One suggestion.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Suggestion {
    /// What it is about.
    pub kind: SuggestionKind,
    /// The entry's id, or the topic of a gap.
    pub target: String,
    /// What to do, in one sentence.
    pub message: String,
}

/// An entry with its counters.
#[derive(Clone, Copy, Debug)]
pub struct MetabolismEntry<'a> {
    /// The entry.
    pub recipe: &'a Recipe,
    /// Its counters.
    pub stats: &'a Stats,
}

/// How often tasks drifted to a topic (a module, or a query's words).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TopicDrift {
    /// The topic.
    pub topic: String,
    /// In how many intent chains.
    pub chains: u64,
}

/// What suggestions are made of.
#[derive(Clone, Copy, Debug)]
pub struct MetabolismInput<'a> {
    /// The entries, with their counters.
    pub entries: &'a [MetabolismEntry<'a>],
    /// Their relations.
    pub relations: &'a RelationGraph,
    /// Drift by topic, from the intent chains.
    pub drift: &'a [TopicDrift],
    /// By entry id: in how many chains prime returned it, and how many of
    /// these used it.
    pub primed: &'a BTreeMap<String, (u64, u64)>,
}

/// A rule that fires this often should show code.
const MANY_GUARD_HITS: u64 = 5;
/// An entry that is found this often should be taken up at times.
const MANY_SEARCH_HITS: u64 = 10;
/// From how many chains on a prime without use counts.
const MANY_PRIMES: u64 = 10;
/// From how many chains on drift to one topic counts as repeated.
const REPEATED_DRIFT: u64 = 3;
/// Quartiles of fewer entries say nothing.
const MIN_CATEGORY: usize = 4;

/// Suggestions for the living entries, in the order of their kinds and targets.
#[must_use]
pub fn metabolism(input: &MetabolismInput<'_>) -> Vec<Suggestion> {
    let living: Vec<MetabolismEntry<'_>> = input
        .entries
        .iter()
        .copied()
        .filter(|entry| entry.recipe.lifecycle != Lifecycle::Deprecated)
        .collect();
    let quartiles = quartiles(&living);
    let mut found: Vec<Suggestion> = Vec::new();
    for MetabolismEntry { recipe, stats } in &living {
        let mut suggest = |kind, message: String| {
            found.push(Suggestion {
                kind,
                target: entry_key(recipe).to_owned(),
                message,
            });
        };
        let has_code = recipe
            .core_code
            .as_ref()
            .is_some_and(|code| !code.text.trim().is_empty());
        if recipe.kind == Kind::Rule && stats.guard_hits >= MANY_GUARD_HITS && !has_code {
            suggest(
                SuggestionKind::AddCode,
                format!(
                    "Its guards found something {} times; add core code that shows the right way.",
                    stats.guard_hits
                ),
            );
        }
        if stats.search_hits >= MANY_SEARCH_HITS && stats.adoptions == 0 {
            suggest(
                SuggestionKind::FoundNotUsed,
                format!(
                    "It was found {} times and never taken up; make its clauses clearer, or retire it.",
                    stats.search_hits
                ),
            );
        }
        if let (Some(authority), Some(quartile)) =
            (stats.authority, quartiles.get(recipe.category.as_str()))
            && authority < *quartile
        {
            suggest(
                SuggestionKind::LowAuthority,
                format!(
                    "Its authority {authority} is among the lowest of the category {}; verify it.",
                    recipe.category
                ),
            );
        }
        for edge in input.relations.outgoing(entry_key(recipe)) {
            let retired = input
                .relations
                .node(&edge.to)
                .is_some_and(|node| node.lifecycle == Lifecycle::Deprecated);
            let says_so = edge.kind == EdgeKind::Entry(asd_recipe::RelationKind::DeprecatedBy);
            if retired && !says_so {
                suggest(
                    SuggestionKind::RefersToDeprecated,
                    format!(
                        "It refers to {}, which is deprecated; refer to what took its place.",
                        edge.to
                    ),
                );
            }
        }
        if let Some((primed, used)) = input.primed.get(entry_key(recipe))
            && *primed >= MANY_PRIMES
            && *used == 0
        {
            suggest(
                SuggestionKind::PrimedNotUsed,
                format!(
                    "Tasks were given it {primed} times and none used it; consider retiring it."
                ),
            );
        }
    }
    for drift in input.drift {
        if drift.chains >= REPEATED_DRIFT {
            found.push(Suggestion {
                kind: SuggestionKind::CoverageGap,
                target: drift.topic.clone(),
                message: format!(
                    "{} tasks drifted to {}; write down what holds there.",
                    drift.chains, drift.topic
                ),
            });
        }
    }
    found.sort_by(|a, b| (a.kind, &a.target, &a.message).cmp(&(b.kind, &b.target, &b.message)));
    found.dedup();
    found
}

/// The 25th percentile of the authorities of each category.
fn quartiles<'a>(entries: &[MetabolismEntry<'a>]) -> BTreeMap<&'a str, f64> {
    let mut values: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    for entry in entries {
        if let Some(authority) = entry.stats.authority {
            let category = entry.recipe.category.as_str();
            values.entry(category).or_default().push(authority);
        }
    }
    values
        .into_iter()
        .filter(|(_, values)| values.len() >= MIN_CATEGORY)
        .map(|(category, mut values)| {
            values.sort_by(f64::total_cmp);
            (category, values[values.len() / 4])
        })
        .collect()
}
