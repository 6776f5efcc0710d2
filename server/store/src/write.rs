use std::fs::{self, File, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use tempfile::NamedTempFile;
use thiserror::Error;

use crate::failpoint::step;
use crate::{OutsideProject, Project};

/// Why a file was not written.
#[derive(Debug, Error)]
pub enum WriteError {
    /// The path leads out of the project.
    #[error(transparent)]
    Outside(#[from] OutsideProject),
    /// It is a symbolic link; what it leads to may belong to somebody else.
    #[error("{} is a symbolic link; name the file that it leads to", .0.display())]
    SymbolicLink(PathBuf),
    /// Another process holds the lock.
    #[error("another process is writing to {}; try again", .0.display())]
    Locked(PathBuf),
    /// What the system says.
    #[error("cannot write {}: {source}", path.display())]
    Io {
        /// The path.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
}

/// Writes a project file as a whole: whoever reads it sees the old or the new
/// content, also after a crash. Folders are made as needed; the permissions of
/// a file that is there are kept.
///
/// # Errors
/// [`WriteError`]; nothing has changed then.
pub fn write_atomic(project: &Project, rel: &str, bytes: &[u8]) -> Result<PathBuf, WriteError> {
    let prepared = PreparedFile::new(project, rel, bytes, TEMPORARY)?;
    let path = prepared.replace()?;
    sync_folder_of(&path);
    step("folder synced");
    Ok(path)
}

/// How the names of temporary files begin.
pub(crate) const TEMPORARY: &str = ".asd-";

/// A file that is written but does not stand at its place yet. Dropped, it is
/// gone.
pub(crate) struct PreparedFile {
    temporary: NamedTempFile,
    path: PathBuf,
}

impl PreparedFile {
    /// Writes `bytes` beside the place, durably.
    pub(crate) fn new(
        project: &Project,
        rel: &str,
        bytes: &[u8],
        prefix: &str,
    ) -> Result<Self, WriteError> {
        let path = project.absolute(rel)?;
        let fail = |source| WriteError::Io {
            path: path.clone(),
            source,
        };
        let before = path.symlink_metadata().ok();
        if before.as_ref().is_some_and(fs::Metadata::is_symlink) {
            return Err(WriteError::SymbolicLink(path));
        }
        let folder = path.parent().unwrap_or_else(|| project.root());
        make_folder(project, folder).map_err(fail)?;
        step("folder made");
        let mut temporary = tempfile::Builder::new()
            .prefix(prefix)
            .suffix(".tmp")
            .tempfile_in(folder)
            .map_err(fail)?;
        step("temporary file made");
        // The two halves, so that a test sees what half a file would do.
        let (first, second) = bytes.split_at(bytes.len() / 2);
        temporary.write_all(first).map_err(fail)?;
        step("half written");
        temporary.write_all(second).map_err(fail)?;
        step("written");
        let permissions = match &before {
            Some(metadata) => metadata.permissions(),
            None => default_permissions(temporary.as_file()).map_err(fail)?,
        };
        temporary
            .as_file()
            .set_permissions(permissions)
            .map_err(fail)?;
        temporary.as_file().sync_all().map_err(fail)?;
        step("synced");
        Ok(Self { temporary, path })
    }

    /// Puts it at its place, over what is there. The folder is still to be
    /// synced with [`sync_folder_of`].
    pub(crate) fn replace(self) -> Result<PathBuf, WriteError> {
        let path = self.path;
        self.temporary
            .persist(&path)
            .map_err(|error| WriteError::Io {
                path: path.clone(),
                source: error.error,
            })?;
        step("renamed");
        Ok(path)
    }

    /// Puts it at its place; an error where something is there already.
    pub(crate) fn place(self) -> Result<PathBuf, WriteError> {
        let path = self.path;
        self.temporary
            .persist_noclobber(&path)
            .map_err(|error| WriteError::Io {
                path: path.clone(),
                source: error.error,
            })?;
        step("renamed");
        Ok(path)
    }
}

/// Makes a folder with those above it. Whoever makes `.asd/`, git is to leave it
/// out: what is below belongs to this machine.
pub(crate) fn make_folder(project: &Project, folder: &Path) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    let local = project.root().join(".asd");
    if !folder.starts_with(&local) {
        return Ok(());
    }
    let ignore = local.join(".gitignore");
    if ignore.symlink_metadata().is_ok() {
        return Ok(());
    }
    match File::options().create_new(true).write(true).open(ignore) {
        Ok(mut file) => file.write_all(b"*\n"),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        Err(error) => Err(error),
    }
}

/// Makes the renames in the folder of a file durable.
pub(crate) fn sync_folder_of(path: &Path) {
    if let Some(folder) = path.parent() {
        sync_folder(folder);
    }
}

/// A temporary file is made for its owner only; a new project file is for
/// everyone that the project is for.
#[cfg(unix)]
fn default_permissions(_file: &File) -> io::Result<fs::Permissions> {
    use std::os::unix::fs::PermissionsExt;
    Ok(fs::Permissions::from_mode(0o644))
}

#[cfg(not(unix))]
fn default_permissions(file: &File) -> io::Result<fs::Permissions> {
    Ok(file.metadata()?.permissions())
}

/// Makes the rename durable where the system offers it; a failure loses no
/// data, so there is nothing to report.
pub(crate) fn sync_folder(folder: &Path) {
    if cfg!(unix)
        && let Ok(folder) = File::open(folder)
    {
        let _ = folder.sync_all();
    }
}

/// Held while several files of a project are written together; released when it
/// is dropped or its process ends.
#[derive(Debug)]
pub struct WriteLock {
    _file: File,
}

/// Takes the project's lock, waiting up to `patience` for another process.
///
/// # Errors
/// [`WriteError::Locked`] when it is still held then.
pub fn lock_for_writing(project: &Project, patience: Duration) -> Result<WriteLock, WriteError> {
    lock_at(project, ".asd/write.lock", patience, File::try_lock)
}

/// Takes a lock of another name, for work during which others may write. `rel`
/// is the project-relative path of its file, below `.asd/`.
///
/// # Errors
/// [`WriteError::Locked`] when it is still held after `patience`.
pub fn lock_file(
    project: &Project,
    rel: &str,
    patience: Duration,
) -> Result<WriteLock, WriteError> {
    lock_at(project, rel, patience, File::try_lock)
}

/// Takes a lock of its own name, as `take` says.
pub(crate) fn lock_at(
    project: &Project,
    rel: &str,
    patience: Duration,
    take: fn(&File) -> Result<(), TryLockError>,
) -> Result<WriteLock, WriteError> {
    let path = project.absolute(rel)?;
    let fail = |source| WriteError::Io {
        path: path.clone(),
        source,
    };
    if let Some(folder) = path.parent() {
        make_folder(project, folder).map_err(fail)?;
    }
    let file = File::options()
        .create(true)
        .truncate(false)
        .write(true)
        .open(&path)
        .map_err(fail)?;
    let start = Instant::now();
    loop {
        match take(&file) {
            Ok(()) => return Ok(WriteLock { _file: file }),
            Err(TryLockError::WouldBlock) if start.elapsed() < patience => {
                // Most writes take a few milliseconds; a long one is not to be
                // asked after a thousand times a second.
                let short = start.elapsed() < Duration::from_millis(500);
                std::thread::sleep(Duration::from_millis(if short { 1 } else { 10 }));
            }
            Err(TryLockError::WouldBlock) => return Err(WriteError::Locked(path)),
            Err(TryLockError::Error(error)) => return Err(fail(error)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_makes_the_local_folder_git_leaves_it_out() {
        let makers: [fn(&Project); 3] = [
            |project| drop(lock_for_writing(project, Duration::ZERO).unwrap()),
            |project| drop(lock_file(project, ".asd/x.lock", Duration::ZERO).unwrap()),
            |project| drop(write_atomic(project, ".asd/a/b.json", b"{}").unwrap()),
        ];
        for make in makers {
            let temp = tempfile::tempdir().unwrap();
            let project = Project::at(temp.path());
            make(&project);
            let ignore = temp.path().join(".asd/.gitignore");
            assert_eq!(fs::read_to_string(ignore).unwrap(), "*\n");
            write_atomic(&project, "AGENTS.md", b"").unwrap();
            assert!(!temp.path().join(".gitignore").exists());
        }
    }

    #[test]
    fn a_file_is_replaced_as_a_whole_and_leaves_nothing_beside_it() {
        let temp = tempfile::tempdir().unwrap();
        let project = Project::at(temp.path());
        write_atomic(&project, "Alembic/recipes/a.md", b"one").unwrap();
        let path = write_atomic(&project, "Alembic/recipes/a.md", b"two").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"two");
        let beside = fs::read_dir(path.parent().unwrap()).unwrap().count();
        assert_eq!(beside, 1);
    }

    #[test]
    fn paths_outside_are_refused() {
        let temp = tempfile::tempdir().unwrap();
        let project = Project::at(&temp.path().join("p"));
        fs::create_dir_all(project.root()).unwrap();
        let result = write_atomic(&project, "../escape.md", b"");
        assert!(matches!(result, Err(WriteError::Outside(_))), "{result:?}");
        assert!(!temp.path().join("escape.md").exists());
    }

    #[cfg(unix)]
    #[test]
    fn symbolic_links_are_refused_and_permissions_kept() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let temp = tempfile::tempdir().unwrap();
        let project = Project::at(temp.path());
        fs::write(temp.path().join("real"), "x").unwrap();
        symlink(temp.path().join("real"), temp.path().join("link")).unwrap();
        let result = write_atomic(&project, "link", b"y");
        assert!(
            matches!(result, Err(WriteError::SymbolicLink(_))),
            "{result:?}"
        );
        let mode = fs::Permissions::from_mode(0o755);
        fs::set_permissions(temp.path().join("real"), mode).unwrap();
        let path = write_atomic(&project, "real", b"y").unwrap();
        assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o755);
    }

    #[test]
    fn only_one_holds_the_lock() {
        let temp = tempfile::tempdir().unwrap();
        let project = Project::at(temp.path());
        let held = lock_for_writing(&project, Duration::ZERO).unwrap();
        let second = lock_for_writing(&project, Duration::ZERO);
        assert!(matches!(second, Err(WriteError::Locked(_))), "{second:?}");
        drop(held);
        lock_for_writing(&project, Duration::ZERO).unwrap();
    }
}
