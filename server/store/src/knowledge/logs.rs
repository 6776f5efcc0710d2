//! What is told about the knowledge beside its files: moves of entries, the
//! audit, proposals, signals. Each is a journal first and a table second.

use std::collections::BTreeMap;

use asd_knowledge::lifecycle::TransitionEvent;
use asd_knowledge::permit::{AUDIT_RETENTION_MS, AuditResult, AuditRow};
use asd_knowledge::proposals::Proposal;
use asd_knowledge::signals::Signal;
use asd_recipe::Recipe;
use rusqlite::{Connection, params};

use super::journal::Journal;
use super::rows::{Origin, bury, entry_by_id, put};
use super::{KnowledgeError, KnowledgeStore};
use crate::records::{Growth, append};
use crate::{Project, WriteError, now};

/// Milliseconds of a day.
pub(crate) const DAY: i64 = 86_400_000;
/// How much longer than needed audit rows are kept, so that the journal is not
/// written anew at each turn.
const SLACK: i64 = DAY;
/// A journal of proposals that is longer than this holds mostly old versions.
const MANY_LINES: usize = 2_000;

/// Which rows of the audit are asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AuditQuery {
    /// Only those of this actor.
    pub actor: Option<String>,
    /// Only those of this action.
    pub action: Option<String>,
    /// Only those of this resource.
    pub resource: Option<String>,
    /// Only those that ended so.
    pub result: Option<AuditResult>,
    /// Only those from this moment on, in milliseconds since 1970.
    pub since: Option<i64>,
    /// At most so many, the newest; all when 0.
    pub limit: usize,
}

impl KnowledgeStore {
    /// Adds a row to the audit. Its data should have gone through
    /// [`asd_knowledge::permit::audit_data`] before.
    ///
    /// # Errors
    /// [`WriteError`].
    pub fn append_audit(&self, row: &AuditRow) -> Result<(), WriteError> {
        Journal::Audit.append(self.project(), std::slice::from_ref(row))
    }

    /// Rows of the audit, the newest first.
    ///
    /// # Errors
    /// [`KnowledgeError::Database`].
    pub fn audit(&self, query: &AuditQuery) -> Result<Vec<AuditRow>, KnowledgeError> {
        let limit = if query.limit == 0 {
            i64::MAX
        } else {
            i64::try_from(query.limit).unwrap_or(i64::MAX)
        };
        let rows: Vec<String> = self.database().write(|t| {
            import(t, self.project())?;
            t.prepare_cached(
                "SELECT row FROM audit_logs
                 WHERE (?1 IS NULL OR actor = ?1) AND (?2 IS NULL OR action = ?2)
                   AND (?3 IS NULL OR resource = ?3) AND (?4 IS NULL OR result = ?4)
                   AND timestamp >= ?5
                 ORDER BY timestamp DESC, id LIMIT ?6",
            )?
            .query_map(
                params![
                    query.actor,
                    query.action,
                    query.resource,
                    query.result.map(result_name),
                    query.since.unwrap_or(i64::MIN),
                    limit
                ],
                |row| row.get(0),
            )?
            .collect()
        })?;
        Ok(rows
            .iter()
            .filter_map(|row| serde_json::from_str(row).ok())
            .collect())
    }

    /// The moves of an entry, the oldest first.
    ///
    /// # Errors
    /// [`KnowledgeError::Database`].
    pub fn moves_of(&self, id: &str) -> Result<Vec<TransitionEvent>, KnowledgeError> {
        let rows: Vec<String> = self.database().write(|t| {
            import(t, self.project())?;
            t.prepare_cached(
                "SELECT event FROM lifecycle_events WHERE recipe_id = ?1 ORDER BY created_at, id",
            )?
            .query_map([id], |row| row.get(0))?
            .collect()
        })?;
        Ok(rows
            .iter()
            .filter_map(|row| serde_json::from_str(row).ok())
            .collect())
    }

    /// Every proposal as it stands now, in the order in which they were made.
    #[must_use]
    pub fn proposals(&self) -> Vec<Proposal> {
        latest(Journal::Proposals.read(self.project()))
    }

    /// Changes proposals while no other process does. What is new or different
    /// afterwards is kept; a proposal that is taken out of the list stays as it
    /// was.
    ///
    /// # Errors
    /// [`KnowledgeError::Write`]; nothing has changed then.
    pub fn change_proposals<T>(
        &self,
        change: impl FnOnce(&mut Vec<Proposal>) -> T,
    ) -> Result<T, KnowledgeError> {
        let _lock = self.lock()?;
        let before = self.proposals();
        let mut after = before.clone();
        let result = change(&mut after);
        let news: Vec<&Proposal> = after
            .iter()
            .filter(|proposal| !before.contains(proposal))
            .collect();
        Journal::Proposals.append(self.project(), &news)?;
        Ok(result)
    }
}

/// Adds signals to `.asd/signals/<type>.jsonl`.
///
/// # Errors
/// [`WriteError`].
pub fn emit_signals(project: &Project, signals: &[Signal]) -> Result<(), WriteError> {
    let mut by_kind: BTreeMap<&str, Vec<&Signal>> = BTreeMap::new();
    for signal in signals {
        by_kind.entry(signal.kind.name()).or_default().push(signal);
    }
    for (kind, signals) in by_kind {
        let rel = format!(".asd/signals/{kind}.jsonl");
        append(project, &rel, &signals, Growth::Rotated)?;
    }
    Ok(())
}

const fn result_name(result: AuditResult) -> &'static str {
    match result {
        AuditResult::Success => "success",
        AuditResult::Failure => "failure",
    }
}

/// The last line about each proposal, in the order of the first ones.
fn latest(lines: Vec<Proposal>) -> Vec<Proposal> {
    let mut place: BTreeMap<String, usize> = BTreeMap::new();
    let mut latest: Vec<Proposal> = Vec::new();
    for proposal in lines {
        match place.get(&proposal.id) {
            Some(&at) => latest[at] = proposal,
            None => {
                place.insert(proposal.id.clone(), latest.len());
                latest.push(proposal);
            }
        }
    }
    latest
}

/// Brings what the journals hold into the tables.
pub(crate) fn import(connection: &Connection, project: &Project) -> rusqlite::Result<()> {
    Journal::Audit.import(project, connection, |row: AuditRow| {
        let json = serde_json::to_string(&row).unwrap_or_default();
        connection
            .prepare_cached("INSERT OR IGNORE INTO audit_logs VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)")?
            .execute(params![
                row.id,
                row.timestamp,
                row.actor,
                row.action,
                row.resource,
                result_name(row.result),
                json
            ])?;
        Ok(())
    })?;
    Journal::Lifecycle.import(project, connection, |event: TransitionEvent| {
        put_event(connection, &event, Journalled::Yes)
    })?;
    Journal::Proposals.import(project, connection, |proposal: Proposal| {
        let json = serde_json::to_string(&proposal).unwrap_or_default();
        connection
            .prepare_cached(
                "INSERT OR REPLACE INTO evolution_proposals VALUES (?1, ?2, ?3, ?4, ?5)",
            )?
            .execute(params![
                proposal.id,
                proposal.target,
                proposal.kind.name(),
                proposal.status.name(),
                json
            ])?;
        Ok(())
    })
}

/// Whether the tables know all that the journals hold.
pub(crate) fn is_imported(connection: &Connection, project: &Project) -> rusqlite::Result<bool> {
    for journal in [Journal::Audit, Journal::Lifecycle, Journal::Proposals] {
        if !journal.is_imported(project, connection)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Makes the rows again of entries whose file went away in the last 30 days.
pub(crate) fn restore_removed(connection: &Connection) -> rusqlite::Result<()> {
    let since = (now().0 - 30 * DAY) / 1000;
    let events: Vec<String> = connection
        .prepare_cached(
            "SELECT event FROM lifecycle_events WHERE created_at >= ?1 ORDER BY created_at, id",
        )?
        .query_map([since], |row| row.get(0))?
        .collect::<rusqlite::Result<_>>()?;
    // The last word about each entry.
    let mut last: BTreeMap<String, TransitionEvent> = BTreeMap::new();
    for event in events {
        if let Ok(event) = serde_json::from_str::<TransitionEvent>(&event) {
            last.insert(event.recipe_id.clone(), event);
        }
    }
    for (id, event) in last {
        let Some(evidence) = event
            .evidence
            .filter(|evidence| evidence["removed"] == true)
        else {
            continue;
        };
        if entry_by_id(connection, &id)?.is_some() {
            continue;
        }
        let text = |key: &str| evidence[key].as_str().unwrap_or_default().to_owned();
        let recipe = Recipe {
            title: text("title"),
            trigger: text("trigger"),
            lifecycle: event.to_state,
            ..Recipe::default()
        };
        let origin = Origin {
            row_id: &id,
            rel: "",
            hash: "",
            conflict: None,
        };
        put(connection, &recipe, &origin)?;
        bury(connection, &id, event.created_at * 1000)?;
    }
    Ok(())
}

/// Whether an event stands in its journal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Journalled {
    Yes,
    /// It is on its way.
    NotYet,
}

/// Puts a move into its table.
pub(crate) fn put_event(
    connection: &Connection,
    event: &TransitionEvent,
    journalled: Journalled,
) -> rusqlite::Result<()> {
    connection
        .prepare_cached(
            "INSERT INTO lifecycle_events VALUES (?1, ?2, ?3, ?4, ?5)
             ON CONFLICT (id) DO UPDATE SET journalled = max(journalled, excluded.journalled)",
        )?
        .execute(params![
            event.id,
            event.recipe_id,
            event.created_at,
            serde_json::to_string(event).unwrap_or_default(),
            journalled == Journalled::Yes
        ])?;
    Ok(())
}

/// Writes the moves into the journal that are not there yet. Whoever calls holds
/// the project's lock, so that none is written twice.
pub(crate) fn flush_events(store: &KnowledgeStore) -> Result<(), KnowledgeError> {
    let database = store.database();
    let waiting = database.read(|connection| {
        connection
            .prepare_cached(
                "SELECT id, event FROM lifecycle_events WHERE journalled = 0 ORDER BY created_at, id",
            )?
            .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?
            .collect::<rusqlite::Result<Vec<(String, String)>>>()
    })?;
    if waiting.is_empty() {
        return Ok(());
    }
    let events: Vec<TransitionEvent> = waiting
        .iter()
        .filter_map(|(_, event)| serde_json::from_str(event).ok())
        .collect();
    Journal::Lifecycle.append(store.project(), &events)?;
    database.write(|t| {
        for (id, _) in &waiting {
            t.prepare_cached("UPDATE lifecycle_events SET journalled = 1 WHERE id = ?1")?
                .execute([id])?;
        }
        Ok(())
    })?;
    Ok(())
}

/// Takes out of the journals what need not be kept: audit rows older than 90
/// days, and old versions of proposals.
pub(crate) fn tidy(store: &KnowledgeStore) -> Result<(), KnowledgeError> {
    let limit = now().0 - AUDIT_RETENTION_MS;
    let oldest: Option<i64> = store.database().read(|connection| {
        connection
            .prepare_cached("SELECT min(timestamp) FROM audit_logs")?
            .query_row([], |row| row.get(0))
    })?;
    if oldest.is_some_and(|oldest| oldest < limit - SLACK) {
        Journal::Audit.rewrite(store.project(), |mut rows: Vec<AuditRow>| {
            rows.retain(|row| row.timestamp >= limit);
            Some(rows)
        })?;
        store.database().write(|t| {
            t.prepare_cached("DELETE FROM audit_logs WHERE timestamp < ?1")?
                .execute([limit])
        })?;
    }
    let is_long = std::fs::metadata(store.project().root().join(Journal::Proposals.rel()))
        .is_ok_and(|metadata| metadata.len() > MANY_LINES as u64 * 256);
    if is_long {
        Journal::Proposals.rewrite(store.project(), |lines: Vec<Proposal>| {
            let before = lines.len();
            let kept = latest(lines);
            (before > MANY_LINES && kept.len() * 2 < before).then_some(kept)
        })?;
    }
    Ok(())
}
