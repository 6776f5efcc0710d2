//! Links from a recipe to its sources and relations.

use std::sync::atomic::AtomicBool;

use tower_lsp_server::jsonrpc;
use tower_lsp_server::ls_types::{DocumentLink, DocumentLinkParams};

use crate::snapshot::Snapshot;

/// `textDocument/documentLink`
pub fn document_link(
    _snapshot: &Snapshot,
    _params: DocumentLinkParams,
    _cancel: &AtomicBool,
) -> Result<Option<Vec<DocumentLink>>, jsonrpc::Error> {
    Ok(None)
}
