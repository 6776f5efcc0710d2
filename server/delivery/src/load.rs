//! The knowledge of a project as its files say it.

use std::path::{Path, PathBuf};

use asd_knowledge::counters::UsageSummary;
use asd_store::{
    Config, Disk, Layer, Project, Skipped, list_recipes, load_recipes, read_text_up_to,
    read_usage_summary,
};

use crate::skills::read_project_skills;
use crate::{Entry, FileCalls, Knowledge, ToolSummary};

const MAX_SETTINGS: u64 = 1024 * 1024;

/// Reads everything that delivered files are made from: recipes, skills, the
/// committed summary of use and the project's own settings. Neither the user's
/// settings nor what an editor has not saved count, since other machines do not
/// have them. `tools` and `calls` come from those who know them.
#[must_use]
pub fn read_knowledge(
    project: &Project,
    tools: Vec<ToolSummary>,
    calls: Option<Vec<FileCalls>>,
) -> Knowledge {
    let config = config(project);
    let extra: Vec<PathBuf> = config
        .recipes_dirs
        .iter()
        .map(|folder| project.root().join(folder))
        .filter(|folder| project.contains(folder))
        .collect();
    let (paths, mut left_out) = list_recipes(&Disk, project, &extra);
    let (files, unreadable) = load_recipes(&Disk, &paths);
    left_out.extend(unreadable);
    left_out.extend(
        files
            .iter()
            .filter(|file| !file.is_sound())
            .map(|file| Skipped {
                path: file.rel.to_string(),
                reason: "it cannot be read as a recipe; `asd recipe check` says why".to_owned(),
            }),
    );
    left_out.sort();
    for file in &left_out {
        tracing::warn!(
            path = file.path,
            reason = file.reason,
            "cannot read a recipe"
        );
    }
    let usage = read_usage_summary(project).unwrap_or_else(|error| {
        tracing::warn!(%error, "the summary of use counts as empty");
        UsageSummary::default()
    });
    Knowledge {
        entries: files
            .into_iter()
            .filter(|file| file.is_sound() && !Path::new(&*file.rel).is_absolute())
            .filter_map(|file| Some(Entry::new(file.rel.clone(), file.recipe?, &usage)))
            .collect(),
        skills: read_project_skills(project),
        tools,
        calls,
        trust_agents: config.delivery.trust_agents,
        left_out,
    }
}

fn config(project: &Project) -> Config {
    let mut config = Config::default();
    for (path, read) in [
        (project.config(), Layer::from_toml as fn(&str) -> Layer),
        (project.legacy_config(), Layer::from_json),
    ] {
        if let Ok(decoded) = read_text_up_to(&Disk, &path, MAX_SETTINGS) {
            config.apply(&read(&decoded.text));
            break;
        }
    }
    config
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recipes_that_cannot_be_read_are_left_out_and_named() {
        let temp = tempfile::tempdir().unwrap();
        let project = Project::at(temp.path());
        let recipes = project.recipes();
        std::fs::create_dir_all(&recipes).unwrap();
        let sound = "---\ntrigger: '@a'\ntitle: A\ndo: Call A\nkind: rule\n---\n";
        std::fs::write(recipes.join("a.md"), sound).unwrap();
        std::fs::write(recipes.join("latin.md"), b"---\ntitle: caf\xE9\n---\n").unwrap();
        std::fs::write(recipes.join("open.md"), "---\ntitle: B\n").unwrap();
        let knowledge = read_knowledge(&project, Vec::new(), None);
        assert_eq!(knowledge.entries.len(), 1);
        let told: Vec<(&str, &str)> = knowledge
            .left_out
            .iter()
            .map(|file| (file.path.as_str(), file.reason.as_str()))
            .collect();
        assert_eq!(
            told,
            [
                (
                    "Alembic/recipes/latin.md",
                    "not valid UTF-8 (first bad byte at offset 14)"
                ),
                (
                    "Alembic/recipes/open.md",
                    "it cannot be read as a recipe; `asd recipe check` says why"
                ),
            ]
        );
    }
}
