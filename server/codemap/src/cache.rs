//! Facts that were read before, in a database below `.asd/`. It is a shadow of
//! the files: when it is damaged, of another version or gone, they are read
//! again.

use std::collections::HashMap;
use std::path::Path;

use rusqlite::{Connection, params};

use crate::extract::EXTRACTOR_VERSION;
use crate::source::SourceFile;

/// The version of the tables; a database of another one is made anew.
const SCHEMA: u32 = 1;

pub(crate) struct Cache {
    connection: Connection,
}

/// Facts by path, still packed.
pub(crate) type Packed = HashMap<String, (u64, Vec<u8>)>;

impl Cache {
    /// Opens a database, or makes it when there is none that can be used.
    pub fn open(path: &Path) -> rusqlite::Result<Self> {
        match Self::try_open(path) {
            Ok(cache) => Ok(cache),
            Err(error) => {
                tracing::info!(path = %path.display(), %error, "the code map's database is made anew");
                for suffix in ["", "-wal", "-shm"] {
                    let mut name = path.as_os_str().to_owned();
                    name.push(suffix);
                    let _ = std::fs::remove_file(name);
                }
                Self::try_open(path)
            }
        }
    }

    fn try_open(path: &Path) -> rusqlite::Result<Self> {
        let connection = Connection::open(path)?;
        connection.busy_timeout(std::time::Duration::from_secs(5))?;
        connection.pragma_update(None, "journal_mode", "WAL")?;
        connection.pragma_update(None, "synchronous", "NORMAL")?;
        let wanted = SCHEMA * 1000 + EXTRACTOR_VERSION;
        let version: u32 = connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
        if version != wanted {
            connection.execute_batch(&format!(
                "DROP TABLE IF EXISTS facts;
                 CREATE TABLE facts (path TEXT PRIMARY KEY, hash INTEGER NOT NULL, body BLOB NOT NULL) WITHOUT ROWID;
                 PRAGMA user_version = {wanted};"
            ))?;
        }
        Ok(Self { connection })
    }

    /// Everything in it.
    pub fn load(&self) -> rusqlite::Result<Packed> {
        let mut statement = self
            .connection
            .prepare("SELECT path, hash, body FROM facts")?;
        let rows = statement.query_map([], |row| {
            let hash: i64 = row.get(1)?;
            Ok((row.get(0)?, (hash.cast_unsigned(), row.get(2)?)))
        })?;
        rows.collect()
    }

    /// Puts files in and takes others out, in one transaction.
    pub fn store(
        &mut self,
        changed: &[(&str, &SourceFile)],
        removed: &[&str],
    ) -> rusqlite::Result<()> {
        let transaction = self.connection.transaction()?;
        {
            let mut put =
                transaction.prepare("INSERT OR REPLACE INTO facts VALUES (?1, ?2, ?3)")?;
            for (path, file) in changed {
                if let Ok(body) = postcard::to_stdvec(file) {
                    put.execute(params![path, file.hash.cast_signed(), body])?;
                }
            }
            let mut take = transaction.prepare("DELETE FROM facts WHERE path = ?1")?;
            for path in removed {
                take.execute([path])?;
            }
        }
        transaction.commit()
    }
}

/// Facts from a row; `None` when they cannot be read.
pub(crate) fn unpack(body: &[u8]) -> Option<SourceFile> {
    postcard::from_bytes(body).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extract::extract_text;

    fn file(text: &str) -> SourceFile {
        SourceFile {
            hash: u64::MAX - 3,
            size: text.len() as u64,
            is_test: false,
            facts: extract_text(text, asd_syntax::Language::TypeScript),
        }
    }

    #[test]
    fn facts_come_back_as_they_were() {
        let temp = tempfile::tempdir().unwrap();
        let path = temp.path().join("m.db");
        let file = file(
            "import {a} from './a';\nexport class B extends C { d: E = new E(); f(): G { return a(1).h(); } }",
        );
        let mut cache = Cache::open(&path).unwrap();
        cache
            .store(&[("b.ts", &file), ("c.ts", &file)], &[])
            .unwrap();
        cache.store(&[], &["c.ts"]).unwrap();
        drop(cache);
        let packed = Cache::open(&path).unwrap().load().unwrap();
        assert_eq!(packed.len(), 1);
        let (hash, body) = &packed["b.ts"];
        assert_eq!(*hash, file.hash);
        assert_eq!(unpack(body), Some(file));
    }

    #[test]
    fn a_damaged_database_is_made_anew() {
        let temp = tempfile::tempdir().unwrap();
        let path = temp.path().join("m.db");
        std::fs::write(
            &path,
            "no database at all, but long enough to be looked at".repeat(50),
        )
        .unwrap();
        let mut cache = Cache::open(&path).unwrap();
        assert!(cache.load().unwrap().is_empty());
        cache.store(&[("a.ts", &file("f()"))], &[]).unwrap();
        assert_eq!(cache.load().unwrap().len(), 1);
    }
}
