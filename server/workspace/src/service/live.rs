//! The state of a project that other processes write to as well: it is read
//! again, file by file, as soon as one changed.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use asd_store::{Project, Watcher};

use crate::{ProjectState, Settings};

/// A project's state, kept current.
pub(crate) struct Live {
    project: Project,
    state: RwLock<ProjectState>,
    /// Paths that changed since the state was made.
    changed: Arc<Mutex<BTreeSet<String>>>,
    /// `None` where nothing can be watched: then every look reads anew.
    watcher: Option<Watcher>,
    settings: Settings,
}

impl Live {
    /// Reads the project and begins to watch it.
    pub(crate) fn open(root: &Path, settings: Settings) -> Self {
        let project = Project::at(root);
        let changed: Arc<Mutex<BTreeSet<String>>> = Arc::default();
        let seen = changed.clone();
        let watched = project.clone();
        // The watch begins before the first read, so that nothing falls between.
        let watcher = Watcher::start(&project, &[], move |changes| {
            let mut seen = seen.lock().unwrap_or_else(PoisonError::into_inner);
            for path in changes.changed.iter().chain(&changes.removed) {
                seen.extend(watched.relative(path));
            }
        })
        .inspect_err(|error| tracing::warn!(%error, "files are read anew for every call"))
        .ok();
        let state = RwLock::new(ProjectState::load(project.root(), &settings));
        Self {
            project,
            state,
            changed,
            watcher,
            settings,
        }
    }

    /// A project that nobody else changes while it is looked at.
    pub(crate) fn once(root: &Path, settings: Settings) -> Self {
        let project = Project::at(root);
        let state = RwLock::new(ProjectState::load(project.root(), &settings));
        Self {
            project,
            state,
            changed: Arc::default(),
            watcher: None,
            settings,
        }
    }

    pub(crate) fn project(&self) -> &Project {
        &self.project
    }

    /// The state as the files are now.
    pub(crate) fn state(&self) -> ProjectState {
        let changed: Vec<String> = {
            let mut changed = self.changed.lock().unwrap_or_else(PoisonError::into_inner);
            std::mem::take(&mut *changed).into_iter().collect()
        };
        if changed.is_empty() {
            return self.read().clone();
        }
        self.refresh(&changed)
    }

    /// The state after files were written here.
    pub(crate) fn refresh(&self, paths: &[String]) -> ProjectState {
        let mut state = self.state.write().unwrap_or_else(PoisonError::into_inner);
        *state = state.with_files_changed(paths);
        state.clone()
    }

    /// Reads everything again.
    pub(crate) fn reload(&self) -> ProjectState {
        let fresh = ProjectState::load(self.project.root(), &self.settings);
        let mut state = self.state.write().unwrap_or_else(PoisonError::into_inner);
        *state = fresh;
        state.clone()
    }

    pub(crate) fn is_watched(&self) -> bool {
        self.watcher.is_some()
    }

    fn read(&self) -> std::sync::RwLockReadGuard<'_, ProjectState> {
        self.state.read().unwrap_or_else(PoisonError::into_inner)
    }
}
