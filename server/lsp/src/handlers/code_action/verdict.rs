//! Telling that a finding is none.

use asd_guard::Finding;
use asd_workspace::verdict_fingerprint;
use serde_json::json;
use tower_lsp_server::ls_types::{CodeAction, CodeActionKind, Command};

use super::{Request, shortened};

/// The command that keeps the verdict.
const DISMISS: &str = "asd.dismissFinding";

/// Offers to keep the verdict that a finding here is none: it is gone then, for
/// everybody, until its code changes.
pub(super) fn add(request: &mut Request<'_>, here: &[Finding]) {
    let may_write = !request.view.project.root.as_os_str().is_empty();
    if request.view.path.is_none() || !may_write {
        return;
    }
    for finding in here {
        let text = request.view.text();
        let rule = &finding.rule.id;
        let fingerprint = verdict_fingerprint(rule, &text.text, &text.lines, finding.span);
        let title = format!("Not a violation (false positive): {}", shortened(rule, 60));
        let arguments = json!({
            "uri": request.view.uri(),
            "ruleId": rule,
            "fingerprint": fingerprint,
        });
        let diagnostics = request.diagnostic_of(finding);
        request.push(CodeAction {
            command: Some(Command::new(
                title.clone(),
                DISMISS.to_owned(),
                Some(vec![arguments]),
            )),
            title,
            kind: Some(CodeActionKind::QUICKFIX),
            diagnostics,
            ..CodeAction::default()
        });
    }
}
