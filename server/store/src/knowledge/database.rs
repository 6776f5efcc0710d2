//! The SQLite shadow of the knowledge files.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rusqlite::{Connection, ErrorCode, OptionalExtension, Transaction, TransactionBehavior};
use thiserror::Error;

use crate::records::prepare;
use crate::write::lock_at;
use crate::{Project, now};

/// The version of `schema.sql`. Raise it with every change there.
const SCHEMA_VERSION: i32 = 1;
/// Marks the file as ours: "asdk".
const APPLICATION_ID: i32 = 0x6173_646b;
const SCHEMA: &str = include_str!("schema.sql");
/// How long a write waits for that of another process.
const BUSY: Duration = Duration::from_secs(3);

const FILE: &str = ".asd/asd.db";
const LOCK: &str = ".asd/database.lock";

/// Why the database did not answer. It is a shadow: whoever asked can still
/// read and write the files.
#[derive(Debug, Error)]
#[error("the database of the knowledge does not answer: {0}; delete .asd/asd.db, it is made again")]
pub struct DatabaseError(#[from] rusqlite::Error);

/// `.asd/asd.db`. Opened at the first question; damaged or made by an older
/// version, it is moved away and begun anew; where it cannot be used at all
/// (a read-only disk, a lock that does not go away), the same tables are kept
/// in memory and [`Database::degraded`] says why.
#[derive(Debug)]
pub(crate) struct Database {
    project: Project,
    place: Place,
    open: Mutex<Option<Open>>,
    opened: AtomicU64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Disk,
    /// On disk if it is there and sound; nothing is made or moved.
    AsItIs,
}

#[derive(Debug)]
struct Open {
    connection: Connection,
    file: Option<FileIdentity>,
    degraded: Option<String>,
}

/// Tells whether the file that is open is still the one at the path.
type FileIdentity = (u64, u64);

impl Database {
    /// The database of a project; nothing is opened yet.
    pub(crate) fn new(project: &Project) -> Self {
        Self {
            project: project.clone(),
            place: Place::Disk,
            open: Mutex::new(None),
            opened: AtomicU64::new(0),
        }
    }

    /// The database as it is, for questions only: where there is none, an empty
    /// one in memory answers.
    pub(crate) fn as_it_is(project: &Project) -> Self {
        Self {
            place: Place::AsItIs,
            ..Self::new(project)
        }
    }

    /// How often it was opened. When the number grows in the middle of some
    /// work, what was read before is no longer what is there.
    pub(crate) fn opened(&self) -> u64 {
        self.opened.load(Ordering::SeqCst)
    }

    /// Why nothing is kept on disk, in plain words; `None` when it is.
    pub(crate) fn degraded(&self) -> Option<String> {
        self.lock().as_ref().and_then(|open| open.degraded.clone())
    }

    /// Asks something. `ask` may be called again when the database has to be
    /// begun anew meanwhile.
    pub(crate) fn read<T>(
        &self,
        mut ask: impl FnMut(&Connection) -> rusqlite::Result<T>,
    ) -> Result<T, DatabaseError> {
        self.with(|connection| ask(connection))
    }

    /// Changes something, all of it or nothing. See [`Self::read`].
    pub(crate) fn write<T>(
        &self,
        mut change: impl FnMut(&Transaction<'_>) -> rusqlite::Result<T>,
    ) -> Result<T, DatabaseError> {
        self.with(|connection| {
            let transaction =
                connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let result = change(&transaction)?;
            transaction.commit()?;
            Ok(result)
        })
    }

    /// Opens the file again where it was replaced or could not be used before.
    pub(crate) fn refresh(&self) {
        let mut open = self.lock();
        let stale = open.as_ref().is_some_and(|open| {
            open.degraded.is_some() || (open.file.is_some() && open.file != identity(&self.path()))
        });
        if stale {
            *open = None;
        }
    }

    fn path(&self) -> PathBuf {
        self.project.root().join(FILE)
    }

    fn lock(&self) -> MutexGuard<'_, Option<Open>> {
        // Whatever panicked meanwhile, a transaction is whole or not there.
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn with<T>(
        &self,
        mut work: impl FnMut(&mut Connection) -> rusqlite::Result<T>,
    ) -> Result<T, DatabaseError> {
        let mut guard = self.lock();
        let open = match &mut *guard {
            Some(open) => open,
            none => none.insert(self.open()?),
        };
        let error = match work(&mut open.connection) {
            Ok(result) => return Ok(result),
            Err(error) if open.file.is_none() => return Err(error.into()),
            Err(error) => error,
        };
        // Once more, on a database that is sound.
        *open = match trouble(&error) {
            Trouble::Damaged => {
                // The file can be moved on every system only when it is closed.
                open.connection = Connection::open_in_memory()?;
                self.move_away("damaged");
                self.open()?
            }
            Trouble::Unusable => {
                self.opened.fetch_add(1, Ordering::SeqCst);
                in_memory(Some(reason(&error)))?
            }
            Trouble::Ours => return Err(error.into()),
        };
        Ok(work(&mut open.connection)?)
    }

    fn open(&self) -> rusqlite::Result<Open> {
        self.opened.fetch_add(1, Ordering::SeqCst);
        let is_wanted = match self.place {
            Place::Disk => self.project.has_knowledge(),
            Place::AsItIs => self.path().is_file(),
        };
        if !is_wanted {
            return in_memory(None);
        }
        match self.open_file() {
            Ok(open) => Ok(open),
            Err(Unopened::Damaged(_)) if self.place == Place::AsItIs => in_memory(None),
            Err(Unopened::Damaged(what)) => {
                self.move_away(what);
                self.open_file()
                    .or_else(|error| in_memory(Some(error.reason())))
            }
            Err(error) => in_memory(Some(error.reason())),
        }
    }

    fn open_file(&self) -> Result<Open, Unopened> {
        let path = self
            .project
            .absolute(FILE)
            .map_err(|error| Unopened::Unusable(error.to_string()))?;
        prepare(&self.project).map_err(|error| Unopened::Unusable(error.to_string()))?;
        if path.is_symlink() {
            return Err(Unopened::Unusable(format!("{FILE} is a symbolic link")));
        }
        // Two processes that start at once make it one after the other.
        let _lock = lock_at(&self.project, LOCK, BUSY, fs::File::try_lock)
            .map_err(|error| Unopened::Unusable(error.to_string()))?;
        let mut connection = Connection::open(&path)?;
        connection.busy_timeout(BUSY)?;
        let version: i32 = connection.query_row("PRAGMA user_version", [], |row| row.get(0))?;
        let ours: i32 = connection.query_row("PRAGMA application_id", [], |row| row.get(0))?;
        let empty = connection
            .query_row("SELECT 1 FROM sqlite_schema LIMIT 1", [], |_| Ok(()))
            .optional()?
            .is_none();
        if !empty {
            if ours != APPLICATION_ID || version < SCHEMA_VERSION {
                return Err(Unopened::Damaged("old"));
            }
            if version > SCHEMA_VERSION {
                return Err(Unopened::Unusable(format!(
                    "{FILE} was made by a newer version of asd; update asd, or delete the file"
                )));
            }
        }
        let mode: String = connection.query_row("PRAGMA journal_mode", [], |row| row.get(0))?;
        if !mode.eq_ignore_ascii_case("wal") {
            connection.query_row("PRAGMA journal_mode = WAL", [], |_| Ok(()))?;
        }
        tune(&connection)?;
        if empty {
            create(&mut connection)?;
        }
        Ok(Open {
            connection,
            file: identity(&path).or(Some((0, 0))),
            degraded: None,
        })
    }

    /// Puts the files aside under a name that says why; one such set is kept.
    fn move_away(&self, why: &str) {
        let path = self.path();
        tracing::warn!(path = %path.display(), why, "the database is begun anew");
        for suffix in ["", "-wal", "-shm"] {
            let from = PathBuf::from(format!("{}{suffix}", path.display()));
            let to = PathBuf::from(format!("{}.{why}{suffix}", path.display()));
            let moved = fs::rename(&from, &to);
            if moved.is_err() && from.exists() {
                let _ = fs::remove_file(&from);
            }
        }
    }
}

fn in_memory(degraded: Option<String>) -> rusqlite::Result<Open> {
    if let Some(reason) = &degraded {
        tracing::warn!(reason, "the database is kept in memory");
    }
    let mut connection = Connection::open_in_memory()?;
    tune(&connection)?;
    create(&mut connection)?;
    Ok(Open {
        connection,
        file: None,
        degraded,
    })
}

fn tune(connection: &Connection) -> rusqlite::Result<()> {
    connection.set_prepared_statement_cache_capacity(64);
    // After a power cut the last rows may be missing; they are made again.
    connection.pragma_update(None, "synchronous", "NORMAL")?;
    connection.pragma_update(None, "temp_store", "MEMORY")
}

fn create(connection: &mut Connection) -> rusqlite::Result<()> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    transaction.execute_batch(SCHEMA)?;
    transaction.pragma_update(None, "application_id", APPLICATION_ID)?;
    transaction.pragma_update(None, "user_version", SCHEMA_VERSION)?;
    transaction.execute(
        "INSERT INTO schema_migrations VALUES (?1, ?2)",
        (SCHEMA_VERSION, now().0),
    )?;
    transaction.commit()
}

enum Unopened {
    /// To be moved away, with the word for it.
    Damaged(&'static str),
    /// To be left alone.
    Unusable(String),
}

impl Unopened {
    fn reason(self) -> String {
        match self {
            Self::Damaged(_) => format!("{FILE} is damaged and cannot be moved away"),
            Self::Unusable(reason) => reason,
        }
    }
}

impl From<rusqlite::Error> for Unopened {
    fn from(error: rusqlite::Error) -> Self {
        match trouble(&error) {
            Trouble::Damaged | Trouble::Ours => Self::Damaged("damaged"),
            Trouble::Unusable => Self::Unusable(reason(&error)),
        }
    }
}

enum Trouble {
    Damaged,
    Unusable,
    Ours,
}

fn trouble(error: &rusqlite::Error) -> Trouble {
    match error.sqlite_error_code() {
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => Trouble::Damaged,
        Some(
            ErrorCode::DatabaseBusy
            | ErrorCode::DatabaseLocked
            | ErrorCode::ReadOnly
            | ErrorCode::CannotOpen
            | ErrorCode::PermissionDenied
            | ErrorCode::DiskFull
            | ErrorCode::SystemIoFailure
            | ErrorCode::FileLockingProtocolFailed
            | ErrorCode::NoLargeFileSupport,
        ) => Trouble::Unusable,
        _ if is_missing_table(error) => Trouble::Damaged,
        _ => Trouble::Ours,
    }
}

/// A file of the right version without its tables was tampered with.
fn is_missing_table(error: &rusqlite::Error) -> bool {
    let text = error.to_string();
    text.contains("no such table") || text.contains("no such column")
}

fn reason(error: &rusqlite::Error) -> String {
    match error.sqlite_error_code() {
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
            format!("{FILE} is held by another process")
        }
        Some(ErrorCode::ReadOnly | ErrorCode::CannotOpen | ErrorCode::PermissionDenied) => {
            format!("{FILE} cannot be written")
        }
        Some(ErrorCode::DiskFull) => "the disk is full".to_owned(),
        _ => format!("{FILE}: {error}"),
    }
}

#[cfg(unix)]
fn identity(path: &Path) -> Option<FileIdentity> {
    use std::os::unix::fs::MetadataExt;
    let metadata = path.metadata().ok()?;
    Some((metadata.dev(), metadata.ino()))
}

/// An open file cannot be replaced there.
#[cfg(not(unix))]
fn identity(path: &Path) -> Option<FileIdentity> {
    path.exists().then_some((0, 0))
}

/// A small fact about the database itself.
pub(crate) fn fact(connection: &Connection, name: &str) -> rusqlite::Result<Option<String>> {
    connection
        .prepare_cached("SELECT value FROM facts WHERE name = ?1")?
        .query_row([name], |row| row.get(0))
        .optional()
}

/// Sets a small fact.
pub(crate) fn set_fact(connection: &Connection, name: &str, value: &str) -> rusqlite::Result<()> {
    connection
        .prepare_cached("INSERT OR REPLACE INTO facts VALUES (?1, ?2)")?
        .execute([name, value])?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn project() -> (tempfile::TempDir, Project) {
        let temp = tempfile::tempdir().unwrap();
        fs::create_dir(temp.path().join("Alembic")).unwrap();
        let project = Project::at(temp.path());
        (temp, project)
    }

    fn set(database: &Database, value: &str) {
        database.write(|t| set_fact(t, "x", value)).unwrap();
    }

    fn get(database: &Database) -> Option<String> {
        database.read(|c| fact(c, "x")).unwrap()
    }

    #[test]
    fn it_is_opened_at_the_first_question_and_keeps_what_it_was_told() {
        let (_temp, project) = project();
        let database = Database::new(&project);
        assert!(!project.root().join(FILE).exists());
        set(&database, "1");
        assert_eq!(get(&Database::new(&project)).as_deref(), Some("1"));
        assert_eq!(database.degraded(), None);
        let ignored = fs::read_to_string(project.root().join(".asd/.gitignore")).unwrap();
        assert_eq!(ignored, "*\n");
    }

    #[test]
    fn a_damaged_file_is_moved_away_and_begun_anew() {
        let (_temp, project) = project();
        fs::create_dir(project.root().join(".asd")).unwrap();
        fs::write(
            project.root().join(FILE),
            "this is no database, but it is long enough",
        )
        .unwrap();
        let database = Database::new(&project);
        assert_eq!(get(&database), None);
        set(&database, "2");
        assert_eq!(database.degraded(), None);
        assert!(project.root().join(".asd/asd.db.damaged").exists());
    }

    #[test]
    fn damage_that_shows_later_is_mended_too() {
        let (_temp, project) = project();
        let database = Database::new(&project);
        set(&database, "1");
        database
            .write(|t| t.execute_batch("DROP TABLE facts"))
            .unwrap();
        assert_eq!(get(&database), None);
        set(&database, "2");
        assert_eq!(get(&Database::new(&project)).as_deref(), Some("2"));
    }

    #[test]
    fn an_older_version_is_moved_away_and_a_newer_one_left_alone() {
        let (_temp, project) = project();
        set(&Database::new(&project), "1");
        let version = |v: i32| {
            let raw = Connection::open(project.root().join(FILE)).unwrap();
            raw.pragma_update(None, "user_version", v).unwrap();
        };
        version(SCHEMA_VERSION + 1);
        let newer = Database::new(&project);
        assert_eq!(get(&newer), None);
        assert!(newer.degraded().unwrap().contains("newer version"));
        version(SCHEMA_VERSION - 1);
        let database = Database::new(&project);
        assert_eq!(get(&database), None);
        assert_eq!(database.degraded(), None);
        assert!(project.root().join(".asd/asd.db.old").exists());
    }

    #[test]
    fn a_deleted_file_is_noticed_by_whoever_has_it_open() {
        let (_temp, project) = project();
        let database = Database::new(&project);
        set(&database, "1");
        for suffix in ["", "-wal", "-shm"] {
            let _ = fs::remove_file(project.root().join(format!("{FILE}{suffix}")));
        }
        database.refresh();
        assert_eq!(get(&database), None);
        set(&database, "2");
        assert!(project.root().join(FILE).exists());
    }

    #[test]
    fn a_file_that_another_holds_is_replaced_by_memory_until_it_is_free() {
        let (_temp, project) = project();
        let database = Database::new(&project);
        set(&database, "1");
        database
            .read(|c| c.busy_timeout(Duration::from_millis(5)))
            .unwrap();
        let other = Connection::open(project.root().join(FILE)).unwrap();
        other.execute_batch("BEGIN IMMEDIATE").unwrap();
        assert_eq!(get(&database).as_deref(), Some("1"), "reading goes on");
        set(&database, "2");
        assert!(database.degraded().unwrap().contains("another process"));
        assert_eq!(get(&database).as_deref(), Some("2"));
        other.execute_batch("COMMIT").unwrap();
        database.refresh();
        assert_eq!(get(&database).as_deref(), Some("1"));
        assert_eq!(database.degraded(), None);
    }

    #[test]
    fn a_project_without_knowledge_gets_no_file() {
        let temp = tempfile::tempdir().unwrap();
        let database = Database::new(&Project::at(temp.path()));
        set(&database, "1");
        assert_eq!(fs::read_dir(temp.path()).unwrap().count(), 0);
    }
}
