//! What can be filled into a candidate without understanding it, and what
//! cannot. (mcp.md, asd_enrich_candidates)

use asd_recipe::{Recipe, dimension_ids, kind_of, normalise_trigger};
use indexmap::IndexMap;
use serde::Serialize;
use serde_json::Value as Json;

use crate::submission::missing_of;

/// The topic of a category or dimension.
const TOPICS: [(&str, &str); 21] = [
    ("Network", "networking"),
    ("networking-api", "networking"),
    ("View", "ui"),
    ("UI", "ui"),
    ("ui-interaction", "ui"),
    ("react-patterns", "ui"),
    ("vue-patterns", "ui"),
    ("swiftui-patterns", "ui"),
    ("Model", "data"),
    ("Storage", "data"),
    ("data-event-flow", "data"),
    ("Service", "architecture"),
    ("architecture", "architecture"),
    ("design-patterns", "architecture"),
    ("concurrency-async", "architecture"),
    ("go-module", "architecture"),
    ("ts-js-module", "architecture"),
    ("coding-standards", "conventions"),
    ("agent-guidelines", "conventions"),
    ("error-resilience", "conventions"),
    ("testing-quality", "conventions"),
];

/// The category of a dimension or topic that has one of its own.
const CATEGORIES: [(&str, &str); 8] = [
    ("networking-api", "Network"),
    ("ui-interaction", "UI"),
    ("data-event-flow", "Storage"),
    ("networking", "Network"),
    ("ui", "UI"),
    ("data", "Storage"),
    ("architecture", "Service"),
    ("conventions", "Utility"),
];

/// Fields that only someone who understands the matter can fill.
const SEMANTIC: [&str; 8] = [
    "description",
    "whenClause",
    "doClause",
    "dontClause",
    "coreCode",
    "usageGuide",
    "content.rationale",
    "reasoning.whyStandard",
];

/// What a candidate lacks.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Enrichment {
    /// The required and expected fields that are blank.
    pub missing: Vec<&'static str>,
    /// Those of them that need understanding.
    pub semantic: Vec<&'static str>,
    /// Values for blank fields that follow from others.
    pub suggested: IndexMap<&'static str, Json>,
}

/// Says what a candidate lacks, and what of it follows from the rest. Fields
/// that hold something are left alone.
#[must_use]
pub fn enrich(recipe: &Recipe) -> Enrichment {
    let mut missing = missing_of(recipe);
    if recipe.dimension_id.is_none() {
        missing.push("dimensionId");
    }
    if recipe.topic_hint.is_none() {
        missing.push("topicHint");
    }
    let mut suggested = IndexMap::new();
    if recipe.trigger.trim_matches('@').is_empty()
        && let Some(trigger) = normalise_trigger(&recipe.title)
    {
        suggested.insert("trigger", Json::from(trigger));
    }
    let usual = kind_of(&recipe.knowledge_type);
    if recipe.knowledge_type != "code-pattern" && recipe.kind != usual {
        suggested.insert("kind", Json::from(usual.name()));
    }
    let dimension = recipe.dimension_id.as_deref();
    let find = |table: &[(&'static str, &'static str)], names: [Option<&str>; 2]| {
        let mut names = names.into_iter().flatten();
        names.find_map(|name| {
            let found = table.iter().find(|(key, _)| key.eq_ignore_ascii_case(name));
            found.map(|(_, value)| *value)
        })
    };
    if recipe.topic_hint.is_none()
        && let Some(topic) = find(&TOPICS, [dimension, Some(&recipe.category)])
    {
        suggested.insert("topicHint", Json::from(topic));
    }
    if recipe.category.trim().is_empty() {
        let own = dimension.filter(|id| dimension_ids().contains(id));
        let category = find(&CATEGORIES, [dimension, recipe.topic_hint.as_deref()]).or(own);
        if let Some(category) = category {
            suggested.insert("category", Json::from(category));
        }
    }
    if recipe.headers.is_empty() {
        let headers = import_lines(recipe);
        if !headers.is_empty() {
            suggested.insert("headers", Json::from(headers));
        }
    }
    Enrichment {
        semantic: missing
            .iter()
            .copied()
            .filter(|name| SEMANTIC.contains(name))
            .collect(),
        missing,
        suggested,
    }
}

/// The lines of a candidate's code that bring something in.
fn import_lines(recipe: &Recipe) -> Vec<String> {
    const STARTS: [&str; 8] = [
        "import ",
        "from ",
        "use ",
        "using ",
        "#import ",
        "#include ",
        "@import ",
        "require ",
    ];
    let code = recipe.core_code.as_ref().map_or("", |code| &code.text);
    let mut lines: Vec<String> = Vec::new();
    for line in code.lines().chain(recipe.content.pattern.lines()) {
        let line = line.trim();
        let brings = STARTS.iter().any(|start| line.starts_with(start));
        if brings && !lines.iter().any(|known| known == line) {
            lines.push(line.to_owned());
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use asd_recipe::Code;
    use serde_json::json;

    use super::*;

    #[test]
    fn what_follows_from_other_fields_is_suggested() {
        let recipe = Recipe {
            title: "RetryQueue backoff".into(),
            knowledge_type: "best-practice".into(),
            dimension_id: Some("networking-api".into()),
            core_code: Some(Code {
                text: "use crate::net::RetryQueue;\nRetryQueue::open()".into(),
                ..Code::default()
            }),
            ..Recipe::default()
        };
        let found = enrich(&recipe);
        assert_eq!(
            serde_json::to_value(&found.suggested).unwrap(),
            json!({
                "trigger": "@retry-queue-backoff", "kind": "rule", "topicHint": "networking",
                "category": "Network", "headers": ["use crate::net::RetryQueue;"],
            })
        );
        assert!(found.semantic.contains(&"doClause"));
        assert!(!found.semantic.contains(&"coreCode"));
        assert!(found.missing.contains(&"topicHint"));
    }

    #[test]
    fn fields_that_hold_something_are_left_alone() {
        let recipe = Recipe {
            title: "T".into(),
            trigger: "@t".into(),
            category: "Stuff".into(),
            topic_hint: Some("ui".into()),
            headers: vec!["import a".into()],
            knowledge_type: "code-pattern".into(),
            ..Recipe::default()
        };
        assert!(enrich(&recipe).suggested.is_empty());
    }
}
