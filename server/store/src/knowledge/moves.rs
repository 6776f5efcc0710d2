//! Files that go from one folder to the other. The new one is written before
//! the old one is removed; a note of what is under way lets whoever comes next
//! finish it, should the process end in between.

use std::fs;
use std::path::{Path, PathBuf};

use asd_recipe::content_hash;
use serde::{Deserialize, Serialize};

use crate::failpoint::step;
use crate::write::{PreparedFile, sync_folder_of};
use crate::{Disk, KNOWLEDGE_DIR, MAX_RECIPE, Project, WriteError, read_text_up_to, write_atomic};

/// How the temporary files of recipes begin. They are only made under the
/// project's lock, so whoever holds it may remove those that it finds.
pub(crate) const TEMPORARY: &str = ".asd-recipe-";
const NOTES: &str = ".asd/moves";

/// A move that is under way.
#[derive(Debug, Serialize, Deserialize)]
struct Note {
    from: String,
    to: String,
    /// Of the old file.
    from_hash: String,
    /// Of the new file.
    to_hash: String,
}

/// Writes a knowledge file over the one that is there, or anew.
pub(crate) fn replace_file(project: &Project, rel: &str, text: &str) -> Result<(), WriteError> {
    let path = PreparedFile::new(project, rel, text.as_bytes(), TEMPORARY)?.replace()?;
    sync_folder_of(&path);
    step("folder synced");
    Ok(())
}

/// Writes a knowledge file where none may be. `false` when one is there.
pub(crate) fn place_file(project: &Project, rel: &str, text: &str) -> Result<bool, WriteError> {
    let prepared = PreparedFile::new(project, rel, text.as_bytes(), TEMPORARY)?;
    match prepared.place() {
        Ok(path) => {
            sync_folder_of(&path);
            step("folder synced");
            Ok(true)
        }
        Err(WriteError::Io { source, .. })
            if source.kind() == std::io::ErrorKind::AlreadyExists =>
        {
            Ok(false)
        }
        Err(error) => Err(error),
    }
}

/// Writes `text` at a free place of `places`, then removes `from`, whose text is
/// `old`. Gives the place that was free.
pub(crate) fn move_file(
    project: &Project,
    from: &str,
    old: &str,
    places: impl Iterator<Item = String>,
    text: &str,
) -> Result<String, WriteError> {
    for to in places {
        if project.root().join(&to).symlink_metadata().is_ok() {
            continue;
        }
        let note = Note {
            from: from.to_owned(),
            to: to.clone(),
            from_hash: content_hash(old),
            to_hash: content_hash(text),
        };
        let rel = format!("{NOTES}/{}.json", uuid::Uuid::new_v4());
        let json = serde_json::to_vec(&note).map_err(|error| WriteError::Io {
            path: project.root().join(&rel),
            source: error.into(),
        })?;
        let note_path = write_atomic(project, &rel, &json)?;
        step("move noted");
        let placed = place_file(project, &to, text);
        if matches!(placed, Ok(true)) {
            remove_file(project, from)?;
        }
        let _ = fs::remove_file(&note_path);
        step("note removed");
        if placed? {
            return Ok(to);
        }
    }
    Err(WriteError::Io {
        path: project.root().join(from),
        source: std::io::Error::other("every name that it could have is taken"),
    })
}

/// Removes a regular file of the knowledge folder, and its folder when that is
/// empty then. A file that is gone already is no error.
///
/// # Errors
/// [`WriteError`] when it lies elsewhere or cannot be removed.
pub fn remove_file(project: &Project, rel: &str) -> Result<(), WriteError> {
    let path = project.absolute(rel)?;
    let fail = |source| WriteError::Io {
        path: path.clone(),
        source,
    };
    let metadata = match path.symlink_metadata() {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(fail(error)),
    };
    if metadata.is_symlink() {
        return Err(WriteError::SymbolicLink(path));
    }
    if !metadata.is_file() || !lies_in_knowledge(project, &path) {
        return Err(fail(std::io::Error::new(
            std::io::ErrorKind::InvalidInput,
            "only a file of the knowledge folder is removed",
        )));
    }
    fs::remove_file(&path).map_err(fail)?;
    step("removed");
    sync_folder_of(&path);
    prune(project, &path);
    step("folder pruned");
    Ok(())
}

/// Whether the real place of a file is below `recipes/`, `candidates/` or
/// `wiki/`.
fn lies_in_knowledge(project: &Project, path: &Path) -> bool {
    let Ok(real) = path.canonicalize() else {
        return false;
    };
    let wiki = project.knowledge().join("wiki");
    [project.recipes(), project.candidates(), wiki]
        .iter()
        .filter_map(|home| home.canonicalize().ok())
        .any(|home| real.starts_with(home))
}

/// Removes the bucket of a file when nothing is left in it.
fn prune(project: &Project, path: &Path) {
    let Some(folder) = path.parent() else { return };
    let is_home = folder == project.recipes() || folder == project.candidates();
    if !is_home && folder.starts_with(project.knowledge()) {
        // Fails when something is in it, as it should.
        let _ = fs::remove_dir(folder);
    }
}

/// Finishes moves that a process left half done: an old file whose new one is
/// there is removed. Whoever calls holds the project's lock.
pub(crate) fn finish_moves(project: &Project) -> Result<(), WriteError> {
    let Ok(folder) = fs::read_dir(project.root().join(NOTES)) else {
        return Ok(());
    };
    let mut notes: Vec<PathBuf> = folder.flatten().map(|entry| entry.path()).collect();
    notes.sort();
    for path in notes {
        let note = fs::read(&path)
            .ok()
            .and_then(|bytes| serde_json::from_slice::<Note>(&bytes).ok());
        if let Some(note) = note
            && below_knowledge(&note.from)
            && below_knowledge(&note.to)
            && hash_of(project, &note.from).as_ref() == Some(&note.from_hash)
            && hash_of(project, &note.to).as_ref() == Some(&note.to_hash)
        {
            remove_file(project, &note.from)?;
        }
        let _ = fs::remove_file(&path);
    }
    Ok(())
}

fn below_knowledge(rel: &str) -> bool {
    rel.split('/').next() == Some(KNOWLEDGE_DIR)
}

fn hash_of(project: &Project, rel: &str) -> Option<String> {
    let path = project.absolute(rel).ok()?;
    let text = read_text_up_to(&Disk, &path, MAX_RECIPE).ok()?.text;
    Some(content_hash(&text))
}

/// Removes temporary files that a process left. Whoever calls holds the
/// project's lock.
pub(crate) fn remove_leftovers(leftovers: &[PathBuf]) {
    for path in leftovers {
        let _ = fs::remove_file(path);
    }
}
