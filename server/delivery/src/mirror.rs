//! Rules and skills copied for tools that read folders of their own but the
//! same files. (delivery.md §16)

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use asd_store::{Project, WriteError, write_atomic};
use serde::Serialize;
use thiserror::Error;

use crate::deliver::{Action, Mode, PlannedFile, entries, lock};
use crate::protect::is_owned;

/// A tool that gets a copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are those of the tools")]
pub enum MirrorTarget {
    Trae,
    Qoder,
}

impl MirrorTarget {
    /// Every target.
    pub const ALL: [Self; 2] = [Self::Trae, Self::Qoder];

    /// Its folder in the project.
    #[must_use]
    pub const fn folder(self) -> &'static str {
        match self {
            Self::Trae => ".trae",
            Self::Qoder => ".qoder",
        }
    }
}

/// Why nothing was copied.
#[derive(Debug, Error)]
pub enum MirrorError {
    /// There is nothing to copy.
    #[error("there are no rules or skills of Alembic below .cursor/; run `asd deliver` first")]
    NoSource,
    /// Another process delivers.
    #[error(transparent)]
    Write(#[from] WriteError),
}

/// What was copied, or would be.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct MirrorReport {
    /// Rules in the source.
    pub rules: usize,
    /// Skills in the source.
    pub skills: usize,
    /// Every file, by path.
    pub files: Vec<PlannedFile>,
}

/// Copies `.cursor/rules/alembic-*` and `.cursor/skills/alembic-*` under the
/// same names, and removes copies whose source is gone. Files of people stay.
///
/// # Errors
/// [`MirrorError`]; single files that fail are in the report.
pub fn mirror(
    project: &Project,
    targets: &[MirrorTarget],
    mode: Mode,
) -> Result<MirrorReport, MirrorError> {
    let _lock = match mode {
        Mode::Write => Some(lock(project)?),
        Mode::DryRun => None,
    };
    let source = files_of(project, ".cursor");
    if source.is_empty() {
        return Err(MirrorError::NoSource);
    }
    let mut report = MirrorReport {
        rules: source
            .keys()
            .filter(|path| path.starts_with("rules/"))
            .count(),
        skills: source
            .keys()
            .filter_map(|path| path.strip_prefix("skills/")?.split('/').next())
            .collect::<std::collections::BTreeSet<_>>()
            .len(),
        files: Vec::new(),
    };
    for target in targets {
        let there = files_of(project, target.folder());
        for (rel, bytes) in &source {
            let path = format!("{}/{rel}", target.folder());
            report
                .files
                .push(copy(project, path, bytes, there.get(rel), mode));
        }
        for (rel, bytes) in &there {
            if !source.contains_key(rel) && is_owned(bytes) {
                let path = format!("{}/{rel}", target.folder());
                let done = match mode {
                    Mode::DryRun => Ok(()),
                    Mode::Write => crate::deliver::remove_owned(project, &path),
                };
                report.files.push(told(path, Action::Remove, done));
            }
        }
    }
    if mode == Mode::Write {
        crate::deliver::remove_empty_folders(project, &mut crate::deliver::Record::default());
    }
    report.files.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(report)
}

fn copy(
    project: &Project,
    path: String,
    bytes: &[u8],
    there: Option<&Vec<u8>>,
    mode: Mode,
) -> PlannedFile {
    let action = match there {
        None if project.root().join(&path).symlink_metadata().is_ok() => {
            return told(path, Action::Skipped, Err("not-a-file".to_owned()));
        }
        None => Action::Create,
        Some(known) if known == bytes => Action::Unchanged,
        Some(known) if is_owned(known) => Action::Update,
        Some(_) => return told(path, Action::Skipped, Err("user-owned".to_owned())),
    };
    let done = match (mode, action) {
        (Mode::DryRun, _) | (_, Action::Unchanged) => Ok(()),
        (Mode::Write, _) => write_atomic(project, &path, bytes)
            .map(|_| ())
            .map_err(|error| error.to_string()),
    };
    told(path, action, done)
}

fn told(path: String, action: Action, done: Result<(), String>) -> PlannedFile {
    let (action, reason) = match (action, done) {
        (action, Ok(())) => (action, None),
        (Action::Skipped, Err(reason)) => (Action::Skipped, Some(reason)),
        (_, Err(reason)) => (Action::Failed, Some(reason)),
    };
    PlannedFile {
        path,
        action,
        reason,
        line: None,
        tokens: 0,
    }
}

/// Every `alembic-*` file of a tool's folder with its content, by its path below
/// that folder.
fn files_of(project: &Project, tool: &str) -> BTreeMap<String, Vec<u8>> {
    let mut files = BTreeMap::new();
    if let Ok(folder) = project.absolute(tool) {
        for kind in ["rules", "skills"] {
            for (name, is_folder) in entries(&folder.join(kind)) {
                if name.starts_with("alembic-") {
                    collect(
                        &folder,
                        format!("{kind}/{name}"),
                        is_folder,
                        MOST_DEPTH,
                        &mut files,
                    );
                }
            }
        }
    }
    files
}

/// Folders nested deeper are no skills.
const MOST_DEPTH: usize = 6;

fn collect(
    root: &Path,
    path: String,
    is_folder: bool,
    depth: usize,
    files: &mut BTreeMap<String, Vec<u8>>,
) {
    if !is_folder {
        if let Ok(bytes) = fs::read(root.join(&path)) {
            files.insert(path, bytes);
        }
    } else if depth > 0 {
        for (name, is_folder) in entries(&root.join(&path)) {
            collect(root, format!("{path}/{name}"), is_folder, depth - 1, files);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIGNED: &str = "<!-- auto-generated by [alembic] -->\n";

    fn project(files: &[(&str, &str)]) -> (tempfile::TempDir, Project) {
        let temp = tempfile::tempdir().unwrap();
        let project = Project::at(temp.path());
        for (path, text) in files {
            let path = temp.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        (temp, project)
    }

    #[test]
    fn copies_keep_their_names_and_files_of_people_stay() {
        let (temp, project) = project(&[
            (".cursor/rules/alembic-project-rules.mdc", SIGNED),
            (".cursor/rules/mine.mdc", "mine"),
            (".cursor/skills/alembic-guard/SKILL.md", SIGNED),
            (".cursor/skills/alembic-guard/references/RECIPES.md", SIGNED),
            (".trae/rules/own.md", "own"),
            (".trae/rules/alembic-mine.mdc", "by hand"),
            (".trae/rules/alembic-patterns-old.mdc", SIGNED),
            (".trae/skills/alembic-old/SKILL.md", SIGNED),
        ]);
        let report = mirror(&project, &MirrorTarget::ALL, Mode::Write).unwrap();
        assert_eq!((report.rules, report.skills), (1, 1));
        let read = |path: &str| fs::read_to_string(temp.path().join(path)).ok();
        assert_eq!(read(".trae/rules/own.md").as_deref(), Some("own"));
        assert_eq!(
            read(".trae/rules/alembic-mine.mdc").as_deref(),
            Some("by hand")
        );
        for tool in [".trae", ".qoder"] {
            for path in [
                "rules/alembic-project-rules.mdc",
                "skills/alembic-guard/references/RECIPES.md",
            ] {
                assert_eq!(
                    read(&format!("{tool}/{path}")).as_deref(),
                    Some(SIGNED),
                    "{tool}/{path}"
                );
            }
        }
        assert!(read(".trae/rules/mine.mdc").is_none());
        assert!(read(".trae/rules/alembic-patterns-old.mdc").is_none());
        assert!(!temp.path().join(".trae/skills/alembic-old").exists());
        let again = mirror(&project, &MirrorTarget::ALL, Mode::Write).unwrap();
        assert!(
            again
                .files
                .iter()
                .all(|file| file.action == Action::Unchanged),
            "{again:?}"
        );
    }

    #[test]
    fn without_a_source_it_says_so() {
        let (_temp, project) = project(&[(".cursor/rules/mine.mdc", "mine")]);
        let result = mirror(&project, &MirrorTarget::ALL, Mode::DryRun);
        assert!(matches!(result, Err(MirrorError::NoSource)));
    }
}
