//! Relations between entries as a graph. (knowledge.md §10; mcp.md, asd_graph)

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};

use asd_recipe::{Lifecycle, Recipe, RelationKind, trigger_key};
use serde::{Serialize, Serializer};

use crate::entry_key;

/// What an edge stands for: a relation that a file states, or one that only
/// the graph knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum EdgeKind {
    /// One of the fourteen that files state.
    Entry(RelationKind),
    /// The text of the first went into the second.
    MergedInto,
    /// The first belongs to the second.
    IsPartOf,
    /// The first cannot be without the second.
    Requires,
}

impl EdgeKind {
    /// Its name in snake_case.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Entry(kind) => kind.name(),
            Self::MergedInto => "merged_into",
            Self::IsPartOf => "is_part_of",
            Self::Requires => "requires",
        }
    }

    /// The edge of that name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        match name {
            "merged_into" => Some(Self::MergedInto),
            "is_part_of" => Some(Self::IsPartOf),
            "requires" => Some(Self::Requires),
            other => RelationKind::from_name(other).map(Self::Entry),
        }
    }

    /// Whether it reads the same both ways.
    #[must_use]
    pub const fn is_symmetric(self) -> bool {
        matches!(
            self,
            Self::Entry(
                RelationKind::Conflicts | RelationKind::Related | RelationKind::Alternative
            )
        )
    }

    /// Whether a change of its end concerns its beginning.
    #[must_use]
    pub const fn is_dependency(self) -> bool {
        matches!(
            self,
            Self::IsPartOf
                | Self::Requires
                | Self::Entry(
                    RelationKind::Inherits
                        | RelationKind::Implements
                        | RelationKind::Calls
                        | RelationKind::DependsOn
                        | RelationKind::DataFlow
                        | RelationKind::Extends
                        | RelationKind::Prerequisite
                        | RelationKind::Enforces
                )
        )
    }
}

impl Serialize for EdgeKind {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

/// An entry in the graph.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct GraphNode {
    /// Its id; its trigger while it has none.
    pub id: String,
    /// Its title.
    pub title: String,
    /// Its trigger.
    pub trigger: String,
    /// Its state.
    pub lifecycle: Lifecycle,
}

/// An edge between two entries of the graph.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct GraphEdge {
    /// Where it begins.
    pub from: String,
    /// Where it ends.
    pub to: String,
    /// What it stands for.
    #[serde(rename = "relation")]
    pub kind: EdgeKind,
    /// 1 unless stated.
    pub weight: f64,
    /// What the file says of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
}

/// A relation whose target is no entry.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Unresolved {
    /// The entry that states it.
    pub from: String,
    /// Its kind.
    pub kind: RelationKind,
    /// The target as written.
    pub target: String,
}

/// An entry that a change concerns.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Impacted {
    /// The entry's id.
    pub id: String,
    /// Its title.
    pub title: String,
    /// Over how many edges.
    pub depth: usize,
    /// The kind of the edge by which it was reached.
    pub via: EdgeKind,
}

/// One step of a path.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PathStep {
    /// Where it begins.
    pub from: String,
    /// The edge.
    pub relation: EdgeKind,
    /// Where it ends.
    pub to: String,
}

/// How much there is of what.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct GraphStats {
    /// How many edges there are.
    pub total_edges: usize,
    /// How many of each relation.
    pub by_relation: BTreeMap<&'static str, usize>,
    /// How many nodes of each type.
    pub node_types: BTreeMap<&'static str, usize>,
}

/// All relations between entries.
#[derive(Clone, Debug, Default)]
pub struct RelationGraph {
    nodes: BTreeMap<String, GraphNode>,
    edges: Vec<GraphEdge>,
    outgoing: BTreeMap<String, Vec<usize>>,
    incoming: BTreeMap<String, Vec<usize>>,
    unresolved: Vec<Unresolved>,
    names: Names,
}

/// The names by which an entry can be meant.
#[derive(Clone, Debug, Default)]
struct Names {
    triggers: HashMap<String, String>,
    titles: HashMap<String, String>,
}

impl RelationGraph {
    /// The graph of the entries' stated relations. Of two entries with one
    /// trigger or title the first in the order of their ids is meant.
    #[must_use]
    pub fn build<'a>(recipes: impl IntoIterator<Item = &'a Recipe>) -> Self {
        let mut recipes: Vec<&Recipe> = recipes.into_iter().collect();
        recipes.sort_by(|a, b| entry_key(a).cmp(entry_key(b)));
        let mut graph = Self::default();
        for recipe in &recipes {
            let id = entry_key(recipe).to_owned();
            if id.is_empty() {
                continue;
            }
            let names = &mut graph.names;
            if !recipe.trigger.is_empty() {
                let key = trigger_key(&recipe.trigger);
                names.triggers.entry(key).or_insert_with(|| id.clone());
            }
            let title = title_key(&recipe.title);
            if !title.is_empty() {
                names.titles.entry(title).or_insert_with(|| id.clone());
            }
            graph.nodes.entry(id.clone()).or_insert_with(|| GraphNode {
                id,
                title: recipe.title.clone(),
                trigger: recipe.trigger.clone(),
                lifecycle: recipe.lifecycle,
            });
        }
        for recipe in recipes {
            let from = entry_key(recipe);
            for (kind, relations) in &recipe.relations {
                for relation in relations {
                    match graph.resolve(&relation.target).map(str::to_owned) {
                        Some(to) => graph.connect(GraphEdge {
                            from: from.to_owned(),
                            to,
                            kind: EdgeKind::Entry(*kind),
                            weight: 1.0,
                            description: relation.description.clone(),
                        }),
                        None => graph.unresolved.push(Unresolved {
                            from: from.to_owned(),
                            kind: *kind,
                            target: relation.target.clone(),
                        }),
                    }
                }
            }
        }
        graph
    }

    /// Adds an edge between two entries that are there. An edge of an entry to
    /// itself, to one that is not there, or that is there already, is left out.
    pub fn connect(&mut self, edge: GraphEdge) {
        let known = |id: &str| self.nodes.contains_key(id);
        if edge.from == edge.to || !known(&edge.from) || !known(&edge.to) {
            return;
        }
        let same = self.outgoing.get(&edge.from).into_iter().flatten();
        if same
            .map(|at| &self.edges[*at])
            .any(|there| there.to == edge.to && there.kind == edge.kind)
        {
            return;
        }
        let at = self.edges.len();
        self.outgoing.entry(edge.from.clone()).or_default().push(at);
        self.incoming.entry(edge.to.clone()).or_default().push(at);
        self.edges.push(edge);
    }

    /// The id of the entry that is meant by an id, a trigger (with or without
    /// its `@`) or an exact title; in this order.
    #[must_use]
    pub fn resolve(&self, target: &str) -> Option<&str> {
        let target = target.trim();
        if let Some((id, _)) = self.nodes.get_key_value(target) {
            return Some(id);
        }
        let by_trigger = || self.names.triggers.get(&trigger_key(target));
        let by_title = || self.names.titles.get(&title_key(target));
        let found = if target.starts_with('@') {
            by_trigger()
        } else {
            by_title().or_else(by_trigger)
        };
        found.map(String::as_str)
    }

    /// The entry with an id.
    #[must_use]
    pub fn node(&self, id: &str) -> Option<&GraphNode> {
        self.nodes.get(id)
    }

    /// The edges that begin at an entry.
    pub fn outgoing(&self, id: &str) -> impl Iterator<Item = &GraphEdge> {
        let at = self.outgoing.get(id).into_iter().flatten();
        at.map(|at| &self.edges[*at])
    }

    /// The edges that end at an entry.
    pub fn incoming(&self, id: &str) -> impl Iterator<Item = &GraphEdge> {
        let at = self.incoming.get(id).into_iter().flatten();
        at.map(|at| &self.edges[*at])
    }

    /// All edges, those of one entry together.
    #[must_use]
    pub fn edges(&self) -> &[GraphEdge] {
        &self.edges
    }

    /// Relations whose target is no entry; they stay in their files.
    #[must_use]
    pub fn unresolved(&self) -> &[Unresolved] {
        &self.unresolved
    }

    /// A shortest way from one entry to another along edges (symmetric ones
    /// both ways), over at most `max_depth` of them. Empty when both are one;
    /// `None` when there is no way.
    #[must_use]
    pub fn path(&self, from: &str, to: &str, max_depth: usize) -> Option<Vec<PathStep>> {
        if from == to {
            return self.nodes.contains_key(from).then(Vec::new);
        }
        let mut came_by: BTreeMap<&str, PathStep> = BTreeMap::new();
        let mut seen: BTreeSet<&str> = BTreeSet::from([from]);
        let mut queue: VecDeque<(&str, usize)> = VecDeque::from([(from, 0)]);
        while let Some((at, depth)) = queue.pop_front() {
            if depth == max_depth {
                continue;
            }
            let there = self.outgoing(at).map(|edge| (edge.to.as_str(), edge.kind));
            let back = self
                .incoming(at)
                .filter(|edge| edge.kind.is_symmetric())
                .map(|edge| (edge.from.as_str(), edge.kind));
            for (next, kind) in there.chain(back) {
                if !seen.insert(next) {
                    continue;
                }
                came_by.insert(
                    next,
                    PathStep {
                        from: at.to_owned(),
                        relation: kind,
                        to: next.to_owned(),
                    },
                );
                if next == to {
                    let mut steps = Vec::new();
                    let mut end = to;
                    while let Some(step) = came_by.get(end) {
                        steps.push(step.clone());
                        end = &step.from;
                    }
                    steps.reverse();
                    return Some(steps);
                }
                queue.push_back((next, depth + 1));
            }
        }
        None
    }

    /// The entries that a change of one concerns: those that depend on it,
    /// over at most `max_depth` edges, nearest first.
    #[must_use]
    pub fn impact(&self, id: &str, max_depth: usize) -> Vec<Impacted> {
        let mut found = Vec::new();
        let mut seen: BTreeSet<&str> = BTreeSet::from([id]);
        let mut queue: VecDeque<(&str, usize)> = VecDeque::from([(id, 0)]);
        while let Some((at, depth)) = queue.pop_front() {
            if depth == max_depth {
                continue;
            }
            for edge in self.incoming(at).filter(|edge| edge.kind.is_dependency()) {
                if !seen.insert(&edge.from) {
                    continue;
                }
                if let Some(node) = self.nodes.get(&edge.from) {
                    found.push(Impacted {
                        id: node.id.clone(),
                        title: node.title.clone(),
                        depth: depth + 1,
                        via: edge.kind,
                    });
                }
                queue.push_back((&edge.from, depth + 1));
            }
        }
        found
    }

    /// How much there is of what.
    #[must_use]
    pub fn stats(&self) -> GraphStats {
        let mut stats = GraphStats {
            total_edges: self.edges.len(),
            ..GraphStats::default()
        };
        for edge in &self.edges {
            *stats.by_relation.entry(edge.kind.name()).or_default() += 1;
        }
        if !self.nodes.is_empty() {
            stats.node_types.insert("recipe", self.nodes.len());
        }
        stats
    }
}

/// The form in which titles are compared: trimmed, without case.
pub(crate) fn title_key(title: &str) -> String {
    title.trim().to_lowercase()
}

#[cfg(test)]
mod tests {
    use asd_recipe::Relation;

    use super::*;

    fn recipe(id: &str, relations: &[(RelationKind, &str)]) -> Recipe {
        let mut recipe = Recipe {
            id: Some(id.into()),
            title: format!("Title {id}"),
            trigger: format!("@trigger-{id}"),
            ..Recipe::default()
        };
        for (kind, target) in relations {
            recipe.relations.entry(*kind).or_default().push(Relation {
                target: (*target).into(),
                ..Relation::default()
            });
        }
        recipe
    }

    fn graph() -> RelationGraph {
        use RelationKind::{Conflicts, DependsOn, Extends, Related};
        RelationGraph::build(&[
            recipe("a", &[(DependsOn, "@Trigger_B"), (Related, "nowhere")]),
            recipe("b", &[(Extends, "title c")]),
            recipe("c", &[(Conflicts, "d"), (DependsOn, "a")]),
            recipe("d", &[(Related, "d")]),
        ])
    }

    #[test]
    fn a_target_is_an_id_a_trigger_or_a_title() {
        let graph = graph();
        for name in ["b", "@trigger-b", "Trigger B-", "trigger-b", " TITLE B "] {
            let wanted = (name != "Trigger B-").then_some("b");
            assert_eq!(graph.resolve(name), wanted, "{name}");
        }
        let out: Vec<&str> = graph.outgoing("a").map(|edge| edge.to.as_str()).collect();
        assert_eq!(out, ["b"]);
        assert_eq!(
            graph.unresolved(),
            [Unresolved {
                from: "a".into(),
                kind: RelationKind::Related,
                target: "nowhere".into()
            }]
        );
        assert_eq!(graph.outgoing("d").count(), 0, "no edge to itself");
        assert_eq!(graph.incoming("b").count(), 1);
    }

    #[test]
    fn a_path_is_shortest_and_ends_in_cycles() {
        let graph = graph();
        let path = graph.path("a", "d", 5).unwrap();
        let names: Vec<(&str, &str)> = path
            .iter()
            .map(|step| (step.relation.name(), step.to.as_str()))
            .collect();
        assert_eq!(
            names,
            [("depends_on", "b"), ("extends", "c"), ("conflicts", "d")]
        );
        assert_eq!(graph.path("a", "d", 2), None);
        assert_eq!(graph.path("a", "a", 2), Some(vec![]));
        assert_eq!(graph.path("b", "zz", 9), None);
        let back = graph.path("d", "c", 1).unwrap();
        assert_eq!(back[0].relation.name(), "conflicts");
    }

    #[test]
    fn a_change_concerns_what_depends_on_it() {
        let graph = graph();
        let impacted = graph.impact("c", 3);
        let found: Vec<(&str, usize, &str)> = impacted
            .iter()
            .map(|one| (one.id.as_str(), one.depth, one.via.name()))
            .collect();
        assert_eq!(found, [("b", 1, "extends"), ("a", 2, "depends_on")]);
        assert_eq!(graph.impact("c", 1).len(), 1);
        assert!(
            graph.impact("d", 3).is_empty(),
            "a conflict is no dependency"
        );
    }

    #[test]
    fn edges_are_counted_once() {
        let mut graph = graph();
        let edge = GraphEdge {
            from: "d".into(),
            to: "a".into(),
            kind: EdgeKind::MergedInto,
            weight: 1.0,
            description: None,
        };
        graph.connect(edge.clone());
        graph.connect(edge);
        let stats = graph.stats();
        assert_eq!(stats.total_edges, 5);
        assert_eq!(stats.by_relation["depends_on"], 2);
        assert_eq!(stats.by_relation["merged_into"], 1);
        assert_eq!(stats.node_types["recipe"], 4);
    }

    #[test]
    fn names_of_edges_read_back() {
        for name in ["merged_into", "is_part_of", "requires", "deprecated_by"] {
            assert_eq!(EdgeKind::from_name(name).unwrap().name(), name);
        }
        assert_eq!(EdgeKind::from_name("likes"), None);
    }
}
