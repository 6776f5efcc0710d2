//! A recipe as a file in the canonical form. (knowledge.md §4)

mod body;
mod guards;
#[cfg(test)]
mod tests;

use serde_json::{Map, Value as Json, json};

use crate::keys::{ELSEWHERE, TOP, find_key};
use crate::read::{DEFAULT_COMPLEXITY, DEFAULT_KNOWLEDGE_TYPE, DEFAULT_SOURCE};
use crate::yaml::Emitter;
use crate::{Kind, Reasoning, Recipe, Relation, Scope};

/// Writes a recipe as a file in the canonical form. (knowledge.md §4)
///
/// Keys come in the order of [`crate::front_matter_keys`]; what equals its
/// default is left out, and keys that the format does not know stand before the
/// times. Reading the result gives the recipe back, and writing that gives the
/// same bytes. Headings in prose that would end their section are moved down,
/// and a fence that is not closed is closed.
#[must_use]
pub fn to_markdown(recipe: &Recipe) -> String {
    let mut emitter = Emitter::with_blocks();
    for (key, value) in front_matter(recipe) {
        emitter.entry(0, &key, &value);
    }
    let mut out = String::from("---\n");
    out.push_str(&emitter.finish());
    out.push_str("---\n");
    body::write(recipe, &mut out);
    out
}

/// Collects entries and leaves out what is empty.
struct Fields(Map<String, Json>);

impl Fields {
    fn set(&mut self, key: &str, value: impl Into<Json>) {
        self.0.insert(key.to_owned(), value.into());
    }

    fn text(&mut self, key: &str, text: &str) {
        if !text.is_empty() {
            self.set(key, text);
        }
    }

    fn maybe(&mut self, key: &str, value: Option<impl Into<Json>>) {
        if let Some(value) = value {
            self.set(key, value);
        }
    }

    fn list(&mut self, key: &str, items: &[String]) {
        if !items.is_empty() {
            self.set(key, json!(items));
        }
    }
}

pub(crate) fn front_matter(recipe: &Recipe) -> Map<String, Json> {
    let mut fields = Fields(Map::new());
    for key in TOP {
        field(&mut fields, key.name, recipe);
        if key.name == "deprecatedAt" {
            for (name, value) in &recipe.extra {
                if find_key(TOP, name).is_none() && find_key(ELSEWHERE, name).is_none() {
                    fields.set(name, value.clone());
                }
            }
        }
    }
    fields.0
}

fn field(fields: &mut Fields, name: &str, recipe: &Recipe) {
    match name {
        "id" => fields.maybe(name, recipe.id.as_deref()),
        "title" => fields.text(name, &recipe.title),
        "trigger" => fields.text(name, &recipe.trigger),
        "kind" => fields.set(name, recipe.kind.name()),
        "knowledgeType" => {
            // The default type of a rule or a fact would seem to contradict it.
            if recipe.knowledge_type != DEFAULT_KNOWLEDGE_TYPE || recipe.kind == Kind::Pattern {
                fields.text(name, &recipe.knowledge_type);
            }
        }
        "lifecycle" => fields.set(name, recipe.lifecycle.name()),
        "language" => fields.text(name, &recipe.language),
        "category" => fields.text(name, &recipe.category),
        "dimensionId" => fields.maybe(name, recipe.dimension_id.as_deref()),
        "topicHint" => fields.maybe(name, recipe.topic_hint.as_deref()),
        "scope" => {
            if recipe.scope != Scope::Universal {
                fields.set(name, recipe.scope.name());
            }
        }
        "complexity" => {
            if recipe.complexity != DEFAULT_COMPLEXITY {
                fields.text(name, &recipe.complexity);
            }
        }
        "difficulty" => fields.maybe(name, recipe.difficulty.as_deref()),
        "tags" => fields.list(name, &recipe.tags),
        "moduleName" => fields.maybe(name, recipe.module_name.as_deref()),
        "description" => fields.text(name, &recipe.description),
        "when" => fields.text(name, &recipe.when_clause),
        "do" => fields.text(name, &recipe.do_clause),
        "dont" => fields.text(name, &recipe.dont_clause),
        "headers" => {
            // An empty list says that the code needs no imports.
            if recipe.core_code.is_some() || !recipe.headers.is_empty() {
                fields.set(name, json!(recipe.headers));
            }
        }
        "headerPaths" => fields.list(name, &recipe.header_paths),
        "includeHeaders" => {
            if recipe.include_headers {
                fields.set(name, true);
            }
        }
        "reasoning" => {
            let value = reasoning(&recipe.reasoning);
            if !value.is_empty() {
                fields.set(name, value);
            }
        }
        "guards" => {
            if !recipe.constraints.guards.is_empty() {
                fields.set(name, guards::write(recipe));
            }
        }
        "constraints" => {
            let mut inner = Fields(Map::new());
            inner.list("boundaries", &recipe.constraints.boundaries);
            inner.list("preconditions", &recipe.constraints.preconditions);
            inner.list("sideEffects", &recipe.constraints.side_effects);
            inner.0.extend(recipe.constraints.extra.clone());
            if !inner.0.is_empty() {
                fields.set(name, inner.0);
            }
        }
        "relations" => {
            let value = relations(recipe);
            if !value.is_empty() {
                fields.set(name, value);
            }
        }
        "lifecycleHistory" => {
            if !recipe.lifecycle_history.is_empty() {
                fields.set(name, json!(recipe.lifecycle_history));
            }
        }
        "autoApprovable" => {
            if recipe.auto_approvable {
                fields.set(name, true);
            }
        }
        "stagingDeadline" => fields.maybe(name, recipe.staging_deadline),
        "source" => {
            if recipe.source != DEFAULT_SOURCE {
                fields.text(name, &recipe.source);
            }
        }
        "createdAt" => fields.maybe(name, recipe.created_at),
        "updatedAt" => fields.maybe(name, recipe.updated_at),
        "hash" => fields.maybe(name, recipe.hash.as_deref()),
        carried => fields.maybe(carried, recipe.extra.get(carried).cloned()),
    }
}

fn reasoning(reasoning: &Reasoning) -> Map<String, Json> {
    let mut fields = Fields(Map::new());
    fields.text("whyStandard", &reasoning.why_standard);
    let sources: Vec<String> = reasoning.sources.iter().map(ToString::to_string).collect();
    fields.list("sources", &sources);
    fields.maybe("confidence", reasoning.confidence);
    if !reasoning.quality_signals.is_empty() {
        fields.set("qualitySignals", json!(reasoning.quality_signals));
    }
    fields.list("alternatives", &reasoning.alternatives);
    fields.0.extend(reasoning.extra.clone());
    fields.0
}

fn relations(recipe: &Recipe) -> Map<String, Json> {
    recipe
        .relations
        .iter()
        .filter(|(_, targets)| !targets.is_empty())
        .map(|(kind, targets)| {
            let targets: Vec<Json> = targets.iter().map(relation).collect();
            (kind.name().to_owned(), Json::from(targets))
        })
        .collect()
}

fn relation(relation: &Relation) -> Json {
    match &relation.description {
        Some(description) => json!({"target": relation.target, "description": description}),
        None => json!(relation.target),
    }
}
