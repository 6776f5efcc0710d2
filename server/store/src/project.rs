use std::path::{Component, Path, PathBuf};

use thiserror::Error;

/// The folder that holds a project's knowledge.
pub const KNOWLEDGE_DIR: &str = "Alembic";

/// A project's folder and the layout below it. (knowledge.md §1)
///
/// Paths are kept as they were given (only made absolute), so that what goes
/// back to a client is spelled as the client spells it; resolved paths are used
/// for comparisons only.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Project {
    root: PathBuf,
    resolved: PathBuf,
}

/// A path that leads out of the project.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{} is outside of the project {}", path.display(), root.display())]
pub struct OutsideProject {
    /// The path.
    pub path: PathBuf,
    /// The project's root.
    pub root: PathBuf,
}

impl Project {
    /// The project at exactly this folder.
    #[must_use]
    pub fn at(root: &Path) -> Self {
        let root = absolute(root);
        let resolved = root.canonicalize().unwrap_or_else(|_| root.clone());
        Self { root, resolved }
    }

    /// The project that `path` (a file or a folder, which need not exist)
    /// belongs to: the nearest ancestor that holds `Alembic/`, else the root of
    /// the git work tree, else the folder itself.
    #[must_use]
    pub fn discover(path: &Path) -> Self {
        let path = absolute(path);
        let start = if path.is_dir() {
            path.as_path()
        } else {
            path.parent().unwrap_or(&path)
        };
        let root = start
            .ancestors()
            .find(|folder| holds_knowledge(folder))
            .or_else(|| start.ancestors().find(|folder| is_git_root(folder)))
            .unwrap_or(start);
        Self::at(root)
    }

    /// The root, absolute, as it was given.
    #[must_use]
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// `Alembic/`
    #[must_use]
    pub fn knowledge(&self) -> PathBuf {
        self.root.join(KNOWLEDGE_DIR)
    }

    /// `Alembic/recipes/`
    #[must_use]
    pub fn recipes(&self) -> PathBuf {
        self.knowledge().join("recipes")
    }

    /// `Alembic/candidates/`
    #[must_use]
    pub fn candidates(&self) -> PathBuf {
        self.knowledge().join("candidates")
    }

    /// `Alembic/config.toml`
    #[must_use]
    pub fn config(&self) -> PathBuf {
        self.knowledge().join("config.toml")
    }

    /// `.asd/config.json`, read when there is no `config.toml`.
    #[must_use]
    pub fn legacy_config(&self) -> PathBuf {
        self.root.join(".asd").join("config.json")
    }

    /// `Alembic/guard-exclusions.json`
    #[must_use]
    pub fn exclusions(&self) -> PathBuf {
        self.knowledge().join("guard-exclusions.json")
    }

    /// Whether the project has been set up.
    #[must_use]
    pub fn has_knowledge(&self) -> bool {
        holds_knowledge(&self.root)
    }

    /// The project-relative form of a path, with `/`; `None` when it is outside.
    /// Works for files that do not exist, and when one of the two spellings
    /// goes through a symbolic link.
    #[must_use]
    pub fn relative(&self, path: &Path) -> Option<String> {
        let path = absolute(path);
        if let Some(relative) = below(&self.root, &path).or_else(|| below(&self.resolved, &path)) {
            return Some(relative);
        }
        below(&self.resolved, &resolve_existing(&path))
    }

    /// The absolute path of a project-relative one.
    ///
    /// # Errors
    /// [`OutsideProject`] when it is absolute, climbs with `..`, or leads out
    /// through a symbolic link.
    pub fn absolute(&self, relative: &str) -> Result<PathBuf, OutsideProject> {
        let path = self.root.join(relative);
        let climbs = Path::new(relative)
            .components()
            .any(|part| !matches!(part, Component::Normal(_) | Component::CurDir));
        if climbs || !resolve_existing(&path).starts_with(&self.resolved) {
            return Err(OutsideProject {
                path,
                root: self.root.clone(),
            });
        }
        Ok(path)
    }

    /// Whether a path, with its symbolic links resolved, lies in the project.
    #[must_use]
    pub fn contains(&self, path: &Path) -> bool {
        resolve_existing(&absolute(path)).starts_with(&self.resolved)
    }

    /// The root of the git work tree that the project lies in.
    pub(crate) fn git_root(&self) -> Option<&Path> {
        self.root.ancestors().find(|folder| is_git_root(folder))
    }
}

/// Whether a folder holds `Alembic/`, in exactly this spelling: on file systems
/// that ignore case, the `alembic/` of a database migration tool is none.
pub(crate) fn holds_knowledge(folder: &Path) -> bool {
    let knowledge = folder.join(KNOWLEDGE_DIR);
    let Ok(metadata) = knowledge.symlink_metadata() else {
        return false;
    };
    if metadata.is_symlink() {
        return knowledge.is_dir();
    }
    metadata.is_dir()
        && (cfg!(not(any(windows, target_os = "macos")))
            || knowledge
                .canonicalize()
                .is_ok_and(|real| real.ends_with(KNOWLEDGE_DIR)))
}

fn is_git_root(folder: &Path) -> bool {
    folder.join(".git").exists()
}

/// The path from the root of the file system, with `.` and `..` taken out by
/// their spelling alone.
pub(crate) fn absolute(path: &Path) -> PathBuf {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
    let mut result = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => {
                result.pop();
            }
            Component::CurDir => {}
            other => result.push(other),
        }
    }
    result
}

/// Resolves the symbolic links of the part of a path that exists.
fn resolve_existing(path: &Path) -> PathBuf {
    for ancestor in path.ancestors() {
        if let Ok(resolved) = ancestor.canonicalize() {
            let rest = path
                .strip_prefix(ancestor)
                .unwrap_or_else(|_| Path::new(""));
            return if rest.as_os_str().is_empty() {
                resolved
            } else {
                resolved.join(rest)
            };
        }
    }
    path.to_path_buf()
}

pub(crate) fn below(root: &Path, path: &Path) -> Option<String> {
    let rest = path.strip_prefix(root).ok()?;
    let parts: Vec<_> = rest
        .components()
        .map(|part| part.as_os_str().to_string_lossy())
        .collect();
    Some(parts.join("/"))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn the_nearest_knowledge_folder_wins_over_the_git_root() {
        let temp = tempfile::tempdir().unwrap();
        let root = temp.path();
        fs::create_dir_all(root.join(".git")).unwrap();
        fs::create_dir_all(root.join("a/Alembic")).unwrap();
        fs::create_dir_all(root.join("a/src")).unwrap();
        fs::create_dir_all(root.join("b")).unwrap();
        fs::write(root.join("a/src/x.ts"), "").unwrap();
        assert_eq!(
            Project::discover(&root.join("a/src/x.ts")).root(),
            root.join("a")
        );
        assert_eq!(
            Project::discover(&root.join("a/src/new.ts")).root(),
            root.join("a")
        );
        assert_eq!(Project::discover(&root.join("b")).root(), root);
    }

    #[test]
    fn without_either_the_folder_is_the_project() {
        let temp = tempfile::tempdir().unwrap();
        assert_eq!(Project::discover(temp.path()).root(), temp.path());
    }

    #[test]
    fn paths_outside_are_refused() {
        let temp = tempfile::tempdir().unwrap();
        let root = temp.path().join("p");
        fs::create_dir_all(&root).unwrap();
        let project = Project::at(&root);
        assert_eq!(
            project.relative(&root.join("a/b.ts")).as_deref(),
            Some("a/b.ts")
        );
        assert_eq!(project.relative(&root.join("../x.ts")), None);
        assert_eq!(project.relative(&temp.path().join("pp/x.ts")), None);
        assert!(project.absolute("../x").is_err());
        assert!(project.absolute("a/../../x").is_err());
        assert_eq!(project.absolute("a/x"), Ok(root.join("a/x")));
    }

    #[cfg(unix)]
    #[test]
    fn symbolic_links_are_followed_for_the_decision_only() {
        let temp = tempfile::tempdir().unwrap();
        let root = temp.path().join("real");
        fs::create_dir_all(&root).unwrap();
        fs::create_dir_all(temp.path().join("elsewhere")).unwrap();
        std::os::unix::fs::symlink(&root, temp.path().join("link")).unwrap();
        std::os::unix::fs::symlink(temp.path().join("elsewhere"), root.join("out")).unwrap();
        let project = Project::at(&temp.path().join("link"));
        assert_eq!(project.root(), temp.path().join("link"));
        assert_eq!(
            project.relative(&root.join("x.ts")).as_deref(),
            Some("x.ts")
        );
        assert!(project.absolute("out/x").is_err());
        assert!(!project.contains(&root.join("out/x")));
        assert!(project.contains(&root.join("in/x")));
    }
}
