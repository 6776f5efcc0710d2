//! A sudden number of signals is a signal itself. (knowledge.md §15)

use std::sync::atomic::{AtomicI64, Ordering};

use asd_knowledge::signals::{
    ANOMALY_CHECK_MS, AnomalyDetector, Signal, SignalType, recent_counts,
};
use asd_store::{Disk, Project, emit_signals, read_text_up_to, write_atomic};

const STATE: &str = ".asd/anomalies.json";
/// Logs of signals are not larger than this, in bytes.
const MAX_LOG: u64 = 16 * 1024 * 1024;

/// When signals were last looked at, so that it is done once a minute.
#[derive(Debug, Default)]
pub(crate) struct Clock(AtomicI64);

impl Clock {
    /// Whether a minute is over since the last time that this was so.
    pub(crate) fn strikes(&self, now_ms: i64) -> bool {
        let last = self.0.load(Ordering::Acquire);
        if last == 0 {
            // The first minute of a process has nothing to compare.
            self.0.store(now_ms, Ordering::Release);
            return false;
        }
        now_ms - last >= ANOMALY_CHECK_MS
            && self
                .0
                .compare_exchange(last, now_ms, Ordering::AcqRel, Ordering::Acquire)
                .is_ok()
    }
}

/// Looks at the signals of the last five minutes, tells of anomalies, and
/// learns what is usual. Nothing is written where there are no signals.
pub(crate) fn look(project: &Project, now_ms: i64) -> Vec<Signal> {
    let signals: Vec<Signal> = SignalType::ALL
        .iter()
        .flat_map(|kind| read(project, *kind))
        .collect();
    if signals.is_empty() {
        return Vec::new();
    }
    let known: Option<AnomalyDetector> =
        read_text_up_to(&Disk, &project.root().join(STATE), MAX_LOG)
            .ok()
            .and_then(|decoded| serde_json::from_str(&decoded.text).ok());
    let mut detector = known.unwrap_or_default();
    let found = detector.look(&recent_counts(&signals, now_ms), now_ms);
    let kept = serde_json::to_vec(&detector)
        .map_err(|error| error.to_string())
        .and_then(|bytes| write_atomic(project, STATE, &bytes).map_err(|error| error.to_string()))
        .and_then(|_| emit_signals(project, &found).map_err(|error| error.to_string()));
    if let Err(error) = kept {
        tracing::warn!(error, "anomalies are not remembered");
    }
    found
}

/// The signals of a kind; lines that cannot be read are left out.
fn read(project: &Project, kind: SignalType) -> Vec<Signal> {
    let path = format!(".asd/signals/{}.jsonl", kind.name());
    let Ok(decoded) = read_text_up_to(&Disk, &project.root().join(path), MAX_LOG) else {
        return Vec::new();
    };
    let lines = decoded.text.lines();
    lines
        .filter_map(|line| serde_json::from_str(line).ok())
        .collect()
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    fn signals(n: i64, from: i64) -> Vec<Signal> {
        (0..n)
            .map(|at| Signal {
                kind: SignalType::Guard,
                source: "test".into(),
                target: "x".into(),
                value: 0.0,
                metadata: Value::Null,
                timestamp: from + at,
            })
            .collect()
    }

    #[test]
    fn a_sudden_number_of_signals_is_told() {
        let temp = tempfile::tempdir().unwrap();
        std::fs::create_dir(temp.path().join("Alembic")).unwrap();
        let project = Project::at(temp.path());
        assert!(look(&project, 1_000).is_empty());
        assert!(!temp.path().join(".asd").exists(), "nothing to learn");
        emit_signals(&project, &signals(5, 0)).unwrap();
        assert!(look(&project, 1_000).is_empty());
        emit_signals(&project, &signals(40, 1_000_000)).unwrap();
        let found = look(&project, 1_001_000);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].target, "guard");
        assert_eq!(read(&project, SignalType::Anomaly), found);
    }

    #[test]
    fn it_is_looked_once_a_minute() {
        let clock = Clock::default();
        assert!(!clock.strikes(1_000));
        assert!(!clock.strikes(60_999));
        assert!(clock.strikes(61_000));
        assert!(!clock.strikes(61_001));
    }
}
