//! What is remembered of checks: people's verdicts, which are committed, and
//! counts, runs, reviews and signals of this machine, which are not.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io::Write;
use std::path::PathBuf;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use asd_guard::{Feedback, ReviewRound, RuleStats, StoredRun, Timestamp, trim_runs};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::knowledge::{Journal, close_torn_line};
use crate::write::make_folder;
use crate::{
    Disk, Project, Unreadable, WriteError, lock_for_writing, read_text_up_to, write_atomic,
};

const FEEDBACK: &str = "Alembic/feedback.json";
const LEARNER: &str = ".asd/guard-learner.json";
const RUNS: &str = ".asd/guard-runs.json";
const REVIEWS: &str = ".asd/guard-reviews.json";
/// Records larger than this are not read.
const MAX_RECORD: u64 = 256 * 1024 * 1024;
/// A log that has grown beyond this is put aside.
const MAX_LOG: u64 = 10 * 1024 * 1024;
/// How many logs that were put aside are kept.
const OLD_LOGS: u32 = 3;
/// How long another process is waited for.
const PATIENCE: Duration = Duration::from_secs(10);

/// Why a record was not read or written.
#[derive(Debug, Error)]
pub enum RecordError {
    /// It was not written.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// It cannot be read.
    #[error("cannot read {path}: {reason}")]
    Unreadable {
        /// Project-relative path with `/`.
        path: &'static str,
        /// Why.
        reason: String,
    },
}

/// This moment.
#[must_use]
pub fn now() -> Timestamp {
    let since = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    Timestamp(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
}

/// A new name of a run: `run_<milliseconds>_<random>`.
#[must_use]
pub fn new_run_id(now: Timestamp) -> String {
    // Each `RandomState` of a process has other keys.
    let random = RandomState::new().build_hasher().finish();
    format!("run_{}_{:08x}", now.0, random & 0xFFFF_FFFF)
}

/// People's verdicts, in the order of the file; none when there is no file.
///
/// # Errors
/// [`RecordError::Unreadable`] when it is not what it should be, for example
/// after a merge.
pub fn read_feedback(project: &Project) -> Result<Vec<Feedback>, RecordError> {
    let wrong = |reason: String| RecordError::Unreadable {
        path: FEEDBACK,
        reason,
    };
    let text = match read_text_up_to(&Disk, &project.root().join(FEEDBACK), MAX_RECORD) {
        Ok(decoded) => decoded.text,
        Err(Unreadable::Missing) => return Ok(Vec::new()),
        Err(reason) => return Err(wrong(reason.to_string())),
    };
    parse_feedback(&text).map_err(|error| {
        wrong(format!(
            "{error}; mend it by hand, it is a list of verdicts"
        ))
    })
}

/// Reads the text of `Alembic/feedback.json`.
///
/// # Errors
/// What is wrong with it, with the line.
pub fn parse_feedback(text: &str) -> Result<Vec<Feedback>, serde_json::Error> {
    if text.trim().is_empty() {
        return Ok(Vec::new());
    }
    serde_json::from_str(text)
}

/// Adds a verdict. An earlier one about the same place is replaced. The file is
/// sorted and has one verdict a line, so that two branches seldom conflict.
///
/// # Errors
/// [`RecordError`]; nothing has changed then.
pub fn add_feedback(project: &Project, verdict: Feedback) -> Result<(), RecordError> {
    prepare(project)?;
    let _lock = lock_for_writing(project, PATIENCE)?;
    let mut all = read_feedback(project)?;
    all.retain(|known| !known.is_about_the_same(&verdict));
    all.push(verdict);
    all.sort();
    let lines: Vec<String> = all
        .iter()
        .map(|verdict| serde_json::to_string(verdict).map(|line| format!("  {line}")))
        .collect::<Result<_, _>>()
        .map_err(|error| RecordError::Unreadable {
            path: FEEDBACK,
            reason: error.to_string(),
        })?;
    let text = format!("[\n{}\n]\n", lines.join(",\n"));
    write_atomic(project, FEEDBACK, text.as_bytes())?;
    Ok(())
}

/// What this machine remembers of checks.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Records {
    /// Counts by rule.
    pub stats: BTreeMap<String, RuleStats>,
    /// Runs, the oldest first.
    pub runs: Vec<StoredRun>,
}

#[derive(Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct LearnerFile {
    rule_stats: BTreeMap<String, RuleStats>,
}

#[derive(Default, Serialize, Deserialize)]
#[serde(default)]
struct RunsFile {
    runs: Vec<StoredRun>,
}

#[derive(Default, Serialize, Deserialize)]
#[serde(default)]
struct ReviewsFile {
    sessions: BTreeMap<String, ReviewRound>,
}

/// Reads what is remembered. A damaged record counts as empty: nothing in it is
/// worth more than a run.
#[must_use]
pub fn read_records(project: &Project) -> Records {
    Records {
        stats: read::<LearnerFile>(project, LEARNER).rule_stats,
        runs: read::<RunsFile>(project, RUNS).runs,
    }
}

/// Changes what is remembered, while no other process does.
///
/// # Errors
/// [`WriteError`].
pub fn change_records<T>(
    project: &Project,
    change: impl FnOnce(&mut Records) -> T,
) -> Result<T, WriteError> {
    prepare(project)?;
    let _lock = lock_for_writing(project, PATIENCE)?;
    let mut records = read_records(project);
    let result = change(&mut records);
    trim_runs(&mut records.runs);
    let learner = LearnerFile {
        rule_stats: records.stats,
    };
    write(project, LEARNER, &learner)?;
    let runs = RunsFile { runs: records.runs };
    write(project, RUNS, &runs)?;
    Ok(result)
}

/// Changes where the reviews of a session stand, while no other process does:
/// `change` gets the last one and gives the one to be kept.
///
/// # Errors
/// [`WriteError`].
pub fn change_review<T>(
    project: &Project,
    session: &str,
    now: Timestamp,
    change: impl FnOnce(Option<ReviewRound>) -> (Option<ReviewRound>, T),
) -> Result<T, WriteError> {
    prepare(project)?;
    let _lock = lock_for_writing(project, PATIENCE)?;
    let mut file: ReviewsFile = read(project, REVIEWS);
    let (kept, result) = change(file.sessions.remove(session));
    if let Some(round) = kept {
        file.sessions.insert(session.to_owned(), round);
    }
    file.sessions.retain(|_, round| round.is_fresh(now));
    write(project, REVIEWS, &file)?;
    Ok(result)
}

/// Something that happened, for those who watch. (knowledge.md §15)
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Signal {
    /// Its kind, for example `usage`; also the name of its file.
    #[serde(rename = "type")]
    pub kind: &'static str,
    /// Who saw it.
    pub source: &'static str,
    /// What it is about.
    pub target: String,
    /// From 0 to 1.
    pub value: f64,
    /// The particulars.
    pub metadata: serde_json::Value,
    /// Milliseconds since 1970.
    pub timestamp: i64,
}

/// Adds signals to `.asd/signals/<type>.jsonl`.
///
/// # Errors
/// [`WriteError`].
pub fn append_signals(project: &Project, signals: &[Signal]) -> Result<(), WriteError> {
    let mut by_kind: BTreeMap<&str, Vec<&Signal>> = BTreeMap::new();
    for signal in signals {
        by_kind.entry(signal.kind).or_default().push(signal);
    }
    for (kind, signals) in by_kind {
        let rel = format!(".asd/signals/{kind}.jsonl");
        append(project, &rel, &signals, Growth::Rotated)?;
    }
    Ok(())
}

/// Something that happened to a recipe, as the counters keep it.
/// (knowledge.md §11)
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Usage {
    /// Milliseconds since 1970.
    pub t: i64,
    /// The recipe: its id, or its trigger.
    pub id: String,
    /// What happened, for example `guardHit`.
    pub e: &'static str,
    /// How often.
    pub n: u64,
}

/// Adds lines to `.asd/usage.jsonl`.
///
/// # Errors
/// [`WriteError`].
pub fn append_usage(project: &Project, usage: &[Usage]) -> Result<(), WriteError> {
    Journal::Usage.append(project, usage)
}

fn read<T: DeserializeOwned + Default>(project: &Project, rel: &str) -> T {
    let text = match read_text_up_to(&Disk, &project.root().join(rel), MAX_RECORD) {
        Ok(decoded) => decoded.text,
        Err(Unreadable::Missing) => return T::default(),
        Err(reason) => {
            tracing::warn!(path = rel, %reason, "cannot read a record");
            return T::default();
        }
    };
    serde_json::from_str(&text).unwrap_or_else(|error| {
        tracing::warn!(path = rel, %error, "a record is damaged and starts anew");
        T::default()
    })
}

fn write(project: &Project, rel: &str, value: &impl Serialize) -> Result<(), WriteError> {
    let mut bytes = serde_json::to_vec(value).map_err(|error| WriteError::Io {
        path: project.root().join(rel),
        source: error.into(),
    })?;
    bytes.push(b'\n');
    write_atomic(project, rel, &bytes)?;
    Ok(())
}

/// Makes `.asd/` so that git leaves it out by itself.
pub(crate) fn prepare(project: &Project) -> Result<(), WriteError> {
    let path = project.absolute(".asd")?;
    make_folder(project, &path).map_err(|source| WriteError::Io { path, source })
}

/// The path of a database below `.asd/` that can be deleted at any moment and is
/// then made again. Makes the folder, not the file.
///
/// # Errors
/// [`WriteError`] when the folder cannot be made, or leads out of the project.
pub fn shadow_file(project: &Project, name: &str) -> Result<std::path::PathBuf, WriteError> {
    prepare(project)?;
    Ok(project.absolute(&format!(".asd/{name}"))?)
}

/// What becomes of a log that has grown large.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Growth {
    /// It is put aside, and in the end removed.
    Rotated,
    /// It is the truth of something, and stays.
    Kept,
}

/// Appends JSON lines with one call, so that several processes may do it.
pub(crate) fn append<T: Serialize>(
    project: &Project,
    rel: &str,
    values: &[T],
    growth: Growth,
) -> Result<(), WriteError> {
    if values.is_empty() {
        return Ok(());
    }
    prepare(project)?;
    let path = project.absolute(rel)?;
    let fail = |source| WriteError::Io {
        path: path.clone(),
        source,
    };
    let metadata = path.symlink_metadata().ok();
    if metadata.as_ref().is_some_and(fs::Metadata::is_symlink) {
        return Err(WriteError::SymbolicLink(path));
    }
    if let Some(folder) = path.parent() {
        make_folder(project, folder).map_err(fail)?;
    }
    let is_large = metadata.is_some_and(|metadata| metadata.len() > MAX_LOG);
    if is_large && growth == Growth::Rotated {
        rotate(&path);
    }
    let mut lines = Vec::new();
    for value in values {
        serde_json::to_writer(&mut lines, value).map_err(|error| fail(error.into()))?;
        lines.push(b'\n');
    }
    File::options()
        .create(true)
        .read(true)
        .append(true)
        .open(&path)
        .and_then(|mut file| {
            close_torn_line(&mut file)?;
            file.write_all(&lines)
        })
        .map_err(fail)
}

/// `a.jsonl` becomes `a.jsonl.1`, and so on. Where that fails, the log grows on.
fn rotate(path: &std::path::Path) {
    let old = |number: u32| PathBuf::from(format!("{}.{number}", path.display()));
    for number in (1..OLD_LOGS).rev() {
        let _ = fs::rename(old(number), old(number + 1));
    }
    let _ = fs::rename(path, old(1));
}

#[cfg(test)]
mod tests {
    use asd_guard::Verdict;

    use super::*;

    fn project() -> (tempfile::TempDir, Project) {
        let temp = tempfile::tempdir().unwrap();
        let project = Project::at(temp.path());
        (temp, project)
    }

    fn verdict(rule: &str, fingerprint: &str, verdict: Verdict) -> Feedback {
        Feedback {
            rule_id: rule.to_owned(),
            file_path: "src/a.ts".to_owned(),
            fingerprint: fingerprint.to_owned(),
            verdict,
            by: None,
            at: Timestamp(0),
            reason: None,
        }
    }

    #[test]
    fn verdicts_are_kept_one_a_line_and_the_last_about_a_place_counts() {
        let (_temp, project) = project();
        add_feedback(&project, verdict("b", "1", Verdict::Fp)).unwrap();
        add_feedback(&project, verdict("a", "2", Verdict::Fp)).unwrap();
        add_feedback(&project, verdict("b", "1", Verdict::Correct)).unwrap();
        add_feedback(&project, verdict("b", "", Verdict::Fn)).unwrap();
        add_feedback(&project, verdict("b", "", Verdict::Fn)).unwrap();
        let all = read_feedback(&project).unwrap();
        let kept: Vec<_> = all
            .iter()
            .map(|v| (v.rule_id.as_str(), v.fingerprint.as_str(), v.verdict))
            .collect();
        assert_eq!(
            kept,
            [
                ("a", "2", Verdict::Fp),
                ("b", "", Verdict::Fn),
                ("b", "", Verdict::Fn),
                ("b", "1", Verdict::Correct),
            ]
        );
        let text = fs::read_to_string(project.root().join(FEEDBACK)).unwrap();
        assert_eq!(text.lines().count(), 6);
    }

    #[test]
    fn a_damaged_file_of_verdicts_is_not_written_over() {
        let (_temp, project) = project();
        let path = project.root().join(FEEDBACK);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, "<<<<<<< ours\n").unwrap();
        let error = add_feedback(&project, verdict("a", "", Verdict::Fp)).unwrap_err();
        assert!(error.to_string().contains(FEEDBACK), "{error}");
        assert_eq!(fs::read_to_string(&path).unwrap(), "<<<<<<< ours\n");
    }

    #[test]
    fn a_damaged_record_of_this_machine_starts_anew() {
        let (_temp, project) = project();
        fs::create_dir_all(project.root().join(".asd")).unwrap();
        fs::write(project.root().join(LEARNER), "{").unwrap();
        change_records(&project, |records| {
            assert_eq!(*records, Records::default());
            records
                .stats
                .entry("r".to_owned())
                .or_default()
                .fired(2, Timestamp(7));
        })
        .unwrap();
        let stats = read_records(&project).stats;
        assert_eq!(stats["r"].triggers, 2);
        assert_eq!(stats["r"].first_triggered, Some(Timestamp(7)));
    }

    #[test]
    fn reviews_of_sessions_are_counted_apart() {
        let (_temp, project) = project();
        let next = |session: &str| {
            change_review(&project, session, Timestamp(5), |last| {
                let round = ReviewRound::after(last.as_ref(), None, Timestamp(5));
                (Some(round.clone()), round.round)
            })
            .unwrap()
        };
        assert_eq!((next("a"), next("a"), next("b")), (1, 2, 1));
    }

    #[test]
    fn signals_are_lines_by_kind_and_old_ones_are_put_aside() {
        let (_temp, project) = project();
        let signal = Signal {
            kind: "usage",
            source: "test",
            target: "@a".to_owned(),
            value: 1.0,
            metadata: serde_json::json!({"n": 1}),
            timestamp: 5,
        };
        append_signals(&project, &[signal.clone(), signal.clone()]).unwrap();
        let path = project.root().join(".asd/signals/usage.jsonl");
        let text = fs::read_to_string(&path).unwrap();
        assert_eq!(
            text.lines().next().unwrap(),
            r#"{"type":"usage","source":"test","target":"@a","value":1.0,"metadata":{"n":1},"timestamp":5}"#
        );
        assert_eq!(text.lines().count(), 2);
        File::options()
            .write(true)
            .open(&path)
            .unwrap()
            .set_len(MAX_LOG + 1)
            .unwrap();
        append_signals(&project, &[signal]).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap().lines().count(), 1);
        assert!(path.with_extension("jsonl.1").exists());
        let ignored = fs::read_to_string(project.root().join(".asd/.gitignore")).unwrap();
        assert_eq!(ignored, "*\n");
    }

    #[test]
    fn ids_of_runs_differ_within_a_millisecond() {
        assert_ne!(new_run_id(Timestamp(1)), new_run_id(Timestamp(1)));
        assert!(new_run_id(Timestamp(1)).starts_with("run_1_"));
    }
}
