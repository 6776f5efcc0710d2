//! Making a project ready, and taking that back. (delivery.md §15)

mod config_file;
mod files;
mod git_hooks;
mod gitignore;
mod record;
mod seeds;
mod undo;

pub use files::SetupFile;
pub use undo::{UndoReport, undo};

use std::path::{Path, PathBuf};

use asd_knowledge::permit::DEFAULT_CONSTITUTION;
use asd_recipe::{NewRecipe, new_recipe_text};
use asd_store::{Git, KnowledgeStore, Project, config_schema, project_state_folder};
use serde::Serialize;
use thiserror::Error;

use crate::Knowledge;
use crate::deliver::{Action, DeliverOptions, DeliveryReport, Mode, deliver, plan};
use crate::hosts::{Host, merge_hooks};
use files::Files;

/// What Claude Code runs, and when.
pub(crate) const CLAUDE_SETTINGS: &str = ".claude/settings.json";
pub(crate) const CLAUDE_EVENTS: [&str; 2] = ["SessionStart", "PreCompact"];
pub(crate) const CLAUDE_COMMAND: &str = "asd task prime --stdin";

/// What is asked of a setup.
#[derive(Clone, Debug, Default)]
pub struct SetupOptions {
    /// Write the settings anew although they are there.
    pub force: bool,
    /// Add example recipes for the project's languages.
    pub seed: bool,
    /// Clone the knowledge from here.
    pub repo: Option<String>,
    /// Write nothing into the project.
    pub ghost: bool,
    /// The hosts that are told of the server.
    pub hosts: Vec<Host>,
    /// A file of a person that gets a section of ours.
    pub adopt: Option<String>,
    /// Have Claude Code prime each session.
    pub claude_hooks: bool,
    /// Check what is about to be committed.
    pub git_hooks: bool,
    /// Leave out the delivery.
    pub no_deliver: bool,
}

/// Why a setup did not begin.
#[derive(Debug, Error)]
pub enum SetupError {
    /// The source repository of this program.
    #[error("this is the source repository of asd; set up a project below it instead")]
    OwnRepository,
    /// There is knowledge where it should be cloned to.
    #[error("Alembic/ is not empty; `--repo` clones into an empty folder")]
    NotEmpty,
    /// `--adopt` names another file.
    #[error("`--adopt` takes AGENTS.md or .github/copilot-instructions.md, not {0}")]
    NotAdoptable(String),
    /// There is no place for the user's state.
    #[error("there is no folder for your own state; set HOME or XDG_STATE_HOME")]
    NoStateFolder,
}

/// What a setup did, or would do.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SetupReport {
    /// Where the knowledge is, when that is not in the project.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ghost: Option<PathBuf>,
    /// Every file that was looked at, in the order of the steps.
    pub files: Vec<SetupFile>,
    /// What was delivered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delivery: Option<DeliveryReport>,
    /// What a person should know or do.
    pub notes: Vec<String>,
    /// What went wrong.
    pub errors: Vec<String>,
}

impl SetupReport {
    /// Whether every step was carried out.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.errors.is_empty()
            && !self.files.iter().any(|file| file.action == Action::Failed)
            && self
                .delivery
                .as_ref()
                .is_none_or(DeliveryReport::is_complete)
    }
}

/// Makes a project ready. Doing it twice changes nothing the second time. A
/// step that fails is told, and those that do not need it are carried out.
/// `load` reads what is delivered, once everything else is in place.
///
/// # Errors
/// [`SetupError`] when nothing was begun.
pub fn setup(
    project: &Project,
    options: &SetupOptions,
    load: &dyn Fn(&Project) -> Knowledge,
    mode: Mode,
) -> Result<SetupReport, SetupError> {
    if is_own_repository(project.root()) {
        return Err(SetupError::OwnRepository);
    }
    if let Some(path) = &options.adopt
        && !["AGENTS.md", ".github/copilot-instructions.md"].contains(&path.as_str())
    {
        return Err(SetupError::NotAdoptable(path.clone()));
    }
    if options.ghost {
        return ghost(project, options, mode);
    }
    let mut report = SetupReport::default();
    let source = match &options.repo {
        Some(url) => clone(project, url, mode, &mut report)?,
        None => Source::Project,
    };
    let mut files = Files::new(project, mode);
    // Files in a folder that could not be cloned would be in the way of the next
    // attempt.
    if source != Source::Missing {
        knowledge_files(&mut files, options, &name_of(project), project);
        if mode == Mode::Write {
            make_database(project, &mut report);
        }
    }
    files.change(".asd/config.schema.json", |_| Ok(schema_text()));
    files.change(".gitignore", |text| {
        gitignore::with_block(text.unwrap_or_default())
    });
    for host in &options.hosts {
        for file in host.files() {
            files.change(file.path, |text| file.merge(text));
        }
        if let Some((place, snippet)) = host.snippet() {
            report.notes.push(format!(
                "{} has no file in the project; put this into {place}:\n{snippet}",
                host.name()
            ));
        }
    }
    if options.claude_hooks {
        files.change(CLAUDE_SETTINGS, |text| {
            merge_hooks(text, &CLAUDE_EVENTS, CLAUDE_COMMAND)
        });
    }
    if options.git_hooks {
        git_hook(&mut files, &mut report);
    }
    if mode == Mode::Write {
        files.record.save(project);
    }
    report.files = files.done;
    if !options.no_deliver && source != Source::Missing {
        deliver_now(project, options, load, mode, &mut report);
    }
    advise(project, &mut report);
    Ok(report)
}

/// Steps 1 to 3: settings, the folders of the knowledge, examples. `source` is
/// the project whose code the examples name.
fn knowledge_files(files: &mut Files<'_>, options: &SetupOptions, name: &str, source: &Project) {
    if files.project.legacy_config().is_file() && !files.project.config().is_file() {
        let reason = "settings are in .asd/config.json; move them to Alembic/config.toml";
        files.tell("Alembic/config.toml", Action::Skipped, Some(reason));
    } else {
        let text = config_file::text(name);
        let force = options.force;
        files.change("Alembic/config.toml", |before| {
            Ok(match before {
                Some(before) if !force => before.to_owned(),
                _ => text,
            })
        });
    }
    if files.mode == Mode::Write {
        for folder in ["recipes", "candidates", "skills", "wiki"] {
            let path = files.project.knowledge().join(folder);
            if let Err(error) = std::fs::create_dir_all(&path) {
                files.tell(
                    &format!("Alembic/{folder}"),
                    Action::Failed,
                    Some(&error.to_string()),
                );
            }
        }
    }
    files.create("Alembic/constitution.yaml", DEFAULT_CONSTITUTION);
    files.create("Alembic/boxspec.json", &boxspec(name));
    files.create("Alembic/README.md", include_str!("text/readme.md"));
    files.create(
        "Alembic/recipes/_template.md",
        &new_recipe_text(&NewRecipe::default()),
    );
    if options.seed {
        seeds::write(files, source);
    }
}

fn boxspec(name: &str) -> String {
    let value = serde_json::json!({
        "schemaVersion": 2,
        "kind": "root",
        "name": name,
        "knowledgeBase": {"dir": asd_store::KNOWLEDGE_DIR},
    });
    serde_json::to_string_pretty(&value).unwrap_or_default() + "\n"
}

fn schema_text() -> String {
    serde_json::to_string_pretty(&config_schema()).unwrap_or_default() + "\n"
}

fn name_of(project: &Project) -> String {
    project.root().file_name().map_or_else(
        || "project".to_owned(),
        |name| name.to_string_lossy().into_owned(),
    )
}

/// The source of this program would be taught by what it teaches.
fn is_own_repository(root: &Path) -> bool {
    std::fs::read_to_string(root.join("server/cli/Cargo.toml"))
        .is_ok_and(|text| text.contains("name = \"asd-cli\""))
}

/// Where the knowledge of a project comes from.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Source {
    /// It lies in the project's own repository.
    Project,
    /// It was cloned.
    Cloned,
    /// It could not be cloned.
    Missing,
}

fn clone(
    project: &Project,
    url: &str,
    mode: Mode,
    report: &mut SetupReport,
) -> Result<Source, SetupError> {
    let folder = project.knowledge();
    let is_empty = std::fs::read_dir(&folder).map_or(true, |mut entries| entries.next().is_none());
    if !is_empty {
        return Err(SetupError::NotEmpty);
    }
    if mode == Mode::DryRun {
        report
            .notes
            .push(format!("Would clone {url} into Alembic/."));
    } else if let Err(error) = Git::clone_into(url, &folder) {
        report.errors.push(format!(
            "cannot clone {url} into Alembic/: {error}; run `asd setup` again when that is mended"
        ));
        return Ok(Source::Missing);
    }
    Ok(Source::Cloned)
}

/// Step 5. No recipe file is changed: that is what `asd sync` is for.
fn make_database(project: &Project, report: &mut SetupReport) {
    match KnowledgeStore::new(project, &[]).reconcile() {
        Ok(seen) => {
            for wrong in seen.errors {
                report
                    .notes
                    .push(format!("{}: {}", wrong.path, wrong.message));
            }
        }
        Err(error) => report
            .errors
            .push(format!("cannot make the database: {error}")),
    }
}

/// Knowledge for one person, beside the project rather than in it.
fn ghost(project: &Project, options: &SetupOptions, mode: Mode) -> Result<SetupReport, SetupError> {
    let folder = project_state_folder(project).ok_or(SetupError::NoStateFolder)?;
    let home = Project::at(&folder);
    let mut files = Files::new(&home, mode);
    knowledge_files(&mut files, options, &name_of(project), project);
    if mode == Mode::Write {
        files.record.save(&home);
    }
    Ok(SetupReport {
        files: files.done,
        notes: vec![format!(
            "Nothing is written into the project. Its knowledge is in {}; files of IDEs are not \
             delivered.",
            folder.join(asd_store::KNOWLEDGE_DIR).display()
        )],
        ghost: Some(folder),
        ..SetupReport::default()
    })
}

fn git_hook(files: &mut Files<'_>, report: &mut SetupReport) {
    let folder = match Git::open(files.project.root()).and_then(|git| git.hooks_folder()) {
        Ok(folder) => folder,
        Err(error) => {
            report
                .errors
                .push(format!("cannot install a git hook: {error}"));
            return;
        }
    };
    let path = folder.join(git_hooks::NAME);
    let Some(rel) = files.project.relative(&path) else {
        report.notes.push(format!(
            "The hooks of this repository are outside of the project; put `asd guard staged` into {} yourself.",
            path.display()
        ));
        return;
    };
    let before = std::fs::read_to_string(&path).ok();
    if before.is_none() && path.exists() {
        files.tell(&rel, Action::Skipped, Some("not-utf8"));
        return;
    }
    match git_hooks::with_hook(before.as_deref()) {
        Err(reason) => files.tell(&rel, Action::Skipped, Some(reason)),
        Ok(text) if before.as_ref() == Some(&text) => files.tell(&rel, Action::Unchanged, None),
        Ok(text) => {
            let action = if before.is_none() {
                Action::Create
            } else {
                Action::Update
            };
            let written = match files.mode {
                Mode::DryRun => Ok(()),
                Mode::Write => write_hook(files.project, &rel, &text),
            };
            match written {
                Ok(()) => {
                    if before.is_none() && files.mode == Mode::Write {
                        files.record.created.insert(rel.clone());
                    }
                    files.tell(&rel, action, None);
                }
                Err(reason) => files.tell(&rel, Action::Failed, Some(&reason)),
            }
        }
    }
}

fn write_hook(project: &Project, rel: &str, text: &str) -> Result<(), String> {
    let path = asd_store::write_atomic(project, rel, text.as_bytes()).map_err(|e| e.to_string())?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(&path, mode).map_err(|error| error.to_string())?;
    }
    let _ = path;
    Ok(())
}

fn deliver_now(
    project: &Project,
    options: &SetupOptions,
    load: &dyn Fn(&Project) -> Knowledge,
    mode: Mode,
    report: &mut SetupReport,
) {
    let knowledge = load(project);
    let deliver_options = DeliverOptions {
        adopt: options.adopt.iter().cloned().collect(),
        ..DeliverOptions::default()
    };
    match mode {
        Mode::DryRun => report.delivery = Some(plan(project, &knowledge, &deliver_options)),
        Mode::Write => match deliver(project, &knowledge, &deliver_options) {
            Ok(delivered) => report.delivery = Some(delivered),
            Err(error) => report.errors.push(format!("cannot deliver: {error}")),
        },
    }
}

fn advise(project: &Project, report: &mut SetupReport) {
    if !project
        .root()
        .ancestors()
        .any(|folder| folder.join(".git").exists())
    {
        report.notes.push(
            "This folder is in no git repository; what is set up here is meant to be committed."
                .to_owned(),
        );
    }
    if !is_on_path("asd") {
        report.notes.push(
            "`asd` is not on the PATH, so IDEs cannot start it: install it with `cargo install \
             --path server/cli`, or copy the program into a folder of the PATH."
                .to_owned(),
        );
    }
}

fn is_on_path(program: &str) -> bool {
    let Some(path) = std::env::var_os("PATH") else {
        return false;
    };
    let name = format!("{program}{}", std::env::consts::EXE_SUFFIX);
    std::env::split_paths(&path).any(|folder| folder.join(&name).is_file())
}
