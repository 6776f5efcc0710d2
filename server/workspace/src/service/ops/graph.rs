//! `asd_graph`: relations, impact and paths, over recipes, or over the modules,
//! files and symbols of the code.

use asd_knowledge::relations::{GraphEdge, RelationGraph};
use serde_json::{Value, json};

use crate::service::Service;
use crate::service::call::{Call, Reply, missing};
use crate::service::error::ServiceError;
use crate::service::ops::graph_code::{self, Nodes};

/// How far impact and paths are followed.
pub(super) const DEPTH: usize = 3;
pub(super) const PATH_DEPTH: usize = 5;

pub(super) fn run(service: &Service, call: &Call<'_>) -> Result<Reply, ServiceError> {
    match call.text("nodeType").unwrap_or("recipe") {
        "recipe" => {}
        "module" => return graph_code::run(service, call, Nodes::Modules),
        _ => return graph_code::run(service, call, Nodes::FilesAndSymbols),
    }
    let graph = service.knowledge.graph();
    match call.operation() {
        "query" => query(&graph, call),
        "impact" => impact(&graph, call),
        "path" => path(&graph, call),
        _ => {
            let stats = graph.stats();
            Ok(Reply::new(
                format!("{} edges.", stats.total_edges),
                json!({
                    "totalEdges": stats.total_edges,
                    "byRelation": stats.by_relation,
                    "nodeTypes": stats.node_types,
                }),
            ))
        }
    }
}

fn node<'g>(graph: &'g RelationGraph, name: &str) -> Result<&'g str, ServiceError> {
    graph.resolve(name).ok_or_else(|| {
        ServiceError::not_found(format!(
            "There is no recipe `{name}` in the graph. asd_search finds recipes by their words."
        ))
    })
}

fn end(graph: &RelationGraph, id: &str) -> Value {
    match graph.node(id) {
        Some(node) => json!({"id": node.id, "title": node.title, "type": "recipe"}),
        None => json!({"id": id, "title": id, "type": "recipe"}),
    }
}

fn query(graph: &RelationGraph, call: &Call<'_>) -> Result<Reply, ServiceError> {
    let id = node(graph, call.needed("nodeId")?)?;
    let wanted = |edge: &&GraphEdge| {
        call.text("relation")
            .is_none_or(|relation| edge.kind.name() == relation)
    };
    let direction = call.text("direction").unwrap_or("both");
    let mut outgoing = Vec::new();
    let mut incoming = Vec::new();
    if direction != "in" {
        for edge in graph.outgoing(id).filter(wanted) {
            outgoing.push(json!({
                "relation": edge.kind.name(),
                "target": end(graph, &edge.to),
                "weight": edge.weight,
            }));
        }
    }
    if direction != "out" {
        for edge in graph.incoming(id).filter(wanted) {
            incoming.push(json!({
                "relation": edge.kind.name(),
                "source": end(graph, &edge.from),
                "weight": edge.weight,
            }));
        }
    }
    Ok(Reply::new(
        format!("{} out, {} in.", outgoing.len(), incoming.len()),
        json!({"nodeId": id, "outgoing": outgoing, "incoming": incoming}),
    ))
}

fn impact(graph: &RelationGraph, call: &Call<'_>) -> Result<Reply, ServiceError> {
    let id = node(graph, call.needed("nodeId")?)?;
    let depth = call.count("maxDepth").unwrap_or(DEPTH);
    let impacted = graph.impact(id, depth);
    Ok(Reply::new(
        format!("A change of it touches {} recipes.", impacted.len()),
        json!({
            "nodeId": id,
            "impactedCount": impacted.len(),
            "impacted": impacted,
        }),
    ))
}

fn path(graph: &RelationGraph, call: &Call<'_>) -> Result<Reply, ServiceError> {
    let (Some(from), Some(to)) = (call.text("fromId"), call.text("toId")) else {
        let absent: Vec<&str> = ["fromId", "toId"]
            .into_iter()
            .filter(|name| call.text(name).is_none())
            .collect();
        return Err(missing(&absent));
    };
    let (from, to) = (node(graph, from)?, node(graph, to)?);
    let depth = call.count("maxDepth").unwrap_or(PATH_DEPTH);
    let found = graph.path(from, to, depth);
    let data = match &found {
        Some(steps) => json!({"found": true, "path": steps, "depth": steps.len()}),
        None => json!({"found": false, "path": [], "depth": -1}),
    };
    Ok(Reply::new(
        if found.is_some() {
            "There is a path."
        } else {
            "There is no path."
        },
        data,
    ))
}
