//! `asd_graph` over the code: modules, files and symbols.

use std::collections::VecDeque;

use asd_codemap::{CodeMap, ModuleGraph, Neighbour, near_names};
use serde_json::{Value, json};

use crate::service::Service;
use crate::service::call::{Call, Reply, missing};
use crate::service::error::ServiceError;
use crate::service::ops::graph::{DEPTH, PATH_DEPTH};

/// What the nodes are.
pub(super) enum Nodes {
    Modules,
    FilesAndSymbols,
}

pub(super) fn run(service: &Service, call: &Call<'_>, nodes: Nodes) -> Result<Reply, ServiceError> {
    let ends = if call.operation() == "path" {
        path_ends(call).map(Some)?
    } else {
        None
    };
    let view = service.code()?;
    let node = || call.needed("nodeId");
    let depth = |otherwise| call.count("maxDepth").unwrap_or(otherwise);
    let data = match (nodes, call.operation(), ends) {
        (Nodes::FilesAndSymbols, "query", _) => query(&view.map, node()?, call)?,
        (Nodes::FilesAndSymbols, "impact", _) => {
            let id = node()?;
            let found = view.map.node_impact(id, depth(DEPTH));
            json!(found.ok_or_else(|| no_node(&view.map, id))?)
        }
        (Nodes::FilesAndSymbols, _, Some((from, to))) => {
            for end in [from, to] {
                if view.map.query_node(end, None).is_none() {
                    return Err(no_node(&view.map, end));
                }
            }
            json!(view.map.node_path(from, to, depth(PATH_DEPTH)))
        }
        (Nodes::FilesAndSymbols, ..) => json!(view.map.graph_stats()),
        (Nodes::Modules, "query", _) => module_query(view.modules(), node()?, call)?,
        (Nodes::Modules, "impact", _) => module_impact(view.modules(), node()?, depth(DEPTH))?,
        (Nodes::Modules, _, Some((from, to))) => {
            module_path(view.modules(), from, to, depth(PATH_DEPTH))?
        }
        (Nodes::Modules, ..) => module_stats(view.modules()),
    };
    Ok(Reply::new(message(call.operation(), &data), data))
}

fn message(operation: &str, data: &Value) -> String {
    let count = |name: &str| data[name].as_array().map_or(0, Vec::len);
    match operation {
        "query" => format!("{} out, {} in.", count("outgoing"), count("incoming")),
        "impact" => format!("A change of it reaches {} nodes.", data["impactedCount"]),
        "path" if data["found"] == true => "There is a path.".to_owned(),
        "path" => "There is no path.".to_owned(),
        _ => format!("{} edges.", data["totalEdges"]),
    }
}

fn path_ends<'c>(call: &Call<'c>) -> Result<(&'c str, &'c str), ServiceError> {
    if let (Some(from), Some(to)) = (call.text("fromId"), call.text("toId")) {
        return Ok((from, to));
    }
    let absent: Vec<&str> = ["fromId", "toId"]
        .into_iter()
        .filter(|name| call.text(name).is_none())
        .collect();
    Err(missing(&absent))
}

fn no_node(map: &CodeMap, name: &str) -> ServiceError {
    let near = near_names(map, name);
    let hint = if near.is_empty() {
        "Files are named by their path from the project's root, symbols as `path#Type.name` or \
         by their name."
            .to_owned()
    } else {
        format!("Near names: {}.", near.join(", "))
    };
    ServiceError::not_found(format!("There is no file or symbol `{name}`. {hint}"))
        .with_data(json!({"near": near}))
}

fn query(map: &CodeMap, id: &str, call: &Call<'_>) -> Result<Value, ServiceError> {
    let found = map
        .query_node(id, call.text("relation"))
        .ok_or_else(|| no_node(map, id))?;
    let direction = call.text("direction").unwrap_or("both");
    let list = |edges: &[Neighbour], end: &str, unwanted: &str| -> Vec<Value> {
        edges
            .iter()
            .filter(|_| direction != unwanted)
            .map(|edge| {
                let mut row = json!({"relation": edge.relation, "weight": edge.weight});
                row[end] = json!(edge.target);
                row
            })
            .collect()
    };
    Ok(json!({
        "nodeId": found.node_id,
        "outgoing": list(&found.outgoing, "target", "in"),
        "incoming": list(&found.incoming, "source", "out"),
    }))
}

fn module(graph: &ModuleGraph, name: &str) -> Result<usize, ServiceError> {
    let mut modules = graph.modules.iter();
    modules
        .position(|module| module.name == name)
        .ok_or_else(|| no_module(graph, name))
}

/// The error of a name that no module has; it tells all names.
pub(super) fn no_module(graph: &ModuleGraph, name: &str) -> ServiceError {
    let names: Vec<&str> = graph
        .modules
        .iter()
        .take(60)
        .map(|module| module.name.as_str())
        .collect();
    ServiceError::not_found(format!(
        "There is no module `{name}`. The modules are: {}.",
        names.join(", ")
    ))
    .with_data(json!({"modules": names}))
}

/// What leads from one module to another, with how often.
fn relations(graph: &ModuleGraph, at: usize) -> Vec<(&'static str, f64)> {
    let edge = &graph.edges[at];
    let counts = [
        ("depends_on", edge.imports),
        ("calls", edge.calls),
        ("data_flow", edge.types),
    ];
    #[expect(clippy::cast_precision_loss, reason = "counts are far below 2^52")]
    let weight = |count: usize| count as f64;
    counts
        .into_iter()
        .filter(|(_, count)| *count > 0)
        .map(|(relation, count)| (relation, weight(count)))
        .collect()
}

fn module_node(graph: &ModuleGraph, at: usize) -> Value {
    let name = &graph.modules[at].name;
    json!({"id": name, "title": name, "type": "module"})
}

fn module_query(graph: &ModuleGraph, name: &str, call: &Call<'_>) -> Result<Value, ServiceError> {
    let at = module(graph, name)?;
    let direction = call.text("direction").unwrap_or("both");
    let wanted = |relation: &str| call.text("relation").is_none_or(|name| name == relation);
    let (mut outgoing, mut incoming) = (Vec::new(), Vec::new());
    for (index, edge) in graph.edges.iter().enumerate() {
        for (relation, weight) in relations(graph, index) {
            if !wanted(relation) {
                continue;
            }
            if edge.from == at && direction != "in" {
                outgoing.push(json!({
                    "relation": relation,
                    "target": module_node(graph, edge.to),
                    "weight": weight,
                }));
            }
            if edge.to == at && direction != "out" {
                incoming.push(json!({
                    "relation": relation,
                    "source": module_node(graph, edge.from),
                    "weight": weight,
                }));
            }
        }
    }
    Ok(json!({"nodeId": name, "outgoing": outgoing, "incoming": incoming}))
}

fn main_relation(graph: &ModuleGraph, at: usize) -> &'static str {
    relations(graph, at)
        .first()
        .map_or("depends_on", |(relation, _)| relation)
}

fn module_impact(graph: &ModuleGraph, name: &str, depth: usize) -> Result<Value, ServiceError> {
    let start = module(graph, name)?;
    let mut seen = vec![false; graph.modules.len()];
    seen[start] = true;
    let mut open = VecDeque::from([(start, 0)]);
    let mut impacted = Vec::new();
    while let Some((at, steps)) = open.pop_front() {
        if steps == depth {
            continue;
        }
        for (index, edge) in graph.edges.iter().enumerate() {
            if edge.to == at && !seen[edge.from] {
                seen[edge.from] = true;
                let name = &graph.modules[edge.from].name;
                impacted.push(json!({
                    "id": name,
                    "title": name,
                    "depth": steps + 1,
                    "via": main_relation(graph, index),
                }));
                open.push_back((edge.from, steps + 1));
            }
        }
    }
    Ok(json!({"nodeId": name, "impactedCount": impacted.len(), "impacted": impacted}))
}

fn module_path(
    graph: &ModuleGraph,
    from: &str,
    to: &str,
    depth: usize,
) -> Result<Value, ServiceError> {
    let (from, to) = (module(graph, from)?, module(graph, to)?);
    // The edge over which each module was reached first.
    let mut over: Vec<Option<usize>> = vec![None; graph.modules.len()];
    let mut open = VecDeque::from([(from, 0)]);
    while let Some((at, steps)) = open.pop_front() {
        if at == to {
            let mut path = Vec::new();
            let mut end = to;
            while end != from {
                let Some(index) = over[end] else { break };
                let edge = &graph.edges[index];
                path.push(json!({
                    "from": graph.modules[edge.from].name,
                    "relation": main_relation(graph, index),
                    "to": graph.modules[edge.to].name,
                }));
                end = edge.from;
            }
            path.reverse();
            return Ok(json!({"found": true, "depth": path.len(), "path": path}));
        }
        if steps == depth {
            continue;
        }
        for (index, edge) in graph.edges.iter().enumerate() {
            if edge.from == at && edge.to != from && over[edge.to].is_none() {
                over[edge.to] = Some(index);
                open.push_back((edge.to, steps + 1));
            }
        }
    }
    Ok(json!({"found": false, "path": [], "depth": -1}))
}

fn module_stats(graph: &ModuleGraph) -> Value {
    let count = |relation: &str| {
        (0..graph.edges.len())
            .filter(|at| {
                relations(graph, *at)
                    .iter()
                    .any(|(name, _)| *name == relation)
            })
            .count()
    };
    let by_relation: serde_json::Map<String, Value> = ["calls", "data_flow", "depends_on"]
        .into_iter()
        .map(|relation| (relation.to_owned(), json!(count(relation))))
        .filter(|(_, count)| *count != 0)
        .collect();
    json!({
        "totalEdges": by_relation.values().filter_map(Value::as_u64).sum::<u64>(),
        "byRelation": by_relation,
        "nodeTypes": {"module": graph.modules.len()},
    })
}
