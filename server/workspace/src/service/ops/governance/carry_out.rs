//! What proposals come to: judged at the end of their windows, and carried out.
//! (knowledge.md §15)

use std::collections::BTreeMap;

use asd_knowledge::counters::UsageLine;
use asd_knowledge::governance::Standing;
use asd_knowledge::lifecycle::{Goal, Move, MoveTrigger, is_allowed};
use asd_knowledge::proposals::{
    Execution, Judgement, Observation, Proposal, ProposalStatus, Usage, execute_patch, judge,
    roll_back,
};
use asd_knowledge::submission::{Issue, validate_recipe};
use asd_recipe::{Lifecycle, Recipe, Relation, RelationKind, Severity};

use super::base::Base;
use crate::service::Service;
use crate::service::error::{ErrorCode, ServiceError};
use crate::service::knowledge::Held;
use crate::service::ops::submit::Sources;

/// What is to be done with one open proposal.
pub(super) struct Judged {
    pub(super) proposal: Proposal,
    /// `None` when its target is gone.
    pub(super) target: Option<Held>,
    pub(super) judgement: Judgement,
}

/// Judges every open proposal.
pub(super) fn judge_all(
    service: &Service,
    base: &Base,
    standings: &[Standing],
) -> Result<Vec<Judged>, ServiceError> {
    let open: Vec<Proposal> = service
        .knowledge
        .store
        .proposals()
        .into_iter()
        .filter(|proposal| proposal.status.is_open())
        .collect();
    let since = open.iter().filter_map(|open| open.observing_since).min();
    let lines = match since {
        Some(since) => service.knowledge.store.usage_since(since * 1000)?,
        None => Vec::new(),
    };
    let rows: BTreeMap<&str, usize> = base
        .held
        .iter()
        .enumerate()
        .flat_map(|(at, held)| [(held.key(), at), (held.recipe.trigger.as_str(), at)])
        .collect();
    Ok(open
        .into_iter()
        .map(|proposal| {
            let Some(&at) = rows.get(proposal.target.as_str()) else {
                return Judged {
                    judgement: Judgement::Reject("the entry is gone".to_owned()),
                    target: None,
                    proposal,
                };
            };
            let usage = |id: &str| Usage {
                hits: hits(&lines, id, proposal.observing_since),
            };
            let successor = proposal
                .related
                .first()
                .and_then(|id| rows.get(id.as_str()))
                .map(|&at| {
                    let held = &base.held[at];
                    (held.recipe.lifecycle, usage(held.key()))
                });
            let held = &base.held[at];
            let seen = Observation {
                target: usage(held.key()),
                false_positive_rate: base.stats[at].rule_false_positive_rate,
                decay_score: Some(standings[at].decay.score),
                successor,
            };
            Judged {
                judgement: judge(&proposal, &held.recipe, &seen, base.now),
                target: Some(held.clone()),
                proposal,
            }
        })
        .collect())
}

fn hits(lines: &[UsageLine], id: &str, since: Option<i64>) -> u64 {
    let since = since.unwrap_or(i64::MAX).saturating_mul(1000);
    lines
        .iter()
        .filter(|line| line.id == id && line.t >= since && line.e.is_hit())
        .map(|line| line.n)
        .sum()
}

/// What became of a proposal.
pub(crate) struct Outcome {
    pub(crate) status: ProposalStatus,
    pub(crate) resolution: String,
    /// Files that were written, project-relative.
    pub(crate) paths: Vec<String>,
}

/// Carries a proposal out on an entry. What cannot be done is a rejection; an
/// error leaves the proposal as it was.
pub(crate) fn carry_out(
    service: &Service,
    proposal: &Proposal,
    target: &Held,
    execution: Execution,
    by: &str,
) -> Result<Outcome, ServiceError> {
    let wish = |trigger: MoveTrigger| {
        let mut wish = Move::new(Goal::State(Lifecycle::Deprecated), trigger);
        wish.by = Some(by.to_owned());
        wish.proposal = Some(proposal.id.clone());
        wish.because(if proposal.reason.trim().is_empty() {
            format!("proposal {}", proposal.id)
        } else {
            proposal.reason.clone()
        })
    };
    match execution {
        Execution::Patch => patch(service, proposal, target, by),
        Execution::Deprecate => {
            let paths = go(
                service,
                target,
                Lifecycle::Deprecated,
                &wish(MoveTrigger::Proposal),
            )?;
            Ok(executed("it is deprecated", paths))
        }
        Execution::Decay => {
            let paths = go(
                service,
                target,
                Lifecycle::Decaying,
                &wish(MoveTrigger::Proposal),
            )?;
            Ok(executed("it is decaying", paths))
        }
        Execution::Supersede => {
            let mut paths = relate(service, proposal, target)?;
            paths.extend(go(
                service,
                target,
                Lifecycle::Deprecated,
                &wish(MoveTrigger::Supersede),
            )?);
            Ok(executed("another entry took its place", paths))
        }
    }
}

fn executed(resolution: &str, paths: Vec<String>) -> Outcome {
    Outcome {
        status: ProposalStatus::Executed,
        resolution: resolution.to_owned(),
        paths,
    }
}

fn rejected(resolution: impl Into<String>) -> Outcome {
    Outcome {
        status: ProposalStatus::Rejected,
        resolution: resolution.into(),
        paths: Vec::new(),
    }
}

/// Makes the change. The values of before are kept with the proposal before
/// anything is written, so that a change is never made twice.
fn patch(
    service: &Service,
    proposal: &Proposal,
    target: &Held,
    by: &str,
) -> Result<Outcome, ServiceError> {
    if let Some(snapshot) = &proposal.snapshot {
        let mut before = (*target.recipe).clone();
        roll_back(&mut before, snapshot);
        if before != *target.recipe {
            return Ok(executed("the change was made", Vec::new()));
        }
    }
    let known = errors_of(service, &target.recipe);
    let errors = |changed: &Recipe| new_errors(&known, errors_of(service, changed));
    let patched = match execute_patch(&target.recipe, &proposal.patch, errors) {
        Ok(patched) => patched,
        Err(refusal) => return Ok(rejected(refusal.to_string())),
    };
    let store = &service.knowledge.store;
    store.change_proposals(|proposals| {
        if let Some(open) = proposals.iter_mut().find(|open| open.id == proposal.id) {
            open.snapshot = Some(patched.snapshot.clone());
        }
    })?;
    // The file may have been edited since it was read: the change is made on
    // what it says now, and checked again.
    let mut refusal = None;
    let written = store.update(target.key(), |recipe| {
        match execute_patch(recipe, &proposal.patch, errors) {
            Ok(patched) => {
                *recipe = patched.recipe;
                Ok(())
            }
            Err(reason) => {
                refusal = Some(reason.to_string());
                Err(reason.to_string())
            }
        }
    });
    let mut paths = match (written, refusal) {
        (Ok(written), _) => vec![written.path],
        (Err(_), Some(refusal)) => return Ok(rejected(refusal)),
        (Err(error), None) => return Err(error.into()),
    };
    paths.extend(settle(service, proposal, target, by)?);
    Ok(executed("the change was made", paths))
}

fn errors_of(service: &Service, recipe: &Recipe) -> Vec<Issue> {
    validate_recipe(recipe, &Sources(service.project()))
        .into_iter()
        .filter(|issue| issue.severity == Severity::Error)
        .collect()
}

/// What is wrong with a changed entry and was not before: an entry that people
/// wrote in their own way can be changed all the same.
fn new_errors(known: &[Issue], found: Vec<Issue>) -> Vec<String> {
    found
        .into_iter()
        .filter(|issue| {
            !known
                .iter()
                .any(|old| old.layer == issue.layer && old.field == issue.field)
        })
        .map(|issue| issue.message)
        .collect()
}

/// Lets an entry that was evolving for this proposal be active again.
pub(crate) fn settle(
    service: &Service,
    proposal: &Proposal,
    target: &Held,
    by: &str,
) -> Result<Vec<String>, ServiceError> {
    let its_own = target
        .recipe
        .extra
        .get("proposalId")
        .and_then(serde_json::Value::as_str)
        .is_some_and(|id| id == proposal.id);
    if target.recipe.lifecycle != Lifecycle::Evolving || !its_own {
        return Ok(Vec::new());
    }
    let mut wish = Move::new(Goal::State(Lifecycle::Active), MoveTrigger::Proposal)
        .because("its proposal was decided");
    wish.by = Some(by.to_owned());
    wish.proposal = Some(proposal.id.clone());
    moved(service, target.key(), &wish)
}

/// Notes in the old entry which one took its place.
fn relate(
    service: &Service,
    proposal: &Proposal,
    target: &Held,
) -> Result<Vec<String>, ServiceError> {
    let Some(new) = proposal.related.first() else {
        return Ok(Vec::new());
    };
    let successor = service.knowledge.find(new);
    let names: Vec<String> = successor.map_or_else(
        || vec![new.clone()],
        |held| {
            vec![
                held.recipe.trigger.clone(),
                held.key().to_owned(),
                held.recipe.title.clone(),
            ]
        },
    );
    let written = service.knowledge.store.update(target.key(), |recipe| {
        let relations = recipe
            .relations
            .entry(RelationKind::DeprecatedBy)
            .or_default();
        if !relations.iter().any(|known| names.contains(&known.target)) {
            relations.push(Relation {
                target: names[0].clone(),
                ..Relation::default()
            });
        }
        Ok(())
    })?;
    Ok(vec![written.path])
}

/// Moves an entry to a state, through others where there is no direct move.
fn go(
    service: &Service,
    target: &Held,
    to: Lifecycle,
    wish: &Move,
) -> Result<Vec<String>, ServiceError> {
    let mut paths = Vec::new();
    for step in way(target.recipe.lifecycle, to)? {
        let mut wish = wish.clone();
        wish.goal = Goal::State(step);
        paths.extend(moved(service, target.key(), &wish)?);
    }
    Ok(paths)
}

/// The states between, the last one included.
fn way(from: Lifecycle, to: Lifecycle) -> Result<Vec<Lifecycle>, ServiceError> {
    if from == to {
        return Ok(Vec::new());
    }
    if is_allowed(from, to) {
        return Ok(vec![to]);
    }
    let through = Lifecycle::ALL
        .iter()
        .copied()
        // An entry is not made to look verified on its way out.
        .filter(|between| *between != Lifecycle::Active)
        .find(|between| is_allowed(from, *between) && is_allowed(*between, to));
    match through {
        Some(between) => Ok(vec![between, to]),
        None => Err(ServiceError::new(
            ErrorCode::Conflict,
            format!("there is no way from {} to {}", from.name(), to.name()),
        )),
    }
}

fn moved(service: &Service, key: &str, wish: &Move) -> Result<Vec<String>, ServiceError> {
    let moved = service.knowledge.store.transition(key, wish)?;
    let mut paths = vec![moved.written.path];
    paths.extend(moved.written.moved_from);
    Ok(paths)
}

#[cfg(test)]
mod tests {
    use Lifecycle::{Active, Decaying, Deprecated, Evolving, Pending, Staging};

    use super::*;

    #[test]
    fn an_entry_is_retired_from_every_state() {
        assert_eq!(way(Active, Deprecated).unwrap(), [Deprecated]);
        assert_eq!(way(Evolving, Deprecated).unwrap(), [Decaying, Deprecated]);
        assert_eq!(way(Staging, Deprecated).unwrap(), [Pending, Deprecated]);
        assert_eq!(way(Decaying, Deprecated).unwrap(), [Deprecated]);
        assert_eq!(way(Deprecated, Deprecated).unwrap(), []);
        assert_eq!(
            way(Staging, Decaying).unwrap_err().code,
            ErrorCode::Conflict
        );
    }

    #[test]
    fn only_hits_in_the_window_count() {
        use asd_knowledge::counters::UsageEvent;
        let line = |t, id: &str, e| UsageLine {
            t,
            id: id.into(),
            e,
            n: 2,
        };
        let lines = [
            line(999, "a", UsageEvent::View),
            line(1000, "a", UsageEvent::SearchHit),
            line(2000, "b", UsageEvent::View),
            line(2000, "a", UsageEvent::Authority),
        ];
        assert_eq!(hits(&lines, "a", Some(1)), 2);
        assert_eq!(hits(&lines, "a", None), 0);
    }
}
