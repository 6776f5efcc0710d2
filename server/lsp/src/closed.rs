//! Files that are not open: the check of a whole workspace, and keeping its
//! findings true afterwards.

use std::collections::{BTreeSet, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use asd_guard::{FileReport, Target};
use asd_store::{Disk, read_text};
use asd_syntax::Language;
use asd_text::Snapshot as Text;
use rayon::prelude::*;
use tower_lsp_server::ls_types::Diagnostic;

use crate::across::FoundIn;
use crate::diagnostics::{self, Place};
use crate::progress::Progress;
use crate::project::Project;
use crate::server::Server;
use crate::session::{ClosedFile, Session};
use crate::snapshot::Snapshot;
use crate::uri::UriKey;

/// How long new files are gathered before they are looked at.
const GATHERING: Duration = Duration::from_millis(100);

/// How often it is looked whether a folder is loaded.
const WAITING: Duration = Duration::from_millis(10);

/// What a check of the workspace came to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Tally {
    /// Files that were checked.
    pub(crate) files: usize,
    /// What was found in them.
    pub(crate) findings: usize,
    /// Files that could not be read or checked.
    pub(crate) skipped: usize,
    /// Whether someone stopped it.
    pub(crate) cancelled: bool,
}

impl Tally {
    /// The same as a sentence.
    pub(crate) fn sentence(self) -> String {
        let many = |count: usize, what: &str| match count {
            1 => format!("1 {what}"),
            _ => format!("{count} {what}s"),
        };
        let mut text = format!(
            "{} in {}",
            many(self.findings, "finding"),
            many(self.files, "file")
        );
        if self.skipped > 0 {
            text.push_str(&format!(
                "; {} could not be checked (see the log)",
                many(self.skipped, "file")
            ));
        }
        if self.cancelled {
            text.push_str("; stopped before the end");
        }
        text
    }
}

impl Server {
    /// Checks one file on disk and shows what it finds, unless something newer
    /// is asked of it in the meantime.
    pub(crate) fn check_closed(&self, session: &mut Session, file: ClosedFile) {
        let key = UriKey::new(&file.uri);
        let serial = session.next_serial();
        session.closed_checks.insert(key.clone(), serial);
        let snapshot = session.snapshot();
        let project = session
            .folders
            .iter()
            .find(|folder| folder.key == file.folder)
            .and_then(|folder| folder.project.clone());
        let Some(project) = project else { return };
        let across = session
            .folder_mut(&file.folder)
            .and_then(|folder| folder.across.found_in(&file.path));
        let server = self.clone();
        self.pool().spawn(move || {
            let found = catch_unwind(AssertUnwindSafe(|| {
                let never = AtomicBool::new(false);
                check_file(&snapshot, &project, &file.path, across.as_deref(), &never)
            }));
            let diagnostics = match found {
                Ok(Ok(Some(diagnostics))) => diagnostics,
                Ok(Ok(None) | Err(_)) => Vec::new(),
                Err(_) => {
                    tracing::error!("the check of {} failed unexpectedly", file.path);
                    Vec::new()
                }
            };
            let findings = server.findings(&file.uri, None, diagnostics);
            let mut session = server.session();
            if session.closed_checks.get(&key) != Some(&serial) {
                return;
            }
            session.closed_checks.remove(&key);
            server.publish_closed(&mut session, file, &findings);
        });
    }

    /// Notes that a file came after the workspace was checked. Whether it is
    /// one that a workspace check looks at is found out for many at once.
    pub(crate) fn note_new_file(&self, session: &mut Session, folder: &UriKey, path: String) {
        let Some(found) = session.folder_mut(folder) else {
            return;
        };
        found.new_files.insert(path);
        if found.new_files.len() > 1 {
            return;
        }
        let server = self.clone();
        let key = folder.clone();
        self.runtime().spawn_blocking(move || {
            std::thread::sleep(GATHERING);
            server.check_new_files(&key);
        });
    }

    fn check_new_files(&self, key: &UriKey) {
        let (project, new) = {
            let mut session = self.session();
            let Some(folder) = session.folder_mut(key) else {
                return;
            };
            let new = std::mem::take(&mut folder.new_files);
            match folder.project.clone() {
                Some(project) => (project, new),
                None => return,
            }
        };
        let walked = project.state.walk(&[], &AtomicBool::new(false));
        let below = |path: &str| {
            new.iter().any(|new| {
                path.strip_prefix(new.as_str())
                    .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
            })
        };
        let mut session = self.session();
        for file in &walked.files {
            if below(&file.rel)
                && let Some(uri) = project.uri_of(&file.rel)
            {
                let closed = ClosedFile {
                    uri,
                    folder: key.clone(),
                    path: file.rel.clone(),
                };
                self.check_closed(&mut session, closed);
            }
        }
        if let Some(folder) = session.folder_mut(key)
            && folder.scanned.is_some()
        {
            let files = walked.files.into_iter().map(|file| file.rel).collect();
            folder.scanned = Some(Arc::new(files));
        }
    }

    /// Checks every file of every folder. Blocks until it is done.
    pub(crate) fn check_workspace(&self, cancel: &Arc<AtomicBool>) -> Tally {
        let token = {
            let mut session = self.session();
            let token = format!("asd/check/{}", session.next_serial());
            session
                .workspace_checks
                .insert(token.clone(), cancel.clone());
            token
        };
        let progress = Progress::start(self, &token, "Alembic: checking the workspace", true);
        let mut tally = Tally::default();
        let folders: Vec<_> = {
            let session = self.session();
            let keys = session.folders.iter().map(|folder| folder.key.clone());
            keys.collect()
        };
        let mut seen: BTreeSet<_> = folders.iter().cloned().collect();
        let mut waiting: VecDeque<_> = folders.into();
        while let Some(key) = waiting.pop_front() {
            let Some((snapshot, project)) = self.wait_for_project(&key, cancel) else {
                continue;
            };
            let nested = self.check_folder(&snapshot, &project, &progress, cancel, &mut tally);
            let mut session = self.session();
            for path in nested {
                let inner = project
                    .relative(&path)
                    .and_then(|path| self.add_nested_folder(&mut session, &key, &path));
                waiting.extend(inner.filter(|inner| seen.insert(inner.clone())));
            }
        }
        tally.cancelled = cancel.load(Ordering::Relaxed);
        let mut session = self.session();
        session.workspace_checks.remove(&token);
        // From now on changes of any file matter.
        self.watch_folders(&mut session);
        drop(session);
        let sentence = tally.sentence();
        tracing::info!("workspace check: {sentence}");
        if !progress.end(&sentence) {
            self.say(&sentence);
        }
        tally
    }

    fn check_folder(
        &self,
        snapshot: &Snapshot,
        project: &Arc<Project>,
        progress: &Progress,
        cancel: &AtomicBool,
        tally: &mut Tally,
    ) -> Vec<PathBuf> {
        let walked = project.state.walk(&[], cancel);
        for skipped in &walked.skipped {
            tracing::info!("not checked: {}: {}", skipped.path, skipped.reason);
        }
        // A folder in the folder is checked by its own rules.
        let files: Vec<_> = walked
            .files
            .into_iter()
            .filter(|file| {
                snapshot
                    .project_of(&file.path)
                    .is_some_and(|innermost| Arc::ptr_eq(innermost, project))
            })
            .collect();
        let folder = crate::session::key_of_folder(&project.uri);
        if let Some(folder) = self.session().folder_mut(&folder) {
            folder.scanned = Some(Arc::new(
                files.iter().map(|file| file.rel.clone()).collect(),
            ));
        }
        let (done, checked, findings, skipped) = (
            AtomicUsize::new(0),
            AtomicUsize::new(0),
            AtomicUsize::new(0),
            AtomicUsize::new(walked.skipped.len()),
        );
        let total = files.len();
        let step = (total / 100).max(1);
        // First, so that each file is told once, with everything in it.
        self.search_across(&folder);
        // Not on the pool of the open documents: those go first.
        files.par_iter().for_each(|file| {
            if cancel.load(Ordering::Relaxed) {
                return;
            }
            let found = catch_unwind(AssertUnwindSafe(|| {
                let across = self
                    .session()
                    .folder_mut(&folder)
                    .and_then(|folder| folder.across.found_in(&file.rel));
                check_file(snapshot, project, &file.rel, across.as_deref(), cancel)
            }));
            let number = done.fetch_add(1, Ordering::Relaxed) + 1;
            if number.is_multiple_of(step) {
                let percentage = u32::try_from(number * 100 / total).unwrap_or(100);
                progress.report(&format!("{number} of {total} files"), percentage);
            }
            let diagnostics = match found {
                Ok(Ok(Some(diagnostics))) => diagnostics,
                Ok(Ok(None)) => return,
                Ok(Err(reason)) => {
                    if let Some(reason) = reason {
                        tracing::info!("not checked: {}: {reason}", file.rel);
                        skipped.fetch_add(1, Ordering::Relaxed);
                    }
                    return;
                }
                Err(_) => {
                    tracing::error!("the check of {} failed unexpectedly", file.rel);
                    skipped.fetch_add(1, Ordering::Relaxed);
                    return;
                }
            };
            checked.fetch_add(1, Ordering::Relaxed);
            findings.fetch_add(diagnostics.len(), Ordering::Relaxed);
            let Some(uri) = project.uri_of(&file.rel) else {
                return;
            };
            let found = self.findings(&uri, None, diagnostics);
            let mut session = self.session();
            let current = session
                .folders
                .iter()
                .find(|other| other.key == folder)
                .and_then(|folder| folder.project.as_ref())
                .is_some_and(|current| current.epoch == project.epoch);
            let closed = ClosedFile {
                uri,
                folder: folder.clone(),
                path: file.rel.clone(),
            };
            if current {
                self.publish_closed(&mut session, closed, &found);
            } else {
                self.check_closed(&mut session, closed);
            }
        });
        tally.files += checked.into_inner();
        tally.findings += findings.into_inner();
        tally.skipped += skipped.into_inner();
        walked.nested
    }

    /// A folder's project as soon as it is loaded. Blocks.
    fn wait_for_project(
        &self,
        key: &UriKey,
        cancel: &AtomicBool,
    ) -> Option<(Snapshot, Arc<Project>)> {
        while !cancel.load(Ordering::Relaxed) {
            let mut session = self.session();
            let folder = session.folder_mut(key)?;
            if let Some(project) = folder.project.clone() {
                return Some((session.snapshot(), project));
            }
            drop(session);
            std::thread::sleep(WAITING);
        }
        None
    }
}

/// What the guards say of a file on disk. `Ok(None)`: its language is not
/// known. `Err` says why it cannot be checked, or nothing when it was stopped.
fn check_file(
    snapshot: &Snapshot,
    project: &Project,
    path: &str,
    across: Option<&FoundIn>,
    cancel: &AtomicBool,
) -> Result<Option<Vec<Diagnostic>>, Option<String>> {
    let absolute = project.root.join(path);
    if Language::of_file(Path::new(path), "").is_none() {
        return Ok(None);
    }
    let text = read_text(&Disk, &absolute).map_err(|reason| Some(reason.to_string()))?;
    let Some(language) = Language::of_file(Path::new(path), &text.text) else {
        return Ok(None);
    };
    let text = Text::new(&text.text);
    let mut report: FileReport = project
        .state
        .check_text(
            &Target {
                path: Some(path),
                text: &text.text,
                language,
                previous: None,
            },
            cancel,
        )
        .map_err(|_| None)?;
    if let Some(across) = across {
        across.add_to(&mut report);
    }
    let Some(uri) = project.uri_of(path) else {
        return Ok(None);
    };
    let place = Place {
        snapshot,
        project,
        uri: &uri,
        version: None,
        text: &text,
    };
    Ok(Some(diagnostics::of_report(&report, &place)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tally_reads_as_a_sentence() {
        let tally = Tally {
            files: 12,
            findings: 1,
            skipped: 2,
            cancelled: true,
        };
        assert_eq!(
            tally.sentence(),
            "1 finding in 12 files; 2 files could not be checked (see the log); \
             stopped before the end"
        );
    }
}
