//! The fields of a submission: which are needed, of which type, and an example
//! of each.

use asd_recipe::Recipe;
use serde_json::{Map, Value as Json, json};

use super::layers::{error, warning};
use super::{Issue, Layer, SubmissionContext};

/// A field that every submission must have.
#[derive(Debug)]
pub struct FieldSpec {
    /// Its name.
    pub name: &'static str,
    /// Other names under which it is read.
    other: &'static [&'static str],
    /// What it could say.
    pub example: &'static str,
}

const fn field(
    name: &'static str,
    other: &'static [&'static str],
    example: &'static str,
) -> FieldSpec {
    FieldSpec {
        name,
        other,
        example,
    }
}

/// The required fields, in the order of the specification. `headers` may be
/// empty, but must be there.
pub const REQUIRED_FIELDS: [FieldSpec; 17] = [
    field("title", &[], "LedgerPool checkout"),
    field("description", &[], "Ledgers come from the pool"),
    field("trigger", &[], "@ledger-pool-checkout"),
    field("kind", &["knowledgeType"], "rule"),
    field("knowledgeType", &["kind"], "best-practice"),
    field("language", &[], "go"),
    field("category", &[], "Storage"),
    field(
        "whenClause",
        &["when"],
        "Reading or writing an account ledger",
    ),
    field("doClause", &["do"], "Check a ledger out of LedgerPool"),
    field("dontClause", &["dont"], "Construct Ledger directly"),
    field(
        "coreCode",
        &[],
        "l := pool.Checkout(ctx, id)\\ndefer l.Release()\\nreturn l.Apply(tx)",
    ),
    field("headers", &[], "[]"),
    field("usageGuide", &[], "### When\\nAny ledger access."),
    field(
        "content.markdown",
        &[],
        "200 or more characters, naming `internal/ledger/pool.go:12`",
    ),
    field("content.rationale", &[], "A held ledger blocks settlement"),
    field("reasoning.whyStandard", &[], "Seen in all nine call sites"),
    field(
        "reasoning.sources",
        &[],
        "[\"internal/ledger/pool.go:12-40\"]",
    ),
];

/// Fields of provenance that an item may carry.
pub(super) const SUBMITTED_EXTRAS: [&str; 4] =
    ["sourceFile", "sourceCandidateId", "agentNotes", "aiInsight"];

/// One message about all missing fields together, with an example of each.
#[must_use]
pub fn missing_message(missing: &[&str]) -> String {
    let examples: Vec<String> = REQUIRED_FIELDS
        .iter()
        .filter(|field| missing.contains(&field.name))
        .map(|field| format!("`{}` (for example {})", field.name, field.example))
        .collect();
    format!("Missing: {}.", examples.join("; "))
}

/// An item with what the submission knows: its dimension, and on the internal
/// path category, knowledge type and language.
pub(super) fn filled(item: &Json, context: &SubmissionContext) -> Json {
    let Json::Object(map) = item else {
        return item.clone();
    };
    let mut map = map.clone();
    for name in [
        "content",
        "reasoning",
        "constraints",
        "relations",
        "headers",
    ] {
        unpack_text(&mut map, name);
    }
    let mut fill = |name: &str, value: Option<&str>| {
        if let Some(value) = value.filter(|value| !value.is_empty())
            && is_blank(get(&map, name))
        {
            map.insert(name.to_owned(), json!(value));
        }
    };
    fill("dimensionId", context.dimension_id.as_deref());
    if let Some(known) = &context.fill {
        fill("category", Some(&known.category));
        fill("knowledgeType", Some(&known.knowledge_type));
        fill("language", Some(&known.language));
    }
    Json::Object(map)
}

/// Some clients send nested values as JSON in a text.
fn unpack_text(map: &mut Map<String, Json>, name: &str) {
    if let Some(Json::String(text)) = map.get(name)
        && text.trim_start().starts_with(['{', '['])
        && let Ok(value) = serde_json::from_str::<Json>(text)
    {
        map.insert(name.to_owned(), value);
    }
}

/// A field under its name or its snake_case twin.
fn get<'a>(map: &'a Map<String, Json>, name: &str) -> Option<&'a Json> {
    map.get(name).or_else(|| map.get(&snake_case(name)))
}

fn snake_case(name: &str) -> String {
    let mut twin = String::new();
    for c in name.chars() {
        if c.is_ascii_uppercase() {
            twin.push('_');
        }
        twin.push(c.to_ascii_lowercase());
    }
    twin
}

fn lookup<'a>(item: &'a Json, name: &str) -> Option<&'a Json> {
    let mut map = item.as_object()?;
    let mut name = name;
    if let Some((parent, child)) = name.split_once('.') {
        map = get(map, parent)?.as_object()?;
        name = child;
    }
    get(map, name)
}

fn is_blank(value: Option<&Json>) -> bool {
    match value {
        None | Some(Json::Null) => true,
        Some(Json::String(text)) => text.trim().is_empty(),
        Some(Json::Array(items)) => items.is_empty(),
        Some(_) => false,
    }
}

/// The required fields that are not there or blank.
pub(super) fn missing(item: &Json) -> Vec<&'static str> {
    let given = |name: &str| {
        let value = lookup(item, name);
        match name {
            "headers" => value.is_some_and(|value| !value.is_null()),
            _ => !is_blank(value),
        }
    };
    // A guard makes a rule, and either of kind and knowledge type the other.
    let is_rule = given("guards") || given("constraints.guards");
    REQUIRED_FIELDS
        .iter()
        .filter(|field| !given(field.name) && !field.other.iter().any(|name| given(name)))
        .filter(|field| !(is_rule && matches!(field.name, "kind" | "knowledgeType")))
        .map(|field| field.name)
        .collect()
}

/// The required fields that an entry lacks; for publishing, where nothing says
/// whether an empty list of headers was meant.
#[must_use]
pub fn missing_of(recipe: &Recipe) -> Vec<&'static str> {
    let code = recipe.core_code.as_ref().map_or("", |code| &code.text);
    let has = |name: &str| {
        let text = match name {
            "title" => &recipe.title,
            "description" => &recipe.description,
            "trigger" => &recipe.trigger,
            "language" => &recipe.language,
            "category" => &recipe.category,
            "whenClause" => &recipe.when_clause,
            "doClause" => &recipe.do_clause,
            "dontClause" => &recipe.dont_clause,
            "coreCode" => code,
            "usageGuide" => &recipe.usage_guide,
            "content.markdown" => &recipe.content.markdown,
            "content.rationale" => &recipe.content.rationale,
            "reasoning.whyStandard" => &recipe.reasoning.why_standard,
            "reasoning.sources" => return !recipe.reasoning.sources.is_empty(),
            _ => return true,
        };
        !text.trim().is_empty()
    };
    let names = REQUIRED_FIELDS.iter().map(|field| field.name);
    names.filter(|name| !has(name)).collect()
}

/// Fields whose type is not what it has to be.
pub(super) fn wrong_types(item: &Json) -> Vec<Issue> {
    let mut issues = Vec::new();
    for name in ["content", "reasoning"] {
        if let Some(value) = lookup(item, name)
            && !value.is_null()
            && !value.is_object()
        {
            let field = if name == "content" {
                "content"
            } else {
                "reasoning"
            };
            issues.push(error(field, format!("`{name}` must be an object.")));
        }
    }
    if let Some(value) = lookup(item, "reasoning.sources")
        && !value.is_null()
        && !value.is_array()
    {
        issues.push(error(
            "reasoning.sources",
            "`reasoning.sources` must be a list of paths, for example [\"src/net/retry.rs:10-48\"].",
        ));
    }
    if let Some(value) = lookup(item, "headers")
        && !value.is_null()
        && !value.is_array()
    {
        issues.push(error(
            "headers",
            "`headers` must be a list of import lines; it may be empty.",
        ));
    }
    for name in ["dimensionId", "topicHint"] {
        if is_blank(lookup(item, name)) {
            issues.push(warning(
                Layer::L1,
                name,
                format!("`{name}` is expected; it decides where the entry is kept and found."),
            ));
        }
    }
    issues
}
