//! Checking documents on the pool, and publishing what is still current.
//!
//! A document has at most one check under way. A change cancels it and has it
//! run again for the newest version. A result is published only under the lock
//! of the session, after its [`Stamp`] was compared with the present one: so it
//! can be neither late nor double.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use asd_guard::{FileReport, Target};
use asd_recipe::Problem;
use asd_syntax::{Language, Tree};
use tower_lsp_server::ls_types::notification::PublishDiagnostics;
use tower_lsp_server::ls_types::{Diagnostic, PublishDiagnosticsParams, Uri};

use crate::across::FoundIn;
use crate::diagnostics::{self, Place};
use crate::outbox::Prepared;
use crate::project::is_knowledge;
use crate::server::Server;
use crate::session::{ClosedFile, Published, Running, Session, Stamp, key_of_folder};
use crate::snapshot::{DocumentView, Snapshot};
use crate::uri::UriKey;

/// A check of one version of a document by one set of rules.
struct Job {
    snapshot: Snapshot,
    view: DocumentView,
    stamp: Stamp,
    kind: JobKind,
    cancel: Arc<AtomicBool>,
}

enum JobKind {
    /// Guards on source code.
    Code {
        language: Language,
        previous: Option<Tree>,
        /// What was found in it beside other files.
        across: Option<Arc<FoundIn>>,
    },
    /// A recipe or another file of the project, whose problems are known.
    ProjectFile { path: String, stopped: Vec<Problem> },
}

/// What a check came to.
struct Outcome {
    findings: Findings,
    report: Option<Arc<FileReport>>,
}

/// A set of diagnostics, ready to be sent.
pub(crate) struct Findings {
    notification: Prepared,
    count: usize,
}

impl Server {
    /// Has a document checked, soon; a check of it that runs is stopped.
    pub(crate) fn schedule_check(&self, session: &mut Session, key: &UriKey) {
        if let Some(running) = session.running.get_mut(key) {
            running.cancel.store(true, Ordering::Relaxed);
            running.again = true;
            return;
        }
        session.running.insert(
            key.clone(),
            Running {
                cancel: Arc::default(),
                again: false,
            },
        );
        let server = self.clone();
        let key = key.clone();
        self.pool().spawn(move || server.run_checks(&key));
    }

    fn run_checks(&self, key: &UriKey) {
        loop {
            let job = {
                let mut session = self.session();
                let job = prepare(&session, key);
                if job.is_none() {
                    session.running.remove(key);
                }
                job
            };
            let Some(job) = job else { return };
            let outcome = catch_unwind(AssertUnwindSafe(|| self.run(&job))).unwrap_or_else(|_| {
                tracing::error!(
                    "a check of {} failed unexpectedly; its findings are left out",
                    job.view.uri().as_str()
                );
                // Nothing that was made for an older text may stay.
                Some(Outcome {
                    findings: self.findings(job.view.uri(), Some(job.view.version()), Vec::new()),
                    report: None,
                })
            });
            let mut session = self.session();
            if let Some(outcome) = outcome {
                self.take_outcome(&mut session, &job, outcome);
            }
            match session.running.get_mut(key) {
                Some(running) if running.again => {
                    running.again = false;
                    running.cancel = Arc::default();
                }
                _ => {
                    session.running.remove(key);
                    return;
                }
            }
        }
    }

    fn run(&self, job: &Job) -> Option<Outcome> {
        let place = Place {
            snapshot: &job.snapshot,
            project: &job.view.project,
            uri: job.view.uri(),
            version: Some(job.view.version()),
            text: job.view.text(),
        };
        match &job.kind {
            JobKind::ProjectFile { path, stopped } => {
                let project = &job.view.project;
                let mut problems = project.drift.problems_of(&project.state, path);
                problems.extend_from_slice(stopped);
                let found = diagnostics::of_problems(&problems, &place);
                Some(Outcome {
                    findings: self.findings(job.view.uri(), Some(job.view.version()), found),
                    report: None,
                })
            }
            JobKind::Code {
                language,
                previous,
                across,
            } => {
                let target = Target {
                    path: job.view.path.as_deref(),
                    text: &job.view.text().text,
                    language: *language,
                    previous: previous.clone(),
                };
                let mut report = job
                    .view
                    .project
                    .state
                    .check_text(&target, &job.cancel)
                    .ok()?;
                if let Some(across) = across {
                    across.add_to(&mut report);
                }
                let found = diagnostics::of_report(&report, &place);
                Some(Outcome {
                    findings: self.findings(job.view.uri(), Some(job.view.version()), found),
                    report: Some(Arc::new(report)),
                })
            }
        }
    }

    fn take_outcome(&self, session: &mut Session, job: &Job, outcome: Outcome) {
        let key = &job.view.document.key;
        if let Some(report) = outcome.report {
            if let (Some(tree), Some(history)) =
                (report.tree.clone(), session.histories.get_mut(key))
            {
                history.adopt(job.stamp.serial, tree);
            }
            let file = job.view.path.as_deref().unwrap_or("an unsaved document");
            self.note_stopped_rules(session, &job.view.project, &report, file);
            // An older version says nothing of what the file holds now.
            let is_newest = session
                .documents
                .get(key)
                .is_some_and(|newest| newest.serial == job.stamp.serial);
            if let (true, Some(path), Some(facts)) = (is_newest, &job.view.path, &report.facts) {
                let folder = key_of_folder(&job.view.project.uri);
                self.note_facts(session, &folder, path, Some(facts.clone()));
            }
            job.view
                .document
                .keep_report(job.view.project.epoch, report);
        }
        let Some(document) = session.documents.get(key).cloned() else {
            return;
        };
        let view = session.snapshot().view(&document);
        if session.stamp(&view) != job.stamp {
            return;
        }
        self.publish_open(session, key, &document.uri, job.stamp, &outcome.findings);
    }

    /// Writes diagnostics out, which takes its time where there are many.
    pub(crate) fn findings(
        &self,
        uri: &Uri,
        version: Option<i32>,
        diagnostics: Vec<Diagnostic>,
    ) -> Findings {
        let params = PublishDiagnosticsParams {
            uri: uri.clone(),
            diagnostics,
            version,
        };
        Findings {
            notification: self.outbox().prepare::<PublishDiagnostics>(&params),
            count: params.diagnostics.len(),
        }
    }

    fn publish_open(
        &self,
        session: &mut Session,
        key: &UriKey,
        uri: &Uri,
        stamp: Stamp,
        findings: &Findings,
    ) {
        let digest = findings.notification.digest();
        if let Some(before) = session.published.get_mut(key)
            && let Some(shown) = before.stamp
        {
            let unchanged = shown.serial == stamp.serial && before.digest == digest;
            if shown == stamp || unchanged {
                before.stamp = Some(stamp);
                return;
            }
        }
        self.outbox().send_prepared(&findings.notification);
        session.published.insert(
            key.clone(),
            Published {
                uri: uri.clone(),
                stamp: Some(stamp),
                digest,
                empty: findings.count == 0,
            },
        );
    }

    /// Shows what a check of a file on disk found, unless it is open now.
    pub(crate) fn publish_closed(
        &self,
        session: &mut Session,
        file: ClosedFile,
        findings: &Findings,
    ) {
        let key = UriKey::new(&file.uri);
        let Some(folder) = session
            .folders
            .iter()
            .find(|folder| folder.key == file.folder)
        else {
            return;
        };
        if session.is_open(folder, &file.path) {
            session.closed.insert(key, file);
            return;
        }
        if findings.count == 0 {
            session.closed.remove(&key);
            self.publish_nothing(session, &key);
            return;
        }
        let digest = findings.notification.digest();
        let unchanged = session
            .published
            .get(&key)
            .is_some_and(|before| before.stamp.is_none() && before.digest == digest);
        if !unchanged {
            self.outbox().send_prepared(&findings.notification);
            session.published.insert(
                key.clone(),
                Published {
                    uri: file.uri.clone(),
                    stamp: None,
                    digest,
                    empty: false,
                },
            );
        }
        session.closed.insert(key, file);
    }

    /// Takes back whatever the client shows for a document.
    pub(crate) fn publish_nothing(&self, session: &mut Session, key: &UriKey) {
        let Some(before) = session.published.remove(key) else {
            return;
        };
        if before.empty {
            return;
        }
        self.outbox()
            .notify::<PublishDiagnostics>(&PublishDiagnosticsParams {
                uri: before.uri,
                diagnostics: Vec::new(),
                version: None,
            });
    }
}

/// The next check of a document, as things stand; `None` when it is closed, not
/// in a language that we know, or when its folder or its own overlay is still
/// being loaded, which leads to another check.
fn prepare(session: &Session, key: &UriKey) -> Option<Job> {
    let document = session.documents.get(key)?;
    if session
        .home_of(document)
        .is_some_and(|folder| folder.project.is_none())
    {
        return None;
    }
    let snapshot = session.snapshot();
    let view = snapshot.view(document);
    let kind = match &view.path {
        Some(path) if is_knowledge(path) => {
            if view.project.overlays.get(path) != Some(&document.serial) {
                return None;
            }
            let stopped = session
                .folders
                .iter()
                .find(|folder| folder.key == key_of_folder(&view.project.uri))
                .map_or_else(Vec::new, |folder| folder.quarantine.problems(path));
            JobKind::ProjectFile {
                path: path.clone(),
                stopped,
            }
        }
        _ => JobKind::Code {
            language: document.language()?,
            previous: session
                .histories
                .get(key)
                .and_then(|history| history.tree()),
            across: session.found_across(&view),
        },
    };
    Some(Job {
        stamp: session.stamp(&view),
        cancel: session.running.get(key)?.cancel.clone(),
        snapshot,
        view,
        kind,
    })
}
