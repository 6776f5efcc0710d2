//! `asd map`, `asd graph` and `asd calls`.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use anyhow::{Context, bail};
use asd_codemap::{
    CallContext, CodeIndex, CodeMap, Direction, Keep, ModuleGraph, Progress, ScanOptions,
    call_context, call_matrix, file_cycles, module_graph, near_names, target_files,
    target_metadata, targets,
};
use asd_store::{Disk, Project};
use serde::Serialize;
use serde_json::json;

use crate::Outcome;
use crate::map_args::{
    CallDirection, CallsOptions, EdgeKind, GraphCommand, GraphOptions, MapCommand, MapOptions,
    MapProject,
};
use crate::table::table;
use crate::terminal::Terminal;

fn scan(options: &MapProject, terminal: &Terminal) -> anyhow::Result<CodeIndex> {
    let project = Project::discover(&options.project);
    let never = AtomicBool::new(false);
    let shown = AtomicUsize::new(0);
    let show = terminal.shows_progress;
    let progress = |progress: Progress| {
        // Every hundredth part is enough for a person.
        let step = (progress.total / 100).max(1);
        if show && progress.done / step > shown.fetch_max(progress.done / step, Ordering::Relaxed) {
            anstream::eprint!("\rReading {}/{} files", progress.done, progress.total);
        }
    };
    let index = CodeIndex::scan(
        &project,
        &ScanOptions {
            host: &Disk,
            cancel: &never,
            progress: &progress,
            keep: Keep::WhenSetUp,
        },
    )?;
    if show {
        anstream::eprint!("\r\u{1b}[K");
    }
    for warning in index.warnings() {
        terminal.note(warning);
    }
    Ok(index)
}

/// A module as tools show it.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ModuleRow<'m> {
    name: &'m str,
    role: &'static str,
    confidence: f64,
    file_count: usize,
    level: usize,
    fan_in: usize,
    fan_out: usize,
    needs: Vec<&'m str>,
}

fn module_rows(graph: &ModuleGraph) -> Vec<ModuleRow<'_>> {
    graph
        .modules
        .iter()
        .enumerate()
        .map(|(index, module)| ModuleRow {
            name: &module.name,
            role: module.role.role.as_str(),
            confidence: (module.role.confidence * 100.0).round() / 100.0,
            file_count: module.files.len(),
            level: module.level,
            fan_in: module.fan_in,
            fan_out: module.fan_out,
            needs: graph
                .edges
                .iter()
                .filter(|edge| edge.from == index)
                .map(|edge| graph.modules[edge.to].name.as_str())
                .collect(),
        })
        .collect()
}

fn layers_json(map: &CodeMap, graph: &ModuleGraph) -> serde_json::Value {
    let name = |index: &usize| graph.modules[*index].name.as_str();
    json!({
        "layers": graph.layers.iter().map(|layer| json!({
            "level": layer.level,
            "name": layer.name,
            "modules": layer.modules.iter().map(|at| json!({
                "name": name(at),
                "role": graph.modules[*at].role.role.as_str(),
                "fileCount": graph.modules[*at].files.len(),
            })).collect::<Vec<_>>(),
        })).collect::<Vec<_>>(),
        "cycles": graph.cycles.iter().map(|cycle| json!({
            "modules": cycle.modules.iter().map(name).collect::<Vec<_>>(),
            "severity": cycle.severity,
        })).collect::<Vec<_>>(),
        "violations": graph.violations.iter().map(|at| json!({
            "from": name(&graph.edges[*at].from),
            "to": name(&graph.edges[*at].to),
        })).collect::<Vec<_>>(),
        "averageCoupling": (graph.average_coupling * 100.0).round() / 100.0,
        "fileCycles": file_cycles(map).iter().map(|cycle| {
            cycle.iter().map(|file| map.file(*file).path.as_str()).collect::<Vec<_>>()
        }).collect::<Vec<_>>(),
    })
}

pub(crate) fn run_map(options: &MapOptions, terminal: &mut Terminal) -> anyhow::Result<Outcome> {
    let index = scan(&options.project, terminal)?;
    let map = index.map();
    let json = options.project.json;
    match &options.what {
        None => {
            let graph = module_graph(&map, &[]);
            if json {
                let mut value =
                    serde_json::to_value(targets(&map)).context("cannot write the result")?;
                value["modules"] = serde_json::to_value(module_rows(&graph))?;
                if let (Some(value), serde_json::Value::Object(layers)) =
                    (value.as_object_mut(), layers_json(&map, &graph))
                {
                    value.extend(layers);
                }
                terminal.json(&value)?;
            } else {
                show_targets(&map, terminal)?;
                terminal.line("")?;
                show_modules(&graph, terminal)?;
                terminal.line("")?;
                show_layers(&map, &graph, terminal)?;
            }
        }
        Some(MapCommand::Targets) if json => terminal.json(&targets(&map))?,
        Some(MapCommand::Targets) => show_targets(&map, terminal)?,
        Some(MapCommand::Files { target, max }) => {
            let files =
                target_files(&map, target, *max).with_context(|| no_target(&map, target))?;
            if json {
                terminal.json(&files)?;
            } else {
                let rows = files.files.iter().map(|file| {
                    vec![
                        file.path.clone(),
                        file.language.clone(),
                        file.lines.to_string(),
                        format!("{:?}", file.priority).to_lowercase(),
                    ]
                });
                table(
                    &["file", "language", "lines", "read"],
                    rows.collect(),
                    terminal,
                )?;
                if files.truncated {
                    terminal.line(&format!("… {} files in all; --max shows more", files.total))?;
                }
            }
        }
        Some(MapCommand::Target { target }) => {
            let target = target_metadata(&map, target).with_context(|| no_target(&map, target))?;
            if json {
                terminal.json(&target)?;
            } else {
                terminal.line(&format!(
                    "{} ({})",
                    target.target_name,
                    target.role.as_str()
                ))?;
                terminal.line(&format!("  folder      {}", target.path))?;
                terminal.line(&format!(
                    "  manifest    {}",
                    target.manifest.as_deref().unwrap_or("none")
                ))?;
                terminal.line(&format!("  needs       {}", listed(&target.dependencies)))?;
                terminal.line(&format!("  needed by   {}", listed(&target.dependents)))?;
            }
        }
        Some(MapCommand::Modules) => {
            let graph = module_graph(&map, &[]);
            if json {
                terminal.json(&module_rows(&graph))?;
            } else {
                show_modules(&graph, terminal)?;
            }
        }
        Some(MapCommand::Layers) => {
            let graph = module_graph(&map, &[]);
            if json {
                terminal.json(&layers_json(&map, &graph))?;
            } else {
                show_layers(&map, &graph, terminal)?;
            }
        }
        Some(MapCommand::Matrix) => {
            let matrix = call_matrix(&map);
            match matrix {
                _ if json => terminal.json(&matrix)?,
                None => terminal.line("Too few calls between folders to tell layers from them.")?,
                Some(matrix) => {
                    let rows = matrix.nodes.iter().map(|node| {
                        let cycle = if node.in_cycle { "in a circle" } else { "" };
                        vec![
                            node.name.clone(),
                            format!("{:?}", node.layer),
                            format!("{:.2}", node.score),
                            cycle.to_owned(),
                        ]
                    });
                    table(&["folder", "layer", "score", ""], rows.collect(), terminal)?;
                    for pair in &matrix.hot_paths {
                        terminal.line(&format!(
                            "{} → {}  {} calls",
                            matrix.nodes[pair.from].name, matrix.nodes[pair.to].name, pair.count
                        ))?;
                    }
                }
            }
        }
    }
    Ok(Outcome::Fine)
}

fn no_target(map: &CodeMap, wanted: &str) -> String {
    let names: Vec<&str> = map
        .targets()
        .iter()
        .map(|target| target.name.as_str())
        .collect();
    format!(
        "There is no target {wanted:?}. The targets are: {}.",
        names.join(", ")
    )
}

fn listed(names: &[String]) -> String {
    if names.is_empty() {
        "nothing".to_owned()
    } else {
        names.join(", ")
    }
}

fn show_targets(map: &CodeMap, terminal: &mut Terminal) -> anyhow::Result<()> {
    let targets = targets(map);
    let rows = targets.targets.iter().map(|target| {
        let languages: Vec<String> = target
            .language_stats
            .iter()
            .map(|(name, count)| format!("{name} {count}"))
            .collect();
        vec![
            target.name.clone(),
            target.kind.clone(),
            target.inferred_role.as_str().to_owned(),
            target.file_count.to_string(),
            languages.join(", "),
        ]
    });
    table(
        &["target", "type", "role", "files", "languages"],
        rows.collect(),
        terminal,
    )
}

fn show_modules(graph: &ModuleGraph, terminal: &mut Terminal) -> anyhow::Result<()> {
    let rows = module_rows(graph).into_iter().map(|row| {
        vec![
            row.name.to_owned(),
            row.role.to_owned(),
            row.file_count.to_string(),
            row.fan_in.to_string(),
            row.fan_out.to_string(),
            row.needs.join(", "),
        ]
    });
    table(
        &["module", "role", "files", "in", "out", "needs"],
        rows.collect(),
        terminal,
    )
}

fn show_layers(map: &CodeMap, graph: &ModuleGraph, terminal: &mut Terminal) -> anyhow::Result<()> {
    let name = |index: &usize| graph.modules[*index].name.clone();
    let rows = graph.layers.iter().rev().map(|layer| {
        let modules: Vec<String> = layer.modules.iter().map(name).collect();
        vec![
            layer.level.to_string(),
            layer.name.clone(),
            modules.join(", "),
        ]
    });
    table(&["level", "layer", "modules"], rows.collect(), terminal)?;
    for cycle in &graph.cycles {
        let modules: Vec<String> = cycle.modules.iter().map(name).collect();
        terminal.line(&format!(
            "{}: a circle of {}",
            cycle.severity,
            modules.join(", ")
        ))?;
    }
    for at in &graph.violations {
        let edge = &graph.edges[*at];
        terminal.line(&format!(
            "warning: {} needs {}, which stands above it",
            name(&edge.from),
            name(&edge.to)
        ))?;
    }
    let circles = file_cycles(map);
    if !circles.is_empty() {
        terminal.line(&format!(
            "{} circles of files that import each other (--json names them)",
            circles.len()
        ))?;
    }
    Ok(())
}

pub(crate) fn run_graph(
    options: &GraphOptions,
    terminal: &mut Terminal,
) -> anyhow::Result<Outcome> {
    let index = scan(&options.project, terminal)?;
    let map = index.map();
    let json = options.project.json;
    match &options.what {
        GraphCommand::Query { node, relation } => {
            let found = map
                .query_node(node, relation.as_deref())
                .with_context(|| no_node(&map, node))?;
            if json {
                terminal.json(&found)?;
            } else {
                terminal.line(&found.node_id)?;
                for (sign, list) in [("→", &found.outgoing), ("←", &found.incoming)] {
                    for edge in list {
                        terminal
                            .line(&format!("  {sign} {:<9} {}", edge.relation, edge.target.id))?;
                    }
                }
            }
        }
        GraphCommand::Impact { node, depth } => {
            let found = map
                .node_impact(node, usize::from(*depth))
                .with_context(|| no_node(&map, node))?;
            if json {
                terminal.json(&found)?;
            } else {
                let rows = found
                    .impacted
                    .iter()
                    .map(|one| vec![one.depth.to_string(), one.via.to_owned(), one.id.clone()]);
                table(&["depth", "via", "node"], rows.collect(), terminal)?;
                terminal.line(&format!(
                    "A change of {} reaches {} nodes.",
                    found.node_id, found.impacted_count
                ))?;
            }
        }
        GraphCommand::Path { from, to, depth } => {
            let missing = if map.query_node(from, None).is_none() {
                from
            } else {
                to
            };
            let found = map
                .node_path(from, to, usize::from(*depth))
                .with_context(|| no_node(&map, missing))?;
            if json {
                terminal.json(&found)?;
            } else if found.found {
                for step in &found.path {
                    terminal.line(&format!("{} —{}→ {}", step.from, step.relation, step.to))?;
                }
            } else {
                terminal.line(&format!("No way from {from} to {to} within {depth} edges."))?;
            }
        }
        GraphCommand::Stats => {
            let stats = map.graph_stats();
            if json {
                terminal.json(&stats)?;
            } else {
                let edges = stats
                    .by_relation
                    .iter()
                    .map(|(name, count)| vec![(*name).to_owned(), count.to_string()]);
                table(&["edges", "count"], edges.collect(), terminal)?;
                let nodes = stats
                    .node_types
                    .iter()
                    .map(|(name, count)| vec![name.clone(), count.to_string()]);
                table(&["nodes", "count"], nodes.collect(), terminal)?;
            }
        }
        GraphCommand::Edges {
            kind: EdgeKind::Imports,
        } => {
            for edge in map.imports() {
                let line = json!({
                    "from": map.file(edge.from).path, "to": map.file(edge.to).path,
                    "kind": edge.kind, "line": edge.line,
                });
                terminal.line(&line.to_string())?;
            }
        }
        GraphCommand::Edges {
            kind: EdgeKind::Calls,
        } => {
            for call in map.calls() {
                let callee = map.declaration(call.callee);
                let site = &map.file(call.file).source.facts.calls[call.site as usize];
                let line = json!({
                    "file": map.file(call.file).path, "line": call.line, "name": site.name,
                    "offset": site.span.start,
                    "caller": call.caller.map(|caller| map.qualified_name(caller)),
                    "callee": map.qualified_name(call.callee), "calleeKind": callee.kind.as_str(),
                    "calleeFile": map.file(map.file_of(call.callee)).path,
                    "calleeLine": callee.line, "calleeEnd": callee.end_line, "confidence": call.confidence,
                });
                terminal.line(&line.to_string())?;
            }
        }
    }
    Ok(Outcome::Fine)
}

fn no_node(map: &CodeMap, wanted: &str) -> String {
    let near = near_names(map, wanted);
    if near.is_empty() {
        format!(
            "There is no file or symbol {wanted:?}. Files are named by their path from the project's root."
        )
    } else {
        format!(
            "There is no file or symbol {wanted:?}. Near names: {}.",
            near.join(", ")
        )
    }
}

pub(crate) fn run_calls(
    options: &CallsOptions,
    terminal: &mut Terminal,
) -> anyhow::Result<Outcome> {
    let index = scan(&options.project, terminal)?;
    let map = index.map();
    let direction = match options.direction {
        CallDirection::Callers => Direction::Callers,
        CallDirection::Callees => Direction::Callees,
        CallDirection::Both => Direction::Both,
        CallDirection::Impact => Direction::Impact,
    };
    let context = call_context(&map, &options.name, direction, usize::from(options.depth));
    if options.project.json {
        terminal.json(&context)?;
        return Ok(Outcome::Fine);
    }
    if context.matches.is_empty() {
        if context.suggestions.is_empty() {
            bail!("Nothing is called {:?} here.", options.name);
        }
        bail!(
            "Nothing is called {:?} here. Near names: {}.",
            options.name,
            context.suggestions.join(", ")
        );
    }
    show_context(&context, terminal)?;
    Ok(Outcome::Fine)
}

fn show_context(context: &CallContext, terminal: &mut Terminal) -> anyhow::Result<()> {
    for one in &context.matches {
        terminal.line(&format!(
            "{} {}  {}:{}",
            one.kind, one.symbol, one.file, one.line
        ))?;
    }
    for (title, list) in [("called by", &context.callers), ("calls", &context.callees)] {
        if list.is_empty() {
            continue;
        }
        terminal.line("")?;
        let rows = list.iter().map(|one| {
            vec![
                one.symbol.clone(),
                format!("{}:{}", one.file, one.line),
                one.depth.to_string(),
                format!("{:.2}", one.confidence),
            ]
        });
        table(&[title, "where", "depth", "sure"], rows.collect(), terminal)?;
    }
    terminal.line("")?;
    let impact = &context.impact;
    terminal.line(&format!(
        "risk of a change: {} ({} direct callers, {} in all, in {} files; {} are tests)",
        impact.risk, impact.direct_callers, impact.transitive_callers, impact.files, impact.tests
    ))
}
