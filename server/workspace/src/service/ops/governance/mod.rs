//! The state of governance: what fades, what is staged, what contradicts or
//! repeats itself, and what its use suggests. Everything here is computed;
//! `run` alone writes. (knowledge.md §7, §9, §12, §15; mcp.md §5)

mod base;
mod carry_out;
mod run;
mod suggestions;

use asd_knowledge::contradiction::Plainness;
use asd_knowledge::governance::{Standing, decay_counts, staging_report};
use asd_knowledge::lifecycle::is_consumable;
use asd_knowledge::proposals::count_by_status;
use asd_knowledge::similarity::SimilarityIndex;
use asd_recipe::Lifecycle;
use serde_json::{Value, json};

use crate::drift::Remember;
use crate::service::Service;
use crate::service::call::Reply;
use crate::service::error::ServiceError;

use base::{Base, Depth};

pub(crate) use carry_out::{carry_out, settle};
pub use run::Extent;
pub(crate) use run::run;

/// How many entries or pairs are listed before the rest is only counted.
const LISTED: usize = 200;
/// How many entries are compared with each other as wholes.
const COMPARED: usize = 3_000;
/// From how alike on two entries are redundant.
const REDUNDANT: f64 = 0.65;

/// How far the entries have faded.
pub(crate) fn decay_report(service: &Service, now: i64) -> Result<Reply, ServiceError> {
    let base = Base::gather(service, Depth::Code, Remember::Healthy, now)?;
    let standings = base.standings();
    let data = decay_data(&base, &standings);
    Ok(noted(Reply::new(decay_message(&data), data), &base))
}

/// How the staged entries stand.
pub(crate) fn staging_check(service: &Service, now: i64) -> Result<Reply, ServiceError> {
    let base = Base::gather(service, Depth::Recipes, Remember::Nothing, now)?;
    let standings = base.standings();
    let data = staging_data(&base, &standings);
    Ok(noted(Reply::new(staging_message(&data), data), &base))
}

/// Entries that contradict each other.
pub(crate) fn contradiction_audit(service: &Service, now: i64) -> Result<Reply, ServiceError> {
    let base = Base::gather(service, Depth::Recipes, Remember::Nothing, now)?;
    let data = contradiction_data(&base);
    let message = format!("{} contradictions.", data["count"]);
    Ok(noted(Reply::new(message, data), &base))
}

/// Entries that say the same.
pub(crate) fn redundancy_audit(service: &Service, now: i64) -> Result<Reply, ServiceError> {
    let base = Base::gather(service, Depth::Recipes, Remember::Nothing, now)?;
    let data = redundancy_data(&base);
    let message = format!("{} pairs say much the same.", data["count"]);
    Ok(noted(Reply::new(message, data), &base))
}

/// What the use of the entries suggests.
pub(crate) fn enhancement_suggestions(service: &Service, now: i64) -> Result<Reply, ServiceError> {
    let base = Base::gather(service, Depth::Recipes, Remember::Nothing, now)?;
    let data = suggestions::data(service, &base);
    let message = format!("{} suggestions.", data["count"]);
    Ok(noted(Reply::new(message, data), &base))
}

/// All of these at once.
pub(crate) fn cycle(service: &Service, now: i64) -> Result<Reply, ServiceError> {
    let base = Base::gather(service, Depth::Code, Remember::Healthy, now)?;
    let standings = base.standings();
    let proposals = service.knowledge.store.proposals();
    let due = standings
        .iter()
        .filter(|standing| standing.effective.due.is_some() || !standing.decay.moves.is_empty())
        .count();
    let data = json!({
        "staging": staging_data(&base, &standings),
        "decay": decay_data(&base, &standings),
        "contradictions": contradiction_data(&base),
        "redundancy": redundancy_data(&base),
        "suggestions": suggestions::data(service, &base),
        "proposals": count_by_status(&proposals),
        "due": due,
    });
    let message = format!(
        "{} {} {} contradictions, {} redundant pairs. {due} moves are due; a person makes them \
         with `asd governance run`.",
        staging_message(&data["staging"]),
        decay_message(&data["decay"]),
        data["contradictions"]["count"],
        data["redundancy"]["count"],
    );
    Ok(noted(Reply::new(message, data), &base))
}

/// Entries that have been in a state for so long that a person should look.
pub(crate) fn stuck(service: &Service, now: i64) -> Result<Vec<Value>, ServiceError> {
    let base = Base::gather(service, Depth::Recipes, Remember::Nothing, now)?;
    let standings = base.standings();
    let rows = base.held.iter().zip(&standings);
    Ok(rows
        .filter_map(|(held, standing)| {
            let days = standing.effective.stuck_days?;
            Some(json!({
                "id": held.key(),
                "trigger": held.recipe.trigger,
                "title": held.recipe.title,
                "lifecycle": held.recipe.lifecycle,
                "days": days,
            }))
        })
        .collect())
}

/// The decay score of one entry; `None` for an unknown one.
pub(crate) fn decay_score(
    service: &Service,
    key: &str,
    now: i64,
) -> Result<Option<f64>, ServiceError> {
    let base = Base::gather(service, Depth::Recipes, Remember::Nothing, now)?;
    let standings = base.standings();
    let found = standings.iter().find(|standing| standing.id == key);
    Ok(found.map(|standing| standing.decay.score))
}

fn noted(mut reply: Reply, base: &Base) -> Reply {
    reply.warnings.extend(base.notes.iter().cloned());
    reply
}

fn round1(number: f64) -> f64 {
    (number * 10.0).round() / 10.0
}

fn decay_data(base: &Base, standings: &[Standing]) -> Value {
    let recipes = || base.held.iter().map(|held| &*held.recipe).zip(standings);
    let counts = decay_counts(recipes());
    let total: usize = counts.values().sum();
    let mut scanned: Vec<_> = base
        .held
        .iter()
        .zip(standings)
        .filter(|(held, _)| {
            matches!(
                held.recipe.lifecycle,
                Lifecycle::Active | Lifecycle::Evolving
            )
        })
        .collect();
    scanned.sort_by(|(a, x), (b, y)| {
        let by_score = x.decay.score.total_cmp(&y.decay.score);
        by_score.then_with(|| a.key().cmp(b.key()))
    });
    let results: Vec<Value> = scanned
        .iter()
        .take(LISTED)
        .map(|(held, standing)| {
            json!({
                "id": held.key(),
                "trigger": held.recipe.trigger,
                "title": held.recipe.title,
                "lifecycle": held.recipe.lifecycle,
                "score": round1(standing.decay.score),
                "level": standing.decay.level,
                "terms": standing.decay.terms,
                "strategies": standing.decay.strategies,
                "effectiveLifecycle": standing.effective.state,
            })
        })
        .collect();
    json!({
        "totalScanned": total,
        "counts": counts,
        "results": results,
        "truncated": total.saturating_sub(LISTED),
        "usageCounts": base.coverage.is_enough(),
    })
}

fn decay_message(data: &Value) -> String {
    let count = |level: &str| data["counts"][level].as_u64().unwrap_or(0);
    format!(
        "{} entries scanned: {} healthy, {} to watch, {} fading.",
        data["totalScanned"],
        count("healthy"),
        count("watch"),
        count("decaying") + count("severe") + count("dead"),
    )
}

fn staging_data(base: &Base, standings: &[Standing]) -> Value {
    let recipes = base.held.iter().map(|held| &*held.recipe).zip(standings);
    json!(staging_report(recipes))
}

fn staging_message(data: &Value) -> String {
    let count = |list: &str| data[list].as_array().map_or(0, Vec::len);
    format!(
        "Of the staged entries {} are ready, {} go back to review, {} wait.",
        count("promoted"),
        count("rolledBack"),
        count("waiting"),
    )
}

fn contradiction_data(base: &Base) -> Value {
    let hard = base
        .contradictions
        .iter()
        .filter(|found| found.plainness == Plainness::Hard)
        .count();
    let items: Vec<Value> = base
        .contradictions
        .iter()
        .take(LISTED)
        .map(|found| {
            json!({
                "a": {"id": found.a, "trigger": base.named(&found.a)},
                "b": {"id": found.b, "trigger": base.named(&found.b)},
                "score": (found.score * 1000.0).round() / 1000.0,
                "plainness": found.plainness,
                "grounds": found.grounds,
            })
        })
        .collect();
    json!({
        "count": base.contradictions.len(),
        "hard": hard,
        "soft": base.contradictions.len() - hard,
        "items": items,
    })
}

fn redundancy_data(base: &Base) -> Value {
    let mut living: Vec<_> = base
        .held
        .iter()
        .filter(|held| is_consumable(held.recipe.lifecycle))
        .collect();
    let left_out = living.len().saturating_sub(COMPARED);
    // What was changed last is what may repeat something.
    living.sort_by_key(|held| std::cmp::Reverse(held.recipe.updated_at));
    living.truncate(COMPARED);
    let index = SimilarityIndex::build(living.iter().map(|held| &*held.recipe));
    let pairs = index.redundant(living.iter().map(|held| held.key()), REDUNDANT);
    let items: Vec<Value> = pairs
        .iter()
        .take(LISTED)
        .map(|pair| {
            json!({
                "a": {"id": pair.a, "trigger": base.named(&pair.a)},
                "b": {"id": pair.b, "trigger": base.named(&pair.b)},
                "score": (pair.score * 1000.0).round() / 1000.0,
            })
        })
        .collect();
    let mut data = json!({"count": pairs.len(), "items": items});
    if left_out > 0 {
        data["note"] = json!(format!(
            "Only the {COMPARED} entries that were changed last were compared; {left_out} were \
             not."
        ));
    }
    data
}
