//! Rendered files brought to disk: compared with what is there, written where
//! they differ and may be, and what is no longer rendered removed.

mod decide;
mod record;
mod redelivery;
mod remove;
mod stale;
mod trigger;
mod write;

pub use redelivery::Redelivery;
pub use remove::{Mode, RemoveReport, remove};
pub use trigger::{Debounce, Delivered, deliver_if_changed};

pub(crate) use record::Record;
pub(crate) use stale::{entries, managed_files};
pub(crate) use write::{remove_empty_folders, remove_owned};

use std::time::{Duration, Instant};

use asd_recipe::token_estimate;
use asd_store::{Project, WriteError, WriteLock, lock_file};
use serde::Serialize;

use crate::Knowledge;
use crate::render::{AgentsFile, Channels, Rendered, agents, render};
use decide::{Decision, Target};

/// How long another process that delivers is waited for.
const PATIENCE: Duration = Duration::from_secs(30);
const LOCK: &str = ".asd/delivery.lock";

/// What a delivery may do.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DeliverOptions {
    /// Close a section whose end marker is missing, when nothing but a body
    /// that we wrote follows.
    pub repair: bool,
    /// Files of people that get a section of ours at the user's wish:
    /// `AGENTS.md` or `.github/copilot-instructions.md`.
    pub adopt: Vec<String>,
}

/// What is done with a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Action {
    /// It is not there yet.
    Create,
    /// It says something else.
    Update,
    /// It says the same; it is not written.
    Unchanged,
    /// It is ours and no longer needed.
    Remove,
    /// It is left as it is, for a reason.
    Skipped,
    /// It should have been written and could not be.
    Failed,
}

impl Action {
    /// As results name it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Create => "create",
            Self::Update => "update",
            Self::Unchanged => "unchanged",
            Self::Remove => "remove",
            Self::Skipped => "skipped",
            Self::Failed => "failed",
        }
    }
}

/// One file of a plan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PlannedFile {
    /// Project-relative path with `/`.
    pub path: String,
    /// What is done.
    pub action: Action,
    /// Why, where it is not plain: `user-owned`, `malformed-markers`, …
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The line that is in the way, counted from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
    /// Of what we put into it.
    pub tokens: usize,
}

/// What a delivery did, or would do.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct DeliveryReport {
    /// What each channel holds.
    #[serde(flatten)]
    pub channels: Channels,
    /// Every file, by path.
    pub files: Vec<PlannedFile>,
    /// Sums.
    pub stats: DeliveryStats,
}

/// Sums of a delivery.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct DeliveryStats {
    /// Of all files together.
    pub total_tokens: usize,
    /// Created or changed.
    pub files_written: usize,
    /// Said the same already.
    pub files_unchanged: usize,
    /// Removed.
    pub files_removed: usize,
    /// Left alone for a reason.
    pub files_skipped: usize,
    /// Could not be written.
    pub files_failed: usize,
    /// How long it took.
    pub duration_ms: u64,
}

impl DeliveryReport {
    /// Whether every file is as it should be, or was left alone on purpose.
    #[must_use]
    pub const fn is_complete(&self) -> bool {
        self.stats.files_failed == 0
    }
}

/// What a delivery would do. Nothing is written.
#[must_use]
pub fn plan(project: &Project, knowledge: &Knowledge, options: &DeliverOptions) -> DeliveryReport {
    let start = Instant::now();
    let rendered = render(knowledge);
    let record = Record::read(project);
    let files = decide::decide_all(project, &rendered, options, &record)
        .into_iter()
        .map(|(target, decision)| planned(&target, &decision))
        .chain(stale_files(project, &rendered))
        .collect();
    report(rendered.channels, files, start)
}

/// Brings the knowledge into the files of the project. Only one process
/// delivers at a time.
///
/// # Errors
/// [`WriteError`] when another process holds the lock for too long or the lock
/// cannot be made. What goes wrong with single files is in the report.
pub fn deliver(
    project: &Project,
    knowledge: &Knowledge,
    options: &DeliverOptions,
) -> Result<DeliveryReport, WriteError> {
    let lock = lock(project)?;
    Ok(deliver_locked(project, knowledge, options, &lock))
}

pub(crate) fn lock(project: &Project) -> Result<WriteLock, WriteError> {
    lock_file(project, LOCK, PATIENCE)
}

pub(crate) fn deliver_locked(
    project: &Project,
    knowledge: &Knowledge,
    options: &DeliverOptions,
    _lock: &WriteLock,
) -> DeliveryReport {
    let start = Instant::now();
    let rendered = render(knowledge);
    let mut record = Record::read(project);
    let prepared: Vec<_> = decide::decide_all(project, &rendered, options, &record)
        .into_iter()
        .map(|(target, decision)| write::prepare(project, &target, decision, options, &mut record))
        .collect();
    record.save(project);
    let mut files = write::write_all(project, prepared);
    // Whatever is removed goes last: a crash before leaves too much, not
    // nothing.
    let stale = stale_files(project, &rendered);
    files.extend(
        stale
            .into_iter()
            .map(|file| write::remove_stale(project, file)),
    );
    remove_empty_folders(project, &mut record);
    write::remove_leftovers(project, files.iter().map(|file| file.path.as_str()));
    record.save(project);
    report(rendered.channels, files, start)
}

fn planned(target: &Target<'_>, decision: &Decision) -> PlannedFile {
    let (action, reason, line) = match decision {
        Decision::Write { create: true, .. } => (Action::Create, None, None),
        Decision::Write { .. } => (Action::Update, None, None),
        Decision::Unchanged { reason } => (Action::Unchanged, reason.clone(), None),
        Decision::Skip { reason, line } => (Action::Skipped, Some(reason.clone()), *line),
        Decision::Fail { reason } => (Action::Failed, Some(reason.clone()), None),
    };
    PlannedFile {
        path: target.path.to_owned(),
        action,
        reason,
        line,
        tokens: token_estimate(target.text),
    }
}

/// Files of ours that are no longer rendered, and those of people that have a
/// name like ours.
fn stale_files(project: &Project, rendered: &Rendered) -> Vec<PlannedFile> {
    managed_files(project, ".cursor")
        .into_iter()
        .filter(|file| !rendered.files.contains_key(&file.path))
        .map(|file| PlannedFile {
            action: if file.owned {
                Action::Remove
            } else {
                Action::Skipped
            },
            reason: (!file.owned).then(|| "user-owned".to_owned()),
            path: file.path,
            line: None,
            tokens: 0,
        })
        .collect()
}

fn report(mut channels: Channels, mut files: Vec<PlannedFile>, start: Instant) -> DeliveryReport {
    files.sort_by(|a, b| a.path.cmp(&b.path));
    let mut stats = DeliveryStats::default();
    for file in &files {
        match file.action {
            Action::Create | Action::Update => stats.files_written += 1,
            Action::Unchanged => stats.files_unchanged += 1,
            Action::Remove => stats.files_removed += 1,
            Action::Skipped => stats.files_skipped += 1,
            Action::Failed => stats.files_failed += 1,
        }
        if matches!(
            file.action,
            Action::Create | Action::Update | Action::Unchanged
        ) {
            stats.total_tokens += file.tokens;
        }
        let why = || file.reason.clone().unwrap_or_default();
        let skill = file
            .path
            .strip_prefix(".cursor/skills/")
            .and_then(|rest| rest.strip_suffix("/SKILL.md"));
        if let Some(name) = skill {
            match file.action {
                Action::Skipped => channels.channel_c.skipped.push(name.to_owned()),
                Action::Failed => channels.channel_c.errors.push(format!("{name}: {}", why())),
                _ => {}
            }
        }
    }
    let (skipped, errors) = (&channels.channel_c.skipped, &channels.channel_c.errors);
    channels.channel_c.synced.retain(|name| {
        !skipped.contains(name) && !errors.iter().any(|e| e.starts_with(&format!("{name}: ")))
    });
    channels.channel_f.files = agents::FILES
        .iter()
        .filter_map(|path| files.iter().find(|file| file.path == *path))
        .map(|file| AgentsFile {
            path: file.path.clone(),
            action: file.action.name().to_owned(),
            reason: file.reason.clone(),
        })
        .collect();
    stats.duration_ms = u64::try_from(start.elapsed().as_millis()).unwrap_or(u64::MAX);
    DeliveryReport {
        channels,
        files,
        stats,
    }
}

/// Whether a project has delivered files at all, so that a change of knowledge
/// should be brought to them.
#[must_use]
pub fn has_deliveries(project: &Project) -> bool {
    let path = project.root().join(crate::render::rules::PATH);
    std::fs::read(path).is_ok_and(|bytes| crate::protect::is_owned(&bytes))
}
