//! Modules: targets, or folders where there is one target only. Their edges,
//! circles, levels and names of layers. (mcp.md §8)

use std::collections::{BTreeMap, BTreeSet};

use petgraph::algo::tarjan_scc;
use petgraph::graph::{DiGraph, NodeIndex};
use serde::Serialize;

use crate::map::{CodeMap, FileId, ImportKind, KNOWN_CALL};
use crate::roles::{RefinedRole, Role, Signals, refine_role, role_of_import};

/// A module of the project.
#[derive(Clone, Debug, PartialEq)]
pub struct Module {
    /// Its name: that of a target, or a folder.
    pub name: String,
    /// Its role.
    pub role: RefinedRole,
    /// Its files, tests left out.
    pub files: Vec<FileId>,
    /// Modules that need it.
    pub fan_in: usize,
    /// Modules that it needs.
    pub fan_out: usize,
    /// Its level; 0 needs nothing.
    pub level: usize,
}

/// One module needs another.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ModuleEdge {
    /// Index of the module that needs.
    pub from: usize,
    /// Index of the module that is needed.
    pub to: usize,
    /// File imports.
    pub imports: usize,
    /// Known calls.
    pub calls: usize,
    /// Types that extend one of the other.
    pub types: usize,
    /// 0.5 for each import, 1.0 for each call, 0.8 for each type.
    pub weight: f64,
}

/// A layer of modules at one level.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ModuleLayer {
    /// The level; 0 needs nothing.
    pub level: usize,
    /// Its name, unique.
    pub name: String,
    /// Indexes of its modules, by name.
    pub modules: Vec<usize>,
}

/// Modules that need each other in a circle.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Cycle {
    /// Indexes of the modules, by name.
    pub modules: Vec<usize>,
    /// `error` with more than three, else `warning`.
    pub severity: &'static str,
}

/// The modules of a project and what follows from their edges.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ModuleGraph {
    /// In the order of their names.
    pub modules: Vec<Module>,
    /// In the order of their ends.
    pub edges: Vec<ModuleEdge>,
    /// From the lowest level up.
    pub layers: Vec<ModuleLayer>,
    /// Circles.
    pub cycles: Vec<Cycle>,
    /// Edges from a lower to a higher level, indexes into `edges`.
    pub violations: Vec<usize>,
    /// The mean over the modules of `fan_in + fan_out`.
    pub average_coupling: f64,
}

/// A layer as the settings declare it, the lowest first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeclaredLayer {
    /// Its name.
    pub name: String,
    /// Names of modules, or the starts of paths of their files.
    pub modules: Vec<String>,
}

/// The first folders of a path that say nothing of what is in them.
const CONTAINERS: &[&str] = &[
    "src", "lib", "app", "pkg", "internal", "cmd", "Sources", "packages",
];

/// The folder that each file is counted to: the first one after the leading
/// containers, two when the first holds more than 60 % of the files. `root` for
/// files in none. (delivery.md §8)
#[must_use]
pub fn folder_nodes(paths: &[&str]) -> Vec<String> {
    let stripped: Vec<Vec<&str>> = paths
        .iter()
        .map(|path| {
            let mut parts: Vec<&str> = path.split('/').collect();
            parts.pop();
            let containers = parts
                .iter()
                .take_while(|part| CONTAINERS.contains(part))
                .count();
            parts.split_off(containers)
        })
        .collect();
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for parts in &stripped {
        if let Some(first) = parts.first() {
            *counts.entry(first).or_default() += 1;
        }
    }
    stripped
        .iter()
        .map(|parts| match parts.as_slice() {
            [] => "root".to_owned(),
            [first, rest @ ..] if counts[first] * 10 > paths.len() * 6 => {
                match rest.iter().find(|part| !CONTAINERS.contains(part)) {
                    Some(second) => format!("{first}/{second}"),
                    None => (*first).to_owned(),
                }
            }
            [first, ..] => (*first).to_owned(),
        })
        .collect()
}

/// The module of each file; `None` for tests.
fn assign(map: &CodeMap) -> (Vec<String>, Vec<Option<usize>>) {
    let is_test = |file: usize| map.files[file].source.is_test;
    let built: BTreeSet<u32> = (0..map.files.len())
        .filter(|file| !is_test(*file))
        .map(|file| map.files[file].target)
        .filter(|target| map.targets[*target as usize].kind != "folder")
        .collect();
    let names: Vec<Option<String>> = if built.len() > 1 {
        (0..map.files.len())
            .map(|file| {
                let target = &map.targets[map.files[file].target as usize];
                (!is_test(file) && target.kind != "test").then(|| target.name.clone())
            })
            .collect()
    } else {
        let kept: Vec<usize> = (0..map.files.len())
            .filter(|file| !is_test(*file))
            .collect();
        let paths: Vec<&str> = kept
            .iter()
            .map(|file| map.files[*file].path.as_str())
            .collect();
        let nodes = folder_nodes(&paths);
        let mut names = vec![None; map.files.len()];
        for (file, node) in kept.into_iter().zip(nodes) {
            names[file] = Some(node);
        }
        names
    };
    let all: BTreeSet<&String> = names.iter().flatten().collect();
    let list: Vec<String> = all.into_iter().cloned().collect();
    let of = names
        .iter()
        .map(|name| list.binary_search(name.as_ref()?).ok())
        .collect();
    (list, of)
}

/// The modules of a map; `declared` are the layers of the settings.
#[must_use]
pub fn module_graph(map: &CodeMap, declared: &[DeclaredLayer]) -> ModuleGraph {
    let (names, of) = assign(map);
    let mut edges: BTreeMap<(usize, usize), ModuleEdge> = BTreeMap::new();
    {
        let mut add = |from: FileId, to: FileId, count: &dyn Fn(&mut ModuleEdge)| {
            let (Some(from), Some(to)) = (of[from.0 as usize], of[to.0 as usize]) else {
                return;
            };
            if from != to {
                let edge = edges.entry((from, to)).or_insert(ModuleEdge {
                    from,
                    to,
                    imports: 0,
                    calls: 0,
                    types: 0,
                    weight: 0.0,
                });
                count(edge);
            }
        };
        for edge in map
            .imports
            .iter()
            .filter(|edge| edge.kind != ImportKind::Part)
        {
            add(edge.from, edge.to, &|edge| edge.imports += 1);
        }
        for call in map
            .calls
            .iter()
            .filter(|call| call.confidence >= KNOWN_CALL)
        {
            add(call.file, map.file_of(call.callee), &|edge| edge.calls += 1);
        }
        for edge in &map.types {
            if let Some(to) = edge.to {
                add(edge.file, map.file_of(to), &|edge| edge.types += 1);
            }
        }
    }
    let mut edges: Vec<ModuleEdge> = edges.into_values().collect();
    for edge in &mut edges {
        edge.weight = 0.5 * edge.imports as f64 + edge.calls as f64 + 0.8 * edge.types as f64;
    }
    let mut graph = ModuleGraph::default();
    for (index, name) in names.iter().enumerate() {
        let files: Vec<FileId> = (0_u32..)
            .zip(&of)
            .filter(|(_, module)| **module == Some(index))
            .map(|(file, _)| FileId(file))
            .collect();
        let role = refine_role(name, &signals(map, name, index, &files, &edges));
        graph.modules.push(Module {
            name: name.clone(),
            role,
            files,
            fan_in: edges.iter().filter(|edge| edge.to == index).count(),
            fan_out: edges.iter().filter(|edge| edge.from == index).count(),
            level: 0,
        });
    }
    let coupling: usize = graph
        .modules
        .iter()
        .map(|module| module.fan_in + module.fan_out)
        .sum();
    graph.average_coupling = if names.is_empty() {
        0.0
    } else {
        coupling as f64 / names.len() as f64
    };
    let pairs: Vec<(usize, usize)> = edges.iter().map(|edge| (edge.from, edge.to)).collect();
    let circles = circles(names.len(), &pairs);
    graph.cycles = circles
        .iter()
        .map(|modules| Cycle {
            modules: modules.clone(),
            severity: if modules.len() > 3 {
                "error"
            } else {
                "warning"
            },
        })
        .collect();
    graph.edges = edges;
    let declared_level = declared_levels(map, &graph, declared);
    let levels = match &declared_level {
        Some(fixed) => placed_levels(fixed, &pairs),
        None => inferred_levels(names.len(), &pairs),
    };
    for (module, level) in graph.modules.iter_mut().zip(&levels) {
        module.level = *level;
    }
    graph.violations = (0..graph.edges.len())
        .filter(|at| levels[graph.edges[*at].from] < levels[graph.edges[*at].to])
        .collect();
    graph.layers = layers(&graph, declared_level.is_some().then_some(declared));
    graph
}

fn signals(
    map: &CodeMap,
    name: &str,
    index: usize,
    files: &[FileId],
    edges: &[ModuleEdge],
) -> Signals {
    let mut syntax: BTreeMap<Role, f64> = BTreeMap::new();
    let mut signals = Signals::default();
    let inside: BTreeSet<FileId> = files.iter().copied().collect();
    for edge in map.types.iter().filter(|edge| inside.contains(&edge.file)) {
        let role = Role::of_name(&edge.name);
        if role != Role::Feature {
            *syntax.entry(role).or_default() += if edge.conforms { 0.5 } else { 1.0 };
        }
    }
    for external in map
        .externals
        .iter()
        .filter(|external| inside.contains(&external.from))
    {
        if let Some(role) = role_of_import(&external.module) {
            *syntax.entry(role).or_default() += 0.5;
        }
    }
    for file in files {
        for declaration in &map.file(*file).source.facts.declarations {
            let is_static = declaration
                .modifiers
                .iter()
                .any(|word| word == "static" || word == "object");
            signals.has_singleton |= is_static
                && matches!(
                    declaration.name.as_str(),
                    "shared" | "instance" | "getInstance" | "sharedInstance" | "default"
                );
            signals.has_delegate |=
                declaration.kind.is_type() && declaration.name.ends_with("Delegate");
        }
    }
    let sum = |of: &dyn Fn(&ModuleEdge) -> usize, ends: &dyn Fn(&ModuleEdge) -> usize| {
        edges
            .iter()
            .filter(|edge| ends(edge) == index)
            .map(of)
            .sum::<usize>()
    };
    signals.calls = Some((sum(&|e| e.calls, &|e| e.to), sum(&|e| e.calls, &|e| e.from)));
    signals.data_flow = Some((sum(&|e| e.types, &|e| e.to), sum(&|e| e.types, &|e| e.from)));
    signals.syntax = syntax.into_iter().collect();
    signals.is_project = !map.name.is_empty() && name.eq_ignore_ascii_case(&map.name);
    signals
}

/// Strongly connected sets of two or more, each sorted, in order.
#[must_use]
pub fn circles(count: usize, edges: &[(usize, usize)]) -> Vec<Vec<usize>> {
    let mut graph: DiGraph<(), ()> = DiGraph::new();
    for _ in 0..count {
        graph.add_node(());
    }
    for (from, to) in edges {
        graph.add_edge(NodeIndex::new(*from), NodeIndex::new(*to), ());
    }
    let mut found: Vec<Vec<usize>> = tarjan_scc(&graph)
        .into_iter()
        .filter(|set| set.len() > 1)
        .map(|set| {
            let mut set: Vec<usize> = set.into_iter().map(NodeIndex::index).collect();
            set.sort_unstable();
            set
        })
        .collect();
    found.sort();
    found
}

/// Files that import each other in a circle, as paths.
#[must_use]
pub fn file_cycles(map: &CodeMap) -> Vec<Vec<FileId>> {
    // A part of a file, a type and a neighbour are no imports at run time.
    let edges: Vec<(usize, usize)> = map
        .imports
        .iter()
        .filter(|edge| {
            !matches!(
                edge.kind,
                ImportKind::Part | ImportKind::Types | ImportKind::Implicit
            )
        })
        .map(|edge| (edge.from.0 as usize, edge.to.0 as usize))
        .collect();
    circles(map.files.len(), &edges)
        .into_iter()
        .map(|set| {
            set.into_iter()
                .filter_map(|file| u32::try_from(file).ok().map(FileId))
                .collect()
        })
        .collect()
}

/// Levels when each circle counts as one: nothing needed is 0, else one above
/// the highest that is needed.
fn inferred_levels(count: usize, edges: &[(usize, usize)]) -> Vec<usize> {
    let mut set: Vec<usize> = (0..count).collect();
    for circle in circles(count, edges) {
        for module in &circle {
            set[*module] = circle[0];
        }
    }
    let mut needs: Vec<BTreeSet<usize>> = vec![BTreeSet::new(); count];
    for (from, to) in edges {
        if set[*from] != set[*to] {
            needs[set[*from]].insert(set[*to]);
        }
    }
    let mut level = vec![0; count];
    // No circle is left, so no way is longer than there are modules.
    for _ in 0..count {
        let mut changed = false;
        for at in 0..count {
            let wanted = needs[at]
                .iter()
                .map(|need| level[*need] + 1)
                .max()
                .unwrap_or(0);
            changed |= wanted != level[at];
            level[at] = wanted;
        }
        if !changed {
            break;
        }
    }
    (0..count).map(|at| level[set[at]]).collect()
}

/// The level that the settings give to each module; `None` when they cover less
/// than half of them.
fn declared_levels(
    map: &CodeMap,
    graph: &ModuleGraph,
    declared: &[DeclaredLayer],
) -> Option<Vec<Option<usize>>> {
    let level = |module: &Module| {
        declared.iter().position(|layer| {
            layer.modules.iter().any(|name| {
                *name == module.name
                    || (!module.files.is_empty()
                        && module
                            .files
                            .iter()
                            .all(|file| crate::path::is_below(&map.file(*file).path, name)))
            })
        })
    };
    let levels: Vec<Option<usize>> = graph.modules.iter().map(level).collect();
    let covered = levels.iter().flatten().count();
    (covered > 0 && covered * 2 >= levels.len()).then_some(levels)
}

/// Modules that no layer names stand one above the highest that they need.
fn placed_levels(fixed: &[Option<usize>], edges: &[(usize, usize)]) -> Vec<usize> {
    let mut levels: Vec<usize> = fixed.iter().map(|level| level.unwrap_or(0)).collect();
    for _ in 0..fixed.len() {
        let mut changed = false;
        for at in (0..fixed.len()).filter(|at| fixed[*at].is_none()) {
            let wanted = edges
                .iter()
                .filter(|(from, to)| *from == at && *to != at)
                .map(|(_, to)| levels[*to] + 1)
                .max()
                .unwrap_or(0)
                .min(fixed.len());
            changed |= wanted != levels[at];
            levels[at] = wanted;
        }
        if !changed {
            break;
        }
    }
    levels
}

fn layers(graph: &ModuleGraph, declared: Option<&[DeclaredLayer]>) -> Vec<ModuleLayer> {
    let mut by_level: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (index, module) in graph.modules.iter().enumerate() {
        by_level.entry(module.level).or_default().push(index);
    }
    let count = by_level.len();
    let mut used: BTreeSet<String> = BTreeSet::new();
    by_level
        .into_iter()
        .enumerate()
        .map(|(position, (level, modules))| {
            let declared_name = declared
                .and_then(|declared| declared.get(level))
                .map(|layer| layer.name.clone());
            let roles = modules.iter().map(|index| graph.modules[*index].role.role);
            let name =
                declared_name.unwrap_or_else(|| layer_name(roles, position, count).to_owned());
            let third = match position * 3 / count.max(1) {
                0 => "Core",
                1 => "Mid",
                _ => "App",
            };
            let mut unique = name.clone();
            let mut number = 1;
            while !used.insert(unique.clone()) {
                unique = if number == 1 {
                    format!("{third} {name}")
                } else {
                    format!("{third} {name} {number}")
                };
                number += 1;
            }
            ModuleLayer {
                level,
                name: unique,
                modules,
            }
        })
        .collect()
}

/// The name of a layer by the vote of its roles. Features vote for nothing: if
/// there are no others, the place decides.
fn layer_name(roles: impl Iterator<Item = Role>, position: usize, count: usize) -> &'static str {
    const NAMES: &[&str] = &[
        "Foundation",
        "Model",
        "Service",
        "Networking",
        "UI",
        "Routing",
        "Application",
        "Test",
    ];
    let mut votes = [0_usize; 8];
    for role in roles {
        let name = match role {
            Role::Core | Role::Utility | Role::Config => 0,
            Role::Model => 1,
            Role::Service | Role::Storage | Role::Auth => 2,
            Role::Networking => 3,
            Role::Ui => 4,
            Role::Routing => 5,
            Role::App => 6,
            Role::Test => 7,
            Role::Feature => continue,
        };
        votes[name] += 1;
    }
    let most = votes.iter().copied().max().unwrap_or(0);
    if most > 0 {
        let at = votes.iter().position(|votes| *votes == most).unwrap_or(0);
        return NAMES[at];
    }
    if position == 0 {
        "Foundation"
    } else if position + 1 == count {
        "Application"
    } else {
        "Service"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_counted_to_its_first_telling_folder() {
        assert_eq!(
            folder_nodes(&[
                "src/net/a.rs",
                "src/ui/b/c.rs",
                "main.rs",
                "lib/net/d.rs",
                "x/e.rs"
            ]),
            ["net", "ui", "root", "net", "x"]
        );
        // The first folder holds too much to tell.
        assert_eq!(
            folder_nodes(&[
                "server/a/src/x.rs",
                "server/b/src/y.rs",
                "server/z.rs",
                "tool/q.rs"
            ]),
            ["server/a", "server/b", "server", "tool"]
        );
    }

    #[test]
    fn a_level_is_one_above_what_is_needed_and_circles_are_one() {
        // 3 → 2 ⇄ 1 → 0
        let edges = [(3, 2), (2, 1), (1, 2), (1, 0)];
        assert_eq!(circles(4, &edges), [vec![1, 2]]);
        assert_eq!(inferred_levels(4, &edges), [0, 1, 1, 2]);
    }

    #[test]
    fn undeclared_modules_stand_above_what_they_need() {
        assert_eq!(
            placed_levels(&[Some(0), Some(1), None], &[(2, 1), (0, 1)]),
            [0, 1, 2]
        );
    }

    #[test]
    fn roles_vote_for_the_name_of_a_layer() {
        assert_eq!(
            layer_name([Role::Ui, Role::Ui, Role::App].into_iter(), 2, 3),
            "UI"
        );
        assert_eq!(layer_name([Role::Storage].into_iter(), 0, 3), "Service");
        assert_eq!(layer_name([Role::Feature].into_iter(), 0, 3), "Foundation");
        assert_eq!(layer_name([Role::Feature].into_iter(), 1, 3), "Service");
        assert_eq!(
            layer_name([Role::Feature, Role::Test].into_iter(), 2, 3),
            "Test"
        );
    }
}
