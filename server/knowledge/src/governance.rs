//! What is due in a whole base: staged entries whose time is over, entries that
//! fade, states that ran out. Nothing is written here; `asd governance run`
//! makes the moves. (knowledge.md §7, §12; mcp.md, asd_panorama)

use std::collections::BTreeMap;

use asd_recipe::{Lifecycle, Recipe};
use serde::Serialize;

use crate::decay::{Decay, DecayInput, DecayLevel, decay};
use crate::entry_key;
use crate::lifecycle::{
    Effective, Goal, Move, MoveTrigger, TimerContext, Transition, effective, transition,
};

/// An entry with what is known of it.
#[derive(Clone, Debug)]
pub struct GovernedEntry<'a> {
    /// The entry.
    pub recipe: &'a Recipe,
    /// What its decay is made of.
    pub decay: DecayInput<'a>,
    /// Why it must not leave its grace period well.
    pub staging_blockers: Vec<String>,
}

/// How one entry stands.
#[derive(Clone, Debug, PartialEq)]
pub struct Standing {
    /// The entry's id.
    pub id: String,
    /// Its title.
    pub title: String,
    /// How far it has faded.
    pub decay: Decay,
    /// How it stands, with the move that is due.
    pub effective: Effective,
}

/// How an entry stands at `now`, in Unix seconds. An active entry that decays
/// counts as decaying already, and one that is dead as deprecated.
#[must_use]
pub fn standing(entry: &GovernedEntry<'_>, now: i64) -> Standing {
    let recipe = entry.recipe;
    let decay = decay(recipe, &entry.decay, now);
    let context = TimerContext {
        grace_days: decay.level.grace_days(),
        staging_blockers: entry.staging_blockers.clone(),
    };
    let mut effective = effective(recipe, &context, now);
    if let Some(state) = decay.moves.last() {
        effective.state = *state;
    }
    Standing {
        id: entry_key(recipe).to_owned(),
        title: recipe.title.clone(),
        decay,
        effective,
    }
}

/// The moves that are due for an entry, each following on the one before; none
/// for most. `by` is who runs the governance.
#[must_use]
pub fn due_transitions(entry: &GovernedEntry<'_>, by: Option<&str>, now: i64) -> Vec<Transition> {
    let found = standing(entry, now);
    let mut wishes: Vec<Move> = found
        .decay
        .moves
        .iter()
        .map(|state| {
            let strategies: Vec<&str> = found
                .decay
                .strategies
                .iter()
                .map(|strategy| strategy.name())
                .collect();
            let why = if strategies.is_empty() {
                String::new()
            } else {
                format!(" ({})", strategies.join(", "))
            };
            Move {
                by: by.map(str::to_owned),
                evidence: serde_json::to_value(&found.decay).ok(),
                ..Move::new(Goal::State(*state), MoveTrigger::Decay)
            }
            .because(format!(
                "its decay score is {:.0}, {}{why}",
                found.decay.score,
                found.decay.level.name()
            ))
        })
        .collect();
    if wishes.is_empty() {
        wishes.extend(found.effective.due.map(|due| due.to_move(by)));
    }
    let mut recipe = entry.recipe.clone();
    let mut made = Vec::new();
    for wish in wishes {
        let Ok(done) = transition(&recipe, &wish, now) else {
            break;
        };
        done.apply(&mut recipe);
        made.push(done);
    }
    made
}

/// How the staged entries of a base stand.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct StagingReport {
    /// Those whose grace period ended well, by id.
    pub promoted: Vec<String>,
    /// Those that go back to review, with why.
    pub rolled_back: Vec<RolledBack>,
    /// Those that wait.
    pub waiting: Vec<Waiting>,
}

/// A staged entry that goes back to review.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RolledBack {
    /// Its id.
    pub id: String,
    /// Why.
    pub reason: String,
}

/// A staged entry that waits.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Waiting {
    /// Its id.
    pub id: String,
    /// Unix seconds until when; unknown for an entry without any date.
    pub until: Option<i64>,
}

/// How the staged entries among these stand.
#[must_use]
pub fn staging_report<'a>(
    standings: impl IntoIterator<Item = (&'a Recipe, &'a Standing)>,
) -> StagingReport {
    let mut report = StagingReport::default();
    for (recipe, standing) in standings {
        if recipe.lifecycle != Lifecycle::Staging {
            continue;
        }
        let id = standing.id.clone();
        match &standing.effective.due {
            Some(due) if due.to == Lifecycle::Active => report.promoted.push(id),
            Some(due) => report.rolled_back.push(RolledBack {
                id,
                reason: due.reason.clone(),
            }),
            None => report.waiting.push(Waiting {
                id,
                until: standing.effective.runs_out,
            }),
        }
    }
    report
}

/// How many of the scanned entries (active and evolving) are of each level.
#[must_use]
pub fn decay_counts<'a>(
    standings: impl IntoIterator<Item = (&'a Recipe, &'a Standing)>,
) -> BTreeMap<&'static str, usize> {
    let mut counts: BTreeMap<&'static str, usize> =
        DecayLevel::all().map(|level| (level.name(), 0)).collect();
    for (recipe, standing) in standings {
        if matches!(recipe.lifecycle, Lifecycle::Active | Lifecycle::Evolving) {
            *counts.entry(standing.decay.level.name()).or_default() += 1;
        }
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::DAY;
    use crate::counters::{Coverage, Stats};

    const NOW: i64 = 1_790_000_000;

    fn recipe(id: &str, lifecycle: Lifecycle) -> Recipe {
        Recipe {
            id: Some(id.into()),
            lifecycle,
            created_at: Some(NOW - 400 * DAY),
            updated_at: Some(NOW - 400 * DAY),
            ..Recipe::default()
        }
    }

    fn governed<'a>(recipe: &'a Recipe, stats: &'a Stats) -> GovernedEntry<'a> {
        GovernedEntry {
            recipe,
            decay: DecayInput::new(stats, Coverage { days: 400 }),
            staging_blockers: Vec::new(),
        }
    }

    fn used() -> Stats {
        Stats {
            last_hit_at: Some(NOW),
            hits_last90d: 50,
            ..Stats::default()
        }
    }

    fn dead() -> Stats {
        Stats {
            authority: Some(0.0),
            ..Stats::default()
        }
    }

    fn states(moves: &[Transition]) -> Vec<Lifecycle> {
        moves.iter().map(|done| done.to).collect()
    }

    #[test]
    fn a_dead_entry_is_retired_in_two_moves_at_once() {
        let entry = recipe("a", Lifecycle::Evolving);
        let stats = dead();
        let moves = due_transitions(&governed(&entry, &stats), Some("ann"), NOW);
        assert_eq!(states(&moves), [Lifecycle::Decaying, Lifecycle::Deprecated]);
        assert_eq!(moves[1].event.trigger, MoveTrigger::Decay);
        assert_eq!(moves[1].history.len(), 2);
        assert_eq!(
            moves[0].history[0].reason.as_deref(),
            Some("its decay score is 10, dead (no-usage)")
        );
        let shown = standing(&governed(&entry, &stats), NOW);
        assert_eq!(shown.effective.state, Lifecycle::Deprecated);
    }

    #[test]
    fn an_entry_that_is_used_stays() {
        let entry = recipe("a", Lifecycle::Active);
        let stats = used();
        assert!(due_transitions(&governed(&entry, &stats), None, NOW).is_empty());
    }

    #[test]
    fn how_far_a_fading_entry_decayed_decides_when_it_goes() {
        let mut entry = recipe("a", Lifecycle::Decaying);
        entry
            .extra
            .insert("decayStartedAt".into(), (NOW - 16 * DAY).into());
        let severe = Stats {
            last_hit_at: Some(NOW - 300 * DAY),
            hits_last90d: 1,
            ..Stats::default()
        };
        let moves = due_transitions(&governed(&entry, &severe), None, NOW);
        assert_eq!(states(&moves), [Lifecycle::Deprecated]);
        let better = Stats {
            hits_last90d: 30,
            ..severe
        };
        assert!(due_transitions(&governed(&entry, &better), None, NOW).is_empty());
    }

    #[test]
    fn staged_entries_are_promoted_rolled_back_or_wait() {
        let at = |id: &str, deadline: i64| Recipe {
            staging_deadline: Some(deadline),
            ..recipe(id, Lifecycle::Staging)
        };
        let recipes = [
            at("a", NOW),
            at("b", NOW - 1),
            at("c", NOW + 9),
            recipe("d", Lifecycle::Active),
        ];
        let stats = used();
        let standings: Vec<Standing> = recipes
            .iter()
            .map(|recipe| {
                let mut entry = governed(recipe, &stats);
                if recipe.id.as_deref() == Some("b") {
                    entry.staging_blockers = vec!["it contradicts @x".into()];
                }
                standing(&entry, NOW)
            })
            .collect();
        let report = staging_report(recipes.iter().zip(&standings));
        assert_eq!(report.promoted, ["a"]);
        assert_eq!(report.rolled_back[0].reason, "it contradicts @x");
        assert_eq!(
            report.waiting,
            [Waiting {
                id: "c".into(),
                until: Some(NOW + 9)
            }]
        );
        let counts = decay_counts(recipes.iter().zip(&standings));
        assert_eq!(counts["healthy"], 1);
        assert_eq!(counts.values().sum::<usize>(), 1);
    }
}
