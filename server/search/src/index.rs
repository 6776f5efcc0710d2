//! Documents with everything that searching them needs.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};

use rayon::prelude::*;

use crate::cache::Cache;
use crate::document::{Document, fields};
use crate::lexical::{Postings, QueryShape};
use crate::names::Name;
use crate::signals::{Semantics, Signals, name_bonus};
use crate::synonyms::Synonyms;
use crate::terms::{DocumentTerm, document_terms, query_units};

/// A set of documents that can be searched. Immutable, and cheap to clone: a
/// change gives a new index that shares what stayed the same.
#[derive(Clone)]
pub struct SearchIndex {
    pub(crate) inner: Arc<Inner>,
}

pub(crate) struct Inner {
    /// Sorted by id.
    pub(crate) entries: Vec<Arc<Entry>>,
    pub(crate) places: BTreeMap<Arc<str>, u32>,
    postings: Postings,
    pub(crate) synonyms: Arc<Synonyms>,
    pub(crate) semantics: Option<Semantics>,
    /// The document of each vector.
    vector_places: Vec<Option<u32>>,
    pub(crate) generation: u64,
    pub(crate) cache: Mutex<Cache>,
}

pub(crate) struct Entry {
    pub(crate) document: Document,
    terms: Box<[DocumentTerm]>,
    names: [Name; 2],
    /// The texts in lower case that keyword mode looks into.
    pub(crate) lower: [String; 4],
}

/// A change of the documents.
#[derive(Clone, Debug)]
pub enum Change {
    /// A document that is new or changed.
    Put(Document),
    /// The id of a document that is gone.
    Remove(Arc<str>),
}

impl Entry {
    fn new(document: Document, synonyms: &Synonyms) -> Self {
        let fields = fields(&document.recipe);
        let recipe = &document.recipe;
        let rest = fields[2..].iter().map(|(_, text)| text.as_str());
        let lower = [
            recipe.trigger.to_lowercase(),
            recipe.title.to_lowercase(),
            recipe.description.to_lowercase(),
            rest.collect::<Vec<_>>().join("\n").to_lowercase(),
        ];
        Self {
            terms: document_terms(&fields, synonyms),
            names: [Name::new(&recipe.trigger), Name::new(&recipe.title)],
            lower,
            document,
        }
    }
}

impl SearchIndex {
    /// An index of these documents. Of documents with one id the later ones get
    /// a number behind it, so that none is lost.
    #[must_use]
    pub fn build(documents: Vec<Document>, synonyms: Arc<Synonyms>) -> Self {
        let mut taken: BTreeSet<Arc<str>> = BTreeSet::new();
        let documents: Vec<Document> = documents
            .into_iter()
            .map(|mut document| {
                if taken.contains(&document.id) {
                    let free = (2..)
                        .map(|n| Arc::from(format!("{}~{n}", document.id)))
                        .find(|id| !taken.contains(id));
                    document.id = free.unwrap_or(document.id);
                }
                taken.insert(document.id.clone());
                document
            })
            .collect();
        let entries = documents
            .into_par_iter()
            .map(|document| Arc::new(Entry::new(document, &synonyms)))
            .collect();
        Self::assemble(entries, synonyms, None, 1)
    }

    fn assemble(
        mut entries: Vec<Arc<Entry>>,
        synonyms: Arc<Synonyms>,
        semantics: Option<Semantics>,
        generation: u64,
    ) -> Self {
        entries.sort_by(|a, b| a.document.id.cmp(&b.document.id));
        let places: BTreeMap<Arc<str>, u32> = (0u32..)
            .zip(&entries)
            .map(|(place, entry)| (entry.document.id.clone(), place))
            .collect();
        let postings = Postings::build(entries.iter().map(|entry| &*entry.terms));
        let vector_places = semantics
            .as_ref()
            .map(|semantics| semantics.vectors().places(&places))
            .unwrap_or_default();
        Self {
            inner: Arc::new(Inner {
                vector_places,
                entries,
                places,
                postings,
                synonyms,
                semantics,
                generation,
                cache: Mutex::default(),
            }),
        }
    }

    /// The index after these changes. Only documents that are put are read
    /// anew.
    #[must_use]
    pub fn apply(&self, changes: Vec<Change>) -> Self {
        let inner = &self.inner;
        let mut entries: BTreeMap<Arc<str>, Arc<Entry>> = inner
            .entries
            .iter()
            .map(|entry| (entry.document.id.clone(), entry.clone()))
            .collect();
        for change in changes {
            match change {
                Change::Put(document) => {
                    let entry = Entry::new(document, &inner.synonyms);
                    entries.insert(entry.document.id.clone(), Arc::new(entry));
                }
                Change::Remove(id) => {
                    entries.remove(&id);
                }
            }
        }
        Self::assemble(
            entries.into_values().collect(),
            inner.synonyms.clone(),
            inner.semantics.clone(),
            inner.generation + 1,
        )
    }

    /// The index with these vectors, or without any.
    #[must_use]
    pub fn with_semantics(&self, semantics: Option<Semantics>) -> Self {
        let inner = &self.inner;
        Self::assemble(
            inner.entries.clone(),
            inner.synonyms.clone(),
            semantics,
            inner.generation + 1,
        )
    }

    /// Grows with every change.
    #[must_use]
    pub fn generation(&self) -> u64 {
        self.inner.generation
    }

    /// How many documents there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.inner.entries.len()
    }

    /// Whether there is no document.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.inner.entries.is_empty()
    }

    /// The documents, sorted by id.
    pub fn documents(&self) -> impl ExactSizeIterator<Item = &Document> {
        self.inner.entries.iter().map(|entry| &entry.document)
    }

    /// The document of an id.
    #[must_use]
    pub fn document(&self, id: &str) -> Option<&Document> {
        let place = self.inner.places.get(id)?;
        Some(&self.inner.entries[*place as usize].document)
    }

    /// Whether meaning can be asked.
    #[must_use]
    pub fn has_vectors(&self) -> bool {
        self.inner.semantics.is_some()
    }
}

/// How every document fits a query.
pub(crate) struct Fits {
    /// Of the documents that have anything to do with it, in their order.
    pub(crate) signals: Vec<Signals>,
    pub(crate) shape: QueryShape,
}

impl Inner {
    /// How documents fit by their words.
    pub(crate) fn by_words(&self, query: &str) -> Fits {
        let units = query_units(query, &self.synonyms);
        let name = Name::new(query);
        let (hits, shape) = self.postings.score(&units);
        let signals = hits
            .iter()
            .map(|hit| {
                let entry = &self.entries[hit.document as usize];
                // The name of a document that lacks most of the query cannot
                // be, hold or be held by it.
                let bonus = if hit.headline > 0.1 {
                    name_bonus(&name, &entry.names)
                } else {
                    0.0
                };
                Signals::of_words(hit, bonus)
            })
            .collect();
        Fits { signals, shape }
    }
}

#[doc(hidden)]
impl SearchIndex {
    /// The signals of every document that fits by words or has a vector, with
    /// its id, for the evaluation.
    #[must_use]
    pub fn signals(&self, query: &str) -> (Vec<(Arc<str>, Signals)>, [f32; 2]) {
        let mut fits = self.inner.by_words(query);
        if let Some(semantics) = &self.inner.semantics {
            let _ = self.inner.add_meaning(semantics, query, &mut fits);
        }
        let named = fits.signals.iter().map(|signals| {
            let entry = &self.inner.entries[signals.document as usize];
            (entry.document.id.clone(), *signals)
        });
        #[expect(clippy::cast_precision_loss, reason = "a query is short")]
        let shape = [fits.shape.units as f32, fits.shape.unknown];
        (named.collect(), shape)
    }
}

impl Inner {
    /// Adds how documents fit by their meaning.
    ///
    /// # Errors
    /// When the query cannot be embedded; nothing has been added then.
    pub(crate) fn add_meaning(
        &self,
        semantics: &Semantics,
        query: &str,
        fits: &mut Fits,
    ) -> Result<(), asd_embed::EmbedError> {
        let near = semantics.compare(query, &self.vector_places, self.entries.len())?;
        let mut all: Vec<Signals> = Vec::with_capacity(near.len());
        let mut by_words = fits.signals.iter().peekable();
        for (document, near) in (0u32..).zip(near) {
            let known = by_words.next_if(|signals| signals.document == document);
            if known.is_none() && near.is_none() {
                continue;
            }
            let mut signals = known.copied().unwrap_or(Signals {
                document,
                ..Signals::default()
            });
            signals.nearness = near.map(|(nearness, _)| nearness);
            signals.outstanding = near.map(|(_, outstanding)| outstanding);
            all.push(signals);
        }
        fits.signals = all;
        Ok(())
    }
}
