use anyhow::Context;
use asd_guard::GateThresholds;
use asd_store::now;
use asd_workspace::compliance::{ComplianceReport, Verdict, merge};

use crate::Outcome;
use crate::guard_args::MergeOptions;
use crate::output::report;
use crate::terminal::Terminal;

pub(crate) fn run(options: &MergeOptions, terminal: &mut Terminal) -> anyhow::Result<Outcome> {
    let mut reports: Vec<ComplianceReport> = Vec::new();
    for path in &options.files {
        let text = std::fs::read_to_string(path)
            .with_context(|| format!("cannot read {}", path.display()))?;
        let report = serde_json::from_str(&text).with_context(|| {
            format!(
                "{} is no report of `asd guard ci --report json`",
                path.display()
            )
        })?;
        reports.push(report);
    }
    let thresholds = reports.first().map(|first| {
        let known = first.quality_gate.thresholds;
        GateThresholds {
            max_errors: known.max_errors,
            max_warnings: options.gate.max_warnings.unwrap_or(known.max_warnings),
            min_score: options.gate.min_score.unwrap_or(known.min_score),
        }
    });
    let merged = merge(reports, thresholds, now())?;
    report::write(&merged, &options.report, terminal)?;
    Ok(Outcome::Judged(Verdict::of(&merged, options.gate.limits())))
}
