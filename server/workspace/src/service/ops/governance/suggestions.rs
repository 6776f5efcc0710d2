//! What the use of the entries suggests about them. (knowledge.md §15)

use std::collections::{BTreeMap, BTreeSet};

use asd_knowledge::proposals::{MetabolismEntry, MetabolismInput, TopicDrift, metabolism};
use asd_store::{Disk, MAX_FILE, Project, read_text_up_to};
use serde_json::{Value, json};

use super::base::Base;
use crate::service::Service;
use crate::task::{Drift, IntentChainRecord};

const CHAINS: &str = ".asd/signals/intent.jsonl";

pub(super) fn data(service: &Service, base: &Base) -> Value {
    let chains = chains(service.project());
    let entries: Vec<MetabolismEntry<'_>> = base
        .held
        .iter()
        .zip(&base.stats)
        .map(|(held, stats)| MetabolismEntry {
            recipe: &held.recipe,
            stats,
        })
        .collect();
    let found = metabolism(&MetabolismInput {
        entries: &entries,
        relations: &base.graph,
        drift: &drift(&chains),
        primed: &primed(&chains),
    });
    let suggestions: Vec<Value> = found
        .iter()
        .map(|suggestion| {
            let mut row = json!(suggestion);
            if let Some(node) = base.graph.node(&suggestion.target) {
                row["trigger"] = json!(node.trigger);
                row["title"] = json!(node.title);
            }
            row
        })
        .collect();
    json!({"count": suggestions.len(), "suggestions": suggestions})
}

/// The records of finished work; lines that cannot be read are left out.
fn chains(project: &Project) -> Vec<IntentChainRecord> {
    let Ok(decoded) = read_text_up_to(&Disk, &project.root().join(CHAINS), MAX_FILE) else {
        return Vec::new();
    };
    decoded
        .text
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok())
        .filter_map(|mut line| serde_json::from_value(line["metadata"]["chain"].take()).ok())
        .collect()
}

/// In how many chains work drifted to each topic.
fn drift(chains: &[IntentChainRecord]) -> Vec<TopicDrift> {
    let mut topics: BTreeMap<String, u64> = BTreeMap::new();
    for chain in chains {
        let of_chain: BTreeSet<String> = chain
            .drift_events
            .iter()
            .map(|event| match event.kind {
                Drift::NewModule => event.detail.clone(),
                Drift::SearchShift => topic_of(&event.detail),
            })
            .filter(|topic| !topic.is_empty())
            .collect();
        for topic in of_chain {
            *topics.entry(topic).or_default() += 1;
        }
    }
    let topics = topics.into_iter();
    topics
        .map(|(topic, chains)| TopicDrift { topic, chains })
        .collect()
}

/// A query as a topic: its words, in whatever order they were asked.
fn topic_of(query: &str) -> String {
    let lower = query.to_lowercase();
    let words: BTreeSet<&str> = lower.split_whitespace().collect();
    words.into_iter().collect::<Vec<_>>().join(" ")
}

/// For each recipe in how many chains prime returned it, and in how many of
/// these it was taken up.
fn primed(chains: &[IntentChainRecord]) -> BTreeMap<String, (u64, u64)> {
    let mut primed: BTreeMap<String, (u64, u64)> = BTreeMap::new();
    for chain in chains {
        let ids: BTreeSet<&String> = chain.prime_recipe_ids.iter().collect();
        for id in ids {
            let used = chain.tool_calls.iter().any(|call| {
                call.tool == "asd_knowledge"
                    && call.args_summary.contains("confirm_usage")
                    && call.args_summary.contains(id.as_str())
            });
            let counts = primed.entry(id.clone()).or_default();
            counts.0 += 1;
            counts.1 += u64::from(used);
        }
    }
    primed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn queries_of_the_same_words_are_one_topic() {
        assert_eq!(topic_of("Cache  eviction"), topic_of("eviction cache"));
        assert_eq!(topic_of("  "), "");
    }
}
