//! Fixes, suppressions and refactorings.
//!
//! What the client echoes of our diagnostics is a hint at most: every action is
//! made from the report of the document's present version, and resolved against
//! the version that is present then.

mod candidate;
mod directive;
mod edits;
mod exclusion;
mod kinds;
mod problems;
mod skeleton;
mod suppression;
mod task;
mod verdict;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use asd_guard::{FileReport, Finding, RuleOrigin, SuppressionScope};
use asd_text::Span;
use tower_lsp_server::jsonrpc;
use tower_lsp_server::ls_types::{
    CodeAction, CodeActionContext, CodeActionKind, CodeActionOrCommand, CodeActionParams,
    CodeActionResponse, CodeActionTriggerKind, Diagnostic, NumberOrString, WorkspaceEdit,
};

pub(crate) use candidate::candidate_edit;
use edits::{minimal_edit, protocol_edits};

use crate::snapshot::{DocumentView, Snapshot};
use crate::workspace_edit::{EditBuilder, EditSupport};
use task::{ActionData, Task};

/// The kind of the action that applies all safe fixes.
const SOURCE_FIX_ALL: CodeActionKind = CodeActionKind::new(crate::FIX_ALL);

/// A selection of a whole file offers the actions of its first findings alone;
/// nobody reads a longer menu.
const MOST_FINDINGS: usize = 32;

/// `textDocument/codeAction`
pub fn code_action(
    snapshot: &Snapshot,
    params: CodeActionParams,
    cancel: &AtomicBool,
) -> Result<Option<CodeActionResponse>, jsonrpc::Error> {
    let Some(view) = snapshot.document(&params.text_document.uri) else {
        return Ok(None);
    };
    // A client without code action literals takes commands alone, and ours
    // would have to be edits.
    if !snapshot.client().code_action_literals() {
        return Ok(None);
    }
    let mut request = Request {
        selection: view.span(params.range),
        support: EditSupport::of(&snapshot.client().capabilities),
        report: view.report(cancel)?,
        snapshot,
        view,
        context: params.context,
        actions: Vec::new(),
    };
    let here = request.findings_here();
    if request.wants(&CodeActionKind::QUICKFIX) {
        request.fixes(&here);
        request.fix_all_of_rules(&here, cancel)?;
        problems::add(&mut request);
        request.suppressions(&here);
        exclusion::add(&mut request, &here);
        verdict::add(&mut request, &here);
    }
    if request.wants_refactoring() {
        skeleton::add(&mut request, &here);
        candidate::add(&mut request);
        directive::add(&mut request, cancel)?;
    }
    let asked_for_source = request.context.only.is_some();
    if request.wants(&SOURCE_FIX_ALL) && (asked_for_source || !here.is_empty()) {
        request.fix_all(cancel)?;
    }
    let actions = request.actions.into_iter();
    Ok(Some(actions.map(CodeActionOrCommand::from).collect()))
}

/// `codeAction/resolve`
///
/// An action whose data is not ours comes back as it is. One whose document has
/// changed is made anew where what it mends is still there; otherwise it comes
/// back without an edit, so that none is ever applied to another text.
pub fn resolve(
    snapshot: &Snapshot,
    mut action: CodeAction,
    cancel: &AtomicBool,
) -> Result<CodeAction, jsonrpc::Error> {
    let Some(data) = action.data.as_ref().and_then(ActionData::read) else {
        return Ok(action);
    };
    let support = EditSupport::of(&snapshot.client().capabilities);
    action.edit = match snapshot.document(&data.uri) {
        Some(view) if data.version == view.version() && action.edit.is_some() => action.edit,
        Some(view) => task::edit(&view, &data.task, support, cancel)?,
        None => None,
    };
    Ok(action)
}

/// One request with what has been found for it.
pub(super) struct Request<'s> {
    pub snapshot: &'s Snapshot,
    pub view: DocumentView,
    pub selection: Span,
    pub support: EditSupport,
    pub report: Arc<FileReport>,
    context: CodeActionContext,
    actions: Vec<CodeAction>,
}

impl Request<'_> {
    fn wants(&self, kind: &CodeActionKind) -> bool {
        kinds::wanted(self.context.only.as_deref(), kind)
    }

    /// Refactorings are for people who ask; a cursor that moves does not.
    fn wants_refactoring(&self) -> bool {
        self.wants(&CodeActionKind::REFACTOR)
            && (self.context.only.is_some()
                || self.context.trigger_kind != Some(CodeActionTriggerKind::AUTOMATIC))
    }

    /// The findings that the selection touches, innermost first; where there is
    /// none, those that start on its lines.
    fn findings_here(&self) -> Vec<Finding> {
        let findings = &self.report.findings;
        let mut here: Vec<&Finding> = findings
            .iter()
            .filter(|finding| touches(self.selection, finding.span))
            .collect();
        if here.is_empty() {
            let lines = &self.view.text().lines;
            let (first, last) = (
                lines.line_of(self.selection.start),
                lines.line_of(self.selection.end),
            );
            here = findings
                .iter()
                .filter(|finding| (first..=last).contains(&lines.line_of(finding.span.start)))
                .collect();
        }
        // What the team has decided comes before what the product thinks.
        let built_in = |finding: &Finding| !matches!(finding.rule.origin, RuleOrigin::Recipe(_));
        here.sort_by_key(|finding| (finding.span.len(), built_in(finding), finding.span.start));
        here.into_iter().take(MOST_FINDINGS).cloned().collect()
    }

    /// Adds an action unless there is one that does the same.
    pub(super) fn push(&mut self, action: CodeAction) {
        let same = |other: &CodeAction| {
            other.title == action.title
                && other.edit == action.edit
                && (action.edit.is_some() || other.data == action.data)
        };
        if !self.actions.iter().any(same) {
            self.actions.push(action);
        }
    }

    /// An edit of the document at its present version.
    pub(super) fn edit_here(&self, edits: &[asd_text::TextEdit]) -> WorkspaceEdit {
        let edits = protocol_edits(&self.view, edits);
        EditBuilder::default()
            .edit(self.view.uri().clone(), Some(self.view.version()), edits)
            .build(self.support)
    }

    fn data(&self, task: Task) -> Option<serde_json::Value> {
        let supported = self
            .snapshot
            .client()
            .capabilities
            .text_document
            .as_ref()
            .and_then(|text| text.code_action.as_ref())
            .and_then(|action| action.data_support)
            .unwrap_or(false);
        supported.then(|| ActionData::new(&self.view, task).write())
    }

    /// The client's own copy of the diagnostic of a finding, by which it ties
    /// the action to what it shows.
    fn diagnostic_of(&self, finding: &Finding) -> Option<Vec<Diagnostic>> {
        let range = self.view.range(finding.span);
        let code = Some(NumberOrString::String(finding.rule.id.clone()));
        let shown = self.context.diagnostics.iter().find(|shown| {
            shown.source.as_deref() == Some(crate::SOURCE)
                && shown.code == code
                && shown.range == range
        })?;
        Some(vec![shown.clone()])
    }

    fn fixes(&mut self, here: &[Finding]) {
        for finding in here {
            let Some(fix) = &finding.fix else {
                continue;
            };
            self.push(CodeAction {
                title: format!("Fix: {}", fix_title(finding)),
                kind: Some(CodeActionKind::QUICKFIX),
                diagnostics: self.diagnostic_of(finding),
                edit: Some(self.edit_here(&fix.edits)),
                is_preferred: Some(true),
                data: self.data(Task::fix(finding)),
                ..CodeAction::default()
            });
        }
    }

    fn fix_all_of_rules(
        &mut self,
        here: &[Finding],
        cancel: &AtomicBool,
    ) -> Result<(), jsonrpc::Error> {
        for finding in here {
            let id = &finding.rule.id;
            let several = self
                .report
                .findings
                .iter()
                .filter(|other| other.rule.id == *id && is_safe(other))
                .nth(1)
                .is_some();
            let title = format!("Fix all: {id}");
            if several && !self.actions.iter().any(|action| action.title == title) {
                let task = Task::FixRule { rule: id.clone() };
                self.push_lazily(title, CodeActionKind::QUICKFIX, task, cancel)?;
            }
        }
        Ok(())
    }

    fn fix_all(&mut self, cancel: &AtomicBool) -> Result<(), jsonrpc::Error> {
        if self.report.findings.iter().any(is_safe) {
            let title = "Fix all safe findings".to_owned();
            self.push_lazily(title, SOURCE_FIX_ALL, Task::FixAll, cancel)?;
        }
        Ok(())
    }

    /// Adds an action whose edit is costly: made now only for a client that
    /// cannot ask for it later.
    fn push_lazily(
        &mut self,
        title: String,
        kind: CodeActionKind,
        task: Task,
        cancel: &AtomicBool,
    ) -> Result<(), jsonrpc::Error> {
        let edit = if self.snapshot.client().resolves_edit() {
            None
        } else {
            let Some(edit) = task::edit(&self.view, &task, self.support, cancel)? else {
                return Ok(());
            };
            Some(edit)
        };
        self.push(CodeAction {
            title,
            kind: Some(kind),
            edit,
            data: self.data(task),
            ..CodeAction::default()
        });
        Ok(())
    }

    fn suppressions(&mut self, here: &[Finding]) {
        for (scope, place) in [
            (SuppressionScope::Line, "on this line"),
            (SuppressionScope::File, "in this file"),
        ] {
            for finding in here {
                let Some(edit) = suppression::edit(&self.view, finding, scope) else {
                    continue;
                };
                self.push(CodeAction {
                    title: format!("Ignore {place}: {}", finding.rule.id),
                    kind: Some(CodeActionKind::QUICKFIX),
                    diagnostics: self.diagnostic_of(finding),
                    edit: Some(self.edit_here(&[edit])),
                    data: self.data(Task::ignore(finding, scope)),
                    ..CodeAction::default()
                });
            }
        }
        suppression::add_removals(self);
    }
}

fn is_safe(finding: &Finding) -> bool {
    finding.fix.as_ref().is_some_and(|fix| fix.safe)
}

/// Whether a selection is on a finding; one that only ends where the finding
/// starts is not, unless it is a cursor.
fn touches(selection: Span, span: Span) -> bool {
    if selection.is_empty() {
        span.touches(selection.start)
    } else {
        span.intersects(selection)
    }
}

/// What the fix of a finding does, in the words of its recipe.
fn fix_title(finding: &Finding) -> String {
    let clause = match &finding.rule.origin {
        RuleOrigin::Recipe(recipe) => recipe.do_clause.trim(),
        RuleOrigin::Pack { .. } | RuleOrigin::BuiltIn => "",
    };
    let title = finding.fix.as_ref().map_or("", |fix| fix.title.trim());
    let text = if clause.is_empty() { title } else { clause };
    shortened(text, 120)
}

/// A text in one line of at most `limit` characters.
pub(super) fn shortened(text: &str, limit: usize) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(limit) {
        Some((end, _)) => format!("{}…", line[..end].trim_end()),
        None => line,
    }
}

#[cfg(test)]
#[path = "code_action_tests.rs"]
mod tests;

#[cfg(test)]
#[path = "code_action_suppression_tests.rs"]
mod suppression_tests;
