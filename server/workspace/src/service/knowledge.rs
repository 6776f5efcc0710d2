//! The knowledge of an opened project as operations see it: the recipes of the
//! current state, found by name or by search, with their counts; and the one way
//! in which they are written.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use asd_embed::default_embedder;
use asd_knowledge::counters::{Coverage, Stats, UsageEvent};
use asd_knowledge::entry_key;
use asd_knowledge::relations::RelationGraph;
use asd_recipe::{Recipe, like_names, normalise_trigger};
use asd_search::{SearchIndex, Synonyms};
use asd_store::{Disk, KnowledgeStore, Project, Signal, UsageRecorder, append_signals};
use serde_json::json;

use crate::code::Freshness;
use crate::embedding::embeddings;
use crate::search::{synonyms, with_vectors};
use crate::service::error::{ErrorCode, ServiceError};
use crate::service::live::Live;
use crate::task::IntentChainRecord;
use crate::{ProjectState, Settings};

/// How old counts may be before they are read again.
const COUNTS_FRESH: Duration = Duration::from_secs(10);

/// See the module.
pub(crate) struct Knowledge {
    live: Live,
    pub(crate) store: KnowledgeStore,
    recorder: UsageRecorder,
    counts: Mutex<Option<Counts>>,
    meaning: Arc<Meaning>,
}

/// The index with vectors, made beside the calls that need it.
#[derive(Default)]
struct Meaning {
    made: Mutex<Option<Made>>,
    /// Set while a thread is at it.
    busy: AtomicBool,
}

struct Made {
    /// The generation of the state that it was made of.
    generation: u64,
    index: SearchIndex,
    embedder: String,
}

/// What the search has to go by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SearchHealth {
    pub(crate) documents: usize,
    pub(crate) embedded: usize,
    pub(crate) has_vectors: bool,
    pub(crate) embedder: Option<String>,
}

/// How the recipes are used, at one moment.
#[derive(Clone)]
pub(crate) struct Counts {
    read: Instant,
    pub(crate) stats: Arc<BTreeMap<String, Stats>>,
    pub(crate) coverage: Coverage,
}

/// A recipe with its file.
#[derive(Clone)]
pub(crate) struct Held {
    /// Project-relative path with `/`.
    pub(crate) path: Arc<str>,
    pub(crate) recipe: Arc<Recipe>,
}

impl Held {
    /// What it is known by: its id, or its trigger while it has none.
    pub(crate) fn key(&self) -> &str {
        entry_key(&self.recipe)
    }
}

impl Meaning {
    fn made(&self) -> MutexGuard<'_, Option<Made>> {
        self.made.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Knowledge {
    pub(crate) fn open(root: &Path, settings: Settings) -> Self {
        Self::over(Live::open(root, &settings))
    }

    pub(crate) fn once(root: &Path, settings: Settings) -> Self {
        Self::over(Live::once(root, &settings))
    }

    fn over(live: Live) -> Self {
        let project = live.project().clone();
        let extra = live.state().extra_recipe_folders().to_vec();
        Self {
            store: KnowledgeStore::new(&project, &extra),
            recorder: UsageRecorder::new(&project),
            counts: Mutex::default(),
            meaning: Arc::default(),
            live,
        }
    }

    pub(crate) fn project(&self) -> &Project {
        self.live.project()
    }

    pub(crate) fn state(&self) -> ProjectState {
        self.live.state()
    }

    /// The state after `paths` were written here.
    pub(crate) fn written(&self, paths: &[String]) -> ProjectState {
        self.live.refresh(paths)
    }

    pub(crate) fn is_watched(&self) -> bool {
        self.live.is_watched()
    }

    pub(crate) fn freshness(&self) -> Freshness {
        self.live.freshness()
    }

    /// Has `tell` called whenever knowledge changes.
    pub(crate) fn tell(&self, tell: impl Fn() + Send + Sync + 'static) {
        self.live.tell(tell);
    }

    /// All recipes, by path.
    pub(crate) fn all(&self) -> Vec<Held> {
        let state = self.state();
        let recipes = state.recipes().iter();
        recipes
            .map(|(path, recipe)| Held {
                path: path.clone(),
                recipe: recipe.clone(),
            })
            .collect()
    }

    /// The recipe of an id, a trigger in whatever spelling, or an exact title.
    pub(crate) fn find(&self, name: &str) -> Option<Held> {
        let state = self.state();
        let held = |(path, recipe): &(Arc<str>, Arc<Recipe>)| Held {
            path: path.clone(),
            recipe: recipe.clone(),
        };
        let name = name.trim();
        let mut recipes = state.recipes().iter();
        recipes
            .find(|(_, recipe)| recipe.id.as_deref() == Some(name))
            .or_else(|| state.recipe_by_trigger(name))
            .or_else(|| state.recipes().iter().find(|(_, r)| r.title == name))
            .or_else(|| state.recipe_by_trigger(&normalise_trigger(name)?))
            .map(held)
    }

    /// The same, or an error that names what is near.
    pub(crate) fn get(&self, name: &str) -> Result<Held, ServiceError> {
        self.find(name).ok_or_else(|| {
            let near = self.near(name);
            let hint = if near.is_empty() {
                "asd_search finds recipes by their words.".to_owned()
            } else {
                format!("Did you mean {}?", near.join(", "))
            };
            ServiceError::not_found(format!("There is no recipe `{name}`. {hint}"))
                .with_data(json!({"near": near}))
        })
    }

    /// Up to three triggers that look like a name.
    fn near(&self, name: &str) -> Vec<String> {
        let state = self.state();
        let triggers = state
            .recipes()
            .iter()
            .map(|(_, recipe)| recipe.trigger.as_str());
        like_names(name, triggers, 3)
            .into_iter()
            .map(str::to_owned)
            .collect()
    }

    /// The index as the recipes are now; by meaning too as soon as vectors are
    /// there. The first call that could use them has them made.
    pub(crate) fn index(&self) -> SearchIndex {
        let state = self.state();
        let words = state.search_index();
        if words.is_empty() {
            return words.clone();
        }
        let made = self.meaning.made();
        if let Some(made) = &*made
            && made.generation == state.generation()
        {
            return made.index.clone();
        }
        drop(made);
        self.make_vectors(&state, words.clone());
        words.clone()
    }

    /// Has the vectors of a state made, unless that is being done.
    fn make_vectors(&self, state: &ProjectState, words: SearchIndex) {
        if self.meaning.busy.swap(true, Ordering::AcqRel) {
            return;
        }
        let meaning = self.meaning.clone();
        let project = self.project().clone();
        let config = state.config().search.clone();
        let generation = state.generation();
        std::thread::spawn(move || {
            let embedder = default_embedder(embeddings(&config));
            if let Ok(embedder) = embedder {
                let name = embedder.id().to_owned();
                let never = AtomicBool::new(false);
                let index = with_vectors(&project, &Disk, &words, embedder, &never);
                *meaning.made() = Some(Made {
                    generation,
                    index,
                    embedder: name,
                });
            } else {
                // No model is a normal state; it is not looked for again until
                // the recipes change.
                *meaning.made() = Some(Made {
                    generation,
                    index: words,
                    embedder: String::new(),
                });
            }
            meaning.busy.store(false, Ordering::Release);
        });
    }

    pub(crate) fn search_health(&self) -> SearchHealth {
        let documents = self.state().recipes().len();
        let made = self.meaning.made();
        match made.as_ref().filter(|made| made.index.has_vectors()) {
            Some(made) => SearchHealth {
                documents,
                embedded: made.index.len(),
                has_vectors: true,
                embedder: Some(made.embedder.clone()),
            },
            None => SearchHealth {
                documents,
                embedded: 0,
                has_vectors: false,
                embedder: None,
            },
        }
    }

    /// The words that mean the same in this project.
    pub(crate) fn synonyms(&self) -> Arc<Synonyms> {
        synonyms(&Disk, self.project()).unwrap_or_else(|_| Synonyms::built_in())
    }

    /// The relations between all recipes.
    pub(crate) fn graph(&self) -> RelationGraph {
        let all = self.all();
        RelationGraph::build(all.iter().map(|held| &*held.recipe))
    }

    fn counts_slot(&self) -> MutexGuard<'_, Option<Counts>> {
        self.counts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How the recipes are used; what was recorded here counts at once.
    pub(crate) fn counts(&self) -> Counts {
        let fresh = self
            .counts_slot()
            .clone()
            .filter(|counts| counts.read.elapsed() < COUNTS_FRESH);
        if let Some(counts) = fresh {
            return counts;
        }
        let (stats, coverage) = self
            .store
            .usage()
            .inspect_err(|error| tracing::warn!(%error, "counts of use cannot be read"))
            .unwrap_or_default();
        let counts = Counts {
            read: Instant::now(),
            stats: Arc::new(stats),
            coverage,
        };
        *self.counts_slot() = Some(counts.clone());
        counts
    }

    pub(crate) fn stats_of(&self, key: &str) -> Stats {
        self.counts().stats.get(key).cloned().unwrap_or_default()
    }

    /// Counts something that happened to a recipe.
    pub(crate) fn record(&self, key: &str, event: UsageEvent) {
        self.recorder.record(key, event, 1);
    }

    /// Writes what was counted, so that the next look at counts has it.
    pub(crate) fn flush(&self) {
        self.recorder.flush();
        *self.counts_slot() = None;
    }

    /// Keeps the record of a piece of work.
    pub(crate) fn remember_chain(&self, record: &IntentChainRecord) {
        let signal = Signal {
            kind: "intent",
            source: "TaskHandler",
            target: record
                .task_id
                .clone()
                .unwrap_or_else(|| record.session_id.clone()),
            value: record.drift_score,
            metadata: json!({"chain": record}),
            timestamp: record.ended_at,
        };
        if let Err(error) = append_signals(self.project(), &[signal]) {
            tracing::warn!(%error, "the record of a piece of work was not kept");
        }
    }
}

impl From<asd_store::KnowledgeError> for ServiceError {
    fn from(error: asd_store::KnowledgeError) -> Self {
        let code = match error.code() {
            "NOT_FOUND" => ErrorCode::NotFound,
            "CONFLICT" => ErrorCode::Conflict,
            "VALIDATION_ERROR" => ErrorCode::ValidationError,
            "PERMISSION_DENIED" => ErrorCode::PermissionDenied,
            _ => ErrorCode::InternalError,
        };
        Self::new(code, error.to_string())
    }
}
