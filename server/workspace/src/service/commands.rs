//! What a person does with a project's knowledge, beside what agents can ask
//! for: through the same gateway, on the same record.

use std::path::Path;
use std::time::Instant;

pub use asd_knowledge::lifecycle::NamedAction;
use asd_knowledge::lifecycle::{Goal, Move, MoveTrigger};
use asd_knowledge::permit::AuditResult;
use asd_knowledge::proposals::{Execution, NewProposal, Proposal, ProposalStatus, ProposalType};
use asd_recipe::Lifecycle;
use asd_store::{AuditQuery, now};
use serde_json::{Map, Value, json};

use crate::service::Service;
use crate::service::call::{Caller, Envelope, Reply};
use crate::service::error::{ErrorCode, ServiceError};
use crate::service::ops::{drift, governance};

pub use crate::service::ops::governance::Extent;

/// One thing that a person asks for.
#[derive(Clone, Debug, PartialEq)]
pub enum Command {
    /// Makes the moves that are due, carries out proposals, mends sources.
    GovernanceRun(Extent),
    /// How far recipes have faded.
    DecayReport,
    /// How staged recipes stand.
    StagingCheck,
    /// Recipes that contradict each other.
    Contradictions,
    /// Recipes that say the same.
    Redundancy,
    /// What the use of the recipes suggests.
    Suggestions,
    /// All of these.
    Overview,
    /// Whether recipes still say what the code is; one of them, or all.
    Drift(Option<String>),
    /// Recipes that a person should have looked at by now.
    Stuck,
    /// The account of what was done.
    Audit(AuditFilter),
    /// The proposals; with those that were decided.
    Proposals {
        /// Also those that are not open any more.
        all: bool,
    },
    /// One proposal.
    Proposal(String),
    /// Lets a proposal be observed, or carries it out.
    Accept {
        /// Its id.
        id: String,
        /// When.
        when: When,
    },
    /// Turns a proposal down.
    Reject {
        /// Its id.
        id: String,
        /// Why.
        reason: Option<String>,
    },
    /// Has a recipe looked at by somebody: a proposal to put it right.
    MarkForReview {
        /// Its id or trigger.
        recipe: String,
        /// What seems wrong with it.
        reason: String,
    },
    /// Moves a recipe by one of the named actions.
    Move {
        /// Its id or trigger.
        recipe: String,
        /// The action.
        action: NamedAction,
        /// Why.
        reason: Option<String>,
    },
    /// Removes a recipe's file.
    Delete {
        /// Its id or trigger.
        recipe: String,
        /// Whether the person said that it is meant.
        confirmed: bool,
    },
}

/// When an accepted proposal is carried out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// When its window ends and the evidence is for it.
    WindowEnds,
    /// At once.
    Now,
}

/// Which rows of the account are wanted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AuditFilter {
    /// Of this role.
    pub actor: Option<String>,
    /// Of this action.
    pub action: Option<String>,
    /// Only what was refused or failed.
    pub failures: bool,
    /// At most so many.
    pub limit: usize,
}

impl Command {
    /// The action and the resource that the gateway asks about; `None` for what
    /// only looks.
    const fn gate(&self) -> Option<(&'static str, &'static str)> {
        match self {
            Self::GovernanceRun(Extent::Everything) => Some(("knowledge:execute", "governance")),
            Self::Accept { .. } | Self::Reject { .. } | Self::MarkForReview { .. } => {
                Some(("knowledge:evolve", "proposals"))
            }
            Self::Move { .. } => Some(("knowledge:update", "knowledge")),
            Self::Delete { .. } => Some(("knowledge:delete", "knowledge")),
            Self::GovernanceRun(Extent::DryRun)
            | Self::DecayReport
            | Self::StagingCheck
            | Self::Contradictions
            | Self::Redundancy
            | Self::Suggestions
            | Self::Overview
            | Self::Drift(_)
            | Self::Stuck
            | Self::Audit(_)
            | Self::Proposals { .. }
            | Self::Proposal(_) => None,
        }
    }

    /// What is put on record.
    fn arguments(&self) -> Map<String, Value> {
        let value = match self {
            Self::Accept { id, when } => json!({"proposal": id, "now": *when == When::Now}),
            Self::Reject { id, reason } => json!({"proposal": id, "reason": reason}),
            Self::MarkForReview { recipe, reason } => json!({"id": recipe, "reason": reason}),
            Self::Move {
                recipe,
                action,
                reason,
            } => json!({"id": recipe, "operation": action.name(), "reason": reason}),
            Self::Delete { recipe, confirmed } => json!({"id": recipe, "confirmed": confirmed}),
            _ => json!({}),
        };
        match value {
            Value::Object(map) => map,
            _ => Map::new(),
        }
    }

    const fn name(&self) -> &'static str {
        match self {
            Self::GovernanceRun(_) => "governance run",
            Self::DecayReport => "decay report",
            Self::StagingCheck => "staging check",
            Self::Contradictions => "contradictions",
            Self::Redundancy => "redundancy",
            Self::Suggestions => "suggestions",
            Self::Overview => "governance",
            Self::Drift(_) => "recipe drift",
            Self::Stuck => "stuck",
            Self::Audit(_) => "audit",
            Self::Proposals { .. } | Self::Proposal(_) => "proposals",
            Self::Accept { .. } => "accept",
            Self::Reject { .. } => "reject",
            Self::MarkForReview { .. } => "mark for review",
            Self::Move { .. } => "move",
            Self::Delete { .. } => "delete",
        }
    }
}

impl Service {
    /// Does what a person asks for. Never fails: what goes wrong is in the
    /// envelope.
    pub fn command(&self, command: &Command, caller: &Caller) -> Envelope {
        let start = Instant::now();
        let gate = command.gate();
        let arguments = command.arguments();
        let admitted = match gate {
            Some((action, resource)) => {
                self.gateway
                    .admit(&self.knowledge, caller, action, resource, &arguments)
            }
            None => Ok(()),
        };
        let result = admitted.and_then(|()| {
            let result = self.obey(command, caller);
            if let Some((action, resource)) = gate {
                self.gateway.record(
                    &self.knowledge,
                    caller,
                    action,
                    resource,
                    &arguments,
                    result.as_ref().err(),
                    start.elapsed(),
                );
            }
            result
        });
        let took = u64::try_from(start.elapsed().as_millis()).unwrap_or(u64::MAX);
        Envelope::of(command.name(), result, Vec::new(), took)
    }

    fn obey(&self, command: &Command, caller: &Caller) -> Result<Reply, ServiceError> {
        let seconds = now().0 / 1000;
        match command {
            Command::GovernanceRun(extent) => governance::run(self, *extent, &caller.role, seconds),
            Command::DecayReport => governance::decay_report(self, seconds),
            Command::StagingCheck => governance::staging_check(self, seconds),
            Command::Contradictions => governance::contradiction_audit(self, seconds),
            Command::Redundancy => governance::redundancy_audit(self, seconds),
            Command::Suggestions => governance::enhancement_suggestions(self, seconds),
            Command::Overview => governance::cycle(self, seconds),
            Command::Drift(name) => drift::of_recipe(self, name.as_deref()),
            Command::Stuck => {
                let rows = governance::stuck(self, seconds)?;
                let count = rows.len();
                Ok(Reply::new(
                    format!("{count} recipes wait for somebody."),
                    json!({"count": count, "items": rows}),
                ))
            }
            Command::Audit(filter) => self.account(filter),
            Command::Proposals { all } => Ok(self.proposals(*all)),
            Command::Proposal(id) => {
                let proposal = self.proposal(id)?;
                Ok(Reply::new(
                    proposal.id.clone(),
                    self.proposal_row(&proposal),
                ))
            }
            Command::Accept { id, when } => self.accept(id, *when, caller, seconds),
            Command::Reject { id, reason } => self.reject(id, reason.as_deref(), caller, seconds),
            Command::MarkForReview { recipe, reason } => {
                self.mark_for_review(recipe, reason, caller, seconds)
            }
            Command::Move {
                recipe,
                action,
                reason,
            } => self.move_by_hand(recipe, *action, reason.as_deref(), caller),
            Command::Delete { recipe, .. } => self.delete(recipe),
        }
    }

    fn account(&self, filter: &AuditFilter) -> Result<Reply, ServiceError> {
        let rows = self.knowledge.store.audit(&AuditQuery {
            actor: filter.actor.clone(),
            action: filter.action.clone(),
            result: filter.failures.then_some(AuditResult::Failure),
            limit: filter.limit,
            ..AuditQuery::default()
        })?;
        let count = rows.len();
        Ok(Reply::new(
            format!("{count} rows."),
            json!({"count": count, "items": rows}),
        ))
    }

    fn proposals(&self, all: bool) -> Reply {
        let rows: Vec<Value> = self
            .knowledge
            .store
            .proposals()
            .iter()
            .filter(|proposal| all || proposal.status.is_open())
            .map(|proposal| self.proposal_row(proposal))
            .collect();
        let count = rows.len();
        Reply::new(
            format!("{count} proposals."),
            json!({"count": count, "items": rows}),
        )
    }

    fn proposal_row(&self, proposal: &Proposal) -> Value {
        let mut row = json!(proposal);
        row["windowEnds"] = json!(proposal.window_ends());
        if let Some(held) = self.knowledge.find(&proposal.target) {
            row["trigger"] = json!(held.recipe.trigger);
            row["title"] = json!(held.recipe.title);
        }
        row
    }

    /// The proposal of an id; or the only open one of a recipe.
    fn proposal(&self, name: &str) -> Result<Proposal, ServiceError> {
        let all = self.knowledge.store.proposals();
        if let Some(found) = all.iter().find(|proposal| proposal.id == name) {
            return Ok(found.clone());
        }
        let Some(held) = self.knowledge.find(name) else {
            return Err(ServiceError::not_found(format!(
                "There is no proposal `{name}`. `asd proposals list` shows them."
            )));
        };
        let of_recipe: Vec<&Proposal> = all
            .iter()
            .filter(|proposal| proposal.status.is_open() && proposal.target == held.key())
            .collect();
        match of_recipe.as_slice() {
            [one] => Ok((*one).clone()),
            [] => Err(ServiceError::not_found(format!(
                "There is no open proposal for {}.",
                held.recipe.trigger
            ))),
            several => {
                let ids: Vec<&str> = several.iter().map(|p| p.id.as_str()).collect();
                Err(ServiceError::new(
                    ErrorCode::Conflict,
                    format!(
                        "There are several proposals for {}; name one of {}.",
                        held.recipe.trigger,
                        ids.join(", ")
                    ),
                ))
            }
        }
    }

    fn open_proposal(&self, name: &str) -> Result<Proposal, ServiceError> {
        let proposal = self.proposal(name)?;
        if proposal.status.is_open() {
            return Ok(proposal);
        }
        Err(ServiceError::new(
            ErrorCode::Conflict,
            format!(
                "{} is {} already{}.",
                proposal.id,
                proposal.status.name(),
                proposal
                    .resolution
                    .as_ref()
                    .map(|why| format!(" ({why})"))
                    .unwrap_or_default()
            ),
        ))
    }

    fn accept(
        &self,
        name: &str,
        when: When,
        caller: &Caller,
        seconds: i64,
    ) -> Result<Reply, ServiceError> {
        let proposal = self.open_proposal(name)?;
        let execution = match proposal.kind {
            ProposalType::Supersede => Some(Execution::Supersede),
            ProposalType::Deprecate => Some(Execution::Deprecate),
            kind if kind.is_update() && !proposal.patch.is_empty() => Some(Execution::Patch),
            _ => None,
        };
        match (execution, when) {
            // There is nothing that could be carried out: it was taken up.
            (None, _) => self.decide(
                &proposal,
                ProposalStatus::Executed,
                "taken up by hand",
                caller,
                seconds,
            ),
            (Some(_), When::WindowEnds) => self.observe(&proposal, caller, seconds),
            (Some(execution), When::Now) => {
                let target = self.knowledge.get(&proposal.target)?;
                let outcome =
                    governance::carry_out(self, &proposal, &target, execution, &caller.role)?;
                self.knowledge.written(&outcome.paths);
                if outcome.status == ProposalStatus::Rejected {
                    return Err(ServiceError::new(
                        ErrorCode::Conflict,
                        format!("It cannot be carried out: {}.", outcome.resolution),
                    ));
                }
                let resolution = outcome.resolution;
                self.decide(&proposal, outcome.status, &resolution, caller, seconds)
            }
        }
    }

    /// Lets a proposal be observed; the recipe is evolving meanwhile when its
    /// content is to change.
    fn observe(
        &self,
        proposal: &Proposal,
        caller: &Caller,
        seconds: i64,
    ) -> Result<Reply, ServiceError> {
        let target = self.knowledge.get(&proposal.target)?;
        let score = governance::decay_score(self, target.key(), seconds)?;
        let changed = self.knowledge.store.change_proposals(|proposals| {
            let open = proposals.iter_mut().find(|open| open.id == proposal.id)?;
            open.begin_observing(score, seconds);
            Some(open.clone())
        })?;
        let observed = changed.unwrap_or_else(|| proposal.clone());
        if proposal.kind.is_update() && target.recipe.lifecycle == Lifecycle::Active {
            let mut wish = Move::new(Goal::Action(NamedAction::Evolve), MoveTrigger::Proposal)
                .because("a change of it is observed");
            wish.by = Some(caller.role.clone());
            wish.proposal = Some(proposal.id.clone());
            self.move_recipe(target.key(), &wish)?;
        }
        Ok(Reply::new(
            format!(
                "{} is observed; `asd governance run` decides it when its window is over.",
                observed.id
            ),
            self.proposal_row(&observed),
        ))
    }

    fn reject(
        &self,
        name: &str,
        reason: Option<&str>,
        caller: &Caller,
        seconds: i64,
    ) -> Result<Reply, ServiceError> {
        let proposal = self.open_proposal(name)?;
        if let Some(held) = self.knowledge.find(&proposal.target) {
            let paths = governance::settle(self, &proposal, &held, &caller.role)?;
            self.knowledge.written(&paths);
        }
        let why = reason.unwrap_or("turned down by a person");
        self.decide(&proposal, ProposalStatus::Rejected, why, caller, seconds)
    }

    fn decide(
        &self,
        proposal: &Proposal,
        status: ProposalStatus,
        resolution: &str,
        caller: &Caller,
        seconds: i64,
    ) -> Result<Reply, ServiceError> {
        let decided = self.knowledge.store.change_proposals(|proposals| {
            let open = proposals.iter_mut().find(|open| open.id == proposal.id)?;
            open.resolve(status, Some(&caller.role), resolution, seconds);
            Some(open.clone())
        })?;
        let decided = decided.unwrap_or_else(|| proposal.clone());
        Ok(Reply::new(
            format!("{} is {}: {resolution}.", decided.id, decided.status.name()),
            self.proposal_row(&decided),
        ))
    }

    fn mark_for_review(
        &self,
        recipe: &str,
        reason: &str,
        caller: &Caller,
        seconds: i64,
    ) -> Result<Reply, ServiceError> {
        let held = self.knowledge.get(recipe)?;
        let proposal = self.propose(
            NewProposal {
                kind: ProposalType::Correction,
                target: held.key().to_owned(),
                related: Vec::new(),
                // What a person has to write cannot be carried out by itself.
                confidence: 0.5,
                source: caller.role.clone(),
                reason: reason.to_owned(),
                evidence: None,
                patch: Vec::new(),
                baseline_score: None,
            },
            seconds,
        )?;
        Ok(Reply::new(
            format!("{} is marked for review.", held.recipe.trigger),
            self.proposal_row(&proposal),
        ))
    }

    fn move_by_hand(
        &self,
        recipe: &str,
        action: NamedAction,
        reason: Option<&str>,
        caller: &Caller,
    ) -> Result<Reply, ServiceError> {
        let held = self.knowledge.get(recipe)?;
        let mut wish = Move::new(Goal::Action(action), MoveTrigger::Manual);
        wish.by = Some(caller.role.clone());
        if let Some(reason) = reason {
            wish = wish.because(reason);
        }
        let moved = self.move_recipe(held.key(), &wish)?;
        Ok(Reply::new(
            format!(
                "{} is {} now.",
                held.recipe.trigger,
                moved.transition.to.name()
            ),
            json!({
                "id": moved.written.id,
                "from": moved.transition.from,
                "to": moved.transition.to,
                "file": moved.written.path,
            }),
        ))
    }

    fn delete(&self, recipe: &str) -> Result<Reply, ServiceError> {
        let held = self.knowledge.get(recipe)?;
        if !Path::new(&*held.path).starts_with("Alembic") {
            return Err(ServiceError::new(
                ErrorCode::PermissionDenied,
                format!(
                    "{} lies outside of this project; delete it where it comes from.",
                    held.path
                ),
            ));
        }
        let written = self.knowledge.store.delete(held.key())?;
        self.knowledge.written(std::slice::from_ref(&written.path));
        Ok(Reply::new(
            format!("{} is deleted.", held.recipe.trigger),
            json!({"id": held.key(), "file": written.path}),
        ))
    }
}
