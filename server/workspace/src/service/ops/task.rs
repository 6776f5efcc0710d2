//! `asd_task`: what is known before work begins, and the account of the work.
//! (mcp.md §7)

use std::collections::BTreeSet;

use asd_knowledge::counters::UsageEvent;
use asd_search::{Asked, Intent, PrimeRow};
use serde_json::{Value, json};

use crate::service::Service;
use crate::service::call::{Call, Reply, missing};
use crate::service::error::{ErrorCode, ServiceError};
use crate::task::{Decision, End, Outcome, Primed, TASK_RULES};

pub(super) fn run(service: &Service, call: &Call<'_>) -> Result<Reply, ServiceError> {
    match call.operation() {
        "prime" => Ok(prime(service, call)),
        "create" => create(call),
        "record_decision" => record_decision(call),
        "close" => close(service, call),
        _ => fail(service, call),
    }
}

fn prime(service: &Service, call: &Call<'_>) -> Reply {
    let query = call.text("userQuery").unwrap_or_default();
    let project = service.project();
    let intent = Intent::extract(
        &Asked {
            query,
            active_file: call.text("activeFile"),
            language: call.text("language"),
            root: project.root(),
        },
        &service.knowledge.synonyms(),
    );
    let found = service.knowledge.index().prime(&intent);
    let rows: Vec<&PrimeRow> = found
        .related_knowledge
        .iter()
        .chain(&found.guard_rules)
        .collect();
    let ids: Vec<String> = rows.iter().map(|row| row.row.id.clone()).collect();
    let modules: BTreeSet<String> = rows
        .iter()
        .flat_map(|row| &row.row.source_refs)
        .filter_map(|source| {
            let path = source.split(':').next().unwrap_or(source);
            asd_search::module_of(path, project.root())
        })
        .collect();
    let left = {
        let mut session = call.session();
        let counted = session.count_hits(&ids, call.now);
        for id in &counted {
            service.knowledge.record(id, UsageEvent::SearchHit);
        }
        session.prime(
            Primed {
                query: query.to_owned(),
                active_file: call.text("activeFile").map(str::to_owned),
                meta: found.search_meta.clone(),
                recipe_ids: ids,
                modules,
            },
            call.now,
        )
    };
    if let Some(record) = left {
        service.knowledge.remember_chain(&record);
    }
    let total = found.related_knowledge.len() + found.guard_rules.len();
    let message = if total == 0 {
        "No recipe is about this; go on, and follow the files nearby.".to_owned()
    } else {
        format!(
            "Found {} recipe(s), {} guard rule(s)",
            found.related_knowledge.len(),
            found.guard_rules.len()
        )
    };
    Reply::new(
        message,
        json!({
            "knowledge": {
                "relatedKnowledge": found.related_knowledge,
                "guardRules": found.guard_rules,
            },
            "searchMeta": found.search_meta,
            "_taskRules": TASK_RULES,
        }),
    )
}

fn create(call: &Call<'_>) -> Result<Reply, ServiceError> {
    let title = call.needed("title")?;
    let (id, primed) = call.session().create(title, call.now);
    let reply = Reply::new(
        format!("Opened {id}."),
        json!({"id": id, "title": title, "bound": true}),
    );
    Ok(if primed {
        reply
    } else {
        reply.warn("There was no prime before; call asd_task prime first next time.")
    })
}

fn record_decision(call: &Call<'_>) -> Result<Reply, ServiceError> {
    let absent: Vec<&str> = ["title", "description"]
        .into_iter()
        .filter(|name| call.text(name).is_none())
        .collect();
    if !absent.is_empty() {
        return Err(missing(&absent));
    }
    let decision = call.session().record_decision(Decision {
        id: String::new(),
        title: call.needed("title")?.to_owned(),
        description: call.needed("description")?.to_owned(),
        rationale: call.text("rationale").map(str::to_owned),
        tags: call.texts("tags"),
        timestamp: call.now,
    });
    Ok(Reply::new(
        format!("Recorded {}.", decision.id),
        json!({"decision": decision}),
    ))
}

/// What is to be done after a task.
fn next_action() -> Value {
    json!({
        "tool": "asd_guard",
        "args": {},
        "required": true,
        "reason": "Review the diff for violations before continuing.",
    })
}

fn close(service: &Service, call: &Call<'_>) -> Result<Reply, ServiceError> {
    let reason = call.text("reason").unwrap_or("Completed");
    let end = End {
        outcome: Outcome::Completed,
        reason: Some(reason.to_owned()),
    };
    let ended = call.session().end(call.text("id"), &end, call.now);
    let (id, record) = ended.map_err(|error| {
        if error.code == ErrorCode::NoActiveTask {
            error.with_data(json!({"nextAction": next_action()}))
        } else {
            error
        }
    })?;
    service.knowledge.remember_chain(&record);
    Ok(Reply::new(
        "Closed. Now call asd_guard without arguments to review the change.",
        json!({
            "closed": {"id": id, "reason": reason, "closedAt": call.now},
            "nextAction": next_action(),
        }),
    ))
}

fn fail(service: &Service, call: &Call<'_>) -> Result<Reply, ServiceError> {
    let absent: Vec<&str> = ["id", "reason"]
        .into_iter()
        .filter(|name| call.text(name).is_none())
        .collect();
    if !absent.is_empty() {
        return Err(missing(&absent));
    }
    let reason = call.needed("reason")?;
    let end = End {
        outcome: Outcome::Failed,
        reason: Some(reason.to_owned()),
    };
    let (id, record) = call.session().end(call.text("id"), &end, call.now)?;
    service.knowledge.remember_chain(&record);
    Ok(Reply::new(
        "The task is closed as failed.",
        json!({"failed": {"id": id, "reason": reason, "failedAt": call.now}}),
    ))
}
