//! What time does to an entry. A state that has run out is *shown* and used for
//! ranking; it is written only when a person or `asd governance run` makes the
//! move. (knowledge.md §6, §12)

use asd_recipe::{Lifecycle, Recipe};

use super::states::facts;
use super::transition::{Goal, Move, MoveTrigger};
use crate::DAY;
use crate::signals::{Signal, SignalType};

/// What the timers have to know besides the entry.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TimerContext {
    /// How many days a decaying entry has left from its `decayStartedAt`, by
    /// how far it has decayed; 30 when it is not known.
    pub grace_days: Option<i64>,
    /// Why an entry in its grace period must not become active
    /// ([`crate::routing::staging_blockers`]).
    pub staging_blockers: Vec<String>,
}

/// A move that is due.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DueMove {
    /// Where to.
    pub to: Lifecycle,
    /// Why it comes about.
    pub trigger: MoveTrigger,
    /// Why, in words.
    pub reason: String,
    /// Unix seconds since when it is due.
    pub since: i64,
}

impl DueMove {
    /// The move, for [`super::transition`].
    #[must_use]
    pub fn to_move(&self, by: Option<&str>) -> Move {
        Move {
            by: by.map(str::to_owned),
            ..Move::new(Goal::State(self.to), self.trigger)
        }
        .because(self.reason.clone())
    }
}

/// How an entry stands at a moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Effective {
    /// The state that is shown and used for ranking.
    pub state: Lifecycle,
    /// The move that makes it so, when it differs from the written state.
    pub due: Option<DueMove>,
    /// Unix seconds at which the written state runs out by itself.
    pub runs_out: Option<i64>,
    /// For how many days the entry has been in a state that a person should
    /// have looked at by now; `None` while there is time.
    pub stuck_days: Option<i64>,
}

/// Since when an entry is in its state, in Unix seconds: its stamp, else its
/// last move, else its last change, else its creation. `None` for an entry
/// that was written by hand without any of these; no timer runs for it.
#[must_use]
pub fn state_since(recipe: &Recipe) -> Option<i64> {
    let stamp = match recipe.lifecycle {
        Lifecycle::Pending => None,
        Lifecycle::Staging => Some("stagingEnteredAt"),
        Lifecycle::Active => Some("activeSince"),
        Lifecycle::Evolving => Some("evolvingStartedAt"),
        Lifecycle::Decaying => Some("decayStartedAt"),
        Lifecycle::Deprecated => Some("deprecatedAt"),
    };
    let stamped = stamp
        .and_then(|key| recipe.extra.get(key))
        .and_then(serde_json::Value::as_i64);
    let moved = || {
        let last = recipe.lifecycle_history.last();
        last.filter(|event| event.to == recipe.lifecycle)
            .map(|event| event.at)
    };
    // A candidate that is edited does not wait anew.
    let other = || match recipe.lifecycle {
        Lifecycle::Pending => recipe.created_at.or(recipe.updated_at),
        _ => recipe.updated_at.or(recipe.created_at),
    };
    stamped.or_else(moved).or_else(other)
}

/// How an entry stands at `now`, in Unix seconds.
#[must_use]
pub fn effective(recipe: &Recipe, context: &TimerContext, now: i64) -> Effective {
    let state = recipe.lifecycle;
    let facts = facts(state);
    let since = state_since(recipe);
    let limit = match state {
        Lifecycle::Decaying => context.grace_days.or(facts.limit_days),
        _ => facts.limit_days,
    };
    let deadline = recipe
        .staging_deadline
        .filter(|_| state == Lifecycle::Staging);
    let runs_out = deadline.or_else(|| Some(since? + limit? * DAY));
    let due = runs_out
        .filter(|at| *at <= now)
        .and_then(|at| due(state, limit, context, at));
    let age = since.map(|since| (now - since) / DAY);
    let stuck_days = age
        .zip(facts.stuck_days)
        .filter(|(age, stuck)| age >= stuck && due.is_none())
        .map(|(age, _)| age);
    Effective {
        state: due.as_ref().map_or(state, |due| due.to),
        due,
        runs_out,
        stuck_days,
    }
}

fn due(
    state: Lifecycle,
    limit: Option<i64>,
    context: &TimerContext,
    since: i64,
) -> Option<DueMove> {
    let days = limit.unwrap_or_default();
    let (to, trigger, reason) = match state {
        Lifecycle::Pending => (
            Lifecycle::Deprecated,
            MoveTrigger::Timeout,
            format!("not reviewed in {days} days"),
        ),
        Lifecycle::Staging if context.staging_blockers.is_empty() => (
            Lifecycle::Active,
            MoveTrigger::StagingExpired,
            "its grace period ended without objection".to_owned(),
        ),
        Lifecycle::Staging => (
            Lifecycle::Pending,
            MoveTrigger::StagingExpired,
            context.staging_blockers.join("; "),
        ),
        Lifecycle::Evolving => (
            Lifecycle::Active,
            MoveTrigger::Timeout,
            format!("its change was not completed in {days} days"),
        ),
        Lifecycle::Decaying => (
            Lifecycle::Deprecated,
            MoveTrigger::Timeout,
            format!("fading for {days} days without being used"),
        ),
        Lifecycle::Active | Lifecycle::Deprecated => return None,
    };
    Some(DueMove {
        to,
        trigger,
        reason,
        since,
    })
}

/// The move of a fading entry that a signal shows to be in use: a search that
/// returned it, or a finding of its guard (metadata `event`: `searchHit`,
/// `guardHit`). (knowledge.md §6)
#[must_use]
pub fn recovery(recipe: &Recipe, signal: &Signal) -> Option<Move> {
    if recipe.lifecycle != Lifecycle::Decaying || signal.target != crate::entry_key(recipe) {
        return None;
    }
    let event = signal
        .metadata
        .get("event")
        .and_then(|event| event.as_str());
    let used = match signal.kind {
        SignalType::Search => "found by a search",
        SignalType::Guard => "its guard found something",
        SignalType::Usage if event == Some("searchHit") => "found by a search",
        SignalType::Usage if event == Some("guardHit") => "its guard found something",
        _ => return None,
    };
    let goal = Goal::State(Lifecycle::Active);
    Some(Move::new(goal, MoveTrigger::SignalRecovery).because(used))
}
