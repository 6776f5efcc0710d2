//! The compliance report in each of its forms.

use anyhow::Context;
use asd_workspace::compliance::ComplianceReport;
use asd_workspace::formats;
use asd_workspace::sarif::sarif;

use crate::guard_args::{ReportFormat, ReportOptions};
use crate::terminal::Terminal;

pub(crate) fn write(
    report: &ComplianceReport,
    options: &ReportOptions,
    terminal: &mut Terminal,
) -> anyhow::Result<()> {
    let text = render(report, options.report)?;
    let text = text.trim_end_matches('\n');
    let Some(path) = &options.output else {
        return terminal.line(text);
    };
    std::fs::write(path, format!("{text}\n"))
        .with_context(|| format!("cannot write the report to {}", path.display()))?;
    let gate = &report.quality_gate;
    terminal.note(&format!(
        "Gate: {}, score {} of 100; the report is in {}.",
        gate.status.as_str(),
        gate.score,
        path.display()
    ));
    Ok(())
}

fn render(report: &ComplianceReport, format: ReportFormat) -> anyhow::Result<String> {
    let json = |value: &serde_json::Value| serde_json::to_string_pretty(value);
    Ok(match format {
        ReportFormat::Text => formats::text(report),
        ReportFormat::Json => serde_json::to_string_pretty(report)?,
        ReportFormat::Markdown => formats::markdown(report),
        ReportFormat::Junit => {
            // The schemas know no fraction and no time zone.
            let time: String = report.timestamp.to_string().chars().take(19).collect();
            formats::junit(&report.details, &time)
        }
        ReportFormat::Sarif => json(&sarif(&report.details, env!("CARGO_PKG_VERSION")))?,
        ReportFormat::Gitlab => json(&formats::gitlab(&report.details))?,
        ReportFormat::Github => {
            let mut lines = formats::github(&report.details);
            let gate = &report.quality_gate;
            if !gate.reasons.is_empty() {
                lines.push(format!(
                    "::notice title=Guard::{}: {}",
                    gate.status.as_str(),
                    gate.reasons.join("; ")
                ));
            }
            lines.join("\n")
        }
    })
}
