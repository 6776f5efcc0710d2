//! Which frameworks a project uses. (guard.md §7)

use std::collections::BTreeSet;
use std::path::Path;

use asd_guard::Framework;
use asd_store::{Host, PathKind, Project, read_text_up_to};

/// Packages of one repository lie at most so deep.
const MAX_DEPTH: u32 = 3;
/// So many folders are looked into.
const MAX_FOLDERS: u32 = 500;
const MAX_MANIFEST: u64 = 1024 * 1024;
/// Folders that hold what others have made.
const OTHERS: &[&str] = &[
    "Carthage",
    "Pods",
    "build",
    "coverage",
    "dist",
    "env",
    "node_modules",
    "out",
    "target",
    "vendor",
    "venv",
];

/// The frameworks that the manifests of a project name.
pub(crate) fn frameworks(host: &dyn Host, project: &Project) -> BTreeSet<Framework> {
    let mut found = BTreeSet::new();
    if project.root().as_os_str().is_empty() {
        return found;
    }
    let mut left = MAX_FOLDERS;
    look_into(host, project.root(), MAX_DEPTH, &mut left, &mut found);
    found
}

fn look_into(
    host: &dyn Host,
    folder: &Path,
    depth: u32,
    left: &mut u32,
    found: &mut BTreeSet<Framework>,
) {
    if *left == 0 {
        return;
    }
    *left -= 1;
    for path in host.list(folder).unwrap_or_default() {
        let Some(name) = path.file_name().and_then(|name| name.to_str()) else {
            continue;
        };
        if Framework::is_manifest(name) {
            // A project of Xcode is a folder, whose name says enough.
            let text = read_text_up_to(host, &path, MAX_MANIFEST)
                .map(|decoded| decoded.text)
                .unwrap_or_default();
            found.extend(Framework::in_manifest(name, &text));
        } else if depth > 1
            && !name.starts_with('.')
            && !OTHERS.contains(&name)
            && host.kind(&path) == Some(PathKind::Folder)
        {
            look_into(host, &path, depth - 1, left, found);
        }
    }
}
