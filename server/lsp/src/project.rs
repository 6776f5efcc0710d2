//! A workspace folder with the state that was loaded for it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::{Arc, Mutex};

use asd_workspace::ProjectState;
use tower_lsp_server::ls_types::{DiagnosticRelatedInformation, Uri};

use crate::drift::DriftBoard;
use crate::uri;

/// One workspace folder at one moment. Immutable.
///
/// Its files are named by their project-relative path with `/`; recipes outside
/// of it, which its settings name, by their absolute path.
pub struct Project {
    /// The folder as the client spells it.
    pub uri: Uri,
    /// The same as a path.
    pub root: PathBuf,
    /// The folder with links resolved; events of the disk name files below it.
    pub real_root: PathBuf,
    /// Its configuration, recipes and rules.
    pub state: ProjectState,
    /// Grows whenever other rules or settings take effect in any folder; equal
    /// epochs mean equal findings.
    pub epoch: u64,
    /// Unique to each state of each folder.
    pub serial: u64,
    /// The versions of the open documents that are part of the state, by path.
    pub overlays: BTreeMap<String, u64>,
    /// What was found of its recipes beside its code.
    pub(crate) drift: Arc<DriftBoard>,
    /// What a finding of a rule says beside its own place, by rule.
    pub(crate) notes: Mutex<BTreeMap<String, Arc<RuleNote>>>,
}

/// What a diagnostic says of its rule, the same at every place.
#[derive(Debug, Default)]
pub(crate) struct RuleNote {
    /// The lines of the message below the first.
    pub(crate) guide: String,
    /// The recipe's guard, and where its code was seen.
    pub(crate) related: Vec<DiagnosticRelatedInformation>,
    /// The recipe file.
    pub(crate) href: Option<Uri>,
}

/// Whether a project-relative path is one of the files that make up the
/// project's knowledge. Guards do not check those.
#[must_use]
pub fn is_knowledge(path: &str) -> bool {
    path.starts_with("Alembic/") || path.starts_with(".asd/") || is_absolute(path)
}

fn is_absolute(path: &str) -> bool {
    Path::new(path).is_absolute()
}

impl Project {
    /// The built-in rules alone, for documents outside of all folders.
    #[must_use]
    pub fn built_in() -> Self {
        // Nothing is ever found below this.
        let nowhere = PathBuf::new();
        Self {
            uri: Uri::from_str("asd:none").expect("a valid URI"),
            state: ProjectState::built_in(&nowhere),
            root: nowhere.clone(),
            real_root: nowhere,
            epoch: 0,
            serial: 0,
            overlays: BTreeMap::new(),
            drift: Arc::default(),
            notes: Mutex::default(),
        }
    }

    /// The URI of one of the project's files, in the spelling of the folder.
    /// Use [`crate::snapshot::Snapshot::uri_of`] where the document may be open
    /// under another spelling.
    #[must_use]
    pub fn uri_of(&self, path: &str) -> Option<Uri> {
        if is_absolute(path) {
            return uri::from_path(Path::new(path));
        }
        uri::below(&self.uri, path)
    }

    /// How the project names a file; `None` when it is none of its files.
    #[must_use]
    pub fn relative(&self, path: &Path) -> Option<String> {
        if self.root.as_os_str().is_empty() {
            return None;
        }
        relative(&self.root, &self.real_root, path)
            .or_else(|| outer_recipe(self.state.extra_recipe_folders(), path))
    }

    /// Whether a file lies in the folder itself.
    pub(crate) fn holds(&self, path: &Path) -> bool {
        !self.root.as_os_str().is_empty() && relative(&self.root, &self.real_root, path).is_some()
    }
}

/// The path relative to a folder, with `/`, whether links in the folder's own
/// path are resolved or not.
pub(crate) fn relative(root: &Path, real_root: &Path, path: &Path) -> Option<String> {
    uri::relative(root, path).or_else(|| uri::relative(real_root, path))
}

/// The name of a recipe that lies outside of the project.
pub(crate) fn outer_recipe(folders: &[PathBuf], path: &Path) -> Option<String> {
    folders
        .iter()
        .any(|folder| path.starts_with(folder))
        .then(|| path.to_str().map(|path| path.replace('\\', "/")))
        .flatten()
}
