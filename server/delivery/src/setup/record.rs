//! What setup made that was not there before: `.asd/setup.json`, so that it can
//! be undone.

use std::collections::BTreeSet;

use asd_store::{Disk, Project, read_text_up_to, write_atomic};
use serde::{Deserialize, Serialize};

const PATH: &str = ".asd/setup.json";
const MAX_RECORD: u64 = 1024 * 1024;

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct SetupRecord {
    /// Files that did not exist before, project-relative.
    pub created: BTreeSet<String>,
    /// Folders that did not exist before.
    pub folders: BTreeSet<String>,
}

impl SetupRecord {
    pub(crate) fn read(project: &Project) -> Self {
        read_text_up_to(&Disk, &project.root().join(PATH), MAX_RECORD)
            .ok()
            .and_then(|decoded| serde_json::from_str(&decoded.text).ok())
            .unwrap_or_default()
    }

    pub(crate) fn save(&self, project: &Project) {
        if *self == Self::read(project) {
            return;
        }
        let Ok(text) = serde_json::to_string_pretty(self) else {
            return;
        };
        if let Err(error) = write_atomic(project, PATH, format!("{text}\n").as_bytes()) {
            tracing::warn!(%error, "cannot remember what was set up");
        }
    }

    pub(crate) fn delete(project: &Project) {
        if let Ok(path) = project.absolute(PATH) {
            let _ = std::fs::remove_file(path);
        }
    }
}
