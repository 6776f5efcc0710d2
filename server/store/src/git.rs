//! What git knows of a project: which files changed, in which lines, and what
//! is staged. It is asked through its own command, so that the user's settings,
//! filters, linked work trees and index extensions are honoured as they are.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use thiserror::Error;

use crate::MAX_FILE;

/// Why git could not answer.
#[derive(Debug, Error)]
pub enum GitError {
    /// There is no git.
    #[error("git is not installed, or not on the PATH")]
    NotInstalled,
    /// The folder is in no work tree.
    #[error("{} is not in a git repository", .0.display())]
    NotARepository(PathBuf),
    /// What was named is no commit.
    #[error(
        "git knows no commit `{0}`; in a shallow clone, fetch more of the history (on GitHub, \
         `fetch-depth: 0`)"
    )]
    UnknownRevision(String),
    /// The histories have no commit in common, as far as they were fetched.
    #[error(
        "`{0}` and HEAD have no commit in common; in a shallow clone, fetch more of the history \
         (on GitHub, `fetch-depth: 0`)"
    )]
    NoMergeBase(String),
    /// What git says.
    #[error("git {command}: {message}")]
    Failed {
        /// What it was to do.
        command: String,
        /// Its own words.
        message: String,
    },
}

/// The git work tree that a project lies in. All paths are relative to the
/// project's root, with `/`; what lies outside of it is left out.
#[derive(Clone, Debug)]
pub struct Git {
    root: PathBuf,
}

/// A staged file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Staged {
    /// Project-relative path with `/`.
    pub rel: String,
    /// The name of its content.
    pub object: String,
}

/// Which lines of a file differ from the last commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ChangedLines {
    /// The file is new.
    All,
    /// First and last line of each block, from 1.
    Blocks(Vec<(u32, u32)>),
}

impl ChangedLines {
    /// Whether any of the lines from `first` to `last` differs.
    #[must_use]
    pub fn touches(&self, first: u32, last: u32) -> bool {
        match self {
            Self::All => true,
            Self::Blocks(blocks) => blocks.iter().any(|&(from, to)| from <= last && first <= to),
        }
    }
}

impl Git {
    /// The work tree around the folder `root`.
    ///
    /// # Errors
    /// [`GitError`] when there is none, or no git.
    pub fn open(root: &Path) -> Result<Self, GitError> {
        let git = Self {
            root: root.to_path_buf(),
        };
        match git.run(&["rev-parse", "--is-inside-work-tree"]) {
            Ok(answer) if answer.starts_with(b"true") => Ok(git),
            Err(GitError::Failed { message, .. }) if !message.contains("not a git repository") => {
                Err(GitError::Failed {
                    command: "rev-parse".to_owned(),
                    message,
                })
            }
            Err(GitError::NotInstalled) => Err(GitError::NotInstalled),
            _ => Err(GitError::NotARepository(git.root)),
        }
    }

    /// The commit that is checked out; `None` before the first one.
    #[must_use]
    pub fn head(&self) -> Option<String> {
        let answer = self.run(&["rev-parse", "--verify", "--quiet", "HEAD^{commit}"]);
        Some(text(&answer.ok()?).trim().to_owned())
    }

    /// The name of the person who commits here.
    #[must_use]
    pub fn user(&self) -> Option<String> {
        let name = text(&self.run(&["config", "user.name"]).ok()?)
            .trim()
            .to_owned();
        (!name.is_empty()).then_some(name)
    }

    /// The folder of the hooks that git runs here, absolute.
    ///
    /// # Errors
    /// What git says.
    pub fn hooks_folder(&self) -> Result<PathBuf, GitError> {
        // Asked without the settings that keep hooks from running, which would
        // be the answer.
        let name = "rev-parse";
        let output = Command::new("git")
            .current_dir(&self.root)
            .args([name, "--git-path", "hooks"])
            .env("GIT_OPTIONAL_LOCKS", "0")
            .env("LC_ALL", "C")
            .stdin(Stdio::null())
            .output()
            .map_err(|error| spawn_error(name, &error))?;
        if !output.status.success() {
            return Err(GitError::Failed {
                command: name.to_owned(),
                message: text(&output.stderr).trim().to_owned(),
            });
        }
        Ok(self
            .root
            .join(text(&output.stdout).trim_end_matches(['\n', '\r'])))
    }

    /// Clones a repository into a folder that is absent or empty.
    ///
    /// # Errors
    /// What git says.
    pub fn clone_into(url: &str, folder: &Path) -> Result<(), GitError> {
        let parent = folder.parent().unwrap_or(folder);
        let git = Self {
            root: parent.to_path_buf(),
        };
        let target = folder.to_string_lossy();
        // What begins with `-` is an address, not an option.
        git.run(&["clone", "--quiet", "--", url, &target])
            .map(|_| ())
    }

    /// The regular files that the next commit adds or changes.
    ///
    /// # Errors
    /// What git says.
    pub fn staged(&self) -> Result<Vec<Staged>, GitError> {
        let mut command = vec!["diff", "--cached", "--raw", "--no-abbrev", "-z", "-M"];
        command.extend(DIFF);
        command.push("--diff-filter=ACMR");
        let answer = self.run(&command)?;
        let mut fields = answer.split(|byte| *byte == 0).map(text);
        let mut staged = Vec::new();
        while let Some(head) = fields.next().filter(|head| head.starts_with(':')) {
            let parts: Vec<&str> = head.split(' ').collect();
            let [_, mode, _, object, status] = parts.as_slice() else {
                break;
            };
            let mut rel = fields.next().unwrap_or_default();
            if status.starts_with(['R', 'C']) {
                rel = fields.next().unwrap_or_default();
            }
            if mode.starts_with("100") && !rel.is_empty() {
                staged.push(Staged {
                    rel,
                    object: (*object).to_owned(),
                });
            }
        }
        staged.sort_by(|a, b| a.rel.cmp(&b.rel));
        Ok(staged)
    }

    /// The contents of objects, in their order; `None` for one that is larger
    /// than [`MAX_FILE`] or missing.
    ///
    /// # Errors
    /// What git says.
    pub fn contents(&self, objects: &[&str]) -> Result<Vec<Option<Vec<u8>>>, GitError> {
        if objects.is_empty() {
            return Ok(Vec::new());
        }
        let fail = |error: std::io::Error| GitError::Failed {
            command: "cat-file".to_owned(),
            message: error.to_string(),
        };
        let mut child = self
            .command(&["cat-file", "--batch"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|error| spawn_error("cat-file", &error))?;
        let (Some(mut input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(fail(std::io::ErrorKind::BrokenPipe.into()));
        };
        let request: String = objects.iter().map(|object| format!("{object}\n")).collect();
        // Git answers while it is asked: without a second thread both sides
        // could wait for the other.
        let contents = std::thread::scope(|scope| {
            scope.spawn(move || {
                // Git says itself what is wrong when it stops reading.
                let _ = input.write_all(request.as_bytes());
            });
            let mut output = BufReader::new(output);
            objects
                .iter()
                .map(|_| next_object(&mut output))
                .collect::<std::io::Result<Vec<_>>>()
        })
        .map_err(fail)?;
        child.wait().map_err(fail)?;
        Ok(contents)
    }

    /// The files that differ from the last commit: changed, staged, and new
    /// ones that git does not ignore. Sorted; deleted ones may be among them.
    ///
    /// # Errors
    /// What git says.
    pub fn changed(&self) -> Result<Vec<String>, GitError> {
        let mut files = self.untracked()?;
        let mut command = vec!["diff", "--name-only", "-z"];
        command.extend(DIFF);
        files.extend(self.names(&[&command[..], &["--cached"]].concat())?);
        if self.head().is_some() {
            files.extend(self.names(&[&command[..], &["HEAD"]].concat())?);
        }
        files.sort();
        files.dedup();
        Ok(files)
    }

    /// The files that differ from where `revision` and HEAD parted, new ones
    /// among them. Sorted.
    ///
    /// # Errors
    /// What git says.
    pub fn changed_since(&self, revision: &str) -> Result<Vec<String>, GitError> {
        let unknown = || GitError::UnknownRevision(revision.to_owned());
        let commit = format!("{revision}^{{commit}}");
        let commit = self
            .run(&[
                "rev-parse",
                "--verify",
                "--quiet",
                "--end-of-options",
                &commit,
            ])
            .map_err(|_| unknown())?;
        let commit = text(&commit).trim().to_owned();
        let base = self
            .run(&["merge-base", &commit, "HEAD"])
            .map_err(|_| GitError::NoMergeBase(revision.to_owned()))?;
        let base = text(&base).trim().to_owned();
        let mut command = vec!["diff", "--name-only", "-z", "--diff-filter=ACMR"];
        command.extend(DIFF);
        command.push(&base);
        let mut files = self.names(&command)?;
        files.extend(self.untracked()?);
        files.sort();
        files.dedup();
        Ok(files)
    }

    /// Which lines of the changed files differ from the last commit.
    ///
    /// # Errors
    /// What git says.
    pub fn changed_lines(&self) -> Result<BTreeMap<String, ChangedLines>, GitError> {
        let mut files: BTreeMap<String, ChangedLines> = self
            .untracked()?
            .into_iter()
            .map(|rel| (rel, ChangedLines::All))
            .collect();
        if self.head().is_none() {
            let staged = self.staged()?.into_iter();
            files.extend(staged.map(|file| (file.rel, ChangedLines::All)));
            return Ok(files);
        }
        let mut command = vec!["diff", "-U0", "--src-prefix=a/", "--dst-prefix=b/", "-M"];
        command.extend(DIFF);
        command.push("HEAD");
        let diff = self.run(&command)?;
        for (rel, blocks) in parse_diff(&text(&diff)) {
            files.insert(rel, ChangedLines::Blocks(blocks));
        }
        Ok(files)
    }

    /// The work tree's folder, in which paths are relative.
    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    pub(crate) fn untracked(&self) -> Result<Vec<String>, GitError> {
        self.names(&["ls-files", "--others", "--exclude-standard", "-z"])
    }

    pub(crate) fn names(&self, arguments: &[&str]) -> Result<Vec<String>, GitError> {
        let answer = self.run(arguments)?;
        let names = answer.split(|byte| *byte == 0).map(text);
        Ok(names.filter(|name| !name.is_empty()).collect())
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Result<Vec<u8>, GitError> {
        let name = arguments.first().copied().unwrap_or_default();
        let output = self
            .command(arguments)
            .stdin(Stdio::null())
            .output()
            .map_err(|error| spawn_error(name, &error))?;
        if output.status.success() {
            return Ok(output.stdout);
        }
        Err(GitError::Failed {
            command: name.to_owned(),
            message: text(&output.stderr)
                .trim()
                .trim_start_matches("fatal: ")
                .to_owned(),
        })
    }

    /// A git command that runs no program that the repository names (a monitor
    /// of the file system, a hook, a tool for differences), takes no lock that
    /// another command may wait for, and asks nothing.
    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new("git");
        command
            .current_dir(&self.root)
            .args([
                "-c",
                "core.fsmonitor=false",
                "-c",
                "core.hooksPath=/dev/null",
            ])
            .args(["-c", "core.quotePath=false", "-c", "diff.noprefix=false"])
            .args(arguments)
            .env("GIT_OPTIONAL_LOCKS", "0")
            .env("GIT_TERMINAL_PROMPT", "0")
            .env("LC_ALL", "C");
        // A hook is told where the repository lies relative to its own folder.
        for name in ["GIT_DIR", "GIT_INDEX_FILE", "GIT_WORK_TREE"] {
            if let Some(path) = std::env::var_os(name).filter(|path| is_relative(path))
                && let Ok(path) = std::path::absolute(path)
            {
                command.env(name, path);
            }
        }
        command
    }
}

/// What every comparison is called with.
pub(crate) const DIFF: [&str; 4] = ["--relative", "--no-color", "--no-ext-diff", "--no-textconv"];

fn is_relative(path: &OsStr) -> bool {
    !path.is_empty() && Path::new(path).is_relative()
}

fn spawn_error(command: &str, error: &std::io::Error) -> GitError {
    if error.kind() == std::io::ErrorKind::NotFound {
        GitError::NotInstalled
    } else {
        GitError::Failed {
            command: command.to_owned(),
            message: error.to_string(),
        }
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Reads one answer of `cat-file --batch`: a line `name type size`, the content
/// and a line feed; or a line that ends with `missing`.
fn next_object(output: &mut impl BufRead) -> std::io::Result<Option<Vec<u8>>> {
    let mut head = String::new();
    if output.read_line(&mut head)? == 0 {
        return Err(std::io::ErrorKind::UnexpectedEof.into());
    }
    let Some(size) = head
        .trim_end()
        .rsplit_once(' ')
        .and_then(|(_, size)| size.parse::<u64>().ok())
    else {
        return Ok(None);
    };
    let mut body = output.take(size + 1);
    if size > MAX_FILE {
        std::io::copy(&mut body, &mut std::io::sink())?;
        return Ok(None);
    }
    let mut content = Vec::new();
    body.read_to_end(&mut content)?;
    content.pop();
    Ok(Some(content))
}

/// The blocks of new lines of each file of a difference without context.
fn parse_diff(diff: &str) -> BTreeMap<String, Vec<(u32, u32)>> {
    let mut files: BTreeMap<String, Vec<(u32, u32)>> = BTreeMap::new();
    let mut current: Option<String> = None;
    // Lines of a block may look like any line of the head.
    let mut body = 0;
    for line in diff.split('\n') {
        if body > 0 && line.starts_with(['+', '-']) {
            body -= 1;
        } else if let Some(path) = line.strip_prefix("+++ ") {
            let path = unquoted(path.trim_end_matches('\t'));
            current = path.strip_prefix("b/").map(str::to_owned);
            if let Some(path) = &current {
                files.entry(path.clone()).or_default();
            }
        } else if let Some((old, new)) = line
            .strip_prefix("@@ -")
            .and_then(|line| line.split_once(" @@"))
            .and_then(|(ranges, _)| ranges.split_once(" +"))
        {
            let (_, removed) = range(old);
            let (first, added) = range(new);
            body = removed + added;
            if added > 0
                && let Some(path) = &current
            {
                let blocks = files.entry(path.clone()).or_default();
                blocks.push((first, first + added - 1));
            }
        }
    }
    files
}

/// `12,3` as a first line and a count; `12` is one line.
fn range(text: &str) -> (u32, u32) {
    let (first, count) = text.split_once(',').unwrap_or((text, "1"));
    (first.parse().unwrap_or(0), count.parse().unwrap_or(0))
}

/// A path as git quotes it when a character in it needs that.
fn unquoted(path: &str) -> String {
    let Some(inner) = path
        .strip_prefix('"')
        .and_then(|path| path.strip_suffix('"'))
    else {
        return path.to_owned();
    };
    let mut bytes = Vec::with_capacity(inner.len());
    let mut rest = inner.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'\\' {
            bytes.push(byte);
            continue;
        }
        match rest.next() {
            Some(b't') => bytes.push(b'\t'),
            Some(b'n') => bytes.push(b'\n'),
            Some(b'r') => bytes.push(b'\r'),
            Some(b'a') => bytes.push(7),
            Some(b'b') => bytes.push(8),
            Some(b'v') => bytes.push(11),
            Some(b'f') => bytes.push(12),
            Some(digit @ b'0'..=b'3') => {
                let mut value = digit - b'0';
                for digit in rest.by_ref().take(2) {
                    value = value.wrapping_mul(8).wrapping_add(digit.wrapping_sub(b'0'));
                }
                bytes.push(value);
            }
            Some(other) => bytes.push(other),
            None => {}
        }
    }
    text(&bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_read_whatever_their_lines_look_like() {
        let diff = "diff --git a/a.ts b/a.ts\n--- a/a.ts\n+++ b/a.ts\n\
                    @@ -1 +1,2 @@ fn\n-old\n+++ b/not-a-path\n+@@ -1 +9 @@\n\
                    @@ -7,2 +8,0 @@\n-x\n-y\n\
                    diff --git a/gone.ts b/gone.ts\n--- a/gone.ts\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n\
                    diff --git \"a/t\\tb.ts\" \"b/t\\tb.ts\"\n--- /dev/null\n+++ \"b/t\\tb.ts\"\n\
                    @@ -0,0 +1 @@\n+x\n\\ No newline at end of file\n";
        let files = parse_diff(diff);
        assert_eq!(files["a.ts"], [(1, 2)]);
        assert_eq!(files["t\tb.ts"], [(1, 1)]);
        assert_eq!(files.len(), 2);
    }

    #[test]
    fn quoted_paths_are_read() {
        assert_eq!(unquoted("b/plain"), "b/plain");
        assert_eq!(unquoted(r#""b/\"q\" \303\251\\""#), "b/\"q\" é\\");
    }

    #[test]
    fn lines_are_touched_where_they_overlap() {
        let lines = ChangedLines::Blocks(vec![(3, 4)]);
        assert!(lines.touches(4, 9) && lines.touches(1, 3) && lines.touches(3, 3));
        assert!(!lines.touches(1, 2) && !lines.touches(5, 5));
        assert!(ChangedLines::All.touches(1, 1));
    }
}
