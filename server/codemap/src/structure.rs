//! What a project consists of, in the shape that tools answer with. (mcp.md §5)

use std::collections::BTreeMap;

use serde::Serialize;

use crate::map::{CodeMap, FileId};
use crate::roles::{Priority, Role, file_priority};

/// A target in a list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TargetRow {
    /// Its name.
    pub name: String,
    /// The package that it belongs to.
    pub package_name: String,
    /// What is built.
    #[serde(rename = "type")]
    pub kind: String,
    /// The role that its name says.
    pub inferred_role: Role,
    /// How many source files it has.
    pub file_count: usize,
    /// Files by language.
    pub language_stats: BTreeMap<String, usize>,
}

/// All targets.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Targets {
    /// By name.
    pub targets: Vec<TargetRow>,
    /// The project as a whole; left out when not wanted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub summary: Option<Summary>,
}

/// A project as a whole.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Summary {
    /// How many targets.
    pub target_count: usize,
    /// How many source files.
    pub file_count: usize,
    /// The language of most files; of several the first by name.
    pub primary_language: Option<String>,
    /// Files by language.
    pub languages: BTreeMap<String, usize>,
}

/// A file in a list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FileRow {
    /// Project-relative path.
    pub path: String,
    /// Its name.
    pub name: String,
    /// Its language.
    pub language: String,
    /// Its lines.
    pub lines: u32,
    /// Its size in bytes.
    pub size: u64,
    /// How early it is to be read.
    pub priority: Priority,
    /// Its text, when wanted; put in by whoever may read files.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content: Option<String>,
}

/// The files of a target.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TargetFiles {
    /// The target.
    pub target_name: String,
    /// Its files, those to be read first in front.
    pub files: Vec<FileRow>,
    /// How many there are.
    pub total: usize,
    /// Whether some are left out.
    pub truncated: bool,
}

/// A target in full.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TargetMetadata {
    /// The target.
    pub target_name: String,
    /// The package that it belongs to.
    pub package_name: String,
    /// Its folder; `.` for the root.
    pub path: String,
    /// What it needs: targets of the project, and what its manifest names.
    pub dependencies: Vec<String>,
    /// The targets that need it.
    pub dependents: Vec<String>,
    /// The role that its name says.
    pub role: Role,
    /// Its manifest.
    pub manifest: Option<String>,
}

/// The role of a target: its kind says that it is a test, else its name says.
#[must_use]
pub fn target_role(map: &CodeMap, target: usize) -> Role {
    let target = &map.targets[target];
    if target.kind == "test" {
        Role::Test
    } else {
        Role::of_name(&target.name)
    }
}

fn languages<'f>(
    map: &'f CodeMap,
    files: impl Iterator<Item = FileId> + 'f,
) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for file in files {
        *counts
            .entry(map.file(file).source.facts.language.id().to_owned())
            .or_default() += 1;
    }
    counts
}

fn files_of(map: &CodeMap, target: usize) -> impl Iterator<Item = FileId> + '_ {
    (0_u32..)
        .zip(&map.files)
        .filter(move |(_, file)| file.target as usize == target)
        .map(|(index, _)| FileId(index))
}

/// The languages of a project: files by language and the one of most files.
#[must_use]
pub fn summary(map: &CodeMap) -> Summary {
    let languages = languages(
        map,
        (0_u32..).zip(&map.files).map(|(index, _)| FileId(index)),
    );
    let most = languages.values().copied().max();
    Summary {
        target_count: map.targets.len(),
        file_count: map.files.len(),
        primary_language: languages
            .iter()
            .find(|(_, count)| Some(**count) == most)
            .map(|(name, _)| name.clone()),
        languages,
    }
}

/// The targets of a project.
#[must_use]
pub fn targets(map: &CodeMap) -> Targets {
    let targets = map
        .targets
        .iter()
        .enumerate()
        .map(|(index, target)| TargetRow {
            name: target.name.clone(),
            package_name: target.package.clone(),
            kind: target.kind.clone(),
            inferred_role: target_role(map, index),
            file_count: files_of(map, index).count(),
            language_stats: languages(map, files_of(map, index)),
        })
        .collect();
    Targets {
        targets,
        summary: Some(summary(map)),
    }
}

/// The target with a name.
#[must_use]
pub fn find_target(map: &CodeMap, name: &str) -> Option<usize> {
    map.targets
        .iter()
        .position(|target| target.name == name)
        .or_else(|| {
            map.targets.iter().position(|target| {
                target.folder == name.trim_end_matches('/') || target.package == name
            })
        })
}

/// At most `most` files of a target; `None` when there is no such target.
#[must_use]
pub fn target_files(map: &CodeMap, name: &str, most: usize) -> Option<TargetFiles> {
    let index = find_target(map, name)?;
    let mut files: Vec<FileRow> = files_of(map, index).map(|id| file_row(map, id)).collect();
    files.sort_by(|a, b| (a.priority, &a.path).cmp(&(b.priority, &b.path)));
    let total = files.len();
    files.truncate(most);
    Some(TargetFiles {
        target_name: map.targets[index].name.clone(),
        truncated: total > files.len(),
        files,
        total,
    })
}

fn file_row(map: &CodeMap, id: FileId) -> FileRow {
    let file = map.file(id);
    FileRow {
        path: file.path.clone(),
        name: crate::path::name(&file.path).to_owned(),
        language: file.source.facts.language.id().to_owned(),
        lines: file.source.facts.lines,
        size: file.source.size,
        priority: file_priority(&file.path),
        content: None,
    }
}

/// A target in full; `None` when there is no such target.
#[must_use]
pub fn target_metadata(map: &CodeMap, name: &str) -> Option<TargetMetadata> {
    let index = find_target(map, name)?;
    let target = &map.targets[index];
    let named = |index: &u32| map.targets[*index as usize].name.clone();
    let mut dependencies: Vec<String> = target
        .dependencies
        .iter()
        .map(named)
        .chain(target.declared.iter().cloned())
        .collect();
    dependencies.sort();
    dependencies.dedup();
    let dependents = map
        .targets
        .iter()
        .filter(|other| {
            other
                .dependencies
                .iter()
                .any(|need| *need as usize == index)
        })
        .map(|other| other.name.clone())
        .collect();
    Some(TargetMetadata {
        target_name: target.name.clone(),
        package_name: target.package.clone(),
        path: if target.folder.is_empty() {
            ".".to_owned()
        } else {
            target.folder.clone()
        },
        dependencies,
        dependents,
        role: target_role(map, index),
        manifest: target.manifest.clone(),
    })
}
