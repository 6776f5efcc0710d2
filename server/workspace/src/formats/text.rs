//! The compliance report for a terminal or the log of a job.

use asd_recipe::Severity;

use crate::compliance::ComplianceReport;

/// How many violations and files are listed.
const MAX_LISTED: usize = 200;

/// The report as plain text, a violation a line. Notes are counted, not listed.
#[must_use]
pub fn text(report: &ComplianceReport) -> String {
    let mut lines = Vec::new();
    violations(report, &mut lines);
    not_checked(report, &mut lines);
    rules(report, &mut lines);
    modules(report, &mut lines);
    verdict(report, &mut lines);
    lines.join("\n") + "\n"
}

fn violations(report: &ComplianceReport, lines: &mut Vec<String>) {
    let shown: Vec<_> = report
        .details
        .flat()
        .filter(|violation| violation.severity != Severity::Info)
        .collect();
    for violation in shown.iter().take(MAX_LISTED) {
        lines.push(format!(
            "{}:{}:{}: {}[{}]: {}",
            violation.path,
            violation.place.line,
            violation.place.column,
            violation.severity.as_str(),
            violation.rule_id,
            violation.message
        ));
        for other in violation.others {
            lines.push(format!("  also {}:{}", other.file_path, other.place.line));
        }
        if !violation.fix_suggestion.is_empty() {
            lines.push(format!("  do: {}", violation.fix_suggestion));
        }
    }
    if shown.len() > MAX_LISTED {
        lines.push(format!(
            "and {} more (--report json lists all)",
            shown.len() - MAX_LISTED
        ));
    }
    for problem in &report.details.problems {
        lines.push(format!(
            "{}:{}:{}: {}[{}]: {}",
            problem.path,
            problem.place.line,
            problem.place.column,
            problem.severity.as_str(),
            problem.code,
            problem.message
        ));
    }
    if !lines.is_empty() {
        lines.push(String::new());
    }
}

fn not_checked(report: &ComplianceReport, lines: &mut Vec<String>) {
    let skipped = &report.details.skipped;
    if skipped.is_empty() && report.notes.is_empty() {
        return;
    }
    lines.push("Not checked:".to_owned());
    lines.extend(report.notes.iter().map(|note| format!("  {note}")));
    for skipped in skipped.iter().take(MAX_LISTED) {
        lines.push(format!("  {}: {}", skipped.path, skipped.reason));
    }
    if skipped.len() > MAX_LISTED {
        lines.push(format!("  and {} more", skipped.len() - MAX_LISTED));
    }
    lines.push(String::new());
}

fn rules(report: &ComplianceReport, lines: &mut Vec<String>) {
    if !report.top_violations.is_empty() {
        lines.push("Rules with most violations:".to_owned());
        for top in &report.top_violations {
            let recipe = top
                .fix_recipe_title
                .as_ref()
                .map_or_else(String::new, |title| format!("  ({title})"));
            lines.push(format!(
                "  {:5} {:7} {} in {} file{}{recipe}",
                top.occurrences,
                top.severity.as_str(),
                top.rule_id,
                top.file_count,
                if top.file_count == 1 { "" } else { "s" }
            ));
        }
        lines.push(String::new());
    }
    let advised: Vec<_> = report
        .rule_health
        .iter()
        .filter_map(|health| Some((health, health.recommendation?)))
        .collect();
    if !advised.is_empty() {
        lines.push("Rules to look at:".to_owned());
        for (health, advice) in advised {
            let action = serde_json::to_value(advice.action).unwrap_or_default();
            lines.push(format!(
                "  {}: {} (precision {:.2}, {} triggers)",
                health.rule_id,
                action.as_str().unwrap_or_default().replace('_', " "),
                health.precision,
                health.triggers
            ));
        }
        lines.push(String::new());
    }
}

fn modules(report: &ComplianceReport, lines: &mut Vec<String>) {
    let matrix = &report.coverage_matrix;
    // Without a rule of its own a project has nothing to say here.
    if matrix.modules.iter().all(|module| module.rule_count == 0) {
        return;
    }
    lines.push(format!(
        "Files under the project's own rules ({} % over all modules):",
        matrix.overall
    ));
    for module in &matrix.modules {
        lines.push(format!(
            "  {:3} % {} ({} files, {} rules)",
            module.coverage, module.module, module.files, module.rule_count
        ));
    }
    lines.push(String::new());
}

fn verdict(report: &ComplianceReport, lines: &mut Vec<String>) {
    let summary = &report.summary;
    let number =
        |count: usize, word: &str| format!("{count} {word}{}", if count == 1 { "" } else { "s" });
    lines.push(format!(
        "Checked {}: {}, {}, {}.",
        number(summary.files_scanned, "file"),
        number(summary.errors, "error"),
        number(summary.warnings, "warning"),
        number(summary.infos, "note"),
    ));
    if report.trend.has_history {
        lines.push(format!(
            "Since the run before: {:+} errors, {:+} warnings.",
            report.trend.errors_change, report.trend.warnings_change
        ));
    }
    if let Some(shard) = report.shard {
        lines.push(format!("This is part {shard} of the files."));
    }
    lines.push(format!(
        "Score {} of 100, coverage {} %, confidence {} %, {} uncertain.",
        report.compliance_score,
        report.coverage_score,
        report.confidence_score,
        report.uncertain_summary.total
    ));
    let gate = &report.quality_gate;
    let reasons = if gate.reasons.is_empty() {
        String::new()
    } else {
        format!(": {}", gate.reasons.join("; "))
    };
    lines.push(format!("Gate: {}{reasons}", gate.status.as_str()));
}
