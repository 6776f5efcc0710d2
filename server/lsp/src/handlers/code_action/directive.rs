//! What the directive comment under the cursor does. (guard.md §15)

use std::sync::atomic::AtomicBool;

use asd_guard::{DirectiveKind, directives};
use tower_lsp_server::jsonrpc;
use tower_lsp_server::ls_types::{CodeAction, CodeActionDisabled, CodeActionKind};

use super::{Request, touches};
use crate::handlers::code_lens::command_of;

/// Offers what each directive on the selected lines asks for.
pub(super) fn add(request: &mut Request<'_>, cancel: &AtomicBool) -> Result<(), jsonrpc::Error> {
    let Some(language) = request.view.language() else {
        return Ok(());
    };
    let text = request.view.text().clone();
    for directive in directives(language, &text.text) {
        let line = text
            .lines
            .line_span(&text.text, text.lines.line_of(directive.span.start));
        if !touches(request.selection, line) {
            continue;
        }
        if directive.kind == DirectiveKind::Agent {
            let can_be_disabled = request
                .snapshot
                .client()
                .capabilities
                .text_document
                .as_ref()
                .and_then(|text| text.code_action.as_ref())
                .and_then(|action| action.disabled_support)
                .unwrap_or(false);
            if can_be_disabled {
                request.push(CodeAction {
                    title: "Run agent on this instruction".to_owned(),
                    kind: Some(CodeActionKind::REFACTOR),
                    disabled: Some(CodeActionDisabled {
                        reason: "no model provider is set up for this project".to_owned(),
                    }),
                    ..CodeAction::default()
                });
            }
            continue;
        }
        let command = command_of(request.snapshot, &request.view, &directive, cancel)?;
        let Some(command) = command else { continue };
        let title = match directive.kind {
            DirectiveKind::Search => format!("Search recipes: {}", command.title),
            DirectiveKind::Create => "Create a recipe from this code".to_owned(),
            DirectiveKind::Audit | DirectiveKind::Agent => format!("Check: {}", command.title),
        };
        request.push(CodeAction {
            title,
            kind: Some(CodeActionKind::REFACTOR),
            command: Some(command),
            ..CodeAction::default()
        });
    }
    Ok(())
}
