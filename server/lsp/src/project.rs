//! A workspace folder with the state that was loaded for it.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use asd_guard::RuleSet;
use asd_recipe::{Problem, Recipe};
use tower_lsp_server::ls_types::Uri;

use crate::uri;

/// Replaced by `asd_workspace::ProjectState`.
#[derive(Default)]
pub struct ProjectState {
    rules: RuleSet,
}

impl ProjectState {
    /// The compiled rules.
    pub fn rules(&self) -> &RuleSet {
        &self.rules
    }

    /// All recipes with their project-relative paths.
    pub fn recipes(&self) -> &[(Arc<str>, Arc<Recipe>)] {
        &[]
    }

    /// A recipe by its trigger.
    pub fn recipe_by_trigger(&self, _trigger: &str) -> Option<&(Arc<str>, Arc<Recipe>)> {
        None
    }

    /// What is wrong with a recipe or configuration file.
    pub fn problems_of(&self, _path: &str) -> Vec<Problem> {
        Vec::new()
    }
}

/// One workspace folder at one moment. Immutable.
pub struct Project {
    /// The folder as the client spells it.
    pub uri: Uri,
    /// The same as a path.
    pub root: PathBuf,
    /// The folder with links resolved; events of the disk name files below it.
    pub real_root: PathBuf,
    /// Its configuration, recipes and rules.
    pub state: Arc<ProjectState>,
    /// Grows whenever another state takes effect in any folder; equal epochs
    /// mean equal rules.
    pub epoch: u64,
}

impl Project {
    /// The URI of a project-relative path (with `/`), in the spelling of the
    /// folder. Use [`crate::snapshot::Snapshot::uri_of`] where the document may
    /// be open under another spelling.
    #[must_use]
    pub fn uri_of(&self, relative: &str) -> Option<Uri> {
        uri::below(&self.uri, relative)
    }

    /// The path of a file relative to the folder, with `/`.
    #[must_use]
    pub fn relative(&self, path: &Path) -> Option<String> {
        uri::relative(&self.root, path).or_else(|| uri::relative(&self.real_root, path))
    }
}
