//! The knowledge of a project as its files say it.

use std::path::{Path, PathBuf};

use asd_knowledge::counters::UsageSummary;
use asd_store::{
    Config, Disk, Layer, Project, list_recipes, load_recipes, read_text_up_to, read_usage_summary,
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
    let (paths, _) = list_recipes(&Disk, project, &extra);
    let (files, skipped) = load_recipes(&Disk, &paths);
    for file in skipped {
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
