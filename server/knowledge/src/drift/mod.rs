//! Whether the code still is what an entry says: the guard, reversed.
//! (knowledge.md §14)

mod refs;
mod standard;
mod symbols;
#[cfg(test)]
mod tests;

use asd_recipe::{Recipe, SourceRef};
use serde::{Deserialize, Serialize};

use crate::lifecycle::is_consumable;

pub use refs::{RefCheck, RefState, SourceRefRow, check_source, recheck_due, repaired};
pub use symbols::{CodeSymbols, code_symbols, recipe_symbols};

/// What is asked about the project. Whatever cannot be known is `None`, and
/// counts as no sign of drift.
pub trait ProjectFacts {
    /// Whether a symbol is defined somewhere in the project.
    fn is_defined(&self, symbol: &str) -> Option<bool>;

    /// Whether a symbol is known to come from outside of the project.
    fn is_external(&self, symbol: &str) -> bool;

    /// Whether the definition of a symbol carries a mark of deprecation.
    fn is_deprecated(&self, symbol: &str) -> bool;

    /// How often a symbol occurs in the project's code.
    fn occurrences(&self, symbol: &str) -> Option<u64>;

    /// Whether a piece of code occurs, white space aside.
    fn contains(&self, code: &str) -> Option<bool> {
        let _ = code;
        None
    }

    /// Whether a project-relative path exists.
    fn path_exists(&self, path: &str) -> Option<bool>;

    /// What git says that a path was renamed to.
    fn renamed_to(&self, path: &str) -> Option<String>;
}

/// The five signs of drift.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DriftKind {
    /// A symbol in the code is defined nowhere any more.
    SymbolMissing,
    /// Nothing that the entry names is there any more.
    ZeroMatch,
    /// What it names occurs far less than it did.
    MatchRateDrop,
    /// A symbol in the code is marked as deprecated.
    ApiDeprecated,
    /// A source is gone.
    SourceRefStale,
}

impl DriftKind {
    /// Its name in snake_case.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::SymbolMissing => "symbol_missing",
            Self::ZeroMatch => "zero_match",
            Self::MatchRateDrop => "match_rate_drop",
            Self::ApiDeprecated => "api_deprecated",
            Self::SourceRefStale => "source_ref_stale",
        }
    }
}

/// How much a sign of drift weighs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DriftSeverity {
    /// Alone, it says little.
    Medium,
    /// It should be looked at.
    High,
}

/// One sign of drift.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DriftSignal {
    /// Which one.
    pub kind: DriftKind,
    /// How much it weighs.
    pub severity: DriftSeverity,
    /// The symbols or paths that are meant.
    pub subjects: Vec<String>,
    /// What is wrong, in one sentence.
    pub message: String,
}

/// What the signs come to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DriftVerdict {
    /// The code is what the entry says.
    Healthy,
    /// A person should look.
    Investigate,
    /// The entry should fade.
    Decay,
}

/// What was found of an entry.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Drift {
    /// What it comes to.
    pub verdict: DriftVerdict,
    /// The signs.
    pub signals: Vec<DriftSignal>,
    /// How often what the entry names occurs now; to be kept when the entry is
    /// healthy, and given back as the snapshot.
    pub occurrences: Option<u64>,
}

impl Drift {
    /// Whether its code names symbols that are gone, for the decay of an entry.
    #[must_use]
    pub fn misses_symbols(&self) -> bool {
        let mut signals = self.signals.iter();
        signals.any(|signal| signal.kind == DriftKind::SymbolMissing)
    }
}

/// Below this share of what there was, occurrences have dropped.
const DROPPED_TO: f64 = 0.3;
/// So many stale sources weigh more.
const MANY_STALE: usize = 3;

/// Whether an entry is looked at: it is in use, and has code.
#[must_use]
pub fn is_watched(recipe: &Recipe) -> bool {
    let code = recipe.core_code.as_ref().map_or("", |code| &code.text);
    let has_code = !code.trim().is_empty() || !recipe.content.pattern.trim().is_empty();
    is_consumable(recipe.lifecycle) && has_code
}

/// Compares an entry with the project. What its guards find does not matter: a
/// rule that is obeyed everywhere finds nothing. `snapshot` is how often what
/// it names occurred when it was last healthy.
#[must_use]
pub fn drift(recipe: &Recipe, facts: &dyn ProjectFacts, snapshot: Option<u64>) -> Drift {
    let symbols = recipe_symbols(recipe);
    let states: Vec<SymbolView<'_>> = symbols
        .names
        .iter()
        .map(|name| SymbolView::new(name, facts))
        .collect();
    let stale: Vec<&SourceRef> = recipe
        .reasoning
        .sources
        .iter()
        .filter(|source| {
            facts.path_exists(&source.path) == Some(false)
                && facts.renamed_to(&source.path).is_none()
        })
        .collect();
    let mut signals = Vec::new();
    let missing = states.iter().filter(|state| state.is_missing);
    let missing: Vec<String> = missing.map(|state| state.name.to_owned()).collect();
    if !missing.is_empty() {
        signals.push(DriftSignal {
            kind: DriftKind::SymbolMissing,
            severity: DriftSeverity::High,
            message: format!(
                "Its code names what is defined nowhere any more: {}.",
                missing.join(", ")
            ),
            subjects: missing,
        });
    }
    if nothing_is_left(recipe, &states, stale.len(), facts) {
        signals.push(DriftSignal {
            kind: DriftKind::ZeroMatch,
            severity: DriftSeverity::High,
            message: "Neither its sources nor anything that its code names is there any more."
                .into(),
            subjects: Vec::new(),
        });
    }
    let occurrences = total(&states);
    if let (Some(now), Some(before)) = (occurrences, snapshot)
        && dropped(now, before)
    {
        signals.push(DriftSignal {
            kind: DriftKind::MatchRateDrop,
            severity: DriftSeverity::Medium,
            message: format!("What its code names occurs {now} times; it was {before} times."),
            subjects: Vec::new(),
        });
    }
    let deprecated = states.iter().filter(|state| state.is_deprecated);
    let deprecated: Vec<String> = deprecated.map(|state| state.name.to_owned()).collect();
    if !deprecated.is_empty() {
        signals.push(DriftSignal {
            kind: DriftKind::ApiDeprecated,
            severity: DriftSeverity::Medium,
            message: format!(
                "Its code names what is marked as deprecated: {}.",
                deprecated.join(", ")
            ),
            subjects: deprecated,
        });
    }
    if !stale.is_empty() {
        let paths: Vec<String> = stale.iter().map(|source| source.path.clone()).collect();
        signals.push(DriftSignal {
            kind: DriftKind::SourceRefStale,
            severity: if stale.len() >= MANY_STALE {
                DriftSeverity::High
            } else {
                DriftSeverity::Medium
            },
            message: format!("Its sources are gone: {}.", paths.join(", ")),
            subjects: paths,
        });
    }
    Drift {
        verdict: verdict(&signals),
        signals,
        occurrences,
    }
}

/// What signs of drift come to: two that weigh high are decay; one, or three
/// others, should be looked at.
#[must_use]
pub fn verdict(signals: &[DriftSignal]) -> DriftVerdict {
    let high = signals
        .iter()
        .filter(|signal| signal.severity == DriftSeverity::High)
        .count();
    match (high, signals.len() - high) {
        (2.., _) => DriftVerdict::Decay,
        (1, _) | (_, 3..) => DriftVerdict::Investigate,
        _ => DriftVerdict::Healthy,
    }
}

struct SymbolView<'a> {
    name: &'a str,
    is_missing: bool,
    is_deprecated: bool,
    /// Whether it is defined or occurs; `None` when nothing is known.
    is_there: Option<bool>,
    occurrences: Option<u64>,
}

impl<'a> SymbolView<'a> {
    fn new(name: &'a str, facts: &dyn ProjectFacts) -> Self {
        let defined = facts.is_defined(name);
        let occurrences = facts.occurrences(name);
        let external = facts.is_external(name);
        let is_there = match (defined, occurrences) {
            (Some(true), _) => Some(true),
            (_, Some(count)) => Some(count > 0),
            (defined, None) => defined,
        };
        Self {
            name,
            is_missing: defined == Some(false) && !external,
            is_deprecated: defined == Some(true) && facts.is_deprecated(name),
            is_there,
            occurrences,
        }
    }
}

fn total(states: &[SymbolView<'_>]) -> Option<u64> {
    let known: Vec<u64> = states
        .iter()
        .filter_map(|state| state.occurrences)
        .collect();
    (!known.is_empty()).then(|| known.iter().sum())
}

#[expect(clippy::cast_precision_loss, reason = "counts are far below 2^52")]
fn dropped(now: u64, before: u64) -> bool {
    before > 0 && (now as f64) < DROPPED_TO * before as f64
}

/// Whether there is something to look for, and nothing of it is left.
fn nothing_is_left(
    recipe: &Recipe,
    states: &[SymbolView<'_>],
    stale: usize,
    facts: &dyn ProjectFacts,
) -> bool {
    let sources = recipe.reasoning.sources.len();
    if stale < sources || states.iter().any(|state| state.is_there != Some(false)) {
        return false;
    }
    let mut examples = recipe
        .constraints
        .guards
        .iter()
        .flat_map(|guard| &guard.positive_examples);
    if examples.any(|example| facts.contains(example) == Some(true)) {
        return false;
    }
    sources + states.len() > 0
}
