//! The project's code map, made when it is first asked for and kept fresh: what
//! the watcher names is read again before the next answer. All connections of a
//! process share it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use asd_codemap::{
    CodeIndex, CodeMap, Keep, ModuleGraph, Progress, ScanError, ScanOptions, is_relevant,
    module_graph, words,
};
use asd_store::{Disk, Project, now};

/// How long symbols and calls may be read. (mcp.md §5)
const LIMIT: Duration = Duration::from_secs(60);

/// Paths that changed and that nobody has looked at since.
pub(crate) type Changed = Arc<Mutex<BTreeSet<String>>>;

/// How it is known that files changed.
#[derive(Clone, Debug)]
pub(crate) enum Freshness {
    /// A watcher names them.
    Watched(Changed),
    /// It is not known: every question looks at all files.
    Unknown,
    /// They do not change while the project is looked at.
    Still,
}

/// Told how far a scan is.
pub(crate) type OnProgress = Box<dyn Fn(Progress) + Send + Sync>;

/// See the module.
pub(crate) struct Code {
    project: Project,
    freshness: Freshness,
    held: Mutex<Option<Held>>,
    progress: OnceLock<OnProgress>,
}

struct Held {
    index: CodeIndex,
    view: Arc<CodeView>,
}

/// The code at one moment.
#[derive(Debug)]
pub(crate) struct CodeView {
    pub(crate) map: Arc<CodeMap>,
    /// What was left out, each a sentence.
    pub(crate) warnings: Vec<String>,
    /// When it was made or found to be unchanged, in milliseconds since 1970.
    pub(crate) at: i64,
    graph: OnceLock<ModuleGraph>,
    names: OnceLock<BTreeSet<String>>,
    words: OnceLock<BTreeSet<String>>,
}

impl CodeView {
    pub(crate) fn new(map: Arc<CodeMap>, warnings: Vec<String>, at: i64) -> Self {
        Self {
            map,
            warnings,
            at,
            graph: OnceLock::new(),
            names: OnceLock::new(),
            words: OnceLock::new(),
        }
    }

    /// Its modules.
    pub(crate) fn modules(&self) -> &ModuleGraph {
        self.graph.get_or_init(|| module_graph(&self.map, &[]))
    }

    /// The hash of every source file by its path.
    pub(crate) fn hashes(&self) -> BTreeMap<String, u64> {
        let files = self.map.files().iter();
        files
            .map(|file| (file.path.clone(), file.source.hash))
            .collect()
    }

    /// The words of all paths and declared names, in lower case.
    pub(crate) fn words(&self) -> &BTreeSet<String> {
        self.words.get_or_init(|| {
            let mut all = BTreeSet::new();
            for file in self.map.files() {
                all.extend(words(&file.path));
                for declaration in &file.source.facts.declarations {
                    all.extend(words(&declaration.name));
                }
            }
            all
        })
    }

    /// Everything that is named in calls, imports and supertypes: what the code
    /// knows beside what it declares.
    pub(crate) fn used_names(&self) -> &BTreeSet<String> {
        self.names.get_or_init(|| {
            let mut names = BTreeSet::new();
            for file in self.map.files() {
                let facts = &file.source.facts;
                names.extend(facts.calls.iter().map(|call| call.name.clone()));
                for import in &facts.imports {
                    names.extend(import.names.iter().map(|name| name.name.clone()));
                    names.extend(import.module.split(['.', '/', ':']).map(str::to_owned));
                }
                names.extend(facts.type_names.iter().cloned());
                for declaration in &facts.declarations {
                    names.extend(declaration.supertypes.iter().cloned());
                    names.extend(declaration.annotations.iter().cloned());
                }
            }
            names
        })
    }
}

impl Code {
    pub(crate) fn new(project: &Project, freshness: Freshness) -> Self {
        Self {
            project: project.clone(),
            freshness,
            held: Mutex::default(),
            progress: OnceLock::new(),
        }
    }

    /// Has somebody told how far scans are.
    pub(crate) fn tell(&self, progress: OnProgress) {
        // The first who asks is told; there is one terminal.
        let _ = self.progress.set(progress);
    }

    fn held(&self) -> MutexGuard<'_, Option<Held>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The code as it is now.
    ///
    /// # Errors
    /// [`ScanError::Cancelled`] when reading took longer than a minute.
    pub(crate) fn view(&self) -> Result<Arc<CodeView>, ScanError> {
        let mut held = self.held();
        match (&mut *held, &self.freshness) {
            (None, _) => {
                if let Freshness::Watched(changed) = &self.freshness {
                    // What changed until now is seen by the scan.
                    taken(changed);
                }
                let index = self.limited(|options| CodeIndex::scan(&self.project, options))?;
                let view = view_of(&index);
                *held = Some(Held {
                    index,
                    view: view.clone(),
                });
                Ok(view)
            }
            (Some(held), Freshness::Still) => Ok(held.view.clone()),
            (Some(held), Freshness::Watched(changed)) => {
                let paths: Vec<String> = taken(changed)
                    .into_iter()
                    .filter(|path| is_relevant(path))
                    .collect();
                if paths.is_empty() {
                    return Ok(held.view.clone());
                }
                let updated =
                    self.limited(|options| held.index.update(&self.project, &paths, options));
                if let Err(error) = updated {
                    changed
                        .lock()
                        .unwrap_or_else(PoisonError::into_inner)
                        .extend(paths);
                    return Err(error);
                }
                Ok(held.renewed())
            }
            (Some(held), Freshness::Unknown) => {
                self.limited(|options| held.index.refresh(&self.project, options))?;
                Ok(held.renewed())
            }
        }
    }

    /// Runs a scan that ends after [`LIMIT`].
    fn limited<T>(
        &self,
        scan: impl FnOnce(&ScanOptions<'_>) -> Result<T, ScanError>,
    ) -> Result<T, ScanError> {
        let cancel = AtomicBool::new(false);
        let done = (Mutex::new(false), Condvar::new());
        std::thread::scope(|scope| {
            scope.spawn(|| {
                let waiting = done.0.lock().unwrap_or_else(PoisonError::into_inner);
                let waited = done.1.wait_timeout_while(waiting, LIMIT, |done| !*done);
                if waited.is_ok_and(|(_, result)| result.timed_out()) {
                    cancel.store(true, Ordering::Relaxed);
                }
            });
            let options = ScanOptions {
                host: &Disk,
                cancel: &cancel,
                progress: &|progress| {
                    if let Some(tell) = self.progress.get() {
                        tell(progress);
                    }
                },
                keep: Keep::WhenSetUp,
            };
            let result = scan(&options);
            *done.0.lock().unwrap_or_else(PoisonError::into_inner) = true;
            done.1.notify_all();
            result
        })
    }
}

impl Held {
    /// The view after the index was looked at again; the old one's findings are
    /// kept when nothing changed.
    fn renewed(&mut self) -> Arc<CodeView> {
        if !Arc::ptr_eq(&self.index.map(), &self.view.map) {
            self.view = view_of(&self.index);
        }
        self.view.clone()
    }
}

fn view_of(index: &CodeIndex) -> Arc<CodeView> {
    Arc::new(CodeView::new(
        index.map(),
        index.warnings().to_vec(),
        now().0,
    ))
}

fn taken(changed: &Changed) -> BTreeSet<String> {
    std::mem::take(&mut *changed.lock().unwrap_or_else(PoisonError::into_inner))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn what_the_watcher_names_is_read_again_and_nothing_else() {
        let temp = tempfile::tempdir().unwrap();
        let project = Project::at(temp.path());
        fs::write(temp.path().join("a.ts"), "export function one() {}\n").unwrap();
        let changed = Changed::default();
        let code = Code::new(&project, Freshness::Watched(changed.clone()));
        let first = code.view().unwrap();
        assert_eq!(first.map.named("one").count(), 1);

        fs::write(temp.path().join("a.ts"), "export function two() {}\n").unwrap();
        fs::write(temp.path().join("b.ts"), "export function three() {}\n").unwrap();
        assert!(
            Arc::ptr_eq(&first, &code.view().unwrap()),
            "nothing was told"
        );

        changed.lock().unwrap().insert("a.ts".to_owned());
        let second = code.view().unwrap();
        assert_eq!(second.map.named("one").count(), 0);
        assert_eq!(second.map.named("two").count(), 1);
        assert_eq!(second.map.named("three").count(), 0);

        // A new file makes it look at all of them; what is no source does not.
        changed.lock().unwrap().insert("notes.md".to_owned());
        assert!(Arc::ptr_eq(&second, &code.view().unwrap()));
        changed.lock().unwrap().insert("b.ts".to_owned());
        assert_eq!(code.view().unwrap().map.named("three").count(), 1);

        fs::remove_file(temp.path().join("a.ts")).unwrap();
        changed.lock().unwrap().insert("a.ts".to_owned());
        assert_eq!(code.view().unwrap().map.files().len(), 1);
    }

    #[test]
    fn without_a_watcher_every_question_looks_at_the_files() {
        let temp = tempfile::tempdir().unwrap();
        let project = Project::at(temp.path());
        fs::write(temp.path().join("a.py"), "def one(): pass\n").unwrap();
        let code = Code::new(&project, Freshness::Unknown);
        let first = code.view().unwrap();
        assert!(Arc::ptr_eq(&first, &code.view().unwrap()));
        fs::write(temp.path().join("a.py"), "def two(): pass\n").unwrap();
        assert_eq!(code.view().unwrap().map.named("two").count(), 1);
    }
}
