//! `asd_knowledge`: recipes listed, read, judged and confirmed.

use asd_knowledge::counters::UsageEvent;
use asd_knowledge::decay::{DecayInput, decay};
use asd_knowledge::quality::quality;
use asd_recipe::{Kind, Lifecycle, Recipe, canonical_language};
use serde_json::{Map, Value, json};

use crate::service::Service;
use crate::service::call::{Call, Reply};
use crate::service::error::ServiceError;
use crate::service::knowledge::Held;
use crate::service::ops::rows::{in_short, is_public_tag, listed};

pub(super) fn run(service: &Service, call: &Call<'_>) -> Result<Reply, ServiceError> {
    match call.operation() {
        "get" => get(service, call),
        "insights" => insights(service, call),
        "confirm_usage" => confirm(service, call),
        _ => Ok(list(service, call)),
    }
}

fn list(service: &Service, call: &Call<'_>) -> Reply {
    let wanted = Wanted::read(call);
    let mut found: Vec<Held> = service
        .knowledge
        .all()
        .into_iter()
        .filter(|held| wanted.admits(&held.recipe))
        .collect();
    found.sort_by(|a, b| {
        let by_trigger = a.recipe.trigger.cmp(&b.recipe.trigger);
        by_trigger.then_with(|| a.path.cmp(&b.path))
    });
    let total = found.len();
    found.truncate(call.count("limit").unwrap_or(20));
    Reply::new(
        format!("{} of {total} recipes.", found.len()),
        json!({
            "count": found.len(),
            "total": total,
            "items": found.iter().map(listed).collect::<Vec<_>>(),
        }),
    )
}

/// The filters of a list.
struct Wanted<'c> {
    kind: Option<&'c str>,
    language: Option<&'c str>,
    category: Option<&'c str>,
    knowledge_type: Option<&'c str>,
    status: Option<&'c str>,
    complexity: Option<&'c str>,
}

impl<'c> Wanted<'c> {
    fn read(call: &Call<'c>) -> Self {
        Self {
            kind: call.text("kind").filter(|kind| *kind != "all"),
            language: call.text("language"),
            category: call.text("category"),
            knowledge_type: call.text("knowledgeType"),
            status: call.text("status"),
            complexity: call.text("complexity"),
        }
    }

    fn admits(&self, recipe: &Recipe) -> bool {
        let same = |wanted: Option<&str>, value: &str| {
            wanted.is_none_or(|wanted| wanted.eq_ignore_ascii_case(value))
        };
        let language = self.language.is_none_or(|wanted| {
            let canonical = |name: &str| {
                let known = canonical_language(name);
                known.map_or_else(|| name.to_lowercase(), str::to_owned)
            };
            canonical(wanted) == canonical(&recipe.language)
        });
        language
            && same(self.kind, kind_name(recipe.kind))
            && same(self.category, &recipe.category)
            && same(self.knowledge_type, &recipe.knowledge_type)
            && same(self.complexity, &recipe.complexity)
            && match self.status {
                Some(status) => recipe.lifecycle.name() == status,
                None => recipe.lifecycle != Lifecycle::Deprecated,
            }
    }
}

const fn kind_name(kind: Kind) -> &'static str {
    match kind {
        Kind::Rule => "rule",
        Kind::Pattern => "pattern",
        Kind::Fact => "fact",
    }
}

fn get(service: &Service, call: &Call<'_>) -> Result<Reply, ServiceError> {
    let held = service.knowledge.get(call.needed("id")?)?;
    service.knowledge.record(held.key(), UsageEvent::View);
    let mut data = json!(*held.recipe);
    data["id"] = json!(held.key());
    data["filePath"] = json!(held.path);
    if let Some(tags) = data["tags"].as_array_mut() {
        tags.retain(|tag| tag.as_str().is_none_or(is_public_tag));
    }
    let mut relations = Map::new();
    for (kind, targets) in &held.recipe.relations {
        let resolved: Vec<Value> = targets
            .iter()
            .map(|relation| {
                let mut row = match service.knowledge.find(&relation.target) {
                    Some(target) => in_short(&target.recipe),
                    None => json!({"unresolved": relation.target}),
                };
                if let Some(description) = &relation.description {
                    row["description"] = json!(description);
                }
                row
            })
            .collect();
        if let Ok(Value::String(kind)) = serde_json::to_value(kind) {
            relations.insert(kind, Value::Array(resolved));
        }
    }
    data["relations"] = Value::Object(relations);
    Ok(Reply::new(held.recipe.title.clone(), data))
}

fn insights(service: &Service, call: &Call<'_>) -> Result<Reply, ServiceError> {
    let knowledge = &service.knowledge;
    let held = knowledge.get(call.needed("id")?)?;
    let recipe = &*held.recipe;
    let counts = knowledge.counts();
    let stats = counts.stats.get(held.key()).cloned().unwrap_or_default();
    let quality = quality(recipe, None);
    let mut input = DecayInput::new(&stats, counts.coverage);
    input.quality = Some(quality.overall);
    let decay = decay(recipe, &input, call.seconds());
    let graph = knowledge.graph();
    let end = |id: &str| match graph.node(id) {
        Some(node) => json!({"id": node.id, "title": node.title, "trigger": node.trigger}),
        None => json!({"id": id}),
    };
    let outgoing: Vec<Value> = graph
        .outgoing(held.key())
        .map(|edge| json!({"relation": edge.kind.name(), "target": end(&edge.to)}))
        .collect();
    let incoming: Vec<Value> = graph
        .incoming(held.key())
        .map(|edge| json!({"relation": edge.kind.name(), "source": end(&edge.from)}))
        .collect();
    let project = knowledge.project();
    let refs: Vec<Value> = recipe
        .reasoning
        .sources
        .iter()
        .map(|source| {
            let there = project
                .absolute(&source.path)
                .is_ok_and(|path| path.exists());
            json!({"path": source.path, "state": if there { "active" } else { "stale" }})
        })
        .collect();
    let data = json!({
        "id": held.key(),
        "quality": quality,
        "stats": stats,
        "decay": {"score": (decay.score * 10.0).round() / 10.0, "level": decay.level.name()},
        "relations": {"in": incoming, "out": outgoing},
        "constraints": recipe.constraints,
        "sourceRefs": refs,
        "history": recipe.lifecycle_history,
    });
    Ok(Reply::new(
        format!(
            "{}: quality {:?}, {}.",
            recipe.title,
            quality.grade,
            decay.level.name()
        ),
        data,
    ))
}

fn confirm(service: &Service, call: &Call<'_>) -> Result<Reply, ServiceError> {
    let held = service.knowledge.get(call.needed("id")?)?;
    let kind = call.text("usageType").unwrap_or("adoption");
    let event = if kind == "application" {
        UsageEvent::Application
    } else {
        UsageEvent::Adoption
    };
    service.knowledge.record(held.key(), event);
    service.knowledge.flush();
    let stats = service.knowledge.stats_of(held.key());
    Ok(Reply::new(
        format!("Counted as {kind} of {}.", held.recipe.trigger),
        json!({
            "id": held.key(),
            "usageType": kind,
            "counts": {"adoptions": stats.adoptions, "applications": stats.applications},
        }),
    ))
}
