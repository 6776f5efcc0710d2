//! Reports of several machines as one.

use std::collections::{BTreeMap, BTreeSet};

use asd_guard::{GateThresholds, RuleStats, Timestamp};
use thiserror::Error;

use super::{ComplianceInput, ComplianceReport, Shard, compliance};
use crate::capability::Sum;
use crate::report::{BatchDetails, BatchResult, BatchSummary, RuleSummary};

/// Why reports do not make up one.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum MergeError {
    /// There is none.
    #[error("there is no report to merge")]
    Nothing,
    /// Parts are missing.
    #[error("the parts {} of {count} are missing", list(missing))]
    Missing {
        /// Their numbers.
        missing: Vec<u32>,
        /// How many there should be.
        count: u32,
    },
    /// Parts do not belong together.
    #[error("the part {0} occurs twice, or was cut otherwise than the first")]
    Mixed(Shard),
    /// A file was checked twice.
    #[error("{0} is in more than one report; merge the parts of one run (`--shard`)")]
    Twice(String),
}

fn list(numbers: &[u32]) -> String {
    let numbers: Vec<String> = numbers.iter().map(u32::to_string).collect();
    numbers.join(", ")
}

/// Joins reports about different files of one project. The score, the gate and
/// everything else that is counted is made anew from what they found.
///
/// # Errors
/// [`MergeError`] when parts are missing or overlap.
pub fn merge(
    reports: Vec<ComplianceReport>,
    thresholds: Option<GateThresholds>,
    now: Timestamp,
) -> Result<ComplianceReport, MergeError> {
    check_parts(&reports)?;
    let Some(first) = reports.first() else {
        return Err(MergeError::Nothing);
    };
    let (root, test_weight) = (first.project_root.clone(), first.test_weight);
    let thresholds = thresholds.unwrap_or(first.quality_gate.thresholds);
    let coverage_matrix = first.coverage_matrix.clone();
    let stats = stats(&reports);
    let mut details = BatchDetails::default();
    let mut summary = BatchSummary::default();
    let mut sum = Sum::default();
    let mut rules: BTreeMap<String, RuleSummary> = BTreeMap::new();
    let mut notes = BTreeSet::new();
    for report in reports {
        let part = report.details;
        summary.add(&report.summary.batch);
        sum.add(part.capability_report);
        details.files.extend(part.files);
        details
            .cross_file_violations
            .extend(part.cross_file_violations);
        details.skipped.extend(part.skipped);
        details.problems.extend(part.problems);
        details.suppressions.extend(part.suppressions);
        rules.extend(part.rules.into_iter().map(|rule| (rule.id.clone(), rule)));
        notes.extend(report.notes);
    }
    details.files.sort_by(|a, b| a.file_path.cmp(&b.file_path));
    // One that lies in files of several parts is in the report of each.
    let across = &mut details.cross_file_violations;
    // In the order that one run of all parts has.
    across.sort_by_cached_key(|one| {
        let places: Vec<(String, u64, u64)> = one
            .locations
            .iter()
            .map(|location| {
                let place = &location.place;
                (
                    location.file_path.clone(),
                    place.line as u64,
                    place.column as u64,
                )
            })
            .collect();
        (one.rule_id.clone(), places)
    });
    across.dedup_by(|a, b| a.rule_id == b.rule_id && a.locations == b.locations);
    if let Some([twice, _]) = details
        .files
        .array_windows()
        .find(|[a, b]| a.file_path == b.file_path)
    {
        return Err(MergeError::Twice(twice.file_path.clone()));
    }
    details
        .skipped
        .sort_by(|a, b| (&a.path, &a.reason).cmp(&(&b.path, &b.reason)));
    details.skipped.dedup();
    let mut problems = Vec::new();
    for problem in details.problems {
        if !problems.contains(&problem) {
            problems.push(problem);
        }
    }
    details.problems = problems;
    details.suppressions.sort_by(|a, b| {
        let key =
            |s: &crate::report::SuppressedRule| (s.file_path.clone(), s.place.line, s.place.column);
        key(a).cmp(&key(b))
    });
    details.rules = rules.into_values().collect();
    details.capability_report = sum.finish();
    let (counts, feedback) = stats;
    Ok(compliance(ComplianceInput {
        root,
        result: BatchResult { details, summary },
        stats: counts,
        feedback,
        thresholds,
        test_weight,
        before: None,
        coverage_matrix,
        notes: notes.into_iter().collect(),
        shard: None,
        now,
    }))
}

fn check_parts(reports: &[ComplianceReport]) -> Result<(), MergeError> {
    let mut parts: Vec<Shard> = reports.iter().filter_map(|report| report.shard).collect();
    let Some(count) = parts.first().map(|shard| shard.count) else {
        return Ok(());
    };
    parts.sort();
    for (at, part) in parts.iter().enumerate() {
        if part.count != count || (at > 0 && parts[at - 1] == *part) {
            return Err(MergeError::Mixed(*part));
        }
    }
    let missing: Vec<u32> = (1..=count)
        .filter(|index| !parts.iter().any(|part| part.index == *index))
        .collect();
    if missing.is_empty() {
        Ok(())
    } else {
        Err(MergeError::Missing { missing, count })
    }
}

/// The counts of rules as all parts saw them: those of the machines are taken
/// once, suppressions are counted anew from the details.
fn stats(reports: &[ComplianceReport]) -> (BTreeMap<String, RuleStats>, Vec<asd_guard::Feedback>) {
    let mut stats: BTreeMap<String, RuleStats> = BTreeMap::new();
    for health in reports.iter().flat_map(|report| &report.rule_health) {
        let known = stats.entry(health.rule_id.clone()).or_default();
        known.triggers = known.triggers.max(health.triggers);
        known.correct = known.correct.max(health.correct);
        let judged = health
            .false_positive
            .saturating_sub(health.suppressed_as_false);
        known.false_positive = known.false_positive.max(judged);
        known.false_negative = known.false_negative.max(health.false_negative);
        known.first_triggered = match (known.first_triggered, health.first_triggered) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        };
        known.last_triggered = known.last_triggered.max(health.last_triggered);
        known.last_feedback = known.last_feedback.max(health.last_feedback);
    }
    let mut feedback = Vec::new();
    for (id, stats) in &stats {
        for (verdict, count) in [
            (asd_guard::Verdict::Correct, stats.correct),
            (asd_guard::Verdict::Fp, stats.false_positive),
            (asd_guard::Verdict::Fn, stats.false_negative),
        ] {
            for _ in 0..count {
                feedback.push(asd_guard::Feedback {
                    rule_id: id.clone(),
                    file_path: String::new(),
                    fingerprint: String::new(),
                    verdict,
                    by: None,
                    at: stats.last_feedback.unwrap_or_default(),
                    reason: None,
                });
            }
        }
    }
    (stats, feedback)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compliance::CoverageMatrix;

    fn report(shard: Option<Shard>) -> ComplianceReport {
        compliance(ComplianceInput {
            root: "/p".to_owned(),
            result: BatchResult {
                details: BatchDetails::default(),
                summary: BatchSummary::default(),
            },
            stats: BTreeMap::new(),
            feedback: Vec::new(),
            thresholds: GateThresholds {
                max_errors: 0,
                max_warnings: 20,
                min_score: 70,
            },
            test_weight: 0.5,
            before: None,
            coverage_matrix: CoverageMatrix::default(),
            notes: Vec::new(),
            shard,
            now: Timestamp(0),
        })
    }

    fn part(index: u32, count: u32) -> ComplianceReport {
        report(Some(Shard { index, count }))
    }

    #[test]
    fn all_parts_of_one_cut_are_needed_once() {
        let merged = |parts: Vec<ComplianceReport>| merge(parts, None, Timestamp(1));
        assert!(merged(vec![part(2, 2), part(1, 2)]).is_ok());
        assert_eq!(merged(Vec::new()), Err(MergeError::Nothing));
        assert_eq!(
            merged(vec![part(1, 3)]).unwrap_err().to_string(),
            "the parts 2, 3 of 3 are missing"
        );
        let twice = merged(vec![part(1, 2), part(1, 2)]);
        assert_eq!(twice, Err(MergeError::Mixed(Shard { index: 1, count: 2 })));
        assert!(merged(vec![part(1, 2), part(2, 3)]).is_err());
    }
}
