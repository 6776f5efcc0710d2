//! Delivery after a change of knowledge, from whichever process saw it.

use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;
use std::time::{Duration, Instant};

use asd_store::{Project, WriteError};

use crate::Knowledge;
use crate::deliver::{DeliverOptions, DeliveryReport, deliver_locked, has_deliveries, lock};

/// How long knowledge must have been at rest before it is delivered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Debounce {
    /// Without a change for so long, the delivery begins.
    pub quiet: Duration,
    /// After so long it begins in any case.
    pub longest: Duration,
}

impl Default for Debounce {
    fn default() -> Self {
        Self {
            quiet: Duration::from_secs(2),
            longest: Duration::from_secs(30),
        }
    }
}

/// What came of a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Delivered {
    /// The project has no delivered files; only a person begins to deliver.
    NotWanted,
    /// Every file said the same already, because another process was faster or
    /// the change does not show.
    Nothing,
    /// Files were written or removed.
    Written(Box<DeliveryReport>),
}

/// Waits until the files below `Alembic/` rest, then delivers what `load`
/// reads. Blocks; every process that sees a change calls it on a thread of its
/// own.
///
/// Processes take turns by an advisory lock, and each reads the knowledge anew
/// when its turn comes: the first writes, the others find nothing left to do. A
/// lock dies with its process, so another one finishes what a crash cut off.
///
/// # Errors
/// [`WriteError`] when another process holds the lock for too long.
pub fn deliver_if_changed(
    project: &Project,
    debounce: Debounce,
    load: impl FnOnce() -> Knowledge,
) -> Result<Delivered, WriteError> {
    if !has_deliveries(project) {
        return Ok(Delivered::NotWanted);
    }
    wait_for_rest(project, debounce);
    let held = lock(project)?;
    let report = deliver_locked(project, &load(), &DeliverOptions::default(), &held);
    drop(held);
    let stats = &report.stats;
    if stats.files_written + stats.files_removed + stats.files_failed == 0 {
        return Ok(Delivered::Nothing);
    }
    Ok(Delivered::Written(Box::new(report)))
}

fn wait_for_rest(project: &Project, debounce: Debounce) {
    let start = Instant::now();
    let mut stamp = stamp(project);
    let mut since = Instant::now();
    let pause = (debounce.quiet / 4).max(Duration::from_millis(1));
    while since.elapsed() < debounce.quiet && start.elapsed() < debounce.longest {
        std::thread::sleep(pause);
        let now = self::stamp(project);
        if now != stamp {
            stamp = now;
            since = Instant::now();
        }
    }
}

/// Changes whenever a file of the knowledge does.
fn stamp(project: &Project) -> u64 {
    let mut hasher = DefaultHasher::new();
    for folder in ["recipes", "candidates", "skills"] {
        add(&project.knowledge().join(folder), 8, &mut hasher);
    }
    for file in ["config.toml", "usage.json"] {
        add_file(&project.knowledge().join(file), &mut hasher);
    }
    hasher.finish()
}

fn add(folder: &Path, depth: usize, hasher: &mut DefaultHasher) {
    let mut paths: Vec<_> = fs::read_dir(folder)
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| {
            (
                entry.path(),
                entry.file_type().is_ok_and(|kind| kind.is_dir()),
            )
        })
        .collect();
    paths.sort();
    for (path, is_folder) in paths {
        if !is_folder {
            add_file(&path, hasher);
        } else if depth > 0 {
            add(&path, depth - 1, hasher);
        }
    }
}

fn add_file(path: &Path, hasher: &mut DefaultHasher) {
    path.hash(hasher);
    if let Ok(metadata) = fs::metadata(path) {
        metadata.len().hash(hasher);
        metadata.modified().ok().hash(hasher);
    }
}
