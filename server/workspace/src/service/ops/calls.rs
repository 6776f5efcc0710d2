//! `asd_call_context`

use asd_codemap::{Direction, call_context};
use serde_json::json;

use crate::service::Service;
use crate::service::call::{Call, Reply};
use crate::service::error::ServiceError;

/// How far calls are followed when nothing is said.
const DEPTH: usize = 2;

pub(super) fn run(service: &Service, call: &Call<'_>) -> Result<Reply, ServiceError> {
    let name = call.needed("methodName")?;
    let direction = match call.text("direction") {
        Some("callers") => Direction::Callers,
        Some("callees") => Direction::Callees,
        Some("impact") => Direction::Impact,
        _ => Direction::Both,
    };
    let view = service.code()?;
    let depth = call.count("maxDepth").unwrap_or(DEPTH);
    let context = call_context(&view.map, name, direction, depth);
    let message = if context.matches.is_empty() {
        match context.suggestions.as_slice() {
            [] => format!("Nothing is called `{name}` here."),
            near => format!(
                "Nothing is called `{name}` here. Near names: {}.",
                near.join(", ")
            ),
        }
    } else {
        let impact = &context.impact;
        format!(
            "{} callers, {} callees; the risk of a change is {}.",
            context.callers.len(),
            context.callees.len(),
            impact.risk
        )
    };
    let mut data = json!(context);
    if let Some(fields) = data.as_object_mut() {
        // A client may count on the list, also where it is empty.
        fields.entry("suggestions").or_insert_with(|| json!([]));
    }
    let mut reply = Reply::new(message, data);
    reply.warnings.extend(view.warnings.iter().cloned());
    Ok(reply)
}
