//! `asd_search`

use std::collections::BTreeMap;

use asd_delivery::Present;
use asd_knowledge::counters::UsageEvent;
use asd_recipe::{Kind, canonical_language};
use asd_search::{Mode, Ordered, Query};
use serde_json::{Value, json};

use crate::service::Service;
use crate::service::call::{Call, Reply};
use crate::service::error::{ErrorCode, ServiceError};

pub(super) fn run(service: &Service, call: &Call<'_>) -> Result<Reply, ServiceError> {
    let mut query = Query::new(call.needed("query")?);
    query.mode = call
        .text("mode")
        .and_then(Mode::from_name)
        .unwrap_or_default();
    query.kind = match call.text("kind") {
        Some("rule") => Some(Ordered(Kind::Rule)),
        Some("pattern") => Some(Ordered(Kind::Pattern)),
        Some("fact") => Some(Ordered(Kind::Fact)),
        _ => None,
    };
    query.language = call
        .text("language")
        .map(|name| canonical_language(name).unwrap_or(name).to_owned());
    query.limit = call.count("limit");
    query.session_history = history(call);
    let answer = service.knowledge.index().search(&query).map_err(|error| {
        ServiceError::new(ErrorCode::ValidationError, error.message.clone())
            .with_data(json!({"errors": [{"path": error.path, "message": error.message}]}))
    })?;
    let delivered = Present::read(service.project());
    let ids: Vec<String> = answer.items.iter().map(|row| row.id.clone()).collect();
    let counted = call.session().count_hits(&ids, call.now);
    for id in &counted {
        service.knowledge.record(id, UsageEvent::SearchHit);
    }
    let mut by_kind: BTreeMap<&str, Vec<&str>> =
        [("rule", vec![]), ("pattern", vec![]), ("fact", vec![])].into();
    for row in &answer.items {
        by_kind.entry(row.kind.name()).or_default().push(&row.id);
    }
    let counts: BTreeMap<&str, usize> = by_kind
        .iter()
        .map(|(kind, ids)| (*kind, ids.len()))
        .collect();
    let items: Vec<Value> = answer
        .items
        .iter()
        .map(|row| {
            let mut item = json!(row);
            // What the agent's rule files hold already is not paid for twice.
            let held = service.knowledge.find(&row.id);
            let channel = held.and_then(|held| delivered.channel_of(&held.recipe));
            if let Some(channel) = channel {
                item["delivered"] = json!(channel);
                item["description"] = json!("");
            }
            item
        })
        .collect();
    let mut data = json!({
        "query": answer.query,
        "mode": answer.mode,
        "kind": call.text("kind").unwrap_or("all"),
        "totalResults": items.len(),
        "items": items,
        "byKind": by_kind,
        "kindCounts": counts,
        "confidence": answer.confidence,
    });
    if answer.degraded {
        data["degraded"] = json!(true);
    }
    Ok(Reply::new(
        if items.is_empty() {
            "No recipe answers this; follow the files nearby.".to_owned()
        } else {
            format!("{} recipes found.", items.len())
        },
        data,
    ))
}

/// What was asked before: as given, else in this connection when the search is
/// one in context.
fn history(call: &Call<'_>) -> Vec<String> {
    let given: Vec<String> = call
        .items("sessionHistory")
        .iter()
        .filter_map(|item| {
            let text = item.as_str().or_else(|| item["query"].as_str())?;
            (!text.trim().is_empty()).then(|| text.to_owned())
        })
        .collect();
    if given.is_empty() && call.text("mode") == Some("context") {
        return call.session().queries().to_vec();
    }
    given
}
