//! `asd_enrich_candidates`: what candidates lack, and what of it follows from
//! the rest of them.

use asd_knowledge::submission::{KnownEntries, SubmissionContext, check_item};
use asd_recipe::{Lifecycle, Recipe, kind_of, normalise_trigger};
use serde_json::{Map, Value, json};

use crate::service::Service;
use crate::service::call::{Call, Reply};
use crate::service::error::ServiceError;
use crate::service::ops::submit::Sources;

pub(super) fn run(service: &Service, call: &Call<'_>) -> Result<Reply, ServiceError> {
    let ids = call.texts("candidateIds");
    let mut results = Vec::new();
    let mut enriched = 0;
    for id in &ids {
        let held = service.knowledge.get(id)?;
        if !matches!(
            held.recipe.lifecycle,
            Lifecycle::Pending | Lifecycle::Staging
        ) {
            results.push(json!({
                "id": held.key(),
                "title": held.recipe.title,
                "error": format!("It is {}, no candidate.", held.recipe.lifecycle.name()),
            }));
            continue;
        }
        let suggested = derived(&held.recipe);
        if !suggested.is_empty() {
            let written = service.knowledge.store.update(held.key(), |recipe| {
                fill(recipe, &suggested);
                Ok(())
            })?;
            service.knowledge.written(&[written.path]);
            enriched += 1;
        }
        let after = service.knowledge.get(id)?;
        let checked = check_item(
            &json!(*after.recipe),
            &SubmissionContext {
                source: after.recipe.source.clone(),
                created_by: None,
                dimension_id: None,
                fill: None,
            },
            &KnownEntries::new([]),
            &Sources(service.project()),
        );
        results.push(json!({
            "id": held.key(),
            "title": held.recipe.title,
            "missing": checked.missing,
            "semantic": checked
                .issues
                .iter()
                .filter(|issue| !issue.field.is_empty())
                .map(|issue| &issue.message)
                .collect::<Vec<_>>(),
            "suggested": suggested,
        }));
    }
    Ok(Reply::new(
        format!("{enriched} of {} candidates were completed.", ids.len()),
        json!({"total": ids.len(), "enriched": enriched, "results": results}),
    ))
}

/// Values of blank fields that follow from others.
fn derived(recipe: &Recipe) -> Map<String, Value> {
    let mut found = Map::new();
    if recipe.trigger.trim().is_empty()
        && let Some(trigger) = normalise_trigger(&recipe.title)
    {
        found.insert("trigger".to_owned(), json!(trigger));
    }
    if recipe.topic_hint.is_none() {
        let topic = asd_delivery::topic_of(recipe);
        if topic != "general" {
            found.insert("topicHint".to_owned(), json!(topic));
        }
    }
    if recipe.category.trim().is_empty() {
        found.insert("category".to_owned(), json!("general"));
    }
    if recipe.headers.is_empty() {
        let headers = imports(recipe);
        if !headers.is_empty() {
            found.insert("headers".to_owned(), json!(headers));
        }
    }
    let kind = kind_of(&recipe.knowledge_type);
    if recipe.constraints.guards.is_empty() && kind != recipe.kind {
        found.insert("kind".to_owned(), json!(kind));
    }
    found
}

/// Import lines in the code of a recipe.
fn imports(recipe: &Recipe) -> Vec<String> {
    const FIRST_WORDS: &[&str] = &["import ", "from ", "use ", "#import ", "#include "];
    let code = recipe.core_code.as_ref().map_or("", |code| &code.text);
    let pattern = &recipe.content.pattern;
    code.lines()
        .chain(pattern.lines())
        .map(str::trim)
        .filter(|line| FIRST_WORDS.iter().any(|word| line.starts_with(word)))
        .map(str::to_owned)
        .collect()
}

fn fill(recipe: &mut Recipe, values: &Map<String, Value>) {
    let text = |name: &str| values.get(name).and_then(Value::as_str).map(str::to_owned);
    if let Some(trigger) = text("trigger") {
        recipe.trigger = trigger;
    }
    if let Some(topic) = text("topicHint") {
        recipe.topic_hint = Some(topic);
    }
    if let Some(category) = text("category") {
        recipe.category = category;
    }
    if let Some(headers) = values.get("headers").and_then(Value::as_array) {
        recipe.headers = headers
            .iter()
            .filter_map(|line| line.as_str().map(str::to_owned))
            .collect();
    }
    if let Some(kind) = values.get("kind")
        && let Ok(kind) = serde_json::from_value(kind.clone())
    {
        recipe.kind = kind;
    }
}
