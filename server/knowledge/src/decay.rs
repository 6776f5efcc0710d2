//! How far an entry has faded. (knowledge.md §12)

use asd_recipe::{Lifecycle, Recipe};
use serde::Serialize;

use crate::DAY;
use crate::counters::{Coverage, Stats};

/// How far an entry has faded, best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum DecayLevel {
    /// In use.
    Healthy,
    /// To be watched.
    Watch,
    /// Fading.
    Decaying,
    /// Nearly gone.
    Severe,
    /// Gone.
    Dead,
}

/// One level: from which score on, and how long an entry has once it fades.
struct LevelFacts {
    level: DecayLevel,
    name: &'static str,
    from: f64,
    grace_days: Option<i64>,
}

/// The table of levels, best first.
const LEVELS: [LevelFacts; 5] = [
    level(DecayLevel::Healthy, "healthy", 80.0, None),
    level(DecayLevel::Watch, "watch", 60.0, None),
    level(DecayLevel::Decaying, "decaying", 40.0, Some(30)),
    level(DecayLevel::Severe, "severe", 20.0, Some(15)),
    level(DecayLevel::Dead, "dead", f64::MIN, Some(0)),
];

const fn level(
    level: DecayLevel,
    name: &'static str,
    from: f64,
    grace_days: Option<i64>,
) -> LevelFacts {
    LevelFacts {
        level,
        name,
        from,
        grace_days,
    }
}

impl DecayLevel {
    /// Every level, best first.
    pub fn all() -> impl Iterator<Item = Self> {
        LEVELS.iter().map(|facts| facts.level)
    }

    /// The level of a score from 0 to 100.
    #[must_use]
    pub fn of(score: f64) -> Self {
        let found = LEVELS.iter().find(|facts| score >= facts.from);
        found.map_or(Self::Dead, |facts| facts.level)
    }

    /// Its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        LEVELS[self as usize].name
    }

    /// How many days an entry of this level has from the moment on at which it
    /// began to fade; `None` for one that does not fade.
    #[must_use]
    pub const fn grace_days(self) -> Option<i64> {
        LEVELS[self as usize].grace_days
    }
}

/// Why an entry may be marked as fading.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum DecayStrategy {
    /// Not used in 90 days.
    NoUsage,
    /// People call what its guards find wrong.
    FalsePositives,
    /// Its code names what is not there any more.
    MissingSymbols,
    /// Its sources are gone.
    StaleSources,
    /// Another entry took its place.
    Superseded,
    /// It plainly contradicts another entry.
    Contradiction,
}

impl DecayStrategy {
    /// Its name in kebab-case.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::NoUsage => "no-usage",
            Self::FalsePositives => "false-positives",
            Self::MissingSymbols => "missing-symbols",
            Self::StaleSources => "stale-sources",
            Self::Superseded => "superseded",
            Self::Contradiction => "contradiction",
        }
    }
}

/// What is known of an entry besides itself.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DecayInput<'a> {
    /// Its counters.
    pub stats: &'a Stats,
    /// How far back the journal of this machine reaches.
    pub coverage: Coverage,
    /// `quality.overall`; 0.5 when it is not known.
    pub quality: Option<f64>,
    /// How many sources it names.
    pub refs: usize,
    /// How many of these are gone.
    pub stale_refs: usize,
    /// Whether its guards look for something, its sources exist and its code is
    /// still in use: a rule that is obeyed everywhere never hits.
    pub obeyed: bool,
    /// Whether its code names symbols that are gone.
    pub missing_symbols: bool,
    /// Whether it has a relation `deprecated_by`.
    pub superseded: bool,
    /// Whether it plainly contradicts another entry.
    pub hard_contradiction: bool,
}

impl<'a> DecayInput<'a> {
    /// Counters alone; everything else unknown or in order.
    #[must_use]
    pub const fn new(stats: &'a Stats, coverage: Coverage) -> Self {
        Self {
            stats,
            coverage,
            quality: None,
            refs: 0,
            stale_refs: 0,
            obeyed: false,
            missing_symbols: false,
            superseded: false,
            hard_contradiction: false,
        }
    }
}

/// How far an entry has faded, and why.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Decay {
    /// From 0 to 100.
    pub score: f64,
    /// Its level.
    pub level: DecayLevel,
    /// What the score is made of.
    pub terms: DecayTerms,
    /// Why it may be marked.
    pub strategies: Vec<DecayStrategy>,
    /// The states that it should go through now, in order; mostly none.
    pub moves: &'static [Lifecycle],
}

/// The four terms of the score, each from 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct DecayTerms {
    /// How lately it was used.
    pub fresh: f64,
    /// How often.
    pub usage: f64,
    /// How good it is.
    pub quality: f64,
    /// How much it is trusted.
    pub authority: f64,
}

/// The value of a term that nothing is known about.
const NEUTRAL: f64 = 0.5;
/// Hits in 90 days from which on an entry counts as much used.
const MUCH_USED: f64 = 50.0;
/// Entries younger than this many days are not called unused.
const YOUNG_DAYS: i64 = 30;
/// For how many days a new entry counts as used by its creation.
const NEW_DAYS: i64 = 90;
/// Above this rate of false positives an entry may be marked.
const MAX_FALSE_POSITIVES: f64 = 0.40;
/// With fewer findings the rate says nothing.
const MIN_TRIGGERS: u64 = 10;

/// Says how far an entry has faded at `now`, in Unix seconds. Entries that are
/// neither active nor evolving get a score, but no moves.
#[must_use]
pub fn decay(recipe: &Recipe, input: &DecayInput<'_>, now: i64) -> Decay {
    let terms = DecayTerms {
        fresh: fresh(recipe, input, now),
        usage: usage(input),
        quality: input.quality.unwrap_or(NEUTRAL).clamp(0.0, 1.0),
        authority: authority(input),
    };
    let score = 100.0
        * (0.3 * terms.fresh + 0.3 * terms.usage + 0.2 * terms.quality + 0.2 * terms.authority);
    // A sum that is a whole number should be one: 0.3 + 0.3 + 0.1 + 0.1 must not
    // miss its level by a rounding error.
    let score = (score * 1e9).round() / 1e9;
    let level = DecayLevel::of(score);
    let strategies = strategies(recipe, input, now);
    let scanned = matches!(recipe.lifecycle, Lifecycle::Active | Lifecycle::Evolving);
    let moves: &'static [Lifecycle] = match level {
        DecayLevel::Dead if scanned => &[Lifecycle::Decaying, Lifecycle::Deprecated],
        level if scanned && level >= DecayLevel::Decaying && !strategies.is_empty() => {
            &[Lifecycle::Decaying]
        }
        _ => &[],
    };
    Decay {
        score,
        level,
        terms,
        strategies,
        moves,
    }
}

/// How many days ago something was; never less than none.
fn days_since(at: i64, now: i64) -> i64 {
    (now - at).max(0) / DAY
}

#[expect(clippy::cast_precision_loss, reason = "days are far below 2^52")]
fn fresh(recipe: &Recipe, input: &DecayInput<'_>, now: i64) -> f64 {
    if input.obeyed {
        return 1.0;
    }
    let created = recipe.created_at.map(|at| days_since(at, now));
    let days = match input.stats.last_hit_at {
        Some(at) => Some(days_since(at, now)),
        None => created.filter(|days| *days < NEW_DAYS),
    };
    days.map_or(0.0, |days| (1.0 - days as f64 / 365.0).max(0.0))
}

#[expect(clippy::cast_precision_loss, reason = "counts are far below 2^52")]
fn usage(input: &DecayInput<'_>) -> f64 {
    let counted = (input.stats.hits_last90d as f64 / MUCH_USED).min(1.0);
    if !input.coverage.is_enough() {
        NEUTRAL
    } else if input.obeyed {
        counted.max(NEUTRAL)
    } else {
        counted
    }
}

#[expect(clippy::cast_precision_loss, reason = "counts are far below 2^52")]
fn authority(input: &DecayInput<'_>) -> f64 {
    let share = input.stats.authority_share().unwrap_or(NEUTRAL);
    let stale = if input.refs == 0 {
        0.0
    } else {
        (input.stale_refs as f64 / input.refs as f64).min(1.0)
    };
    share * (1.0 - 0.3 * stale)
}

fn strategies(recipe: &Recipe, input: &DecayInput<'_>, now: i64) -> Vec<DecayStrategy> {
    let stats = input.stats;
    // An entry without a date may have been written yesterday.
    let is_young = recipe
        .created_at
        .is_none_or(|at| days_since(at, now) < YOUNG_DAYS);
    let unused =
        input.coverage.is_enough() && stats.hits_last90d == 0 && !input.obeyed && !is_young;
    let doubted = stats.rule_triggers >= MIN_TRIGGERS
        && stats
            .rule_false_positive_rate
            .is_some_and(|rate| rate > MAX_FALSE_POSITIVES);
    [
        (DecayStrategy::NoUsage, unused),
        (DecayStrategy::FalsePositives, doubted),
        (DecayStrategy::MissingSymbols, input.missing_symbols),
        (DecayStrategy::StaleSources, input.stale_refs > 0),
        (DecayStrategy::Superseded, input.superseded),
        (DecayStrategy::Contradiction, input.hard_contradiction),
    ]
    .into_iter()
    .filter(|(_, holds)| *holds)
    .map(|(strategy, _)| strategy)
    .collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const NOW: i64 = 1_790_000_000;
    const COVERED: Coverage = Coverage { days: 90 };

    fn recipe(age_days: i64) -> Recipe {
        Recipe {
            lifecycle: Lifecycle::Active,
            created_at: Some(NOW - age_days * DAY),
            ..Recipe::default()
        }
    }

    fn stats(last_hit_days: Option<i64>, hits_last90d: u64, authority: Option<f64>) -> Stats {
        Stats {
            last_hit_at: last_hit_days.map(|days| NOW - days * DAY),
            hits_last90d,
            authority,
            ..Stats::default()
        }
    }

    #[test]
    fn an_entry_that_is_used_now_and_then_is_watched() {
        let stats = stats(Some(73), 25, Some(3.0));
        let input = DecayInput {
            quality: Some(0.8),
            refs: 2,
            ..DecayInput::new(&stats, COVERED)
        };
        let found = decay(&recipe(400), &input, NOW);
        assert_eq!((found.score, found.level), (67.0, DecayLevel::Watch));
        assert!(found.moves.is_empty());
    }

    #[test]
    fn an_entry_that_nobody_used_for_a_year_is_retired_at_once() {
        let stats = stats(Some(365), 0, Some(0.0));
        let input = DecayInput {
            refs: 2,
            stale_refs: 2,
            ..DecayInput::new(&stats, COVERED)
        };
        let found = decay(&recipe(400), &input, NOW);
        assert_eq!((found.score, found.level), (10.0, DecayLevel::Dead));
        assert_eq!(found.moves, [Lifecycle::Decaying, Lifecycle::Deprecated]);
        assert_eq!(found.level.grace_days(), Some(0));
    }

    #[test]
    fn a_new_entry_is_as_fresh_as_it_is_young() {
        let none = stats(None, 0, None);
        let fresh = |days| {
            decay(&recipe(days), &DecayInput::new(&none, COVERED), NOW)
                .terms
                .fresh
        };
        assert_eq!(fresh(0), 1.0);
        assert_eq!(fresh(73), 0.8);
        assert_eq!(fresh(90), 0.0);
    }

    #[test]
    fn a_machine_that_did_not_see_90_days_does_not_call_anything_unused() {
        let none = stats(None, 0, None);
        let at = |days| {
            decay(
                &recipe(200),
                &DecayInput::new(&none, Coverage { days }),
                NOW,
            )
        };
        let short = at(89);
        assert_eq!(short.terms.usage, 0.5);
        assert!(short.strategies.is_empty());
        let long = at(90);
        assert_eq!(long.terms.usage, 0.0);
        assert_eq!(long.strategies, [DecayStrategy::NoUsage]);
        assert_eq!(long.moves, [Lifecycle::Decaying]);
    }

    #[test]
    fn a_rule_that_is_obeyed_everywhere_is_in_use() {
        let none = stats(None, 0, None);
        let input = DecayInput {
            obeyed: true,
            quality: Some(0.8),
            ..DecayInput::new(&none, COVERED)
        };
        let found = decay(&recipe(400), &input, NOW);
        assert!(found.strategies.is_empty());
        assert!(found.score >= 60.0, "{}", found.score);
    }

    #[test]
    fn a_low_score_alone_marks_nothing_unless_it_is_dead() {
        let some = stats(Some(300), 1, Some(2.5));
        let found = decay(&recipe(400), &DecayInput::new(&some, COVERED), NOW);
        assert_eq!(found.level, DecayLevel::Severe);
        assert!(found.strategies.is_empty() && found.moves.is_empty());
        let superseded = DecayInput {
            superseded: true,
            ..DecayInput::new(&some, COVERED)
        };
        let found = decay(&recipe(400), &superseded, NOW);
        assert_eq!(found.moves, [Lifecycle::Decaying]);
    }

    #[test]
    fn a_good_score_is_kept_whatever_the_strategies_say() {
        let much = stats(Some(0), 50, Some(5.0));
        let input = DecayInput {
            quality: Some(1.0),
            superseded: true,
            hard_contradiction: true,
            missing_symbols: true,
            ..DecayInput::new(&much, COVERED)
        };
        let found = decay(&recipe(400), &input, NOW);
        assert_eq!((found.score, found.strategies.len()), (100.0, 3));
        assert!(found.moves.is_empty());
    }

    #[test]
    fn doubted_guards_count_from_ten_findings_on() {
        let doubted = |triggers, rate| {
            let stats = Stats {
                rule_triggers: triggers,
                rule_false_positive_rate: Some(rate),
                ..stats(Some(0), 1, None)
            };
            let found = decay(&recipe(400), &DecayInput::new(&stats, COVERED), NOW);
            found.strategies == [DecayStrategy::FalsePositives]
        };
        assert!(doubted(10, 0.41));
        assert!(!doubted(9, 0.9));
        assert!(!doubted(10, 0.40));
    }

    #[test]
    fn young_entries_and_those_without_a_date_are_not_called_unused() {
        let none = stats(None, 0, None);
        let input = DecayInput::new(&none, COVERED);
        let unused = |recipe: &Recipe| !decay(recipe, &input, NOW).strategies.is_empty();
        assert!(!unused(&recipe(29)));
        assert!(unused(&recipe(30)));
        let undated = Recipe {
            created_at: None,
            ..recipe(0)
        };
        assert!(!unused(&undated));
    }

    #[test]
    fn only_active_and_evolving_entries_are_moved() {
        let dead = stats(Some(900), 0, Some(0.0));
        for state in Lifecycle::ALL {
            let entry = Recipe {
                lifecycle: *state,
                ..recipe(900)
            };
            let moves = decay(&entry, &DecayInput::new(&dead, COVERED), NOW).moves;
            let scanned = matches!(state, Lifecycle::Active | Lifecycle::Evolving);
            assert_eq!(!moves.is_empty(), scanned, "{state:?}");
        }
    }

    proptest! {
        #[test]
        fn scores_are_from_0_to_100(
            days in proptest::option::of(-5..2000_i64), hits in 0..900_u64,
            authority in proptest::option::of(-3.0..9.0_f64), quality in proptest::option::of(-1.0..2.0_f64),
            refs in 0..4_usize, stale in 0..6_usize, obeyed in any::<bool>(), covered in 0..200_i64,
        ) {
            let stats = stats(days, hits, authority);
            let input = DecayInput { quality, refs, stale_refs: stale, obeyed, ..DecayInput::new(&stats, Coverage { days: covered }) };
            let found = decay(&recipe(100), &input, NOW);
            prop_assert!((0.0..=100.0).contains(&found.score));
            prop_assert_eq!(found.level, DecayLevel::of(found.score));
        }
    }
}
