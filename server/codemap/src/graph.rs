//! The map as a graph of files, modules and symbols. (mcp.md §5, `asd_graph`)

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use serde::Serialize;

use crate::map::{CodeMap, FileId, ImportKind, SymbolId};
use crate::query::find_symbols;

/// A node: a file by its path, or a symbol as `path#Qualified.name`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct GraphNode {
    /// What names it.
    pub id: String,
    /// What a person reads.
    pub title: String,
    /// `file`, or the kind of a symbol.
    #[serde(rename = "type")]
    pub kind: String,
}

/// A neighbour in the answer to a query.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Neighbour {
    /// `imports`, `calls`, `extends`, `conforms` or `contains`.
    pub relation: &'static str,
    /// The other node.
    pub target: GraphNode,
    /// How often, or how sure.
    pub weight: f64,
}

/// The neighbours of a node.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct NodeQuery {
    /// The node.
    pub node_id: String,
    /// Edges that start at it.
    pub outgoing: Vec<Neighbour>,
    /// Edges that end at it.
    pub incoming: Vec<Neighbour>,
}

/// A node that a change reaches.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Impacted {
    /// What names it.
    pub id: String,
    /// What a person reads.
    pub title: String,
    /// The number of edges on the shortest way.
    pub depth: usize,
    /// The relation of the last edge.
    pub via: &'static str,
}

/// What a change of a node reaches.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct NodeImpact {
    /// The node.
    pub node_id: String,
    /// How many.
    pub impacted_count: usize,
    /// The nearest first.
    pub impacted: Vec<Impacted>,
}

/// A step of a path.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PathStep {
    /// Where it starts.
    pub from: String,
    /// The relation.
    pub relation: &'static str,
    /// Where it ends.
    pub to: String,
}

/// The shortest way between two nodes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct GraphPath {
    /// Whether there is one.
    pub found: bool,
    /// Its steps.
    pub path: Vec<PathStep>,
    /// The number of steps; −1 for none.
    pub depth: i32,
}

/// Counts of a graph.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct GraphStats {
    /// Edges in all.
    pub total_edges: usize,
    /// Edges by relation.
    pub by_relation: BTreeMap<&'static str, usize>,
    /// Nodes by kind.
    pub node_types: BTreeMap<String, usize>,
}

/// A node by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Node {
    File(FileId),
    Symbol(SymbolId),
}

impl CodeMap {
    fn node(&self, node: Node) -> GraphNode {
        match node {
            Node::File(file) => {
                let path = &self.file(file).path;
                GraphNode {
                    id: path.clone(),
                    title: crate::path::name(path).to_owned(),
                    kind: "file".to_owned(),
                }
            }
            Node::Symbol(symbol) => {
                let name = self.qualified_name(symbol);
                GraphNode {
                    id: format!("{}#{name}", self.file(self.file_of(symbol)).path),
                    title: name,
                    kind: self.declaration(symbol).kind.as_str().to_owned(),
                }
            }
        }
    }

    /// The nodes that an id names: a path, `path#name`, or a name.
    fn nodes(&self, id: &str) -> Vec<Node> {
        if let Some(file) = self.file_at(id.trim_start_matches("./")) {
            return vec![Node::File(file)];
        }
        if let Some((path, name)) = id.split_once('#')
            && let Some(file) = self.file_at(path)
        {
            let plain = name.replace("::", ".");
            let first = self.file(file).first_symbol.0;
            let count = u32::try_from(self.file(file).source.facts.declarations.len()).unwrap_or(0);
            return (first..first + count)
                .map(SymbolId)
                .filter(|symbol| self.qualified_name(*symbol) == plain)
                .map(Node::Symbol)
                .collect();
        }
        find_symbols(self, id)
            .into_iter()
            .map(Node::Symbol)
            .collect()
    }

    fn outgoing(&self, node: Node) -> BTreeMap<(Node, &'static str), f64> {
        let mut found = BTreeMap::new();
        match node {
            Node::File(file) => {
                for edge in self.imports_of(file) {
                    *found
                        .entry((Node::File(edge.to), relation(edge.kind)))
                        .or_default() += 1.0;
                }
            }
            Node::Symbol(symbol) => {
                for call in self.calls_from(symbol) {
                    let weight: &mut f64 = found
                        .entry((Node::Symbol(call.callee), "calls"))
                        .or_default();
                    *weight = weight.max(f64::from(call.confidence));
                }
                for edge in self.types.iter().filter(|edge| edge.from == symbol) {
                    if let Some(to) = edge.to {
                        found.insert((Node::Symbol(to), supertype(edge.conforms)), 1.0);
                    }
                }
            }
        }
        found
    }

    fn incoming(&self, node: Node) -> BTreeMap<(Node, &'static str), f64> {
        let mut found = BTreeMap::new();
        match node {
            Node::File(file) => {
                for edge in self.imports.iter().filter(|edge| edge.to == file) {
                    *found
                        .entry((Node::File(edge.from), relation(edge.kind)))
                        .or_default() += 1.0;
                }
            }
            Node::Symbol(symbol) => {
                for call in self.calls_to(symbol) {
                    let caller = call.caller.map_or(Node::File(call.file), Node::Symbol);
                    let weight: &mut f64 = found.entry((caller, "calls")).or_default();
                    *weight = weight.max(f64::from(call.confidence));
                }
                for edge in self.types.iter().filter(|edge| edge.to == Some(symbol)) {
                    found.insert((Node::Symbol(edge.from), supertype(edge.conforms)), 1.0);
                }
            }
        }
        found
    }

    /// The neighbours of a node; `None` when there is no such node. `relation`
    /// keeps only edges of that name.
    #[must_use]
    pub fn query_node(&self, id: &str, wanted: Option<&str>) -> Option<NodeQuery> {
        let nodes = self.nodes(id);
        let first = *nodes.first()?;
        let list = |edges: BTreeMap<(Node, &'static str), f64>| -> Vec<Neighbour> {
            edges
                .into_iter()
                .filter(|((_, relation), _)| wanted.is_none_or(|wanted| wanted == *relation))
                .map(|((node, relation), weight)| Neighbour {
                    relation,
                    target: self.node(node),
                    weight,
                })
                .collect()
        };
        let mut outgoing = BTreeMap::new();
        let mut incoming = BTreeMap::new();
        for node in nodes {
            outgoing.extend(self.outgoing(node));
            incoming.extend(self.incoming(node));
        }
        Some(NodeQuery {
            node_id: self.node(first).id,
            outgoing: list(outgoing),
            incoming: list(incoming),
        })
    }

    /// What a change of a node reaches over at most `depth` edges.
    #[must_use]
    pub fn node_impact(&self, id: &str, depth: usize) -> Option<NodeImpact> {
        let starts = self.nodes(id);
        let first = *starts.first()?;
        let mut seen: BTreeSet<Node> = starts.iter().copied().collect();
        let mut open: VecDeque<(Node, usize)> = starts.into_iter().map(|node| (node, 0)).collect();
        let mut impacted = Vec::new();
        while let Some((node, at)) = open.pop_front() {
            if at == depth {
                continue;
            }
            for (next, via) in self.incoming(node).into_keys() {
                if seen.insert(next) {
                    let shown = self.node(next);
                    impacted.push(Impacted {
                        id: shown.id,
                        title: shown.title,
                        depth: at + 1,
                        via,
                    });
                    open.push_back((next, at + 1));
                }
            }
        }
        Some(NodeImpact {
            node_id: self.node(first).id,
            impacted_count: impacted.len(),
            impacted,
        })
    }

    /// The shortest way between two nodes over at most `depth` edges; `None`
    /// when one of them does not exist.
    #[must_use]
    pub fn node_path(&self, from: &str, to: &str, depth: usize) -> Option<GraphPath> {
        let (starts, ends) = (self.nodes(from), self.nodes(to));
        if starts.is_empty() || ends.is_empty() {
            return None;
        }
        let mut before: BTreeMap<Node, Option<(Node, &'static str)>> =
            starts.iter().map(|node| (*node, None)).collect();
        let mut open: VecDeque<(Node, usize)> = starts.into_iter().map(|node| (node, 0)).collect();
        while let Some((node, at)) = open.pop_front() {
            if ends.contains(&node) {
                let mut path = Vec::new();
                let mut end = node;
                while let Some(Some((previous, relation))) = before.get(&end) {
                    path.push(PathStep {
                        from: self.node(*previous).id,
                        relation,
                        to: self.node(end).id,
                    });
                    end = *previous;
                }
                path.reverse();
                let depth = i32::try_from(path.len()).unwrap_or(i32::MAX);
                return Some(GraphPath {
                    found: true,
                    path,
                    depth,
                });
            }
            if at < depth {
                for (next, relation) in self.outgoing(node).into_keys() {
                    before.entry(next).or_insert_with(|| {
                        open.push_back((next, at + 1));
                        Some((node, relation))
                    });
                }
            }
        }
        Some(GraphPath {
            found: false,
            path: Vec::new(),
            depth: -1,
        })
    }

    /// Counts of nodes and edges.
    #[must_use]
    pub fn graph_stats(&self) -> GraphStats {
        let mut by_relation: BTreeMap<&'static str, usize> = BTreeMap::new();
        for edge in &self.imports {
            *by_relation.entry(relation(edge.kind)).or_default() += 1;
        }
        if !self.calls.is_empty() {
            by_relation.insert("calls", self.calls.len());
        }
        for edge in self.types.iter().filter(|edge| edge.to.is_some()) {
            *by_relation.entry(supertype(edge.conforms)).or_default() += 1;
        }
        let mut node_types: BTreeMap<String, usize> = BTreeMap::new();
        if !self.files.is_empty() {
            node_types.insert("file".to_owned(), self.files.len());
        }
        for symbol in self.symbols() {
            *node_types
                .entry(self.declaration(symbol).kind.as_str().to_owned())
                .or_default() += 1;
        }
        GraphStats {
            total_edges: by_relation.values().sum(),
            by_relation,
            node_types,
        }
    }
}

const fn supertype(conforms: bool) -> &'static str {
    if conforms { "conforms" } else { "extends" }
}

const fn relation(kind: ImportKind) -> &'static str {
    match kind {
        ImportKind::Part => "contains",
        ImportKind::Implicit => "uses",
        _ => "imports",
    }
}
