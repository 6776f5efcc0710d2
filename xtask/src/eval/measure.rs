//! The figures of one way to search.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use super::corpus::Judged;

/// The class of queries that nothing answers.
pub const NONE: &str = "none";
/// The classes of queries that something answers, in the order of the report.
pub const CLASSES: [&str; 6] = ["en", "en-zh", "zh-en", "zh-zh", "mixed", "exact"];

/// What a search gave for one query.
pub struct Run {
    /// Ids, best first.
    pub rows: Vec<String>,
    /// How sure it is that the query is answered; for the baselines their best
    /// score, which is all they have.
    pub certainty: f64,
    /// Whether it says that nothing answers the query.
    pub refused: bool,
}

impl Run {
    /// Rows of a search that knows scores only.
    pub fn plain(rows: impl Iterator<Item = (String, f64)>) -> Self {
        let rows: Vec<(String, f64)> = rows.collect();
        Self {
            certainty: rows.first().map_or(0.0, |(_, score)| *score),
            refused: rows.is_empty(),
            rows: rows.into_iter().map(|(id, _)| id).collect(),
        }
    }
}

/// A way to search.
pub struct System<'s> {
    name: &'static str,
    search: Box<dyn Fn(String, usize) -> Run + 's>,
}

impl<'s> System<'s> {
    pub fn new(name: &'static str, search: impl Fn(String, usize) -> Run + 's) -> Self {
        Self {
            name,
            search: Box::new(search),
        }
    }
}

#[derive(Default)]
pub struct Figures {
    pub ndcg: f64,
    pub mrr: f64,
    pub recall: f64,
}

pub struct Result {
    pub name: &'static str,
    pub classes: BTreeMap<String, Figures>,
    /// The share of unanswerable queries that are answered as it is set up.
    pub false_answers: f64,
    /// The share of answerable queries that are refused as it is set up.
    pub false_refusals: f64,
    /// For each share of answerable queries refused, the share of unanswerable
    /// ones that are answered still.
    pub curve: Vec<(f64, f64)>,
}

/// The shares of refused answerable queries in the curve.
const REFUSED: [f64; 6] = [0.01, 0.02, 0.05, 0.10, 0.15, 0.20];

#[expect(clippy::cast_precision_loss, reason = "there are few queries")]
pub fn measure(system: &System<'_>, queries: &[Judged]) -> Result {
    let mut sums: BTreeMap<String, (Figures, f64)> = BTreeMap::new();
    let (mut answerable, mut unanswerable) = (Vec::new(), Vec::new());
    let (mut false_answers, mut false_refusals) = (0usize, 0usize);
    for query in queries {
        let run = (system.search)(query.text.clone(), 10);
        if query.class == NONE {
            unanswerable.push(run.certainty);
            false_answers += usize::from(!run.refused);
            continue;
        }
        answerable.push(run.certainty);
        false_refusals += usize::from(run.refused);
        let hits: Vec<bool> = run
            .rows
            .iter()
            .map(|id| query.relevant.contains(id))
            .collect();
        let gain = |rank: usize| 1.0 / (rank as f64 + 2.0).log2();
        let found: f64 = (0..hits.len()).filter(|i| hits[*i]).map(gain).sum();
        let ideal: f64 = (0..query.relevant.len().min(10)).map(gain).sum();
        let first = hits.iter().position(|hit| *hit);
        let in_five = hits.iter().take(5).filter(|hit| **hit).count();
        let (figures, count) = sums.entry(query.class.clone()).or_default();
        figures.ndcg += found / ideal;
        figures.mrr += first.map_or(0.0, |rank| 1.0 / (rank as f64 + 1.0));
        figures.recall += in_five as f64 / query.relevant.len().min(5) as f64;
        *count += 1.0;
    }
    let classes = sums
        .into_iter()
        .map(|(class, (figures, count))| {
            let mean = Figures {
                ndcg: figures.ndcg / count,
                mrr: figures.mrr / count,
                recall: figures.recall / count,
            };
            (class, mean)
        })
        .collect();
    answerable.sort_by(f64::total_cmp);
    let curve = REFUSED
        .iter()
        .map(|share| {
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "a share of a few queries"
            )]
            let index = (answerable.len() as f64 * share) as usize;
            let threshold = answerable[index];
            let answered = unanswerable.iter().filter(|c| **c >= threshold).count();
            (*share, answered as f64 / unanswerable.len() as f64)
        })
        .collect();
    Result {
        name: system.name,
        classes,
        false_answers: false_answers as f64 / unanswerable.len() as f64,
        false_refusals: false_refusals as f64 / answerable.len() as f64,
        curve,
    }
}

/// How long queries take.
pub struct Latency {
    pub name: &'static str,
    pub p50: Duration,
    pub p99: Duration,
}

/// Runs every query several times, each time as one that was not asked before.
pub fn latency(name: &'static str, queries: &[Judged], search: impl Fn(String)) -> Latency {
    let mut times = Vec::new();
    for round in 0..4 {
        for query in queries {
            // Blanks change nothing but the key of the cache.
            let text = format!("{}{}", query.text, " ".repeat(round));
            let start = Instant::now();
            search(text);
            times.push(start.elapsed());
        }
    }
    times.sort_unstable();
    Latency {
        name,
        p50: times[times.len() / 2],
        p99: times[times.len() * 99 / 100],
    }
}
