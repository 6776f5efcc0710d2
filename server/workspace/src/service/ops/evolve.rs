//! `asd_evolve`: what an agent found when it looked at recipes again.

use asd_knowledge::lifecycle::{Goal, Move, MoveTrigger, NamedAction};
use asd_knowledge::proposals::{
    Execution, Judgement, NewProposal, Observation, ProposalStatus, ProposalType, judge, read_patch,
};
use asd_knowledge::signals::{Signal, SignalType};
use asd_recipe::Lifecycle;
use asd_store::emit_signals;
use serde_json::{Value, json};

use crate::service::Service;
use crate::service::call::{Call, Reply};
use crate::service::error::{ErrorCode, ServiceError};
use crate::service::knowledge::Held;

pub(super) fn run(service: &Service, call: &Call<'_>) -> Result<Reply, ServiceError> {
    let mut results = Vec::new();
    let mut errors = Vec::new();
    let (mut proposed, mut deprecated, mut skipped, mut refreshed) = (0, 0, 0, 0);
    for decision in call.items("decisions") {
        let name = decision["recipeId"].as_str().unwrap_or_default();
        match decide(service, call, name, decision) {
            Ok(done) => {
                match done.kind {
                    Done::Proposed => proposed += 1,
                    Done::Deprecated => deprecated += 1,
                    Done::Skipped => skipped += 1,
                    Done::Refreshed => {
                        skipped += 1;
                        refreshed += 1;
                    }
                }
                results.push(done.row);
            }
            Err(error) => errors.push(json!({"recipeId": name, "message": error.message})),
        }
    }
    let processed = results.len();
    let mut reply = Reply::new(
        format!("{processed} decisions taken, {} refused.", errors.len()),
        json!({
            "processed": processed,
            "proposed": proposed,
            "deprecated": deprecated,
            "skipped": skipped,
            "refreshed": refreshed,
            "quotaChange": deprecated,
            "errors": errors,
            "results": results,
        }),
    );
    if processed == 0 {
        reply.failed = Some(ErrorCode::ValidationError);
    }
    Ok(reply)
}

enum Done {
    Proposed,
    Deprecated,
    Skipped,
    Refreshed,
}

struct Decided {
    kind: Done,
    row: Value,
}

fn decide(
    service: &Service,
    call: &Call<'_>,
    name: &str,
    decision: &Value,
) -> Result<Decided, ServiceError> {
    let held = service.knowledge.get(name)?;
    match decision["action"].as_str() {
        Some("propose_evolution") => evolution(service, call, &held, decision),
        Some("confirm_deprecation") => deprecation(service, call, &held, decision),
        _ => skip(service, call, &held, decision),
    }
}

fn evolution(
    service: &Service,
    call: &Call<'_>,
    held: &Held,
    decision: &Value,
) -> Result<Decided, ServiceError> {
    let evidence = &decision["evidence"];
    let says = |name: &str| {
        evidence[name]
            .as_str()
            .filter(|text| !text.trim().is_empty())
    };
    let (Some(_), Some(changes)) = (
        says("codeSnippet").or_else(|| says("filePath")),
        says("suggestedChanges"),
    ) else {
        return Err(ServiceError::new(
            ErrorCode::ValidationError,
            "A change needs evidence: `codeSnippet` or `filePath`, and `suggestedChanges`.",
        ));
    };
    let kind = if says("type") == Some("correction") {
        ProposalType::Correction
    } else {
        ProposalType::Enhance
    };
    // Words that are no list of changes are left to a person.
    let patch = read_patch(&json!(changes)).unwrap_or_default();
    let proposal = service.propose(
        NewProposal {
            kind,
            target: held.key().to_owned(),
            related: Vec::new(),
            // Words alone are for a person: nothing can be carried out.
            confidence: if patch.is_empty() {
                confidence(decision, 0.6).min(0.6)
            } else {
                confidence(decision, 0.6)
            },
            source: call.caller.role.clone(),
            reason: reason(decision),
            evidence: Some(evidence.clone()),
            patch,
            baseline_score: None,
        },
        call.seconds(),
    )?;
    Ok(Decided {
        kind: Done::Proposed,
        row: json!({
            "recipeId": held.key(),
            "action": "propose_evolution",
            "proposalId": proposal.id,
            "status": proposal.status,
        }),
    })
}

fn deprecation(
    service: &Service,
    call: &Call<'_>,
    held: &Held,
    decision: &Value,
) -> Result<Decided, ServiceError> {
    let now = call.seconds();
    let proposal = service.propose(
        NewProposal {
            kind: ProposalType::Deprecate,
            target: held.key().to_owned(),
            related: Vec::new(),
            confidence: confidence(decision, 0.6),
            source: call.caller.role.clone(),
            reason: reason(decision),
            evidence: decision.get("evidence").cloned(),
            patch: Vec::new(),
            baseline_score: None,
        },
        now,
    )?;
    let judgement = judge(&proposal, &held.recipe, &Observation::default(), now);
    if judgement != Judgement::Execute(Execution::Deprecate)
        || held.recipe.lifecycle != Lifecycle::Decaying
    {
        return Ok(Decided {
            kind: Done::Proposed,
            row: json!({
                "recipeId": held.key(),
                "action": "confirm_deprecation",
                "proposalId": proposal.id,
                "status": proposal.status,
            }),
        });
    }
    let mut wish = Move::new(Goal::Action(NamedAction::Deprecate), MoveTrigger::Proposal)
        .because(reason(decision));
    wish.by = Some(call.caller.role.clone());
    service.move_recipe(held.key(), &wish)?;
    service.knowledge.store.change_proposals(|proposals| {
        if let Some(open) = proposals.iter_mut().find(|open| open.id == proposal.id) {
            open.resolve(
                ProposalStatus::Executed,
                Some(&call.caller.role),
                "it was decaying",
                now,
            );
        }
    })?;
    Ok(Decided {
        kind: Done::Deprecated,
        row: json!({
            "recipeId": held.key(),
            "action": "confirm_deprecation",
            "proposalId": proposal.id,
            "status": "executed",
        }),
    })
}

fn skip(
    service: &Service,
    call: &Call<'_>,
    held: &Held,
    decision: &Value,
) -> Result<Decided, ServiceError> {
    let why = decision["skipReason"]
        .as_str()
        .unwrap_or("insufficient_info");
    let valid = why == "still_valid";
    if valid {
        // That somebody looked is no change of the recipe: it is remembered
        // beside it.
        let seen = Signal {
            kind: SignalType::Quality,
            source: "asd_evolve".to_owned(),
            target: held.key().to_owned(),
            value: 1.0,
            metadata: json!({"verified": true, "by": call.caller.role}),
            timestamp: call.now,
        };
        emit_signals(service.project(), &[seen])
            .map_err(|error| ServiceError::new(ErrorCode::WriteError, error.to_string()))?;
    }
    Ok(Decided {
        kind: if valid {
            Done::Refreshed
        } else {
            Done::Skipped
        },
        row: json!({
            "recipeId": held.key(),
            "action": "skip",
            "skipReason": why,
            "lastVerifiedAt": valid.then_some(call.seconds()),
        }),
    })
}

fn confidence(decision: &Value, otherwise: f64) -> f64 {
    decision["confidence"].as_f64().unwrap_or(otherwise)
}

fn reason(decision: &Value) -> String {
    decision["reason"].as_str().unwrap_or_default().to_owned()
}
