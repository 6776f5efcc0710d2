//! Recipes that arrive as JSON rather than as a file.

use asd_text::Span;
use serde_json::Value as Json;

use crate::read;
use crate::yaml::Node;
use crate::{Home, Problem, Recipe};

/// A recipe that was read from JSON.
#[derive(Clone, Debug, PartialEq)]
pub struct ItemReading {
    /// The recipe; what could not be read has its default.
    pub recipe: Recipe,
    /// What is wrong with the values; the spans mean nothing.
    pub problems: Vec<Problem>,
    /// Whether a kind was stated, and is one.
    pub states_kind: bool,
    /// Whether a knowledge type was stated.
    pub states_knowledge_type: bool,
}

/// Reads an object with the fields of a recipe, prose and code included, under
/// the names that files have for them, their longer names, or the snake_case
/// twins of either. Reading does not stop at what is wrong.
#[must_use]
pub fn recipe_from_json(item: &Json) -> ItemReading {
    let node = Node::from_json(item, Span::default());
    let (recipe, stated, problems) = read::front_matter("", &node, Home::Candidates).finish();
    ItemReading {
        recipe,
        problems,
        states_kind: stated.kind.is_some(),
        states_knowledge_type: stated.knowledge_type,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::{Kind, RelationKind};

    #[test]
    fn json_reads_like_a_file_under_every_name() {
        let item = json!({
            "title": "LedgerPool checkout", "trigger": "@ledger-pool", "knowledge_type": "best-practice",
            "do_clause": "Check a ledger out", "dontClause": "Don't construct Ledger",
            "core_code": "pool.Checkout(id)", "language": "go",
            "content": {"markdown": "See `a/b.go`", "rationale": "Locks"},
            "reasoning": {"why_standard": "Seen", "sources": ["a/b.go:1-2"], "confidence": 0.8},
            "constraints": {"guards": [{"pattern": "Ledger\\{", "fix_suggestion": "Use the pool"}]},
            "relations": [{"type": "depends_on", "target": "@x"}],
        });
        let ItemReading {
            recipe,
            problems,
            states_kind,
            states_knowledge_type,
        } = recipe_from_json(&item);
        assert!(problems.is_empty(), "{problems:?}");
        assert!(!states_kind && states_knowledge_type);
        assert_eq!(recipe.kind, Kind::Rule);
        assert_eq!(recipe.dont_clause, "construct Ledger");
        assert_eq!(recipe.core_code.unwrap().text, "pool.Checkout(id)");
        assert_eq!(recipe.content.rationale, "Locks");
        assert_eq!(recipe.reasoning.sources[0].lines, Some((1, 2)));
        assert_eq!(recipe.constraints.guards[0].fix_suggestion, "Use the pool");
        assert_eq!(recipe.relations[&RelationKind::DependsOn][0].target, "@x");
    }

    #[test]
    fn what_is_wrong_is_said_and_the_rest_is_read() {
        let item = json!({"title": "T", "kind": "law", "trigger": "../../x", "tags": {"a": 1}});
        let reading = recipe_from_json(&item);
        assert_eq!(reading.recipe.title, "T");
        assert!(!reading.states_kind);
        assert!(reading.problems.len() >= 2, "{:?}", reading.problems);
        assert!(!reading.recipe.trigger.contains('/'));
        assert!(recipe_from_json(&json!([1, 2])).recipe.title.is_empty());
    }
}
