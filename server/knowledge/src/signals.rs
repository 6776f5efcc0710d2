//! Signals: what one part of the product tells the others, and how a sudden
//! number of them is noticed. (knowledge.md §15)

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

/// The kinds of signals; each is kept in a file of its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "the names are the specification's own terms")]
pub enum SignalType {
    Guard,
    GuardBlindSpot,
    Search,
    Usage,
    Lifecycle,
    Exploration,
    Quality,
    Panorama,
    Decay,
    Forge,
    Intent,
    Anomaly,
}

impl SignalType {
    /// Every kind, in the order of the specification.
    pub const ALL: [Self; 12] = [
        Self::Guard,
        Self::GuardBlindSpot,
        Self::Search,
        Self::Usage,
        Self::Lifecycle,
        Self::Exploration,
        Self::Quality,
        Self::Panorama,
        Self::Decay,
        Self::Forge,
        Self::Intent,
        Self::Anomaly,
    ];

    /// Its name, which is also that of its file.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Guard => "guard",
            Self::GuardBlindSpot => "guard_blind_spot",
            Self::Search => "search",
            Self::Usage => "usage",
            Self::Lifecycle => "lifecycle",
            Self::Exploration => "exploration",
            Self::Quality => "quality",
            Self::Panorama => "panorama",
            Self::Decay => "decay",
            Self::Forge => "forge",
            Self::Intent => "intent",
            Self::Anomaly => "anomaly",
        }
    }
}

/// One signal.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Signal {
    /// What it is about.
    #[serde(rename = "type")]
    pub kind: SignalType,
    /// Who sends it.
    pub source: String,
    /// The entry, rule, file or session that it concerns.
    pub target: String,
    /// How strong it is, from 0 to 1.
    pub value: f64,
    /// Particulars.
    #[serde(default)]
    pub metadata: Json,
    /// Milliseconds since 1970.
    pub timestamp: i64,
}

/// Over how long signals are counted, in milliseconds.
pub const ANOMALY_WINDOW_MS: i64 = 300_000;
/// How often the count is looked at, in milliseconds.
pub const ANOMALY_CHECK_MS: i64 = 60_000;
/// From how many times the usual count on it is an anomaly.
const ANOMALY_FACTOR: f64 = 3.0;
/// Fewer signals are never one: after a quiet hour any would be.
const ANOMALY_MIN_COUNT: f64 = 5.0;
/// How much of the usual count is kept at each look.
const KEPT_SHARE: f64 = 0.8;

/// The usual number of signals of each kind, learned as they come.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct AnomalyDetector {
    averages: BTreeMap<SignalType, f64>,
}

impl AnomalyDetector {
    /// Looks at how many signals of each kind there were in the last
    /// [`ANOMALY_WINDOW_MS`], gives an anomaly signal for each kind with more
    /// than three times the usual number, and learns the number. The first
    /// look at a kind only learns. Anomalies themselves are not looked at.
    pub fn look(&mut self, counts: &BTreeMap<SignalType, u64>, now_ms: i64) -> Vec<Signal> {
        let mut found = Vec::new();
        for kind in SignalType::ALL {
            if kind == SignalType::Anomaly {
                continue;
            }
            #[expect(
                clippy::cast_precision_loss,
                reason = "counts of five minutes are far below 2^52"
            )]
            let count = counts.get(&kind).copied().unwrap_or(0) as f64;
            let Some(average) = self.averages.get_mut(&kind) else {
                if count > 0.0 {
                    self.averages.insert(kind, count);
                }
                continue;
            };
            let limit = ANOMALY_FACTOR * *average;
            if count > limit && count >= ANOMALY_MIN_COUNT {
                found.push(Signal {
                    kind: SignalType::Anomaly,
                    source: "anomaly-detector".into(),
                    target: kind.name().into(),
                    value: (1.0 - limit / count).clamp(0.0, 1.0),
                    metadata: serde_json::json!({ "count": count, "average": *average }),
                    timestamp: now_ms,
                });
            }
            *average = KEPT_SHARE * *average + (1.0 - KEPT_SHARE) * count;
        }
        found
    }
}

/// Counts the signals of each kind in the last [`ANOMALY_WINDOW_MS`].
#[must_use]
pub fn recent_counts<'a>(
    signals: impl IntoIterator<Item = &'a Signal>,
    now_ms: i64,
) -> BTreeMap<SignalType, u64> {
    let mut counts = BTreeMap::new();
    for signal in signals {
        if signal.timestamp > now_ms - ANOMALY_WINDOW_MS && signal.timestamp <= now_ms {
            *counts.entry(signal.kind).or_default() += 1;
        }
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(guard: u64) -> BTreeMap<SignalType, u64> {
        BTreeMap::from([(SignalType::Guard, guard)])
    }

    #[test]
    fn names_are_those_of_json() {
        for kind in SignalType::ALL {
            assert_eq!(serde_json::to_value(kind).unwrap(), kind.name());
        }
    }

    #[test]
    fn more_than_three_times_the_usual_number_is_an_anomaly() {
        let mut detector = AnomalyDetector::default();
        assert!(
            detector.look(&counts(10), 0).is_empty(),
            "nothing is usual yet"
        );
        assert!(
            detector.look(&counts(30), 1).is_empty(),
            "three times is not more"
        );
        // 0.8 · 10 + 0.2 · 30 = 14
        assert!(detector.look(&counts(41), 2).is_empty());
        // 0.8 · 14 + 0.2 · 41 = 19.4, three times of which is 58.2
        let found = detector.look(&counts(59), 3);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].target, "guard");
        assert_eq!(found[0].timestamp, 3);
        for look in 0..40 {
            assert!(detector.look(&counts(0), 4 + look).is_empty());
        }
        assert!(detector.look(&counts(1), 50).is_empty(), "one is not many");
    }

    #[test]
    fn only_signals_of_the_last_five_minutes_are_counted() {
        let at = |timestamp| Signal {
            kind: SignalType::Search,
            source: String::new(),
            target: String::new(),
            value: 0.0,
            metadata: Json::Null,
            timestamp,
        };
        let all = [at(0), at(1), at(300_000), at(300_001)];
        let counts = recent_counts(&all, 300_000);
        assert_eq!(counts.get(&SignalType::Search), Some(&2));
    }
}
