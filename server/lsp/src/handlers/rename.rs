//! Renaming a trigger.

use std::sync::atomic::AtomicBool;

use tower_lsp_server::jsonrpc;
use tower_lsp_server::ls_types::{
    PrepareRenameResponse, RenameParams, TextDocumentPositionParams, WorkspaceEdit,
};

use crate::snapshot::Snapshot;

/// `textDocument/prepareRename`
pub fn prepare_rename(
    _snapshot: &Snapshot,
    _params: TextDocumentPositionParams,
    _cancel: &AtomicBool,
) -> Result<Option<PrepareRenameResponse>, jsonrpc::Error> {
    Ok(None)
}

/// `textDocument/rename`
pub fn rename(
    _snapshot: &Snapshot,
    _params: RenameParams,
    _cancel: &AtomicBool,
) -> Result<Option<WorkspaceEdit>, jsonrpc::Error> {
    Ok(None)
}
