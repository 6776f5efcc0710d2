//! The call matrix between folders, for the file that tells agents which way
//! calls go. (delivery.md §8)

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use crate::map::{CodeMap, KNOWN_CALL};
use crate::modules::{circles, folder_nodes};

/// A layer of the matrix, the lowest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[expect(missing_docs, reason = "the names say it")]
pub enum CallLayer {
    Foundation,
    Service,
    Controller,
    Application,
}

/// A folder in the matrix.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CallNode {
    /// Its name.
    pub name: String,
    /// (in − out) / (in + out), of a circle the mean.
    pub score: f64,
    /// Its layer.
    pub layer: CallLayer,
    /// Whether it is part of a circle.
    pub in_cycle: bool,
}

/// Calls from one folder to another.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CallPair {
    /// Index of the folder that calls.
    pub from: usize,
    /// Index of the folder that is called.
    pub to: usize,
    /// The number of call sites.
    pub count: usize,
}

/// The matrix and what follows from it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CallMatrix {
    /// The highest score first; at most 10.
    pub nodes: Vec<CallNode>,
    /// Every pair between them, in the order of their ends.
    pub pairs: Vec<CallPair>,
    /// The 8 pairs with most calls, the most first.
    pub hot_paths: Vec<CallPair>,
    /// Pairs from a lower to a higher layer, the most first; at most 5.
    pub violations: Vec<CallPair>,
}

const MOST_NODES: usize = 10;

/// The matrix of a map; `None` with fewer than 5 calls between folders, or
/// fewer than 2 folders.
#[must_use]
pub fn call_matrix(map: &CodeMap) -> Option<CallMatrix> {
    let files: Vec<usize> = (0..map.files.len())
        .filter(|file| !map.files[*file].source.is_test)
        .collect();
    let paths: Vec<&str> = files
        .iter()
        .map(|file| map.files[*file].path.as_str())
        .collect();
    let nodes = folder_nodes(&paths);
    let mut node_of: Vec<Option<&str>> = vec![None; map.files.len()];
    for (file, node) in files.iter().zip(&nodes) {
        node_of[*file] = Some(node);
    }
    let mut counts: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    for call in map
        .calls
        .iter()
        .filter(|call| call.confidence >= KNOWN_CALL)
    {
        let to = map.file_of(call.callee);
        if let (Some(from), Some(to)) = (node_of[call.file.0 as usize], node_of[to.0 as usize])
            && from != to
        {
            *counts.entry((from, to)).or_default() += 1;
        }
    }
    matrix_of(&counts)
}

/// The matrix of counts of calls between named folders.
fn matrix_of(counts: &BTreeMap<(&str, &str), usize>) -> Option<CallMatrix> {
    let mut total: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for ((from, to), count) in counts {
        total.entry(from).or_default().1 += count;
        total.entry(to).or_default().0 += count;
    }
    if counts.values().sum::<usize>() < 5 || total.len() < 2 {
        return None;
    }
    let mut busiest: Vec<&str> = total.keys().copied().collect();
    busiest.sort_by_key(|name| std::cmp::Reverse(total[name].0 + total[name].1));
    busiest.truncate(MOST_NODES);
    let kept: BTreeSet<&str> = busiest.into_iter().collect();
    let names: Vec<&str> = kept.iter().copied().collect();
    let mut pairs: Vec<(usize, usize, usize)> = Vec::new();
    for ((from, to), count) in counts {
        if let (Ok(from), Ok(to)) = (names.binary_search(from), names.binary_search(to)) {
            pairs.push((from, to, *count));
        }
    }
    let mut scores: Vec<f64> = names
        .iter()
        .map(|name| {
            let (inward, outward) = total[name];
            (inward as f64 - outward as f64) / (inward + outward) as f64
        })
        .collect();
    let ends: Vec<(usize, usize)> = pairs.iter().map(|(from, to, _)| (*from, *to)).collect();
    let mut in_cycle = vec![false; names.len()];
    for circle in circles(names.len(), &ends) {
        let mean = circle.iter().map(|at| scores[*at]).sum::<f64>() / circle.len() as f64;
        for at in circle {
            scores[at] = mean;
            in_cycle[at] = true;
        }
    }
    let mut order: Vec<usize> = (0..names.len()).collect();
    // Sorting is stable: nodes of one score stay in the order of their names.
    order.sort_by(|a, b| scores[*b].total_cmp(&scores[*a]));
    let only_two = names.len() == 2;
    let nodes: Vec<CallNode> = order
        .iter()
        .enumerate()
        .map(|(rank, at)| CallNode {
            name: names[*at].to_owned(),
            score: scores[*at],
            layer: match (only_two, rank) {
                (true, _) if in_cycle[*at] => layer(scores[*at]),
                (true, 0) => CallLayer::Foundation,
                (true, _) => CallLayer::Application,
                _ => layer(scores[*at]),
            },
            in_cycle: in_cycle[*at],
        })
        .collect();
    let place: BTreeMap<usize, usize> = order
        .iter()
        .enumerate()
        .map(|(to, from)| (*from, to))
        .collect();
    let mut pairs: Vec<CallPair> = pairs
        .into_iter()
        .map(|(from, to, count)| CallPair {
            from: place[&from],
            to: place[&to],
            count,
        })
        .collect();
    pairs.sort_by_key(|pair| (pair.from, pair.to));
    let mut hot = pairs.clone();
    hot.sort_by_key(|pair| std::cmp::Reverse(pair.count));
    let violations = hot
        .iter()
        .filter(|pair| nodes[pair.from].layer < nodes[pair.to].layer)
        .take(5)
        .cloned()
        .collect();
    hot.truncate(8);
    Some(CallMatrix {
        nodes,
        pairs,
        hot_paths: hot,
        violations,
    })
}

fn layer(score: f64) -> CallLayer {
    if score >= 0.5 {
        CallLayer::Foundation
    } else if score >= 0.0 {
        CallLayer::Service
    } else if score >= -0.5 {
        CallLayer::Controller
    } else {
        CallLayer::Application
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(counts: &[(&'static str, &'static str, usize)]) -> Option<Vec<String>> {
        let counts = counts
            .iter()
            .map(|(from, to, count)| ((*from, *to), *count))
            .collect();
        let matrix = matrix_of(&counts)?;
        let cycle = |node: &CallNode| if node.in_cycle { " (cycle)" } else { "" };
        Some(
            matrix
                .nodes
                .iter()
                .map(|node| format!("{} {:?}{}", node.name, node.layer, cycle(node)))
                .collect(),
        )
    }

    #[test]
    fn layers_follow_from_who_calls_whom() {
        let counts = [
            ("api", "svc", 10),
            ("svc", "store", 10),
            ("cli", "api", 5),
            ("cli", "svc", 1),
        ];
        assert_eq!(
            shown(&counts).unwrap(),
            [
                "store Foundation",
                "svc Service",
                "api Controller",
                "cli Application"
            ]
        );
    }

    #[test]
    fn too_little_says_nothing() {
        assert_eq!(shown(&[("a", "b", 4)]), None);
        assert_eq!(shown(&[]), None);
    }

    #[test]
    fn two_folders_are_the_lowest_and_the_highest() {
        assert_eq!(
            shown(&[("a", "b", 5)]).unwrap(),
            ["b Foundation", "a Application"]
        );
    }

    #[test]
    fn a_circle_shares_its_layer() {
        let counts = [
            ("a", "b", 5),
            ("b", "a", 3),
            ("main", "a", 4),
            ("main", "b", 4),
        ];
        assert_eq!(
            shown(&counts).unwrap(),
            ["a Service (cycle)", "b Service (cycle)", "main Application"]
        );
    }

    #[test]
    fn calls_upward_are_told() {
        let counts: BTreeMap<(&str, &str), usize> = [
            (("api", "svc"), 41),
            (("svc", "ledger"), 33),
            (("ledger", "cli"), 2),
            (("cli", "api"), 9),
            (("x", "cli"), 1),
        ]
        .into_iter()
        .filter(|((from, _), _)| *from != "ledger")
        .collect();
        let matrix = matrix_of(&counts).unwrap();
        assert!(matrix.violations.is_empty());
        assert_eq!(matrix.hot_paths[0].count, 41);
        // A call from a low layer up, without a circle.
        let counts: BTreeMap<(&str, &str), usize> = [
            (("a", "low"), 20),
            (("b", "low"), 20),
            (("low", "odd"), 1),
            (("odd", "deep"), 9),
            (("a", "deep"), 1),
        ]
        .into_iter()
        .collect();
        let matrix = matrix_of(&counts).unwrap();
        let named: Vec<(&str, &str)> = matrix
            .violations
            .iter()
            .map(|pair| {
                (
                    matrix.nodes[pair.from].name.as_str(),
                    matrix.nodes[pair.to].name.as_str(),
                )
            })
            .collect();
        assert_eq!(named, [("low", "odd")]);
    }
}
