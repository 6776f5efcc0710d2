//! The JSON Schema of the front matter, generated from types.

use indexmap::IndexMap;
use schemars::{JsonSchema, schema_for};
use serde::Deserialize;
use serde_json::{Map, Value as Json, json};

use crate::keys::{AST_QUERY, CONSTRAINTS, FIX, GUARD, KeyInfo, REASONING, TOP};
use crate::{FixKind, Kind, Lifecycle, LifecycleEvent, MatchIn, Scope, Severity};

/// The front matter as a type. It exists for its schema; files are read with
/// the places of their values, which a type cannot carry.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
#[schemars(title = "Front matter of a recipe")]
#[derive(Default)]
struct FrontMatter {
    id: Option<String>,
    title: String,
    trigger: String,
    kind: Kind,
    knowledge_type: String,
    lifecycle: Lifecycle,
    language: String,
    category: String,
    dimension_id: String,
    topic_hint: String,
    scope: Scope,
    complexity: String,
    difficulty: String,
    tags: Vec<String>,
    module_name: String,
    description: String,
    when: String,
    r#do: String,
    dont: String,
    headers: Vec<String>,
    header_paths: Vec<String>,
    include_headers: bool,
    reasoning: ReasoningFields,
    guards: Vec<GuardFields>,
    constraints: ConstraintFields,
    relations: Relations,
    lifecycle_history: Vec<LifecycleEvent>,
    auto_approvable: bool,
    staging_deadline: Option<i64>,
    source: String,
    source_file: String,
    source_candidate_id: String,
    created_by: String,
    published_by: String,
    published_at: i64,
    reviewed_by: String,
    reviewed_at: i64,
    rejection_reason: String,
    agent_notes: Option<Json>,
    ai_insight: Option<Json>,
    quality: IndexMap<String, Json>,
    staging_entered_at: i64,
    active_since: i64,
    last_active_at: i64,
    evolving_started_at: i64,
    proposal_id: String,
    decay_started_at: i64,
    deprecated_at: i64,
    created_at: i64,
    updated_at: i64,
    hash: String,
}

#[derive(Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
struct ReasoningFields {
    why_standard: String,
    sources: Vec<String>,
    #[schemars(range(min = 0.0, max = 1.0))]
    confidence: f64,
    quality_signals: IndexMap<String, Json>,
    alternatives: Vec<String>,
}

#[derive(Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
struct ConstraintFields {
    guards: Vec<GuardFields>,
    boundaries: Vec<String>,
    preconditions: Vec<String>,
    side_effects: Vec<String>,
}

#[derive(Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
struct GuardFields {
    id: String,
    r#type: String,
    pattern: String,
    ast: String,
    rule: IndexMap<String, Json>,
    constraints: IndexMap<String, Json>,
    utils: IndexMap<String, Json>,
    ast_query: AstQueryFields,
    message: String,
    severity: Severity,
    fix_suggestion: String,
    fix: FixValue,
    languages: OneOrMany,
    #[schemars(regex(pattern = "^[imsxu]*$"))]
    flags: String,
    match_in: MatchIn,
    multiline: bool,
    include_paths: Vec<String>,
    exclude_paths: Vec<String>,
    exclude_line: Vec<String>,
    positive_examples: Vec<String>,
    negative_examples: Vec<String>,
}

#[derive(Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
struct AstQueryFields {
    r#type: String,
    #[serde(rename = "targetAPI")]
    target_api: String,
    wrapper_class: String,
    pattern: String,
    forbidden_context: String,
    class_name: String,
    protocol_name: String,
    query: String,
    capture: String,
}

#[derive(Deserialize, JsonSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "only the schema of the variants is used")]
enum FixValue {
    Template(String),
    Full(FixFields),
}

impl Default for FixValue {
    fn default() -> Self {
        Self::Template(String::new())
    }
}

#[derive(Default, Deserialize, JsonSchema)]
#[serde(default)]
struct FixFields {
    kind: FixKind,
    template: String,
    safe: bool,
}

#[derive(Deserialize, JsonSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "only the schema of the variants is used")]
enum OneOrMany {
    One(String),
    Many(Vec<String>),
}

impl Default for OneOrMany {
    fn default() -> Self {
        Self::Many(Vec::new())
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "only the schema of the variants is used")]
enum Relations {
    ByKind(IndexMap<String, RelationTargets>),
    Flat(Vec<FlatRelation>),
}

impl Default for Relations {
    fn default() -> Self {
        Self::Flat(Vec::new())
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "only the schema of the variants is used")]
enum RelationTargets {
    One(String),
    Many(Vec<RelationTarget>),
}

#[derive(Deserialize, JsonSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "only the schema of the variants is used")]
enum RelationTarget {
    Name(String),
    Described {
        target: String,
        description: Option<String>,
    },
}

#[derive(Deserialize, JsonSchema)]
#[expect(dead_code, reason = "only the schema of the fields is used")]
struct FlatRelation {
    r#type: Option<String>,
    target: String,
    description: Option<String>,
}

/// The JSON Schema of a recipe's front matter. It describes the names under
/// which keys are written; other names that are read, and keys of the author's
/// own, are permitted.
#[must_use]
pub fn front_matter_schema() -> Json {
    let mut schema = schema_for!(FrontMatter).to_value();
    describe(&mut schema, TOP);
    for (name, table) in [
        ("ReasoningFields", REASONING),
        ("ConstraintFields", CONSTRAINTS),
        ("GuardFields", GUARD),
        ("AstQueryFields", AST_QUERY),
        ("FixFields", FIX),
    ] {
        if let Some(inner) = schema.pointer_mut(&format!("/$defs/{name}")) {
            describe(inner, table);
        }
    }
    if let Json::Object(map) = &mut schema {
        map.insert("required".into(), json!(["title", "trigger"]));
    }
    schema
}

/// Takes descriptions and permitted values from the key table.
fn describe(schema: &mut Json, table: &[KeyInfo]) {
    let Some(Json::Object(properties)) = schema.get_mut("properties") else {
        return;
    };
    for key in table {
        let Some(Json::Object(property)) = properties.get_mut(key.name) else {
            continue;
        };
        property.remove("default");
        property.insert("description".into(), Json::from(key.doc));
        let plain_text = property.get("type") == Some(&Json::from("string"));
        if plain_text && !key.values.is_empty() {
            add_values(property, key);
        }
    }
}

fn add_values(property: &mut Map<String, Json>, key: &KeyInfo) {
    if key.value == crate::ValueType::Enum {
        property.insert("enum".into(), json!(key.values));
    } else {
        // Open text: the usual values are offered, others are permitted.
        property.insert("examples".into(), json!(key.values));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(schema: &Json) -> Vec<&str> {
        schema["properties"]
            .as_object()
            .unwrap()
            .keys()
            .map(String::as_str)
            .collect()
    }

    #[test]
    fn the_schema_has_just_the_keys_that_are_read() {
        let schema = front_matter_schema();
        for (table, inner) in [
            (TOP, &schema),
            (REASONING, &schema["$defs"]["ReasoningFields"]),
            (CONSTRAINTS, &schema["$defs"]["ConstraintFields"]),
            (GUARD, &schema["$defs"]["GuardFields"]),
            (AST_QUERY, &schema["$defs"]["AstQueryFields"]),
            (FIX, &schema["$defs"]["FixFields"]),
        ] {
            let mut in_table: Vec<&str> = table.iter().map(|key| key.name).collect();
            let mut in_schema = names(inner);
            in_table.sort_unstable();
            in_schema.sort_unstable();
            assert_eq!(in_schema, in_table);
            for key in table {
                assert_eq!(inner["properties"][key.name]["description"], key.doc);
            }
        }
    }

    #[test]
    fn enums_list_their_values() {
        let schema = front_matter_schema();
        assert_eq!(
            schema["properties"]["topicHint"]["enum"],
            json!(crate::keys::TOPIC_HINTS)
        );
        assert_eq!(schema["required"], json!(["title", "trigger"]));
        let severity = &schema["$defs"]["GuardFields"]["properties"]["severity"];
        assert!(
            severity["$ref"].is_string() || severity["allOf"].is_array(),
            "{severity}"
        );
        assert!(schema["properties"]["category"]["enum"].is_null());
    }
}
