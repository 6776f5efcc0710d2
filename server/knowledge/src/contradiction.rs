//! Entries that contradict each other. (knowledge.md §9)

use std::collections::BTreeMap;

use asd_recipe::{AstGuard, GuardKind, Recipe, Severity};
use serde::Serialize;

use crate::entry_key;
use crate::similarity::{Shingles, each_pair};
use crate::words::{is_negated, topic_words};

/// How alike the topics of two entries must be.
const MIN_TOPIC: f64 = 0.3;
/// How many words they must share.
const MIN_SHARED: usize = 2;
/// How close what one asks for is to what the other forbids.
const CLOSE_CLAUSES: f64 = 0.5;
/// From this score on a contradiction is plain.
const HARD_FROM: f64 = 0.8;
/// Below this score there is none.
const SOFT_FROM: f64 = 0.4;

/// How plain a contradiction is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Plainness {
    /// It is reported.
    Soft,
    /// It keeps a staged entry from becoming active.
    Hard,
}

/// Why two entries contradict each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Ground {
    /// One asks for what the other forbids, by a word like never or 禁止.
    Negation,
    /// What one asks for is close to what the other forbids.
    DoAgainstDont,
    /// Both look for the same, with another severity.
    GuardSeverity,
}

/// Two entries that contradict each other.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Contradiction {
    /// The entry whose id comes first.
    pub a: String,
    /// The other one.
    pub b: String,
    /// From 0.4 to 1.
    pub score: f64,
    /// How plain it is.
    pub plainness: Plainness,
    /// Why.
    pub grounds: Vec<Ground>,
}

/// What is compared of an entry.
struct View<'a> {
    id: &'a str,
    topic: Shingles,
    does: Shingles,
    donts: Shingles,
    has_do: bool,
    negated: bool,
    guards: BTreeMap<String, Severity>,
}

impl<'a> View<'a> {
    fn new(recipe: &'a Recipe) -> Self {
        let about = format!(
            "{} {} {}",
            recipe.title, recipe.when_clause, recipe.do_clause
        );
        let set = |text: &str| {
            let words = topic_words(text);
            Shingles::of_items(words.iter().map(String::as_str))
        };
        let guards = recipe.constraints.guards.iter().filter_map(|guard| {
            let pattern = match &guard.kind {
                GuardKind::Regex { pattern, flags, .. } => format!("r/{pattern}/{flags}"),
                GuardKind::Ast(AstGuard::Pattern { pattern }) => format!("a/{pattern}"),
                GuardKind::Ast(other) => serde_json::to_string(other).ok()?,
            };
            Some((pattern, guard.severity))
        });
        Self {
            id: entry_key(recipe),
            topic: set(&about),
            does: set(&recipe.do_clause),
            donts: set(&recipe.dont_clause),
            has_do: !recipe.do_clause.trim().is_empty(),
            negated: is_negated(&recipe.do_clause),
            guards: guards.collect(),
        }
    }

    fn against(&self, other: &View<'_>) -> Option<Contradiction> {
        let topic = self.topic.jaccard(&other.topic);
        let shared = self.topic.shared(&other.topic);
        if topic < MIN_TOPIC || shared < MIN_SHARED {
            return None;
        }
        let mut grounds = Vec::new();
        let mut weight = 0.0;
        if self.has_do && other.has_do && self.negated != other.negated {
            grounds.push(Ground::Negation);
            weight += 0.3;
        }
        let crossed = self
            .does
            .jaccard(&other.donts)
            .max(other.does.jaccard(&self.donts));
        if crossed >= CLOSE_CLAUSES {
            grounds.push(Ground::DoAgainstDont);
            weight += 0.5 * crossed;
        }
        let other_severity = self.guards.iter().any(|(pattern, severity)| {
            let there = other.guards.get(pattern);
            there.is_some_and(|there| there != severity)
        });
        if other_severity {
            grounds.push(Ground::GuardSeverity);
            weight += 0.3;
        }
        if grounds.is_empty() {
            return None;
        }
        let score = (0.2 + 0.3 * topic + weight).min(1.0);
        let plainness = match score {
            score if score >= HARD_FROM => Plainness::Hard,
            score if score >= SOFT_FROM => Plainness::Soft,
            _ => return None,
        };
        let (a, b) = if self.id <= other.id {
            (self.id, other.id)
        } else {
            (other.id, self.id)
        };
        Some(Contradiction {
            a: a.to_owned(),
            b: b.to_owned(),
            score,
            plainness,
            grounds,
        })
    }
}

/// Whether two entries contradict each other. The score is 0.2, and 0.3 times
/// how alike their topics are, and for each ground: 0.3 for a negation, 0.5
/// times how close the clauses are, 0.3 for another severity.
#[must_use]
pub fn contradiction(a: &Recipe, b: &Recipe) -> Option<Contradiction> {
    View::new(a).against(&View::new(b))
}

/// All contradictions among entries, plainest first.
#[must_use]
pub fn contradictions<'a>(recipes: impl IntoIterator<Item = &'a Recipe>) -> Vec<Contradiction> {
    let views: Vec<View<'_>> = recipes.into_iter().map(View::new).collect();
    let topics: Vec<&Shingles> = views.iter().map(|view| &view.topic).collect();
    let mut found: Vec<Contradiction> = Vec::new();
    each_pair(&topics, MIN_TOPIC, |a, b| {
        found.extend(views[a].against(&views[b]));
    });
    found.sort_by(|x, y| {
        let by_score = y.score.total_cmp(&x.score);
        by_score.then_with(|| (&x.a, &x.b).cmp(&(&y.a, &y.b)))
    });
    found
}

#[cfg(test)]
mod tests {
    use asd_recipe::{Guard, GuardSpans, MatchIn};

    use super::*;

    fn entry(id: &str, title: &str, does: &str, donts: &str) -> Recipe {
        Recipe {
            id: Some(id.into()),
            title: title.into(),
            do_clause: does.into(),
            dont_clause: donts.into(),
            ..Recipe::default()
        }
    }

    fn guard(pattern: &str, severity: Severity) -> Guard {
        Guard {
            id: "g".into(),
            kind: GuardKind::Regex {
                pattern: pattern.into(),
                flags: String::new(),
                match_in: MatchIn::Code,
                multiline: false,
            },
            message: String::new(),
            severity,
            fix_suggestion: String::new(),
            fix: None,
            languages: Vec::new(),
            include_paths: Vec::new(),
            exclude_paths: Vec::new(),
            exclude_line: Vec::new(),
            positive_examples: Vec::new(),
            negative_examples: Vec::new(),
            extra: Default::default(),
            spans: GuardSpans::default(),
        }
    }

    #[test]
    fn what_one_asks_for_and_the_other_forbids_is_plain() {
        let a = entry(
            "a",
            "Retry with RetryQueue",
            "Retry calls with RetryQueue",
            "",
        );
        let b = entry(
            "b",
            "Retry with RetryQueue",
            "Never retry calls with RetryQueue",
            "",
        );
        let found = contradiction(&b, &a).unwrap();
        assert_eq!((found.a.as_str(), found.b.as_str()), ("a", "b"));
        assert_eq!(found.grounds, [Ground::Negation]);
        assert_eq!(found.plainness, Plainness::Hard);
        let zh = entry("c", "缓存统一入口", "缓存经过统一入口", "");
        let no = entry("d", "缓存统一入口", "禁止缓存经过统一入口", "");
        assert_eq!(contradiction(&zh, &no).unwrap().grounds, [Ground::Negation]);
    }

    #[test]
    fn a_word_that_only_holds_a_negation_is_none() {
        let a = entry("a", "Notable cache keys", "Write notable cache keys", "");
        let b = entry("b", "Notable cache keys", "Write cache keys", "");
        assert_eq!(contradiction(&a, &b), None);
    }

    #[test]
    fn clauses_are_compared_crosswise() {
        let a = entry("a", "Ledger access", "Construct Ledger directly", "");
        let b = entry(
            "b",
            "Ledger access pool",
            "Check out of the pool",
            "Construct Ledger directly",
        );
        let found = contradiction(&a, &b).unwrap();
        assert_eq!(found.grounds, [Ground::DoAgainstDont]);
    }

    #[test]
    fn one_pattern_has_one_severity() {
        let mut a = entry("a", "Sleep loops retry", "Retry in the queue", "");
        let mut b = entry("b", "Sleep loops retry", "Retry in the queue", "");
        a.constraints.guards = vec![guard("sleep", Severity::Error)];
        b.constraints.guards = vec![guard("sleep", Severity::Error)];
        assert_eq!(contradiction(&a, &b), None);
        b.constraints.guards[0].severity = Severity::Info;
        let found = contradiction(&a, &b).unwrap();
        assert_eq!(found.grounds, [Ground::GuardSeverity]);
    }

    #[test]
    fn other_topics_do_not_contradict() {
        let a = entry("a", "Cache keys", "Write cache keys", "");
        let b = entry("b", "Network timeouts", "Never wait without a timeout", "");
        assert_eq!(contradiction(&a, &b), None);
        assert!(contradictions([&a, &b]).is_empty());
    }

    #[test]
    fn an_audit_finds_the_pairs_that_contradict() {
        let a = entry(
            "a",
            "Retry with RetryQueue",
            "Retry calls with RetryQueue",
            "",
        );
        let b = entry(
            "b",
            "Retry with RetryQueue",
            "Never retry calls with RetryQueue",
            "",
        );
        let c = entry("c", "Cache keys", "Write cache keys", "");
        let found = contradictions([&c, &b, &a]);
        assert_eq!(found, [contradiction(&a, &b).unwrap()]);
    }
}
