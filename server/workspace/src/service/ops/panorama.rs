//! `asd_panorama`

use asd_codemap::ModuleGraph;
use asd_knowledge::lifecycle::is_consumable;
use serde_json::{Value, json};

use crate::code::CodeView;
use crate::intelligence::briefing::layers;
use crate::intelligence::dimensions::active;
use crate::intelligence::panorama::{Known, Panorama, counts, overall, radar};
use crate::intelligence::picture::{Picture, PictureFormat};
use crate::service::Service;
use crate::service::call::{Call, Reply, missing};
use crate::service::error::ServiceError;
use crate::service::knowledge::Held;
use crate::service::ops::bootstrap::name_of;
use crate::service::ops::governance;
use crate::service::ops::graph_code::no_module;

/// From this age on, in milliseconds, a panorama is stale. (mcp.md §5)
const STALE_MS: i64 = 24 * 60 * 60 * 1000;
/// How far back the trend looks.
const TREND_DAYS: i64 = 30;
const TREND: i64 = TREND_DAYS * 86_400;
/// How many files of a module are named.
const MOST_FILES: usize = 50;

pub(super) fn run(service: &Service, call: &Call<'_>) -> Result<Reply, ServiceError> {
    if call.operation() == "module" && call.text("module").is_none() {
        return Err(missing(&["module"]));
    }
    match call.operation() {
        "governance_cycle" => return governance::cycle(service, call.seconds()),
        "decay_report" => return governance::decay_report(service, call.seconds()),
        "staging_check" => return governance::staging_check(service, call.seconds()),
        "enhancement_suggestions" => {
            return governance::enhancement_suggestions(service, call.seconds());
        }
        _ => {}
    }
    let view = service.code()?;
    let held = service.knowledge.all();
    let panorama = panorama_of(&view, &held);
    let mut reply = match (call.operation(), call.text("module")) {
        ("module", Some(name)) => module(&panorama, name)?,
        ("gaps", _) => Reply::new(
            format!("{} gaps.", panorama.gaps.len()),
            json!(panorama.gaps),
        ),
        ("health", _) => health(&panorama, call.seconds()),
        _ => overview(service, &view, &panorama, call.now),
    };
    reply.warnings.extend(view.warnings.iter().cloned());
    Ok(reply)
}

/// The panorama of a view and the recipes beside it.
pub(super) fn panorama_of<'a>(view: &'a CodeView, held: &'a [Held]) -> Panorama<'a> {
    let dimensions = active(&view.map);
    Panorama::new(&view.map, view.modules(), settled(held), &dimensions)
}

/// The panorama as a picture.
pub(crate) fn picture(service: &Service, format: PictureFormat) -> Result<String, ServiceError> {
    let view = service.code()?;
    let held = service.knowledge.all();
    let panorama = panorama_of(&view, &held);
    let picture = Picture::of(&name_of(service, &view), &panorama);
    Ok(picture.draw(format))
}

/// The recipes that are in use.
pub(super) fn settled(held: &[Held]) -> Vec<Known<'_>> {
    held.iter()
        .filter(|held| is_consumable(held.recipe.lifecycle))
        .map(|held| Known {
            key: held.key(),
            recipe: &held.recipe,
        })
        .collect()
}

fn rounded(value: f64) -> f64 {
    (value * 100.0).round() / 100.0
}

fn overview(service: &Service, view: &CodeView, panorama: &Panorama<'_>, now: i64) -> Reply {
    let graph = panorama.graph;
    let files: usize = graph.modules.iter().map(|module| module.files.len()).sum();
    let data = json!({
        "projectRoot": service.project().root(),
        "moduleCount": graph.modules.len(),
        "layerCount": graph.layers.len(),
        "totalFiles": view.map.files().len(),
        "totalRecipes": panorama.recipes.len(),
        "overallCoverage": rounded(panorama.overall_coverage()),
        "layers": layers(panorama),
        "cycleCount": graph.cycles.len(),
        "cycles": cycles(graph),
        "violations": violations(graph),
        "gapCount": panorama.gaps.len(),
        "healthRadar": {
            "score": rounded(panorama.radar_overall()),
            "dims": panorama.radar,
            "general": panorama.general,
        },
        "computedAt": view.at,
        "stale": now - view.at > STALE_MS,
    });
    Reply::new(
        format!(
            "{} modules with {files} files in {} layers, {} circles; {} recipes, {} gaps.",
            graph.modules.len(),
            graph.layers.len(),
            graph.cycles.len(),
            panorama.recipes.len(),
            panorama.gaps.len()
        ),
        data,
    )
}

fn cycles(graph: &ModuleGraph) -> Vec<Value> {
    let name = |at: &usize| graph.modules[*at].name.as_str();
    graph
        .cycles
        .iter()
        .map(|cycle| {
            let modules: Vec<&str> = cycle.modules.iter().map(name).collect();
            json!({"modules": modules, "severity": cycle.severity})
        })
        .collect()
}

fn violations(graph: &ModuleGraph) -> Vec<Value> {
    graph
        .violations
        .iter()
        .map(|at| {
            let edge = &graph.edges[*at];
            json!({"from": graph.modules[edge.from].name, "to": graph.modules[edge.to].name})
        })
        .collect()
}

fn module(panorama: &Panorama<'_>, name: &str) -> Result<Reply, ServiceError> {
    let graph = panorama.graph;
    let mut modules = graph.modules.iter();
    let at = modules
        .position(|module| module.name == name)
        .ok_or_else(|| no_module(graph, name))?;
    let module = &graph.modules[at];
    let knowledge = &panorama.modules[at];
    let layer = graph
        .layers
        .iter()
        .find(|layer| layer.modules.contains(&at));
    let neighbours = |is_from: bool| -> Vec<Value> {
        graph
            .edges
            .iter()
            .filter(|edge| {
                if is_from {
                    edge.from == at
                } else {
                    edge.to == at
                }
            })
            .map(|edge| {
                let other = if is_from { edge.to } else { edge.from };
                json!({
                    "name": graph.modules[other].name,
                    "imports": edge.imports,
                    "calls": edge.calls,
                    "types": edge.types,
                    "weight": rounded(edge.weight),
                })
            })
            .collect()
    };
    let recipes: Vec<Value> = knowledge
        .recipes
        .iter()
        .map(|index| {
            let known = &panorama.recipes[*index];
            json!({
                "id": known.key,
                "title": known.recipe.title,
                "trigger": known.recipe.trigger,
            })
        })
        .collect();
    let files: Vec<&str> = module
        .files
        .iter()
        .take(MOST_FILES)
        .map(|file| panorama.map.file(*file).path.as_str())
        .collect();
    let data = json!({
        "name": module.name,
        "role": module.role.role,
        "roleConfidence": rounded(module.role.confidence),
        "layer": layer.map(|layer| json!({"level": layer.level, "name": layer.name})),
        "fileCount": module.files.len(),
        "files": files,
        "fanIn": module.fan_in,
        "fanOut": module.fan_out,
        "inCycle": graph.cycles.iter().any(|cycle| cycle.modules.contains(&at)),
        "coverage": rounded(knowledge.coverage),
        "recipes": recipes,
        "neighbours": {"dependencies": neighbours(true), "dependents": neighbours(false)},
    });
    Ok(Reply::new(
        format!(
            "{name}: {} files, {} recipes.",
            module.files.len(),
            recipes.len()
        ),
        data,
    ))
}

fn health(panorama: &Panorama<'_>, now: i64) -> Reply {
    let score = panorama.health();
    let data = json!({
        "score": rounded(score),
        "radar": {"dims": panorama.radar, "score": rounded(panorama.radar_overall())},
        "cycles": panorama.graph.cycles.len(),
        "avgCoupling": rounded(panorama.graph.average_coupling),
        "highGaps": panorama.high_gaps(),
        "trend": trend(panorama, now),
    });
    Reply::new(format!("Health {score:.0} of 100."), data)
}

/// The radar now beside that of the recipes that were there 30 days ago.
fn trend(panorama: &Panorama<'_>, now: i64) -> Value {
    let was_there = |known: &&Known<'_>| {
        let created = known.recipe.created_at;
        created.is_none_or(|created| created <= now - TREND)
    };
    let before: Vec<Known<'_>> = panorama.recipes.iter().filter(was_there).copied().collect();
    let dimensions: Vec<_> = panorama
        .radar
        .iter()
        .filter_map(|row| crate::intelligence::dimensions::dimension(row.id))
        .collect();
    let before = overall(&radar(&counts(&before), &dimensions));
    let change = panorama.radar_overall() - before;
    let direction = if change > 0.5 {
        "improving"
    } else if change < -0.5 {
        "declining"
    } else {
        "stable"
    };
    json!({"direction": direction, "radarChange": rounded(change), "days": TREND_DAYS})
}
