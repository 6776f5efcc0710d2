//! What this machine remembers of its deliveries: `.asd/delivery.json`. It only
//! helps to undo and to repair; no delivered byte depends on it.

use std::collections::{BTreeMap, BTreeSet};

use asd_store::{Disk, Project, read_text_up_to, write_atomic};
use serde::{Deserialize, Serialize};

use crate::protect::{KnownBodies, body_hash};

const PATH: &str = ".asd/delivery.json";
/// A larger record is not ours.
const MAX_RECORD: u64 = 4 * 1024 * 1024;
/// So many bodies of one section are known again.
const MOST_BODIES: usize = 50;

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Record {
    schema_version: u32,
    /// By project-relative path of the file.
    sections: BTreeMap<String, SectionRecord>,
    /// Folders that did not exist before we wrote into them.
    folders: BTreeSet<String>,
    /// As it is on disk.
    #[serde(skip)]
    saved: Option<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct SectionRecord {
    /// Whether the file did not exist before.
    created: bool,
    /// What was put between the text of the file and the section.
    #[serde(skip_serializing_if = "Option::is_none")]
    separator: Option<String>,
    /// Hashes of the bodies, the newest last.
    bodies: Vec<String>,
}

impl Record {
    /// Reads the record; one that cannot be read is as good as none.
    pub(crate) fn read(project: &Project) -> Self {
        let Ok(decoded) = read_text_up_to(&Disk, &project.root().join(PATH), MAX_RECORD) else {
            return Self::default();
        };
        let mut record: Self = serde_json::from_str(&decoded.text).unwrap_or_default();
        record.saved = Some(decoded.text);
        record
    }

    /// Writes the record when it differs from what is on disk.
    pub(crate) fn save(&mut self, project: &Project) {
        self.schema_version = 1;
        let text = match serde_json::to_string_pretty(self) {
            Ok(text) => text + "\n",
            Err(error) => {
                tracing::warn!(%error, "cannot write what was delivered");
                return;
            }
        };
        if self.saved.as_deref() == Some(&text) {
            return;
        }
        match write_atomic(project, PATH, text.as_bytes()) {
            Ok(_) => self.saved = Some(text),
            // Nothing but undoing depends on it.
            Err(error) => tracing::warn!(%error, "cannot remember what was delivered"),
        }
    }

    /// Forgets everything.
    pub(crate) fn delete(project: &Project) {
        if let Ok(path) = project.absolute(PATH) {
            let _ = std::fs::remove_file(path);
        }
    }

    pub(crate) fn known_bodies(&self, path: &str) -> KnownBodies {
        self.sections
            .get(path)
            .map(|section| section.bodies.iter().cloned().collect())
            .unwrap_or_default()
    }

    pub(crate) fn created(&self, path: &str) -> bool {
        self.sections
            .get(path)
            .is_some_and(|section| section.created)
    }

    pub(crate) fn separator(&self, path: &str) -> Option<&str> {
        self.sections.get(path)?.separator.as_deref()
    }

    /// Remembers that `body` is written into a section.
    pub(crate) fn wrote_section(&mut self, path: &str, body: &str) {
        let hash = body_hash(body);
        let section = self.sections.entry(path.to_owned()).or_default();
        section.bodies.retain(|known| *known != hash);
        section.bodies.push(hash);
        let excess = section.bodies.len().saturating_sub(MOST_BODIES);
        section.bodies.drain(..excess);
    }

    pub(crate) fn created_file(&mut self, path: &str) {
        self.sections.entry(path.to_owned()).or_default().created = true;
    }

    pub(crate) fn appended(&mut self, path: &str, separator: &str) {
        self.sections.entry(path.to_owned()).or_default().separator = Some(separator.to_owned());
    }

    pub(crate) fn forget_section(&mut self, path: &str) {
        self.sections.remove(path);
    }

    /// Remembers which folders of a path do not exist yet.
    pub(crate) fn will_create_folders(&mut self, project: &Project, path: &str) {
        let mut at = 0;
        while let Some(slash) = path[at..].find('/') {
            at += slash;
            let folder = &path[..at];
            if !project.root().join(folder).exists() {
                self.folders.insert(folder.to_owned());
            }
            at += 1;
        }
    }

    /// The folders that we created, the deepest first.
    pub(crate) fn folders(&self) -> Vec<String> {
        self.folders.iter().rev().cloned().collect()
    }

    pub(crate) fn forget_folder(&mut self, folder: &str) {
        self.folders.remove(folder);
    }
}
