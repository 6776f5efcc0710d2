//! `asd deliver` and `asd mirror`.

use std::path::Path;

use anyhow::bail;
use asd_delivery::{
    Action, DeliverOptions, DeliveryReport, Knowledge, MirrorTarget, Mode, PlannedFile, deliver,
    mirror, plan, remove,
};
use asd_store::Project;
use asd_workspace::Settings;
use asd_workspace::delivery::knowledge;

use crate::Outcome;
use crate::delivery_args::{DeliverArguments, MirrorArguments, Target};
use crate::output::text::number;
use crate::terminal::Terminal;

pub(crate) fn run(options: &DeliverArguments, terminal: &mut Terminal) -> anyhow::Result<Outcome> {
    let project = project_at(&options.project)?;
    if options.remove {
        return take_back(&project, options, terminal);
    }
    if !project.has_knowledge() {
        bail!(
            "{} has no Alembic/ folder; `asd setup` makes one",
            project.root().display()
        );
    }
    let knowledge = told_knowledge(&project, terminal);
    let deliver_options = DeliverOptions {
        repair: options.repair,
        ..DeliverOptions::default()
    };
    let report = if options.dry_run {
        plan(&project, &knowledge, &deliver_options)
    } else {
        deliver(&project, &knowledge, &deliver_options)?
    };
    if options.json {
        terminal.json(&report)?;
    } else {
        show(&report, terminal)?;
        if options.dry_run {
            terminal.note("Nothing was written.");
        }
    }
    Ok(outcome(&report.files))
}

/// What is delivered. A person is told what is wrong with the settings, which
/// say what is delivered, and which recipes are missing in it.
pub(crate) fn told_knowledge(project: &Project, terminal: &Terminal) -> Knowledge {
    terminal.note_settings(project, &Settings::default());
    let knowledge = knowledge(project);
    for left_out in &knowledge.left_out {
        terminal.note(&format!(
            "{} is left out: {}",
            left_out.path, left_out.reason
        ));
    }
    knowledge
}

/// The project of a path, which need not be set up.
pub(crate) fn project_at(path: &Path) -> anyhow::Result<Project> {
    if !path.is_dir() {
        bail!("there is no folder {}", path.display());
    }
    Ok(Project::discover(&std::path::absolute(path)?))
}

fn outcome(files: &[PlannedFile]) -> Outcome {
    if files.iter().any(|file| file.action == Action::Failed) {
        Outcome::Errors
    } else {
        Outcome::Fine
    }
}

/// The plan as a table, then what found no place, then sums.
pub(crate) fn show(report: &DeliveryReport, terminal: &mut Terminal) -> anyhow::Result<()> {
    show_files(&report.files, terminal)?;
    let channels = &report.channels;
    let dropped = |count: usize| {
        if count == 0 {
            String::new()
        } else {
            format!(", {count} dropped")
        }
    };
    let rules = &channels.channel_a;
    terminal.line(&format!(
        "Rules: {}{}",
        rules.rules_count,
        dropped(rules.dropped)
    ))?;
    for (name, topic) in &channels.channel_b.topics {
        terminal.line(&format!(
            "Patterns, {name}: {}, {}{}",
            number(topic.patterns, "pattern"),
            number(topic.facts, "fact"),
            dropped(topic.dropped)
        ))?;
    }
    let stats = &report.stats;
    let mut sums = format!(
        "{} written, {} unchanged, {} removed",
        number(stats.files_written, "file"),
        stats.files_unchanged,
        stats.files_removed
    );
    for (count, what) in [
        (stats.files_skipped, "left alone"),
        (stats.files_failed, "failed"),
    ] {
        if count > 0 {
            sums.push_str(&format!(", {count} {what}"));
        }
    }
    terminal.line(&format!(
        "{sums}; {} in all.",
        number(stats.total_tokens, "token")
    ))
}

fn show_files(files: &[PlannedFile], terminal: &mut Terminal) -> anyhow::Result<()> {
    let width = files
        .iter()
        .map(|file| file.path.chars().count())
        .max()
        .unwrap_or(0);
    for file in files {
        let mut about = match (&file.reason, file.line) {
            (Some(reason), Some(line)) => format!("{reason}, line {line}"),
            (Some(reason), None) => reason.clone(),
            (None, _) if file.tokens > 0 => number(file.tokens, "token"),
            (None, _) => String::new(),
        };
        if file.action == Action::Skipped
            && let Some(reason) = &file.reason
            && let Some(advice) = advice(&file.path, reason)
        {
            about.push_str(": ");
            about.push_str(&advice);
        }
        let line = format!("{:9}  {:width$}  {about}", file.action.name(), file.path);
        terminal.line(line.trim_end())?;
    }
    Ok(())
}

/// What a person can do about a file that was left alone.
fn advice(path: &str, reason: &str) -> Option<String> {
    Some(match reason {
        "user-owned" if path.ends_with(".md") && !path.contains("/skills/") => {
            format!("it is yours; `asd setup --adopt {path}` adds a section to it")
        }
        "user-owned" => "it is yours; rename it to have Alembic write its own".to_owned(),
        "malformed-markers" => {
            "mend the markers `<!-- asd:begin -->` and `<!-- asd:end -->`, or try `asd deliver \
             --repair`"
                .to_owned()
        }
        "several-sections" => "remove the second section by hand".to_owned(),
        "unclosed-fence" => "close the code fence that begins there".to_owned(),
        "not-utf8" => "save it as UTF-8".to_owned(),
        "symlink-outside" => "the link leads out of the project".to_owned(),
        "dangling-symlink" => "the link leads nowhere".to_owned(),
        _ => return None,
    })
}

fn take_back(
    project: &Project,
    options: &DeliverArguments,
    terminal: &mut Terminal,
) -> anyhow::Result<Outcome> {
    let report = remove(project, mode(options.dry_run))?;
    if options.json {
        terminal.json(&report)?;
    } else {
        show_files(&report.files, terminal)?;
        if report.files.is_empty() {
            terminal.note("There is nothing of Alembic to remove.");
        }
    }
    Ok(outcome(&report.files))
}

pub(crate) const fn mode(dry_run: bool) -> Mode {
    if dry_run { Mode::DryRun } else { Mode::Write }
}

pub(crate) fn run_mirror(
    options: &MirrorArguments,
    terminal: &mut Terminal,
) -> anyhow::Result<Outcome> {
    let project = project_at(Path::new("."))?;
    let targets: &[MirrorTarget] = match options.target {
        Target::Trae => &[MirrorTarget::Trae],
        Target::Qoder => &[MirrorTarget::Qoder],
        Target::All => &MirrorTarget::ALL,
    };
    let report = match mirror(&project, targets, mode(options.dry_run)) {
        Ok(report) => report,
        Err(error) => {
            terminal.error(&error.to_string());
            return Ok(Outcome::Errors);
        }
    };
    if options.json {
        terminal.json(&report)?;
    } else {
        show_files(&report.files, terminal)?;
        terminal.line(&format!(
            "{} and {} for {}.",
            number(report.rules, "rule file"),
            number(report.skills, "skill"),
            number(targets.len(), "tool")
        ))?;
    }
    Ok(outcome(&report.files))
}
