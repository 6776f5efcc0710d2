//! Searching the recipes of a project: while a name is typed, and by questions.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use asd_embed::Embedder;
use asd_search::{
    Answer, Document, Query, SearchIndex, Semantics, Stats, SynonymError, Synonyms, VectorSet,
    typed_fit, typed_words,
};
use asd_store::{
    Config, Host, Project, RecipeFile, Skipped, list_recipes, load_recipes, read_text, write_atomic,
};

use crate::ProjectState;
use crate::settings::{Loaded, Settings};
use crate::state::extra_folders;

/// A recipe that was found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit {
    /// Its index in [`ProjectState::recipes`].
    pub index: usize,
    /// Higher is better; comparable within one search only.
    pub score: f32,
}

impl ProjectState {
    /// The recipes that fit a query in English or Chinese, best first; all of
    /// them, those in use first, for an empty query. Recipes whose names fit
    /// what was typed come first, then those that answer it as a question.
    #[must_use]
    pub fn search_recipes(&self, query: &str) -> Vec<Hit> {
        let words = typed_words(query);
        let recipes = self.recipes();
        let mut hits: Vec<Hit> = recipes
            .iter()
            .enumerate()
            .filter_map(|(index, (_, recipe))| {
                let score = typed_fit(&words, recipe)?;
                Some(Hit { index, score })
            })
            .collect();
        let trigger = |hit: &Hit| recipes[hit.index].1.trigger.as_str();
        hits.sort_by(|a, b| {
            b.score
                .total_cmp(&a.score)
                .then_with(|| trigger(a).cmp(trigger(b)))
                .then(a.index.cmp(&b.index))
        });
        if let Some(answer) = self.answer(query) {
            for row in answer.items {
                let found = recipes.iter().position(|(path, recipe)| {
                    *Document::new(path, recipe.clone(), Stats::default()).id == *row.id
                });
                if let Some(index) = found.filter(|i| hits.iter().all(|hit| hit.index != *i)) {
                    // Behind every name that fits, in the order of the answer.
                    let score = hits.last().map_or(1.0, |last| last.score * 0.99);
                    hits.push(Hit { index, score });
                }
            }
        }
        hits
    }

    /// What the index says to a question of more than one word.
    fn answer(&self, query: &str) -> Option<Answer> {
        let tokens = asd_search::tokenize(query).len();
        if tokens < 2 {
            return None;
        }
        self.search_index().search(&Query::new(query)).ok()
    }
}

/// The recipes of a project as documents to search, read from its files alone.
pub struct ProjectDocuments {
    /// Where the project lies.
    pub project: Project,
    /// Its settings.
    pub config: Arc<Config>,
    /// A document for each recipe, in the order of their paths.
    pub documents: Vec<Document>,
    /// The project's synonyms beside the built-in ones, or what is wrong with
    /// their file.
    pub synonyms: Result<Arc<Synonyms>, SynonymError>,
    /// What could not be read.
    pub skipped: Vec<Skipped>,
}

impl ProjectDocuments {
    /// Reads the recipes of the project at `root`. Rules are not compiled.
    #[must_use]
    pub fn read(root: &Path, settings: &Settings) -> Self {
        let project = Project::at(root);
        let loaded = Loaded::read(&project, settings, &|_| None, None);
        let extra = extra_folders(&project, &loaded.config);
        let host = settings.host.as_ref();
        let (paths, mut skipped) = list_recipes(host, &project, &extra);
        let (files, unreadable) = load_recipes(host, &paths);
        skipped.extend(unreadable);
        Self {
            documents: files.iter().filter_map(document).collect(),
            synonyms: synonyms(host, &project),
            config: loaded.config,
            project,
            skipped,
        }
    }

    /// The index of the documents, by words.
    #[must_use]
    pub fn index(&self) -> SearchIndex {
        let synonyms = self.synonyms.clone();
        SearchIndex::build(
            self.documents.clone(),
            synonyms.unwrap_or_else(|_| Synonyms::built_in()),
        )
    }
}

fn document(file: &RecipeFile) -> Option<Document> {
    let recipe = file.recipe.clone()?;
    Some(Document::new(&file.rel, recipe, Stats::default()))
}

/// The built-in synonyms with those of `Alembic/synonyms.toml`.
pub(crate) fn synonyms(host: &dyn Host, project: &Project) -> Result<Arc<Synonyms>, SynonymError> {
    match read_text(host, &project.knowledge().join("synonyms.toml")) {
        Ok(decoded) => Synonyms::with_project(&decoded.text),
        Err(_) => Ok(Synonyms::built_in()),
    }
}

/// Where the vectors of a project are kept.
const VECTORS: &str = ".asd/context/vectors.bin";
/// A file of vectors larger than this is made anew, in bytes.
const MAX_VECTORS: u64 = 4 << 30;
/// Keeps what can be made again out of the repository.
const IGNORE: &str = ".asd/context/.gitignore";

/// The index with the vectors of this embedder: those that are stored, with
/// what is missing or has changed embedded now and stored again. What is stored
/// may be deleted at any time, and a process that stores at the same time costs
/// no more than embedding again.
#[must_use]
pub fn with_vectors(
    project: &Project,
    host: &dyn Host,
    index: &SearchIndex,
    embedder: Arc<dyn Embedder>,
    cancel: &AtomicBool,
) -> SearchIndex {
    let stored = host
        .read(&project.root().join(VECTORS), MAX_VECTORS)
        .ok()
        .and_then(|bytes| VectorSet::from_bytes(&bytes).ok())
        .unwrap_or_default();
    let documents: Vec<Document> = index.documents().cloned().collect();
    let vectors = stored.updated(&documents, embedder.as_ref(), cancel);
    for (id, reason) in vectors.failures() {
        tracing::warn!("no vector for {id}: {reason}");
    }
    if !vectors.is_same_as(&stored) {
        let write = write_atomic(project, IGNORE, b"*\n")
            .and_then(|_| write_atomic(project, VECTORS, &vectors.to_bytes()));
        if let Err(error) = write {
            tracing::warn!("the vectors are not kept: {error}");
        }
    }
    index.with_semantics(Semantics::new(embedder, Arc::new(vectors)))
}
