//! `asd_guard` with `reverse_audit`: whether the recipes still say what the code
//! is. (knowledge.md §14)

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::AtomicBool;

use asd_knowledge::drift::{DriftVerdict, RefState};
use serde_json::{Value, json};

use crate::drift::{Audited, Remember, ScannedCode, audit};
use crate::service::Service;
use crate::service::call::{Call, Reply};
use crate::service::error::ServiceError;

/// How many healthy recipes are listed before the rest is only counted; those
/// with signs of drift are all listed.
const HEALTHY: usize = 50;

/// The audit for an agent: of all recipes, or of those that `files` are sources
/// of.
pub(super) fn reverse_audit(service: &Service, call: &Call<'_>) -> Result<Reply, ServiceError> {
    let files: BTreeSet<String> = call
        .items("files")
        .iter()
        .filter_map(|item| item.as_str().or_else(|| item["path"].as_str()))
        .map(|path| path.trim_start_matches("./").to_owned())
        .collect();
    let named = |entry: &Audited| {
        let mut sources = entry.sources.iter();
        files.is_empty() || sources.any(|source| files.contains(&source.source.path))
    };
    run(service, named)
}

/// The audit of the recipe of that name, or of all.
pub(crate) fn of_recipe(service: &Service, name: Option<&str>) -> Result<Reply, ServiceError> {
    let wanted = match name {
        Some(name) => Some(service.knowledge.get(name)?.key().to_owned()),
        None => None,
    };
    let is_it = |entry: &Audited| wanted.as_deref().is_none_or(|key| entry.key() == key);
    run(service, is_it)
}

fn run(service: &Service, wanted: impl Fn(&Audited) -> bool) -> Result<Reply, ServiceError> {
    let view = service.code()?;
    let code = ScannedCode {
        map: view.map.clone(),
        warnings: view.warnings.clone(),
    };
    let recipes = service.knowledge.state().recipes().to_vec();
    let never = AtomicBool::new(false);
    let audit = audit(
        service.project(),
        &code,
        &recipes,
        Remember::Healthy,
        &never,
    );
    let mut counts = BTreeMap::from([("healthy", 0_usize), ("investigate", 0), ("decay", 0)]);
    let mut rows = Vec::new();
    let (mut audited, mut healthy, mut renamed, mut stale) = (0, 0, 0, 0);
    for entry in audit.entries.iter().filter(|entry| wanted(entry)) {
        let moved = entry
            .sources
            .iter()
            .filter(|s| s.state == RefState::Renamed)
            .count();
        renamed += moved;
        stale += entry.stale();
        let Some(drift) = &entry.drift else {
            if moved + entry.stale() > 0 {
                rows.push(row(entry));
            }
            continue;
        };
        audited += 1;
        *counts.entry(name(drift.verdict)).or_default() += 1;
        let quiet = drift.signals.is_empty() && moved == 0;
        healthy += usize::from(quiet);
        if !quiet || healthy <= HEALTHY {
            rows.push(row(entry));
        }
    }
    rows.sort_by_key(|row| {
        let weight = match row["verdict"].as_str() {
            Some("decay") => 0,
            Some("investigate") => 1,
            _ if row["signals"]
                .as_array()
                .is_some_and(|list| !list.is_empty()) =>
            {
                2
            }
            _ => 3,
        };
        (
            weight,
            row["trigger"].as_str().unwrap_or_default().to_owned(),
        )
    });
    let message = format!(
        "{audited} recipes beside the code: {} healthy, {} to look at, {} outdated.",
        counts["healthy"], counts["investigate"], counts["decay"]
    );
    let mut reply = Reply::new(
        message,
        json!({
            "totalAudited": audited,
            "counts": counts,
            "results": rows,
            "truncated": healthy.saturating_sub(HEALTHY),
            "sourceRefs": {"renamed": renamed, "stale": stale},
        }),
    );
    reply.warnings.extend(audit.notes);
    if renamed > 0 {
        reply = reply.warn(
            "Some sources have another path now; a person has them mended with \
             `asd governance run`.",
        );
    }
    Ok(reply)
}

const fn name(verdict: DriftVerdict) -> &'static str {
    match verdict {
        DriftVerdict::Healthy => "healthy",
        DriftVerdict::Investigate => "investigate",
        DriftVerdict::Decay => "decay",
    }
}

fn row(entry: &Audited) -> Value {
    let sources: Vec<Value> = entry
        .sources
        .iter()
        .filter(|found| found.state != RefState::Active)
        .map(|found| {
            json!({
                "source": found.source.to_string(),
                "state": found.state,
                "renamedTo": found.renamed.as_ref().map(|renamed| &renamed.to),
            })
        })
        .collect();
    let drift = entry.drift.as_ref();
    json!({
        "recipeId": entry.key(),
        "trigger": entry.recipe.trigger,
        "title": entry.recipe.title,
        "lifecycle": entry.recipe.lifecycle,
        "file": &*entry.path,
        "verdict": drift.map_or("healthy", |drift| name(drift.verdict)),
        "signals": drift.map(|drift| &drift.signals),
        "occurrences": drift.and_then(|drift| drift.occurrences),
        "sources": sources,
    })
}
