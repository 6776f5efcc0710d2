//! What an action does, as it travels to the client and back.

use std::sync::atomic::AtomicBool;

use asd_guard::{Finding, SuppressionScope, Target};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tower_lsp_server::jsonrpc;
use tower_lsp_server::ls_types::{Uri, WorkspaceEdit};

use super::{is_safe, protocol_edits, suppression};
use crate::snapshot::DocumentView;
use crate::workspace_edit::{EditBuilder, EditSupport};

/// The version of the shape of [`ActionData`]; data of another one is ignored.
const SCHEMA: u32 = 1;

/// The `data` of an action.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ActionData {
    schema: u32,
    /// The document.
    pub uri: Uri,
    /// The version for which the action was offered.
    pub version: i32,
    /// What it does.
    pub task: Task,
}

impl ActionData {
    pub(super) fn new(view: &DocumentView, task: Task) -> Self {
        Self {
            schema: SCHEMA,
            uri: view.uri().clone(),
            version: view.version(),
            task,
        }
    }

    /// `None` for anything that is not ours.
    pub(super) fn read(value: &Value) -> Option<Self> {
        let data: Self = serde_json::from_value(value.clone()).ok()?;
        (data.schema == SCHEMA).then_some(data)
    }

    pub(super) fn write(&self) -> Value {
        serde_json::to_value(self).unwrap_or_default()
    }
}

/// What an action does.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", tag = "kind")]
pub(super) enum Task {
    /// Applies the fix of one finding.
    Fix { rule: String, fingerprint: String },
    /// Applies all safe fixes of one rule.
    FixRule { rule: String },
    /// Applies all safe fixes.
    FixAll,
    /// Suppresses the rule on the finding's line.
    IgnoreLine { rule: String, fingerprint: String },
    /// Suppresses the rule in the file.
    IgnoreFile { rule: String, fingerprint: String },
}

impl Task {
    pub(super) fn fix(finding: &Finding) -> Self {
        Self::Fix {
            rule: finding.rule.id.clone(),
            fingerprint: fingerprint(finding),
        }
    }

    pub(super) fn ignore(finding: &Finding, scope: SuppressionScope) -> Self {
        let (rule, fingerprint) = (finding.rule.id.clone(), fingerprint(finding));
        match scope {
            SuppressionScope::Line => Self::IgnoreLine { rule, fingerprint },
            SuppressionScope::File => Self::IgnoreFile { rule, fingerprint },
        }
    }
}

/// Written in hexadecimal digits: a number of 64 bits does not survive JSON in
/// every client.
fn fingerprint(finding: &Finding) -> String {
    format!("{:016x}", finding.fingerprint)
}

/// The edit that does a task in the present text; `None` when there is nothing
/// to do any more.
pub(super) fn edit(
    view: &DocumentView,
    task: &Task,
    support: EditSupport,
    cancel: &AtomicBool,
) -> Result<Option<WorkspaceEdit>, jsonrpc::Error> {
    let edits = match task {
        Task::Fix { rule, fingerprint } => find(view, rule, fingerprint, cancel)?
            .and_then(|finding| finding.fix)
            .map(|fix| fix.edits)
            .unwrap_or_default(),
        Task::FixRule { rule } => fix_all(
            view,
            &|finding| is_safe(finding) && finding.rule.id == *rule,
            cancel,
        )?,
        Task::FixAll => fix_all(view, &is_safe, cancel)?,
        Task::IgnoreLine { rule, fingerprint } => find(view, rule, fingerprint, cancel)?
            .and_then(|finding| suppression::edit(view, &finding, SuppressionScope::Line))
            .into_iter()
            .collect(),
        Task::IgnoreFile { rule, fingerprint } => find(view, rule, fingerprint, cancel)?
            .and_then(|finding| suppression::edit(view, &finding, SuppressionScope::File))
            .into_iter()
            .collect(),
    };
    Ok((!edits.is_empty()).then(|| {
        EditBuilder::default()
            .edit(
                view.uri().clone(),
                Some(view.version()),
                protocol_edits(view, &edits),
            )
            .build(support)
    }))
}

fn find(
    view: &DocumentView,
    rule: &str,
    wanted: &str,
    cancel: &AtomicBool,
) -> Result<Option<Finding>, jsonrpc::Error> {
    let report = view.report(cancel)?;
    let found = report
        .findings
        .iter()
        .find(|finding| finding.rule.id == rule && fingerprint(finding) == wanted);
    Ok(found.cloned())
}

fn fix_all(
    view: &DocumentView,
    select: &dyn Fn(&Finding) -> bool,
    cancel: &AtomicBool,
) -> Result<Vec<asd_text::TextEdit>, jsonrpc::Error> {
    let Some(language) = view.language() else {
        return Ok(Vec::new());
    };
    let target = Target {
        path: view.path.as_deref(),
        text: &view.text().text,
        language,
        previous: None,
    };
    let outcome = view
        .project
        .state
        .fix_all(&target, select, cancel)
        .map_err(|_| jsonrpc::Error::request_cancelled())?;
    Ok(outcome.edits)
}
