//! Files in the user's cache: made from others, and gone at any moment.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use sha2::{Digest, Sha256};

use crate::Project;
use crate::user::{environment, home_of};

/// How many files a project may have: one for each set of rules that it was
/// lately checked with.
const FILES_OF_A_PROJECT: usize = 4;
/// How many bytes the files of all projects may have together.
const ALL_FILES: u64 = 256 << 20;
/// What a larger file holds is not worth its reading.
const MAX_CACHE_FILE: u64 = 64 << 20;
/// The time of a file that is used is renewed after so long.
const RENEWED_AFTER: Duration = Duration::from_secs(60 * 60);
/// What a writer that died has left is taken away after so long.
const ABANDONED_AFTER: Duration = Duration::from_secs(60 * 60);
const ENDING: &str = "cache";
/// With the number of the form that files are written in.
const MARK: &[u8; 16] = b"asd cache file 1";

/// The folder of the user for what can be made again:
/// `$XDG_CACHE_HOME/asd/checks`, or the place that the platform has for it.
/// `None` where neither is known.
#[must_use]
pub fn user_check_cache() -> Option<PathBuf> {
    let fallback = if cfg!(target_os = "macos") {
        &["Library", "Caches"][..]
    } else {
        &[".cache"][..]
    };
    let home = home_of("XDG_CACHE_HOME", "LOCALAPPDATA", fallback, &environment)?;
    Some(home.join("asd").join("checks"))
}

/// The cache files of one project. A file that was damaged, or written by
/// someone else, reads as if it were not there.
#[derive(Clone, Debug)]
pub struct CacheFolder {
    /// Of all projects.
    home: PathBuf,
    folder: PathBuf,
}

impl CacheFolder {
    /// The files of a project below `home`, which holds those of all projects.
    #[must_use]
    pub fn of(home: &Path, project: &Project) -> Self {
        let root = project.root();
        let real = root.canonicalize().unwrap_or_else(|_| root.to_path_buf());
        let name = short_hex(real.as_os_str().as_encoded_bytes());
        Self {
            home: home.to_path_buf(),
            folder: home.join(name),
        }
    }

    /// What was written under `key` last; `None` when there is nothing sound.
    #[must_use]
    pub fn read(&self, key: &[u8]) -> Option<Vec<u8>> {
        let path = self.path(key);
        let metadata = fs::metadata(&path).ok()?;
        if !metadata.is_file() || metadata.len() > MAX_CACHE_FILE + 1024 {
            return None;
        }
        let mut bytes = fs::read(&path).ok()?;
        let seal = MARK.len()..MARK.len() + 32;
        if bytes.get(..MARK.len())? != MARK
            || *bytes.get(seal.clone())? != seal_of(key, bytes.get(seal.end..)?)
        {
            return None;
        }
        let age = metadata
            .modified()
            .ok()
            .and_then(|time| time.elapsed().ok());
        if age.is_some_and(|age| age > RENEWED_AFTER)
            && let Ok(file) = fs::File::options().append(true).open(&path)
        {
            // Only tells what may be thrown away first.
            let _ = file.set_modified(SystemTime::now());
        }
        bytes.drain(..seal.end);
        Some(bytes)
    }

    /// Writes `content` under `key`, whole or not at all, and throws away what
    /// was not used for the longest time when there is too much. More than fits
    /// is not written.
    ///
    /// # Errors
    /// What the system says; nothing depends on it.
    pub fn write(&self, key: &[u8], content: &[u8]) -> io::Result<()> {
        if content.len() as u64 > MAX_CACHE_FILE {
            return Ok(());
        }
        fs::create_dir_all(&self.folder)?;
        let mut file = tempfile::Builder::new()
            .prefix("new-")
            .tempfile_in(&self.folder)?;
        file.write_all(MARK)?;
        file.write_all(&seal_of(key, content))?;
        file.write_all(content)?;
        file.persist(self.path(key))?;
        self.evict();
        Ok(())
    }

    fn path(&self, key: &[u8]) -> PathBuf {
        self.folder.join(format!("{}.{ENDING}", short_hex(key)))
    }

    fn evict(&self) {
        for (_, _, path) in files_in(&self.folder).into_iter().skip(FILES_OF_A_PROJECT) {
            let _ = fs::remove_file(path);
        }
        let Ok(projects) = fs::read_dir(&self.home) else {
            return;
        };
        let mut all: Vec<(SystemTime, u64, PathBuf)> = projects
            .flatten()
            .flat_map(|project| files_in(&project.path()))
            .collect();
        all.sort_by(|a, b| b.cmp(a));
        let mut sum = 0;
        for (_, size, path) in all {
            sum += size;
            if sum > ALL_FILES {
                let _ = fs::remove_file(&path);
                // Succeeds when it was the last one.
                let _ = path.parent().map(fs::remove_dir);
            }
        }
    }
}

/// The cache files in a folder, the latest first; what writers that died have
/// left is taken away.
fn files_in(folder: &Path) -> Vec<(SystemTime, u64, PathBuf)> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        let Ok(metadata) = entry.metadata() else {
            continue;
        };
        let Ok(modified) = metadata.modified() else {
            continue;
        };
        if !metadata.is_file() {
            continue;
        }
        if path.extension().is_some_and(|ending| ending == ENDING) {
            files.push((modified, metadata.len(), path));
        } else if entry.file_name().as_encoded_bytes().starts_with(b"new-")
            && modified.elapsed().is_ok_and(|age| age > ABANDONED_AFTER)
        {
            let _ = fs::remove_file(path);
        }
    }
    files.sort_by(|a, b| b.cmp(a));
    files
}

fn seal_of(key: &[u8], content: &[u8]) -> [u8; 32] {
    let mut hasher = Sha256::new();
    hasher.update((key.len() as u64).to_le_bytes());
    hasher.update(key);
    hasher.update(content);
    hasher.finalize().into()
}

fn short_hex(bytes: &[u8]) -> String {
    Sha256::digest(bytes)[..8]
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder() -> (tempfile::TempDir, CacheFolder) {
        let temp = tempfile::tempdir().unwrap();
        let cache = CacheFolder::of(&temp.path().join("home"), &Project::at(temp.path()));
        (temp, cache)
    }

    #[test]
    fn what_was_written_is_read_under_its_own_key_only() {
        let (_temp, cache) = folder();
        assert_eq!(cache.read(b"a"), None);
        cache.write(b"a", b"one").unwrap();
        cache.write(b"b", b"two").unwrap();
        assert_eq!(cache.read(b"a").as_deref(), Some(&b"one"[..]));
        fs::copy(cache.path(b"b"), cache.path(b"a")).unwrap();
        assert_eq!(cache.read(b"a"), None);
    }

    #[test]
    fn any_damage_makes_a_file_unread() {
        let (_temp, cache) = folder();
        cache.write(b"a", b"content").unwrap();
        let whole = fs::read(cache.path(b"a")).unwrap();
        for at in 0..whole.len() {
            let mut damaged = whole.clone();
            damaged[at] ^= 1;
            fs::write(cache.path(b"a"), &damaged).unwrap();
            assert_eq!(cache.read(b"a"), None, "byte {at}");
            fs::write(cache.path(b"a"), &whole[..at]).unwrap();
            assert_eq!(cache.read(b"a"), None, "cut at {at}");
        }
        fs::write(cache.path(b"a"), &whole).unwrap();
        assert_eq!(cache.read(b"a").as_deref(), Some(&b"content"[..]));
    }

    #[test]
    fn a_project_keeps_the_files_that_were_used_last() {
        let (_temp, cache) = folder();
        let start = SystemTime::now() - Duration::from_secs(100);
        for n in 0..7_u8 {
            cache.write(&[n], &[n]).unwrap();
            if cache.read(&[n]).is_some() {
                let file = fs::File::options().append(true).open(cache.path(&[n]));
                let time = start + Duration::from_secs(n.into());
                file.unwrap().set_modified(time).unwrap();
            }
        }
        let kept: Vec<u8> = (0..7).filter(|n| cache.read(&[*n]).is_some()).collect();
        assert_eq!(kept, [3, 4, 5, 6]);
    }

    #[test]
    fn two_writers_leave_the_whole_file_of_one() {
        let (_temp, cache) = folder();
        std::thread::scope(|scope| {
            for n in 0..2_u8 {
                let cache = &cache;
                scope.spawn(move || {
                    for _ in 0..50 {
                        cache.write(b"key", &vec![n; 10_000]).unwrap();
                        let read = cache.read(b"key").unwrap();
                        assert!(read == vec![0; 10_000] || read == vec![1; 10_000]);
                    }
                });
            }
        });
        assert_eq!(fs::read_dir(&cache.folder).unwrap().count(), 1);
    }
}
