//! Where a new entry begins its life, and whether a grace period may end well.
//! (knowledge.md §7)

use asd_recipe::{Lifecycle, Recipe};
use serde::Serialize;

use crate::lifecycle::{Goal, Move, MoveTrigger};
use crate::quality::DEFAULT_CONFIDENCE;

/// Sources whose entries need less confidence.
const TRUSTED_SOURCES: [&str; 3] = ["bootstrap", "cursor-scan", "mcp"];
/// Below this confidence an entry is turned down; 0 means that none was given.
const REJECTED_BELOW: f64 = 0.2;
/// From this confidence on an entry of a trusted source is staged.
const TRUSTED_FROM: f64 = 0.70;
/// From this confidence on any other is.
const STAGED_FROM: f64 = 0.85;
/// From this confidence on the grace period is short.
const SURE_FROM: f64 = 0.90;
/// The grace period of an entry that is sure, in seconds.
const SHORT_GRACE: i64 = 24 * 3600;
/// The grace period of any other.
const LONG_GRACE: i64 = 72 * 3600;
/// Less content says nothing, in characters.
const MIN_CONTENT: usize = 20;
/// Below this quality a person has to look.
const MIN_QUALITY: f64 = 0.3;
/// Above this rate of false positives a grace period does not end well.
const MAX_FALSE_POSITIVES: f64 = 0.4;

/// Where a new entry goes, and why.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Route {
    /// `pending`, `staging` or, for a rejected one, `deprecated`; never
    /// `active`.
    pub state: Lifecycle,
    /// Unix seconds at which its grace period ends.
    pub staging_deadline: Option<i64>,
    /// Why, in words.
    pub reason: &'static str,
}

impl Route {
    /// Whether the entry was turned down.
    #[must_use]
    pub fn is_rejected(&self) -> bool {
        self.state == Lifecycle::Deprecated
    }

    /// The move that brings a pending entry there; `None` for one that stays
    /// pending.
    #[must_use]
    pub fn to_move(&self) -> Option<Move> {
        if self.state == Lifecycle::Pending {
            return None;
        }
        let goal = Goal::State(self.state);
        Some(Move {
            staging_deadline: self.staging_deadline,
            ..Move::new(goal, MoveTrigger::ConfidenceRoute).because(self.reason)
        })
    }
}

/// Decides where a new entry begins its life; `quality` is its overall score
/// and `now` is in Unix seconds.
#[must_use]
pub fn route(recipe: &Recipe, quality: f64, now: i64) -> Route {
    let stays = |reason| Route {
        state: Lifecycle::Pending,
        staging_deadline: None,
        reason,
    };
    let confidence = recipe.reasoning.confidence.unwrap_or(DEFAULT_CONFIDENCE);
    let content = content_length(recipe);
    if recipe.title.trim().is_empty() || content == 0 {
        return stays("it has no title or no content");
    }
    if confidence > 0.0 && confidence < REJECTED_BELOW {
        return Route {
            state: Lifecycle::Deprecated,
            staging_deadline: None,
            reason: "its confidence is below 0.2",
        };
    }
    if content < MIN_CONTENT {
        return stays("it has hardly any content");
    }
    if recipe.reasoning.why_standard.trim().is_empty() || recipe.reasoning.sources.is_empty() {
        return stays("it gives no reason or no source");
    }
    if quality < MIN_QUALITY {
        return stays("its quality is low");
    }
    let trusted = TRUSTED_SOURCES.contains(&recipe.source.as_str());
    let from = if trusted { TRUSTED_FROM } else { STAGED_FROM };
    if confidence < from {
        return stays("its confidence is not enough to go without a review");
    }
    let grace = if confidence >= SURE_FROM {
        SHORT_GRACE
    } else {
        LONG_GRACE
    };
    Route {
        state: Lifecycle::Staging,
        staging_deadline: Some(now + grace),
        reason: "its confidence is enough for a grace period",
    }
}

fn content_length(recipe: &Recipe) -> usize {
    let code = recipe.core_code.as_ref().map_or("", |code| &code.text);
    let parts = [&recipe.content.markdown, &recipe.content.pattern, code];
    parts.iter().map(|part| part.trim().chars().count()).sum()
}

/// What is known of an entry at the end of its grace period.
#[derive(Clone, Copy, Debug, Default)]
pub struct StagingEvidence<'a> {
    /// Entries that it plainly contradicts, by trigger or id.
    pub contradictions: &'a [String],
    /// What the validator has against it, as errors.
    pub errors: &'a [String],
    /// Its guards' false-positive rate, when any finding was judged.
    pub false_positive_rate: Option<f64>,
}

/// Why an entry must not become active when its grace period ends; nothing when
/// it may.
#[must_use]
pub fn staging_blockers(evidence: &StagingEvidence<'_>) -> Vec<String> {
    let mut reasons: Vec<String> = evidence
        .contradictions
        .iter()
        .map(|other| format!("it contradicts {other}"))
        .collect();
    reasons.extend(evidence.errors.iter().cloned());
    if let Some(rate) = evidence.false_positive_rate
        && rate > MAX_FALSE_POSITIVES
    {
        reasons.push(format!(
            "{:.0} % of its guards' judged findings are false positives",
            rate * 100.0
        ));
    }
    reasons
}

#[cfg(test)]
mod tests {
    use asd_recipe::SourceRef;

    use super::*;
    use crate::lifecycle::{TimerContext, effective, transition};

    const NOW: i64 = 1_790_000_000;

    fn sound(source: &str, confidence: f64) -> Recipe {
        let mut recipe = Recipe {
            id: Some("r1".into()),
            title: "RetryQueue backoff".into(),
            source: source.into(),
            ..Recipe::default()
        };
        recipe.content.markdown = "All outbound calls go through the queue.".into();
        recipe.reasoning.why_standard = "Unbounded retries took the gateway down".into();
        recipe.reasoning.sources = vec![SourceRef::parse("src/net/retry.rs")];
        recipe.reasoning.confidence = Some(confidence);
        recipe
    }

    fn goes(recipe: &Recipe) -> (Lifecycle, Option<i64>) {
        let route = route(recipe, 0.6, NOW);
        let hours = route.staging_deadline.map(|at| (at - NOW) / 3600);
        (route.state, hours)
    }

    #[test]
    fn confidence_and_source_decide() {
        for (source, confidence, wanted) in [
            ("mcp", 0.72, (Lifecycle::Staging, Some(72))),
            ("manual", 0.72, (Lifecycle::Pending, None)),
            ("manual", 0.93, (Lifecycle::Staging, Some(24))),
            ("manual", 0.85, (Lifecycle::Staging, Some(72))),
            ("bootstrap", 0.70, (Lifecycle::Staging, Some(72))),
            ("cursor-scan", 0.90, (Lifecycle::Staging, Some(24))),
            ("mcp", 0.1, (Lifecycle::Deprecated, None)),
            ("mcp", 0.2, (Lifecycle::Pending, None)),
            ("mcp", 0.0, (Lifecycle::Pending, None)),
        ] {
            let found = goes(&sound(source, confidence));
            assert_eq!(found, wanted, "{source} {confidence}");
        }
    }

    #[test]
    fn the_tests_are_made_in_their_order() {
        let mut untitled = sound("mcp", 0.1);
        untitled.title.clear();
        assert_eq!(goes(&untitled).0, Lifecycle::Pending);
        let mut short = sound("mcp", 0.95);
        short.content.markdown = "too short".into();
        assert_eq!(goes(&short).0, Lifecycle::Pending);
        let mut groundless = sound("mcp", 0.95);
        groundless.reasoning.sources.clear();
        assert_eq!(goes(&groundless).0, Lifecycle::Pending);
        let poor = route(&sound("mcp", 0.95), 0.29, NOW);
        assert_eq!(poor.state, Lifecycle::Pending);
    }

    #[test]
    fn no_route_leads_to_active_and_every_route_is_a_move() {
        for hundredths in 0..=100 {
            let mut recipe = sound("mcp", f64::from(hundredths) / 100.0);
            let route = route(&recipe, 0.6, NOW);
            assert_ne!(route.state, Lifecycle::Active);
            if let Some(wish) = route.to_move() {
                let done = transition(&recipe, &wish, NOW).unwrap();
                done.apply(&mut recipe);
                assert_eq!(recipe.staging_deadline, route.staging_deadline);
            }
            assert_eq!(recipe.lifecycle, route.state);
        }
    }

    #[test]
    fn a_grace_period_ends_well_unless_something_speaks_against_it() {
        assert!(staging_blockers(&StagingEvidence::default()).is_empty());
        let at = |rate| {
            staging_blockers(&StagingEvidence {
                false_positive_rate: Some(rate),
                ..StagingEvidence::default()
            })
        };
        assert!(at(0.4).is_empty());
        assert_eq!(
            at(0.41),
            ["41 % of its guards' judged findings are false positives"]
        );
        let mut recipe = sound("mcp", 0.95);
        recipe.lifecycle = Lifecycle::Staging;
        recipe.staging_deadline = Some(NOW);
        let blocked = TimerContext {
            staging_blockers: staging_blockers(&StagingEvidence {
                contradictions: &["@other".into()],
                errors: &["a guard does not compile".into()],
                ..StagingEvidence::default()
            }),
            ..TimerContext::default()
        };
        let due = effective(&recipe, &blocked, NOW).due.unwrap();
        assert_eq!(due.to, Lifecycle::Pending);
        assert_eq!(
            due.reason,
            "it contradicts @other; a guard does not compile"
        );
    }
}
