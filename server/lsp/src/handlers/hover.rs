//! Recipe cards.

use std::sync::atomic::AtomicBool;

use tower_lsp_server::jsonrpc;
use tower_lsp_server::ls_types::{Hover, HoverParams};

use crate::snapshot::Snapshot;

/// `textDocument/hover`
pub fn hover(
    _snapshot: &Snapshot,
    _params: HoverParams,
    _cancel: &AtomicBool,
) -> Result<Option<Hover>, jsonrpc::Error> {
    Ok(None)
}
