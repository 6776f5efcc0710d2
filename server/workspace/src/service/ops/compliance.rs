//! `asd_guard` over the whole project: the compliance report and the coverage
//! matrix. (guard.md §12)

use std::sync::atomic::AtomicBool;

use asd_guard::{GateThresholds, TEST_WEIGHT, Timestamp, judged_stats, latest};
use asd_store::{FileEntry, read_feedback, read_records};
use asd_syntax::Language;
use serde_json::json;

use crate::compliance::{ComplianceInput, CoverageMatrix, compliance};
use crate::report::BatchResult;
use crate::service::Service;
use crate::service::call::{Call, Reply};
use crate::service::error::{ErrorCode, ServiceError};

/// The files that a call is about.
fn files(service: &Service, call: &Call<'_>) -> (Vec<FileEntry>, Vec<String>) {
    let state = service.knowledge.state();
    let root = state.project().root().to_path_buf();
    let mut files = state.walk(&[root], &AtomicBool::new(false)).files;
    files.retain(|file| Language::of_file(&file.path, "").is_some());
    let mut notes = Vec::new();
    if let Some(most) = call.count("maxFiles")
        && files.len() > most
    {
        notes.push(format!(
            "{} files: left out by `maxFiles` {most}",
            files.len() - most
        ));
        files.truncate(most);
    }
    (files, notes)
}

pub(super) fn coverage(service: &Service, call: &Call<'_>) -> Result<Reply, ServiceError> {
    let state = service.knowledge.state();
    let (files, notes) = files(service, call);
    let feedback = read_feedback(service.project()).unwrap_or_default();
    let stats = judged_stats(&read_records(service.project()).stats, &feedback);
    let matrix = CoverageMatrix::new(state.module_coverage(&files, &stats));
    let mut reply = Reply::new(
        "To how much of each module the recipes apply.",
        json!(matrix),
    );
    reply.warnings = notes;
    Ok(reply)
}

pub(super) fn report(service: &Service, call: &Call<'_>) -> Result<Reply, ServiceError> {
    let state = service.knowledge.state();
    let (files, mut notes) = files(service, call);
    let feedback = read_feedback(service.project()).unwrap_or_else(|error| {
        notes.push(format!("Verdicts are not taken into account: {error}"));
        Vec::new()
    });
    let records = read_records(service.project());
    let batch = state
        .check_files(&files, &|_| {}, &AtomicBool::new(false))
        .map_err(|_| ServiceError::new(ErrorCode::ToolError, "The check was stopped."))?;
    let result = BatchResult::new(&batch, &batch.skipped, state.broken());
    let stats = judged_stats(&records.stats, &feedback);
    let gate = &state.config().quality_gate;
    let report = compliance(ComplianceInput {
        root: state.project().root().display().to_string(),
        result,
        coverage_matrix: CoverageMatrix::new(state.module_coverage(&files, &stats)),
        stats: records.stats,
        feedback,
        thresholds: GateThresholds {
            max_errors: gate.max_errors,
            max_warnings: gate.max_warnings,
            min_score: gate.min_score,
        },
        test_weight: TEST_WEIGHT,
        before: latest(&records.runs, ".").map(|run| run.summary),
        notes,
        shard: None,
        now: Timestamp(call.now),
    });
    let message = format!(
        "Score {}, {} errors, {} warnings.",
        report.quality_gate.score, report.summary.errors, report.summary.warnings
    );
    Ok(Reply::new(message, json!(report)))
}
