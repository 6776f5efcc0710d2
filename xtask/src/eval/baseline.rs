//! What search is compared with: plain BM25 with pairs of Chinese characters,
//! and the full-text index of SQLite.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Result;
use asd_search::Document;
use rusqlite::Connection;

/// Everything that a recipe says, as one text.
pub fn text_of(document: &Document) -> String {
    let recipe = &document.recipe;
    [
        recipe.trigger.as_str(),
        &recipe.title,
        &recipe.tags.join(" "),
        &recipe.description,
        &recipe.when_clause,
        &recipe.do_clause,
        &recipe.dont_clause,
        &recipe.content.markdown,
    ]
    .join("\n")
}

fn is_han(c: char) -> bool {
    ('\u{3400}'..='\u{9fff}').contains(&c)
}

fn tokens(text: &str) -> Vec<String> {
    let mut tokens = Vec::new();
    let mut word = String::new();
    let mut before: Option<char> = None;
    for c in text.chars().chain([' ']) {
        if c.is_alphanumeric() && !is_han(c) {
            word.extend(c.to_lowercase());
        } else if !word.is_empty() {
            tokens.push(std::mem::take(&mut word));
        }
        if let Some(before) = before.filter(|before| is_han(*before) && is_han(c)) {
            tokens.push([before, c].iter().collect());
        }
        before = Some(c);
    }
    tokens
}

/// BM25 with k1 = 1.2 and b = 0.75 over one field.
pub struct Bm25 {
    postings: BTreeMap<String, Vec<(usize, f64)>>,
    lengths: Vec<f64>,
    mean: f64,
}

impl Bm25 {
    #[expect(clippy::cast_precision_loss, reason = "there are few documents")]
    pub fn build(documents: &[Document]) -> Self {
        let mut postings: BTreeMap<String, Vec<(usize, f64)>> = BTreeMap::new();
        let mut lengths = Vec::new();
        for (index, document) in documents.iter().enumerate() {
            let tokens = tokens(&text_of(document));
            lengths.push(tokens.len() as f64);
            let mut counts: BTreeMap<String, f64> = BTreeMap::new();
            for token in tokens {
                *counts.entry(token).or_default() += 1.0;
            }
            for (token, count) in counts {
                postings.entry(token).or_default().push((index, count));
            }
        }
        let mean = lengths.iter().sum::<f64>() / lengths.len().max(1) as f64;
        Self {
            postings,
            lengths,
            mean,
        }
    }

    #[expect(clippy::cast_precision_loss, reason = "there are few documents")]
    pub fn search(&self, query: &str, limit: usize) -> Vec<(usize, f64)> {
        let all = self.lengths.len() as f64;
        let mut scores = vec![0.0; self.lengths.len()];
        for token in tokens(query).into_iter().collect::<BTreeSet<_>>() {
            let Some(list) = self.postings.get(&token) else {
                continue;
            };
            let holders = list.len() as f64;
            let idf = (1.0 + (all - holders + 0.5) / (holders + 0.5)).ln();
            for (index, count) in list {
                let norm = 1.2 * (0.25 + 0.75 * self.lengths[*index] / self.mean);
                scores[*index] += idf * count * 2.2 / (count + norm);
            }
        }
        let mut found: Vec<(usize, f64)> = scores
            .into_iter()
            .enumerate()
            .filter(|(_, score)| *score > 0.0)
            .collect();
        found.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        found.truncate(limit);
        found
    }
}

/// SQLite's full-text index with its default tokenizer; a document fits when it
/// has any word of the query.
pub struct Fts5(Connection);

impl Fts5 {
    pub fn build(documents: &[Document]) -> Result<Self> {
        let connection = Connection::open_in_memory()?;
        connection.execute_batch("CREATE VIRTUAL TABLE recipes USING fts5(body)")?;
        {
            let mut insert =
                connection.prepare("INSERT INTO recipes (rowid, body) VALUES (?1, ?2)")?;
            for (index, document) in documents.iter().enumerate() {
                insert.execute((i64::try_from(index)?, text_of(document)))?;
            }
        }
        Ok(Self(connection))
    }

    pub fn search(&self, query: &str, limit: usize) -> Result<Vec<(usize, f64)>> {
        let words: Vec<String> = query
            .split(|c: char| !c.is_alphanumeric())
            .filter(|word| !word.is_empty())
            .map(|word| format!("\"{word}\""))
            .collect();
        let mut select = self.0.prepare_cached(
            "SELECT rowid, -bm25(recipes) FROM recipes WHERE recipes MATCH ?1 ORDER BY 2 DESC LIMIT ?2",
        )?;
        let rows = select.query_map((words.join(" OR "), i64::try_from(limit)?), |row| {
            Ok((row.get::<_, i64>(0)?, row.get::<_, f64>(1)?))
        })?;
        rows.map(|row| {
            let (index, score) = row?;
            Ok((usize::try_from(index)?, score))
        })
        .collect()
    }
}
