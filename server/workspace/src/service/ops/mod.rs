//! The operations, a module for each tool or family of tools. (mcp.md §5, §7)

mod bootstrap;
mod calls;
mod compliance;
mod dimension;
pub(crate) mod drift;
mod enrich;
mod evolve;
pub(crate) mod governance;
mod graph;
mod graph_code;
mod guard;
mod health;
mod knowledge;
mod lifecycle;
pub(crate) mod panorama;
mod rescan;
mod rows;
mod search;
mod skill;
mod structure;
pub(crate) mod submit;
mod task;
mod wiki;

use crate::service::Service;
use crate::service::call::{Call, Reply};
use crate::service::error::{ErrorCode, ServiceError};

/// Runs a tool; its arguments were read and its caller admitted.
pub(crate) fn run(service: &Service, tool: &str, call: &Call<'_>) -> Result<Reply, ServiceError> {
    match tool {
        "asd_health" => Ok(health::run(service, call)),
        "asd_search" => search::run(service, call),
        "asd_knowledge" => knowledge::run(service, call),
        "asd_structure" => structure::run(service, call),
        "asd_graph" => graph::run(service, call),
        "asd_call_context" => calls::run(service, call),
        "asd_guard" => guard::run(service, call),
        "asd_submit_knowledge" => submit::run(service, call),
        "asd_skill" => skill::run(service, call),
        "asd_bootstrap" => bootstrap::run(service, call),
        "asd_rescan" => rescan::run(service, call),
        "asd_evolve" => evolve::run(service, call),
        "asd_dimension_complete" => dimension::run(service, call),
        "asd_wiki" => wiki::run(service, call),
        "asd_panorama" => panorama::run(service, call),
        "asd_task" => task::run(service, call),
        "asd_enrich_candidates" => enrich::run(service, call),
        "asd_knowledge_lifecycle" => lifecycle::run(service, call),
        _ => Err(ServiceError::new(
            ErrorCode::InternalError,
            format!("`{tool}` has no handler."),
        )),
    }
}
