//! `asd governance run`: the one place where what time and use decided is
//! written. (knowledge.md §6, §7, §11, §12, §14, §15)

use std::collections::BTreeSet;

use asd_knowledge::decay::DecayLevel;
use asd_knowledge::governance::{Standing, due_transitions};
use asd_knowledge::lifecycle::{Goal, Move, Transition, recovery, state_since, transition};
use asd_knowledge::proposals::{Judgement, Proposal, ProposalStatus};
use asd_knowledge::signals::{Signal, SignalType};
use asd_recipe::Lifecycle;
use asd_store::{emit_signals, merge_usage};
use serde_json::{Value, json};

use super::base::{Base, Depth};
use super::carry_out::{Judged, Outcome, carry_out, judge_all, settle};
use crate::drift::Remember;
use crate::service::Service;
use crate::service::anomalies;
use crate::service::call::Reply;
use crate::service::error::{ErrorCode, ServiceError};
use crate::service::knowledge::Held;

/// Whether a run writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// It does.
    Everything,
    /// It only says what it would do.
    DryRun,
}

/// What a run did, or would do.
#[derive(Default)]
struct Account {
    moves: Vec<Value>,
    repaired: Vec<Value>,
    proposals: Vec<Value>,
    errors: Vec<Value>,
    /// Files that were written.
    paths: BTreeSet<String>,
    /// Entries that something was done about already.
    touched: BTreeSet<String>,
}

impl Account {
    fn failed(&mut self, held: &Held, error: &ServiceError) {
        self.errors.push(json!({
            "id": held.key(),
            "trigger": held.recipe.trigger,
            "message": error.message,
        }));
    }

    fn moved(&mut self, held: &Held, made: &Transition) {
        let reason = made.history.last().and_then(|event| event.reason.clone());
        self.moves.push(json!({
            "id": held.key(),
            "trigger": held.recipe.trigger,
            "title": held.recipe.title,
            "from": made.from,
            "to": made.to,
            "cause": made.event.trigger,
            "reason": reason,
        }));
    }
}

/// Makes what is due, or says what is.
pub(crate) fn run(
    service: &Service,
    extent: Extent,
    by: &str,
    now: i64,
) -> Result<Reply, ServiceError> {
    let remember = match extent {
        Extent::Everything => Remember::Healthy,
        Extent::DryRun => Remember::Nothing,
    };
    let base = Base::gather(service, Depth::Code, remember, now)?;
    let standings = base.standings();
    let mut account = Account::default();
    recover(service, &base, extent, by, &mut account);
    decide_proposals(service, &base, &standings, extent, by, &mut account)?;
    move_due(service, &base, extent, by, &mut account);
    repair(service, &base, extent, &mut account);
    let merged = match extent {
        Extent::DryRun => false,
        Extent::Everything => {
            let paths: Vec<String> = account.paths.iter().cloned().collect();
            if !paths.is_empty() {
                service.knowledge.written(&paths);
            }
            tell(service, &base, &standings);
            merge_usage(&service.knowledge.store)
                .inspect_err(|error| {
                    account.errors.push(json!({
                        "id": "Alembic/usage.json",
                        "message": error.to_string(),
                    }));
                })
                .is_ok_and(|summary| summary.is_some())
        }
    };
    Ok(reply(&base, account, extent, merged))
}

fn reply(base: &Base, account: Account, extent: Extent, merged: bool) -> Reply {
    let decided = account
        .proposals
        .iter()
        .filter(|row| row["outcome"] != "waits for a person")
        .count();
    let message = format!(
        "{}{} moves, {} sources renamed, {} proposals decided{}.",
        match extent {
            Extent::DryRun => "Would be done: ",
            Extent::Everything => "Done: ",
        },
        account.moves.len(),
        account.repaired.len(),
        decided,
        if merged { ", use of recipes told" } else { "" },
    );
    let failed = account.errors.len();
    let mut reply = Reply::new(
        message,
        json!({
            "dryRun": extent == Extent::DryRun,
            "moves": account.moves,
            "repaired": account.repaired,
            "proposals": account.proposals,
            "usageMerged": merged,
            "errors": account.errors,
        }),
    );
    reply.warnings.extend(base.notes.iter().cloned());
    if failed > 0 {
        reply.failed = Some(ErrorCode::WriteError);
    }
    reply
}

/// Only the project's own files are written; recipes of other folders are read.
fn is_own(held: &Held) -> bool {
    held.path.starts_with("Alembic/")
}

/// Entries that fade and were found or fired again since are active again.
fn recover(service: &Service, base: &Base, extent: Extent, by: &str, account: &mut Account) {
    for (held, stats) in base.held.iter().zip(&base.stats) {
        if held.recipe.lifecycle != Lifecycle::Decaying || !is_own(held) {
            continue;
        }
        let since = state_since(&held.recipe).unwrap_or(i64::MIN);
        let hits = [
            ("searchHit", stats.last_searched_at),
            ("guardHit", stats.last_guard_hit_at),
        ];
        let wish = hits
            .into_iter()
            .filter_map(|(event, at)| Some((event, at.filter(|at| *at > since)?)))
            .find_map(|(event, at)| {
                let signal = Signal {
                    kind: SignalType::Usage,
                    source: "usage-journal".to_owned(),
                    target: held.key().to_owned(),
                    value: 1.0,
                    metadata: json!({"event": event}),
                    timestamp: at * 1000,
                };
                recovery(&held.recipe, &signal)
            });
        if let Some(mut wish) = wish {
            wish.by = Some(by.to_owned());
            account.touched.insert(held.key().to_owned());
            make(service, held, &wish, base.now, extent, account);
        }
    }
}

/// Moves that time, decay and the end of grace periods ask for.
fn move_due(service: &Service, base: &Base, extent: Extent, by: &str, account: &mut Account) {
    let governed = base.governed();
    for (held, entry) in base.held.iter().zip(&governed) {
        if account.touched.contains(held.key()) || !is_own(held) {
            continue;
        }
        for made in due_transitions(entry, Some(by), base.now) {
            if extent == Extent::DryRun {
                account.moved(held, &made);
                continue;
            }
            let mut wish = Move::new(Goal::State(made.to), made.event.trigger);
            wish.by = Some(by.to_owned());
            wish.evidence.clone_from(&made.event.evidence);
            wish.reason = made.history.last().and_then(|event| event.reason.clone());
            if !make(service, held, &wish, base.now, extent, account) {
                break;
            }
        }
    }
}

/// Makes a move, or says that it would be made.
fn make(
    service: &Service,
    held: &Held,
    wish: &Move,
    now: i64,
    extent: Extent,
    account: &mut Account,
) -> bool {
    let done = match extent {
        Extent::DryRun => transition(&held.recipe, wish, now)
            .map(|made| (made, Vec::new()))
            .map_err(|error| ServiceError::new(ErrorCode::Conflict, error.to_string())),
        Extent::Everything => service
            .knowledge
            .store
            .transition(held.key(), wish)
            .map(|moved| {
                let mut paths = vec![moved.written.path];
                paths.extend(moved.written.moved_from);
                (moved.transition, paths)
            })
            .map_err(ServiceError::from),
    };
    match done {
        Ok((made, paths)) => {
            account.moved(held, &made);
            account.paths.extend(paths);
            true
        }
        Err(error) => {
            account.failed(held, &error);
            false
        }
    }
}

/// Writes the new paths of sources that were renamed.
fn repair(service: &Service, base: &Base, extent: Extent, account: &mut Account) {
    for held in base.held.iter().filter(|held| is_own(held)) {
        let Some(audited) = base.audited.get(&held.path) else {
            continue;
        };
        let repairs: Vec<(String, asd_recipe::SourceRef)> = audited
            .sources
            .iter()
            .filter_map(|found| {
                let new = found.repaired.clone()?;
                Some((found.source.to_string(), new))
            })
            .collect();
        if repairs.is_empty() {
            continue;
        }
        if extent == Extent::Everything {
            let written = service.knowledge.store.update(held.key(), |recipe| {
                for source in &mut recipe.reasoning.sources {
                    let name = source.to_string();
                    if let Some((_, new)) = repairs.iter().find(|(old, _)| *old == name) {
                        source.path.clone_from(&new.path);
                        source.lines = new.lines;
                    }
                }
                Ok(())
            });
            match written {
                Ok(written) => {
                    account.paths.insert(written.path);
                }
                Err(error) => {
                    account.failed(held, &error.into());
                    continue;
                }
            }
        }
        for (old, new) in repairs {
            account.repaired.push(json!({
                "id": held.key(),
                "trigger": held.recipe.trigger,
                "from": old,
                "to": new.to_string(),
            }));
        }
    }
}

fn decide_proposals(
    service: &Service,
    base: &Base,
    standings: &[Standing],
    extent: Extent,
    by: &str,
    account: &mut Account,
) -> Result<(), ServiceError> {
    for judged in judge_all(service, base, standings)? {
        if judged.judgement == Judgement::Wait {
            continue;
        }
        let outcome = match (extent, &judged.judgement) {
            (_, Judgement::Ask) => {
                row(account, &judged.proposal, "waits for a person", "");
                continue;
            }
            (Extent::DryRun, Judgement::Execute(_)) => {
                row(account, &judged.proposal, "executed", "its window is over");
                if let Some(held) = &judged.target {
                    account.touched.insert(held.key().to_owned());
                }
                continue;
            }
            (_, Judgement::Reject(reason)) => Outcome {
                status: ProposalStatus::Rejected,
                resolution: reason.clone(),
                paths: Vec::new(),
            },
            (_, Judgement::Expire | Judgement::Wait) => Outcome {
                status: ProposalStatus::Expired,
                resolution: "nobody took it up".to_owned(),
                paths: Vec::new(),
            },
            (Extent::Everything, Judgement::Execute(execution)) => {
                // A proposal that is carried out has a target.
                let Some(held) = &judged.target else { continue };
                account.touched.insert(held.key().to_owned());
                match carry_out(service, &judged.proposal, held, *execution, by) {
                    Ok(outcome) => outcome,
                    Err(error) => {
                        account.failed(held, &error);
                        continue;
                    }
                }
            }
        };
        row(
            account,
            &judged.proposal,
            outcome.status.name(),
            &outcome.resolution,
        );
        if extent == Extent::Everything {
            account.paths.extend(outcome.paths.iter().cloned());
            conclude(service, &judged, &outcome, by, base.now, account)?;
        }
    }
    Ok(())
}

/// Keeps what came of a proposal.
fn conclude(
    service: &Service,
    judged: &Judged,
    outcome: &Outcome,
    by: &str,
    now: i64,
    account: &mut Account,
) -> Result<(), ServiceError> {
    service.knowledge.store.change_proposals(|proposals| {
        let id = &judged.proposal.id;
        if let Some(open) = proposals.iter_mut().find(|open| open.id == *id) {
            open.resolve(outcome.status, None, outcome.resolution.clone(), now);
        }
    })?;
    if outcome.status != ProposalStatus::Executed
        && let Some(held) = &judged.target
    {
        match settle(service, &judged.proposal, held, by) {
            Ok(paths) => account.paths.extend(paths),
            Err(error) => account.failed(held, &error),
        }
    }
    Ok(())
}

fn row(account: &mut Account, proposal: &Proposal, outcome: &str, why: &str) {
    account.proposals.push(json!({
        "id": proposal.id,
        "type": proposal.kind,
        "target": proposal.target,
        "outcome": outcome,
        "reason": why,
    }));
}

/// Tells others what fades, and what is out of the ordinary.
fn tell(service: &Service, base: &Base, standings: &[Standing]) {
    let signals: Vec<Signal> = standings
        .iter()
        .zip(&base.held)
        .filter(|(standing, held)| {
            matches!(
                held.recipe.lifecycle,
                Lifecycle::Active | Lifecycle::Evolving
            ) && standing.decay.level >= DecayLevel::Decaying
        })
        .map(|(standing, held)| Signal {
            kind: SignalType::Decay,
            source: "governance".to_owned(),
            target: held.key().to_owned(),
            value: (1.0 - standing.decay.score / 100.0).clamp(0.0, 1.0),
            metadata: json!({
                "score": standing.decay.score,
                "level": standing.decay.level,
                "strategies": standing.decay.strategies,
            }),
            timestamp: base.now * 1000,
        })
        .collect();
    if let Err(error) = emit_signals(service.project(), &signals) {
        tracing::warn!(%error, "what fades is not told to others");
    }
    anomalies::look(service.project(), base.now * 1000);
}
