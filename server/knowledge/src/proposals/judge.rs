//! What becomes of a proposal when its window ends.

use asd_recipe::{Lifecycle, Recipe};

use super::patch::apply_patch;
use super::{Proposal, ProposalStatus, ProposalType, SURE_DEPRECATION};

/// How often an entry was used during a window.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Hits of every kind.
    pub hits: u64,
}

/// What was seen during a window.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Observation {
    /// Use of the target.
    pub target: Usage,
    /// The target's guard false-positive rate, when anything was judged.
    pub false_positive_rate: Option<f64>,
    /// The target's decay score now.
    pub decay_score: Option<f64>,
    /// For a supersede: the state of the new entry, and its use.
    pub successor: Option<(Lifecycle, Usage)>,
}

/// What carrying a proposal out means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Execution {
    /// Make the change, check the outcome, and keep the snapshot.
    Patch,
    /// The successor takes the target's place: the target is deprecated and
    /// gets a relation `deprecated_by`.
    Supersede,
    /// The target is deprecated (by way of decaying where it has to be).
    Deprecate,
    /// The target begins to fade.
    Decay,
}

/// What is to be done with a proposal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Judgement {
    /// Nothing yet.
    Wait,
    /// A person has to decide: its window is over and it never decides itself.
    Ask,
    /// Carry it out.
    Execute(Execution),
    /// Turn it down.
    Reject(String),
    /// Nobody took it up.
    Expire,
}

/// From this rate on, the guards of an entry are not trusted with a change.
const MAX_FALSE_POSITIVES: f64 = 0.4;
/// The share of the old entry's use that its successor needs.
const SUCCESSOR_SHARE: f64 = 0.5;
/// By how much a decay score may rise before a deprecation is off.
const RECOVERED_BY: f64 = 10.0;

/// Decides what becomes of a proposal at `now` (Unix seconds).
#[must_use]
pub fn judge(proposal: &Proposal, target: &Recipe, seen: &Observation, now: i64) -> Judgement {
    match proposal.status {
        ProposalStatus::Pending if proposal.is_expired(now) => return Judgement::Expire,
        ProposalStatus::Pending => return Judgement::Wait,
        ProposalStatus::Observing => {}
        ProposalStatus::Executed | ProposalStatus::Rejected | ProposalStatus::Expired => {
            return Judgement::Wait;
        }
    }
    if target.lifecycle == Lifecycle::Deprecated {
        return Judgement::Reject("the entry is deprecated already".into());
    }
    let sure = proposal.kind == ProposalType::Deprecate
        && target.lifecycle == Lifecycle::Decaying
        && proposal.confidence >= SURE_DEPRECATION;
    if sure {
        return Judgement::Execute(Execution::Deprecate);
    }
    if proposal.window_ends().is_none_or(|end| now < end) {
        return Judgement::Wait;
    }
    if !proposal.kind.executes_itself() {
        return Judgement::Ask;
    }
    match proposal.kind {
        ProposalType::Correction | ProposalType::Enhance | ProposalType::Merge => {
            update(proposal, target, seen)
        }
        ProposalType::Supersede => supersede(seen),
        ProposalType::Deprecate => deprecate(proposal, target, seen),
        ProposalType::Contradiction | ProposalType::Reorganize => Judgement::Ask,
    }
}

fn update(proposal: &Proposal, target: &Recipe, seen: &Observation) -> Judgement {
    if let Some(rate) = seen.false_positive_rate
        && rate >= MAX_FALSE_POSITIVES
    {
        return Judgement::Reject(format!(
            "{:.0} % of its guards' judged findings are false positives",
            rate * 100.0
        ));
    }
    if seen.target.hits == 0 {
        return Judgement::Reject("the entry was not used in the window".into());
    }
    if proposal.patch.is_empty() {
        // Without a change to make there is something for a person to do.
        return Judgement::Ask;
    }
    match apply_patch(target, &proposal.patch) {
        Ok(_) => Judgement::Execute(Execution::Patch),
        Err(refusal) => Judgement::Reject(refusal.to_string()),
    }
}

#[expect(clippy::cast_precision_loss, reason = "counts are far below 2^52")]
fn supersede(seen: &Observation) -> Judgement {
    let Some((state, usage)) = seen.successor else {
        return Judgement::Reject("the new entry is gone".into());
    };
    if state != Lifecycle::Active {
        return Judgement::Reject(format!("the new entry is {}, not active", state.name()));
    }
    if (usage.hits as f64) < SUCCESSOR_SHARE * seen.target.hits as f64 {
        return Judgement::Reject(format!(
            "the new entry was used {} times, the old one {} times",
            usage.hits, seen.target.hits
        ));
    }
    Judgement::Execute(Execution::Supersede)
}

fn deprecate(proposal: &Proposal, target: &Recipe, seen: &Observation) -> Judgement {
    let Some(score) = seen.decay_score else {
        return Judgement::Ask;
    };
    let before = proposal.baseline_score.unwrap_or(score);
    if score - before > RECOVERED_BY {
        return Judgement::Reject(format!(
            "its decay score rose from {before:.0} to {score:.0}"
        ));
    }
    if score <= 19.0 {
        Judgement::Execute(Execution::Deprecate)
    } else if score <= 40.0 {
        match target.lifecycle {
            Lifecycle::Decaying => Judgement::Reject("the entry is decaying already".into()),
            _ => Judgement::Execute(Execution::Decay),
        }
    } else {
        Judgement::Reject(format!("its decay score is {score:.0}"))
    }
}
