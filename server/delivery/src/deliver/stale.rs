//! Files with names that we manage.

use std::fs;
use std::path::Path;

use asd_store::Project;

use crate::protect::is_owned;

/// A file with a managed name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ManagedFile {
    /// Project-relative path with `/`.
    pub path: String,
    /// Whether we wrote it.
    pub owned: bool,
}

/// Whether a file in a folder of rules has a name that we manage.
/// `alembic-conventions.mdc` and `alembic-skills.mdc` are not ours.
pub(crate) fn is_managed_rule(name: &str) -> bool {
    name.strip_suffix(".mdc").is_some_and(|stem| {
        stem.starts_with("alembic-project-rules") || stem.starts_with("alembic-patterns-")
    })
}

/// The managed files below a tool's folder, such as `.cursor`, sorted. Links
/// are not followed.
pub(crate) fn managed_files(project: &Project, tool: &str) -> Vec<ManagedFile> {
    let mut files = Vec::new();
    let root = project.root();
    let rules = format!("{tool}/rules");
    for (name, is_folder) in entries(&root.join(&rules)) {
        if !is_folder && is_managed_rule(&name) {
            push(root, format!("{rules}/{name}"), &mut files);
        }
    }
    let skills = format!("{tool}/skills");
    for (name, is_folder) in entries(&root.join(&skills)) {
        if is_folder && name.starts_with("alembic-") {
            collect(root, &format!("{skills}/{name}"), 4, &mut files);
        }
    }
    files
}

fn collect(root: &Path, folder: &str, depth: usize, files: &mut Vec<ManagedFile>) {
    for (name, is_folder) in entries(&root.join(folder)) {
        let path = format!("{folder}/{name}");
        if !is_folder {
            push(root, path, files);
        } else if depth > 0 {
            collect(root, &path, depth - 1, files);
        }
    }
}

fn push(root: &Path, path: String, files: &mut Vec<ManagedFile>) {
    let owned = fs::read(root.join(&path)).is_ok_and(|bytes| is_owned(&bytes));
    files.push(ManagedFile { path, owned });
}

/// The files and folders in a folder, by name; links are left out, and so is a
/// folder that is a link itself.
pub(crate) fn entries(folder: &Path) -> Vec<(String, bool)> {
    if folder.symlink_metadata().is_ok_and(|m| m.is_symlink()) {
        return Vec::new();
    }
    let mut entries: Vec<(String, bool)> = fs::read_dir(folder)
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|entry| {
            let kind = entry.file_type().ok().filter(|kind| !kind.is_symlink())?;
            Some((entry.file_name().into_string().ok()?, kind.is_dir()))
        })
        .collect();
    entries.sort();
    entries
}
