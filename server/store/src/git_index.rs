//! Which files git tracks, read from its index: a skipped folder's files are
//! checked after all when they are tracked, and no command may be run for that.

use std::path::{Path, PathBuf};

use crate::Host;

const MAX_INDEX: u64 = 512 * 1024 * 1024;
const REGULAR_FILE: u32 = 0o100_000;
const TYPE_MASK: u32 = 0o170_000;

/// The regular files in the index of the work tree at `root`, relative to it,
/// sorted. `None` when there is no index that can be understood.
pub(crate) fn tracked_files(host: &dyn Host, root: &Path) -> Option<Vec<String>> {
    let index = git_dir(host, root)?.join("index");
    let bytes = host.read(&index, MAX_INDEX).ok()?;
    // The length of an object name is not stated in the file. A wrong guess
    // fails at the first entry's padding.
    parse(&bytes, 20).or_else(|| parse(&bytes, 32))
}

/// The folder that holds the index; in a linked work tree `.git` is a file that
/// names it.
fn git_dir(host: &dyn Host, root: &Path) -> Option<PathBuf> {
    let dot_git = root.join(".git");
    if host.kind(&dot_git)? == crate::PathKind::Folder {
        return Some(dot_git);
    }
    let bytes = host.read(&dot_git, 64 * 1024).ok()?;
    let text = String::from_utf8(bytes).ok()?;
    Some(root.join(text.strip_prefix("gitdir:")?.trim()))
}

fn parse(bytes: &[u8], hash_len: usize) -> Option<Vec<String>> {
    let mut rest = Bytes { bytes, at: 0 };
    if rest.take(4)? != b"DIRC" {
        return None;
    }
    let version = rest.u32()?;
    if !(2..=4).contains(&version) {
        return None;
    }
    let count = rest.u32()? as usize;
    let mut files = Vec::with_capacity(count.min(bytes.len() / 62));
    let mut name: Vec<u8> = Vec::new();
    for _ in 0..count {
        let start = rest.at;
        rest.take(24)?;
        let mode = rest.u32()?;
        rest.take(12 + hash_len)?;
        let flags = rest.u16()?;
        if version >= 3 && flags & 0x4000 != 0 {
            rest.take(2)?;
        }
        if version == 4 {
            let drop = rest.offset()?;
            name.truncate(name.len().checked_sub(drop)?);
            name.extend_from_slice(rest.until_nul()?);
        } else {
            name.clear();
            name.extend_from_slice(rest.until_nul()?);
            let padding = (8 - (rest.at - start) % 8) % 8;
            if rest.take(padding)?.iter().any(|byte| *byte != 0) {
                return None;
            }
        }
        let stated = usize::from(flags & 0x0FFF);
        if stated != name.len().min(0x0FFF) {
            return None;
        }
        if mode & TYPE_MASK == REGULAR_FILE {
            files.push(String::from_utf8_lossy(&name).into_owned());
        }
    }
    // A file with a merge conflict has up to three entries.
    files.dedup();
    Some(files)
}

struct Bytes<'b> {
    bytes: &'b [u8],
    at: usize,
}

impl<'b> Bytes<'b> {
    fn take(&mut self, count: usize) -> Option<&'b [u8]> {
        let taken = self.bytes.get(self.at..self.at.checked_add(count)?)?;
        self.at += count;
        Some(taken)
    }

    fn u16(&mut self) -> Option<u16> {
        Some(u16::from_be_bytes(self.take(2)?.try_into().ok()?))
    }

    fn u32(&mut self) -> Option<u32> {
        Some(u32::from_be_bytes(self.take(4)?.try_into().ok()?))
    }

    /// Up to the next NUL, which is passed over.
    fn until_nul(&mut self) -> Option<&'b [u8]> {
        let rest = self.bytes.get(self.at..)?;
        let length = rest.iter().position(|byte| *byte == 0)?;
        self.at += length + 1;
        Some(&rest[..length])
    }

    /// A number in git's offset encoding.
    fn offset(&mut self) -> Option<usize> {
        let mut byte = self.take(1)?[0];
        let mut value = usize::from(byte & 0x7F);
        while byte & 0x80 != 0 {
            byte = self.take(1)?[0];
            value = value.checked_add(1)?.checked_shl(7)? | usize::from(byte & 0x7F);
        }
        Some(value)
    }
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;
    use crate::Disk;

    fn git(root: &Path, arguments: &[&str]) {
        let done = Command::new("git")
            .current_dir(root)
            .args(arguments)
            .output()
            .unwrap();
        assert!(done.status.success(), "git {arguments:?}: {done:?}");
    }

    #[test]
    fn the_index_is_read_as_git_writes_it() {
        if Command::new("git").arg("--version").output().is_err() {
            return;
        }
        for version in ["2", "3", "4"] {
            for format in ["sha1", "sha256"] {
                let temp = tempfile::tempdir().unwrap();
                let root = temp.path();
                git(root, &["init", "-q", "--object-format", format]);
                std::fs::create_dir_all(root.join("dist/饼干")).unwrap();
                for name in ["a.ts", "dist/a.ts", "dist/aaa.ts", "dist/饼干/b.ts"] {
                    std::fs::write(root.join(name), "x").unwrap();
                }
                git(root, &["add", "."]);
                std::fs::write(root.join("later.ts"), "x").unwrap();
                if version == "3" {
                    git(root, &["add", "--intent-to-add", "later.ts"]);
                } else {
                    git(root, &["update-index", "--index-version", version]);
                }
                let tracked = tracked_files(&Disk, root).unwrap();
                let expected = ["a.ts", "dist/a.ts", "dist/aaa.ts", "dist/饼干/b.ts"];
                assert_eq!(tracked[..4], expected, "version {version}, {format}");
                assert_eq!(tracked.len(), if version == "3" { 5 } else { 4 });
            }
        }
    }

    #[test]
    fn a_damaged_index_is_not_understood() {
        assert_eq!(parse(b"DIRC\0\0\0\x02\0\0\xFF\xFFxxxx", 20), None);
        assert_eq!(parse(b"", 20), None);
    }
}
