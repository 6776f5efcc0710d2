//! How one document fits one query, before anything is decided.

use std::sync::Arc;

use asd_embed::{EmbedError, Embedder};
use serde::Serialize;

use crate::lexical::LexicalHit;
use crate::names::Name;
use crate::script::Script;
use crate::vectors::{Nearness, VectorSet};

/// How a document fits a query, by words and by meaning.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Signals {
    /// Its place among the documents.
    #[serde(skip)]
    pub(crate) document: u32,
    /// By words; see [`LexicalHit::score`].
    pub words: f32,
    /// What a title or trigger that is the query, or holds it, adds.
    pub name: f32,
    /// See [`LexicalHit::coverage`].
    pub coverage: f32,
    /// See [`LexicalHit::headline`].
    pub headline: f32,
    /// By meaning: the cosine, without what the languages have in common.
    pub nearness: Option<f32>,
    /// How far the nearness stands out: its distance from the mean of the
    /// documents of the same script, in standard deviations of all.
    pub outstanding: Option<f32>,
}

impl Signals {
    pub(crate) fn of_words(hit: &LexicalHit, name: f32) -> Self {
        Self {
            document: hit.document,
            words: hit.score,
            name,
            coverage: hit.coverage,
            headline: hit.headline,
            nearness: None,
            outstanding: None,
        }
    }
}

/// What a name that is the query adds, as a share of a full score.
const NAME_EQUAL: f32 = 0.6;
/// What a name that holds the query adds.
const NAME_HOLDS: f32 = 0.25;
/// What a name adds that the query holds.
const NAME_HELD: f32 = 0.15;

/// The bonus of a document's title and trigger. Names are compared on the
/// borders of words: `log` is not in `catalog`.
pub(crate) fn name_bonus(query: &Name, names: &[Name; 2]) -> f32 {
    names
        .iter()
        .map(|name| {
            if name.is_empty() || query.is_empty() {
                0.0
            } else if name == query {
                NAME_EQUAL
            } else if name.holds(query) && query.is_specific() {
                // A name that says little more than the query fits better.
                NAME_HOLDS * (0.4 + 0.6 * query.share_of(name))
            } else if query.holds(name) && name.is_specific() {
                NAME_HELD * (0.4 + 0.6 * name.share_of(query))
            } else {
                0.0
            }
        })
        .fold(0.0, f32::max)
}

/// Vectors and the model that they are of.
#[derive(Clone)]
pub struct Semantics {
    embedder: Arc<dyn Embedder>,
    vectors: Arc<VectorSet>,
}

impl Semantics {
    /// Vectors that were made by this model.
    ///
    /// `None` when they are of another model or there are none.
    #[must_use]
    pub fn new(embedder: Arc<dyn Embedder>, vectors: Arc<VectorSet>) -> Option<Self> {
        (vectors.model() == embedder.id() && !vectors.is_empty())
            .then_some(Self { embedder, vectors })
    }

    /// The vectors.
    #[must_use]
    pub fn vectors(&self) -> &Arc<VectorSet> {
        &self.vectors
    }

    /// How near each document is: its nearness and how far that stands out.
    pub(crate) fn compare(
        &self,
        query: &str,
        places: &[Option<u32>],
        documents: usize,
    ) -> Result<Vec<Option<(f32, f32)>>, EmbedError> {
        let found = self
            .vectors
            .compare(query, self.embedder.as_ref(), places, documents)?;
        let near: Vec<Option<(Script, f32)>> = found
            .iter()
            .map(|near| near.map(|near| (near.script, overall(&near))))
            .collect();
        let values = near.iter().flatten();
        let Some((_, deviation)) = spread(values.clone().map(|(_, value)| *value), 2) else {
            return Ok(vec![None; documents]);
        };
        let pooled = values.clone().map(|(_, value)| *value);
        let mean = spread(pooled, 1).map_or(0.0, |(mean, _)| mean);
        let means = [Script::Latin, Script::Cjk].map(|script| {
            let own = values.clone().filter(move |(own, _)| *own == script);
            spread(own.map(|(_, value)| *value), ENOUGH).map_or(mean, |(mean, _)| mean)
        });
        Ok(near
            .into_iter()
            .map(|near| {
                let (script, value) = near?;
                Some((value, (value - means[script as usize]) / deviation))
            })
            .collect())
    }
}

/// The nearness of a document: that of its nearest part.
fn overall(near: &Nearness) -> f32 {
    let [title, description, clauses, body] = near.passages;
    let most = |parts: &[f32]| parts.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    // A sentence of a long text is near by chance more often.
    let short = most(&[title, description, clauses]);
    let all = short.max(body * 0.95);
    if short.is_finite() {
        0.75 * all + 0.25 * short
    } else {
        all
    }
}

/// The fewest documents of a script that have a mean of their own.
const ENOUGH: usize = 20;

/// Mean and standard deviation of at least so many values.
#[expect(clippy::cast_precision_loss, reason = "there are few documents")]
fn spread(values: impl Iterator<Item = f32> + Clone, least: usize) -> Option<(f32, f32)> {
    let count = values.clone().count();
    if count < least {
        return None;
    }
    let mean = values.clone().sum::<f32>() / count as f32;
    let variance = values.map(|value| (value - mean).powi(2)).sum::<f32>() / count as f32;
    Some((mean, variance.sqrt().max(1e-4)))
}
