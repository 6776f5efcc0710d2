//! Proposals to change, merge, replace or retire an entry: how long each is
//! observed, what decides it, and how a change is made and taken back.
//! (knowledge.md §15)

mod judge;
mod metabolism;
mod patch;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use crate::DAY;

pub use judge::{Execution, Judgement, Observation, Usage, judge};
pub use metabolism::{
    METABOLISM_DEBOUNCE_MS, MetabolismEntry, MetabolismInput, Suggestion, SuggestionKind,
    TopicDrift, metabolism, wakes_metabolism,
};
pub use patch::{
    PATCHABLE, PatchOp, PatchOpKind, PatchRefusal, Patched, Snapshot, apply_patch, execute_patch,
    read_patch, roll_back,
};

/// What a proposal would do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ProposalType {
    /// Put a mistake right.
    Correction,
    /// Add to the entry.
    Enhance,
    /// Take another text in.
    Merge,
    /// Let another entry take its place.
    Supersede,
    /// Retire it.
    Deprecate,
    /// Say that it contradicts another entry.
    Contradiction,
    /// Say that several entries should be ordered anew.
    Reorganize,
}

/// One type: its window, and whether its end decides by itself.
struct TypeFacts {
    kind: ProposalType,
    name: &'static str,
    window_hours: i64,
    executes_itself: bool,
}

/// The table of types.
const TYPES: [TypeFacts; 7] = [
    row(ProposalType::Correction, "correction", 24, true),
    row(ProposalType::Enhance, "enhance", 48, true),
    row(ProposalType::Merge, "merge", 72, true),
    row(ProposalType::Supersede, "supersede", 72, true),
    row(ProposalType::Deprecate, "deprecate", 7 * 24, true),
    row(ProposalType::Contradiction, "contradiction", 7 * 24, false),
    row(ProposalType::Reorganize, "reorganize", 7 * 24, false),
];

const fn row(
    kind: ProposalType,
    name: &'static str,
    window_hours: i64,
    executes_itself: bool,
) -> TypeFacts {
    TypeFacts {
        kind,
        name,
        window_hours,
        executes_itself,
    }
}

impl ProposalType {
    /// Every type, in the order of the table.
    pub fn all() -> impl Iterator<Item = Self> {
        TYPES.iter().map(|facts| facts.kind)
    }

    /// Its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        TYPES[self as usize].name
    }

    /// The type of that name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::all().find(|kind| kind.name() == name)
    }

    /// For how many seconds it is observed.
    #[must_use]
    pub const fn window(self) -> i64 {
        TYPES[self as usize].window_hours * 3600
    }

    /// Whether it can be carried out at the end of its window without a person.
    #[must_use]
    pub const fn executes_itself(self) -> bool {
        TYPES[self as usize].executes_itself
    }

    /// Whether it changes the entry's content.
    #[must_use]
    pub const fn is_update(self) -> bool {
        matches!(self, Self::Correction | Self::Enhance | Self::Merge)
    }
}

/// Where a proposal stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ProposalStatus {
    /// Waits for a person.
    Pending,
    /// Its window runs.
    Observing,
    /// Carried out.
    Executed,
    /// Turned down.
    Rejected,
    /// Nobody took it up in time.
    Expired,
}

impl ProposalStatus {
    /// Its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Observing => "observing",
            Self::Executed => "executed",
            Self::Rejected => "rejected",
            Self::Expired => "expired",
        }
    }

    /// Whether it is still to be decided.
    #[must_use]
    pub const fn is_open(self) -> bool {
        matches!(self, Self::Pending | Self::Observing)
    }
}

/// How long a proposal waits for a person.
pub const PENDING_EXPIRES: i64 = 14 * DAY;
/// From which confidence on an update is observed at once.
const SURE_UPDATE: f64 = 0.7;
/// From which confidence on an agent's deprecation of a fading entry is carried
/// out at once.
const SURE_DEPRECATION: f64 = 0.8;

/// One proposal, as the store keeps it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Proposal {
    /// Made of target, type and moment: see [`propose`].
    pub id: String,
    /// What it would do.
    #[serde(rename = "type")]
    pub kind: ProposalType,
    /// The id of the entry that it is about.
    pub target: String,
    /// Other entries: the new one of a supersede, the ones that contradict or
    /// belong together.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub related: Vec<String>,
    /// Where it stands.
    pub status: ProposalStatus,
    /// From 0 to 1.
    pub confidence: f64,
    /// Who proposes it: an actor's role, `consolidation`, `decay`, …
    pub source: String,
    /// Why.
    #[serde(default)]
    pub reason: String,
    /// What it rests on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evidence: Option<Json>,
    /// The change of an update.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub patch: Vec<PatchOp>,
    /// The values that the change replaced, once it was made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub snapshot: Option<Snapshot>,
    /// The target's decay score when the window began.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub baseline_score: Option<f64>,
    /// Unix seconds.
    pub created_at: i64,
    /// Unix seconds at which its window began.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub observing_since: Option<i64>,
    /// Unix seconds at which it was decided.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resolved_at: Option<i64>,
    /// Who decided it; nobody when time did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resolved_by: Option<String>,
    /// What came of it, in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resolution: Option<String>,
}

/// What someone wants to propose.
#[derive(Clone, Debug, PartialEq)]
pub struct NewProposal {
    /// What it would do.
    pub kind: ProposalType,
    /// The id of the entry.
    pub target: String,
    /// Other entries.
    pub related: Vec<String>,
    /// From 0 to 1.
    pub confidence: f64,
    /// Who proposes it.
    pub source: String,
    /// Why.
    pub reason: String,
    /// What it rests on.
    pub evidence: Option<Json>,
    /// The change of an update.
    pub patch: Vec<PatchOp>,
    /// The target's decay score now.
    pub baseline_score: Option<f64>,
}

/// A new proposal at `now` (Unix seconds). Deprecations, and updates that are
/// sure enough, are observed at once; others wait for a person.
///
/// # Errors
/// The open proposal of the same type for the same target, when there is one:
/// there is at most one of each.
pub fn propose<'a>(
    new: NewProposal,
    existing: impl IntoIterator<Item = &'a Proposal>,
    now: i64,
) -> Result<Proposal, &'a Proposal> {
    let open = existing.into_iter().find(|known| {
        known.status.is_open() && known.kind == new.kind && known.target == new.target
    });
    if let Some(open) = open {
        return Err(open);
    }
    let observes = new.kind == ProposalType::Deprecate
        || (new.kind.is_update() && new.confidence >= SURE_UPDATE);
    Ok(Proposal {
        id: format!("ep-{}-{}-{now}", new.kind.name(), new.target),
        kind: new.kind,
        target: new.target,
        related: new.related,
        status: if observes {
            ProposalStatus::Observing
        } else {
            ProposalStatus::Pending
        },
        confidence: new.confidence,
        source: new.source,
        reason: new.reason,
        evidence: new.evidence,
        patch: new.patch,
        snapshot: None,
        baseline_score: new.baseline_score,
        created_at: now,
        observing_since: observes.then_some(now),
        resolved_at: None,
        resolved_by: None,
        resolution: None,
    })
}

impl Proposal {
    /// A person lets a waiting proposal be observed. Does nothing when it does
    /// not wait.
    pub fn begin_observing(&mut self, baseline_score: Option<f64>, now: i64) {
        if self.status == ProposalStatus::Pending {
            self.status = ProposalStatus::Observing;
            self.observing_since = Some(now);
            self.baseline_score = baseline_score.or(self.baseline_score);
        }
    }

    /// Decides it. Does nothing when it was decided before.
    pub fn resolve(
        &mut self,
        status: ProposalStatus,
        by: Option<&str>,
        resolution: impl Into<String>,
        now: i64,
    ) {
        if self.status.is_open() {
            self.status = status;
            self.resolved_at = Some(now);
            self.resolved_by = by.map(str::to_owned);
            self.resolution = Some(resolution.into());
        }
    }

    /// Unix seconds at which its window ends; `None` while it is not observed.
    #[must_use]
    pub fn window_ends(&self) -> Option<i64> {
        Some(self.observing_since? + self.kind.window())
    }

    /// Whether nobody took it up in time.
    #[must_use]
    pub const fn is_expired(&self, now: i64) -> bool {
        matches!(self.status, ProposalStatus::Pending) && now - self.created_at >= PENDING_EXPIRES
    }
}

/// How many proposals there are of each status.
#[must_use]
pub fn count_by_status<'a>(
    proposals: impl IntoIterator<Item = &'a Proposal>,
) -> BTreeMap<&'static str, usize> {
    let mut counts = BTreeMap::new();
    for proposal in proposals {
        *counts.entry(proposal.status.name()).or_default() += 1;
    }
    counts
}
