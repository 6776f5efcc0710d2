//! The journal of use, and the counters that follow from it. (knowledge.md §11)

use std::collections::BTreeMap;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use asd_knowledge::counters::{Coverage, Stats, UsageEvent, UsageFold, UsageLine, compact_usage};
use asd_recipe::trigger_key;
use rusqlite::{Connection, Transaction};

use super::database::{fact, set_fact};
use super::journal::Journal;
use super::logs::DAY;
use super::rows::{ids_by_trigger, put_stats};
use super::{KnowledgeError, KnowledgeStore};
use crate::{Project, now};

/// How many events are held back at most.
const MOST: usize = 100;
/// How long an event is held back at most.
const LONGEST: Duration = Duration::from_secs(30);
/// From how old on lines are daily sums, in milliseconds.
const OLD: i64 = 90 * DAY;
const USAGE: &str = "usage";
/// The fact that says when the journal was last compacted.
const COMPACTED: &str = "usage compacted";

impl KnowledgeStore {
    /// The counters of all entries by id, from the journal of this machine, and
    /// how far back that reaches.
    ///
    /// # Errors
    /// [`KnowledgeError::Database`].
    pub fn usage(&self) -> Result<(BTreeMap<String, Stats>, Coverage), KnowledgeError> {
        self.ready()?;
        let triggers = self.database().read(ids_by_trigger)?;
        let mut fold = UsageFold::new(now().0);
        for line in lines(&self.project, &triggers) {
            fold.add(&line);
        }
        let coverage = fold.coverage();
        Ok((fold.finish(), coverage))
    }

    /// What happened since a moment (milliseconds since 1970), under the ids of
    /// the entries, from the journal of this machine.
    ///
    /// # Errors
    /// [`KnowledgeError::Database`].
    pub fn usage_since(&self, since_ms: i64) -> Result<Vec<UsageLine>, KnowledgeError> {
        self.ready()?;
        let triggers = self.database().read(ids_by_trigger)?;
        Ok(lines(&self.project, &triggers)
            .filter(|line| line.t >= since_ms)
            .collect())
    }

    /// Makes daily sums of what is older than 90 days, once a day.
    pub(crate) fn compact_usage(&self) -> Result<(), KnowledgeError> {
        let today = (now().0 / DAY).to_string();
        let done = self
            .database()
            .read(|connection| fact(connection, COMPACTED))?;
        if done.as_ref() == Some(&today) {
            return Ok(());
        }
        let limit = now().0 - OLD;
        Journal::Usage.rewrite(&self.project, |lines: Vec<UsageLine>| {
            // The first line alone stays as it is.
            let old = lines.iter().filter(|line| line.t <= limit).count();
            if old < 2 {
                return None;
            }
            let compacted = compact_usage(&lines, now().0);
            (compacted.len() < lines.len()).then_some(compacted)
        })?;
        self.database().write(|t| set_fact(t, COMPACTED, &today))?;
        Ok(())
    }
}

/// The lines of the journal under the ids of their entries: a recipe that had
/// none yet is told by its trigger.
fn lines(
    project: &Project,
    triggers: &std::collections::HashMap<String, String>,
) -> impl Iterator<Item = UsageLine> {
    let lines: Vec<UsageLine> = Journal::Usage.read(project);
    lines.into_iter().map(|mut line| {
        if line.id.starts_with('@')
            && let Some(id) = triggers.get(&trigger_key(&line.id))
        {
            line.id.clone_from(id);
        }
        line
    })
}

/// What the counters in the database follow from: the journal, and the day,
/// since some count only what is recent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct UsageState(String);

pub(crate) fn usage_state(project: &Project) -> UsageState {
    let metadata = std::fs::metadata(project.root().join(Journal::Usage.rel())).ok();
    let modified = metadata
        .as_ref()
        .and_then(|metadata| metadata.modified().ok())
        .and_then(|time| time.duration_since(std::time::UNIX_EPOCH).ok())
        .map_or(0, |since| since.as_nanos());
    let size = metadata.map_or(0, |metadata| metadata.len());
    UsageState(format!("{size} {modified} {}", now().0 / DAY))
}

impl UsageState {
    /// Whether the counters in the database follow from this state.
    pub(crate) fn is_known(&self, connection: &Connection) -> rusqlite::Result<bool> {
        Ok(fact(connection, USAGE)?.as_ref() == Some(&self.0))
    }
}

/// Makes the counters of the rows again.
pub(crate) fn refresh_stats(
    transaction: &Transaction<'_>,
    project: &Project,
    state: &UsageState,
) -> rusqlite::Result<()> {
    if state.is_known(transaction)? && fact(transaction, super::reconcile::COMPLETE)?.is_some() {
        return Ok(());
    }
    let triggers = ids_by_trigger(transaction)?;
    let mut fold = UsageFold::new(now().0);
    for line in lines(project, &triggers) {
        fold.add(&line);
    }
    put_stats(transaction, &fold.finish())?;
    set_fact(transaction, USAGE, &state.0)
}

/// Writes down what raises counters. Events are held back until there are 100 of
/// them, or for 30 seconds, or until this is dropped; recording never waits for
/// a file.
#[derive(Debug)]
pub struct UsageRecorder {
    shared: Arc<Shared>,
    wake: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Debug)]
struct Shared {
    project: Project,
    held: Mutex<Vec<UsageLine>>,
}

impl UsageRecorder {
    /// A recorder for a project. No file is touched until something happens.
    #[must_use]
    pub fn new(project: &Project) -> Self {
        let shared = Arc::new(Shared {
            project: project.clone(),
            held: Mutex::new(Vec::new()),
        });
        let (wake, inbox) = channel();
        let writer = Arc::clone(&shared);
        let thread = std::thread::Builder::new()
            .name("asd-usage".to_owned())
            .spawn(move || {
                // The first event of a while starts the clock.
                while inbox.recv().is_ok() {
                    let is_last = loop {
                        if writer.count() >= MOST {
                            break false;
                        }
                        match inbox.recv_timeout(LONGEST) {
                            Ok(()) => {}
                            Err(RecvTimeoutError::Timeout) => break false,
                            Err(RecvTimeoutError::Disconnected) => break true,
                        }
                    };
                    writer.write();
                    if is_last {
                        break;
                    }
                }
                writer.write();
            })
            .ok();
        Self {
            shared,
            wake: Some(wake),
            thread,
        }
    }

    /// Notes that something happened to an entry: `id` is its id, or its trigger
    /// while it has none; of an authority, `n` is the new value.
    pub fn record(&self, id: &str, event: UsageEvent, n: u64) {
        let held = {
            let mut held = self.shared.lock();
            held.push(UsageLine {
                t: now().0,
                id: id.to_owned(),
                e: event,
                n,
            });
            held.len()
        };
        // Only the first one and the hundredth need anybody's attention.
        if held == 1 || held == MOST {
            match &self.wake {
                Some(wake) if self.thread.is_some() => {
                    let _ = wake.send(());
                }
                _ => self.shared.write(),
            }
        }
    }

    /// Writes what is held back.
    pub fn flush(&self) {
        self.shared.write();
    }
}

impl Drop for UsageRecorder {
    fn drop(&mut self) {
        self.wake = None;
        match self.thread.take() {
            Some(thread) => {
                let _ = thread.join();
            }
            None => self.shared.write(),
        }
    }
}

impl Shared {
    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<UsageLine>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn count(&self) -> usize {
        self.lock().len()
    }

    fn write(&self) {
        let lines = std::mem::take(&mut *self.lock());
        if let Err(error) = Journal::Usage.append(&self.project, &lines) {
            tracing::warn!(%error, "use of recipes is not recorded");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn project() -> (tempfile::TempDir, Project) {
        let temp = tempfile::tempdir().unwrap();
        std::fs::create_dir(temp.path().join("Alembic")).unwrap();
        let project = Project::at(temp.path());
        (temp, project)
    }

    fn written(project: &Project) -> usize {
        Journal::Usage.read::<UsageLine>(project).len()
    }

    #[test]
    fn what_is_held_back_is_written_at_the_end_and_at_a_hundred() {
        let (_temp, project) = project();
        let recorder = UsageRecorder::new(&project);
        recorder.record("a", UsageEvent::View, 1);
        assert_eq!(written(&project), 0);
        recorder.flush();
        assert_eq!(written(&project), 1);
        for _ in 0..MOST {
            recorder.record("a", UsageEvent::SearchHit, 1);
        }
        while written(&project) < 1 + MOST {
            std::thread::sleep(Duration::from_millis(1));
        }
        recorder.record("b", UsageEvent::Authority, 4);
        drop(recorder);
        assert_eq!(written(&project), 2 + MOST);
    }

    #[test]
    fn a_recorder_that_nothing_is_told_touches_nothing() {
        let (_temp, project) = project();
        drop(UsageRecorder::new(&project));
        assert!(!project.root().join(".asd").exists());
    }
}
