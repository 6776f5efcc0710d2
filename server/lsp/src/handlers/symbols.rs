//! Recipes as symbols of the workspace, sections and guards of one.

use std::sync::atomic::AtomicBool;

use tower_lsp_server::jsonrpc;
use tower_lsp_server::ls_types::{
    DocumentSymbolParams, DocumentSymbolResponse, WorkspaceSymbol, WorkspaceSymbolParams,
    WorkspaceSymbolResponse,
};

use crate::snapshot::Snapshot;

/// `textDocument/documentSymbol`
pub fn document_symbol(
    _snapshot: &Snapshot,
    _params: DocumentSymbolParams,
    _cancel: &AtomicBool,
) -> Result<Option<DocumentSymbolResponse>, jsonrpc::Error> {
    Ok(None)
}

/// `workspace/symbol`
pub fn workspace_symbol(
    _snapshot: &Snapshot,
    _params: WorkspaceSymbolParams,
    _cancel: &AtomicBool,
) -> Result<Option<WorkspaceSymbolResponse>, jsonrpc::Error> {
    Ok(None)
}

/// `workspaceSymbol/resolve`
pub fn resolve(
    _snapshot: &Snapshot,
    symbol: WorkspaceSymbol,
    _cancel: &AtomicBool,
) -> Result<WorkspaceSymbol, jsonrpc::Error> {
    Ok(symbol)
}
