//! The state of a project that other processes write to as well: it is read
//! again, file by file, as soon as one changed.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::{Arc, Mutex, OnceLock, PoisonError, RwLock};

use asd_store::{Project, Watcher};

use crate::code::{Changed, Freshness};
use crate::service::stamps::Stamps;
use crate::{ProjectState, Settings};

/// A project's state, kept current.
pub(crate) struct Live {
    project: Project,
    state: RwLock<ProjectState>,
    /// Paths that changed since the state was made.
    changed: Arc<Mutex<BTreeSet<String>>>,
    /// `None` where nothing can be watched: then every look reads anew.
    watcher: Option<Watcher>,
    /// How the code map learns what changed.
    freshness: Freshness,
    /// The knowledge at the last look. Held while the state is made current, so
    /// that no call that comes later has an older one. `None` for one question.
    stamps: Option<Mutex<Stamps>>,
    /// Told when knowledge changes.
    told: Told,
}

type Told = Arc<OnceLock<Box<dyn Fn() + Send + Sync>>>;

impl Live {
    /// Reads the project and begins to watch it.
    pub(crate) fn open(root: &Path, settings: &Settings) -> Self {
        let project = Project::at(root);
        let changed: Arc<Mutex<BTreeSet<String>>> = Arc::default();
        let seen = changed.clone();
        let sources = Changed::default();
        let seen_sources = sources.clone();
        let watched = project.clone();
        let told = Told::default();
        let tell = told.clone();
        // The watch begins before the first read, so that nothing falls between.
        let extra = crate::state::recipe_folders(&project, settings);
        let watcher = Watcher::start(&project, &extra, move |changes| {
            let mut knowledge = false;
            let mut seen = seen.lock().unwrap_or_else(PoisonError::into_inner);
            let mut sources = seen_sources.lock().unwrap_or_else(PoisonError::into_inner);
            for path in changes.changed.iter().chain(&changes.removed) {
                if let Some(path) = watched.relative(path) {
                    knowledge |= is_knowledge(&path);
                    sources.insert(path.clone());
                    seen.insert(path);
                }
            }
            drop((seen, sources));
            if knowledge && let Some(tell) = tell.get() {
                tell();
            }
        })
        .inspect_err(|error| tracing::warn!(%error, "files are read anew for every call"))
        .ok();
        let stamps = Stamps::new(&project, &extra, watcher.is_some());
        let state = RwLock::new(ProjectState::load(project.root(), settings));
        Self {
            project,
            state,
            changed,
            stamps: Some(Mutex::new(stamps)),
            told,
            freshness: match &watcher {
                Some(_) => Freshness::Watched(sources),
                None => Freshness::Unknown,
            },
            watcher,
        }
    }

    /// A project that nobody else changes while it is looked at.
    pub(crate) fn once(root: &Path, settings: &Settings) -> Self {
        let project = Project::at(root);
        let state = RwLock::new(ProjectState::load(project.root(), settings));
        Self {
            project,
            state,
            changed: Arc::default(),
            watcher: None,
            stamps: None,
            told: Told::default(),
            freshness: Freshness::Still,
        }
    }

    pub(crate) fn project(&self) -> &Project {
        &self.project
    }

    /// Has `tell` called whenever knowledge changes, here or elsewhere.
    pub(crate) fn tell(&self, tell: impl Fn() + Send + Sync + 'static) {
        // Only the first one is told; there is one in a process.
        let _ = self.told.set(Box::new(tell));
    }

    /// The state as the files are now.
    pub(crate) fn state(&self) -> ProjectState {
        let mut stamps = self
            .stamps
            .as_ref()
            .map(|stamps| stamps.lock().unwrap_or_else(PoisonError::into_inner));
        let mut changed = {
            let mut changed = self.changed.lock().unwrap_or_else(PoisonError::into_inner);
            std::mem::take(&mut *changed)
        };
        if let Some(stamps) = &mut stamps {
            changed.extend(stamps.changed());
        }
        if changed.is_empty() {
            return self.read().clone();
        }
        self.refreshed(&changed.into_iter().collect::<Vec<_>>())
    }

    /// The state after files were written here.
    pub(crate) fn refresh(&self, paths: &[String]) -> ProjectState {
        let state = self.refreshed(paths);
        if let Some(tell) = self.told.get() {
            tell();
        }
        state
    }

    fn refreshed(&self, paths: &[String]) -> ProjectState {
        let mut state = self.state.write().unwrap_or_else(PoisonError::into_inner);
        *state = state.with_files_changed(paths);
        state.clone()
    }

    pub(crate) fn freshness(&self) -> Freshness {
        self.freshness.clone()
    }

    pub(crate) fn is_watched(&self) -> bool {
        self.watcher.is_some()
    }

    fn read(&self) -> std::sync::RwLockReadGuard<'_, ProjectState> {
        self.state.read().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whether a project-relative path is one that delivered files are made from.
fn is_knowledge(path: &str) -> bool {
    path.strip_prefix("Alembic/").is_some_and(|below| {
        ["recipes", "candidates", "skills", "config.toml"]
            .iter()
            .any(|part| below.starts_with(part))
    })
}
