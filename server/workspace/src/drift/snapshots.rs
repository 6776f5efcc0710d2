//! How often what a recipe names occurred when it was last healthy. Kept on
//! this machine, below `.asd/`.

use std::collections::{BTreeMap, BTreeSet};

use asd_store::{Disk, MAX_FILE, Project, read_text_up_to, write_atomic};
use serde::{Deserialize, Serialize};

const FILE: &str = ".asd/drift.json";
/// A lower count replaces a higher one after so many seconds only, so that
/// what fades slowly is noticed too.
const KEPT: i64 = 90 * 86_400;

/// One recipe when it was healthy.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Snapshot {
    /// How often what it names occurred.
    pub(super) occurrences: u64,
    /// Which of the names the project defined.
    #[serde(default)]
    pub(super) defined: BTreeSet<String>,
    /// Unix seconds.
    pub(super) at: i64,
}

/// The snapshots of all recipes by their ids.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Snapshots {
    recipes: BTreeMap<String, Snapshot>,
}

impl Snapshots {
    /// Those of a project; none when the file is damaged, which costs nothing
    /// but the comparison.
    pub(super) fn read(project: &Project) -> Self {
        read_text_up_to(&Disk, &project.root().join(FILE), MAX_FILE)
            .ok()
            .and_then(|decoded| serde_json::from_str(&decoded.text).ok())
            .unwrap_or_default()
    }

    pub(super) fn get(&self, id: &str) -> Option<&Snapshot> {
        self.recipes.get(id)
    }

    /// Notes how a healthy recipe is.
    pub(super) fn note(&mut self, id: &str, new: Snapshot) {
        match self.recipes.get(id) {
            Some(old) if old.occurrences > new.occurrences && new.at - old.at < KEPT => {}
            Some(old) if old.occurrences == new.occurrences && old.defined == new.defined => {}
            _ => {
                self.recipes.insert(id.to_owned(), new);
            }
        }
    }

    /// Forgets recipes that there are no more.
    pub(super) fn keep_only(&mut self, ids: &BTreeSet<&str>) {
        self.recipes.retain(|id, _| ids.contains(id.as_str()));
    }

    /// Keeps them, in a project that has been set up.
    pub(super) fn write(&self, project: &Project) {
        if !project.has_knowledge() {
            return;
        }
        let written = serde_json::to_vec_pretty(self)
            .map_err(|error| error.to_string())
            .and_then(|bytes| {
                write_atomic(project, FILE, &bytes).map_err(|error| error.to_string())
            });
        if let Err(error) = written {
            tracing::warn!(error, "what occurs how often is not remembered");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(occurrences: u64, at: i64) -> Snapshot {
        Snapshot {
            occurrences,
            defined: BTreeSet::new(),
            at,
        }
    }

    #[test]
    fn what_fades_slowly_is_compared_with_what_there_was() {
        let mut snapshots = Snapshots::default();
        snapshots.note("a", seen(10, 0));
        snapshots.note("a", seen(7, 86_400));
        assert_eq!(snapshots.get("a").unwrap().occurrences, 10);
        snapshots.note("a", seen(12, 2 * 86_400));
        assert_eq!(snapshots.get("a").unwrap().occurrences, 12);
        snapshots.note("a", seen(7, 100 * 86_400));
        assert_eq!(snapshots.get("a").unwrap().occurrences, 7);
        snapshots.keep_only(&BTreeSet::from(["b"]));
        assert_eq!(snapshots.get("a"), None);
    }
}
