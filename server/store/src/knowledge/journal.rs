//! Journals: what happened on this machine, one JSON object a line below
//! `.asd/`. They are the truth from which counters, the audit and proposals in
//! the database are made again.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::time::Duration;

use rusqlite::Connection;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::database::{fact, set_fact};
use crate::failpoint::step;
use crate::records::{Growth, append};
use crate::write::{WriteLock, lock_at};
use crate::{Project, WriteError, write_atomic};

const LOCK: &str = ".asd/journal.lock";
/// Nobody holds the lock of a journal for longer than a file takes to write.
const PATIENCE: Duration = Duration::from_secs(10);
/// How much of a journal's beginning tells that it is still the same.
const HEAD: usize = 64;

/// The journals by what they hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Journal {
    /// What raised counters.
    Usage,
    /// What was asked of the gateway.
    Audit,
    /// Moves of entries.
    Lifecycle,
    /// Proposals, each time with all that is known of them.
    Proposals,
}

impl Journal {
    pub(crate) const fn rel(self) -> &'static str {
        match self {
            Self::Usage => ".asd/usage.jsonl",
            Self::Audit => ".asd/audit.jsonl",
            Self::Lifecycle => ".asd/lifecycle.jsonl",
            Self::Proposals => ".asd/proposals.jsonl",
        }
    }

    /// Adds lines with one write, so that several processes may do it at once.
    pub(crate) fn append<T: Serialize>(
        self,
        project: &Project,
        values: &[T],
    ) -> Result<(), WriteError> {
        if values.is_empty() {
            return Ok(());
        }
        // Shared with others that append, but not with one that rewrites it.
        let _lock = self.lock(project, Access::Append)?;
        append(project, self.rel(), values, Growth::Kept)?;
        step("journalled");
        Ok(())
    }

    /// Every line that can be read. One that cannot, as a power cut leaves it,
    /// is passed over.
    pub(crate) fn read<T: DeserializeOwned>(self, project: &Project) -> Vec<T> {
        let mut all = Vec::new();
        if let Some(tail) = self.tail(project, 0, "") {
            tail.each(|value| all.push(value));
        }
        all
    }

    /// Replaces the journal by what `change` makes of it, while nobody appends.
    /// Nothing is written when `change` says that it may stay as it is.
    pub(crate) fn rewrite<T: DeserializeOwned + Serialize>(
        self,
        project: &Project,
        change: impl FnOnce(Vec<T>) -> Option<Vec<T>>,
    ) -> Result<(), WriteError> {
        let _lock = self.lock(project, Access::Rewrite)?;
        let Some(kept) = change(self.read(project)) else {
            return Ok(());
        };
        let mut lines = Vec::new();
        for value in &kept {
            serde_json::to_writer(&mut lines, value).map_err(|error| WriteError::Io {
                path: project.root().join(self.rel()),
                source: error.into(),
            })?;
            lines.push(b'\n');
        }
        write_atomic(project, self.rel(), &lines)?;
        Ok(())
    }

    /// Hands every line that the database does not know yet to `take`.
    pub(crate) fn import<T: DeserializeOwned>(
        self,
        project: &Project,
        connection: &Connection,
        mut take: impl FnMut(T) -> rusqlite::Result<()>,
    ) -> rusqlite::Result<()> {
        let known = fact(connection, self.rel())?.unwrap_or_default();
        let (offset, head) = known.split_once(' ').unwrap_or(("0", ""));
        let Some(tail) = self.tail(project, offset.parse().unwrap_or(0), head) else {
            return Ok(());
        };
        if tail.bytes.is_empty() {
            return Ok(());
        }
        let mut result = Ok(());
        tail.each(|value| {
            if result.is_ok() {
                result = take(value);
            }
        });
        result?;
        set_fact(
            connection,
            self.rel(),
            &format!("{} {}", tail.end, tail.head),
        )
    }

    /// Whether the database has read it to its end.
    pub(crate) fn is_imported(
        self,
        project: &Project,
        connection: &Connection,
    ) -> rusqlite::Result<bool> {
        let length = std::fs::metadata(project.root().join(self.rel()));
        let length = length.map_or(0, |metadata| metadata.len());
        let known = fact(connection, self.rel())?.unwrap_or_default();
        let known = known.split_once(' ').map_or("0", |(offset, _)| offset);
        Ok(known.parse() == Ok(length))
    }

    fn lock(self, project: &Project, access: Access) -> Result<WriteLock, WriteError> {
        let take = match access {
            Access::Append => File::try_lock_shared,
            Access::Rewrite => File::try_lock,
        };
        crate::records::prepare(project)?;
        lock_at(project, LOCK, PATIENCE, take)
    }

    /// The whole lines from an offset on, or all when the journal no longer has
    /// that beginning.
    fn tail(self, project: &Project, offset: u64, head: &str) -> Option<Tail> {
        let mut file = File::open(project.root().join(self.rel())).ok()?;
        let length = file.metadata().ok()?.len();
        let mut start = vec![0; HEAD.min(usize::try_from(length).ok()?)];
        file.read_exact(&mut start).ok()?;
        let start = hex(&start);
        let is_same = length >= offset && !head.is_empty() && start.starts_with(head);
        let from = if is_same { offset } else { 0 };
        file.seek(SeekFrom::Start(from)).ok()?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).ok()?;
        // A line that is being written is read the next time.
        let whole = bytes
            .iter()
            .rposition(|byte| *byte == b'\n')
            .map_or(0, |at| at + 1);
        bytes.truncate(whole);
        Some(Tail {
            end: from + whole as u64,
            head: start,
            bytes,
        })
    }
}

#[derive(Clone, Copy)]
enum Access {
    Append,
    Rewrite,
}

struct Tail {
    bytes: Vec<u8>,
    end: u64,
    head: String,
}

impl Tail {
    fn each<T: DeserializeOwned>(&self, mut take: impl FnMut(T)) {
        for line in self.bytes.split(|byte| *byte == b'\n') {
            if line.is_empty() {
                continue;
            }
            match serde_json::from_slice(line) {
                Ok(value) => take(value),
                Err(error) => tracing::warn!(%error, "a line of a journal cannot be read"),
            }
        }
    }
}

fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// Ends what a torn line began, so that the next one stands for itself.
pub(crate) fn close_torn_line(file: &mut File) -> std::io::Result<()> {
    let length = file.metadata()?.len();
    if length == 0 {
        return Ok(());
    }
    let mut last = [0];
    file.seek(SeekFrom::Start(length - 1))?;
    file.read_exact(&mut last)?;
    if last[0] == b'\n' {
        return Ok(());
    }
    file.write_all(b"\n")
}

#[cfg(test)]
mod tests {
    use std::fs;

    use serde_json::{Value, json};

    use super::*;
    use crate::knowledge::database::Database;

    fn project() -> (tempfile::TempDir, Project) {
        let temp = tempfile::tempdir().unwrap();
        fs::create_dir(temp.path().join("Alembic")).unwrap();
        let project = Project::at(temp.path());
        (temp, project)
    }

    #[test]
    fn a_torn_line_takes_no_other_with_it() {
        let (_temp, project) = project();
        let journal = Journal::Audit;
        journal.append(&project, &[json!(1)]).unwrap();
        let path = project.root().join(journal.rel());
        let torn = fs::read_to_string(&path).unwrap() + "{\"half";
        fs::write(&path, torn).unwrap();
        journal.append(&project, &[json!(2)]).unwrap();
        assert_eq!(journal.read::<Value>(&project), [json!(1), json!(2)]);
    }

    #[test]
    fn a_line_is_imported_once_and_a_rewritten_journal_as_a_whole() {
        let (_temp, project) = project();
        let database = Database::new(&project);
        let journal = Journal::Lifecycle;
        let import = || {
            database
                .write(|t| {
                    let mut taken: Vec<Value> = Vec::new();
                    journal.import(&project, t, |value: Value| {
                        taken.push(value);
                        Ok(())
                    })?;
                    Ok(taken)
                })
                .unwrap()
        };
        assert!(import().is_empty());
        journal.append(&project, &[json!(1), json!(2)]).unwrap();
        assert_eq!(import(), [json!(1), json!(2)]);
        journal.append(&project, &[json!(3)]).unwrap();
        assert_eq!(import(), [json!(3)]);
        assert!(import().is_empty());
        journal
            .rewrite(&project, |all: Vec<Value>| Some(all[1..].to_vec()))
            .unwrap();
        assert_eq!(import(), [json!(2), json!(3)]);
    }
}
