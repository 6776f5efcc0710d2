//! The session of learning a project: which dimensions are to be looked at,
//! which were, and the hashes of the files that it began with. Kept below
//! `.asd/` for 24 hours; a new one replaces it.

use std::collections::BTreeMap;
use std::time::Duration;

use asd_store::{Disk, Project, WriteError, lock_file, read_text_up_to, shadow_file, write_atomic};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// How long a session lives, in milliseconds.
pub(crate) const LIFE_MS: i64 = 24 * 60 * 60 * 1000;

const SESSION: &str = "bootstrap-session.json";
const SNAPSHOT: &str = "code-snapshot.json";
const LOCK: &str = ".asd/bootstrap.lock";
const PATIENCE: Duration = Duration::from_secs(5);
const MAX_FILE: u64 = 64 * 1024 * 1024;

/// See the module.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct LearningSession {
    pub(crate) id: String,
    /// Milliseconds since 1970.
    pub(crate) started_at: i64,
    /// Milliseconds since 1970.
    pub(crate) expires_at: i64,
    /// The dimensions of its plan.
    pub(crate) dimensions: Vec<String>,
    /// What was handed in, by dimension.
    pub(crate) completed: BTreeMap<String, Checkpoint>,
}

/// A dimension that was looked at.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Checkpoint {
    /// Milliseconds since 1970.
    pub(crate) at: i64,
    pub(crate) analysis: String,
    pub(crate) recipe_ids: Vec<String>,
    pub(crate) key_findings: Vec<String>,
    pub(crate) referenced_files: Vec<String>,
    /// What it says of other dimensions, by their ids.
    pub(crate) hints: BTreeMap<String, String>,
    pub(crate) score: f64,
}

/// The hashes of a project's sources at one moment.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Snapshot {
    pub(crate) files: BTreeMap<String, u64>,
}

impl LearningSession {
    pub(crate) fn begin(now: i64, dimensions: Vec<String>) -> Self {
        let run = asd_store::new_run_id(asd_store::now());
        let random = run.rsplit('_').next().unwrap_or_default();
        Self {
            id: format!("boot-{now}-{random}"),
            started_at: now,
            expires_at: now + LIFE_MS,
            dimensions,
            completed: BTreeMap::new(),
        }
    }

    pub(crate) const fn is_alive(&self, now: i64) -> bool {
        now < self.expires_at
    }

    /// The dimensions of the plan that were looked at, in the order of the plan.
    pub(crate) fn done(&self) -> Vec<&str> {
        self.planned(|id| self.completed.contains_key(id))
    }

    /// Those that are left.
    pub(crate) fn left(&self) -> Vec<&str> {
        self.planned(|id| !self.completed.contains_key(id))
    }

    fn planned(&self, wanted: impl Fn(&str) -> bool) -> Vec<&str> {
        let all = self.dimensions.iter().map(String::as_str);
        all.filter(|id| wanted(id)).collect()
    }
}

/// The session of a project that is still alive.
pub(crate) fn read(project: &Project, now: i64) -> Option<LearningSession> {
    read_json::<LearningSession>(project, SESSION).filter(|session| session.is_alive(now))
}

/// The files as they were when the project was looked at last.
pub(crate) fn read_snapshot(project: &Project) -> Option<Snapshot> {
    read_json(project, SNAPSHOT)
}

/// Puts a new session in the place of the old one.
pub(crate) fn replace(
    project: &Project,
    session: &LearningSession,
    snapshot: &Snapshot,
) -> Result<(), WriteError> {
    shadow_file(project, SESSION)?;
    let _lock = lock_file(project, LOCK, PATIENCE)?;
    write_json(project, SNAPSHOT, snapshot)?;
    write_json(project, SESSION, session)
}

/// Changes the session that is alive, while no other process does; `None` when
/// there is none.
pub(crate) fn change<T>(
    project: &Project,
    now: i64,
    change: impl FnOnce(&mut LearningSession) -> T,
) -> Result<Option<T>, WriteError> {
    if read(project, now).is_none() {
        return Ok(None);
    }
    let _lock = lock_file(project, LOCK, PATIENCE)?;
    let Some(mut session) = read(project, now) else {
        return Ok(None);
    };
    let result = change(&mut session);
    write_json(project, SESSION, &session)?;
    Ok(Some(result))
}

/// What a file below `.asd/` holds; nothing when it is absent or damaged.
pub(crate) fn read_json<T: DeserializeOwned>(project: &Project, name: &str) -> Option<T> {
    let path = project.absolute(&format!(".asd/{name}")).ok()?;
    let text = read_text_up_to(&Disk, &path, MAX_FILE).ok()?.text;
    serde_json::from_str(&text).ok()
}

/// Writes a file below `.asd/`.
pub(crate) fn write_json(
    project: &Project,
    name: &str,
    value: &impl Serialize,
) -> Result<(), WriteError> {
    shadow_file(project, name)?;
    let text = serde_json::to_vec(value).unwrap_or_default();
    write_atomic(project, &format!(".asd/{name}"), &text)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_lives_a_day_and_a_new_one_replaces_it() {
        let temp = tempfile::tempdir().unwrap();
        let project = Project::at(temp.path());
        assert_eq!(read(&project, 0), None);
        assert_eq!(change(&project, 0, |_| ()).unwrap(), None);
        assert!(!temp.path().join(".asd").exists(), "looking writes nothing");

        let first = LearningSession::begin(1000, vec!["architecture".into()]);
        replace(&project, &first, &Snapshot::default()).unwrap();
        assert_eq!(read(&project, 1000 + LIFE_MS - 1), Some(first.clone()));
        assert_eq!(read(&project, 1000 + LIFE_MS), None);

        change(&project, 2000, |session| {
            session
                .completed
                .insert("architecture".into(), Checkpoint::default());
        })
        .unwrap();
        assert_eq!(read(&project, 2000).unwrap().done(), ["architecture"]);

        let second = LearningSession::begin(3000, vec!["architecture".into()]);
        replace(&project, &second, &Snapshot::default()).unwrap();
        assert_eq!(read(&project, 3000).unwrap().left(), ["architecture"]);
        assert_ne!(first.id, second.id);
    }
}
