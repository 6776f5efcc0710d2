//! Lenses on directives and on the guards of recipes.

use std::sync::atomic::AtomicBool;

use tower_lsp_server::jsonrpc;
use tower_lsp_server::ls_types::{CodeLens, CodeLensParams};

use crate::snapshot::Snapshot;

/// `textDocument/codeLens`
pub fn code_lens(
    _snapshot: &Snapshot,
    _params: CodeLensParams,
    _cancel: &AtomicBool,
) -> Result<Option<Vec<CodeLens>>, jsonrpc::Error> {
    Ok(None)
}

/// `codeLens/resolve`
pub fn resolve(
    _snapshot: &Snapshot,
    lens: CodeLens,
    _cancel: &AtomicBool,
) -> Result<CodeLens, jsonrpc::Error> {
    Ok(lens)
}
