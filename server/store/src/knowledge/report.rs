//! What a reconciliation saw and did.

use serde::Serialize;

/// What a look at all knowledge files saw, and what was done about it.
/// (knowledge.md §5)
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SyncReport {
    /// Recipe files.
    pub scanned: usize,
    /// Entries that are new.
    pub inserted: usize,
    /// Entries that say something else than before.
    pub updated: usize,
    /// Entries that say what they said.
    pub unchanged: usize,
    /// Files that someone wrote to by hand: what they say is accepted.
    pub manual_edits: usize,
    /// Files that got an id.
    pub assigned_ids: usize,
    /// Files that got a hash.
    pub added_hashes: usize,
    /// Files that went to the folder that their state belongs to.
    pub moved: usize,
    /// Entries whose file is gone.
    pub orphaned: usize,
    /// Entries that were gone for 30 days and are forgotten.
    pub purged: usize,
    /// Files that have the id or the trigger of another one.
    pub conflicts: usize,
    /// Files that are not read, with the reason.
    pub errors: Vec<SyncError>,
    /// What was done, or is to be done, file by file.
    pub changes: Vec<SyncChange>,
    /// Why the database is not kept on disk.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub degraded: Option<String>,
    /// Whether nothing was changed, only looked at.
    pub dry_run: bool,
}

/// A file that is not read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SyncError {
    /// Project-relative with `/`.
    pub path: String,
    /// Counted from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// What is wrong and what to do.
    pub message: String,
}

/// What was done about one file, or remains for a person to do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SyncChange {
    /// Project-relative with `/`.
    pub path: String,
    /// `assignedId`, `manualEdit`, `moved`, `orphaned` or `conflict`.
    pub kind: &'static str,
    /// In plain words.
    pub message: String,
}

impl SyncReport {
    pub(crate) fn change(&mut self, path: &str, kind: &'static str, message: String) {
        self.changes.push(SyncChange {
            path: path.to_owned(),
            kind,
            message,
        });
    }
}
