//! The briefing of a project: what it is made of, what to look at in each
//! dimension, and what a submission must hold, in at most 100 KB. (mcp.md §5)

use std::collections::{BTreeMap, BTreeSet};

use asd_codemap::{
    CodeMap, Declaration, KNOWN_CALL, ModuleGraph, SymbolId, SymbolKind, file_cycles, summary,
    targets,
};
use asd_knowledge::submission::REQUIRED_FIELDS;
use serde::Serialize;
use serde_json::{Map, Value, json};

use super::dimensions::{Dimension, frameworks};
use super::evidence::{Fact, evidence};
use super::panorama::Panorama;

/// The most bytes that a briefing has as JSON. (mcp.md §5)
pub(crate) const MOST_BYTES: usize = 102_400;

/// How much was shed to fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Compression {
    None,
    Moderate,
    Aggressive,
}

/// A type of the project.
#[derive(Clone, Debug, PartialEq, Serialize)]
struct TypeRow {
    name: String,
    kind: &'static str,
    at: String,
    members: usize,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    supertypes: Vec<String>,
}

/// An interface with those that conform to it.
#[derive(Clone, Debug, PartialEq, Serialize)]
struct InterfaceRow {
    name: String,
    at: String,
    count: usize,
    conformances: Vec<String>,
}

/// A dimension in the plan.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DimensionRow {
    pub(crate) id: &'static str,
    label: &'static str,
    label_zh: &'static str,
    knowledge_types: &'static [&'static str],
    mode: &'static str,
    weight: f64,
    tier: usize,
    guide: Guide,
    evidence: Vec<Fact>,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
struct Guide {
    questions: Vec<&'static str>,
    files: Vec<String>,
}

/// The rows of dimensions, with what the code says of each.
pub(crate) fn dimension_rows(
    map: &CodeMap,
    dimensions: &[&'static Dimension],
) -> Vec<DimensionRow> {
    dimensions
        .iter()
        .map(|dimension| {
            let found = evidence(map, dimension);
            DimensionRow {
                id: dimension.id,
                label: dimension.label,
                label_zh: dimension.label_zh,
                knowledge_types: dimension.knowledge_types,
                mode: if dimension.dual { "dual" } else { "knowledge" },
                weight: dimension.weight,
                tier: dimension.tier,
                guide: Guide {
                    questions: dimension.questions.to_vec(),
                    files: found.files,
                },
                evidence: found.facts,
            }
        })
        .collect()
}

/// What a submission must hold. (mcp.md §5, asd_submit_knowledge)
pub(crate) fn submission_spec() -> Value {
    let required: Vec<&str> = REQUIRED_FIELDS.iter().map(|field| field.name).collect();
    json!({
        "required": required,
        "limits": {
            "itemsPerCall": 100,
            "callsPerMinute": 10,
            "contentMarkdownMin": 200,
            "recipesPerDimension": "3 to 5",
        },
        "example": {
            "title": "LedgerPool checkout",
            "description": "Ledgers come from the pool",
            "trigger": "@ledger-pool-checkout",
            "kind": "rule",
            "knowledgeType": "best-practice",
            "language": "go",
            "category": "Storage",
            "whenClause": "Reading or writing an account ledger",
            "doClause": "Check a ledger out of LedgerPool",
            "dontClause": "Construct Ledger directly",
            "coreCode": "l := pool.Checkout(ctx, id)\ndefer l.Release()\nreturn l.Apply(tx)",
            "headers": [],
            "usageGuide": "### When\nAny ledger access.",
            "content": {
                "markdown": "<200 or more characters, naming `internal/ledger/pool.go:12`>",
                "rationale": "A held ledger blocks settlement",
            },
            "reasoning": {
                "whyStandard": "Seen in all nine call sites",
                "sources": ["internal/ledger/pool.go:12-40"],
                "confidence": 0.8,
            },
        },
    })
}

/// The dimensions by tiers, and how to work through them.
pub(crate) fn execution_plan(dimensions: &[&'static Dimension]) -> Value {
    let mut tiers: BTreeMap<usize, Vec<&str>> = BTreeMap::new();
    for dimension in dimensions {
        tiers.entry(dimension.tier).or_default().push(dimension.id);
    }
    json!({
        "tiers": tiers.into_values().collect::<Vec<_>>(),
        "totalDimensions": dimensions.len(),
        "workflow": [
            "Work through the tiers in their order; within a tier the order does not matter.",
            "For each dimension read the files of its guide and answer its questions from the code.",
            "Submit 3 to 5 recipes with asd_submit_knowledge, each with sources and code from the project.",
            "Call asd_dimension_complete with your analysis and the ids of the recipes.",
            "After the last dimension write the wiki with asd_wiki.",
        ],
    })
}

/// Everything that a briefing is made of.
#[derive(Debug)]
pub(crate) struct Briefing {
    project: Map<String, Value>,
    technology: Vec<Value>,
    counts: (usize, usize, usize),
    types: Vec<TypeRow>,
    interfaces: Vec<InterfaceRow>,
    categories: Vec<TypeRow>,
    long_methods: Vec<Value>,
    complex_methods: Vec<Value>,
    entity_graph: Value,
    call_edges: usize,
    hot_methods: Vec<Value>,
    module_names: Vec<String>,
    dependencies: Vec<Value>,
    cycles: Vec<Value>,
    guard: Value,
    guard_top: Vec<Value>,
    targets: Vec<Value>,
    dimensions: Vec<DimensionRow>,
    plan: Value,
    layers: Vec<Value>,
    gaps: Vec<Value>,
    session: Value,
    warnings: Vec<String>,
    truncated: BTreeSet<&'static str>,
    level: Compression,
}

/// What the guard found.
#[derive(Debug, Default)]
pub(crate) struct GuardFindings {
    pub(crate) errors: usize,
    pub(crate) warnings: usize,
    /// Rules by how often they are broken, with a place.
    pub(crate) top: Vec<Value>,
}

impl Briefing {
    pub(crate) fn new(
        name: &str,
        panorama: &Panorama<'_>,
        dimensions: &[&'static Dimension],
        guard: GuardFindings,
        session: Value,
        warnings: Vec<String>,
    ) -> Self {
        let map = panorama.map;
        let declarations = || map.symbols().map(|id| (id, map.declaration(id)));
        let count = |wanted: &dyn Fn(&Declaration) -> bool| {
            declarations()
                .filter(|(_, declaration)| wanted(declaration))
                .count()
        };
        let overview = summary(map);
        let lines: u64 = map
            .files()
            .iter()
            .map(|file| u64::from(file.source.facts.lines))
            .sum();
        let secondary: Vec<&String> = overview
            .languages
            .keys()
            .filter(|language| Some(*language) != overview.primary_language.as_ref())
            .collect();
        let mut project = Map::new();
        project.insert("name".to_owned(), json!(name));
        project.insert(
            "primaryLanguage".to_owned(),
            json!(overview.primary_language),
        );
        project.insert("secondaryLanguages".to_owned(), json!(secondary));
        project.insert("frameworks".to_owned(), json!(frameworks(map)));
        project.insert("fileCount".to_owned(), json!(overview.file_count));
        project.insert("lineCount".to_owned(), json!(lines));
        project.insert("targets".to_owned(), json!(overview.target_count));
        let stats = map.graph_stats();
        let mut briefing = Self {
            project,
            technology: technology(map),
            counts: (
                count(&|d| d.kind.is_type()),
                count(&|d| d.kind.is_callable()),
                count(&|d| d.kind == SymbolKind::Interface),
            ),
            types: types(map, |kind| kind.is_type() && kind != SymbolKind::Interface),
            interfaces: interfaces(map),
            categories: types(map, |kind| kind == SymbolKind::Extension),
            long_methods: long_methods(map),
            complex_methods: complex_methods(map),
            entity_graph: json!({
                "nodes": stats.node_types.values().sum::<usize>(),
                "edges": stats.total_edges,
                "byRelation": stats.by_relation,
            }),
            call_edges: map
                .calls()
                .iter()
                .filter(|call| call.confidence >= KNOWN_CALL)
                .count(),
            hot_methods: hot_methods(map),
            module_names: panorama
                .graph
                .modules
                .iter()
                .map(|m| m.name.clone())
                .collect(),
            dependencies: dependencies(panorama.graph),
            cycles: cycles(map, panorama.graph),
            guard: json!({"errors": guard.errors, "warnings": guard.warnings}),
            guard_top: guard.top,
            targets: targets(map)
                .targets
                .iter()
                .map(|target| json!(target))
                .collect(),
            dimensions: dimension_rows(map, dimensions),
            plan: execution_plan(dimensions),
            layers: layers(panorama),
            gaps: panorama
                .gaps
                .iter()
                .map(|gap| {
                    json!({
                        "dimension": gap.dimension,
                        "status": gap.status,
                        "priority": gap.priority,
                    })
                })
                .collect(),
            session,
            warnings,
            truncated: BTreeSet::new(),
            level: Compression::None,
        };
        briefing.cut_by_rank();
        briefing
    }

    /// Lists have a length that a reader can use, also where there is room.
    fn cut_by_rank(&mut self) {
        let truncated = &mut self.truncated;
        cut(&mut self.types, 60, "ast.top", truncated);
        cut(&mut self.interfaces, 40, "ast.interfaces", truncated);
        cut(&mut self.categories, 30, "ast.categories", truncated);
        cut(&mut self.long_methods, 20, "ast.longMethods", truncated);
        cut(
            &mut self.complex_methods,
            20,
            "ast.complexMethods",
            truncated,
        );
        cut(&mut self.hot_methods, 30, "callGraph.hotMethods", truncated);
        cut(
            &mut self.dependencies,
            200,
            "dependencyGraph.edges",
            truncated,
        );
        cut(&mut self.guard_top, 20, "guardFindings.top", truncated);
        cut(&mut self.targets, 200, "targets", truncated);
        cut(&mut self.technology, 60, "technology", truncated);
    }

    /// The briefing as JSON of at most so many bytes. What does not fit is shed
    /// in a fixed order; ids of dimensions, the plan and the specification of
    /// submissions stay.
    pub(crate) fn fit(mut self, most: usize) -> Value {
        let mut step = 0;
        loop {
            let value = self.value();
            let size = serde_json::to_string(&value).map_or(0, |text| text.len());
            if size <= most || !self.shed(step) {
                return with_size(value, size);
            }
            step += 1;
        }
    }

    /// Sheds one more thing; whether there was one.
    fn shed(&mut self, step: usize) -> bool {
        let truncated = &mut self.truncated;
        self.level = if step < 4 {
            Compression::Moderate
        } else {
            Compression::Aggressive
        };
        match step {
            0 => cut(
                &mut self.dependencies,
                30,
                "dependencyGraph.edges",
                truncated,
            ),
            1 => {
                cut(&mut self.types, 20, "ast.top", truncated);
                cut(&mut self.interfaces, 10, "ast.interfaces", truncated);
                for interface in &mut self.interfaces {
                    cut(&mut interface.conformances, 3, "ast.interfaces", truncated);
                }
            }
            2 => cut(&mut self.categories, 5, "ast.categories", truncated),
            3 => {
                cut(&mut self.long_methods, 0, "ast.longMethods", truncated);
                cut(
                    &mut self.complex_methods,
                    0,
                    "ast.complexMethods",
                    truncated,
                );
            }
            4 => {
                for dimension in &mut self.dimensions {
                    cut(&mut dimension.evidence, 0, "dimensions.evidence", truncated);
                }
            }
            5 => cut(&mut self.technology, 0, "technology", truncated),
            6 => {
                for dimension in &mut self.dimensions {
                    cut(
                        &mut dimension.guide.questions,
                        1,
                        "dimensions.guide",
                        truncated,
                    );
                    cut(&mut dimension.guide.files, 3, "dimensions.guide", truncated);
                }
            }
            // A project of hundreds of targets or modules: halve what is left.
            7..=16 => {
                let half = |n: usize| n / 2;
                let n = self.targets.len();
                cut(&mut self.targets, half(n), "targets", truncated);
                let n = self.layers.len();
                for layer in &mut self.layers {
                    if let Some(modules) = layer["modules"].as_array_mut() {
                        let n = modules.len();
                        cut(modules, half(n), "panorama.layers", truncated);
                    }
                }
                cut(
                    &mut self.layers,
                    n.div_ceil(2).max(8),
                    "panorama.layers",
                    truncated,
                );
                let n = self.module_names.len();
                cut(
                    &mut self.module_names,
                    half(n),
                    "dependencyGraph.nodes",
                    truncated,
                );
                let n = self.hot_methods.len();
                cut(
                    &mut self.hot_methods,
                    half(n),
                    "callGraph.hotMethods",
                    truncated,
                );
                let n = self.cycles.len();
                cut(
                    &mut self.cycles,
                    half(n),
                    "dependencyGraph.cycles",
                    truncated,
                );
                let n = self.types.len();
                cut(&mut self.types, half(n), "ast.top", truncated);
                let n = self.guard_top.len();
                cut(&mut self.guard_top, half(n), "guardFindings.top", truncated);
            }
            _ => return false,
        }
        true
    }

    fn value(&self) -> Value {
        let mut project = self.project.clone();
        project.insert("technology".to_owned(), json!(self.technology));
        json!({
            "projectMeta": project,
            "ast": {
                "types": self.counts.0,
                "functions": self.counts.1,
                "protocols": self.counts.2,
                "top": self.types,
                "interfaces": self.interfaces,
                "categories": self.categories,
                "longMethods": self.long_methods,
                "complexMethods": self.complex_methods,
            },
            "codeEntityGraph": self.entity_graph,
            "callGraph": {"edges": self.call_edges, "hotMethods": self.hot_methods},
            "dependencyGraph": {
                "nodes": self.module_names,
                "edges": self.dependencies,
                "cycles": self.cycles,
            },
            "guardFindings": {
                "errors": self.guard["errors"],
                "warnings": self.guard["warnings"],
                "top": self.guard_top,
            },
            "targets": self.targets,
            "dimensions": self.dimensions,
            "submissionSpec": submission_spec(),
            "executionPlan": self.plan,
            "panorama": {"layers": self.layers, "gaps": self.gaps},
            "session": self.session,
            "meta": {
                "warnings": self.warnings,
                "responseSizeKB": 100.0,
                "truncated": self.truncated,
                "compressionLevel": self.level,
            },
        })
    }
}

fn with_size(mut value: Value, bytes: usize) -> Value {
    #[expect(clippy::cast_precision_loss, reason = "it is about 100 KB")]
    let kilobytes = (bytes as f64 / 1024.0 * 10.0).round() / 10.0;
    value["meta"]["responseSizeKB"] = json!(kilobytes);
    value
}

fn cut<T>(
    list: &mut Vec<T>,
    most: usize,
    name: &'static str,
    truncated: &mut BTreeSet<&'static str>,
) {
    if list.len() > most {
        list.truncate(most);
        truncated.insert(name);
    }
}

fn place(map: &CodeMap, id: SymbolId) -> String {
    format!(
        "{}:{}",
        map.file(map.file_of(id)).path,
        map.declaration(id).line
    )
}

/// What is imported from outside, with how many files do so.
fn technology(map: &CodeMap) -> Vec<Value> {
    let mut counts: BTreeMap<&str, BTreeSet<u32>> = BTreeMap::new();
    for external in map
        .externals()
        .iter()
        .filter(|external| !external.is_broken)
    {
        counts
            .entry(package(&external.module))
            .or_default()
            .insert(external.from.0);
    }
    let mut rows: Vec<(&str, usize)> = counts
        .into_iter()
        .map(|(name, files)| (name, files.len()))
        .collect();
    rows.sort_by_key(|(name, files)| (std::cmp::Reverse(*files), *name));
    rows.into_iter()
        .map(|(name, files)| json!({"import": name, "files": files}))
        .collect()
}

/// The package that an imported module belongs to.
fn package(module: &str) -> &str {
    if module.starts_with('@') || module.contains("://") || module.contains(".com/") {
        return module;
    }
    module.split(['/', ':']).next().unwrap_or(module)
}

/// Types with most members first; of equal ones the first by place.
fn types(map: &CodeMap, wanted: impl Fn(SymbolKind) -> bool) -> Vec<TypeRow> {
    let mut members: BTreeMap<SymbolId, usize> = BTreeMap::new();
    for symbol in map.symbols() {
        if let Some(parent) = map.parent(symbol) {
            *members.entry(parent).or_default() += 1;
        }
    }
    let mut found: Vec<SymbolId> = map
        .symbols()
        .filter(|symbol| wanted(map.declaration(*symbol).kind) && !map.is_test(*symbol))
        .collect();
    let of = |symbol: &SymbolId| members.get(symbol).copied().unwrap_or(0);
    found.sort_by_key(|symbol| (std::cmp::Reverse(of(symbol)), *symbol));
    found
        .into_iter()
        .take(200)
        .map(|symbol| {
            let declaration = map.declaration(symbol);
            TypeRow {
                name: map.qualified_name(symbol),
                kind: declaration.kind.as_str(),
                at: place(map, symbol),
                members: of(&symbol),
                supertypes: declaration.supertypes.iter().take(5).cloned().collect(),
            }
        })
        .collect()
}

/// Interfaces with most that conform to them first.
fn interfaces(map: &CodeMap) -> Vec<InterfaceRow> {
    let mut conforming: BTreeMap<SymbolId, Vec<SymbolId>> = BTreeMap::new();
    for edge in map.types() {
        if let Some(to) = edge.to {
            conforming.entry(to).or_default().push(edge.from);
        }
    }
    let mut rows: Vec<InterfaceRow> = map
        .symbols()
        .filter(|symbol| map.declaration(*symbol).kind == SymbolKind::Interface)
        .filter(|symbol| !map.is_test(*symbol))
        .map(|symbol| {
            let types = conforming.get(&symbol).map_or(&[][..], Vec::as_slice);
            let names: BTreeSet<&str> = types
                .iter()
                .map(|t| map.declaration(*t).name.as_str())
                .collect();
            InterfaceRow {
                name: map.qualified_name(symbol),
                at: place(map, symbol),
                count: names.len(),
                conformances: names.into_iter().take(8).map(str::to_owned).collect(),
            }
        })
        .collect();
    rows.sort_by(|a, b| b.count.cmp(&a.count).then_with(|| a.at.cmp(&b.at)));
    rows.truncate(200);
    rows
}

/// Functions of at least so many lines are long.
const LONG: u32 = 60;
/// Functions that call at least so often are complex.
const COMPLEX: usize = 30;

fn functions(map: &CodeMap) -> impl Iterator<Item = SymbolId> + '_ {
    map.symbols()
        .filter(|symbol| map.declaration(*symbol).kind.is_callable() && !map.is_test(*symbol))
}

fn long_methods(map: &CodeMap) -> Vec<Value> {
    let lines = |id: SymbolId| {
        let declaration = map.declaration(id);
        declaration.end_line.saturating_sub(declaration.line) + 1
    };
    let mut found: Vec<SymbolId> = functions(map).filter(|id| lines(*id) >= LONG).collect();
    found.sort_by_key(|id| (std::cmp::Reverse(lines(*id)), *id));
    found
        .into_iter()
        .map(|id| json!({"name": map.qualified_name(id), "at": place(map, id), "lines": lines(id)}))
        .collect()
}

fn complex_methods(map: &CodeMap) -> Vec<Value> {
    let mut counts: BTreeMap<SymbolId, usize> = BTreeMap::new();
    for (index, file) in (0_u32..).zip(map.files()) {
        for call in &file.source.facts.calls {
            if let Some(caller) = call.caller {
                let symbol = map.symbol(asd_codemap::FileId(index), caller);
                *counts.entry(symbol).or_default() += 1;
            }
        }
    }
    let mut found: Vec<(SymbolId, usize)> = counts
        .into_iter()
        .filter(|(id, count)| {
            *count >= COMPLEX && map.declaration(*id).kind.is_callable() && !map.is_test(*id)
        })
        .collect();
    found.sort_by_key(|(id, count)| (std::cmp::Reverse(*count), *id));
    found
        .into_iter()
        .map(|(id, calls)| json!({"name": map.qualified_name(id), "at": place(map, id), "calls": calls}))
        .collect()
}

/// What most other functions call.
fn hot_methods(map: &CodeMap) -> Vec<Value> {
    let mut counts: BTreeMap<SymbolId, BTreeSet<(u32, Option<SymbolId>)>> = BTreeMap::new();
    for call in map
        .calls()
        .iter()
        .filter(|call| call.confidence >= KNOWN_CALL)
    {
        if call.caller != Some(call.callee) {
            counts
                .entry(call.callee)
                .or_default()
                .insert((call.file.0, call.caller));
        }
    }
    let mut found: Vec<(SymbolId, usize)> = counts
        .into_iter()
        .map(|(id, callers)| (id, callers.len()))
        .filter(|(id, callers)| *callers >= 3 && !map.is_test(*id))
        .collect();
    found.sort_by_key(|(id, callers)| (std::cmp::Reverse(*callers), *id));
    found
        .into_iter()
        .take(100)
        .map(|(id, callers)| {
            json!({"name": map.qualified_name(id), "at": place(map, id), "callers": callers})
        })
        .collect()
}

/// Edges between modules, the heaviest first.
fn dependencies(graph: &ModuleGraph) -> Vec<Value> {
    let mut edges: Vec<&asd_codemap::ModuleEdge> = graph.edges.iter().collect();
    // Sorting is stable: edges of one weight stay in the order of their ends.
    edges.sort_by(|a, b| b.weight.total_cmp(&a.weight));
    edges
        .into_iter()
        .map(|edge| {
            json!({
                "from": graph.modules[edge.from].name,
                "to": graph.modules[edge.to].name,
                "weight": (edge.weight * 10.0).round() / 10.0,
            })
        })
        .collect()
}

fn cycles(map: &CodeMap, graph: &ModuleGraph) -> Vec<Value> {
    let modules = graph.cycles.iter().map(|cycle| {
        let names: Vec<&str> =
            cycle.modules.iter().take(12).map(|at| graph.modules[*at].name.as_str()).collect();
        json!({"of": "modules", "size": cycle.modules.len(), "severity": cycle.severity, "members": names})
    });
    let files = file_cycles(map);
    let files = files.iter().map(|cycle| {
        let names: Vec<&str> = cycle
            .iter()
            .take(12)
            .map(|file| map.file(*file).path.as_str())
            .collect();
        let severity = if cycle.len() > 3 { "error" } else { "warning" };
        json!({"of": "files", "size": cycle.len(), "severity": severity, "members": names})
    });
    modules.chain(files.take(20)).collect()
}

/// Layers with their modules, the lowest first.
pub(crate) fn layers(panorama: &Panorama<'_>) -> Vec<Value> {
    let graph = panorama.graph;
    graph
        .layers
        .iter()
        .map(|layer| {
            let modules: Vec<Value> = layer
                .modules
                .iter()
                .map(|at| {
                    json!({
                        "name": graph.modules[*at].name,
                        "role": graph.modules[*at].role.role,
                        "fileCount": graph.modules[*at].files.len(),
                        "recipeCount": panorama.modules[*at].recipes.len(),
                    })
                })
                .collect();
            json!({"level": layer.level, "name": layer.name, "modules": modules})
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use asd_codemap::module_graph;

    use super::super::dimensions::active;
    use super::super::test_map::map;
    use super::*;

    fn large() -> CodeMap {
        let mut files: Vec<(String, String)> = Vec::new();
        for folder in 0..60 {
            for file in 0..5 {
                let mut text = String::new();
                for other in 0..6 {
                    let _ = writeln!(
                        text,
                        "from folder_with_a_long_name_{:02}.file_{file} import Type{other}",
                        (folder + other + 1) % 60
                    );
                }
                for class in 0..6 {
                    let _ = writeln!(
                        text,
                        "class Type{class}(Base{folder}):\n    def method_{folder}_{class}(self):\n        raise Error{class}()\n"
                    );
                }
                files.push((
                    format!("folder_with_a_long_name_{folder:02}/file_{file}.py"),
                    text,
                ));
            }
        }
        let files: Vec<(&str, &str)> = files
            .iter()
            .map(|(path, text)| (path.as_str(), text.as_str()))
            .collect();
        map(&files)
    }

    fn briefing(map: &CodeMap, most: usize) -> Value {
        let graph = module_graph(map, &[]);
        let dimensions = active(map);
        let panorama = Panorama::new(map, &graph, Vec::new(), &dimensions);
        let guard = GuardFindings::default();
        Briefing::new(
            "large",
            &panorama,
            &dimensions,
            guard,
            json!({"id": "s"}),
            Vec::new(),
        )
        .fit(most)
    }

    #[test]
    fn what_does_not_fit_is_shed_and_named_and_the_plan_stays() {
        let map = large();
        let whole = briefing(&map, usize::MAX);
        assert_eq!(whole["meta"]["compressionLevel"], "none");
        let mut before = usize::MAX;
        for most in [MOST_BYTES, 40_000, 25_000, 18_000] {
            let value = briefing(&map, most);
            let size = serde_json::to_string(&value).unwrap().len();
            assert!(size <= most, "{size} > {most}");
            assert!(size <= before);
            before = size;
            assert_eq!(value["executionPlan"], whole["executionPlan"]);
            assert_eq!(value["submissionSpec"], whole["submissionSpec"]);
            let ids = |value: &Value| -> Vec<Value> {
                let rows = value["dimensions"].as_array().unwrap();
                rows.iter().map(|row| row["id"].clone()).collect()
            };
            assert_eq!(ids(&value), ids(&whole));
        }
    }

    #[test]
    fn dependencies_are_shed_first_and_guides_last() {
        let map = large();
        let whole = briefing(&map, usize::MAX);
        let size = serde_json::to_string(&whole).unwrap().len();
        let moderate = briefing(&map, size - 200);
        assert_eq!(moderate["meta"]["compressionLevel"], "moderate");
        assert_eq!(
            moderate["dependencyGraph"]["edges"]
                .as_array()
                .unwrap()
                .len(),
            30
        );
        assert_eq!(moderate["ast"]["top"], whole["ast"]["top"]);
        let aggressive = briefing(&map, 18_000);
        assert_eq!(aggressive["meta"]["compressionLevel"], "aggressive");
        assert_eq!(aggressive["dimensions"][0]["evidence"], json!([]));
        let truncated = aggressive["meta"]["truncated"].as_array().unwrap();
        assert!(
            truncated.contains(&json!("dependencyGraph.edges")),
            "{truncated:?}"
        );
    }

    #[test]
    fn equal_maps_give_equal_briefings() {
        assert_eq!(
            briefing(&large(), MOST_BYTES),
            briefing(&large(), MOST_BYTES)
        );
    }

    #[test]
    fn a_package_is_told_from_a_module_of_it() {
        assert_eq!(package("react/jsx-runtime"), "react");
        assert_eq!(package("std::sync::Arc"), "std");
        assert_eq!(package("@scope/name"), "@scope/name");
        assert_eq!(package("github.com/a/b"), "github.com/a/b");
    }
}
