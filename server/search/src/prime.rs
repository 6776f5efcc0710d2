//! What a task should know before it starts. (search.md §9)

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use asd_recipe::{Code, Kind};
use rayon::prelude::*;
use serde::Serialize;

use crate::index::SearchIndex;
use crate::intent::Intent;
use crate::query::{Mode, Query, Row};
use crate::rank::Scenario;
use crate::search::{Found, three_decimals};

/// What was found for a task.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Primed {
    /// Patterns and facts, at most five.
    pub related_knowledge: Vec<PrimeRow>,
    /// Rules, at most three.
    pub guard_rules: Vec<PrimeRow>,
    /// How they were found.
    pub search_meta: PrimeMeta,
}

/// A recipe for a task.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PrimeRow {
    /// As in a search.
    #[serde(flatten)]
    pub row: Row,
    /// What to do.
    pub do_clause: String,
    /// What not to do.
    pub dont_clause: String,
    /// When it applies.
    pub when_clause: String,
    /// The first lines of the skeleton to copy.
    pub core_code: String,
}

/// How the rows of a [`Primed`] were found.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PrimeMeta {
    /// What was searched for.
    pub queries: Vec<String>,
    /// The literal words that were searched for.
    pub keyword_queries: Vec<String>,
    /// What the rows are for.
    pub scenario: Scenario,
    /// The language of the work.
    pub language: Option<String>,
    /// The folder of the work.
    pub module: Option<String>,
    /// How many recipes were found.
    pub result_count: usize,
    /// How many of them fit well enough.
    pub filtered_count: usize,
    /// How long it took, in milliseconds.
    pub took_ms: u64,
    /// Whether a list is missing.
    pub degraded: bool,
}

const AUTO_LIMIT: usize = 8;
const SEMANTIC_LIMIT: usize = 6;
const KEYWORD_LIMIT: usize = 8;
const RELATED: usize = 5;
const RULES: usize = 3;
const CODE_LINES: usize = 15;

/// The time for all lists, without and with vectors.
const BUDGETS: [Duration; 2] = [Duration::from_millis(500), Duration::from_millis(1500)];

/// The scale of literal hits.
const KEYWORD_SCALE: f64 = 1.2;
/// A score by words counts up to this.
const WORDS_CAP: f64 = 1.5;

/// A document in a list, on the common scale.
type Listed<'i> = (u32, f64, Found<'i>);

impl SearchIndex {
    /// Searches for everything that an intent is about.
    #[must_use]
    pub fn prime(&self, intent: &Intent) -> Primed {
        let start = Instant::now();
        let deadline = start + BUDGETS[usize::from(self.has_vectors())];
        let mut asked: Vec<(Mode, usize, &str)> = Vec::new();
        for query in &intent.queries {
            asked.push((Mode::Auto, AUTO_LIMIT, query));
        }
        if let (Some(first), true) = (intent.queries.first(), self.has_vectors()) {
            asked.push((Mode::Semantic, SEMANTIC_LIMIT, first));
        }
        for query in &intent.keyword_queries {
            asked.push((Mode::Keyword, KEYWORD_LIMIT, query));
        }
        // A list that comes too late is left out.
        let lists: Vec<Option<(Vec<Listed<'_>>, bool)>> = asked
            .par_iter()
            .map(|(mode, limit, text)| {
                let list = (Instant::now() < deadline).then(|| self.list(*mode, *limit, text));
                list.filter(|_| Instant::now() < deadline)
            })
            .collect();
        let degraded = lists
            .iter()
            .any(|list| list.as_ref().is_none_or(|(_, degraded)| *degraded));
        let lists: Vec<Vec<Listed<'_>>> = lists
            .into_iter()
            .flatten()
            .map(|(list, _)| list)
            .filter(|list| !list.is_empty())
            .collect();
        let fused = fuse(lists);
        let result_count = fused.len();
        let scores: Vec<f64> = fused.iter().map(|(score, _)| *score).collect();
        let kept = &fused[..fitting(&scores)];
        let rows = |rule: bool, most: usize| -> Vec<PrimeRow> {
            kept.iter()
                .filter(|(_, found)| (found.document.recipe.kind == Kind::Rule) == rule)
                .take(most)
                .map(|(score, found)| prime_row(*score, found))
                .collect()
        };
        Primed {
            related_knowledge: rows(false, RELATED),
            guard_rules: rows(true, RULES),
            search_meta: PrimeMeta {
                queries: intent.queries.clone(),
                keyword_queries: intent.keyword_queries.clone(),
                scenario: intent.scenario,
                language: intent.language.clone(),
                module: intent.module.clone(),
                result_count,
                filtered_count: kept.len(),
                took_ms: u64::try_from(start.elapsed().as_millis()).unwrap_or(u64::MAX),
                degraded,
            },
        }
    }

    /// One list on the common scale, and whether it is degraded.
    fn list(&self, mode: Mode, limit: usize, text: &str) -> (Vec<Listed<'_>>, bool) {
        let query = Query {
            mode,
            limit: Some(limit),
            rank: false,
            ..Query::new(text)
        };
        let ranked = self.inner.rank(&query, limit);
        let literal = mode == Mode::Keyword && ranked.is_literal;
        let list = ranked
            .found
            .into_iter()
            .take(limit)
            .map(|found| {
                let score = match (mode, found.nearness()) {
                    (Mode::Semantic, Some(nearness)) => f64::from(nearness.max(0.0)),
                    _ if literal => found.score / KEYWORD_SCALE,
                    _ => found.score.min(WORDS_CAP),
                };
                (found.place(), score, found)
            })
            .collect();
        (list, ranked.degraded)
    }
}

/// One list out of several. A document that several lists have is lifted by the
/// root of their number only, so that being found often does not drown being
/// found well.
#[expect(clippy::cast_precision_loss, reason = "lists are short")]
fn fuse(lists: Vec<Vec<Listed<'_>>>) -> Vec<(f64, Found<'_>)> {
    let single = lists.len() == 1;
    let mut sums: BTreeMap<u32, (f64, usize, Found<'_>)> = BTreeMap::new();
    for list in lists {
        for (rank, (place, score, found)) in list.into_iter().enumerate() {
            let share = if single {
                score
            } else {
                60.0 * score.max(0.01) / (60.0 + rank as f64)
            };
            let entry = sums.entry(place).or_insert((0.0, 0, found));
            entry.0 += share;
            entry.1 += 1;
        }
    }
    let mut fused: Vec<(f64, Found<'_>)> = sums
        .into_values()
        .map(|(sum, lists, found)| (three_decimals(sum / (lists as f64).sqrt()), found))
        .collect();
    fused.sort_by(|a, b| {
        b.0.total_cmp(&a.0)
            .then_with(|| a.1.document.id.cmp(&b.1.document.id))
    });
    fused
}

/// How many of the first rows fit well enough; the scores are sorted.
fn fitting(scores: &[f64]) -> usize {
    let first = scores.first().copied().unwrap_or(0.0);
    let mut kept = 0;
    for (index, &score) in scores.iter().enumerate() {
        let alone = score >= 0.30;
        let beside_first = index == 0 || score >= 0.15 * first;
        let beside_last = index == 0 || score >= 0.25 * scores[index - 1];
        if !(alone && beside_first && beside_last) {
            break;
        }
        kept += 1;
    }
    kept
}

fn prime_row(score: f64, found: &Found<'_>) -> PrimeRow {
    let recipe = &found.document.recipe;
    let code = recipe
        .core_code
        .as_ref()
        .map(|Code { text, .. }| text.as_str());
    let lines: Vec<&str> = code.unwrap_or_default().lines().take(CODE_LINES).collect();
    PrimeRow {
        row: Row {
            score,
            ..found.row()
        },
        do_clause: recipe.do_clause.clone(),
        dont_clause: recipe.dont_clause.clone(),
        when_clause: recipe.when_clause.clone(),
        core_code: lines.join("\n"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_fits_too_little_is_cut() {
        assert_eq!(fitting(&[0.9, 0.8, 0.15, 0.14]), 2, "by itself");
        assert_eq!(fitting(&[4.0, 0.9, 0.5]), 1, "beside the row before");
        assert_eq!(fitting(&[2.0, 0.6, 0.31]), 3);
        assert_eq!(fitting(&[9.0, 3.0, 1.0, 0.9]), 2, "beside the first");
        assert_eq!(fitting(&[0.2]), 0);
        assert_eq!(fitting(&[]), 0);
    }
}
