//! Reading folders, and reading them again when something in them changed.
//!
//! A folder has at most one load under way. What changes meanwhile is gathered
//! and taken up by the next round, so a burst of edits of a recipe leads to few
//! rounds, and the last of them has seen everything.

use std::collections::{BTreeMap, BTreeSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use asd_recipe::{Problem, Severity};
use asd_workspace::ProjectState;
use asd_workspace::delivery::Upkeep;

use crate::diagnostics::{self, Place};
use crate::project::{Project, is_knowledge};
use crate::quarantine::Quarantine;
use crate::server::Server;
use crate::session::{ClosedFile, Folder, Pending, Session, Sweep};
use crate::uri::UriKey;

/// How long the search for problems in recipes rests while they change.
const BETWEEN_SWEEPS: Duration = Duration::from_millis(150);

/// How long the end of the server waits for a delivery.
const LAST_DELIVERY: Duration = Duration::from_millis(1_500);

/// Open buffers of project files, by project-relative path.
type Overlays = BTreeMap<String, (u64, Arc<str>)>;

struct Round {
    root: PathBuf,
    pending: Pending,
    before: Option<Arc<Project>>,
    overlays: Overlays,
    settings: Arc<crate::settings::Settings>,
}

impl Round {
    /// Whether knowledge changed on disk while the folder was open. Where nobody
    /// trusts the project nothing is written.
    fn changed_knowledge(&self) -> bool {
        let in_knowledge = |path: &String| path.starts_with("Alembic/");
        self.before.is_some()
            && self.settings.trusted != Some(false)
            && self.pending.files.iter().any(in_knowledge)
    }
}

impl Server {
    /// Has a folder brought up to date; `note` says what with.
    pub(crate) fn schedule_load(
        &self,
        session: &mut Session,
        folder: &UriKey,
        note: impl FnOnce(&mut Pending),
    ) {
        let Some(folder) = session.folder_mut(folder) else {
            return;
        };
        note(&mut folder.pending);
        if folder.loading || folder.pending.is_empty() {
            return;
        }
        folder.loading = true;
        let server = self.clone();
        let key = folder.key.clone();
        self.runtime()
            .spawn_blocking(move || server.run_loads(&key));
    }

    /// Delivers what still waits for its rest, since the process ends; for no
    /// longer than a client waits for that.
    pub(crate) async fn deliver_rest(&self) {
        let waiting: Vec<Upkeep> = {
            let mut session = self.session();
            let folders = session.folders.iter_mut();
            folders.filter_map(|folder| folder.upkeep.take()).collect()
        };
        if waiting.is_empty() {
            return;
        }
        let delivering = self
            .runtime()
            .spawn_blocking(move || waiting.iter().for_each(Upkeep::finish));
        let _ = tokio::time::timeout(LAST_DELIVERY, delivering).await;
    }

    fn run_loads(&self, key: &UriKey) {
        loop {
            let round = {
                let mut session = self.session();
                begin(&mut session, key)
            };
            let Some(round) = round else {
                self.loaded().notify_waiters();
                return;
            };
            let root = &round.root;
            let loaded = catch_unwind(AssertUnwindSafe(|| next_state(&round)));
            let mut session = self.session();
            match loaded {
                Ok(state) => self.install(&mut session, key, &round, state),
                Err(_) => {
                    tracing::error!(
                        "reading {} failed unexpectedly; the rules of before stay in force",
                        root.display()
                    );
                    if let Some(folder) = session.folder_mut(key)
                        && folder.project.is_none()
                    {
                        let state = ProjectState::built_in(root);
                        self.install(&mut session, key, &round, state);
                    }
                }
            }
        }
    }

    /// Puts a new state in force and has everything that it touches checked.
    fn install(&self, session: &mut Session, key: &UriKey, round: &Round, state: ProjectState) {
        let serial = session.next_serial();
        let Some(folder) = session.folder_mut(key) else {
            return;
        };
        let same_rules = round
            .before
            .as_ref()
            .is_some_and(|before| before.state.finds_the_same_as(&state));
        let project = Arc::new(Project {
            uri: folder.uri.clone(),
            root: folder.root.clone(),
            real_root: folder.real_root.clone(),
            epoch: match &round.before {
                Some(before) if same_rules => before.epoch,
                _ => serial,
            },
            serial,
            overlays: round
                .overlays
                .iter()
                .map(|(path, (serial, _))| (path.clone(), *serial))
                .collect(),
            state,
            drift: round
                .before
                .as_ref()
                .map_or_else(Arc::default, |before| before.drift.clone()),
            notes: Mutex::default(),
        });
        folder.project = Some(project.clone());
        if round.changed_knowledge() {
            let upkeep = folder
                .upkeep
                .get_or_insert_with(|| Upkeep::new(project.state.project()));
            upkeep.teller()();
        }
        if !same_rules {
            folder.quarantine = Quarantine::default();
        }
        session.projects_changed();
        self.loaded().notify_waiters();

        let documents: Vec<_> = session.documents.values().cloned().collect();
        for document in documents {
            let knowledge = session.knowledge_at(document.path.as_deref());
            let concerned = if knowledge.is_empty() {
                let home = session.home_of(&document);
                !same_rules && home.is_some_and(|folder| folder.key == *key)
            } else {
                knowledge.iter().any(|(folder, _)| folder == key)
            };
            if concerned {
                self.schedule_check(session, &document.key);
            }
        }
        if !same_rules {
            self.rules_across_changed(session, key);
            let kept: Vec<_> = session
                .closed
                .values()
                .filter(|file| file.folder == *key && !is_knowledge(&file.path))
                .cloned()
                .collect();
            for file in kept {
                self.check_closed(session, file);
            }
        }
        for problem in project.state.client_problems() {
            session.complain(format!("The settings of asd: {}", problem.message));
        }
        let outer = |project: &Project| project.state.extra_recipe_folders().to_vec();
        if round.before.as_deref().map_or(Vec::new(), outer) != outer(&project) {
            self.watch_folders(session);
        }
        if round.before.is_none() {
            self.offer_setup(session, key);
        }
        self.schedule_sweep(session, key);
        self.schedule_drift(session, key);
        self.report_status(session);
    }

    /// Has the folder's own files looked at for problems, all of them, since a
    /// change of one may be a problem of another.
    pub(crate) fn schedule_sweep(&self, session: &mut Session, key: &UriKey) {
        let Some(folder) = session.folder_mut(key) else {
            return;
        };
        if folder.sweep != Sweep::Idle {
            folder.sweep = Sweep::Again;
            return;
        }
        folder.sweep = Sweep::Running;
        let server = self.clone();
        let key = key.clone();
        self.runtime()
            .spawn_blocking(move || server.run_sweeps(&key));
    }

    fn run_sweeps(&self, key: &UriKey) {
        loop {
            let project = match self.session().folder_mut(key) {
                Some(folder) => folder.project.clone(),
                None => return,
            };
            let Some(project) = project else { return };
            let mut problems = catch_unwind(AssertUnwindSafe(|| project.state.all_problems()))
                .unwrap_or_else(|_| {
                    tracing::error!("looking for problems in recipes failed unexpectedly");
                    Vec::new()
                });
            let mut session = self.session();
            let Some(folder) = session.folder_mut(key) else {
                return;
            };
            let again = std::mem::replace(&mut folder.sweep, Sweep::Running) == Sweep::Again;
            if !again {
                folder.sweep = Sweep::Idle;
                for recipe in folder.quarantine.recipes() {
                    let stopped = folder.quarantine.problems(recipe);
                    match problems.iter_mut().find(|(path, _)| path == recipe) {
                        Some((_, problems)) => problems.extend(stopped),
                        None => problems.push((recipe.to_owned(), stopped)),
                    }
                }
                // What merely could be better is shown when the file is opened.
                let broken: Vec<_> = problems
                    .into_iter()
                    .filter(|(_, problems)| {
                        problems
                            .iter()
                            .any(|problem| problem.severity == Severity::Error)
                    })
                    .collect();
                folder.problem_files = broken.len();
                self.publish_problem_files(&mut session, key, &project, broken);
                self.report_status(&mut session);
                return;
            }
            drop(session);
            // While a recipe is being typed in, the other files can wait.
            std::thread::sleep(BETWEEN_SWEEPS);
        }
    }

    /// Shows what is wrong with the folder's own files that are not open.
    fn publish_problem_files(
        &self,
        session: &mut Session,
        key: &UriKey,
        project: &Arc<Project>,
        problems: Vec<(String, Vec<Problem>)>,
    ) {
        let snapshot = session.snapshot();
        let wrong: BTreeSet<String> = problems.iter().map(|(path, _)| path.clone()).collect();
        let cleared: Vec<_> = session
            .closed
            .iter()
            .filter(|(_, file)| {
                file.folder == *key && is_knowledge(&file.path) && !wrong.contains(&file.path)
            })
            .map(|(key, _)| key.clone())
            .collect();
        for file in cleared {
            session.closed.remove(&file);
            if !session.documents.contains_key(&file) {
                self.publish_nothing(session, &file);
            }
        }
        for (path, problems) in problems {
            let Some(uri) = snapshot.uri_of(project, &path) else {
                continue;
            };
            let Some((text, lines)) = project.state.text_of(&path) else {
                continue;
            };
            let text = asd_text::Snapshot { text, lines };
            let place = Place {
                snapshot: &snapshot,
                project,
                uri: &uri,
                version: None,
                text: &text,
            };
            let diagnostics = diagnostics::of_problems(&problems, &place);
            let file = ClosedFile {
                uri: uri.clone(),
                folder: key.clone(),
                path,
            };
            let findings = self.findings(&file.uri, None, diagnostics);
            self.publish_closed(session, file, &findings);
        }
    }
}

/// Takes up what is pending; `None` when there is nothing left to do.
fn begin(session: &mut Session, key: &UriKey) -> Option<Round> {
    let folder = session.folder_mut(key)?;
    if folder.pending.is_empty() {
        folder.loading = false;
        return None;
    }
    let pending = std::mem::take(&mut folder.pending);
    let folder = session.folders.iter().find(|folder| folder.key == *key)?;
    Some(Round {
        pending,
        root: folder.root.clone(),
        before: folder.project.clone(),
        overlays: overlays(session, folder),
        settings: session.settings.clone(),
    })
}

/// The open files that belong to the knowledge of a folder.
fn overlays(session: &Session, folder: &Folder) -> Overlays {
    session
        .documents
        .values()
        .filter(|document| crate::uri::scheme(&document.uri) == "file")
        .flat_map(|document| {
            session
                .knowledge_at(document.path.as_deref())
                .into_iter()
                .filter(|(key, _)| *key == folder.key)
                .map(|(_, path)| (path, (document.serial, document.text().text.clone())))
        })
        .collect()
}

fn next_state(round: &Round) -> ProjectState {
    let mut state = match &round.before {
        Some(before) if !round.pending.all => {
            let files: Vec<_> = round.pending.files.iter().cloned().collect();
            before.state.with_files_changed(&files)
        }
        _ => {
            let settings = asd_workspace::Settings {
                client: round.settings.project.clone(),
                sources: round.settings.sources(),
                ..asd_workspace::Settings::default()
            };
            ProjectState::load(&round.root, &settings)
        }
    };
    if round.pending.settings {
        state = state
            .with_client_settings(&round.settings.project)
            .with_sources(round.settings.sources());
    }
    let known = match &round.before {
        Some(before) if !round.pending.all => Some(&before.overlays),
        _ => None,
    };
    // A buffer that was closed gives way to the disk again.
    for path in known.into_iter().flat_map(|known| known.keys()) {
        if !round.overlays.contains_key(path) {
            state = state.with_overlay(path, None);
        }
    }
    for (path, (serial, text)) in &round.overlays {
        if known.and_then(|known| known.get(path)) != Some(serial) {
            state = state.with_overlay(path, Some(text.clone()));
        }
    }
    state
}
