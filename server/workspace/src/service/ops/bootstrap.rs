//! `asd_bootstrap`: a project that is read for the first time.

use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;

use asd_recipe::Severity;
use asd_store::{Project, WriteError};
use serde_json::{Value, json};

use crate::code::CodeView;
use crate::intelligence::briefing::{Briefing, GuardFindings, MOST_BYTES};
use crate::intelligence::dimensions::{Dimension, active};
use crate::intelligence::panorama::Panorama;
use crate::intelligence::session::{LearningSession, Snapshot, replace};
use crate::service::Service;
use crate::service::call::{Call, Reply};
use crate::service::error::{ErrorCode, ServiceError};
use crate::service::ops::panorama::settled;

pub(super) fn run(service: &Service, call: &Call<'_>) -> Result<Reply, ServiceError> {
    let view = service.code()?;
    let dimensions = active(&view.map);
    let held = service.knowledge.all();
    let panorama = Panorama::new(&view.map, view.modules(), settled(&held), &dimensions);
    let mut warnings = view.warnings.clone();
    if view.map.files().is_empty() {
        warnings.push(
            "No source files were found. Files that .gitignore names, generated files, and what \
             Alembic writes itself are not looked at."
                .to_owned(),
        );
    }
    let cut = cut_calls(&view);
    if cut > 0 {
        warnings.push(format!(
            "{cut} files have more calls than are read of one file; the first of each were read."
        ));
    }
    let guard = audit(service);
    let session = begin(service.project(), &view, &dimensions, call.now)
        .map_err(|error| ServiceError::new(ErrorCode::WriteError, error.to_string()))?;
    let name = name_of(service, &view);
    let briefing = Briefing::new(
        &name,
        &panorama,
        &dimensions,
        guard,
        session,
        warnings.clone(),
    );
    let mut reply = Reply::new(
        format!(
            "{} files, {} dimensions to look at. Work through executionPlan.",
            view.map.files().len(),
            dimensions.len()
        ),
        briefing.fit(MOST_BYTES),
    );
    reply.warnings = warnings;
    Ok(reply)
}

/// The name of a project: as the settings say, that of its package, or that of
/// its folder.
pub(super) fn name_of(service: &Service, view: &CodeView) -> String {
    let state = service.knowledge.state();
    if let Some(name) = &state.config().name {
        return name.clone();
    }
    if !view.map.name.is_empty() {
        return view.map.name.clone();
    }
    let folder = service.project().root().file_name();
    folder.map_or_else(String::new, |name| name.to_string_lossy().into_owned())
}

/// How many files have more call sites than were kept.
fn cut_calls(view: &CodeView) -> usize {
    let files = view.map.files().iter();
    files.filter(|file| file.source.facts.truncated).count()
}

/// Begins a session with these dimensions; what tools answer with.
pub(super) fn begin(
    project: &Project,
    view: &CodeView,
    dimensions: &[&'static Dimension],
    now: i64,
) -> Result<Value, WriteError> {
    let ids = dimensions.iter().map(|dimension| dimension.id.to_owned());
    let session = LearningSession::begin(now, ids.collect());
    let snapshot = Snapshot {
        files: view.hashes(),
    };
    replace(project, &session, &snapshot)?;
    Ok(json!({
        "id": session.id,
        "startedAt": session.started_at,
        "expiresAt": session.expires_at,
    }))
}

/// What all rules find in the whole project.
fn audit(service: &Service) -> GuardFindings {
    let state = service.knowledge.state();
    let never = AtomicBool::new(false);
    let files = state.walk(&[], &never).files;
    let Ok(report) = state.check_files(&files, &|_| {}, &never) else {
        return GuardFindings::default();
    };
    let mut found = GuardFindings::default();
    let mut rules: BTreeMap<String, (Severity, usize, String, String)> = BTreeMap::new();
    for file in &report.files {
        for finding in &file.findings {
            match finding.severity {
                Severity::Error => found.errors += 1,
                Severity::Warning => found.warnings += 1,
                Severity::Info => {}
            }
            rules
                .entry(finding.rule.id.clone())
                .and_modify(|rule| {
                    rule.0 = rule.0.max(finding.severity);
                    rule.1 += 1;
                })
                .or_insert_with(|| {
                    let message = finding.message.clone();
                    (finding.severity, 1, message, file.rel.to_string())
                });
        }
    }
    let mut rows: Vec<_> = rules.into_iter().collect();
    // Sorting is stable: rules of one weight stay in the order of their ids.
    rows.sort_by_key(|(_, (severity, count, ..))| std::cmp::Reverse((*severity, *count)));
    found.top = rows
        .into_iter()
        .map(|(rule, (severity, count, message, file))| {
            json!({
                "ruleId": rule,
                "severity": severity,
                "count": count,
                "message": message,
                "example": file,
            })
        })
        .collect();
    found
}
