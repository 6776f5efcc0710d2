//! What moves rows that fit about equally well: age, use, authority, difficulty
//! and where the work is done. (search.md §5–§7)

use std::collections::BTreeSet;

use asd_recipe::Kind;
use serde::Serialize;

use crate::document::Document;
use crate::tokenize::tokenize;

/// What rows are looked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Scenario {
    /// To check code.
    Lint,
    /// To write code.
    Generate,
    /// To find something.
    #[default]
    Search,
    /// To understand something.
    Learning,
}

/// How much each signal beside relevance counts.
struct Weights {
    authority: f32,
    recency: f32,
    popularity: f32,
    difficulty: f32,
    context: f32,
}

impl Scenario {
    /// `lint`, `generate`, `search` or `learning`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Lint => "lint",
            Self::Generate => "generate",
            Self::Search => "search",
            Self::Learning => "learning",
        }
    }

    const fn weights(self) -> Weights {
        let (authority, recency, popularity, difficulty, context) = match self {
            Self::Lint => (0.20, 0.15, 0.10, 0.05, 0.05),
            Self::Generate => (0.15, 0.10, 0.15, 0.10, 0.10),
            Self::Search => (0.15, 0.10, 0.10, 0.05, 0.10),
            Self::Learning => (0.15, 0.10, 0.05, 0.25, 0.20),
        };
        Weights {
            authority,
            recency,
            popularity,
            difficulty,
            context,
        }
    }

    const fn tilt(self, kind: Kind) -> f32 {
        match (self, kind) {
            (Self::Generate, Kind::Pattern) | (Self::Lint, Kind::Rule) => 1.15,
            _ => 1.0,
        }
    }
}

/// Half the freshness is left after this many days.
pub(crate) const FRESH_DAYS: f64 = 180.0;
/// Half the recency is left after this many days.
const RECENT_DAYS: f64 = 90.0;

/// 1 for what was changed now or in the future, halved with every half-life;
/// 0.5 when it is not known.
#[must_use]
pub(crate) fn freshness(age_days: Option<f64>, half_life: f64) -> f64 {
    age_days.map_or(0.5, |days| 0.5f64.powf(days.max(0.0) / half_life))
}

/// 0 for no use, 1 from 999 uses on.
#[must_use]
#[expect(clippy::cast_precision_loss, reason = "a count of uses")]
pub(crate) fn popularity(uses: u64) -> f64 {
    ((uses as f64 + 1.0).log10() / 3.0).min(1.0)
}

/// Quality, authority and use on one scale from 0 to 1; 0.5 when neither
/// quality nor authority is known.
#[expect(clippy::cast_precision_loss, reason = "a count of uses")]
fn authority(document: &Document) -> f64 {
    let stats = &document.stats;
    if stats.quality.is_none() && stats.authority.is_none() {
        return 0.5;
    }
    0.5 * stats.quality.unwrap_or(0.5)
        + 0.3 * stats.authority.unwrap_or(2.5) / 5.0
        + 0.2 * (stats.uses as f64 / 100.0).min(1.0)
}

fn difficulty(document: &Document) -> f64 {
    let level = match document.recipe.difficulty.as_deref() {
        Some("beginner") => 0.0,
        Some("advanced") => 0.67,
        Some("expert") => 1.0,
        _ => 0.33,
    };
    1.0 - 0.3 * level
}

/// How near a recipe's language is to that of the work.
fn context(document: &Document, language: Option<&str>) -> f64 {
    let (Some(work), Some(own)) = (language, document.language()) else {
        return 0.10;
    };
    let work = asd_recipe::canonical_language(work).unwrap_or(work);
    if own == work {
        0.40
    } else if same_family(own, work) {
        0.15
    } else {
        0.10
    }
}

const FAMILIES: &[&[&str]] = &[
    &["c", "cpp", "objc"],
    &["swift", "objc"],
    &["java", "kotlin"],
    &["javascript", "typescript"],
    &["csharp", "fsharp"],
];

fn same_family(a: &str, b: &str) -> bool {
    FAMILIES
        .iter()
        .any(|family| family.contains(&a) && family.contains(&b))
}

/// The share of the score that all signals beside relevance can move, up and
/// down together. More would put well-used recipes before fitting ones.
const SWAY: f64 = 0.1;

/// What the relevance of a document is multiplied with.
pub(crate) fn factor(
    document: &Document,
    scenario: Scenario,
    language: Option<&str>,
    now: i64,
) -> f64 {
    let recipe = &document.recipe;
    let changed = recipe.updated_at.or(recipe.created_at);
    #[expect(clippy::cast_precision_loss, reason = "seconds of a few years")]
    let age = changed.map(|at| (now - at) as f64 / 86_400.0);
    let weights = scenario.weights();
    let recency = 0.5 * (freshness(age, FRESH_DAYS) + freshness(age, RECENT_DAYS));
    let signals = [
        (weights.authority, authority(document)),
        (weights.recency, recency),
        (weights.popularity, popularity(document.stats.uses)),
        (weights.difficulty, difficulty(document)),
        (weights.context, context(document, language)),
    ];
    let all: f64 = signals.iter().map(|(weight, _)| f64::from(*weight)).sum();
    let mean: f64 = signals
        .iter()
        .map(|(weight, value)| f64::from(*weight) * value)
        .sum::<f64>()
        / all;
    (1.0 + 2.0 * SWAY * (mean - 0.5)) * f64::from(scenario.tilt(recipe.kind))
}

/// What a session's last queries add to the score of a document.
pub(crate) fn context_boost(
    document: &Document,
    history: &[String],
    language: Option<&str>,
) -> f64 {
    let recipe = &document.recipe;
    let own: BTreeSet<String> = [&recipe.title, &recipe.trigger]
        .into_iter()
        .chain(&recipe.tags)
        .flat_map(|text| tokenize(text))
        .collect();
    let asked: BTreeSet<String> = history
        .iter()
        .rev()
        .take(5)
        .flat_map(|text| tokenize(text))
        .collect();
    #[expect(clippy::cast_precision_loss, reason = "a few tokens")]
    let overlap = own.intersection(&asked).count() as f64;
    let same_language = match (language, document.language()) {
        (Some(work), Some(own)) => asd_recipe::canonical_language(work).unwrap_or(work) == own,
        _ => false,
    };
    0.2 * (overlap / 5.0).min(1.0) + if same_language { 0.1 } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use asd_recipe::Recipe;

    use super::*;
    use crate::document::Stats;

    fn document(change: impl FnOnce(&mut Recipe, &mut Stats)) -> Document {
        let mut recipe = Recipe {
            title: "Retry queue".into(),
            language: "Swift".into(),
            ..Recipe::default()
        };
        let mut stats = Stats::default();
        change(&mut recipe, &mut stats);
        Document::new("a.md", Arc::new(recipe), stats)
    }

    #[test]
    fn freshness_halves_and_is_never_more_than_one() {
        assert_eq!(freshness(Some(180.0), FRESH_DAYS), 0.5);
        assert_eq!(freshness(Some(-3.0), FRESH_DAYS), 1.0);
        assert_eq!(freshness(None, FRESH_DAYS), 0.5);
    }

    #[test]
    fn popularity_is_full_at_999_uses() {
        assert_eq!(popularity(0), 0.0);
        assert_eq!(popularity(999), 1.0);
        assert_eq!(popularity(1_000_000), 1.0);
    }

    #[test]
    fn quality_from_0_to_1_counts_as_it_is() {
        let good = document(|_, stats| stats.quality = Some(0.9));
        let poor = document(|_, stats| stats.quality = Some(0.1));
        assert!(authority(&good) - authority(&poor) > 0.39);
        assert_eq!(authority(&document(|_, _| {})), 0.5);
    }

    #[test]
    fn dates_are_compared_in_one_unit() {
        let now = 1_790_000_000;
        let new = document(|recipe, _| recipe.updated_at = Some(now - 86_400));
        let old = document(|recipe, _| recipe.updated_at = Some(now - 700 * 86_400));
        let factor = |document: &Document| factor(document, Scenario::Search, None, now);
        assert!(factor(&new) > factor(&old));
    }

    #[test]
    fn all_signals_together_move_a_score_by_a_tenth_at_most() {
        let best = document(|recipe, stats| {
            recipe.updated_at = Some(i64::MAX / 2);
            *stats = Stats {
                uses: 10_000,
                authority: Some(5.0),
                quality: Some(1.0),
            };
        });
        let worst = document(|recipe, stats| {
            recipe.updated_at = Some(0);
            recipe.difficulty = Some("expert".into());
            *stats = Stats {
                uses: 0,
                authority: Some(0.0),
                quality: Some(0.0),
            };
        });
        let of = |d: &Document| factor(d, Scenario::Search, Some("swift"), 1_790_000_000);
        assert!(of(&best) <= 1.1 && of(&worst) >= 0.9);
        assert!(of(&best) > of(&worst));
    }

    #[test]
    fn what_is_looked_for_tilts_the_kind() {
        let rule = document(|recipe, _| recipe.kind = Kind::Rule);
        let of = |scenario| factor(&rule, scenario, None, 0);
        assert!(of(Scenario::Lint) > 1.1 * of(Scenario::Search));
    }

    #[test]
    fn a_session_lifts_what_it_was_about() {
        let document = document(|recipe, _| recipe.tags = vec!["network".into()]);
        let history = ["retry queue network".to_owned()];
        let boost = context_boost(&document, &history, Some("swift"));
        assert!((boost - (0.2 * 3.0 / 5.0 + 0.1)).abs() < 1e-9, "{boost}");
        assert_eq!(context_boost(&document, &[], None), 0.0);
    }

    #[test]
    fn languages_of_a_family_are_near() {
        assert!(same_family("objc", "swift") && same_family("c", "objc"));
        assert!(!same_family("c", "swift"));
        let swift = document(|_, _| {});
        assert_eq!(context(&swift, Some("objective-c")), 0.15);
        assert_eq!(context(&swift, Some("Swift")), 0.40);
    }
}
