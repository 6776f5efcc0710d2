//! Brings the database, and on demand the files, in line with what the files
//! say. (knowledge.md §5)

use std::collections::HashMap;
use std::time::Duration;

use asd_knowledge::lifecycle::{MoveTrigger, TransitionEvent};
use asd_recipe::{Lifecycle, Recipe};
use rusqlite::{OptionalExtension, Transaction};
use serde_json::json;

use super::admission::admit;
use super::database::{Database, fact, set_fact};
use super::facts::{FileFacts, Reread, Scan, forget, read_index, scan, write_index};
use super::logs::{Journalled, flush_events, import, put_event, tidy};
use super::moves::{finish_moves, remove_leftovers};
use super::plan::{About, Plan, Rewrite, plan};
use super::report::{SyncError, SyncReport};
use super::rows::{Origin, bury, put, remove, row_facts, set_conflict};
use super::usage::{UsageState, refresh_stats, usage_state};
use super::{Extent, KnowledgeError, KnowledgeStore, rewriting};
use crate::failpoint::step;
use crate::{Disk, MAX_RECIPE, WriteLock, lock_for_writing, now, read_text_up_to};

/// The fact that the database has read all recipes at least once.
pub(crate) const COMPLETE: &str = "complete";
/// How often the work is begun anew when the database is replaced meanwhile.
const TURNS: usize = 3;
/// How long a look at the files waits for a process that writes.
const SHORT: Duration = Duration::from_millis(50);
/// How the evidence of an event names an entry whose file went away.
pub(crate) const FILE_REMOVED: &str = "file removed";

/// What may be changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reach {
    /// The database.
    Rows,
    /// Files too.
    Files,
    /// Nothing.
    Nothing,
}

impl KnowledgeStore {
    /// Updates the database from the files and says what it saw. No recipe file
    /// is written, moved or removed; what [`Self::sync`] would write is noted.
    ///
    /// # Errors
    /// [`KnowledgeError::Database`].
    pub fn reconcile(&self) -> Result<SyncReport, KnowledgeError> {
        let report = self.run(&self.database, Reach::Rows, Extent::Changed)?;
        // Another process that writes at the moment does this, or the next one.
        if self.project().has_knowledge()
            && crate::records::prepare(self.project()).is_ok()
            && let Ok(_lock) = lock_for_writing(self.project(), Duration::ZERO)
            && let Err(error) = flush_events(self)
        {
            tracing::warn!(%error, "moves are not in their journal yet");
        }
        Ok(report)
    }

    /// Brings files and database in line: assigns ids, mends hashes, moves files
    /// to the folder that their state belongs to, and updates the database.
    ///
    /// # Errors
    /// [`KnowledgeError`] when another process does not let go of the project.
    /// A file that cannot be written is in the report instead.
    pub fn sync(&self, extent: Extent) -> Result<SyncReport, KnowledgeError> {
        if !self.project().has_knowledge() {
            return self.run(&self.database, Reach::Rows, extent);
        }
        let _lock = self.lock()?;
        finish_moves(self.project())?;
        let report = self.run(&self.database, Reach::Files, extent)?;
        flush_events(self)?;
        tidy(self)?;
        self.compact_usage()?;
        Ok(report)
    }

    /// Says what [`Self::sync`] would do, and changes nothing.
    ///
    /// # Errors
    /// [`KnowledgeError::Database`].
    pub fn preview_sync(&self, extent: Extent) -> Result<SyncReport, KnowledgeError> {
        let database = Database::as_it_is(self.project());
        self.run(&database, Reach::Nothing, extent)
    }

    fn run(
        &self,
        database: &Database,
        reach: Reach,
        extent: Extent,
    ) -> Result<SyncReport, KnowledgeError> {
        database.refresh();
        // What was written into files stays written when it begins anew.
        let mut report = SyncReport {
            dry_run: reach == Reach::Nothing,
            ..SyncReport::default()
        };
        for _ in 0..TURNS {
            // Opens it, so that the count is that of the one that is read from.
            database.read(|_| Ok(()))?;
            let opened = database.opened();
            let known = SyncReport {
                errors: Vec::new(),
                inserted: 0,
                updated: 0,
                unchanged: 0,
                orphaned: 0,
                purged: 0,
                conflicts: 0,
                ..report
            };
            report = self.turn(database, reach, extent, known)?;
            if database.opened() == opened {
                break;
            }
        }
        report.degraded = database.degraded();
        Ok(report)
    }

    fn turn(
        &self,
        database: &Database,
        reach: Reach,
        extent: Extent,
        mut report: SyncReport,
    ) -> Result<SyncReport, KnowledgeError> {
        let reread = match extent {
            Extent::Changed => Reread::Changed,
            Extent::Everything => Reread::All,
        };
        // The rows before the files: who writes makes the file first, so that
        // every row that is known here has had its file before it is looked for.
        let (rows, index) = database.read(|connection| {
            let index = read_index(connection, &self.project, &self.extra)?;
            Ok((row_facts(connection)?, index))
        })?;
        let mut seen = scan(&self.project, &self.extra, index, reread);
        let needs = rewriting::needs(&seen.files);
        match reach {
            Reach::Files => {
                remove_leftovers(&seen.leftovers);
                rewriting::write(&self.project, &mut seen.files, &needs, &mut report)?;
                seen.files.sort_by(|a, b| a.place.rel.cmp(&b.place.rel));
            }
            Reach::Rows | Reach::Nothing => {
                rewriting::pretend(&mut seen.files, &needs, &mut report);
            }
        }
        if reach == Reach::Rows {
            // An id that is only pretended is none.
            for need in &needs {
                need.take_back(&mut seen.files);
            }
        }
        let rewrite = match extent {
            Extent::Changed => Rewrite::Differing,
            Extent::Everything => Rewrite::All,
        };
        let mut todo = plan(&seen.files, &rows, rewrite, now().0);
        let _lock = match reach {
            // Another process may be about to move a file that seems to be gone.
            Reach::Rows if !todo.gone.is_empty() => self.sure_of_gone(&rows, &mut todo),
            _ => None,
        };
        tell(&seen, &todo, &rows, &mut report);
        if reach != Reach::Nothing {
            self.write_news(database, &seen, &todo)?;
        }
        Ok(report)
    }

    /// Leaves only those among the entries without a file whose file is gone for
    /// sure: while the result is held, nobody moves one.
    fn sure_of_gone(
        &self,
        rows: &HashMap<String, super::rows::RowFacts>,
        todo: &mut Plan,
    ) -> Option<WriteLock> {
        let lock = match crate::records::prepare(&self.project) {
            Ok(()) => lock_for_writing(&self.project, SHORT).ok(),
            Err(_) => None,
        };
        let is_there = |id: &String| {
            rows.get(id)
                .and_then(|row| row.path.as_ref())
                .is_some_and(|path| self.project.root().join(path).is_file())
        };
        match &lock {
            Some(_) => todo.gone.retain(|(id, _)| !is_there(id)),
            // Next time.
            None => todo.gone.clear(),
        }
        lock
    }

    /// Writes what is new into the database, in one transaction.
    fn write_news(
        &self,
        database: &Database,
        seen: &Scan,
        todo: &Plan,
    ) -> Result<(), KnowledgeError> {
        let usage = usage_state(&self.project);
        let is_current = database.read(|connection| {
            Ok(fact(connection, COMPLETE)?.is_some()
                && usage.is_known(connection)?
                && super::logs::is_imported(connection, &self.project)?)
        })?;
        let has_news = !seen.vanished.is_empty() || seen.files.iter().any(|file| file.is_news);
        if is_current && !has_news && todo.is_nothing() {
            return Ok(());
        }
        let recipes = self.recipes_of(seen, todo);
        database.write(|transaction| self.write_rows(transaction, seen, todo, &recipes, &usage))?;
        step("rows written");
        Ok(())
    }

    /// The recipes of the rows that are written; read again where the index
    /// was enough until now.
    fn recipes_of<'s>(
        &self,
        seen: &'s Scan,
        todo: &Plan,
    ) -> HashMap<usize, std::borrow::Cow<'s, Recipe>> {
        use std::borrow::Cow;
        todo.puts
            .iter()
            .filter_map(|put| {
                let file = &seen.files[put.file];
                let recipe = match &file.recipe {
                    Some(recipe) => Cow::Borrowed(&**recipe),
                    None => Cow::Owned(load(file)?),
                };
                Some((put.file, recipe))
            })
            .collect()
    }

    fn write_rows(
        &self,
        transaction: &Transaction<'_>,
        seen: &Scan,
        todo: &Plan,
        recipes: &HashMap<usize, std::borrow::Cow<'_, Recipe>>,
        usage: &UsageState,
    ) -> rusqlite::Result<()> {
        import(transaction, &self.project)?;
        // What another process writes meanwhile it also writes here.
        let root = self.project.root();
        for file in seen
            .files
            .iter()
            .filter(|file| file.is_news && file.is_current())
        {
            write_index(transaction, file)?;
        }
        for rel in seen.vanished.iter().filter(|rel| !root.join(rel).exists()) {
            forget(transaction, rel)?;
        }
        for id in &todo.removed {
            remove(transaction, id)?;
        }
        for row in &todo.puts {
            let Some(recipe) = recipes.get(&row.file) else {
                continue;
            };
            let file = &seen.files[row.file];
            if !file.is_current() {
                continue;
            }
            let origin = Origin {
                row_id: &row.row_id,
                rel: &file.place.rel,
                hash: &file.hash,
                conflict: row.conflict.as_deref(),
            };
            put(transaction, recipe, &origin)?;
            if let Some(before) = row.before
                && before != recipe.lifecycle
            {
                let event = move_of(recipe, &row.row_id, before);
                put_event(transaction, &event, Journalled::NotYet)?;
            }
        }
        for (id, conflict) in &todo.conflicts {
            set_conflict(transaction, id, conflict.as_deref())?;
        }
        for (id, before) in &todo.gone {
            // Moved, and told, before the lock was taken.
            if is_elsewhere(transaction, id, root)? {
                continue;
            }
            let event = removal(transaction, id, *before, FILE_REMOVED)?;
            bury(transaction, id, now().0)?;
            put_event(transaction, &event, Journalled::NotYet)?;
        }
        if fact(transaction, COMPLETE)?.is_none() {
            super::logs::restore_removed(transaction)?;
        }
        refresh_stats(transaction, &self.project, usage)?;
        set_fact(transaction, COMPLETE, "1")
    }
}

/// Whether the row of an entry names a file that is there.
fn is_elsewhere(
    transaction: &Transaction<'_>,
    id: &str,
    root: &std::path::Path,
) -> rusqlite::Result<bool> {
    let path: Option<String> = transaction
        .prepare_cached("SELECT file_path FROM knowledge_entries WHERE id = ?1")?
        .query_row([id], |row| row.get(0))
        .optional()?
        .flatten();
    Ok(path.is_none_or(|path| root.join(path).is_file()))
}

impl Plan {
    const fn is_nothing(&self) -> bool {
        self.puts.is_empty()
            && self.conflicts.is_empty()
            && self.gone.is_empty()
            && self.removed.is_empty()
    }
}

/// Reads the recipe of a file.
fn load(file: &FileFacts) -> Option<Recipe> {
    let text = read_text_up_to(&Disk, &file.place.path, MAX_RECIPE)
        .ok()?
        .text;
    let (_, recipe) = admit(&text, file.place.home()).ok()?;
    Some(recipe)
}

/// The move that a file shows and its row does not know: the one that its
/// history tells, else one that someone wrote in by hand.
fn move_of(recipe: &Recipe, id: &str, before: Lifecycle) -> TransitionEvent {
    let told = recipe
        .lifecycle_history
        .last()
        .filter(|last| last.to == recipe.lifecycle && last.from == before);
    let at = told.map_or_else(|| now().0 / 1000, |last| last.at);
    TransitionEvent {
        id: event_id(id, at, before, recipe.lifecycle),
        recipe_id: id.to_owned(),
        from_state: before,
        to_state: recipe.lifecycle,
        trigger: MoveTrigger::Sync,
        evidence: told
            .and_then(|last| last.reason.as_ref())
            .map(|reason| json!({ "reason": reason })),
        proposal_id: None,
        operator_id: told.and_then(|last| last.by.clone()),
        created_at: at,
    }
}

/// As [`asd_knowledge::lifecycle::transition`] names its events, so that one
/// whose line was lost is not told twice.
fn event_id(id: &str, at: i64, from: Lifecycle, to: Lifecycle) -> String {
    format!("{id}:{at}:{}-{}", from.name(), to.name())
}

/// The end of an entry whose file is gone, with what is needed to know it again.
pub(crate) fn removal(
    transaction: &Transaction<'_>,
    id: &str,
    before: Lifecycle,
    reason: &str,
) -> rusqlite::Result<TransitionEvent> {
    let (title, trigger, path): (String, String, Option<String>) = transaction
        .prepare_cached("SELECT title, trigger, file_path FROM knowledge_entries WHERE id = ?1")?
        .query_row([id], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
    let at = now().0 / 1000;
    Ok(TransitionEvent {
        id: event_id(id, at, before, Lifecycle::Deprecated),
        recipe_id: id.to_owned(),
        from_state: before,
        to_state: Lifecycle::Deprecated,
        trigger: MoveTrigger::Sync,
        evidence: Some(json!({
            "reason": reason,
            "removed": true,
            "title": title,
            "trigger": trigger,
            "path": path,
        })),
        proposal_id: None,
        operator_id: None,
        created_at: at,
    })
}

/// Puts into the report what the plan says.
fn tell(
    seen: &Scan,
    todo: &Plan,
    rows: &HashMap<String, super::rows::RowFacts>,
    report: &mut SyncReport,
) {
    report.scanned = seen.files.len();
    report.unchanged = todo.unchanged;
    report.purged = todo.purged;
    report.orphaned = todo.gone.len();
    report.conflicts = todo.disputes.len();
    for put in &todo.puts {
        if put.before.is_some() {
            report.updated += 1;
        } else {
            report.inserted += 1;
        }
    }
    for (id, _) in &todo.gone {
        let path = rows
            .get(id)
            .and_then(|row| row.path.as_deref())
            .unwrap_or(id);
        report.change(
            path,
            "orphaned",
            "is gone; its entry is deprecated, and forgotten after 30 days".to_owned(),
        );
    }
    for dispute in &todo.disputes {
        let message = match dispute.about {
            About::Id => format!(
                "has the id of {}, which is newer; remove the `id` line, or one of the files",
                dispute.other
            ),
            About::Trigger => format!(
                "has the trigger of {}; give it another one, until then it is not delivered",
                dispute.other
            ),
        };
        report.change(&seen.files[dispute.file].place.rel, "conflict", message);
    }
    let files = seen.files.iter().filter_map(|file| {
        let refusal = file.content.as_ref().err()?;
        Some((&file.place.rel, refusal))
    });
    let folders = seen.errors.iter().map(|(path, refusal)| (path, refusal));
    for (path, refusal) in files.chain(folders) {
        report.errors.push(SyncError {
            path: path.clone(),
            line: refusal.line,
            message: refusal.message.clone(),
        });
    }
    report.errors.sort_by(|a, b| a.path.cmp(&b.path));
}
