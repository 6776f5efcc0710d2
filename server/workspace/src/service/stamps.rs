//! What the knowledge of a project looks like from outside: sizes and times of
//! its files. A watcher tells of a change a moment later; an agent that calls
//! right after a file was saved must have it already.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use asd_store::Project;

/// Of so many files each is looked at for every call; beyond, that takes longer
/// than the moment by which a watcher is late.
const FEW: usize = 512;
/// How deep folders are entered.
const DEPTH: usize = 12;

type Stamp = (u64, Option<SystemTime>);

/// The files at the last look.
pub(crate) struct Stamps {
    project: Project,
    folders: Vec<PathBuf>,
    /// How many files are looked at at most.
    most: usize,
    seen: BTreeMap<PathBuf, Stamp>,
}

impl Stamps {
    /// Looks at the knowledge and at other folders with recipes; at many files
    /// only when nobody tells of changes.
    pub(crate) fn new(project: &Project, extra: &[PathBuf], is_watched: bool) -> Self {
        let mut folders = vec![project.knowledge()];
        folders.extend(extra.iter().cloned());
        let mut stamps = Self {
            project: project.clone(),
            folders,
            most: if is_watched { FEW } else { usize::MAX },
            seen: BTreeMap::new(),
        };
        stamps.seen = stamps.look().unwrap_or_default();
        stamps
    }

    /// The project-relative paths of what changed since the last look.
    pub(crate) fn changed(&mut self) -> Vec<String> {
        let Some(now) = self.look() else {
            // More files came than are looked at; the watcher has them.
            self.most = 0;
            return Vec::new();
        };
        let written = now
            .iter()
            .filter(|(path, stamp)| self.seen.get(*path) != Some(stamp));
        let gone = self
            .seen
            .iter()
            .filter(|(path, _)| !now.contains_key(*path));
        let changed = written
            .chain(gone)
            .filter_map(|(path, _)| self.project.relative(path))
            .collect();
        self.seen = now;
        changed
    }

    fn look(&self) -> Option<BTreeMap<PathBuf, Stamp>> {
        let mut found = BTreeMap::new();
        if self.most == 0 {
            return None;
        }
        let complete = self
            .folders
            .iter()
            .all(|folder| add(folder, DEPTH, self.most, &mut found));
        complete.then_some(found)
    }
}

/// Adds the files below a folder; whether they were few enough.
fn add(folder: &Path, depth: usize, most: usize, found: &mut BTreeMap<PathBuf, Stamp>) -> bool {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        if entry.file_name().as_encoded_bytes().first() == Some(&b'.') {
            continue;
        }
        let Ok(kind) = entry.file_type() else {
            continue;
        };
        if kind.is_dir() {
            if depth > 0 && !add(&entry.path(), depth - 1, most, found) {
                return false;
            }
        } else if let Ok(metadata) = fs::metadata(entry.path()) {
            if found.len() >= most {
                return false;
            }
            found.insert(entry.path(), (metadata.len(), metadata.modified().ok()));
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_was_written_made_or_removed_is_told_once() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let recipes = root.join("Alembic/recipes/net");
        fs::create_dir_all(&recipes).unwrap();
        fs::write(recipes.join("a.md"), "one").unwrap();
        let mut stamps = Stamps::new(&Project::at(&root), &[], true);
        assert_eq!(stamps.changed(), Vec::<String>::new());
        fs::write(recipes.join("a.md"), "longer").unwrap();
        fs::write(recipes.join("b.md"), "new").unwrap();
        assert_eq!(
            stamps.changed(),
            ["Alembic/recipes/net/a.md", "Alembic/recipes/net/b.md"]
        );
        fs::remove_file(recipes.join("a.md")).unwrap();
        assert_eq!(stamps.changed(), ["Alembic/recipes/net/a.md"]);
        assert_eq!(stamps.changed(), Vec::<String>::new());
    }
}
