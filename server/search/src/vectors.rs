//! The vectors of a set of documents: made incrementally, kept in a file, and
//! compared with a query.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use asd_embed::{EmbedError, Embedder, embed_all};
use asd_recipe::Recipe;
use sha2::{Digest, Sha256};
use thiserror::Error;

use crate::chunk::{Chunk, chunk_text};
use crate::document::Document;
use crate::scan::Matrix;
use crate::script::{Script, script_of};

/// The vectors of documents under one model. Immutable; documents that did not
/// change keep theirs from one set to the next.
#[derive(Clone, Debug, Default)]
pub struct VectorSet {
    model: String,
    rows: Vec<Row>,
    matrix: Option<Matrix>,
    /// The mean vector of each script.
    means: BTreeMap<ScriptKey, Vec<f32>>,
    failures: Vec<(Arc<str>, String)>,
}

type ScriptKey = u8;

/// One vector: of which document, and of what part of it.
#[derive(Clone, Debug, PartialEq)]
struct Row {
    document: Arc<str>,
    passage: u8,
    script: Script,
    /// Of everything of the document that is embedded.
    source: [u8; 32],
}

/// The parts of a recipe that are embedded one by one, because the vector of a
/// long text says little about any of its sentences.
fn passages(recipe: &Recipe) -> Vec<(u8, String)> {
    let join = |parts: &[&str]| {
        let parts: Vec<&str> = parts
            .iter()
            .map(|part| part.trim())
            .filter(|part| !part.is_empty())
            .collect();
        parts.join(". ")
    };
    let name = recipe
        .trigger
        .trim_start_matches('@')
        .replace(['-', '_'], " ");
    let title = if recipe.title.is_empty() {
        &name
    } else {
        &recipe.title
    };
    let body = join(&[
        &recipe.content.markdown,
        &recipe.content.rationale,
        &recipe.reasoning.why_standard,
        &recipe.usage_guide,
    ]);
    let mut passages = vec![
        (0, title.clone()),
        (1, join(&[&recipe.description])),
        (
            2,
            join(&[&recipe.when_clause, &recipe.do_clause, &recipe.dont_clause]),
        ),
    ];
    passages.extend(
        chunk_text(&body)
            .into_iter()
            .take(4)
            .map(|Chunk { text, .. }| (3, text)),
    );
    passages.retain(|(_, text)| !text.trim().is_empty());
    passages
}

fn digest(passages: &[(u8, String)]) -> [u8; 32] {
    let mut hasher = Sha256::new();
    for (number, text) in passages {
        hasher.update([*number]);
        hasher.update(text.len().to_le_bytes());
        hasher.update(text.as_bytes());
    }
    hasher.finalize().into()
}

/// Why a stored set of vectors cannot be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("the stored vectors are damaged or of an older version")]
pub struct Damaged;

const MAGIC: &[u8; 8] = b"ASDVEC\x00\x02";

impl VectorSet {
    /// The set for these documents under this model: vectors of documents whose
    /// text stayed the same are taken over, those of documents that are gone
    /// are dropped, the rest is embedded. A text that cannot be embedded is
    /// listed in [`Self::failures`] and tried again the next time.
    #[must_use]
    pub fn updated(
        &self,
        documents: &[Document],
        embedder: &dyn Embedder,
        cancel: &AtomicBool,
    ) -> Self {
        let same_model = self.model == embedder.id();
        let mut known: BTreeMap<(&str, u8, usize), usize> = BTreeMap::new();
        let mut sources: BTreeMap<&str, [u8; 32]> = BTreeMap::new();
        if same_model {
            let mut count: BTreeMap<(&str, u8), usize> = BTreeMap::new();
            for (index, row) in self.rows.iter().enumerate() {
                let nth = count.entry((&row.document, row.passage)).or_default();
                known.insert((&row.document, row.passage, *nth), index);
                *nth += 1;
                sources.insert(&row.document, row.source);
            }
        }
        let mut rows: Vec<(Row, Option<Vec<f32>>)> = Vec::new();
        let mut wanted: Vec<(usize, String)> = Vec::new();
        for document in documents {
            let passages = passages(&document.recipe);
            let source = digest(&passages);
            let kept = sources.get(&*document.id) == Some(&source);
            let mut count: BTreeMap<u8, usize> = BTreeMap::new();
            for (number, text) in passages {
                let nth = count.entry(number).or_default();
                let old = known
                    .get(&(&*document.id, number, *nth))
                    .filter(|_| kept)
                    .and_then(|index| Some(self.matrix.as_ref()?.row(*index)));
                *nth += 1;
                if old.is_none() {
                    wanted.push((rows.len(), text.clone()));
                }
                let row = Row {
                    document: document.id.clone(),
                    passage: number,
                    script: script_of(&text),
                    source,
                };
                rows.push((row, old));
            }
        }
        let texts: Vec<&str> = wanted.iter().map(|(_, text)| text.as_str()).collect();
        let embedded = embed_all(embedder, &texts, cancel);
        let mut failures = Vec::new();
        for (index, error) in embedded.failures {
            failures.push((rows[wanted[index].0].0.document.clone(), error.to_string()));
        }
        for ((at, _), vector) in wanted.iter().zip(embedded.vectors) {
            rows[*at].1 = vector;
        }
        let (rows, vectors): (Vec<Row>, Vec<Vec<f32>>) = rows
            .into_iter()
            .filter_map(|(row, vector)| Some((row, vector.filter(|v| !v.is_empty())?)))
            .unzip();
        let dimension = vectors.first().map_or(0, Vec::len);
        Self::assemble(
            embedder.id().to_owned(),
            rows,
            Matrix::new(dimension, &vectors),
            failures,
        )
    }

    fn assemble(
        model: String,
        rows: Vec<Row>,
        matrix: Matrix,
        failures: Vec<(Arc<str>, String)>,
    ) -> Self {
        let mut sums: BTreeMap<ScriptKey, (usize, Vec<f32>)> = BTreeMap::new();
        for (index, row) in rows.iter().enumerate() {
            let (count, sum) = sums
                .entry(row.script as ScriptKey)
                .or_insert_with(|| (0, vec![0.0; matrix.dimension()]));
            *count += 1;
            for (sum, value) in sum.iter_mut().zip(matrix.row(index)) {
                *sum += value;
            }
        }
        #[expect(clippy::cast_precision_loss, reason = "there are few vectors")]
        let means = sums
            .into_iter()
            // The mean of a few vectors is as much their topic as their language.
            .map(|(script, (count, sum))| {
                let by = 1.0 / (count as f32 + 20.0);
                (script, sum.into_iter().map(|value| value * by).collect())
            })
            .collect();
        Self {
            model,
            rows,
            matrix: Some(matrix),
            means,
            failures,
        }
    }

    /// Whether another set has the same vectors.
    #[must_use]
    pub fn is_same_as(&self, other: &Self) -> bool {
        self.model == other.model && self.rows == other.rows
    }

    /// The model that the vectors are of.
    #[must_use]
    pub fn model(&self) -> &str {
        &self.model
    }

    /// How many vectors there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there is no vector.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The documents of which a part could not be embedded, and why.
    #[must_use]
    pub fn failures(&self) -> &[(Arc<str>, String)] {
        &self.failures
    }

    /// The place of the document of each vector among the documents.
    pub(crate) fn places(&self, places: &BTreeMap<Arc<str>, u32>) -> Vec<Option<u32>> {
        let rows = self.rows.iter();
        rows.map(|row| places.get(&row.document).copied()).collect()
    }

    /// Compares a query with every document: how near each is, in their order,
    /// or nothing for those without a vector. `places` is [`Self::places`].
    ///
    /// # Errors
    /// When the query cannot be embedded.
    pub(crate) fn compare(
        &self,
        query: &str,
        embedder: &dyn Embedder,
        places: &[Option<u32>],
        documents: usize,
    ) -> Result<Vec<Option<Nearness>>, EmbedError> {
        let mut nearness = vec![None; documents];
        let Some(matrix) = self.matrix.as_ref().filter(|_| !self.rows.is_empty()) else {
            return Ok(nearness);
        };
        let mut vectors = embedder.embed(&[query])?;
        let Some(mut vector) = vectors.pop().filter(|v| v.len() == matrix.dimension()) else {
            return Err(EmbedError::Failed(
                "the model gave a vector of another length".to_owned(),
            ));
        };
        if let Some(mean) = self.means.get(&(script_of(query) as ScriptKey)) {
            for (value, mean) in vector.iter_mut().zip(mean) {
                *value -= mean;
            }
        }
        let length = crate::scan::dot(&vector, &vector)
            .sqrt()
            .max(f32::MIN_POSITIVE);
        let dots = matrix.dots(&vector);
        let offsets = [Script::Latin, Script::Cjk].map(|script| {
            let mean = self.means.get(&(script as ScriptKey));
            mean.map_or(0.0, |mean| crate::scan::dot(&vector, mean))
        });
        for ((row, dot), place) in self.rows.iter().zip(dots).zip(places) {
            let Some(place) = *place else {
                continue;
            };
            let value = (dot - offsets[row.script as usize]) / length;
            let entry = nearness[place as usize].get_or_insert(Nearness {
                script: row.script,
                passages: [f32::NAN; 4],
            });
            let passage = &mut entry.passages[usize::from(row.passage).min(3)];
            *passage = passage.max(value);
        }
        Ok(nearness)
    }

    /// The set as bytes for a file.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = MAGIC.to_vec();
        let number = |out: &mut Vec<u8>, n: usize| {
            out.extend_from_slice(&u32::try_from(n).unwrap_or(u32::MAX).to_le_bytes());
        };
        number(&mut out, self.model.len());
        out.extend_from_slice(self.model.as_bytes());
        number(&mut out, self.rows.len());
        for row in &self.rows {
            number(&mut out, row.document.len());
            out.extend_from_slice(row.document.as_bytes());
            out.extend_from_slice(&[row.passage, row.script as u8]);
            out.extend_from_slice(&row.source);
        }
        match &self.matrix {
            None => {
                out.push(0);
                number(&mut out, 0);
            }
            Some(Matrix::Floats { dimension, values }) => {
                out.push(0);
                number(&mut out, *dimension);
                values
                    .iter()
                    .for_each(|v| out.extend_from_slice(&v.to_le_bytes()));
            }
            Some(Matrix::Bytes {
                dimension,
                values,
                scales,
            }) => {
                out.push(1);
                number(&mut out, *dimension);
                scales
                    .iter()
                    .for_each(|v| out.extend_from_slice(&v.to_le_bytes()));
                values
                    .iter()
                    .for_each(|v| out.extend_from_slice(&v.to_le_bytes()));
            }
        }
        let sum: [u8; 32] = Sha256::digest(&out).into();
        out.extend_from_slice(&sum);
        out
    }

    /// Reads what [`Self::to_bytes`] wrote.
    ///
    /// # Errors
    /// [`Damaged`] for anything else.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, Damaged> {
        let (body, sum) = bytes
            .split_at_checked(bytes.len().wrapping_sub(32))
            .ok_or(Damaged)?;
        let expected: [u8; 32] = Sha256::digest(body).into();
        if sum != expected.as_slice() {
            return Err(Damaged);
        }
        let mut reader = Reader(body);
        if reader.take(MAGIC.len())? != MAGIC.as_slice() {
            return Err(Damaged);
        }
        let model = reader.text()?.to_owned();
        let count = reader.number()?;
        let mut rows: Vec<Row> = Vec::new();
        for _ in 0..count {
            let document = reader.text()?;
            // The rows of a document lie together and share its name.
            let document = match rows.last() {
                Some(row) if &*row.document == document => row.document.clone(),
                _ => document.into(),
            };
            let [passage, script] = reader.array::<2>()?;
            rows.push(Row {
                document,
                passage,
                script: if script == Script::Cjk as u8 {
                    Script::Cjk
                } else {
                    Script::Latin
                },
                source: reader.array()?,
            });
        }
        let [form] = reader.array::<1>()?;
        let dimension = reader.number()?;
        let cells = dimension.checked_mul(count).ok_or(Damaged)?;
        let matrix = if form == 0 {
            Matrix::Floats {
                dimension,
                values: reader.floats(cells)?,
            }
        } else {
            let scales = reader.floats(count)?;
            let values = reader.take(cells)?.iter().map(|b| b.cast_signed());
            Matrix::Bytes {
                dimension,
                values: values.collect(),
                scales,
            }
        };
        if !reader.0.is_empty() {
            return Err(Damaged);
        }
        Ok(Self::assemble(model, rows, matrix, Vec::new()))
    }
}

struct Reader<'b>(&'b [u8]);

impl<'b> Reader<'b> {
    fn take(&mut self, count: usize) -> Result<&'b [u8], Damaged> {
        let (taken, rest) = self.0.split_at_checked(count).ok_or(Damaged)?;
        self.0 = rest;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], Damaged> {
        self.take(N)?.try_into().map_err(|_| Damaged)
    }

    fn number(&mut self) -> Result<usize, Damaged> {
        Ok(u32::from_le_bytes(self.array()?) as usize)
    }

    fn text(&mut self) -> Result<&'b str, Damaged> {
        let length = self.number()?;
        std::str::from_utf8(self.take(length)?).map_err(|_| Damaged)
    }

    fn floats(&mut self, count: usize) -> Result<Vec<f32>, Damaged> {
        let bytes = self.take(count.checked_mul(4).ok_or(Damaged)?)?;
        let (numbers, _) = bytes.as_chunks::<4>();
        Ok(numbers.iter().map(|n| f32::from_le_bytes(*n)).collect())
    }
}

/// How near a document is to a query, by its parts: title, description,
/// clauses, the rest. Cosines after the mean of the languages was taken away;
/// not a number for parts that the document lacks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Nearness {
    pub(crate) script: Script,
    pub(crate) passages: [f32; 4],
}
