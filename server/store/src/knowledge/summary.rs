//! `Alembic/usage.json`: the use of recipes on all machines, as far as they
//! told. Written by `asd governance run` alone.

use std::collections::BTreeMap;

use asd_knowledge::counters::{Stats, UsageSummary};
use asd_recipe::content_hash;
use serde::{Deserialize, Serialize};

use super::moves::replace_file;
use super::{KnowledgeError, KnowledgeStore};
use crate::failpoint::step;
use crate::{Disk, MAX_FILE, Project, Unreadable, WriteError, now, read_text_up_to, write_atomic};

const SUMMARY: &str = "Alembic/usage.json";
const TOLD: &str = ".asd/usage-told.json";

/// What this machine has told the summary so far.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Told {
    stats: BTreeMap<String, Stats>,
    /// What is being told: the counters, with the hash of the summary that has
    /// them.
    pending: Option<(String, BTreeMap<String, Stats>)>,
}

/// The committed summary; an empty one where there is none.
///
/// # Errors
/// [`KnowledgeError::Refused`] when it is not what it should be, for example
/// after a merge.
pub fn read_usage_summary(project: &Project) -> Result<UsageSummary, KnowledgeError> {
    let refused = |reason: String| KnowledgeError::Refused {
        path: SUMMARY.to_owned(),
        reason,
    };
    match read_text_up_to(&Disk, &project.root().join(SUMMARY), MAX_FILE) {
        Ok(decoded) => serde_json::from_str(&decoded.text).map_err(|error| {
            refused(format!(
                "{error}; mend it by hand, or delete it and run `asd governance run`"
            ))
        }),
        Err(Unreadable::Missing) => Ok(UsageSummary::default()),
        Err(reason) => Err(refused(reason.to_string())),
    }
}

/// Adds to the summary what this machine has not told it yet. `None` when there
/// is nothing new, and nothing is written then.
///
/// # Errors
/// [`KnowledgeError`]; nothing has changed then.
pub fn merge_usage(store: &KnowledgeStore) -> Result<Option<UsageSummary>, KnowledgeError> {
    let project = store.project();
    let (stats, _) = store.usage()?;
    let _lock = store.lock()?;
    let mut summary = read_usage_summary(project)?;
    let mut told = read_told(project);
    if let Some((hash, counters)) = told.pending.take() {
        // The process ended before or after it wrote the summary.
        let text = std::fs::read_to_string(project.root().join(SUMMARY)).unwrap_or_default();
        if content_hash(&text) == hash {
            told.stats = counters;
        }
    }
    let news: BTreeMap<String, Stats> = stats
        .iter()
        .map(|(id, stats)| (id.clone(), since(stats, told.stats.get(id))))
        .filter(|(_, news)| news.hits() > 0)
        .collect();
    if news.is_empty() {
        return Ok(None);
    }
    summary.add(&news, now().0 / 1000);
    let text = json(project, SUMMARY, &summary)?;
    told.pending = Some((content_hash(&text), stats.clone()));
    write_told(project, &told)?;
    step("summary announced");
    replace_file(project, SUMMARY, &text)?;
    told = Told {
        stats,
        pending: None,
    };
    write_told(project, &told)?;
    Ok(Some(summary))
}

/// What was counted since it was told.
fn since(stats: &Stats, told: Option<&Stats>) -> Stats {
    // Fewer than were told: the journal was begun anew.
    let Some(told) = told.filter(|told| told.hits() <= stats.hits()) else {
        return stats.clone();
    };
    Stats {
        views: stats.views.saturating_sub(told.views),
        adoptions: stats.adoptions.saturating_sub(told.adoptions),
        applications: stats.applications.saturating_sub(told.applications),
        guard_hits: stats.guard_hits.saturating_sub(told.guard_hits),
        search_hits: stats.search_hits.saturating_sub(told.search_hits),
        ..stats.clone()
    }
}

fn read_told(project: &Project) -> Told {
    std::fs::read(project.root().join(TOLD))
        .ok()
        .and_then(|bytes| serde_json::from_slice(&bytes).ok())
        .unwrap_or_default()
}

fn write_told(project: &Project, told: &Told) -> Result<(), WriteError> {
    let text = json(project, TOLD, told)?;
    write_atomic(project, TOLD, text.as_bytes())?;
    Ok(())
}

fn json(project: &Project, rel: &str, value: &impl Serialize) -> Result<String, WriteError> {
    let mut text = serde_json::to_string_pretty(value).map_err(|error| WriteError::Io {
        path: project.root().join(rel),
        source: error.into(),
    })?;
    text.push('\n');
    Ok(text)
}
