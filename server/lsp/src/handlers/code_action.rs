//! Fixes, suppressions and refactorings.

use std::sync::atomic::AtomicBool;

use tower_lsp_server::jsonrpc;
use tower_lsp_server::ls_types::{CodeAction, CodeActionParams, CodeActionResponse};

use crate::snapshot::Snapshot;

/// `textDocument/codeAction`
pub fn code_action(
    _snapshot: &Snapshot,
    _params: CodeActionParams,
    _cancel: &AtomicBool,
) -> Result<Option<CodeActionResponse>, jsonrpc::Error> {
    Ok(None)
}

/// `codeAction/resolve`
pub fn resolve(
    _snapshot: &Snapshot,
    action: CodeAction,
    _cancel: &AtomicBool,
) -> Result<CodeAction, jsonrpc::Error> {
    Ok(action)
}
