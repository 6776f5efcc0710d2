use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use crate::{Disk, Git, GitError, Host, PathKind, Visited, WalkRoot};

/// The file system as it will be committed: staged files have the content that
/// the index has, all others that on disk.
pub struct StagedHost {
    staged: BTreeMap<PathBuf, Option<Vec<u8>>>,
}

impl StagedHost {
    /// Reads all staged files of the project at `root` out of the index. Gives
    /// their project-relative paths, sorted, beside the host.
    ///
    /// # Errors
    /// What git says.
    pub fn read(root: &Path) -> Result<(Self, Vec<String>), GitError> {
        let git = Git::open(root)?;
        let files = git.staged()?;
        let objects: Vec<&str> = files.iter().map(|file| file.object.as_str()).collect();
        let contents = git.contents(&objects)?;
        let staged = files
            .iter()
            .zip(contents)
            .map(|(file, content)| (root.join(&file.rel), content))
            .collect();
        let names = files.into_iter().map(|file| file.rel).collect();
        Ok((Self { staged }, names))
    }
}

impl Host for StagedHost {
    fn read(&self, path: &Path, limit: u64) -> io::Result<Vec<u8>> {
        match self.staged.get(path) {
            Some(Some(content)) if content.len() as u64 <= limit => Ok(content.clone()),
            Some(_) => Err(io::ErrorKind::FileTooLarge.into()),
            None => Disk.read(path, limit),
        }
    }

    fn kind(&self, path: &Path) -> Option<PathKind> {
        if self.staged.contains_key(path) {
            return Some(PathKind::File);
        }
        Disk.kind(path)
    }

    fn size(&self, path: &Path) -> u64 {
        match self.staged.get(path) {
            Some(content) => content
                .as_ref()
                .map_or(u64::MAX, |content| content.len() as u64),
            None => Disk.size(path),
        }
    }

    fn list(&self, folder: &Path) -> io::Result<Vec<PathBuf>> {
        Disk.list(folder)
    }

    fn walk(&self, root: &WalkRoot, cancel: &AtomicBool, visit: &(dyn Fn(Visited) + Sync)) {
        Disk.walk(root, cancel, visit);
    }
}
