//! `asd setup`.

use asd_delivery::{Action, Host, SetupError, SetupFile, SetupOptions, SetupReport, setup, undo};
use asd_store::Project;

use crate::Outcome;
use crate::deliver::{mode, show, told_knowledge};
use crate::delivery_args::{Ide, SetupArguments};
use crate::terminal::Terminal;

pub(crate) fn run(options: &SetupArguments, terminal: &mut Terminal) -> anyhow::Result<Outcome> {
    if !options.project.is_dir() {
        anyhow::bail!("there is no folder {}", options.project.display());
    }
    // The folder itself, not the project that may lie around it.
    let project = Project::at(&std::path::absolute(&options.project)?);
    if options.undo {
        return take_back(&project, options, terminal);
    }
    let setup_options = SetupOptions {
        force: options.force,
        seed: options.seed,
        repo: options.repo.clone(),
        ghost: options.ghost,
        hosts: hosts(&options.ide),
        adopt: options.adopt.clone(),
        claude_hooks: options.claude_hooks,
        git_hooks: options.git_hooks,
        no_deliver: options.no_deliver,
    };
    let knowledge = |project: &Project| told_knowledge(project, terminal);
    let report = match setup(&project, &setup_options, &knowledge, mode(options.dry_run)) {
        Ok(report) => report,
        Err(
            error
            @ (SetupError::NotEmpty | SetupError::NotAdoptable(_) | SetupError::OwnRepository),
        ) => {
            terminal.error(&error.to_string());
            return Ok(Outcome::Failed);
        }
        Err(error) => {
            terminal.error(&error.to_string());
            return Ok(Outcome::Errors);
        }
    };
    if options.json {
        terminal.json(&report)?;
    } else {
        show_report(&report, options, terminal)?;
    }
    Ok(if report.is_complete() {
        Outcome::Fine
    } else {
        Outcome::Errors
    })
}

fn hosts(chosen: &[Ide]) -> Vec<Host> {
    if chosen.is_empty() {
        return Host::DEFAULT.to_vec();
    }
    let mut hosts = Vec::new();
    for ide in chosen {
        let more: &[Host] = match ide {
            Ide::Cursor => &[Host::Cursor],
            Ide::Vscode => &[Host::VsCode],
            Ide::Claude => &[Host::Claude],
            Ide::Codex => &[Host::Codex],
            Ide::Zed => &[Host::Zed],
            Ide::Windsurf => &[Host::Windsurf],
            Ide::Trae => &[Host::Trae],
            Ide::Qoder => &[Host::Qoder],
            Ide::All => &Host::ALL,
        };
        hosts.extend(more.iter().copied());
    }
    hosts.sort();
    hosts.dedup();
    hosts
}

fn show_report(
    report: &SetupReport,
    options: &SetupArguments,
    terminal: &mut Terminal,
) -> anyhow::Result<()> {
    show_files(&report.files, terminal)?;
    if let Some(delivery) = &report.delivery {
        terminal.line("")?;
        show(delivery, terminal)?;
    }
    for note in &report.notes {
        terminal.note(note);
    }
    for error in &report.errors {
        terminal.error(error);
    }
    if options.dry_run {
        terminal.note("Nothing was written.");
    }
    Ok(())
}

fn show_files(files: &[SetupFile], terminal: &mut Terminal) -> anyhow::Result<()> {
    let width = files
        .iter()
        .map(|file| file.path.chars().count())
        .max()
        .unwrap_or(0);
    for file in files {
        let reason = file.reason.as_deref().unwrap_or_default();
        let line = format!("{:9}  {:width$}  {reason}", file.action.name(), file.path);
        terminal.line(line.trim_end())?;
    }
    for file in files {
        if file.action == Action::Skipped
            && matches!(
                file.reason.as_deref(),
                Some("invalid-json" | "invalid-toml")
            )
        {
            terminal.note(&format!(
                "warning: {} cannot be read and was left alone; mend it and run `asd setup` again",
                file.path
            ));
        }
    }
    Ok(())
}

fn take_back(
    project: &Project,
    options: &SetupArguments,
    terminal: &mut Terminal,
) -> anyhow::Result<Outcome> {
    let report = undo(project, mode(options.dry_run))?;
    if options.json {
        terminal.json(&report)?;
    } else {
        show_files(&report.files, terminal)?;
        let delivered: Vec<SetupFile> = report
            .delivered
            .iter()
            .map(|file| SetupFile {
                path: file.path.clone(),
                action: file.action,
                reason: file.reason.clone(),
            })
            .collect();
        show_files(&delivered, terminal)?;
        terminal.note("The knowledge in Alembic/ stays.");
        if options.dry_run {
            terminal.note("Nothing was removed or written.");
        }
    }
    Ok(if report.is_complete() {
        Outcome::Fine
    } else {
        Outcome::Errors
    })
}
