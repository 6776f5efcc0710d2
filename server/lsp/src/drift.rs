//! Whether the recipes that are open still are what the code is. Found beside
//! everything else, on one thread, after the other findings are shown.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use asd_recipe::{Problem, ProblemCode, Recipe};
use asd_workspace::ProjectState;
use asd_workspace::drift::{Audited, Remember, ScannedCode, audit, drift_problems};

use crate::project::Project;
use crate::server::Server;
use crate::session::Session;
use crate::uri::UriKey;

/// How long a recipe rests before it is compared with the code: whoever types
/// in it is not waiting for that.
const RESTS: Duration = Duration::from_millis(500);

/// What was found of a folder's recipes. Shared by all states of the folder.
#[derive(Debug, Default)]
pub(crate) struct DriftBoard(Mutex<Board>);

#[derive(Debug, Default)]
struct Board {
    /// Grows with every finding.
    serial: u64,
    /// Whether a thread is at it.
    busy: bool,
    entries: BTreeMap<String, Audited>,
}

impl DriftBoard {
    fn board(&self) -> MutexGuard<'_, Board> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Tells what was found before from what was found after.
    pub(crate) fn serial(&self) -> u64 {
        self.board().serial
    }

    /// The problems of a recipe file, those of drift among them.
    pub(crate) fn problems_of(&self, state: &ProjectState, path: &str) -> Vec<Problem> {
        let mut problems = state.problems_of(path);
        let found = self.found(state, path);
        if found.is_empty() {
            return problems;
        }
        // What is known of a source in more detail takes the place of the news
        // that it is gone; what is not is said once.
        let renamed: BTreeSet<_> = found
            .iter()
            .filter(|problem| problem.code == ProblemCode::SourceRenamed)
            .map(|problem| problem.span)
            .collect();
        problems.retain(|problem| {
            problem.code != ProblemCode::MissingSource || !renamed.contains(&problem.span)
        });
        let missing: BTreeSet<_> = problems
            .iter()
            .filter(|problem| problem.code == ProblemCode::MissingSource)
            .map(|problem| problem.span)
            .collect();
        problems.extend(found.into_iter().filter(|problem| {
            problem.code != ProblemCode::SourceStale || !missing.contains(&problem.span)
        }));
        problems.sort_by(|a, b| (a.span, a.code, &a.message).cmp(&(b.span, b.code, &b.message)));
        problems
    }

    /// What was found of a recipe, at the places where it stands now; nothing
    /// while it says something else than it did.
    pub(crate) fn found(&self, state: &ProjectState, path: &str) -> Vec<Problem> {
        let board = self.board();
        let Some(entry) = board.entries.get(path) else {
            return Vec::new();
        };
        let Some(file) = state.recipe_file(path) else {
            return Vec::new();
        };
        let Some(recipe) = file
            .recipe
            .as_ref()
            .filter(|now| says_the_same(now, &entry.recipe))
        else {
            return Vec::new();
        };
        let mut entry = entry.clone();
        for (found, now) in entry.sources.iter_mut().zip(&recipe.reasoning.sources) {
            found.source.span = now.span;
        }
        drift_problems(&entry, file)
    }

    /// The open recipes that nothing is known of as they are now.
    fn wanted(&self, project: &Project) -> Vec<(Arc<str>, Arc<Recipe>)> {
        let board = self.board();
        project
            .overlays
            .keys()
            .filter_map(|path| {
                let file = project.state.recipe_file(path)?;
                let recipe = file.recipe.clone()?;
                let known = board
                    .entries
                    .get(path)
                    .is_some_and(|entry| says_the_same(&recipe, &entry.recipe));
                (!known).then(|| (Arc::from(path.as_str()), Arc::new((*recipe).clone())))
            })
            .collect()
    }

    fn keep(&self, entries: Vec<Audited>, open: &BTreeSet<&String>) {
        let mut board = self.board();
        board.serial += 1;
        board.entries.retain(|path, _| open.contains(path));
        for entry in entries {
            board.entries.insert(entry.path.to_string(), entry);
        }
    }
}

/// Whether two versions of a recipe name the same of the code.
fn says_the_same(a: &Recipe, b: &Recipe) -> bool {
    let sources = |recipe: &Recipe| -> Vec<String> {
        let sources = recipe.reasoning.sources.iter();
        sources.map(ToString::to_string).collect()
    };
    a.core_code == b.core_code
        && a.content.pattern == b.content.pattern
        && a.headers == b.headers
        && a.language == b.language
        && a.lifecycle == b.lifecycle
        && sources(a) == sources(b)
}

impl Server {
    /// Has the open recipes of a folder compared with its code, soon.
    pub(crate) fn schedule_drift(&self, session: &mut Session, key: &UriKey) {
        let project = session
            .folder_mut(key)
            .and_then(|folder| folder.project.clone());
        let Some(project) = project else { return };
        if project.drift.wanted(&project).is_empty() {
            return;
        }
        {
            let mut board = project.drift.board();
            if board.busy {
                return;
            }
            board.busy = true;
        }
        let server = self.clone();
        let key = key.clone();
        // Nobody waits for this thread, not even the end of the program.
        let started = std::thread::Builder::new()
            .name("asd-drift".to_owned())
            .spawn(move || server.run_drift(&key));
        if started.is_err() {
            project.drift.board().busy = false;
        }
    }

    fn run_drift(&self, key: &UriKey) {
        let mut code: Option<ScannedCode> = None;
        // One thread: the others are for whoever types.
        let Ok(pool) = rayon::ThreadPoolBuilder::new().num_threads(1).build() else {
            return;
        };
        loop {
            std::thread::sleep(RESTS);
            let (project, wanted) = {
                let mut session = self.session();
                let Some(project) = session
                    .folder_mut(key)
                    .and_then(|folder| folder.project.clone())
                else {
                    return;
                };
                let wanted = project.drift.wanted(&project);
                if wanted.is_empty() {
                    // Under the lock, so that no wish comes between.
                    project.drift.board().busy = false;
                    return;
                }
                (project, wanted)
            };
            let never = AtomicBool::new(false);
            let audited = pool.install(|| {
                let root = project.state.project();
                let code = code.get_or_insert_with(|| ScannedCode::read(root, &never));
                audit(root, code, &wanted, Remember::Nothing, &never)
            });
            let mut entries = audited.entries;
            for (path, recipe) in &wanted {
                // A retired recipe is not looked at, and need not be again.
                if !entries.iter().any(|entry| entry.path == *path) {
                    entries.push(Audited {
                        path: path.clone(),
                        recipe: recipe.clone(),
                        drift: None,
                        sources: Vec::new(),
                    });
                }
            }
            project
                .drift
                .keep(entries, &project.overlays.keys().collect());
            let mut session = self.session();
            let documents: Vec<_> = session.documents.values().cloned().collect();
            for document in documents {
                let concerned =
                    session
                        .knowledge_at(document.path.as_deref())
                        .iter()
                        .any(|(folder, path)| {
                            folder == key && wanted.iter().any(|(wanted, _)| **wanted == **path)
                        });
                if concerned {
                    self.schedule_check(&mut session, &document.key);
                }
            }
        }
    }
}
