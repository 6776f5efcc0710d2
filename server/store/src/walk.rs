use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use ignore::{WalkBuilder, WalkState};

use crate::git_index::tracked_files;
use crate::project::{absolute, below, holds_knowledge};
use crate::{Host, KNOWLEDGE_DIR, PathKind, Project, Unreadable};

/// A file to be checked.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct FileEntry {
    /// Project-relative path with `/`.
    pub rel: String,
    /// Its absolute path below the project's root as it was given.
    pub path: PathBuf,
    /// Whether it was named by itself rather than found in a folder.
    pub explicit: bool,
}

/// Something that cannot be checked.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Skipped {
    /// Project-relative path with `/`; absolute for a path outside.
    pub path: String,
    /// Why, for a person.
    pub reason: String,
}

/// What a walk found, each list sorted by path.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Walked {
    /// The files to be checked.
    pub files: Vec<FileEntry>,
    /// What could not be looked at.
    pub skipped: Vec<Skipped>,
    /// Folders with an `Alembic/` of their own: projects in the project, whose
    /// files are checked by their own rules and are not in `files`.
    pub nested: Vec<PathBuf>,
}

impl Walked {
    /// Takes a file, unless its path cannot be written as text: then nothing
    /// could name it, and a write would make another file.
    fn add(&mut self, file: FileEntry) {
        if file.path.ends_with(&file.rel) {
            self.files.push(file);
        } else {
            self.skipped.push(Skipped {
                path: file.rel,
                reason: "its name is not valid UTF-8".to_owned(),
            });
        }
    }
}

/// What a host meets on a walk.
#[derive(Clone, Debug)]
pub enum Visited {
    /// A regular file.
    File(PathBuf),
    /// A symbolic link, not followed.
    Link(PathBuf),
    /// Something that is neither file, folder nor link.
    Other(PathBuf),
    /// A project in the project, not entered.
    Nested(PathBuf),
    /// A folder that could not be read, or a file that vanished.
    Unreadable(PathBuf, Unreadable),
}

/// Where a walk goes.
#[derive(Clone, Debug)]
pub struct WalkRoot {
    /// The folder to be walked.
    pub folder: PathBuf,
    /// The project's folder of knowledge, not entered.
    pub knowledge: PathBuf,
    /// Whether the folder lies in a git work tree, so that the ignore files of
    /// the folders above it count.
    pub in_git: bool,
}

/// Folders that are not entered: dependencies and build results. What git
/// tracks in them is checked nevertheless. (guard.md §1)
const SKIPPED_FOLDERS: &[&str] = &[
    "node_modules",
    "build",
    "DerivedData",
    "Pods",
    "vendor",
    "dist",
    "Carthage",
    "xcuserdata",
    "__pycache__",
    "target",
    "venv",
    "env",
    "out",
    "coverage",
];

pub(crate) fn is_skipped_folder(name: &str) -> bool {
    name.starts_with('.') || SKIPPED_FOLDERS.contains(&name)
}

/// The files to be checked below `paths` (files or folders; the whole project
/// when there are none).
///
/// - A path that names a file is taken as it is: no ignore file and no list of
///   skipped folders applies to it.
/// - In folders, everything that git ignores and the skipped folders are left
///   out, save the files that git tracks.
/// - Symbolic links are not followed: what they lead to is checked where it
///   lies. One that leads nowhere, to a folder that holds it, or out of the
///   project, is reported.
///
/// The terminal and the editor both walk with this function, so they check the
/// same files.
#[must_use]
pub fn walk(host: &dyn Host, project: &Project, paths: &[PathBuf], cancel: &AtomicBool) -> Walked {
    let mut walked = Walked::default();
    let mut folders = Vec::new();
    let whole = [project.root().to_path_buf()];
    let paths = if paths.is_empty() { &whole } else { paths };
    for path in paths {
        let path = absolute(path);
        let Some(rel) = project.relative(&path) else {
            walked.skipped.push(Skipped {
                path: path.display().to_string(),
                reason: format!("outside of the project {}", project.root().display()),
            });
            continue;
        };
        let path = project.root().join(&rel);
        match host.kind(&path) {
            Some(PathKind::Folder) => folders.push((path, rel)),
            Some(PathKind::File) => walked.add(FileEntry {
                rel,
                path,
                explicit: true,
            }),
            Some(PathKind::Other) => walked.skipped.push(Skipped {
                path: rel,
                reason: Unreadable::NotAFile.to_string(),
            }),
            None => walked.skipped.push(Skipped {
                path: rel,
                reason: Unreadable::Missing.to_string(),
            }),
        }
    }
    let git_root = project.git_root().map(Path::to_path_buf);
    for (folder, _) in &folders {
        let root = WalkRoot {
            folder: folder.clone(),
            knowledge: project.knowledge(),
            in_git: git_root.is_some(),
        };
        walk_folder(host, project, &root, cancel, &mut walked);
    }
    if let Some(git_root) = git_root
        && !folders.is_empty()
        && !cancel.load(Ordering::Relaxed)
    {
        add_tracked(host, project, &git_root, &folders, &mut walked);
    }
    // A file that was both named and found counts as named.
    walked
        .files
        .sort_by(|a, b| (&a.rel, !a.explicit).cmp(&(&b.rel, !b.explicit)));
    walked.files.dedup_by(|b, a| a.rel == b.rel);
    walked.skipped.sort();
    walked.skipped.dedup();
    walked.nested.sort();
    walked.nested.dedup();
    walked
}

fn walk_folder(
    host: &dyn Host,
    project: &Project,
    root: &WalkRoot,
    cancel: &AtomicBool,
    walked: &mut Walked,
) {
    let found = Mutex::new(Vec::new());
    host.walk(root, cancel, &|visited| {
        if let Ok(mut found) = found.lock() {
            found.push(visited);
        }
    });
    let relative =
        |path: &Path| below(project.root(), path).unwrap_or_else(|| path.display().to_string());
    for visited in found.into_inner().unwrap_or_default() {
        match visited {
            Visited::File(path) => walked.add(FileEntry {
                rel: relative(&path),
                path,
                explicit: false,
            }),
            Visited::Nested(path) => walked.nested.push(path),
            Visited::Link(path) => {
                if let Some(reason) = link_reason(project, &path) {
                    walked.skipped.push(Skipped {
                        path: relative(&path),
                        reason: reason.to_owned(),
                    });
                }
            }
            Visited::Other(path) => walked.skipped.push(Skipped {
                path: relative(&path),
                reason: Unreadable::NotAFile.to_string(),
            }),
            Visited::Unreadable(path, reason) => walked.skipped.push(Skipped {
                path: relative(&path),
                reason: reason.to_string(),
            }),
        }
    }
}

/// Why a symbolic link is worth a word; `None` when its target is checked at
/// its own place.
fn link_reason(project: &Project, link: &Path) -> Option<&'static str> {
    match link.canonicalize() {
        Ok(target)
            if link
                .parent()
                .and_then(|p| p.canonicalize().ok())
                .is_some_and(|p| p.starts_with(&target)) =>
        {
            Some("a symbolic link to a folder that holds it")
        }
        Ok(target) if !project.contains(&target) => {
            Some("a symbolic link that leads out of the project")
        }
        Ok(_) => None,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            Some("a symbolic link that leads nowhere")
        }
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
            Some("a symbolic link to something that may not be read")
        }
        Err(_) => Some("a symbolic link that leads to itself"),
    }
}

/// Adds the files that git tracks although a list or an ignore file would have
/// them left out.
fn add_tracked(
    host: &dyn Host,
    project: &Project,
    git_root: &Path,
    folders: &[(PathBuf, String)],
    walked: &mut Walked,
) {
    let Some(tracked) = tracked_files(host, git_root) else {
        return;
    };
    let prefix = below(git_root, project.root()).unwrap_or_default();
    let found: BTreeSet<&str> = walked.files.iter().map(|file| file.rel.as_str()).collect();
    let nested: Vec<String> = walked
        .nested
        .iter()
        .filter_map(|path| below(project.root(), path))
        .collect();
    let missed: Vec<String> = tracked
        .into_iter()
        .filter_map(|path| strip_folder(&path, &prefix).map(str::to_owned))
        .filter(|rel| !found.contains(rel.as_str()))
        .filter(|rel| strip_folder(rel, KNOWLEDGE_DIR).is_none())
        .filter(|rel| nested.iter().all(|n| strip_folder(rel, n).is_none()))
        .filter(|rel| folders.iter().any(|(_, f)| strip_folder(rel, f).is_some()))
        .collect();
    for rel in missed {
        let path = project.root().join(&rel);
        let is_link = path.symlink_metadata().is_ok_and(|m| m.is_symlink());
        if !is_link && host.kind(&path) == Some(PathKind::File) {
            walked.files.push(FileEntry {
                rel,
                path,
                explicit: false,
            });
        }
    }
}

/// What follows `folder/` in a path; the whole path for the empty folder.
fn strip_folder<'p>(path: &'p str, folder: &str) -> Option<&'p str> {
    if folder.is_empty() {
        return Some(path);
    }
    path.strip_prefix(folder)?.strip_prefix('/')
}

/// The walk of the real file system, on several threads.
pub(crate) fn walk_disk(root: &WalkRoot, cancel: &AtomicBool, visit: &(dyn Fn(Visited) + Sync)) {
    let knowledge = root.knowledge.clone();
    // Nested projects are found where the walker decides whether to enter a
    // folder, which has no way back to `visit` but a list.
    let nested = std::sync::Arc::new(Mutex::new(Vec::new()));
    let found_nested = nested.clone();
    let mut builder = WalkBuilder::new(&root.folder);
    builder
        .hidden(false)
        .require_git(false)
        .parents(root.in_git)
        .filter_entry(move |entry| {
            let is_folder = entry.file_type().is_some_and(|kind| kind.is_dir());
            if entry.depth() == 0 || !is_folder {
                return true;
            }
            if is_skipped_folder(&entry.file_name().to_string_lossy()) || entry.path() == knowledge
            {
                return false;
            }
            if holds_knowledge(entry.path()) {
                if let Ok(mut nested) = found_nested.lock() {
                    nested.push(entry.path().to_path_buf());
                }
                return false;
            }
            true
        });
    builder.build_parallel().run(|| {
        Box::new(|entry| {
            if cancel.load(Ordering::Relaxed) {
                return WalkState::Quit;
            }
            match entry {
                Ok(entry) => {
                    let Some(kind) = entry.file_type() else {
                        return WalkState::Continue;
                    };
                    if kind.is_file() {
                        visit(Visited::File(entry.into_path()));
                    } else if kind.is_symlink() {
                        visit(Visited::Link(entry.into_path()));
                    } else if !kind.is_dir() {
                        visit(Visited::Other(entry.into_path()));
                    }
                }
                Err(error) => {
                    if let Some((path, reason)) = unreadable(&error) {
                        visit(Visited::Unreadable(path, reason));
                    }
                }
            }
            WalkState::Continue
        })
    });
    let nested = nested.lock().map(|mut n| std::mem::take(&mut *n));
    for path in nested.unwrap_or_default() {
        visit(Visited::Nested(path));
    }
}

/// The path and reason of an error of the walker; `None` for a broken line of
/// an ignore file, which git passes over in silence too.
fn unreadable(error: &ignore::Error) -> Option<(PathBuf, Unreadable)> {
    let io = error.io_error()?;
    let path = error_path(error)?;
    Some((path, Unreadable::from_io(io, crate::MAX_FILE)))
}

fn error_path(error: &ignore::Error) -> Option<PathBuf> {
    match error {
        ignore::Error::WithPath { path, .. } => Some(path.clone()),
        ignore::Error::WithDepth { err, .. } | ignore::Error::WithLineNumber { err, .. } => {
            error_path(err)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::process::Command;

    use super::*;
    use crate::Disk;

    struct Tree(tempfile::TempDir);

    impl Tree {
        fn new(files: &[(&str, &str)]) -> Self {
            let tree = Self(tempfile::tempdir().unwrap());
            for (path, text) in files {
                let path = tree.path(path);
                fs::create_dir_all(path.parent().unwrap()).unwrap();
                fs::write(path, text).unwrap();
            }
            tree
        }

        fn path(&self, rel: &str) -> PathBuf {
            self.0.path().join(rel)
        }

        fn git(&self, arguments: &[&str]) {
            let done = Command::new("git")
                .current_dir(self.0.path())
                .args(arguments)
                .output()
                .unwrap();
            assert!(done.status.success(), "git {arguments:?}: {done:?}");
        }

        fn walk(&self, paths: &[&str]) -> Walked {
            let paths: Vec<PathBuf> = paths.iter().map(|p| self.path(p)).collect();
            let project = Project::at(self.0.path());
            walk(&Disk, &project, &paths, &AtomicBool::new(false))
        }

        fn files(&self, paths: &[&str]) -> Vec<String> {
            self.walk(paths).files.into_iter().map(|f| f.rel).collect()
        }
    }

    #[test]
    fn ignored_and_vendored_files_are_left_out() {
        let tree = Tree::new(&[
            (".gitignore", "gen/\n*.log.ts\n"),
            ("gen/a.ts", ""),
            ("x.log.ts", ""),
            ("src/.gitignore", "!keep.log.ts\n"),
            ("src/keep.log.ts", ""),
            ("src/.eslintrc.js", ""),
            ("node_modules/x/a.ts", ""),
            ("src/dist/a.ts", ""),
            (".venv/a.py", ""),
            ("Alembic/recipes/a.md", ""),
        ]);
        assert_eq!(
            tree.files(&[]),
            [
                ".gitignore",
                "src/.eslintrc.js",
                "src/.gitignore",
                "src/keep.log.ts"
            ]
        );
    }

    #[test]
    fn what_git_tracks_is_checked_wherever_it_lies() {
        let tree = Tree::new(&[
            (".gitignore", "*.gen.ts\n"),
            ("vendor/ours.ts", ""),
            ("a.gen.ts", ""),
            (".github/b.yml", ""),
            ("Alembic/recipes/a.md", ""),
        ]);
        tree.git(&["init", "-q"]);
        tree.git(&["add", "-f", "."]);
        fs::write(tree.path("vendor/theirs.ts"), "").unwrap();
        fs::write(tree.path("b.gen.ts"), "").unwrap();
        assert_eq!(
            tree.files(&[]),
            [".github/b.yml", ".gitignore", "a.gen.ts", "vendor/ours.ts"]
        );
        fs::remove_file(tree.path("vendor/ours.ts")).unwrap();
        assert_eq!(tree.files(&[]), [".github/b.yml", ".gitignore", "a.gen.ts"]);
    }

    #[test]
    fn a_named_file_or_folder_is_taken_whatever_is_ignored() {
        let tree = Tree::new(&[
            (".gitignore", "dist\n"),
            ("dist/a.ts", ""),
            ("dist/b.ts", ""),
            ("src/c.ts", ""),
        ]);
        assert_eq!(tree.files(&["dist/a.ts"]), ["dist/a.ts"]);
        assert_eq!(tree.files(&["dist"]), ["dist/a.ts", "dist/b.ts"]);
        let walked = tree.walk(&["dist/a.ts", "dist", "absent.ts"]);
        assert_eq!(walked.files.len(), 2);
        assert!(walked.files[0].explicit && !walked.files[1].explicit);
        assert_eq!(walked.skipped[0].path, "absent.ts");
        let outside = tree.walk(&["../elsewhere.ts"]);
        assert!(
            outside.skipped[0]
                .reason
                .starts_with("outside of the project")
        );
    }

    #[test]
    fn a_project_in_the_project_is_named_and_not_entered() {
        let tree = Tree::new(&[
            ("a.ts", ""),
            ("sub/Alembic/config.toml", ""),
            ("sub/b.ts", ""),
        ]);
        let walked = tree.walk(&[]);
        assert_eq!(walked.files.len(), 1);
        assert_eq!(walked.nested, [tree.path("sub")]);
    }

    #[cfg(unix)]
    #[test]
    fn links_are_not_followed_and_bad_ones_are_told() {
        use std::os::unix::fs::symlink;
        let tree = Tree::new(&[("src/a.ts", "")]);
        let outside = tempfile::tempdir().unwrap();
        symlink(tree.path("src/a.ts"), tree.path("src/fine.ts")).unwrap();
        symlink(tree.path("src"), tree.path("src/loop")).unwrap();
        symlink(tree.path("src/self"), tree.path("src/self")).unwrap();
        symlink(tree.path("absent"), tree.path("src/nowhere")).unwrap();
        symlink(outside.path(), tree.path("src/out")).unwrap();
        let walked = tree.walk(&[]);
        assert_eq!(walked.files.len(), 1);
        let told: Vec<String> = walked
            .skipped
            .iter()
            .map(|s| format!("{}: {}", s.path, s.reason))
            .collect();
        assert_eq!(
            told,
            [
                "src/loop: a symbolic link to a folder that holds it",
                "src/nowhere: a symbolic link that leads nowhere",
                "src/out: a symbolic link that leads out of the project",
                "src/self: a symbolic link that leads to itself",
            ]
        );
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_file_whose_name_is_no_text_is_told() {
        use std::os::unix::ffi::OsStrExt;
        let tree = Tree::new(&[("src/饼.ts", "")]);
        let name = std::ffi::OsStr::from_bytes(b"bad\xff.ts");
        std::fs::write(tree.path("src").join(name), "").unwrap();
        let walked = tree.walk(&[]);
        assert_eq!(walked.files.len(), 1);
        let [skipped] = walked.skipped.as_slice() else {
            panic!("{walked:?}");
        };
        assert_eq!(skipped.path, "src/bad\u{fffd}.ts");
        assert_eq!(skipped.reason, "its name is not valid UTF-8");
    }

    /// A disk on which one folder may not be read.
    struct Locked(PathBuf);

    impl Host for Locked {
        fn read(&self, path: &Path, limit: u64) -> io::Result<Vec<u8>> {
            Disk.read(path, limit)
        }

        fn kind(&self, path: &Path) -> Option<PathKind> {
            Disk.kind(path)
        }

        fn size(&self, path: &Path) -> u64 {
            Disk.size(path)
        }

        fn list(&self, folder: &Path) -> io::Result<Vec<PathBuf>> {
            Disk.list(folder)
        }

        fn walk(&self, root: &WalkRoot, cancel: &AtomicBool, visit: &(dyn Fn(Visited) + Sync)) {
            Disk.walk(root, cancel, &|visited| match &visited {
                Visited::File(path) if path.starts_with(&self.0) => {
                    visit(Visited::Unreadable(self.0.clone(), Unreadable::Denied));
                }
                _ => visit(visited),
            });
        }
    }

    #[test]
    fn a_folder_that_may_not_be_read_is_told_and_the_rest_is_checked() {
        let tree = Tree::new(&[("a.ts", ""), ("secret/b.ts", ""), ("z.ts", "")]);
        let host = Locked(tree.path("secret"));
        let project = Project::at(tree.0.path());
        let walked = walk(&host, &project, &[], &AtomicBool::new(false));
        let files: Vec<&str> = walked.files.iter().map(|f| f.rel.as_str()).collect();
        assert_eq!(files, ["a.ts", "z.ts"]);
        assert_eq!(
            walked.skipped,
            [Skipped {
                path: "secret".into(),
                reason: "permission denied".into()
            }]
        );
    }
}
