//! What a check said of texts, kept for the next run.
//!
//! A check is a pure function of a path, a text and the rules. The rules, the
//! version and the very program make up the key of a file of results; path and
//! a hash of the text the key of each result in it. So a result that is found
//! is always that of the text at hand, whatever became of files and clocks.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Mutex, PoisonError};

use asd_guard::{FileReport, RuleSet};
use asd_store::CacheFolder;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use self::stored::Stored;
use crate::ProjectState;

mod stored;

/// A result is forgotten when the file was written so often without its use.
const FORGOTTEN_AFTER: u8 = 12;
/// So many bytes of results are kept, those that were used last.
const MAX_CONTENT: usize = 48 << 20;

/// The results of earlier runs under one set of rules, with those that this run
/// adds.
pub(crate) struct CheckCache {
    folder: CacheFolder,
    key: Vec<u8>,
    earlier: HashMap<Text, Kept>,
    now: Mutex<Now>,
}

#[derive(Default)]
struct Now {
    used: BTreeSet<Text>,
    fresh: BTreeMap<Text, Vec<u8>>,
}

/// A text at a path.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
struct Text {
    path: Box<str>,
    /// The start of its SHA-256.
    hash: [u8; 16],
}

impl Text {
    fn of(path: &str, text: &str) -> Self {
        let mut hash = [0; 16];
        hash.copy_from_slice(&Sha256::digest(text.as_bytes())[..16]);
        Self {
            path: path.into(),
            hash,
        }
    }
}

/// A result of an earlier run.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Kept {
    /// How often the file was written without its use.
    unused: u8,
    result: Vec<u8>,
}

impl CheckCache {
    /// The results that are known of a project as it is now; `None` when none
    /// are to be kept.
    pub(crate) fn open(state: &ProjectState) -> Option<Self> {
        let home = state.inner().settings.check_cache.as_deref()?;
        let folder = CacheFolder::of(home, state.project());
        let key = key_of(state.rules())?;
        let earlier = folder.read(&key).and_then(|content| {
            let read: Vec<(Text, Kept)> = postcard::from_bytes(&content).ok()?;
            Some(read.into_iter().collect())
        });
        Some(Self {
            folder,
            key,
            earlier: earlier.unwrap_or_default(),
            now: Mutex::default(),
        })
    }

    /// What a check of a text said; made by `check` where it is not known.
    pub(crate) fn result<E>(
        &self,
        path: &str,
        text: &str,
        rules: &RuleSet,
        check: impl FnOnce() -> Result<FileReport, E>,
    ) -> Result<FileReport, E> {
        let text = Text::of(path, text);
        let known = self.earlier.get(&text).and_then(|kept| {
            let stored: Stored = postcard::from_bytes(&kept.result).ok()?;
            stored.report(rules)
        });
        if let Some(report) = known {
            self.now().used.insert(text);
            return Ok(report);
        }
        let report = check()?;
        if let Some(stored) = Stored::of(&report)
            && let Ok(bytes) = postcard::to_stdvec(&stored)
        {
            self.now().fresh.insert(text, bytes);
        }
        Ok(report)
    }

    fn now(&self) -> std::sync::MutexGuard<'_, Now> {
        // Whoever panicked had inserted all or nothing.
        self.now.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes what is new. Two runs at once keep the results of the one that
    /// ends last.
    pub(crate) fn close(self) {
        let now = self
            .now
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner);
        if now.fresh.is_empty() {
            return;
        }
        let mut all: Vec<(Text, Kept)> = self
            .earlier
            .into_iter()
            .filter(|(text, _)| !now.fresh.contains_key(text))
            .map(|(text, kept)| {
                let unused = if now.used.contains(&text) {
                    0
                } else {
                    kept.unused.saturating_add(1)
                };
                (text, Kept { unused, ..kept })
            })
            .filter(|(_, kept)| kept.unused < FORGOTTEN_AFTER)
            .collect();
        all.extend(now.fresh.into_iter().map(|(text, result)| {
            let kept = Kept { unused: 0, result };
            (text, kept)
        }));
        all.sort_by(|a, b| (a.1.unused, &a.0).cmp(&(b.1.unused, &b.0)));
        let mut size = 0;
        all.retain(|(text, kept)| {
            size += text.path.len() + kept.result.len() + 32;
            size <= MAX_CONTENT
        });
        let written = postcard::to_stdvec(&all)
            .map_err(std::io::Error::other)
            .and_then(|content| self.folder.write(&self.key, &content));
        if let Err(error) = written {
            tracing::debug!(%error, "results are not kept");
        }
    }
}

/// Tells sets of rules and programs apart; `None` when the program cannot.
fn key_of(rules: &RuleSet) -> Option<Vec<u8>> {
    // A program that was built again may have other rules under its old version.
    let program = std::env::current_exe().ok()?.metadata().ok()?;
    let built = program
        .modified()
        .ok()?
        .duration_since(std::time::UNIX_EPOCH)
        .ok()?;
    let mut key = env!("CARGO_PKG_VERSION").as_bytes().to_vec();
    key.push(0);
    key.extend(program.len().to_le_bytes());
    key.extend(built.as_nanos().to_le_bytes());
    key.extend(rules.hash().to_le_bytes());
    Some(key)
}
