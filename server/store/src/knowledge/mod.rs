//! The project's knowledge: recipe files, which are the truth, with the database
//! that answers questions about them and the journals of what happened.
//! (knowledge.md §5)

mod admission;
mod change;
mod database;
mod facts;
mod journal;
mod logs;
mod moves;
mod place;
mod plan;
mod reconcile;
mod report;
mod rewriting;
mod rows;
mod summary;
mod usage;

#[cfg(test)]
mod tests;

use std::path::PathBuf;
use std::time::Duration;

use asd_knowledge::lifecycle::TransitionError;
use thiserror::Error;

pub use change::{Moved, Written};
pub use database::DatabaseError;
pub(crate) use journal::{Journal, close_torn_line};
pub use logs::{AuditQuery, emit_signals};
pub use moves::remove_file as remove_knowledge_file;
pub use report::{SyncChange, SyncError, SyncReport};
pub use rows::{Edge, Entry};
pub use summary::{merge_usage, read_usage_summary};
pub use usage::UsageRecorder;

use crate::{OutsideProject, Project, WriteError, WriteLock, lock_for_writing};
use database::Database;

/// How long another process is waited for. One that assigns ids to thousands of
/// recipes holds the lock for a while.
const PATIENCE: Duration = Duration::from_secs(60);

/// The knowledge of one project. It is shared by reference between threads;
/// other processes may have the same project open.
#[derive(Debug)]
pub struct KnowledgeStore {
    project: Project,
    extra: Vec<PathBuf>,
    database: Database,
}

/// Why knowledge was not read or changed.
#[derive(Debug, Error)]
pub enum KnowledgeError {
    /// No recipe has that id or trigger.
    #[error("no recipe has the id or trigger `{0}`")]
    NotFound(String),
    /// Another recipe has the same id, trigger or title.
    #[error("the {what} `{value}` belongs to {path} already; choose another one")]
    Conflict {
        /// `id`, `trigger` or `title`.
        what: &'static str,
        /// What both have.
        value: String,
        /// The file of the other one.
        path: String,
    },
    /// What was to be written is not fit to be a recipe.
    #[error("{path}: {reason}")]
    Refused {
        /// The file, or what it would have been called.
        path: String,
        /// What is wrong and what to do.
        reason: String,
    },
    /// The state cannot be changed like that.
    #[error(transparent)]
    Transition(#[from] TransitionError),
    /// A file was not written.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// The database failed in a way that its being deleted would not mend.
    #[error(transparent)]
    Database(#[from] DatabaseError),
}

impl From<OutsideProject> for KnowledgeError {
    fn from(outside: OutsideProject) -> Self {
        Self::Write(outside.into())
    }
}

impl KnowledgeError {
    /// The error code that doors show.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::NotFound(_) => "NOT_FOUND",
            Self::Conflict { .. } | Self::Transition(_) => "CONFLICT",
            Self::Refused { .. } => "VALIDATION_ERROR",
            Self::Write(WriteError::Outside(_) | WriteError::SymbolicLink(_)) => {
                "PERMISSION_DENIED"
            }
            Self::Write(_) | Self::Database(_) => "INTERNAL_ERROR",
        }
    }
}

/// Which recipes a synchronisation looks into.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Extent {
    /// Those whose file changed since the last time.
    #[default]
    Changed,
    /// All of them; every row is written anew.
    Everything,
}

impl KnowledgeStore {
    /// The knowledge of a project, with the recipes of the `extra` folders,
    /// which are never written to. Nothing is read yet.
    #[must_use]
    pub fn new(project: &Project, extra: &[PathBuf]) -> Self {
        Self {
            project: project.clone(),
            extra: extra.to_vec(),
            database: Database::new(project),
        }
    }

    /// The project.
    #[must_use]
    pub const fn project(&self) -> &Project {
        &self.project
    }

    /// Why the database is not kept on disk, in plain words; `None` when it is.
    /// Everything works then, but has to be read anew by each process.
    #[must_use]
    pub fn degraded(&self) -> Option<String> {
        self.database.degraded()
    }

    /// Every entry in the order of the ids; those whose file was removed in the
    /// last 30 days too.
    ///
    /// # Errors
    /// [`KnowledgeError::Database`].
    pub fn entries(&self) -> Result<Vec<Entry>, KnowledgeError> {
        self.ready()?;
        Ok(self.database.read(rows::entries)?)
    }

    /// The entry with that id or trigger, in any spelling of the trigger.
    ///
    /// # Errors
    /// [`KnowledgeError::Database`].
    pub fn entry(&self, name: &str) -> Result<Option<Entry>, KnowledgeError> {
        self.ready()?;
        let found =
            self.database
                .read(|connection| match rows::entry_by_id(connection, name)? {
                    Some(entry) => Ok(Some(entry)),
                    None => Ok(rows::entries_by_trigger(connection, name)?
                        .into_iter()
                        .next()),
                })?;
        Ok(found)
    }

    /// The edges that an entry states, and those that lead to it.
    ///
    /// # Errors
    /// [`KnowledgeError::Database`].
    pub fn edges(&self, id: &str) -> Result<Vec<Edge>, KnowledgeError> {
        self.ready()?;
        Ok(self
            .database
            .read(|connection| rows::edges_of(connection, id))?)
    }

    fn database(&self) -> &Database {
        &self.database
    }

    /// Held while files are written.
    fn lock(&self) -> Result<WriteLock, WriteError> {
        crate::records::prepare(&self.project)?;
        lock_for_writing(&self.project, PATIENCE)
    }

    /// Reads the recipes when the database does not know them.
    fn ready(&self) -> Result<(), KnowledgeError> {
        let is_complete = self
            .database
            .read(|connection| database::fact(connection, reconcile::COMPLETE))?
            .is_some();
        if !is_complete {
            self.reconcile()?;
        }
        Ok(())
    }
}
