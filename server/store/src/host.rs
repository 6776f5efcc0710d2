use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use asd_text::{Decoded, Undecodable, decode};
use thiserror::Error;

use crate::walk::{Visited, WalkRoot, walk_disk};

/// The largest file that is read at all.
pub const MAX_FILE: u64 = 64 * 1024 * 1024;

/// The file system as the project sees it. The one implementation that matters
/// is [`Disk`]; a test puts another in its place to have a folder that may not
/// be read, whoever runs the test.
pub trait Host: Send + Sync {
    /// The bytes of a file, at most `limit` of them.
    ///
    /// # Errors
    /// What the system says; [`io::ErrorKind::FileTooLarge`] past the limit.
    fn read(&self, path: &Path, limit: u64) -> io::Result<Vec<u8>>;

    /// What kind of thing is at a path, symbolic links followed.
    fn kind(&self, path: &Path) -> Option<PathKind>;

    /// Whether a path is itself a symbolic link.
    fn is_link(&self, path: &Path) -> bool {
        path.is_symlink()
    }

    /// The size of a file in bytes, 0 where it is not known. Only used to start
    /// long work first.
    fn size(&self, path: &Path) -> u64;

    /// The entries of a folder, in the order of their names.
    ///
    /// # Errors
    /// What the system says.
    fn list(&self, folder: &Path) -> io::Result<Vec<PathBuf>>;

    /// Walks a folder with the ignore files that it holds, calling `visit` from
    /// any thread, in any order, until done or cancelled.
    fn walk(&self, root: &WalkRoot, cancel: &AtomicBool, visit: &(dyn Fn(Visited) + Sync));
}

/// What a path leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathKind {
    /// A regular file.
    File,
    /// A folder.
    Folder,
    /// A device, a socket or the like.
    Other,
}

/// The real file system.
#[derive(Clone, Copy, Debug, Default)]
pub struct Disk;

impl Host for Disk {
    fn read(&self, path: &Path, limit: u64) -> io::Result<Vec<u8>> {
        let file = File::open(path)?;
        let metadata = file.metadata()?;
        if !metadata.is_file() {
            return Err(io::Error::new(
                io::ErrorKind::InvalidInput,
                "not a regular file",
            ));
        }
        if metadata.len() > limit {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        // The file may grow while it is read.
        let expected = usize::try_from(metadata.len()).unwrap_or(0);
        let mut bytes = Vec::with_capacity(expected + 1);
        file.take(limit + 1).read_to_end(&mut bytes)?;
        if bytes.len() as u64 > limit {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        Ok(bytes)
    }

    fn kind(&self, path: &Path) -> Option<PathKind> {
        let metadata = path.metadata().ok()?;
        Some(if metadata.is_file() {
            PathKind::File
        } else if metadata.is_dir() {
            PathKind::Folder
        } else {
            PathKind::Other
        })
    }

    fn size(&self, path: &Path) -> u64 {
        std::fs::metadata(path).map_or(0, |metadata| metadata.len())
    }

    fn list(&self, folder: &Path) -> io::Result<Vec<PathBuf>> {
        let mut paths = std::fs::read_dir(folder)?
            .map(|entry| entry.map(|entry| entry.path()))
            .collect::<io::Result<Vec<_>>>()?;
        paths.sort();
        Ok(paths)
    }

    fn walk(&self, root: &WalkRoot, cancel: &AtomicBool, visit: &(dyn Fn(Visited) + Sync)) {
        walk_disk(root, cancel, visit);
    }
}

/// Why a file could not be read as text. The message is for a person.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Unreadable {
    /// There is no such file.
    #[error("the file does not exist")]
    Missing,
    /// The system does not permit it.
    #[error("permission denied")]
    Denied,
    /// It is not a file.
    #[error("not a regular file")]
    NotAFile,
    /// It is larger than the limit, in bytes.
    #[error("larger than {} MB", .0 / 1024 / 1024)]
    TooLarge(u64),
    /// It is binary, or in another encoding than UTF-8.
    #[error("{0}")]
    Undecodable(#[from] Undecodable),
    /// Anything else, as the system says it.
    #[error("{0}")]
    Io(String),
}

/// Reads a file of at most [`MAX_FILE`] bytes as text.
///
/// # Errors
/// [`Unreadable`] with the reason.
pub fn read_text(host: &dyn Host, path: &Path) -> Result<Decoded, Unreadable> {
    read_text_up_to(host, path, MAX_FILE)
}

/// Reads a file of at most `limit` bytes as text.
///
/// # Errors
/// [`Unreadable`] with the reason.
pub fn read_text_up_to(host: &dyn Host, path: &Path, limit: u64) -> Result<Decoded, Unreadable> {
    let bytes = host
        .read(path, limit)
        .map_err(|error| Unreadable::from_io(&error, limit))?;
    Ok(decode(bytes)?)
}

impl Unreadable {
    pub(crate) fn from_io(error: &io::Error, limit: u64) -> Self {
        match error.kind() {
            io::ErrorKind::NotFound => Self::Missing,
            io::ErrorKind::PermissionDenied => Self::Denied,
            io::ErrorKind::FileTooLarge => Self::TooLarge(limit),
            io::ErrorKind::InvalidInput | io::ErrorKind::IsADirectory => Self::NotAFile,
            _ => Self::Io(error.to_string()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_reason_is_told_apart() {
        let temp = tempfile::tempdir().unwrap();
        let path = |name: &str| temp.path().join(name);
        std::fs::write(path("latin.ts"), b"caf\xE9").unwrap();
        std::fs::write(path("binary"), b"\x7fELF\0").unwrap();
        std::fs::write(path("large"), "12345").unwrap();
        let reason = |name: &str| {
            read_text_up_to(&Disk, &path(name), 4)
                .unwrap_err()
                .to_string()
        };
        assert_eq!(reason("absent"), "the file does not exist");
        assert_eq!(
            reason("latin.ts"),
            "not valid UTF-8 (first bad byte at offset 3)"
        );
        assert!(matches!(
            read_text(&Disk, &path("binary")),
            Err(Unreadable::Undecodable(Undecodable::Binary))
        ));
        assert_eq!(
            read_text_up_to(&Disk, &path("large"), 4),
            Err(Unreadable::TooLarge(4))
        );
        assert_eq!(reason("."), "not a regular file");
    }
}
