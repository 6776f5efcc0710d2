//! Which recipe files a command is about.

use std::path::PathBuf;

use anyhow::bail;
use asd_store::Project;
use asd_workspace::{ProjectState, Settings};

/// The project of the paths (or of the current folder), and the names of the
/// files of knowledge at or below them; all of them when no path is given.
pub(crate) fn select(paths: &[PathBuf]) -> anyhow::Result<(ProjectState, Vec<String>)> {
    let here = PathBuf::from(".");
    let first = paths.first().unwrap_or(&here);
    let project = Project::discover(first);
    let state = ProjectState::load(project.root(), &Settings::default());
    let mut names: Vec<String> = state
        .recipe_files()
        .map(|file| file.rel.to_string())
        .chain(
            ["Alembic/config.toml", "Alembic/guard-exclusions.json"]
                .into_iter()
                .filter(|name| state.text_of(name).is_some())
                .map(str::to_owned),
        )
        .collect();
    names.sort();
    if paths.is_empty() {
        return Ok((state, names));
    }
    let mut chosen = Vec::new();
    for path in paths {
        let Some(rel) = project.relative(path) else {
            bail!(
                "{} is outside of the project {}",
                path.display(),
                project.root().display()
            );
        };
        let before = chosen.len();
        let below =
            |name: &str| rel.is_empty() || name == rel || name.starts_with(&format!("{rel}/"));
        chosen.extend(names.iter().filter(|name| below(name)).cloned());
        if chosen.len() == before {
            bail!(
                "{} is no recipe and holds none (recipes lie below Alembic/recipes or \
                 Alembic/candidates)",
                path.display()
            );
        }
    }
    chosen.sort();
    chosen.dedup();
    Ok((state, chosen))
}
