//! The knowledge of a real folder: what is written, what is read again, and
//! what becomes of both when something goes wrong.

mod crash;
mod hostile;
mod journals;
mod together;
mod truth;
mod writing;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use asd_recipe::{Code, Content, Lifecycle, Reasoning, Recipe, SourceRef};

use super::*;

/// A project with a knowledge folder.
pub(super) fn project() -> (tempfile::TempDir, Project) {
    let temp = tempfile::tempdir().unwrap();
    fs::create_dir(temp.path().join("Alembic")).unwrap();
    let project = Project::at(temp.path());
    (temp, project)
}

pub(super) fn store(project: &Project) -> KnowledgeStore {
    KnowledgeStore::new(project, &[])
}

/// Writes a file of the knowledge folder.
pub(super) fn write(project: &Project, rel: &str, text: &str) {
    let path = project.knowledge().join(rel);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

pub(super) fn read(project: &Project, rel: &str) -> String {
    fs::read_to_string(project.knowledge().join(rel)).unwrap()
}

/// A recipe file with front-matter lines.
pub(super) fn text(front: &str) -> String {
    format!("---\n{front}\n---\n\n## Rationale\n\nBecause.\n")
}

/// A complete recipe.
pub(super) fn recipe(trigger: &str, lifecycle: Lifecycle) -> Recipe {
    Recipe {
        title: format!("About {trigger}"),
        trigger: format!("@{trigger}"),
        knowledge_type: "code-pattern".to_owned(),
        complexity: "intermediate".to_owned(),
        source: "manual".to_owned(),
        language: "rust".to_owned(),
        category: "Network".to_owned(),
        do_clause: "Do it".to_owned(),
        core_code: Some(Code {
            language: "rust".to_owned(),
            text: "call();".to_owned(),
            ..Code::default()
        }),
        content: Content {
            rationale: "Because.".to_owned(),
            ..Content::default()
        },
        reasoning: Reasoning {
            why_standard: "It broke.".to_owned(),
            sources: vec![SourceRef::parse("src/a.rs:1-5")],
            ..Reasoning::default()
        },
        lifecycle,
        ..Recipe::default()
    }
}

/// The hash that a recipe file states.
pub(super) fn stated_hash(text: &str) -> String {
    let read = asd_recipe::parse(text, asd_recipe::Home::Recipes);
    read.recipe.unwrap().hash.unwrap()
}

/// Every file below a folder with its content.
pub(super) fn files_below(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    fn collect(root: &Path, folder: &Path, files: &mut BTreeMap<String, Vec<u8>>) {
        let Ok(entries) = fs::read_dir(folder) else {
            return;
        };
        for entry in entries {
            let path = entry.unwrap().path();
            if path.is_dir() {
                collect(root, &path, files);
            } else {
                let rel = path.strip_prefix(root).unwrap().display().to_string();
                files.insert(rel, fs::read(&path).unwrap());
            }
        }
    }
    let mut files = BTreeMap::new();
    collect(folder, folder, &mut files);
    files
}

/// The paths of the knowledge files.
pub(super) fn paths(project: &Project) -> Vec<String> {
    files_below(&project.knowledge()).into_keys().collect()
}

/// The counts of a report that are not zero.
pub(super) fn counts(report: &SyncReport) -> String {
    let value = serde_json::to_value(report).unwrap();
    let counts = value
        .as_object()
        .unwrap()
        .iter()
        .filter_map(|(key, value)| {
            let count = value.as_u64().or_else(|| {
                let is_list = key == "errors";
                is_list.then(|| value.as_array().map_or(0, Vec::len) as u64)
            })?;
            (count > 0).then(|| format!("{key}={count}"))
        });
    counts.collect::<Vec<_>>().join(" ")
}
