use std::collections::{BTreeMap, BTreeSet};

use asd_guard::{
    CapabilityReport, Feedback, Gate, GateThresholds, RuleStats, RunSummary, Tally, Timestamp,
    Verdict, compliance_score, judged_stats, says_false_positive,
};
use asd_recipe::Severity;

use super::{
    ComplianceReport, ComplianceSummary, CoverageMatrix, FileHotspot, MAX_LISTED,
    QualityGateResult, RuleHealth, Shard, TopViolation, Trend, UncertainSummary,
};
use crate::report::{BatchDetails, BatchResult, BatchSummary};

/// What a report is made from.
#[derive(Clone, Debug)]
pub struct ComplianceInput {
    /// The project's root, absolute.
    pub root: String,
    /// What the check said.
    pub result: BatchResult,
    /// The counts of this machine.
    pub stats: BTreeMap<String, RuleStats>,
    /// Everybody's verdicts.
    pub feedback: Vec<Feedback>,
    /// What the gate permits.
    pub thresholds: GateThresholds,
    /// How much a violation in a test file counts.
    pub test_weight: f64,
    /// The counts of the run before.
    pub before: Option<RunSummary>,
    /// To how much of each module the project's own rules apply.
    pub coverage_matrix: CoverageMatrix,
    /// What a reader has to know besides.
    pub notes: Vec<String>,
    /// Which part of the files it is about.
    pub shard: Option<Shard>,
    /// This moment.
    pub now: Timestamp,
}

/// Makes the report.
#[must_use]
pub fn compliance(mut input: ComplianceInput) -> ComplianceReport {
    let suppressed = suppressed_as_false(&input.result.details);
    input.feedback = with_suppressions(&input.feedback, &input.result.details);
    let stats = judged_stats(&input.stats, &input.feedback);
    let details = &input.result.details;
    let rule_health = rule_health(&stats, &suppressed, details, input.now);
    let summary = summary(details, input.result.summary, input.test_weight);
    let score = compliance_score(summary.weighted, stats.values());
    let gate = Gate::judge(summary.weighted, score, input.thresholds);
    ComplianceReport {
        timestamp: input.now,
        project_root: input.root,
        quality_gate: QualityGateResult {
            status: gate.status(),
            score,
            thresholds: input.thresholds,
            reasons: reasons(gate, &summary, score, input.thresholds),
        },
        compliance_score: score,
        coverage_score: details.capability_report.check_coverage,
        confidence_score: confidence(
            summary.batch.total_uncertain,
            executed(&details.capability_report),
        ),
        uncertain_summary: uncertain_summary(details),
        boundaries: details.capability_report.boundaries.clone(),
        top_violations: top_violations(details),
        file_hotspots: file_hotspots(details),
        rule_health,
        trend: trend(input.before, &summary),
        coverage_matrix: input.coverage_matrix,
        test_weight: input.test_weight,
        notes: input.notes,
        shard: input.shard,
        summary,
        details: input.result.details,
    }
}

/// The verdicts with those that suppressions in the sources give.
pub(crate) fn with_suppressions(feedback: &[Feedback], details: &BatchDetails) -> Vec<Feedback> {
    let mut all = feedback.to_vec();
    for (rule, count) in suppressed_as_false(details) {
        for _ in 0..count {
            all.push(Feedback {
                rule_id: rule.clone(),
                file_path: String::new(),
                fingerprint: String::new(),
                verdict: Verdict::Fp,
                by: None,
                at: Timestamp::default(),
                reason: None,
            });
        }
    }
    all
}

/// How many used suppressions of each rule say that the finding was wrong.
fn suppressed_as_false(details: &BatchDetails) -> BTreeMap<String, u64> {
    let mut counts = BTreeMap::new();
    for suppression in &details.suppressions {
        let reason = suppression.reason.as_deref().unwrap_or_default();
        if suppression.used && says_false_positive(reason) {
            *counts.entry(suppression.rule_id.clone()).or_default() += 1;
        }
    }
    counts
}

fn rule_health(
    stats: &BTreeMap<String, RuleStats>,
    suppressed: &BTreeMap<String, u64>,
    details: &BatchDetails,
    now: Timestamp,
) -> Vec<RuleHealth> {
    let from_recipes: BTreeSet<&str> = details
        .rules
        .iter()
        .filter(|rule| rule.recipe_id.is_some())
        .map(|rule| rule.id.as_str())
        .collect();
    stats
        .iter()
        .map(|(id, stats)| RuleHealth {
            rule_id: id.clone(),
            triggers: stats.triggers,
            correct: stats.correct,
            false_positive: stats.false_positive,
            false_negative: stats.false_negative,
            suppressed_as_false: suppressed.get(id).copied().unwrap_or_default(),
            precision: stats.precision(),
            recall: stats.recall(),
            f1: stats.f1(),
            false_positive_rate: stats.false_positive_rate(),
            effectiveness: stats.effectiveness(now),
            recommendation: stats.recommendation(now),
            decay_strategy: (stats.raises_high_false_positive()
                && from_recipes.contains(id.as_str()))
            .then(|| "high_false_positive".to_owned()),
            first_triggered: stats.first_triggered,
            last_triggered: stats.last_triggered,
            last_feedback: stats.last_feedback.filter(|at| *at != Timestamp::default()),
        })
        .collect()
}

fn summary(details: &BatchDetails, batch: BatchSummary, test_weight: f64) -> ComplianceSummary {
    let mut summary = ComplianceSummary {
        files_scanned: batch.files_checked,
        batch,
        ..ComplianceSummary::default()
    };
    let tests: BTreeSet<&str> = details
        .files
        .iter()
        .filter(|file| file.is_test)
        .map(|file| file.file_path.as_str())
        .collect();
    let mut weighted = Tally::default();
    for violation in details.flat() {
        match violation.severity {
            Severity::Error => summary.errors += 1,
            Severity::Warning => summary.warnings += 1,
            Severity::Info => summary.infos += 1,
        }
        let only_in_tests = violation.paths().iter().all(|path| tests.contains(path));
        let weight = if only_in_tests { test_weight } else { 1.0 };
        weighted.add(violation.severity, weight);
    }
    summary.weighted = weighted;
    summary.batch.total_violations = summary.errors + summary.warnings + summary.infos;
    summary.batch.total_errors = summary.errors;
    summary.batch.total_warnings = summary.warnings;
    summary.batch.total_infos = summary.infos;
    summary
}

fn reasons(
    gate: Gate,
    summary: &ComplianceSummary,
    score: u8,
    thresholds: GateThresholds,
) -> Vec<String> {
    let mut reasons = Vec::new();
    if gate.by_errors {
        reasons.push(format!(
            "{}, at most {} permitted",
            weighed(summary.weighted.errors, summary.errors, "error"),
            thresholds.max_errors
        ));
    }
    if gate.by_score {
        reasons.push(format!(
            "score {score}, at least {} wanted",
            thresholds.min_score
        ));
    }
    if gate.by_warnings {
        reasons.push(format!(
            "{}, at most {} permitted",
            weighed(summary.weighted.warnings, summary.warnings, "warning"),
            thresholds.max_warnings
        ));
    }
    reasons
}

fn weighed(weighted: f64, all: usize, word: &str) -> String {
    let ending = if weighted == 1.0 { "" } else { "s" };
    if weighted.to_string() == all.to_string() {
        format!("{weighted} {word}{ending}")
    } else {
        format!("{weighted} {word}{ending} ({all}, those in test files counted by half)")
    }
}

/// Pairs of rule and file that were decided.
fn executed(report: &CapabilityReport) -> u64 {
    let checks = &report.executed_checks;
    [
        checks.regex,
        checks.code_level,
        checks.ast,
        checks.cross_file,
    ]
    .iter()
    .map(|counts| counts.executed)
    .sum()
}

/// Percent of what was decided among what was decided or uncertain.
fn confidence(uncertain: usize, decided: u64) -> u8 {
    let uncertain = uncertain as u64;
    let all = (uncertain + decided).max(1);
    let percent = (200 * (all - uncertain) + all) / (2 * all);
    u8::try_from(percent.min(100)).unwrap_or(100)
}

/// Counts the uncertain results of all files.
pub(crate) fn uncertain_summary(details: &BatchDetails) -> UncertainSummary {
    let mut summary = UncertainSummary::default();
    for uncertain in details.files.iter().flat_map(|f| &f.uncertain_results) {
        summary.total += 1;
        *summary.by_layer.entry(uncertain.layer).or_default() += 1;
        *summary.by_reason.entry(uncertain.reason).or_default() += 1;
    }
    summary
}

fn top_violations(details: &BatchDetails) -> Vec<TopViolation> {
    let mut by_rule: BTreeMap<&str, (Severity, usize, BTreeSet<&str>)> = BTreeMap::new();
    for violation in details.flat() {
        let entry =
            by_rule
                .entry(violation.rule_id)
                .or_insert((violation.severity, 0, BTreeSet::new()));
        if rank(violation.severity) > rank(entry.0) {
            entry.0 = violation.severity;
        }
        entry.1 += 1;
        entry.2.insert(violation.path);
        entry
            .2
            .extend(violation.others.iter().map(|o| o.file_path.as_str()));
    }
    let mut top: Vec<TopViolation> = by_rule
        .into_iter()
        .map(|(id, (severity, occurrences, files))| {
            let rule = details.rules.iter().find(|rule| rule.id == id);
            TopViolation {
                rule_id: id.to_owned(),
                severity,
                occurrences,
                file_count: files.len(),
                fix_recipe_id: rule.and_then(|rule| rule.recipe_id.clone()),
                fix_recipe_title: rule.and_then(|rule| rule.recipe_title.clone()),
            }
        })
        .collect();
    top.sort_by(|a, b| {
        let key = |top: &TopViolation| (top.occurrences, rank(top.severity));
        key(b).cmp(&key(a)).then_with(|| a.rule_id.cmp(&b.rule_id))
    });
    top.truncate(MAX_LISTED);
    top
}

fn file_hotspots(details: &BatchDetails) -> Vec<FileHotspot> {
    let mut by_file: BTreeMap<&str, FileHotspot> = BTreeMap::new();
    for violation in details.flat() {
        for path in violation.paths() {
            let spot = by_file.entry(path).or_insert_with(|| FileHotspot {
                file_path: path.to_owned(),
                violations: 0,
                errors: 0,
                warnings: 0,
                infos: 0,
            });
            spot.violations += 1;
            match violation.severity {
                Severity::Error => spot.errors += 1,
                Severity::Warning => spot.warnings += 1,
                Severity::Info => spot.infos += 1,
            }
        }
    }
    let mut spots: Vec<FileHotspot> = by_file.into_values().collect();
    spots.sort_by(|a, b| {
        // As much as each takes from the score.
        let weight = |spot: &FileHotspot| spot.errors * 25 + spot.warnings * 5 + spot.infos;
        weight(b)
            .cmp(&weight(a))
            .then_with(|| a.file_path.cmp(&b.file_path))
    });
    spots.truncate(MAX_LISTED);
    spots
}

fn trend(before: Option<RunSummary>, now: &ComplianceSummary) -> Trend {
    let change = |now: usize, before: usize| {
        i64::try_from(now).unwrap_or(i64::MAX) - i64::try_from(before).unwrap_or(i64::MAX)
    };
    before.map_or_else(Trend::default, |before| Trend {
        errors_change: change(now.errors, before.errors),
        warnings_change: change(now.warnings, before.warnings),
        has_history: true,
    })
}

const fn rank(severity: Severity) -> u8 {
    match severity {
        Severity::Error => 2,
        Severity::Warning => 1,
        Severity::Info => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_weighted_count_is_explained() {
        assert_eq!(weighed(1.0, 1, "error"), "1 error");
        assert_eq!(
            weighed(1.5, 2, "error"),
            "1.5 errors (2, those in test files counted by half)"
        );
    }

    #[test]
    fn confidence_falls_with_what_is_uncertain() {
        assert_eq!(confidence(0, 0), 100);
        assert_eq!(confidence(0, 10), 100);
        assert_eq!(confidence(1, 3), 75);
        assert_eq!(confidence(5, 0), 0);
        assert_eq!(confidence(1, 2), 67);
    }
}
