//! The architecture as the calls show it (channel B+).

use std::collections::{BTreeMap, BTreeSet};

use asd_recipe::token_estimate;

use crate::FileCalls;
use crate::render::SIGNATURE;
use crate::text::cell;

/// Where it stands.
pub(crate) const PATH: &str = ".cursor/rules/alembic-patterns-call-architecture.mdc";
const BUDGET: usize = 750;
/// Fewer call sites say nothing.
const LEAST_CALLS: u64 = 5;
const MOST_NODES: usize = 10;
const MOST_HOT: usize = 8;
const MOST_UPWARD: usize = 5;

/// Folders that only hold others.
const CONTAINERS: &[&str] = &[
    "src", "lib", "app", "pkg", "internal", "cmd", "Sources", "packages",
];
/// The node of files that lie in no folder.
const ROOT: &str = "(root)";

/// From the top to the bottom.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Layer {
    Application,
    Controller,
    Service,
    Foundation,
}

impl Layer {
    const ALL: [Self; 4] = [
        Self::Application,
        Self::Controller,
        Self::Service,
        Self::Foundation,
    ];

    fn of(score: f64) -> Self {
        if score >= 0.5 {
            Self::Foundation
        } else if score >= 0.0 {
            Self::Service
        } else if score >= -0.5 {
            Self::Controller
        } else {
            Self::Application
        }
    }

    const fn name(self) -> &'static str {
        match self {
            Self::Application => "Application",
            Self::Controller => "Controller",
            Self::Service => "Service",
            Self::Foundation => "Foundation",
        }
    }
}

/// The rendered file with what it was made from.
pub(crate) struct CallFile {
    pub text: String,
    pub edges: u64,
    pub layers: usize,
}

/// Nothing when there are too few calls to say anything.
pub(crate) fn render(calls: &[FileCalls]) -> Option<CallFile> {
    let matrix = Matrix::of(calls);
    let edges = matrix.counts.values().sum();
    if edges < LEAST_CALLS || matrix.nodes.len() < 2 {
        return None;
    }
    let layers = matrix.layers();
    let mut most = MOST_NODES;
    loop {
        let text = file(&matrix, &layers, most);
        if token_estimate(&text) <= BUDGET || most <= 2 {
            let used: BTreeSet<Layer> = layers.values().copied().collect();
            return Some(CallFile {
                text,
                edges,
                layers: used.len(),
            });
        }
        most -= 1;
    }
}

/// Calls between nodes, by their names.
struct Matrix {
    nodes: Vec<String>,
    counts: BTreeMap<(usize, usize), u64>,
}

impl Matrix {
    fn of(calls: &[FileCalls]) -> Self {
        let files: BTreeSet<&str> = calls
            .iter()
            .flat_map(|call| [call.caller.as_str(), call.callee.as_str()])
            .collect();
        let names = node_names(&files);
        let mut by_name: BTreeMap<(&str, &str), u64> = BTreeMap::new();
        for call in calls {
            let pair = (
                names[call.caller.as_str()].as_str(),
                names[call.callee.as_str()].as_str(),
            );
            if pair.0 != pair.1 {
                let count = by_name.entry(pair).or_default();
                *count = count.saturating_add(call.count);
            }
        }
        by_name.retain(|_, count| *count > 0);
        let nodes: BTreeSet<&str> = by_name.keys().flat_map(|(from, to)| [*from, *to]).collect();
        let nodes: Vec<String> = nodes.into_iter().map(str::to_owned).collect();
        let index = |name: &str| nodes.binary_search_by(|node| node.as_str().cmp(name));
        let counts = by_name
            .iter()
            .filter_map(|((from, to), count)| Some(((index(from).ok()?, index(to).ok()?), *count)))
            .collect();
        Self { nodes, counts }
    }

    fn traffic(&self, node: usize) -> (u64, u64) {
        let mut traffic = (0, 0);
        for ((from, to), count) in &self.counts {
            if *to == node {
                traffic.0 += count;
            }
            if *from == node {
                traffic.1 += count;
            }
        }
        traffic
    }

    /// 1 for a node that is only called, −1 for one that only calls.
    fn score(&self, node: usize) -> f64 {
        let (incoming, outgoing) = self.traffic(node);
        #[expect(clippy::cast_precision_loss, reason = "counts of call sites")]
        let (incoming, outgoing) = (incoming as f64, outgoing as f64);
        (incoming - outgoing) / (incoming + outgoing)
    }

    fn layers(&self) -> BTreeMap<usize, Layer> {
        let scores: Vec<f64> = (0..self.nodes.len()).map(|node| self.score(node)).collect();
        let cycles = self.cycles();
        if self.nodes.len() == 2 && cycles.iter().all(|cycle| cycle.len() < 2) {
            let lower = usize::from(scores[1] > scores[0]);
            return BTreeMap::from([(lower, Layer::Foundation), (1 - lower, Layer::Application)]);
        }
        let mut layers = BTreeMap::new();
        for cycle in cycles {
            #[expect(clippy::cast_precision_loss, reason = "few nodes")]
            let mean = cycle.iter().map(|node| scores[*node]).sum::<f64>() / cycle.len() as f64;
            for node in cycle {
                layers.insert(node, Layer::of(mean));
            }
        }
        layers
    }

    /// The strongly connected sets of nodes, each sorted, in the order of their
    /// first node.
    fn cycles(&self) -> Vec<Vec<usize>> {
        let reach: Vec<BTreeSet<usize>> = (0..self.nodes.len())
            .map(|start| {
                let mut seen = BTreeSet::from([start]);
                let mut open = vec![start];
                while let Some(node) = open.pop() {
                    for ((_, to), _) in self.counts.range((node, 0)..=(node, usize::MAX)) {
                        if seen.insert(*to) {
                            open.push(*to);
                        }
                    }
                }
                seen
            })
            .collect();
        let mut placed = BTreeSet::new();
        let mut sets = Vec::new();
        for node in 0..self.nodes.len() {
            if placed.contains(&node) {
                continue;
            }
            let set: Vec<usize> = reach[node]
                .iter()
                .copied()
                .filter(|other| reach[*other].contains(&node))
                .collect();
            placed.extend(set.iter().copied());
            sets.push(set);
        }
        sets
    }
}

/// The node of every file.
fn node_names(files: &BTreeSet<&str>) -> BTreeMap<String, String> {
    let folders: BTreeMap<&str, Vec<&str>> = files
        .iter()
        .map(|file| {
            let mut folders: Vec<&str> = file.split('/').filter(|part| !part.is_empty()).collect();
            folders.pop();
            let containers = folders
                .iter()
                .take_while(|folder| CONTAINERS.contains(folder))
                .count();
            (*file, folders.split_off(containers))
        })
        .collect();
    let mut sizes: BTreeMap<&str, usize> = BTreeMap::new();
    for folders in folders.values() {
        *sizes
            .entry(folders.first().copied().unwrap_or(ROOT))
            .or_default() += 1;
    }
    // A folder that holds most of the files says nothing about the structure.
    let holds_most = |folder: &str| {
        sizes
            .get(folder)
            .is_some_and(|size| size * 100 > files.len() * 60)
    };
    folders
        .iter()
        .map(|(file, folders)| {
            let name = match folders.as_slice() {
                [] => ROOT.to_owned(),
                [first, second, ..] if holds_most(first) => format!("{first}/{second}"),
                [first, ..] => (*first).to_owned(),
            };
            ((*file).to_owned(), name)
        })
        .collect()
}

fn file(matrix: &Matrix, layers: &BTreeMap<usize, Layer>, most: usize) -> String {
    let mut busiest: Vec<usize> = (0..matrix.nodes.len()).collect();
    busiest.sort_by_key(|node| {
        let (incoming, outgoing) = matrix.traffic(*node);
        (std::cmp::Reverse(incoming + outgoing), *node)
    });
    busiest.truncate(most);
    let shown: BTreeSet<usize> = busiest.into_iter().collect();
    let mut text = format!(
        "---\ndescription: \"Call architecture: layers, allowed call directions\"\n\
         alwaysApply: false\n---\n{SIGNATURE}\n# Call Architecture\n| Layer | Modules |\n|---|---|\n"
    );
    for layer in Layer::ALL {
        let mut nodes: Vec<usize> = shown
            .iter()
            .copied()
            .filter(|node| layers[node] == layer)
            .collect();
        nodes.sort_by(|a, b| matrix.score(*b).total_cmp(&matrix.score(*a)).then(a.cmp(b)));
        if !nodes.is_empty() {
            let names: Vec<String> = nodes
                .iter()
                .map(|node| cell(&matrix.nodes[*node], 60))
                .collect();
            text.push_str(&format!("| {} | {} |\n", layer.name(), names.join(", ")));
        }
    }
    let mut pairs: Vec<((usize, usize), u64)> = matrix
        .counts
        .iter()
        .map(|(pair, count)| (*pair, *count))
        .filter(|((from, to), _)| shown.contains(from) && shown.contains(to))
        .collect();
    pairs.sort_by_key(|(pair, count)| (std::cmp::Reverse(*count), *pair));
    let named = |pairs: &[((usize, usize), u64)]| -> String {
        let parts: Vec<String> = pairs
            .iter()
            .map(|((from, to), count)| {
                format!("{} → {} ({count})", matrix.nodes[*from], matrix.nodes[*to])
            })
            .collect();
        parts.join(", ")
    };
    let hot = &pairs[..pairs.len().min(MOST_HOT)];
    text.push_str(&format!(
        "\nCalls go downward only. Hot paths: {}.\n",
        named(hot)
    ));
    let upward: Vec<((usize, usize), u64)> = pairs
        .iter()
        .copied()
        .filter(|((from, to), _)| layers[from] > layers[to])
        .take(MOST_UPWARD)
        .collect();
    if !upward.is_empty() {
        text.push_str(&format!("Existing upward calls: {}.\n", named(&upward)));
    }
    let cycles: Vec<String> = matrix
        .cycles()
        .into_iter()
        .filter(|cycle| cycle.len() > 1 && cycle.iter().all(|node| shown.contains(node)))
        .map(|cycle| {
            let names: Vec<&str> = cycle.iter().map(|n| matrix.nodes[*n].as_str()).collect();
            names.join(" ↔ ")
        })
        .collect();
    if !cycles.is_empty() {
        text.push_str(&format!(
            "Call one another in a cycle: {}.\n",
            cycles.join("; ")
        ));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn calls(list: &[(&str, &str, u64)]) -> Vec<FileCalls> {
        list.iter()
            .map(|(caller, callee, count)| FileCalls {
                caller: (*caller).to_owned(),
                callee: (*callee).to_owned(),
                count: *count,
            })
            .collect()
    }

    fn layer_of(list: &[(&str, &str, u64)]) -> BTreeMap<String, &'static str> {
        let matrix = Matrix::of(&calls(list));
        matrix
            .layers()
            .into_iter()
            .map(|(node, layer)| (matrix.nodes[node].clone(), layer.name()))
            .collect()
    }

    #[test]
    fn layers_follow_from_who_is_called() {
        let list = [
            ("src/api/a.go", "src/svc/s.go", 10),
            ("src/svc/s.go", "src/store/d.go", 10),
            ("src/cli/c.go", "src/api/a.go", 5),
            ("src/cli/c.go", "src/svc/s.go", 1),
            ("src/store/d.go", "src/api/a.go", 0),
            ("src/svc/s.go", "src/svc/t.go", 90),
        ];
        let file = render(&calls(&list)).unwrap();
        assert_eq!((file.edges, file.layers), (26, 4));
        expect_test::expect![[r#"
            ---
            description: "Call architecture: layers, allowed call directions"
            alwaysApply: false
            ---
            <!-- auto-generated by [alembic]; edits are overwritten -->
            # Call Architecture
            | Layer | Modules |
            |---|---|
            | Application | cli |
            | Controller | api |
            | Service | svc |
            | Foundation | store |

            Calls go downward only. Hot paths: api → svc (10), svc → store (10), cli → api (5), cli → svc (1).
        "#]]
        .assert_eq(&file.text);
    }

    #[test]
    fn too_few_calls_or_nodes_say_nothing() {
        assert!(render(&calls(&[("a/x", "b/y", 4)])).is_none());
        assert!(render(&calls(&[("a/x", "a/y", 40)])).is_none());
        assert!(render(&[]).is_none());
        assert!(render(&calls(&[("a/x", "b/y", 5)])).is_some());
    }

    #[test]
    fn two_nodes_are_top_and_bottom() {
        let layers = layer_of(&[("a/x", "b/y", 9)]);
        assert_eq!(layers["a"], "Application");
        assert_eq!(layers["b"], "Foundation");
    }

    #[test]
    fn nodes_of_a_cycle_share_a_layer_and_are_named() {
        let list = [
            ("top/x", "a/x", 8),
            ("a/x", "b/y", 9),
            ("b/y", "a/x", 3),
            ("b/y", "low/z", 8),
        ];
        let layers = layer_of(&list);
        assert_eq!(layers["a"], layers["b"]);
        let text = render(&calls(&list)).unwrap().text;
        assert!(
            text.contains("Call one another in a cycle: a ↔ b."),
            "{text}"
        );
        assert!(!text.contains("upward"), "{text}");
    }

    #[test]
    fn calls_from_below_are_named() {
        let text = render(&calls(&[
            ("cli/x", "api/x", 20),
            ("api/x", "low/x", 30),
            ("low/x", "side/x", 2),
            ("side/x", "other/x", 9),
        ]))
        .unwrap()
        .text;
        assert!(
            text.contains("Existing upward calls: low → side (2)."),
            "{text}"
        );
    }

    #[test]
    fn a_folder_that_holds_most_files_is_looked_into() {
        let files = BTreeSet::from([
            "src/core/net/a.rs",
            "src/core/ui/b.rs",
            "src/core/c.rs",
            "main.rs",
        ]);
        let names = node_names(&files);
        let name = |file: &str| names[file].as_str();
        assert_eq!(name("src/core/net/a.rs"), "core/net");
        assert_eq!(name("src/core/ui/b.rs"), "core/ui");
        assert_eq!(name("src/core/c.rs"), "core");
        assert_eq!(name("main.rs"), "(root)");
    }

    #[test]
    fn many_long_names_keep_the_budget_and_ten_nodes() {
        let list: Vec<FileCalls> = (0..40)
            .map(|n| FileCalls {
                caller: format!("module_with_a_rather_long_name_{n:02}/x"),
                callee: format!("module_with_a_rather_long_name_{:02}/x", (n + 1) % 40),
                count: 5 + n,
            })
            .collect();
        let file = render(&list).unwrap();
        assert!(
            token_estimate(&file.text) <= BUDGET,
            "{}",
            token_estimate(&file.text)
        );
    }
}
