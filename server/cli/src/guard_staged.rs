use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use asd_recipe::Severity;
use asd_store::{KNOWLEDGE_DIR, Project, StagedHost};
use asd_workspace::Settings;

use crate::Outcome;
use crate::check::{Checked, Fixing, Job, check_job, settings};
use crate::guard_args::StagedOptions;
use crate::output;
use crate::terminal::Terminal;

pub(crate) fn run(options: &StagedOptions, terminal: &mut Terminal) -> anyhow::Result<Outcome> {
    let project = Project::discover(Path::new("."));
    let (host, staged) = StagedHost::read(project.root())?;
    let settings = Settings {
        host: Arc::new(host),
        ..settings(&options.project)?
    };
    let checked = check_listed(&project, &staged, &settings, terminal)?;
    if options.json {
        output::json::write(&checked, terminal)?;
    } else if checked.batch.files.is_empty() && checked.broken.is_empty() {
        terminal.line("No staged file is to be checked.")?;
    } else {
        output::text::write(&checked, terminal)?;
    }
    let has_error = checked
        .result()
        .details
        .files
        .iter()
        .any(|file| file.summary.errors > 0)
        || checked
            .result()
            .details
            .cross_file_violations
            .iter()
            .any(|violation| violation.severity == Severity::Error);
    Ok(if has_error && options.fail_on_error {
        Outcome::Errors
    } else {
        Outcome::Fine
    })
}

/// Checks files that were listed rather than named one by one, each by the
/// project that it lies in: what no rule knows is passed over in silence.
pub(crate) fn check_listed(
    project: &Project,
    files: &[String],
    settings: &Settings,
    terminal: &Terminal,
) -> anyhow::Result<Checked> {
    let mut projects: BTreeMap<PathBuf, Vec<PathBuf>> = BTreeMap::new();
    for rel in files {
        if rel.split('/').any(|part| part == KNOWLEDGE_DIR) {
            continue;
        }
        let path = project.root().join(rel);
        let root = Project::discover(&path).root().to_path_buf();
        projects.entry(root).or_default().push(path);
    }
    let job = Job {
        root: project.root().to_path_buf(),
        projects: projects.into_iter().collect(),
        settings,
        fixing: Fixing::Nothing,
        select: &|_, mut files| {
            for file in &mut files {
                file.explicit = false;
            }
            files
        },
    };
    check_job(job, terminal)
}
