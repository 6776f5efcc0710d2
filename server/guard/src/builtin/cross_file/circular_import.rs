use std::collections::{BTreeMap, VecDeque};

use super::super::{BuiltIn, Check, DEFAULTS};
use crate::Layer;
use crate::cross_file::{At, Conflict, Files, Modules};

pub(in super::super) static RULE: BuiltIn = BuiltIn {
    id: "js-circular-import",
    layer: Layer::CrossFile,
    languages: &["javascript", "typescript"],
    message: "These modules import each other in a circle.",
    fix_suggestion: "Move what both need into a module of its own, or import it as a type or when it is used.",
    why: "Which module runs first depends on who asks first, and the other one sees it half made: its exports are undefined.",
    check: Check::Project(check),
    page: include_str!("../../../../../docs/rules/js-circular-import.md"),
    ..DEFAULTS
};

/// By file: what it imports, each with the first import of it.
type Graph = Vec<BTreeMap<usize, At>>;

fn check(files: &Files<'_>) -> Vec<Conflict> {
    let modules = Modules::of(files);
    let graph: Graph = files
        .all()
        .map(|file| {
            let mut imports = BTreeMap::new();
            for import in files.imports(file) {
                if let Some(target) = modules.resolve(files.path(file), &import.specifier)
                    && target != file
                {
                    imports.entry(target).or_insert(import.at);
                }
            }
            imports
        })
        .collect();
    let mut conflicts: Vec<Conflict> = components(&graph)
        .iter()
        .filter_map(|component| shortest(&graph, component))
        .map(|cycle| conflict(files, &graph, &cycle))
        .collect();
    conflicts.sort_by(|a, b| a.key.cmp(&b.key));
    conflicts
}

fn conflict(files: &Files<'_>, graph: &Graph, cycle: &[usize]) -> Conflict {
    let next = |index: usize| cycle[(index + 1) % cycle.len()];
    let names: Vec<&str> = cycle
        .iter()
        .chain(cycle.first())
        .map(|file| files.path(*file))
        .collect();
    Conflict {
        key: names.join("\n"),
        message: format!("These modules import each other: {}.", names.join(" → ")),
        places: cycle
            .iter()
            .enumerate()
            .map(|(index, file)| {
                let at = graph[*file][&next(index)];
                (*file, at, format!("imports {}", files.path(next(index))))
            })
            .collect(),
    }
}

/// The sets of files that all reach each other, of two files and more.
/// (Tarjan's algorithm, without recursion: chains of imports can be long.)
fn components(graph: &Graph) -> Vec<Vec<usize>> {
    const UNSEEN: usize = usize::MAX;
    let mut found = Vec::new();
    let mut number = vec![UNSEEN; graph.len()];
    let mut lowest = vec![0; graph.len()];
    let mut is_open = vec![false; graph.len()];
    let mut open = Vec::new();
    let mut seen = 0;
    for start in 0..graph.len() {
        if number[start] != UNSEEN {
            continue;
        }
        let mut path = vec![(start, graph[start].keys())];
        number[start] = seen;
        lowest[start] = seen;
        seen += 1;
        open.push(start);
        is_open[start] = true;
        while let Some((file, targets)) = path.last_mut() {
            let file = *file;
            match targets.next() {
                Some(&target) if number[target] == UNSEEN => {
                    number[target] = seen;
                    lowest[target] = seen;
                    seen += 1;
                    open.push(target);
                    is_open[target] = true;
                    path.push((target, graph[target].keys()));
                }
                Some(&target) => {
                    if is_open[target] {
                        lowest[file] = lowest[file].min(number[target]);
                    }
                }
                None => {
                    path.pop();
                    if let Some((above, _)) = path.last() {
                        lowest[*above] = lowest[*above].min(lowest[file]);
                    }
                    if lowest[file] == number[file] {
                        let from = open.iter().rposition(|one| *one == file).unwrap_or(0);
                        let mut component = open.split_off(from);
                        for one in &component {
                            is_open[*one] = false;
                        }
                        if component.len() > 1 {
                            component.sort_unstable();
                            found.push(component);
                        }
                    }
                }
            }
        }
    }
    found
}

/// The shortest circle in a component; among equally short ones the one that
/// starts with the first file.
fn shortest(graph: &Graph, component: &[usize]) -> Option<Vec<usize>> {
    let mut best: Option<Vec<usize>> = None;
    for start in component {
        let limit = best.as_ref().map_or(usize::MAX, |best| best.len() - 1);
        if limit < 2 {
            break;
        }
        if let Some(cycle) = circle(graph, component, *start, limit) {
            best = Some(cycle);
        }
    }
    best
}

/// The shortest way from a file back to it, of at most `limit` files.
fn circle(graph: &Graph, component: &[usize], start: usize, limit: usize) -> Option<Vec<usize>> {
    // By file: where it was reached from, and in how many steps.
    let mut reached: BTreeMap<usize, (usize, usize)> = BTreeMap::from([(start, (start, 1))]);
    let mut todo = VecDeque::from([start]);
    while let Some(file) = todo.pop_front() {
        let steps = reached[&file].1;
        for &target in graph[file].keys() {
            if target == start {
                let mut cycle = vec![file];
                while let Some(last) = cycle.last().filter(|last| **last != start) {
                    cycle.push(reached[last].0);
                }
                cycle.reverse();
                return Some(cycle);
            }
            if steps < limit
                && component.binary_search(&target).is_ok()
                && !reached.contains_key(&target)
            {
                reached.insert(target, (file, steps + 1));
                todo.push_back(target);
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn graph(edges: &[(usize, usize)], size: usize) -> Graph {
        let mut graph = vec![BTreeMap::new(); size];
        for (from, to) in edges {
            graph[*from].insert(*to, At::default());
        }
        graph
    }

    #[test]
    fn the_shortest_circle_of_each_component_is_found() {
        let edges = [
            (0, 1),
            (1, 2),
            (2, 3),
            (3, 0),
            (2, 1),
            (5, 6),
            (6, 7),
            (7, 5),
            (3, 5),
        ];
        let graph = graph(&edges, 8);
        let found: Vec<_> = components(&graph)
            .iter()
            .filter_map(|component| shortest(&graph, component))
            .collect();
        assert_eq!(found, [vec![5, 6, 7], vec![1, 2]]);
    }

    #[test]
    fn a_long_chain_is_no_matter() {
        let size = 100_000;
        let mut edges: Vec<_> = (0..size - 1).map(|file| (file, file + 1)).collect();
        assert_eq!(components(&graph(&edges, size)).len(), 0);
        edges.push((size - 1, 0));
        let graph = graph(&edges, size);
        let components = components(&graph);
        assert_eq!(components.len(), 1);
        assert_eq!(
            circle(&graph, &components[0], 0, usize::MAX).map(|cycle| cycle.len()),
            Some(size)
        );
    }
}
