//! The one function that lets an entry change its state.

use asd_recipe::{Home, Lifecycle, LifecycleEvent, Recipe};
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;
use thiserror::Error;

use super::states::{NamedAction, home_of, is_allowed};
use crate::entry_key;
use crate::signals::{Signal, SignalType};

/// How many past moves a file keeps.
const KEPT_HISTORY: usize = 20;

/// Why a move was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MoveTrigger {
    /// A person or an agent asked for it.
    Manual,
    /// The confidence of a submission decided it.
    ConfidenceRoute,
    /// A grace period ended.
    StagingExpired,
    /// A state lasted too long.
    Timeout,
    /// The entry decayed.
    Decay,
    /// A proposal was carried out.
    Proposal,
    /// The entry was used again.
    SignalRecovery,
    /// A file was found changed or gone.
    Sync,
    /// Another entry took its place.
    Supersede,
}

impl MoveTrigger {
    /// Every trigger, in the order of the specification.
    pub const ALL: [Self; 9] = [
        Self::Manual,
        Self::ConfidenceRoute,
        Self::StagingExpired,
        Self::Timeout,
        Self::Decay,
        Self::Proposal,
        Self::SignalRecovery,
        Self::Sync,
        Self::Supersede,
    ];

    /// Its name in kebab-case.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Manual => "manual",
            Self::ConfidenceRoute => "confidence-route",
            Self::StagingExpired => "staging-expired",
            Self::Timeout => "timeout",
            Self::Decay => "decay",
            Self::Proposal => "proposal",
            Self::SignalRecovery => "signal-recovery",
            Self::Sync => "sync",
            Self::Supersede => "supersede",
        }
    }
}

/// What a move aims at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Goal {
    /// A state.
    State(Lifecycle),
    /// Wherever the action leads.
    Action(NamedAction),
}

/// A move that someone asks for.
#[derive(Clone, Debug, PartialEq)]
pub struct Move {
    /// Where to.
    pub goal: Goal,
    /// Why it comes about.
    pub trigger: MoveTrigger,
    /// Who.
    pub by: Option<String>,
    /// Why, in words.
    pub reason: Option<String>,
    /// What it rests on.
    pub evidence: Option<Json>,
    /// The proposal that it carries out, or begins to observe.
    pub proposal: Option<String>,
    /// Unix seconds at which the grace period ends; for moves to staging.
    pub staging_deadline: Option<i64>,
}

impl Move {
    /// A move without particulars.
    #[must_use]
    pub const fn new(goal: Goal, trigger: MoveTrigger) -> Self {
        Self {
            goal,
            trigger,
            by: None,
            reason: None,
            evidence: None,
            proposal: None,
            staging_deadline: None,
        }
    }

    /// A named action that someone asks for.
    #[must_use]
    pub fn manual(action: NamedAction, by: &str, reason: Option<&str>) -> Self {
        Self {
            by: Some(by.to_owned()),
            reason: reason.map(str::to_owned),
            ..Self::new(Goal::Action(action), MoveTrigger::Manual)
        }
    }

    /// The same move with a reason.
    #[must_use]
    pub fn because(mut self, reason: impl Into<String>) -> Self {
        self.reason = Some(reason.into());
        self
    }
}

/// Why a move is not made; the entry stays as it is.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum TransitionError {
    /// The entry is there already.
    #[error("already in state")]
    AlreadyInState {
        /// The state.
        state: Lifecycle,
    },
    /// No such move exists.
    #[error("invalid transition from {} to {}", .from.name(), .to.name())]
    Invalid {
        /// The state that the entry is in.
        from: Lifecycle,
        /// The state that was asked for.
        to: Lifecycle,
    },
    /// The action does not begin in this state.
    #[error("invalid transition from {} to {}: {} works on {}", .from.name(), .to.name(), .action.name(), begins(.action))]
    NotFromHere {
        /// The action.
        action: NamedAction,
        /// The state that the entry is in.
        from: Lifecycle,
        /// Where the action leads elsewhere.
        to: Lifecycle,
    },
}

fn begins(action: &NamedAction) -> String {
    let names: Vec<&str> = action.moves().iter().map(|(from, _)| from.name()).collect();
    names.join(", ")
}

impl TransitionError {
    /// The error code that doors show; a move to where the entry is already is
    /// a no-op rather than an error, and has none.
    #[must_use]
    pub const fn code(&self) -> Option<&'static str> {
        match self {
            Self::AlreadyInState { .. } => None,
            Self::Invalid { .. } | Self::NotFromHere { .. } => Some("CONFLICT"),
        }
    }
}

/// One row of the account of all moves.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TransitionEvent {
    /// Made of the entry, the moment and the states, so that a row that is
    /// read twice is one row.
    pub id: String,
    /// The entry's id; its trigger when it has none yet.
    pub recipe_id: String,
    /// The state before.
    pub from_state: Lifecycle,
    /// The state after.
    pub to_state: Lifecycle,
    /// Why it came about.
    pub trigger: MoveTrigger,
    /// What it rests on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evidence: Option<Json>,
    /// The proposal that it belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proposal_id: Option<String>,
    /// Who.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operator_id: Option<String>,
    /// Unix seconds.
    pub created_at: i64,
}

/// A move that is permitted, with everything that has to be written.
#[derive(Clone, Debug, PartialEq)]
pub struct Transition {
    /// The state before.
    pub from: Lifecycle,
    /// The state after.
    pub to: Lifecycle,
    /// Front-matter keys to set, or to remove where there is no value; in the
    /// form that [`asd_recipe::patch_front_matter`] takes.
    pub changes: Vec<(&'static str, Option<Json>)>,
    /// The entry's history with this move, oldest first, at most twenty.
    pub history: Vec<LifecycleEvent>,
    /// The row for the account of moves.
    pub event: TransitionEvent,
    /// What others are told.
    pub signal: Signal,
    /// The folders before and after, when the file has to move.
    pub relocation: Option<(Home, Home)>,
}

impl Transition {
    /// Makes the move on an entry in memory. This is the only way in which an
    /// entry gets another state.
    pub fn apply(&self, recipe: &mut Recipe) {
        recipe.lifecycle = self.to;
        recipe.lifecycle_history.clone_from(&self.history);
        for (key, value) in &self.changes {
            match *key {
                "lifecycle" | "lifecycleHistory" => {}
                "stagingDeadline" => {
                    recipe.staging_deadline = value.as_ref().and_then(Json::as_i64);
                }
                "updatedAt" => recipe.updated_at = value.as_ref().and_then(Json::as_i64),
                key => match value {
                    Some(value) => {
                        recipe.extra.insert(key.to_owned(), value.clone());
                    }
                    None => {
                        recipe.extra.shift_remove(key);
                    }
                },
            }
        }
    }
}

/// Decides a move of an entry: whether it is permitted, and what it writes.
/// `now` is in Unix seconds.
///
/// # Errors
/// [`TransitionError`] when the table has no such move.
pub fn transition(recipe: &Recipe, wish: &Move, now: i64) -> Result<Transition, TransitionError> {
    let from = recipe.lifecycle;
    let to = target(from, wish.goal)?;
    let mut history = recipe.lifecycle_history.clone();
    history.push(LifecycleEvent {
        from,
        to,
        at: now,
        by: wish.by.clone(),
        reason: wish.reason.clone(),
    });
    let surplus = history.len().saturating_sub(KEPT_HISTORY);
    history.drain(..surplus);
    let recipe_id = entry_key(recipe).to_owned();
    let event = TransitionEvent {
        id: format!("{recipe_id}:{now}:{}-{}", from.name(), to.name()),
        recipe_id: recipe_id.clone(),
        from_state: from,
        to_state: to,
        trigger: wish.trigger,
        evidence: wish.evidence.clone(),
        proposal_id: wish.proposal.clone(),
        operator_id: wish.by.clone(),
        created_at: now,
    };
    let signal = Signal {
        kind: SignalType::Lifecycle,
        source: "lifecycle".into(),
        target: recipe_id,
        value: 1.0,
        metadata: serde_json::json!({
            "from": from.name(),
            "to": to.name(),
            "trigger": wish.trigger.name(),
        }),
        timestamp: now.saturating_mul(1000),
    };
    let (before, after) = (home_of(from), home_of(to));
    Ok(Transition {
        from,
        to,
        changes: changes(recipe, wish, from, to, &history, now),
        history,
        event,
        signal,
        relocation: (before != after).then_some((before, after)),
    })
}

fn target(from: Lifecycle, goal: Goal) -> Result<Lifecycle, TransitionError> {
    match goal {
        Goal::State(to) if to == from => Err(TransitionError::AlreadyInState { state: from }),
        Goal::State(to) if is_allowed(from, to) => Ok(to),
        Goal::State(to) => Err(TransitionError::Invalid { from, to }),
        Goal::Action(action) => action.target(from).ok_or_else(|| {
            let to = action.moves()[0].1;
            if action.moves().iter().any(|(_, to)| *to == from) {
                TransitionError::AlreadyInState { state: from }
            } else {
                TransitionError::NotFromHere { action, from, to }
            }
        }),
    }
}

/// The keys that a state has while it lasts.
const fn stamps_of(state: Lifecycle) -> &'static [&'static str] {
    match state {
        Lifecycle::Pending => &[],
        Lifecycle::Staging => &["stagingEnteredAt", "stagingDeadline"],
        Lifecycle::Active => &["activeSince"],
        Lifecycle::Evolving => &["evolvingStartedAt", "proposalId"],
        Lifecycle::Decaying => &["decayStartedAt"],
        Lifecycle::Deprecated => &["deprecatedAt"],
    }
}

fn changes(
    recipe: &Recipe,
    wish: &Move,
    from: Lifecycle,
    to: Lifecycle,
    history: &[LifecycleEvent],
    now: i64,
) -> Vec<(&'static str, Option<Json>)> {
    let at = || Some(Json::from(now));
    let by = || wish.by.clone().map(Json::from);
    let mut changes: Vec<(&'static str, Option<Json>)> = vec![
        ("lifecycle", Some(Json::from(to.name()))),
        ("lifecycleHistory", serde_json::to_value(history).ok()),
    ];
    changes.extend(stamps_of(from).iter().map(|key| (*key, None)));
    if from == Lifecycle::Active {
        changes.push(("lastActiveAt", at()));
    }
    match to {
        Lifecycle::Pending => {}
        Lifecycle::Staging => {
            changes.push(("stagingEnteredAt", at()));
            changes.push(("stagingDeadline", wish.staging_deadline.map(Json::from)));
        }
        Lifecycle::Active => changes.push(("activeSince", at())),
        Lifecycle::Evolving => {
            changes.push(("evolvingStartedAt", at()));
            changes.push(("proposalId", wish.proposal.clone().map(Json::from)));
        }
        Lifecycle::Decaying => changes.push(("decayStartedAt", at())),
        Lifecycle::Deprecated => changes.push(("deprecatedAt", at())),
    }
    let is_candidate = matches!(from, Lifecycle::Pending | Lifecycle::Staging);
    if is_candidate && to == Lifecycle::Active {
        changes.push(("publishedAt", at()));
        changes.push(("publishedBy", by()));
    }
    if is_candidate && wish.trigger == MoveTrigger::Manual {
        changes.push(("reviewedAt", at()));
        changes.push(("reviewedBy", by()));
    }
    let turned_down = is_candidate && matches!(to, Lifecycle::Pending | Lifecycle::Deprecated);
    if turned_down && wish.reason.is_some() {
        changes.push(("rejectionReason", wish.reason.clone().map(Json::from)));
    } else if recipe.extra.contains_key("rejectionReason") {
        changes.push(("rejectionReason", None));
    }
    changes.push(("updatedAt", at()));
    changes
}
