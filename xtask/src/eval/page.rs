//! The page that publishes the figures.

use std::fmt::Write;
use std::time::Duration;

use super::corpus::Judged;
use super::measure::{CLASSES, Figures, Latency, NONE, Result};

pub struct Facts<'f> {
    pub recipes: usize,
    pub queries: &'f [Judged],
    pub results: &'f [Result],
    pub latencies: &'f [Latency],
    pub large: usize,
    pub large_built: Duration,
}

const METHOD: &str = include_str!("method.md");

const NAMES: [(&str, &str); 6] = [
    ("en", "English paraphrase"),
    ("en-zh", "English on Chinese"),
    ("zh-en", "Chinese on English"),
    ("zh-zh", "Chinese on Chinese"),
    ("mixed", "both in one query"),
    ("exact", "exact name"),
];

pub fn page(facts: &Facts<'_>) -> String {
    let count = |class: &str| facts.queries.iter().filter(|q| q.class == class).count();
    let mut page = METHOD
        .replace("{recipes}", &facts.recipes.to_string())
        .replace(
            "{queries}",
            &(facts.queries.len() - count(NONE)).to_string(),
        )
        .replace("{none}", &count(NONE).to_string());
    table(&mut page, "nDCG@10", facts, |figures| figures.ndcg);
    table(&mut page, "MRR@10", facts, |figures| figures.mrr);
    table(&mut page, "Recall@5", facts, |figures| figures.recall);

    page += "\n## Queries that nothing answers\n\nThe share of them that is answered still, where so many of the answerable ones are\nrefused. The baselines are cut at a score.\n\n| refused |";
    for result in facts.results {
        let _ = write!(page, " {} |", result.name);
    }
    page += "\n| --- |";
    page += &" --- |".repeat(facts.results.len());
    page.push('\n');
    let rows = facts.results.first().map_or(0, |result| result.curve.len());
    for row in 0..rows {
        let _ = write!(page, "| {} |", percent(facts.results[0].curve[row].0));
        for result in facts.results {
            let _ = write!(page, " {} |", percent(result.curve[row].1));
        }
        page.push('\n');
    }
    page.push('\n');
    for result in facts.results.iter().skip(2) {
        let _ = writeln!(
            page,
            "As it is set up, \"{}\" answers {} of the unanswerable and refuses {} of the answerable queries.\n",
            result.name,
            percent(result.false_answers),
            percent(result.false_refusals)
        );
    }
    let _ = writeln!(
        page,
        "## Latency\n\nOver {} recipes (those above under several names), in the process, one query at a time,\non one of the two shared cores of the development machine. Building the index of them\nfrom parsed recipes took {} ms.\n\n| search | p50 | p99 |\n| --- | --- | --- |",
        facts.large,
        facts.large_built.as_millis()
    );
    for latency in facts.latencies {
        let _ = writeln!(
            page,
            "| {} | {} ms | {} ms |",
            latency.name,
            millis(latency.p50),
            millis(latency.p99)
        );
    }
    page
}

fn millis(time: Duration) -> String {
    format!("{:.2}", time.as_secs_f64() * 1000.0)
}

fn percent(share: f64) -> String {
    format!("{:.0} %", share * 100.0)
}

fn table(page: &mut String, title: &str, facts: &Facts<'_>, figure: impl Fn(&Figures) -> f64) {
    let _ = write!(page, "\n## {title}\n\n| queries | number |");
    for result in facts.results {
        let _ = write!(page, " {} |", result.name);
    }
    *page += "\n| --- | --- |";
    *page += &" --- |".repeat(facts.results.len());
    page.push('\n');
    for class in CLASSES {
        let name = NAMES.iter().find(|(id, _)| *id == class);
        let number = facts.queries.iter().filter(|q| q.class == class).count();
        let _ = write!(
            page,
            "| {} | {number} |",
            name.map_or(class, |(_, name)| name)
        );
        for result in facts.results {
            let value = result.classes.get(class).map_or(0.0, &figure);
            let _ = write!(page, " {value:.3} |");
        }
        page.push('\n');
    }
}
