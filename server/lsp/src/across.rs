//! Rules that look at several files, while they are being written.
//! (editor.md §2)
//!
//! A folder keeps what these rules have to know of each of its files. The check
//! of a document gives the newest of it; when nothing has changed for a moment,
//! or a document is saved, the rules are decided on all of it, and the documents
//! are checked again where something else is found. Until then a finding stays
//! with the code that it is about, or goes when that code is another.

use std::collections::{BTreeMap, BTreeSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use asd_guard::{At, CrossFileReport, FileFacts, FileReport, Finding, Related};
use asd_syntax::Language;
use rayon::prelude::*;

use crate::project::{Project, is_knowledge};
use crate::server::Server;
use crate::session::{ClosedFile, Session};
use crate::snapshot::Snapshot;
use crate::uri::UriKey;

/// How long nothing must have changed. (editor.md §2)
const IDLE: Duration = Duration::from_millis(300);

/// What is known of a folder's files, and what was found in several of them.
#[derive(Default)]
pub(crate) struct Across {
    /// By path; `None` before a file had to do with another.
    facts: Option<Arc<BTreeMap<Arc<str>, Arc<FileFacts>>>>,
    /// What the rules wanted to know when the facts were gathered.
    wanted: u64,
    /// When the facts were last changed, while somebody waits for quiet.
    changed: Option<Instant>,
    /// Whether all files are being looked at, which no change of one stops.
    gathering: bool,
    /// Stops the search that runs.
    running: Option<Arc<AtomicBool>>,
    /// By path.
    found: BTreeMap<Arc<str>, Arc<FoundIn>>,
}

/// What rules that look at several files found in one of them.
#[derive(Debug)]
pub(crate) struct FoundIn {
    /// Unique to each search that found something else.
    pub(crate) serial: u64,
    /// What the file was known to hold.
    facts: Arc<FileFacts>,
    findings: Vec<Finding>,
    /// Suppression comments that were of use.
    used: BTreeSet<At>,
    /// Findings of the file alone that other files take back.
    taken_back: BTreeSet<At>,
}

impl Across {
    /// What was found in a file.
    pub(crate) fn found_in(&self, path: &str) -> Option<Arc<FoundIn>> {
        self.found.get(path).cloned()
    }

    /// Whether files of the folder have to do with each other.
    pub(crate) fn is_in_use(&self) -> bool {
        self.facts.is_some()
    }

    /// Takes in what a file holds now, or that it is gone; says whether anything
    /// is other than before.
    fn learn(&mut self, path: &str, facts: Option<Arc<FileFacts>>) -> bool {
        let Some(known) = &mut self.facts else {
            return facts.is_some_and(|facts| !facts.is_alone());
        };
        if known.get(path) == facts.as_ref() {
            return false;
        }
        let known = Arc::make_mut(known);
        match facts {
            Some(facts) => known.insert(path.into(), facts),
            None => known.remove(path),
        };
        true
    }
}

impl FoundIn {
    /// Adds to the report of a file what concerns it beside others.
    pub(crate) fn add_to(&self, report: &mut FileReport) {
        let Some(facts) = &report.facts else { return };
        let place = |at: At| match *facts == self.facts {
            true => Some(at),
            false => self.facts.follow(at, facts),
        };
        let taken_back: Vec<At> = self.taken_back.iter().filter_map(|at| place(*at)).collect();
        report.findings.retain(|finding| {
            !CrossFileReport::may_take_back(finding) || !taken_back.contains(&finding.span.into())
        });
        for finding in &self.findings {
            if let Some(at) = place(finding.span.into()) {
                report.findings.push(Finding {
                    span: at.into(),
                    ..finding.clone()
                });
            }
        }
        report
            .findings
            .sort_by(|a, b| (a.span, &a.rule.id).cmp(&(b.span, &b.rule.id)));
        let used: Vec<At> = self.used.iter().filter_map(|at| place(*at)).collect();
        for suppression in &mut report.suppressions {
            suppression.used |= used.contains(&suppression.span.into());
        }
    }

    fn says_the_same(&self, other: &Self) -> bool {
        self.findings == other.findings
            && self.used == other.used
            && self.taken_back == other.taken_back
    }
}

impl Server {
    /// Takes in what a file of a folder holds now.
    pub(crate) fn note_facts(
        &self,
        session: &mut Session,
        folder: &UriKey,
        path: &str,
        facts: Option<Arc<FileFacts>>,
    ) {
        let Some(found) = session.folder_mut(folder) else {
            return;
        };
        if found.across.learn(path, facts) {
            self.search_when_idle(session, folder);
        }
    }

    /// Reads again what a file on disk holds, where that matters.
    pub(crate) fn reread_facts(&self, session: &mut Session, folder: &UriKey, path: &str) {
        let Some(found) = session.folder_mut(folder) else {
            return;
        };
        if !found.across.is_in_use() || is_knowledge(path) {
            return;
        }
        let Some(project) = found.project.clone() else {
            return;
        };
        let (server, folder, path) = (self.clone(), folder.clone(), path.to_owned());
        self.runtime().spawn_blocking(move || {
            let facts = project.state.facts_at(&path).map(Arc::new);
            let mut session = server.session();
            let is_open = session
                .folders
                .iter()
                .any(|known| known.key == folder && session.is_open(known, &path));
            if !is_open {
                server.note_facts(&mut session, &folder, &path, facts);
            }
        });
    }

    /// Forgets a file, and all below it when it is a folder.
    pub(crate) fn forget_facts(&self, session: &mut Session, folder: &UriKey, path: &str) {
        let Some(found) = session.folder_mut(folder) else {
            return;
        };
        let Some(known) = &found.across.facts else {
            return;
        };
        let below = format!("{path}/");
        let gone: Vec<Arc<str>> = known
            .keys()
            .filter(|known| &***known == path || known.starts_with(&below))
            .cloned()
            .collect();
        for path in gone {
            self.note_facts(session, folder, &path, None);
        }
    }

    /// Has the rules decided again after the rules themselves have changed.
    pub(crate) fn rules_across_changed(&self, session: &mut Session, folder: &UriKey) {
        let Some(found) = session.folder_mut(folder) else {
            return;
        };
        if found.across.is_in_use() {
            self.search_when_idle(session, folder);
        }
    }

    /// A save is as good as a moment of quiet.
    pub(crate) fn search_now(&self, session: &mut Session, folder: &UriKey) {
        let Some(found) = session.folder_mut(folder) else {
            return;
        };
        if found.across.changed.take().is_some() {
            let (server, folder) = (self.clone(), folder.clone());
            self.runtime()
                .spawn_blocking(move || server.search_across(&folder));
        }
    }

    fn search_when_idle(&self, session: &mut Session, folder: &UriKey) {
        let Some(found) = session.folder_mut(folder) else {
            return;
        };
        // What is being searched is no longer what there is.
        if let Some(running) = &found.across.running
            && !found.across.gathering
        {
            running.store(true, Ordering::Relaxed);
        }
        if found.across.changed.replace(Instant::now()).is_some() {
            return;
        }
        let (server, folder) = (self.clone(), folder.clone());
        self.runtime().spawn(async move {
            loop {
                let quiet = {
                    let mut session = server.session();
                    let across = session.folder_mut(&folder).map(|folder| &folder.across);
                    // Somebody saved in the meantime, or the folder is gone.
                    let Some((across, changed)) =
                        across.and_then(|across| Some((across, across.changed?)))
                    else {
                        return;
                    };
                    match across.gathering {
                        true => Duration::ZERO,
                        false => changed.elapsed(),
                    }
                };
                if quiet >= IDLE {
                    break;
                }
                tokio::time::sleep(IDLE - quiet).await;
            }
            let blocking = server.clone();
            server.runtime().spawn_blocking(move || {
                if let Some(found) = blocking.session().folder_mut(&folder) {
                    found.across.changed = None;
                }
                blocking.search_across(&folder);
            });
        });
    }

    /// Decides the rules on all files of a folder, and has every document
    /// checked again in which something else is found. Blocks.
    pub(crate) fn search_across(&self, folder: &UriKey) {
        let cancel: Arc<AtomicBool> = Arc::default();
        let (snapshot, project, known) = {
            let mut session = self.session();
            let snapshot = session.snapshot();
            let Some(found) = session.folder_mut(folder) else {
                return;
            };
            let Some(project) = found.project.clone() else {
                return;
            };
            if found.across.gathering {
                // It is waited for; what changes meanwhile is looked at then.
                self.search_when_idle(&mut session, folder);
                return;
            }
            if let Some(before) = found.across.running.replace(cancel.clone()) {
                before.store(true, Ordering::Relaxed);
            }
            let wanted = project.state.rules().facts_wanted();
            if wanted != found.across.wanted {
                found.across.facts = None;
                found.across.wanted = wanted;
            }
            found.across.gathering = found.across.facts.is_none();
            (snapshot, project, found.across.facts.clone())
        };
        let result = catch_unwind(AssertUnwindSafe(|| {
            let known = match known {
                Some(known) => known,
                None => self.gather(folder, &snapshot, &project, &cancel)?,
            };
            let files: Vec<_> = known
                .iter()
                .map(|(path, facts)| (path.clone(), facts.clone()))
                .collect();
            let report = project
                .state
                .rules()
                .check_across_files(&files, &cancel)
                .ok()?;
            Some(by_file(&snapshot, &project, &known, report))
        }));
        if let Some(folder) = self.session().folder_mut(folder) {
            folder.across.gathering = false;
        }
        let found = match result {
            Ok(Some(found)) => found,
            Ok(None) => return,
            Err(_) => {
                tracing::error!("the search across files failed unexpectedly");
                return;
            }
        };
        let mut session = self.session();
        if cancel.load(Ordering::Relaxed) {
            return;
        }
        self.take_found(&mut session, folder, found);
    }

    /// Looks at all files of a folder for the first time.
    fn gather(
        &self,
        folder: &UriKey,
        snapshot: &Snapshot,
        project: &Arc<Project>,
        cancel: &AtomicBool,
    ) -> Option<Arc<BTreeMap<Arc<str>, Arc<FileFacts>>>> {
        let rules = project.state.rules();
        let files = project.state.walk(&[], cancel).files;
        let gathered: BTreeMap<Arc<str>, Arc<FileFacts>> = files
            .par_iter()
            .filter(|_| !cancel.load(Ordering::Relaxed))
            .filter(|file| !is_knowledge(&file.rel))
            .filter_map(|file| {
                let language = Language::of_file(&file.path, "")?;
                if !rules.wants_facts(&file.rel, language) {
                    return None;
                }
                let facts = match snapshot.document_at(project, &file.rel) {
                    Some(view) => {
                        let language = view.language()?;
                        FileFacts::of(&file.rel, &view.text().text, language, None)
                    }
                    None => project.state.facts_at(&file.rel),
                };
                Some((file.rel.as_str().into(), Arc::new(facts?)))
            })
            .collect();
        if cancel.load(Ordering::Relaxed) {
            return None;
        }
        let gathered = Arc::new(gathered);
        let mut session = self.session();
        session.folder_mut(folder)?.across.facts = Some(gathered.clone());
        // A document may have changed while the files were read.
        let newer: Vec<_> = session
            .snapshot()
            .documents()
            .filter(|view| Arc::ptr_eq(&view.project, project))
            .filter_map(|view| {
                let before = snapshot.document(view.uri());
                let is_newer = before.is_none_or(|b| b.document.serial != view.document.serial);
                let report = view.document.report(project.epoch)?;
                is_newer.then_some((view.path?, report.facts.clone()?))
            })
            .collect();
        for (path, facts) in newer {
            self.note_facts(&mut session, folder, &path, Some(facts));
        }
        // From now on changes of other files matter.
        self.watch_folders(&mut session);
        Some(gathered)
    }

    fn take_found(
        &self,
        session: &mut Session,
        key: &UriKey,
        mut found: BTreeMap<Arc<str>, FoundIn>,
    ) {
        let serial = session.next_serial();
        let Some(folder) = session.folder_mut(key) else {
            return;
        };
        folder.across.running = None;
        let before = std::mem::take(&mut folder.across.found);
        let mut touched: BTreeSet<Arc<str>> = before.keys().cloned().collect();
        touched.extend(found.keys().cloned());
        let mut changed = Vec::new();
        for path in touched {
            match (before.get(&path), found.remove(&path)) {
                (Some(old), Some(new)) if old.says_the_same(&new) && old.facts == new.facts => {
                    folder.across.found.insert(path, old.clone());
                }
                (_, Some(new)) => {
                    folder
                        .across
                        .found
                        .insert(path.clone(), Arc::new(FoundIn { serial, ..new }));
                    changed.push(path);
                }
                (_, None) => changed.push(path),
            }
        }
        let Some(folder) = session.folders.iter().find(|folder| folder.key == *key) else {
            return;
        };
        let scanned = folder.scanned.clone();
        let mut open = Vec::new();
        let mut closed = Vec::new();
        for path in changed {
            if let Some(document) = session.open_document(folder, &path) {
                open.push(document.key.clone());
            } else if scanned.as_ref().is_some_and(|all| all.contains(&*path))
                && let Some(uri) = folder
                    .project
                    .as_ref()
                    .and_then(|project| project.uri_of(&path))
            {
                closed.push(ClosedFile {
                    uri,
                    folder: key.clone(),
                    path: path.to_string(),
                });
            }
        }
        for document in open {
            self.schedule_check(session, &document);
        }
        for file in closed {
            self.check_closed(session, file);
        }
    }
}

/// What was found, file by file: each place is a finding, and the other places
/// belong to it.
fn by_file(
    snapshot: &Snapshot,
    project: &Project,
    known: &BTreeMap<Arc<str>, Arc<FileFacts>>,
    report: CrossFileReport,
) -> BTreeMap<Arc<str>, FoundIn> {
    let mut found: BTreeMap<Arc<str>, FoundIn> = BTreeMap::new();
    let mut of = |path: &Arc<str>, add: &mut dyn FnMut(&mut FoundIn)| {
        let Some(facts) = known.get(path) else { return };
        add(found.entry(path.clone()).or_insert_with(|| FoundIn {
            serial: 0,
            facts: facts.clone(),
            findings: Vec::new(),
            used: BTreeSet::new(),
            taken_back: BTreeSet::new(),
        }));
    };
    let mut texts: BTreeMap<Arc<str>, Option<Arc<str>>> = BTreeMap::new();
    for finding in report.findings {
        let of_places: Option<Vec<Arc<str>>> = finding
            .places
            .iter()
            .map(|place| {
                let text = texts
                    .entry(place.path.clone())
                    .or_insert_with(|| Some(snapshot.text_of(project, &place.path)?.text));
                let text = text.clone()?;
                text.get(place.span.start..place.span.end)?;
                Some(text)
            })
            .collect();
        // A file that changed meanwhile leads to another search.
        let Some(of_places) = of_places else { continue };
        if !project.state.stands(&finding, &of_places) {
            continue;
        }
        for (index, place) in finding.places.iter().enumerate() {
            let others = finding.places.iter().enumerate();
            let related: Vec<Related> = others
                .filter(|(other, _)| *other != index)
                .map(|(_, other)| Related {
                    path: (other.path != place.path).then(|| other.path.to_string()),
                    span: other.span,
                    message: other.message.clone(),
                })
                .collect();
            of(&place.path, &mut |in_file| {
                in_file.findings.push(Finding {
                    rule: finding.rule.clone(),
                    span: place.span,
                    severity: finding.severity,
                    message: finding.message.clone(),
                    fix: None,
                    related: related.clone(),
                    fingerprint: finding.fingerprint,
                });
            });
        }
    }
    for (path, span) in report.taken_back {
        of(&path, &mut |in_file| {
            in_file.taken_back.insert(span.into());
        });
    }
    for (path, at) in report.used_suppressions {
        of(&path, &mut |in_file| {
            in_file.used.insert(at);
        });
    }
    found
}
