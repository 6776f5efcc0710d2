//! The one owner of everything that changes: documents, folders, settings, and
//! what was published last. It is locked only for short, synchronous changes.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use asd_syntax::Tree;
use asd_text::{DocumentEdit, Encoding};
use asd_workspace::delivery::Upkeep;
use tower_lsp_server::ls_types::Uri;

use crate::across::{Across, FoundIn};
use crate::document::OpenDocument;
use crate::project::{self, Project};
use crate::quarantine::Quarantine;
use crate::settings::{ClientFacts, Settings};
use crate::snapshot::{DocumentView, Parts, Snapshot};
use crate::uri::UriKey;

/// See the module.
pub(crate) struct Session {
    pub(crate) phase: Phase,
    pub(crate) encoding: Encoding,
    pub(crate) client: Arc<ClientFacts>,
    pub(crate) settings: Arc<Settings>,
    /// The settings that came with `initialize`.
    pub(crate) first_settings: Arc<Settings>,
    /// What was wrong with settings, each said once.
    pub(crate) complaints: BTreeSet<String>,
    pub(crate) documents: Arc<BTreeMap<UriKey, Arc<OpenDocument>>>,
    pub(crate) histories: BTreeMap<UriKey, History>,
    pub(crate) folders: Vec<Folder>,
    projects: Arc<[Arc<Project>]>,
    pub(crate) loose: Arc<Project>,
    /// What the client shows, for open and for closed files.
    pub(crate) published: BTreeMap<UriKey, Published>,
    /// Closed files whose findings are kept.
    pub(crate) closed: BTreeMap<UriKey, ClosedFile>,
    /// The last check of a closed file that was asked for; older ones are
    /// dropped.
    pub(crate) closed_checks: BTreeMap<UriKey, u64>,
    pub(crate) running: BTreeMap<UriKey, Running>,
    /// The status that the client was told last.
    pub(crate) status: Option<crate::status::Status>,
    /// Workspace checks under way, by their progress token.
    pub(crate) workspace_checks: BTreeMap<String, Arc<AtomicBool>>,
    /// Grows whenever another rule had to be stopped.
    pub(crate) quarantined: u64,
    serial: u64,
}

/// How far the conversation has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    /// `initialize` was not answered yet.
    New,
    /// It was answered; `initialized` has not come.
    Answered,
    /// The client works with us.
    Running,
    /// `shutdown` was answered.
    ShutDown,
}

/// A workspace folder.
pub(crate) struct Folder {
    pub(crate) uri: Uri,
    pub(crate) key: UriKey,
    pub(crate) root: PathBuf,
    pub(crate) real_root: PathBuf,
    /// The workspace folder that holds it, for a project in the project that
    /// the client did not name.
    pub(crate) outer: Option<UriKey>,
    /// `None` until it is loaded.
    pub(crate) project: Option<Arc<Project>>,
    pub(crate) pending: Pending,
    /// Whether a load runs, which takes up `pending` when it is done.
    pub(crate) loading: bool,
    /// The files of the last workspace check, by their relative paths; `None`
    /// before the first.
    pub(crate) scanned: Option<Arc<BTreeSet<String>>>,
    /// Files that came since and were not looked at yet.
    pub(crate) new_files: BTreeSet<String>,
    /// How many of its own files something is wrong with.
    pub(crate) problem_files: usize,
    /// Whether those are being looked for.
    pub(crate) sweep: Sweep,
    /// Its rules that had to be stopped.
    pub(crate) quarantine: Quarantine,
    /// What its files have to do with each other.
    pub(crate) across: Across,
    /// Brings changed knowledge into the files that agents read; made at the
    /// first change.
    pub(crate) upkeep: Option<Upkeep>,
}

/// What a folder's next state has to take account of.
#[derive(Debug, Default)]
pub(crate) struct Pending {
    /// Everything is read anew.
    pub(crate) all: bool,
    /// The client's settings changed.
    pub(crate) settings: bool,
    /// Project-relative files that changed on disk.
    pub(crate) files: BTreeSet<String>,
    /// Project-relative files whose open buffer changed, was opened or closed.
    pub(crate) overlays: BTreeSet<String>,
}

/// The search for problems in a folder's own files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sweep {
    Idle,
    Running,
    /// The state changed while it ran.
    Again,
}

impl Pending {
    pub(crate) fn is_empty(&self) -> bool {
        !self.all && !self.settings && self.files.is_empty() && self.overlays.is_empty()
    }
}

/// What decides whether a result is still current.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stamp {
    pub(crate) serial: u64,
    pub(crate) epoch: u64,
    /// For a recipe, how many rules had been stopped.
    pub(crate) quarantined: u64,
    /// For source code, the search across files whose findings are in it; for a
    /// recipe, the comparison with the code. 0 when there is none.
    pub(crate) across: u64,
}

/// What the client was told of a document last.
pub(crate) struct Published {
    pub(crate) uri: Uri,
    /// `None` for a closed file.
    pub(crate) stamp: Option<Stamp>,
    /// Of the whole notification.
    pub(crate) digest: u64,
    /// Whether nothing was found.
    pub(crate) empty: bool,
}

/// A closed file whose findings stay in the list of problems.
#[derive(Clone, Debug)]
pub(crate) struct ClosedFile {
    pub(crate) uri: Uri,
    pub(crate) folder: UriKey,
    /// Project-relative path with `/`.
    pub(crate) path: String,
}

/// A check under way.
pub(crate) struct Running {
    pub(crate) cancel: Arc<AtomicBool>,
    pub(crate) again: bool,
}

/// The last tree of a document and the edits that it was not told of.
#[derive(Default)]
pub(crate) struct History {
    tree: Option<(u64, Tree)>,
    edits: Vec<(u64, DocumentEdit)>,
    /// Trees of versions before this one are of no use any more.
    floor: u64,
}

/// With more edits than this a fresh parse costs less than keeping them.
const MOST_EDITS: usize = 4_096;

impl History {
    /// Notes one change of the version with that serial; `None` for a new text.
    pub(crate) fn note(&mut self, serial: u64, edit: Option<DocumentEdit>) {
        match edit {
            Some(edit) if self.edits.len() < MOST_EDITS => self.edits.push((serial, edit)),
            _ => {
                self.tree = None;
                self.edits.clear();
                self.floor = serial;
            }
        }
    }

    /// The last tree, told of every edit up to now.
    pub(crate) fn tree(&self) -> Option<Tree> {
        let (_, tree) = self.tree.as_ref()?;
        let mut tree = tree.clone();
        for (_, edit) in &self.edits {
            asd_syntax::edit_tree(&mut tree, edit);
        }
        Some(tree)
    }

    /// Takes over the tree of a version.
    pub(crate) fn adopt(&mut self, serial: u64, tree: Tree) {
        let newest = self.tree.as_ref().map_or(0, |(serial, _)| *serial);
        if serial < self.floor || serial < newest {
            return;
        }
        self.edits.retain(|(of, _)| *of > serial);
        self.tree = Some((serial, tree));
    }
}

impl Session {
    pub(crate) fn new(loose: Arc<Project>) -> Self {
        Self {
            phase: Phase::New,
            encoding: Encoding::Utf16,
            client: Arc::default(),
            settings: Arc::default(),
            first_settings: Arc::default(),
            complaints: BTreeSet::new(),
            documents: Arc::default(),
            histories: BTreeMap::new(),
            folders: Vec::new(),
            projects: Arc::new([]),
            loose,
            published: BTreeMap::new(),
            closed: BTreeMap::new(),
            closed_checks: BTreeMap::new(),
            running: BTreeMap::new(),
            status: None,
            workspace_checks: BTreeMap::new(),
            quarantined: 0,
            serial: 0,
        }
    }

    /// Tells the person of something wrong with the settings, once. What comes
    /// before the client may be spoken to is said then.
    pub(crate) fn complain(&mut self, complaint: String) {
        if self.phase == Phase::Running && !self.complaints.contains(&complaint) {
            tracing::warn!("{complaint}");
        }
        self.complaints.insert(complaint);
    }

    /// A number that was never given before.
    pub(crate) fn next_serial(&mut self) -> u64 {
        self.serial += 1;
        self.serial
    }

    /// Everything at this moment, for a request.
    pub(crate) fn snapshot(&self) -> Snapshot {
        Snapshot(Arc::new(Parts {
            encoding: self.encoding,
            client: self.client.clone(),
            settings: self.settings.clone(),
            documents: self.documents.clone(),
            projects: self.projects.clone(),
            first: self
                .folders
                .first()
                .and_then(|folder| folder.project.clone()),
            loose: self.loose.clone(),
        }))
    }

    /// The innermost folder that holds a path, loaded or not, and the path
    /// relative to it.
    pub(crate) fn folder_of(&self, path: &Path) -> Option<(&Folder, String)> {
        self.folders
            .iter()
            .filter_map(|folder| Some((folder, folder.relative(path)?)))
            .max_by_key(|(folder, _)| folder.depth())
    }

    /// The folder whose rules apply to a document: the innermost one that holds
    /// it, for an unsaved one the first.
    pub(crate) fn home_of(&self, document: &OpenDocument) -> Option<&Folder> {
        match &document.path {
            Some(path) => self.folder_of(path).map(|(folder, _)| folder),
            None => self.folders.first(),
        }
    }

    /// The folders that a file is part of the knowledge of, each with the name
    /// that it has there.
    pub(crate) fn knowledge_at(&self, path: Option<&Path>) -> Vec<(UriKey, String)> {
        let Some(path) = path else {
            return Vec::new();
        };
        let mut places = self.outer_knowledge_at(path);
        if let Some((folder, relative)) = self.folder_of(path)
            && project::is_knowledge(&relative)
        {
            places.push((folder.key.clone(), relative));
        }
        places
    }

    /// The same for folders whose settings name the folder of recipes that
    /// holds the file.
    pub(crate) fn outer_knowledge_at(&self, path: &Path) -> Vec<(UriKey, String)> {
        self.folders
            .iter()
            .filter(|folder| folder.relative(path).is_none())
            .filter_map(|folder| {
                let project = folder.project.as_ref()?;
                let name = project.relative(path)?;
                Some((folder.key.clone(), name))
            })
            .collect()
    }

    /// The folder of that key.
    pub(crate) fn folder_mut(&mut self, key: &UriKey) -> Option<&mut Folder> {
        self.folders.iter_mut().find(|folder| folder.key == *key)
    }

    /// Must be called whenever a folder or its project was exchanged.
    pub(crate) fn projects_changed(&mut self) {
        let mut loaded: Vec<_> = self
            .folders
            .iter()
            .filter_map(|folder| Some((folder.depth(), folder.project.clone()?)))
            .collect();
        loaded.sort_by_key(|(depth, _)| std::cmp::Reverse(*depth));
        self.projects = loaded.into_iter().map(|(_, project)| project).collect();
    }

    /// The stamp that a result for this document has to carry. The problems of
    /// a recipe depend on every other one, its findings on the rules alone.
    pub(crate) fn stamp(&self, view: &DocumentView) -> Stamp {
        let knowledge = view.path.as_deref().is_some_and(project::is_knowledge);
        Stamp {
            serial: view.document.serial,
            epoch: if knowledge {
                view.project.serial
            } else {
                view.project.epoch
            },
            quarantined: if knowledge { self.quarantined } else { 0 },
            across: if knowledge {
                view.project.drift.serial()
            } else {
                self.found_across(view).map_or(0, |found| found.serial)
            },
        }
    }

    /// What rules that look at several files found in a document.
    pub(crate) fn found_across(&self, view: &DocumentView) -> Option<Arc<FoundIn>> {
        let path = view.path.as_deref()?;
        let key = key_of_folder(&view.project.uri);
        let folder = self.folders.iter().find(|folder| folder.key == key)?;
        folder.across.found_in(path)
    }

    /// Whether a file of a folder is open in the editor.
    pub(crate) fn is_open(&self, folder: &Folder, relative: &str) -> bool {
        self.open_document(folder, relative).is_some()
    }

    /// The open document of a file of a folder.
    pub(crate) fn open_document(
        &self,
        folder: &Folder,
        relative: &str,
    ) -> Option<&Arc<OpenDocument>> {
        self.documents.values().find(|document| {
            document
                .path
                .as_deref()
                .and_then(|path| folder.relative(path))
                .is_some_and(|path| path == relative)
        })
    }
}

impl Folder {
    /// A folder that is not loaded yet.
    pub(crate) fn new(uri: Uri) -> Option<Self> {
        let root = crate::uri::to_path(&uri)?;
        let real_root = std::fs::canonicalize(&root).unwrap_or_else(|_| root.clone());
        Some(Self {
            key: key_of_folder(&uri),
            uri,
            root,
            real_root,
            outer: None,
            project: None,
            pending: Pending {
                all: true,
                ..Pending::default()
            },
            loading: false,
            scanned: None,
            new_files: BTreeSet::new(),
            problem_files: 0,
            sweep: Sweep::Idle,
            quarantine: Quarantine::default(),
            across: Across::default(),
            upkeep: None,
        })
    }

    /// The path relative to the folder, with `/`; links in the folder's own
    /// path may be resolved or not.
    pub(crate) fn relative(&self, path: &Path) -> Option<String> {
        project::relative(&self.root, &self.real_root, path)
    }

    /// The innermost folder between this one and a file that holds recipes of
    /// its own, relative to this one. Asks the disk.
    pub(crate) fn nested_project(&self, path: &Path) -> Option<String> {
        let relative = self.relative(path)?;
        let mut folder = relative.as_str();
        while let Some((parent, _)) = folder.rsplit_once('/') {
            if project::is_knowledge(&format!("{folder}/")) {
                return None;
            }
            if asd_store::Project::at(&self.root.join(parent)).has_knowledge() {
                return Some(parent.to_owned());
            }
            folder = parent;
        }
        None
    }

    fn depth(&self) -> usize {
        self.real_root.components().count()
    }
}

/// The key of a folder, with or without a slash at its end.
pub(crate) fn key_of_folder(uri: &Uri) -> UriKey {
    UriKey::of(uri.as_str().trim_end_matches('/'))
}

#[cfg(test)]
mod tests {
    use asd_syntax::Language;
    use asd_text::{Change, Document, Position, PositionRange};

    use super::*;

    fn insert(document: &mut Document, column: u32, text: &str) -> Option<DocumentEdit> {
        let at = Position::new(0, column);
        let change = Change {
            range: Some(PositionRange { start: at, end: at }),
            text: text.to_owned(),
        };
        document.apply(&change, Encoding::Utf16)
    }

    fn parsed(document: &Document, old: Option<&Tree>) -> Tree {
        asd_syntax::parse(Language::TypeScript, &document.snapshot().text, old).unwrap()
    }

    /// A tree that is finished late is told of the edits that came meanwhile.
    #[test]
    fn a_tree_is_brought_up_to_the_newest_version() {
        let mut document = Document::new("let a = 1;");
        let mut history = History::default();
        let first = parsed(&document, None);
        history.note(1, None);
        let edit = insert(&mut document, 8, "f(");
        history.note(2, edit);
        let edit = insert(&mut document, 11, ")");
        history.note(3, edit);
        assert!(history.tree().is_none());
        history.adopt(1, first);
        let incremental = parsed(&document, history.tree().as_ref());
        let fresh = parsed(&document, None);
        assert_eq!(
            incremental.root_node().to_sexp(),
            fresh.root_node().to_sexp()
        );
        history.adopt(3, fresh.clone());
        assert!(history.edits.is_empty());
        // One of an older version comes too late.
        history.adopt(2, parsed(&Document::new("x"), None));
        assert_eq!(
            history.tree().unwrap().root_node().to_sexp(),
            fresh.root_node().to_sexp()
        );
    }

    #[test]
    fn a_new_text_makes_older_trees_useless() {
        let mut history = History::default();
        history.note(1, None);
        history.note(2, None);
        history.adopt(1, parsed(&Document::new("let a"), None));
        assert!(history.tree().is_none());
        history.adopt(2, parsed(&Document::new("let b"), None));
        assert!(history.tree().is_some());
    }

    #[test]
    fn endless_edits_do_not_pile_up() {
        let mut document = Document::new("");
        let mut history = History::default();
        for serial in 1..20_000 {
            let edit = insert(&mut document, 0, "a");
            history.note(serial, edit);
        }
        assert!(history.edits.len() <= MOST_EDITS);
    }
}
