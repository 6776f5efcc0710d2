//! `asd_enrich_candidates`: what candidates lack, and what of it follows from
//! the rest of them.

use asd_knowledge::enrich::{Enrichment, enrich};
use asd_recipe::{Lifecycle, Recipe};
use serde_json::{Value, json};

use crate::service::Service;
use crate::service::call::{Call, Reply};
use crate::service::error::ServiceError;

pub(super) fn run(service: &Service, call: &Call<'_>) -> Result<Reply, ServiceError> {
    let ids = call.texts("candidateIds");
    let mut results = Vec::new();
    let mut enriched = 0;
    for id in &ids {
        let held = service.knowledge.get(id)?;
        let recipe = &held.recipe;
        if !matches!(recipe.lifecycle, Lifecycle::Pending | Lifecycle::Staging) {
            results.push(json!({
                "id": held.key(),
                "title": recipe.title,
                "error": format!("It is {}, no candidate.", recipe.lifecycle.name()),
            }));
            continue;
        }
        let found = enrich(recipe);
        if !found.suggested.is_empty() {
            let written = service.knowledge.store.update(held.key(), |recipe| {
                fill(recipe, &found);
                Ok(())
            })?;
            service.knowledge.written(&[written.path]);
            enriched += 1;
        }
        results.push(json!({
            "id": held.key(),
            "title": recipe.title,
            "missing": found.missing,
            "semantic": found.semantic,
            "suggested": found.suggested,
        }));
    }
    Ok(Reply::new(
        format!("{enriched} of {} candidates were completed.", ids.len()),
        json!({"total": ids.len(), "enriched": enriched, "results": results}),
    ))
}

/// Puts what follows into the fields that are blank.
fn fill(recipe: &mut Recipe, found: &Enrichment) {
    let text = |name: &str| {
        let value = found.suggested.get(name);
        value.and_then(Value::as_str).map(str::to_owned)
    };
    if let Some(trigger) = text("trigger") {
        recipe.trigger = trigger;
    }
    if let Some(topic) = text("topicHint") {
        recipe.topic_hint = Some(topic);
    }
    if let Some(category) = text("category") {
        recipe.category = category;
    }
    if let Some(Value::Array(headers)) = found.suggested.get("headers") {
        let headers = headers.iter().filter_map(Value::as_str);
        recipe.headers = headers.map(str::to_owned).collect();
    }
    if let Some(kind) = found.suggested.get("kind")
        && let Ok(kind) = serde_json::from_value(kind.clone())
    {
        recipe.kind = kind;
    }
}
