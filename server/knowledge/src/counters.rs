//! Counters: how often entries were found, read and used, derived from the
//! journal of this machine. (knowledge.md §11)

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// Milliseconds of a day.
const DAY_MS: i64 = 86_400_000;
/// For how many days the journal has to reach back before the absence of use
/// means anything; older lines are kept as daily sums.
const COVERED_DAYS: i64 = 90;

/// What raised a counter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum UsageEvent {
    /// A guard of the entry found something.
    GuardHit,
    /// A search or a prime returned it.
    SearchHit,
    /// It was read.
    View,
    /// Someone confirmed that they took it up.
    Adoption,
    /// Someone confirmed that they applied it.
    Application,
    /// Its authority was set; `n` is the new value.
    Authority,
}

impl UsageEvent {
    /// The name that journal lines have for it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::GuardHit => "guardHit",
            Self::SearchHit => "searchHit",
            Self::View => "view",
            Self::Adoption => "adoption",
            Self::Application => "application",
            Self::Authority => "authority",
        }
    }

    /// Whether it shows that the entry is in use: everything but a change of
    /// its authority.
    #[must_use]
    pub const fn is_hit(self) -> bool {
        !matches!(self, Self::Authority)
    }
}

/// One line of `.asd/usage.jsonl`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct UsageLine {
    /// Milliseconds since 1970.
    pub t: i64,
    /// The entry's id.
    pub id: String,
    /// What happened.
    pub e: UsageEvent,
    /// How often; of an authority, its new value from 0 to 5.
    #[serde(default = "once")]
    pub n: u64,
}

const fn once() -> u64 {
    1
}

/// What is known of the use of an entry.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Stats {
    /// How often it was read.
    pub views: u64,
    /// How often it was taken up.
    pub adoptions: u64,
    /// How often it was applied.
    pub applications: u64,
    /// How often its guards found something.
    pub guard_hits: u64,
    /// How often a search returned it.
    pub search_hits: u64,
    /// From 0 to 5; `None` until someone says so. Formulas take a fifth of it.
    pub authority: Option<f64>,
    /// Hits of any kind in the last 30 days.
    pub hits_last30d: u64,
    /// Hits of any kind in the last 90 days.
    pub hits_last90d: u64,
    /// Searches that returned it in the last 30 days.
    pub search_hits_last30d: u64,
    /// Unix seconds of the last hit of any kind.
    pub last_hit_at: Option<i64>,
    /// Unix seconds.
    pub last_searched_at: Option<i64>,
    /// Unix seconds.
    pub last_guard_hit_at: Option<i64>,
    /// The share of its guards' findings that people called wrong, when any
    /// were judged; not from the journal.
    pub rule_false_positive_rate: Option<f64>,
    /// How often its guards fired, as far as the rule learner knows; not from
    /// the journal.
    pub rule_triggers: u64,
    /// How often its content was changed, counted from 1; not from the journal.
    pub version: u32,
}

impl Default for Stats {
    fn default() -> Self {
        Self {
            views: 0,
            adoptions: 0,
            applications: 0,
            guard_hits: 0,
            search_hits: 0,
            authority: None,
            hits_last30d: 0,
            hits_last90d: 0,
            search_hits_last30d: 0,
            last_hit_at: None,
            last_searched_at: None,
            last_guard_hit_at: None,
            rule_false_positive_rate: None,
            rule_triggers: 0,
            version: 1,
        }
    }
}

impl Stats {
    /// A fifth of the authority, from 0 to 1, as formulas take it.
    #[must_use]
    pub fn authority_share(&self) -> Option<f64> {
        self.authority.map(|value| (value / 5.0).clamp(0.0, 1.0))
    }

    /// Hits of every kind since counting began.
    #[must_use]
    pub const fn hits(&self) -> u64 {
        self.views + self.adoptions + self.applications + self.guard_hits + self.search_hits
    }

    /// Adds what the committed summary knows of use on other machines: only
    /// when the entry was last used, since its sums hold this machine's own.
    pub fn learn(&mut self, summary: &RecipeUsage) {
        self.last_hit_at = self.last_hit_at.max(summary.last_hit_at);
    }

    #[expect(clippy::cast_precision_loss, reason = "an authority is a small number")]
    fn add(&mut self, line: &UsageLine, now_ms: i64) {
        if line.e == UsageEvent::Authority {
            self.authority = Some((line.n as f64).clamp(0.0, 5.0));
            return;
        }
        let counter = match line.e {
            UsageEvent::GuardHit => &mut self.guard_hits,
            UsageEvent::SearchHit => &mut self.search_hits,
            UsageEvent::View => &mut self.views,
            UsageEvent::Adoption => &mut self.adoptions,
            UsageEvent::Application | UsageEvent::Authority => &mut self.applications,
        };
        *counter = counter.saturating_add(line.n);
        let seconds = Some(line.t.div_euclid(1000));
        self.last_hit_at = self.last_hit_at.max(seconds);
        let age = now_ms.saturating_sub(line.t);
        if age < 90 * DAY_MS {
            self.hits_last90d = self.hits_last90d.saturating_add(line.n);
        }
        if age < 30 * DAY_MS {
            self.hits_last30d = self.hits_last30d.saturating_add(line.n);
        }
        match line.e {
            UsageEvent::SearchHit => {
                self.last_searched_at = self.last_searched_at.max(seconds);
                if age < 30 * DAY_MS {
                    self.search_hits_last30d = self.search_hits_last30d.saturating_add(line.n);
                }
            }
            UsageEvent::GuardHit => {
                self.last_guard_hit_at = self.last_guard_hit_at.max(seconds);
            }
            _ => {}
        }
    }
}

/// The journal, folded line by line. Lines may come in any order; of several
/// authorities the latest counts, and of those of one moment the last read.
#[derive(Clone, Debug)]
pub struct UsageFold {
    now_ms: i64,
    first_ms: Option<i64>,
    stats: BTreeMap<String, Stats>,
    authorities: BTreeMap<String, i64>,
}

impl UsageFold {
    /// Nothing yet; the windows of 30 and 90 days end at `now_ms`.
    #[must_use]
    pub const fn new(now_ms: i64) -> Self {
        Self {
            now_ms,
            first_ms: None,
            stats: BTreeMap::new(),
            authorities: BTreeMap::new(),
        }
    }

    /// Adds a line.
    pub fn add(&mut self, line: &UsageLine) {
        self.first_ms = Some(self.first_ms.map_or(line.t, |first| first.min(line.t)));
        if line.e == UsageEvent::Authority {
            let latest = self.authorities.entry(line.id.clone()).or_insert(line.t);
            if *latest > line.t {
                return;
            }
            *latest = line.t;
        }
        let stats = match self.stats.get_mut(&line.id) {
            Some(stats) => stats,
            None => self.stats.entry(line.id.clone()).or_default(),
        };
        stats.add(line, self.now_ms);
    }

    /// How far back the journal reaches.
    #[must_use]
    pub fn coverage(&self) -> Coverage {
        let days = self.first_ms.map_or(0, |first| {
            self.now_ms.saturating_sub(first).div_euclid(DAY_MS)
        });
        Coverage { days: days.max(0) }
    }

    /// The counters by entry id.
    #[must_use]
    pub fn finish(self) -> BTreeMap<String, Stats> {
        self.stats
    }
}

/// The counters of a whole journal by entry id, and how far back it reaches.
#[must_use]
pub fn fold_usage<'a>(
    lines: impl IntoIterator<Item = &'a UsageLine>,
    now_ms: i64,
) -> (BTreeMap<String, Stats>, Coverage) {
    let mut fold = UsageFold::new(now_ms);
    for line in lines {
        fold.add(line);
    }
    let coverage = fold.coverage();
    (fold.finish(), coverage)
}

/// How far back the journal of this machine reaches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Coverage {
    /// Whole days since its first line.
    pub days: i64,
}

impl Coverage {
    /// Whether an entry without hits can be called unused on this machine.
    #[must_use]
    pub const fn is_enough(self) -> bool {
        self.days >= COVERED_DAYS
    }
}

/// A journal in which lines older than 90 days are daily sums. Each sum has the
/// time of the last line in it, and lines stay in the order of their times, so
/// that counters and the moments of last use are what they were.
#[must_use]
pub fn compact_usage(lines: &[UsageLine], now_ms: i64) -> Vec<UsageLine> {
    let limit = now_ms - COVERED_DAYS * DAY_MS;
    let mut sums: BTreeMap<(i64, &str, UsageEvent), UsageLine> = BTreeMap::new();
    let mut kept = Vec::new();
    let first = lines.iter().map(|line| line.t).min();
    for line in lines {
        // The first line stays as it is: it says how far the journal reaches.
        if line.t > limit || Some(line.t) == first {
            kept.push(line.clone());
            continue;
        }
        let day = line.t.div_euclid(DAY_MS);
        sums.entry((day, &line.id, line.e))
            .and_modify(|sum| {
                if line.e == UsageEvent::Authority {
                    if line.t >= sum.t {
                        sum.n = line.n;
                    }
                } else {
                    sum.n = sum.n.saturating_add(line.n);
                }
                sum.t = sum.t.max(line.t);
            })
            .or_insert_with(|| line.clone());
    }
    let mut all: Vec<UsageLine> = sums.into_values().chain(kept).collect();
    // Stable, so that of two authorities of one moment the later line stays so.
    all.sort_by_key(|line| line.t);
    all
}

/// What `Alembic/usage.json` says of one entry.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct RecipeUsage {
    /// How often it was taken up.
    pub adoptions: u64,
    /// How often it was applied.
    pub applications: u64,
    /// How often its guards found something.
    pub guard_hits: u64,
    /// How often a search returned it.
    pub search_hits: u64,
    /// Unix seconds of the last hit of any kind.
    pub last_hit_at: Option<i64>,
}

/// `Alembic/usage.json`: what all machines know together, as far as they told.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct UsageSummary {
    /// Always 1.
    pub schema_version: u32,
    /// Unix seconds.
    #[serde(default)]
    pub updated_at: i64,
    /// By entry id.
    #[serde(default)]
    pub recipes: BTreeMap<String, RecipeUsage>,
}

impl Default for UsageSummary {
    fn default() -> Self {
        Self {
            schema_version: 1,
            updated_at: 0,
            recipes: BTreeMap::new(),
        }
    }
}

impl UsageSummary {
    /// Adds counters of this machine: those of journal lines that were not
    /// added before. `now` is in Unix seconds.
    pub fn add(&mut self, stats: &BTreeMap<String, Stats>, now: i64) {
        for (id, stats) in stats.iter().filter(|(_, stats)| stats.hits() > 0) {
            let usage = self.recipes.entry(id.clone()).or_default();
            usage.adoptions += stats.adoptions;
            usage.applications += stats.applications;
            usage.guard_hits += stats.guard_hits;
            usage.search_hits += stats.search_hits;
            usage.last_hit_at = usage.last_hit_at.max(stats.last_hit_at);
        }
        self.updated_at = now;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const NOW: i64 = 1_790_000_000_000;

    fn line(days_ago: i64, id: &str, e: UsageEvent, n: u64) -> UsageLine {
        UsageLine {
            t: NOW - days_ago * DAY_MS,
            id: id.into(),
            e,
            n,
        }
    }

    #[test]
    fn a_line_reads_as_the_journal_has_it() {
        let text = r#"{"t":1790000000000,"id":"r1","e":"guardHit","n":2}"#;
        let read: UsageLine = serde_json::from_str(text).unwrap();
        assert_eq!(read, line(0, "r1", UsageEvent::GuardHit, 2));
        assert_eq!(serde_json::to_string(&read).unwrap(), text);
        let short: UsageLine = serde_json::from_str(r#"{"t":1,"id":"r","e":"view"}"#).unwrap();
        assert_eq!(short.n, 1);
    }

    #[test]
    fn the_windows_of_30_and_90_days_come_from_the_journal() {
        let lines = [
            line(0, "r", UsageEvent::GuardHit, 2),
            line(29, "r", UsageEvent::SearchHit, 3),
            line(31, "r", UsageEvent::SearchHit, 5),
            line(91, "r", UsageEvent::View, 7),
            line(40, "r", UsageEvent::Authority, 4),
        ];
        let (stats, coverage) = fold_usage(&lines, NOW);
        let stats = &stats["r"];
        assert_eq!(stats.hits_last30d, 5);
        assert_eq!(stats.hits_last90d, 10);
        assert_eq!(stats.search_hits_last30d, 3);
        assert_eq!((stats.views, stats.search_hits), (7, 8));
        assert_eq!(stats.last_hit_at, Some(NOW / 1000));
        assert_eq!(stats.authority_share(), Some(0.8));
        assert!(coverage.is_enough());
        let (_, short) = fold_usage(&lines[..3], NOW);
        assert!(!short.is_enough());
    }

    #[test]
    fn the_latest_authority_counts_in_whatever_order_lines_come() {
        let early = line(9, "r", UsageEvent::Authority, 1);
        let late = line(3, "r", UsageEvent::Authority, 5);
        for lines in [[&early, &late], [&late, &early]] {
            let (stats, _) = fold_usage(lines, NOW);
            assert_eq!(stats["r"].authority, Some(5.0));
        }
    }

    #[test]
    fn the_summary_is_sorted_and_adds_up() {
        let lines = [
            line(1, "b", UsageEvent::Adoption, 1),
            line(2, "a", UsageEvent::GuardHit, 4),
            line(2, "c", UsageEvent::Authority, 4),
        ];
        let (stats, _) = fold_usage(&lines, NOW);
        let mut summary = UsageSummary::default();
        summary.add(&stats, 5);
        summary.add(&stats, 6);
        let ids: Vec<&String> = summary.recipes.keys().collect();
        assert_eq!(ids, ["a", "b"]);
        assert_eq!(summary.recipes["a"].guard_hits, 8);
        assert_eq!(summary.updated_at, 6);
        let mut own = Stats::default();
        own.learn(&summary.recipes["b"]);
        assert_eq!(own.last_hit_at, Some(NOW / 1000 - 86_400));
    }

    fn lines() -> impl Strategy<Value = Vec<UsageLine>> {
        let events = [
            UsageEvent::GuardHit,
            UsageEvent::SearchHit,
            UsageEvent::View,
            UsageEvent::Adoption,
            UsageEvent::Application,
            UsageEvent::Authority,
        ];
        let one =
            (0..200_i64 * 24, 0..3_u8, 0..6_usize, 1..6_u64).prop_map(move |(hours, id, e, n)| {
                UsageLine {
                    t: NOW - hours * 3_600_000,
                    id: format!("r{id}"),
                    e: events[e],
                    n,
                }
            });
        proptest::collection::vec(one, 0..60)
    }

    proptest! {
        /// Making the journal smaller loses no count and no moment of last use.
        #[test]
        fn a_compacted_journal_counts_the_same(mut lines in lines()) {
            lines.sort_by_key(|line| line.t);
            let short = compact_usage(&lines, NOW);
            prop_assert!(short.len() <= lines.len());
            prop_assert_eq!(fold_usage(&short, NOW), fold_usage(&lines, NOW));
            prop_assert_eq!(compact_usage(&short, NOW), short);
        }
    }
}
