//! From a trigger to its recipe and back.

use std::sync::atomic::AtomicBool;

use tower_lsp_server::jsonrpc;
use tower_lsp_server::ls_types::{
    GotoDefinitionParams, GotoDefinitionResponse, Location, ReferenceParams,
};

use crate::snapshot::Snapshot;

/// `textDocument/definition`
pub fn definition(
    _snapshot: &Snapshot,
    _params: GotoDefinitionParams,
    _cancel: &AtomicBool,
) -> Result<Option<GotoDefinitionResponse>, jsonrpc::Error> {
    Ok(None)
}

/// `textDocument/references`
pub fn references(
    _snapshot: &Snapshot,
    _params: ReferenceParams,
    _cancel: &AtomicBool,
) -> Result<Option<Vec<Location>>, jsonrpc::Error> {
    Ok(None)
}
