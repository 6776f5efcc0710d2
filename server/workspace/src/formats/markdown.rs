//! The compliance report for a merge request or a job summary.

use std::fmt::Write;

use crate::compliance::ComplianceReport;

/// How many violations are listed.
const MAX_LISTED: usize = 50;

/// The report as Markdown. Nothing in it that comes from a source or a recipe
/// is markup.
#[must_use]
pub fn markdown(report: &ComplianceReport) -> String {
    let mut out = String::new();
    let gate = &report.quality_gate;
    let mut line = |text: &str| {
        out.push_str(text);
        out.push('\n');
    };
    line(&format!("# Guard: {}\n", gate.status.as_str()));
    let summary = &report.summary;
    line("| score | errors | warnings | notes | files | coverage | confidence |");
    line("| ---: | ---: | ---: | ---: | ---: | ---: | ---: |");
    line(&format!(
        "| {} | {} | {} | {} | {} | {} % | {} % |\n",
        gate.score,
        summary.errors,
        summary.warnings,
        summary.infos,
        summary.files_scanned,
        report.coverage_score,
        report.confidence_score
    ));
    for reason in &gate.reasons {
        line(&format!("- {}", plain(reason)));
    }
    if !gate.reasons.is_empty() {
        line("");
    }
    if report.trend.has_history {
        line(&format!(
            "Since the run before: {:+} errors, {:+} warnings.\n",
            report.trend.errors_change, report.trend.warnings_change
        ));
    }
    let violations: Vec<_> = report.details.flat().collect();
    if !violations.is_empty() {
        line("## Violations\n");
        line("| severity | place | rule | what |");
        line("| --- | --- | --- | --- |");
        for violation in violations.iter().take(MAX_LISTED) {
            line(&format!(
                "| {} | {}:{} | {} | {} |",
                violation.severity.as_str(),
                code(violation.path),
                violation.place.line,
                code(violation.rule_id),
                plain(violation.message)
            ));
        }
        if violations.len() > MAX_LISTED {
            line(&format!("\nand {} more", violations.len() - MAX_LISTED));
        }
        line("");
    }
    if !report.top_violations.is_empty() {
        line("## Rules\n");
        line("| rule | severity | occurrences | files | recipe |");
        line("| --- | --- | ---: | ---: | --- |");
        for top in &report.top_violations {
            line(&format!(
                "| {} | {} | {} | {} | {} |",
                code(&top.rule_id),
                top.severity.as_str(),
                top.occurrences,
                top.file_count,
                plain(top.fix_recipe_title.as_deref().unwrap_or_default())
            ));
        }
        line("");
    }
    if !report.coverage_matrix.modules.is_empty() {
        line("## Modules\n");
        line("| module | files | own rules | files under own rules |");
        line("| --- | ---: | ---: | ---: |");
        for module in &report.coverage_matrix.modules {
            line(&format!(
                "| {} | {} | {} | {} % |",
                code(&module.module),
                module.files,
                module.rule_count,
                module.coverage
            ));
        }
        line("");
    }
    let advised: Vec<_> = report
        .rule_health
        .iter()
        .filter_map(|health| Some((health, health.recommendation?)))
        .collect();
    if !advised.is_empty() {
        line("## Rules to look at\n");
        for (health, advice) in advised {
            let action = serde_json::to_value(advice.action).unwrap_or_default();
            line(&format!(
                "- {}: {} (precision {:.2}, {} triggers)",
                code(&health.rule_id),
                action.as_str().unwrap_or_default().replace('_', " "),
                health.precision,
                health.triggers
            ));
        }
        line("");
    }
    if !report.notes.is_empty() || !report.details.skipped.is_empty() {
        line("## Not checked\n");
        for note in &report.notes {
            line(&format!("- {}", plain(note)));
        }
        for skipped in report.details.skipped.iter().take(MAX_LISTED) {
            line(&format!(
                "- {}: {}",
                code(&skipped.path),
                plain(&skipped.reason)
            ));
        }
        line("");
    }
    out
}

/// Text in which nothing is markup, on one line.
fn plain(text: &str) -> String {
    let mut result = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' | '\r' | '\t' => result.push(' '),
            '<' => result.push_str("&lt;"),
            '&' => result.push_str("&amp;"),
            '\\' | '`' | '*' | '_' | '[' | ']' | '|' | '#' | '!' | '~' | '@' => {
                let _ = write!(result, "&#{};", u32::from(c));
            }
            other => result.push(other),
        }
    }
    result
}

/// Text in a code span of a table cell.
fn code(text: &str) -> String {
    let text = text.replace(['\n', '\r'], " ");
    if text.contains(['`', '|']) {
        plain(&text)
    } else {
        format!("`{text}`")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_others_are_no_markup() {
        assert_eq!(
            plain("<img> [a](b) | @team\n*"),
            "&lt;img> &#91;a&#93;(b) &#124; &#64;team &#42;"
        );
        assert_eq!(code("a|b"), "a&#124;b");
        assert_eq!(code("src/a.ts"), "`src/a.ts`");
    }
}
