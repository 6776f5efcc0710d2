//! Completion of triggers, front matter and rule ids.

use std::sync::atomic::AtomicBool;

use tower_lsp_server::jsonrpc;
use tower_lsp_server::ls_types::{CompletionItem, CompletionParams, CompletionResponse};

use crate::snapshot::Snapshot;

/// `textDocument/completion`
pub fn completion(
    _snapshot: &Snapshot,
    _params: CompletionParams,
    _cancel: &AtomicBool,
) -> Result<Option<CompletionResponse>, jsonrpc::Error> {
    Ok(None)
}

/// `completionItem/resolve`
pub fn resolve(
    _snapshot: &Snapshot,
    item: CompletionItem,
    _cancel: &AtomicBool,
) -> Result<CompletionItem, jsonrpc::Error> {
    Ok(item)
}
