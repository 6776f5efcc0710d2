//! Which recipes are delivered, and in which order.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use asd_recipe::{Kind, Lifecycle, Recipe, trigger_key};

use crate::{Entry, Knowledge};

/// Pending recipes with less confidence are not delivered.
const PENDING_CONFIDENCE: f64 = 0.7;
/// What a recipe that states no confidence counts as.
const DEFAULT_CONFIDENCE: f64 = 0.5;

/// What is delivered, by where it goes; each list in the order of rank.
#[derive(Debug, Default)]
pub(crate) struct Selection<'k> {
    pub rules: Vec<&'k Entry>,
    pub patterns: Vec<&'k Entry>,
    pub facts: Vec<&'k Entry>,
    pub documents: Vec<&'k Entry>,
}

impl<'k> Selection<'k> {
    pub(crate) fn of(knowledge: &'k Knowledge) -> Self {
        let mut selection = Self::default();
        for entry in consumable(knowledge) {
            let recipe = &entry.recipe;
            let list = if recipe.knowledge_type == "dev-document" {
                &mut selection.documents
            } else {
                match recipe.kind {
                    Kind::Rule => &mut selection.rules,
                    Kind::Fact => &mut selection.facts,
                    Kind::Pattern => &mut selection.patterns,
                }
            };
            list.push(entry);
        }
        for list in [
            &mut selection.rules,
            &mut selection.patterns,
            &mut selection.facts,
            &mut selection.documents,
        ] {
            list.sort_by(|a, b| by_rank(a, b));
        }
        selection
    }
}

/// 0 to 1: how much a recipe deserves its place. (delivery.md §3)
pub(crate) fn rank(entry: &Entry) -> f64 {
    let confidence = entry
        .recipe
        .reasoning
        .confidence
        .unwrap_or(DEFAULT_CONFIDENCE)
        .clamp(0.0, 1.0);
    let authority = (entry.authority / 5.0).clamp(0.0, 1.0);
    #[expect(clippy::cast_precision_loss, reason = "at most ten")]
    let used = entry.use_count.min(10) as f64 / 10.0;
    let active = if entry.recipe.lifecycle == Lifecycle::Active {
        0.1
    } else {
        0.0
    };
    0.4 * confidence + 0.3 * authority + 0.2 * used + active
}

/// The best first; the order is total, so it does not depend on how the files
/// were found.
pub(crate) fn by_rank(a: &Entry, b: &Entry) -> Ordering {
    rank(b)
        .total_cmp(&rank(a))
        .then_with(|| a.recipe.trigger.cmp(&b.recipe.trigger))
        .then_with(|| a.recipe.id.cmp(&b.recipe.id))
        .then_with(|| a.path.cmp(&b.path))
}

/// Active and evolving rules go before those that still wait.
pub(crate) fn is_settled(recipe: &Recipe) -> bool {
    matches!(recipe.lifecycle, Lifecycle::Active | Lifecycle::Evolving)
}

fn consumable(knowledge: &Knowledge) -> Vec<&Entry> {
    let mut by_id: BTreeMap<&str, &Entry> = BTreeMap::new();
    let mut entries: Vec<&Entry> = knowledge.entries.iter().collect();
    entries.sort_by(|a, b| a.path.cmp(&b.path));
    for entry in &entries {
        if let Some(id) = entry.recipe.id.as_deref() {
            let known = by_id.entry(id).or_insert(entry);
            if entry.recipe.updated_at > known.recipe.updated_at {
                *known = entry;
            }
        }
    }
    // Of two files with one id the newer counts, of two with one trigger the
    // first.
    let mut triggers = std::collections::BTreeSet::new();
    entries.retain(|entry| {
        entry
            .recipe
            .id
            .as_deref()
            .is_none_or(|id| std::ptr::eq(by_id[id], *entry))
    });
    entries.retain(|entry| {
        let key = trigger_key(&entry.recipe.trigger);
        key.is_empty() || triggers.insert(key)
    });
    entries.retain(|entry| is_delivered(&entry.recipe, knowledge.trust_agents));
    entries
}

fn is_delivered(recipe: &Recipe, trust_agents: bool) -> bool {
    if recipe.tags.iter().any(|tag| tag == "system:mock") {
        return false;
    }
    let waits = match recipe.lifecycle {
        Lifecycle::Active | Lifecycle::Evolving => false,
        Lifecycle::Staging => true,
        Lifecycle::Pending => {
            let confidence = recipe.reasoning.confidence.unwrap_or(DEFAULT_CONFIDENCE);
            if confidence < PENDING_CONFIDENCE {
                return false;
            }
            true
        }
        Lifecycle::Decaying | Lifecycle::Deprecated => return false,
    };
    !waits || trust_agents || recipe.source != "mcp" || was_approved(recipe)
}

/// Names under which programs, not people, act on recipes.
const NOT_PEOPLE: &[&str] = &[
    "agent",
    "asd",
    "bootstrap",
    "chat_agent",
    "confidence-route",
    "external-ai",
    "external_agent",
    "mcp",
    "signal-recovery",
    "staging-expired",
    "system",
    "system-ai",
    "timeout",
    "user-ai",
];

/// Whether a person looked at a recipe that an agent wrote and let it pass.
fn was_approved(recipe: &Recipe) -> bool {
    let is_person = |name: &str| {
        let name = name.trim();
        !name.is_empty()
            && !NOT_PEOPLE.contains(&name.to_ascii_lowercase().as_str())
            && !name.starts_with("agent:")
    };
    let stamped = ["reviewedBy", "publishedBy"].iter().any(|key| {
        recipe
            .extra
            .get(*key)
            .and_then(serde_json::Value::as_str)
            .is_some_and(is_person)
    });
    // Whatever moved it last decides: a person may have sent it back.
    stamped
        || recipe.lifecycle_history.last().is_some_and(|event| {
            event.to == recipe.lifecycle
                && event.to != Lifecycle::Pending
                && event.by.as_deref().is_some_and(is_person)
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{entry, knowledge};

    #[test]
    fn rank_weighs_confidence_authority_use_and_state() {
        let mut best = entry("confidence: 0.9\nlifecycle: active");
        best.authority = 5.0;
        best.use_count = 20;
        assert!((rank(&best) - 0.96).abs() < 1e-9, "{}", rank(&best));
        let bare = entry("lifecycle: staging");
        assert!((rank(&bare) - 0.20).abs() < 1e-9, "{}", rank(&bare));
    }

    #[test]
    fn equal_ranks_are_ordered_by_trigger_whatever_the_order_of_the_files() {
        let names = |knowledge: &Knowledge| {
            let selection = Selection::of(knowledge);
            let triggers = selection.rules.iter().map(|e| e.recipe.trigger.clone());
            triggers.collect::<Vec<_>>()
        };
        let mut knowledge = knowledge(&[
            "kind: rule\ntrigger: '@c'",
            "kind: rule\ntrigger: '@a'",
            "kind: rule\ntrigger: '@b'",
        ]);
        assert_eq!(names(&knowledge), ["@a", "@b", "@c"]);
        knowledge.entries.reverse();
        assert_eq!(names(&knowledge), ["@a", "@b", "@c"]);
    }

    #[test]
    fn only_living_and_confident_recipes_are_delivered() {
        for (front, delivered) in [
            ("lifecycle: active", true),
            ("lifecycle: evolving", true),
            ("lifecycle: staging", true),
            ("lifecycle: pending\nconfidence: 0.7", true),
            ("lifecycle: pending\nconfidence: 0.69", false),
            ("lifecycle: pending", false),
            ("lifecycle: decaying", false),
            ("lifecycle: deprecated", false),
            ("lifecycle: active\ntags: ['system:mock']", false),
        ] {
            let knowledge = knowledge(&[front]);
            assert_eq!(consumable(&knowledge).len() == 1, delivered, "{front}");
        }
    }

    #[test]
    fn what_an_agent_wrote_waits_for_a_person() {
        let delivered = |front: &str, trust: bool| {
            let mut knowledge = knowledge(&[front]);
            knowledge.trust_agents = trust;
            consumable(&knowledge).len() == 1
        };
        let staged = "source: mcp\nlifecycle: staging";
        assert!(!delivered(staged, false));
        assert!(delivered(staged, true));
        assert!(delivered("source: mcp\nlifecycle: active", false));
        assert!(delivered(&format!("{staged}\nreviewedBy: Ann"), false));
        assert!(!delivered(
            &format!("{staged}\nreviewedBy: external_agent"),
            false
        ));
        let moved = |by: &str| {
            format!("{staged}\nlifecycleHistory: [{{from: pending, to: staging, at: 1, by: {by}}}]")
        };
        assert!(delivered(&moved("ann@example.org"), false));
        assert!(!delivered(&moved("confidence-route"), false));
        assert!(!delivered(
            "source: mcp\nlifecycle: pending\nconfidence: 0.9",
            false
        ));
    }

    #[test]
    fn every_entry_is_looked_at_however_many_there_are() {
        let fronts: Vec<String> = (0..500)
            .map(|n| format!("kind: rule\ntrigger: '@r{n}'"))
            .collect();
        let fronts: Vec<&str> = fronts.iter().map(String::as_str).collect();
        assert_eq!(Selection::of(&knowledge(&fronts)).rules.len(), 500);
    }

    #[test]
    fn of_two_recipes_with_one_trigger_only_the_first_is_delivered() {
        let knowledge = knowledge(&["trigger: '@a-b'", "trigger: '@A_b'"]);
        let kept = consumable(&knowledge);
        assert_eq!(kept.len(), 1);
        assert_eq!(&*kept[0].recipe.trigger, "@a-b");
    }
}
