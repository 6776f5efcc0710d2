//! `asd_guard`: code checked against the recipes, changes reviewed.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use asd_guard::{Target, Timestamp};
use asd_knowledge::counters::UsageEvent;
use asd_recipe::{Severity, canonical_language};
use asd_store::FileEntry;
use asd_syntax::Language;
use asd_text::LineIndex;
use serde_json::{Value, json};

use crate::ProjectState;
use crate::report::{BatchDetails, BatchResult, Violation};
use crate::review::{ReviewResult, recipe_of};
use crate::review_run::{ReviewError, ReviewRequest, review_change};
use crate::service::Service;
use crate::service::call::{Call, Reply};
use crate::service::error::{ErrorCode, ServiceError};

pub(super) fn run(service: &Service, call: &Call<'_>) -> Result<Reply, ServiceError> {
    let operation = match call.text("operation") {
        Some(operation) => operation,
        None if call.has("code") && !call.has("files") => "check",
        None => "review",
    };
    match operation {
        "check" if call.has("code") => check(service, call),
        "check" | "review" => review(service, call),
        "coverage_matrix" => super::compliance::coverage(service, call),
        "compliance_report" => super::compliance::report(service, call),
        _ => super::drift::reverse_audit(service, call),
    }
}

/// Checks a text that need not stand in a file.
fn check(service: &Service, call: &Call<'_>) -> Result<Reply, ServiceError> {
    let code = call
        .arguments
        .get("code")
        .and_then(Value::as_str)
        .unwrap_or_default();
    let path = call.text("filePath");
    let named = call.text("language").map(|name| {
        let known = canonical_language(name).and_then(Language::from_id);
        known.ok_or_else(|| {
            ServiceError::new(
                ErrorCode::ValidationError,
                format!("`{name}` is not a language that rules know."),
            )
        })
    });
    let by_path = || path.and_then(|path| Language::of_file(Path::new(path), code));
    let language = match named {
        Some(language) => language?,
        None => by_path().ok_or_else(|| {
            ServiceError::new(
                ErrorCode::ValidationError,
                "Say in which `language` the code is, or which `filePath` it would have.",
            )
        })?,
    };
    let state = service.knowledge.state();
    let rel = path.and_then(|path| state.project().relative(&state.project().root().join(path)));
    let target = Target {
        path: rel.as_deref(),
        text: code,
        language,
        previous: None,
    };
    let report = state
        .check_text(&target, &AtomicBool::new(false))
        .map_err(|_| ServiceError::new(ErrorCode::ToolError, "The check was stopped."))?;
    let lines = LineIndex::new(code);
    let mut hit = BTreeSet::new();
    let states = [state.clone()];
    let violations: Vec<Value> = report
        .findings
        .iter()
        .map(|finding| {
            let violation = Violation::new(code, &lines, finding);
            let recipe = recipe_of(&states, &violation);
            if let Some(recipe) = &recipe {
                hit.insert(recipe.id.clone().unwrap_or_else(|| recipe.trigger.clone()));
            }
            let mut row = json!(violation);
            if let Some(recipe) = recipe {
                row["recipe"] = json!(recipe);
            }
            row
        })
        .collect();
    count_hits(service, &hit);
    let of = |severity: Severity| {
        let findings = report.findings.iter();
        findings
            .filter(|finding| finding.severity == severity)
            .count()
    };
    let (errors, warnings) = (of(Severity::Error), of(Severity::Warning));
    let passed = errors + warnings == 0;
    let data = json!({
        "passed": passed,
        "language": language.id(),
        "filePath": path,
        "violations": violations,
        "uncertainResults": report.uncertain,
        "summary": {
            "total": violations.len(),
            "errors": errors,
            "warnings": warnings,
            "infos": of(Severity::Info),
        },
    });
    Ok(Reply::new(
        if passed {
            "No violations.".to_owned()
        } else {
            format!("{errors} errors, {warnings} warnings.")
        },
        data,
    ))
}

fn review(service: &Service, call: &Call<'_>) -> Result<Reply, ServiceError> {
    let state = service.knowledge.state();
    let mut named = Vec::new();
    for item in call.items("files") {
        let path = item
            .as_str()
            .or_else(|| item["path"].as_str())
            .unwrap_or_default();
        let full = state.project().root().join(path);
        let Some(rel) = state.project().relative(&full) else {
            return Err(ServiceError::new(
                ErrorCode::PermissionDenied,
                format!("{path} is outside of the project."),
            ));
        };
        named.push(rel);
    }
    if let Some(most) = call.count("maxFiles") {
        named.truncate(most);
    }
    let request = ReviewRequest {
        named,
        session: call.session().id.clone(),
        whole_file: state.config().guard.review.whole_file,
    };
    let result = review_change(service.project(), &request, Timestamp(call.now), |files| {
        check_files(&state, files)
    })
    .map_err(|error| match error {
        ReviewError::NoFile(path) => {
            ServiceError::not_found(format!("There is no file `{path}` in the project."))
        }
        ReviewError::Git(error) => ServiceError::new(
            ErrorCode::ToolError,
            format!("{error}. Name the `files` to be reviewed."),
        ),
        other => ServiceError::new(ErrorCode::ToolError, other.to_string()),
    })?;
    let hit: BTreeSet<String> = result
        .files
        .iter()
        .flat_map(|file| &file.violations)
        .filter_map(|found| found.recipe.as_ref())
        .map(|recipe| recipe.id.clone().unwrap_or_else(|| recipe.trigger.clone()))
        .collect();
    count_hits(service, &hit);
    Ok(reviewed(&result))
}

fn check_files(
    state: &ProjectState,
    files: &[String],
) -> Result<(BatchDetails, Vec<ProjectState>), ReviewError> {
    let entries: Vec<FileEntry> = files
        .iter()
        .map(|rel| FileEntry {
            rel: rel.clone(),
            path: state.project().root().join(rel),
            explicit: false,
        })
        .collect();
    let batch = state
        .check_files(&entries, &|_| {}, &AtomicBool::new(false))
        .map_err(|_| ReviewError::Check("the check was stopped".to_owned()))?;
    let result = BatchResult::new(&batch, &batch.skipped, Vec::new());
    Ok((result.details, vec![state.clone()]))
}

fn reviewed(result: &ReviewResult) -> Reply {
    let mut data = json!(result);
    if !result.passed {
        data["nextAction"] = json!({
            "tool": "asd_guard",
            "args": {},
            "required": true,
            "reason": "Mend the violations as their recipes say, then review again.",
        });
    }
    Reply::new(result.message.clone(), data)
}

/// Counts the recipes whose guards found something.
fn count_hits(service: &Service, keys: &BTreeSet<String>) {
    for key in keys {
        service.knowledge.record(key, UsageEvent::GuardHit);
    }
}
