//! Stored runs: what a file looked like to the rules before, and so what has
//! been mended since. Pure; the file is kept by `store`. (guard.md §11)

use std::collections::{BTreeMap, BTreeSet};

use asd_recipe::Severity;
use serde::{Deserialize, Serialize};

use crate::Timestamp;

/// How many runs are kept.
pub const MAX_RUNS: usize = 200;

/// One violation of a stored run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Occurrence {
    /// The rule.
    pub rule_id: String,
    /// How bad it is.
    pub severity: Severity,
    /// From 1.
    pub line: u32,
    /// The line, trimmed.
    pub snippet: String,
    /// The recipe that the rule comes from: its id, or its trigger.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recipe: Option<String>,
}

impl Occurrence {
    /// What stays the same when the line moves or is indented anew.
    fn key(&self) -> (&str, String) {
        let words: Vec<&str> = self.snippet.split_whitespace().collect();
        (&self.rule_id, words.join(" "))
    }
}

/// Counts of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the names are the spec's own terms")]
pub struct RunSummary {
    pub errors: usize,
    pub warnings: usize,
    pub infos: usize,
}

/// What a check said of one file, or (without violations of its own) of the
/// project or a folder as a whole.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StoredRun {
    /// `run_<milliseconds>_<random>`
    pub id: String,
    /// Project-relative with `/`; `.` or a folder for a run over many files.
    pub file_path: String,
    /// When it was last seen like this.
    pub triggered_at: Timestamp,
    /// How many violations there were.
    pub violation_count: usize,
    /// The same by severity.
    pub summary: RunSummary,
    /// The violations.
    pub violations: Vec<Occurrence>,
}

impl StoredRun {
    fn fingerprint(&self) -> (RunSummary, BTreeMap<String, usize>) {
        let mut marks = BTreeMap::new();
        for found in &self.violations {
            let mark = format!(
                "{}|{}|{}",
                found.rule_id,
                found.severity.as_str(),
                found.line
            );
            *marks.entry(mark).or_default() += 1;
        }
        (self.summary, marks)
    }
}

/// The latest run of a file.
#[must_use]
pub fn latest<'r>(runs: &'r [StoredRun], file_path: &str) -> Option<&'r StoredRun> {
    runs.iter().rev().find(|run| run.file_path == file_path)
}

/// Adds a run behind the others. One that says the same as the latest of its
/// file only refreshes that one's time.
pub fn add_run(runs: &mut Vec<StoredRun>, run: StoredRun) {
    let same = runs
        .iter_mut()
        .rev()
        .find(|known| known.file_path == run.file_path)
        .filter(|known| known.fingerprint() == run.fingerprint());
    match same {
        Some(known) => {
            known.triggered_at = run.triggered_at;
            // The same lines may read otherwise now.
            known.violations = run.violations;
        }
        None => runs.push(run),
    }
}

/// Drops the oldest runs beyond [`MAX_RUNS`], but none that is the latest of a
/// file and has violations: without it their mending would not be seen.
pub fn trim_runs(runs: &mut Vec<StoredRun>) {
    let mut excess = runs.len().saturating_sub(MAX_RUNS);
    if excess == 0 {
        return;
    }
    let mut seen = BTreeSet::new();
    let mut needed: Vec<bool> = runs
        .iter()
        .rev()
        .map(|run| seen.insert(run.file_path.clone()) && !run.violations.is_empty())
        .collect();
    needed.reverse();
    let mut needed = needed.into_iter();
    runs.retain(|_| {
        let drop = excess > 0 && !needed.next().unwrap_or(false);
        excess -= usize::from(drop);
        !drop
    });
}

/// The occurrences of `before` that are not among those of `after`, by rule and
/// normalised snippet, one by one: of five equal ones, four are left when one
/// is mended.
#[must_use]
pub fn disappeared<'o>(before: &'o [Occurrence], after: &[Occurrence]) -> Vec<&'o Occurrence> {
    let mut left: BTreeMap<(&str, String), usize> = BTreeMap::new();
    for found in after {
        *left.entry(found.key()).or_default() += 1;
    }
    before
        .iter()
        .filter(|found| match left.get_mut(&found.key()) {
            Some(count) if *count > 0 => {
                *count -= 1;
                false
            }
            _ => true,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(rule: &str, line: u32, snippet: &str) -> Occurrence {
        Occurrence {
            rule_id: rule.to_owned(),
            severity: Severity::Warning,
            line,
            snippet: snippet.to_owned(),
            recipe: None,
        }
    }

    fn run(path: &str, at: i64, violations: Vec<Occurrence>) -> StoredRun {
        StoredRun {
            id: format!("run_{at}"),
            file_path: path.to_owned(),
            triggered_at: Timestamp(at),
            violation_count: violations.len(),
            summary: RunSummary {
                warnings: violations.len(),
                ..RunSummary::default()
            },
            violations,
        }
    }

    #[test]
    fn a_line_that_moved_is_no_fix() {
        let before = [found("r", 3, "old(a);")];
        let after = [found("r", 9, "  old(a);")];
        assert!(disappeared(&before, &after).is_empty());
    }

    #[test]
    fn one_of_several_equal_ones_is_a_fix() {
        let before = vec![found("r", 1, "old();"); 5];
        let after = vec![found("r", 1, "old();"); 4];
        assert_eq!(disappeared(&before, &after).len(), 1);
        assert_eq!(disappeared(&before, &[]).len(), 5);
        assert!(disappeared(&after, &before).is_empty());
    }

    #[test]
    fn another_rule_at_the_same_line_is_no_help() {
        let before = [found("a", 1, "x")];
        let after = [found("b", 1, "x")];
        assert_eq!(disappeared(&before, &after), [&before[0]]);
    }

    #[test]
    fn an_equal_run_refreshes_the_time_only() {
        let mut runs = Vec::new();
        add_run(&mut runs, run("a", 1, vec![found("r", 1, "x")]));
        add_run(&mut runs, run("a", 2, vec![found("r", 1, "x")]));
        assert_eq!(runs.len(), 1);
        assert_eq!(runs[0].triggered_at, Timestamp(2));
        add_run(&mut runs, run("a", 3, Vec::new()));
        assert_eq!(runs.len(), 2, "clean runs are stored");
        add_run(&mut runs, run("b", 4, Vec::new()));
        assert_eq!(latest(&runs, "a").unwrap().triggered_at, Timestamp(3));
    }

    #[test]
    fn the_oldest_go_but_what_is_still_wrong_stays_known() {
        let mut runs = vec![
            run("wrong", 0, vec![found("r", 1, "x")]),
            run("mended", 1, vec![found("r", 1, "x")]),
        ];
        for at in 2..300 {
            runs.push(run("mended", at, Vec::new()));
        }
        trim_runs(&mut runs);
        assert_eq!(runs.len(), MAX_RUNS);
        assert_eq!(latest(&runs, "wrong").unwrap().violations.len(), 1);
        assert_eq!(runs.last().unwrap().triggered_at, Timestamp(299));
    }
}
