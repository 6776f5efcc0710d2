//! The panorama as a picture: layers from the top down, modules in them, who
//! needs whom, circles, and how well recipes cover each. Equal projects give
//! equal bytes.

mod html;
mod layout;
mod mermaid;
mod svg;

use asd_codemap::Role;

use super::panorama::{Panorama, Status};

/// What a picture is made as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PictureFormat {
    /// An image of lines.
    Svg,
    /// A diagram for Markdown.
    Mermaid,
    /// A page of its own that answers to the mouse.
    Html,
}

/// How many modules of a layer are drawn.
const MOST_IN_LAYER: usize = 24;
/// How many edges are drawn.
const MOST_EDGES: usize = 70;
/// How many of them are parts of circles; more are a knot that nobody can read.
const MOST_IN_CIRCLES: usize = 18;

/// What is drawn.
#[derive(Clone, Debug)]
pub(crate) struct Picture {
    pub(crate) name: String,
    pub(crate) files: usize,
    pub(crate) recipes: usize,
    pub(crate) health: f64,
    pub(crate) radar: f64,
    pub(crate) coverage: f64,
    /// The highest first.
    pub(crate) layers: Vec<Band>,
    pub(crate) modules: Vec<Tile>,
    pub(crate) edges: Vec<Line>,
    /// Edges that are not drawn.
    pub(crate) hidden_edges: usize,
    /// Circles, by the names in them.
    pub(crate) cycles: Vec<Vec<String>>,
    pub(crate) rows: Vec<Row>,
}

/// A layer.
#[derive(Clone, Debug)]
pub(crate) struct Band {
    pub(crate) name: String,
    /// Indexes of its modules.
    pub(crate) modules: Vec<usize>,
    /// How many more it has.
    pub(crate) more: usize,
}

/// A module.
#[derive(Clone, Debug)]
pub(crate) struct Tile {
    pub(crate) name: String,
    pub(crate) role: Role,
    pub(crate) files: usize,
    pub(crate) recipes: Vec<String>,
    pub(crate) coverage: f64,
    pub(crate) fan_in: usize,
    pub(crate) fan_out: usize,
    pub(crate) in_cycle: bool,
    /// Names of modules that it needs.
    pub(crate) needs: Vec<String>,
    /// Names of modules that need it.
    pub(crate) needed_by: Vec<String>,
}

/// What kind of edge it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LineKind {
    /// From a higher layer to a lower one.
    Down,
    /// Part of a circle.
    Cycle,
    /// From a lower layer to a higher one.
    Up,
}

/// One module needs another.
#[derive(Clone, Debug)]
pub(crate) struct Line {
    pub(crate) from: usize,
    pub(crate) to: usize,
    pub(crate) weight: f64,
    pub(crate) kind: LineKind,
    /// Whether the other needs it, too.
    pub(crate) mutual: bool,
}

/// A dimension with how well it is known.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    pub(crate) label: &'static str,
    pub(crate) count: usize,
    pub(crate) score: usize,
    pub(crate) status: Status,
}

impl Picture {
    pub(crate) fn of(name: &str, panorama: &Panorama<'_>) -> Self {
        let graph = panorama.graph;
        let in_cycle = |at: usize| graph.cycles.iter().any(|cycle| cycle.modules.contains(&at));
        let together = |a: usize, b: usize| {
            let mut cycles = graph.cycles.iter();
            cycles.any(|cycle| cycle.modules.contains(&a) && cycle.modules.contains(&b))
        };
        // The largest modules of a layer are drawn, the others counted.
        let mut kept = vec![None; graph.modules.len()];
        let mut modules: Vec<Tile> = Vec::new();
        let mut layers = Vec::new();
        for layer in graph.layers.iter().rev() {
            let mut all = layer.modules.clone();
            all.sort_by_key(|at| (std::cmp::Reverse(graph.modules[*at].files.len()), *at));
            let more = all.len().saturating_sub(MOST_IN_LAYER);
            all.truncate(MOST_IN_LAYER);
            all.sort_unstable();
            let first = modules.len();
            for at in all {
                let module = &graph.modules[at];
                let known = &panorama.modules[at];
                kept[at] = Some(modules.len());
                modules.push(Tile {
                    name: module.name.clone(),
                    role: module.role.role,
                    files: module.files.len(),
                    recipes: known
                        .recipes
                        .iter()
                        .map(|index| panorama.recipes[*index].recipe.title.clone())
                        .collect(),
                    coverage: known.coverage,
                    fan_in: module.fan_in,
                    fan_out: module.fan_out,
                    in_cycle: in_cycle(at),
                    needs: graph
                        .edges
                        .iter()
                        .filter(|edge| edge.from == at)
                        .map(|edge| graph.modules[edge.to].name.clone())
                        .collect(),
                    needed_by: graph
                        .edges
                        .iter()
                        .filter(|edge| edge.to == at)
                        .map(|edge| graph.modules[edge.from].name.clone())
                        .collect(),
                });
            }
            layers.push(Band {
                name: layer.name.clone(),
                modules: (first..modules.len()).collect(),
                more,
            });
        }
        let mut edges: Vec<Line> = graph
            .edges
            .iter()
            .filter_map(|edge| {
                let kind = if together(edge.from, edge.to) {
                    LineKind::Cycle
                } else if graph.modules[edge.from].level < graph.modules[edge.to].level {
                    LineKind::Up
                } else {
                    LineKind::Down
                };
                Some(Line {
                    from: kept[edge.from]?,
                    to: kept[edge.to]?,
                    weight: edge.weight,
                    kind,
                    mutual: false,
                })
            })
            .collect();
        let all = edges.len();
        join_mutual(&mut edges);
        let joined = all - edges.len();
        leave_out_implied(&mut edges, modules.len());
        // Sorting is stable: edges of one weight stay in the order of their ends.
        edges.sort_by(|a, b| {
            let plain = |line: &Line| line.kind == LineKind::Down;
            plain(a).cmp(&plain(b)).then(b.weight.total_cmp(&a.weight))
        });
        let mut circular = 0;
        edges.retain(|line| {
            circular += usize::from(line.kind == LineKind::Cycle);
            line.kind != LineKind::Cycle || circular <= MOST_IN_CIRCLES
        });
        edges.truncate(MOST_EDGES);
        let hidden_edges = graph.edges.len() - joined - edges.len();
        Self {
            name: name.to_owned(),
            files: panorama.map.files().len(),
            recipes: panorama.recipes.len(),
            health: panorama.health(),
            radar: panorama.radar_overall(),
            coverage: panorama.overall_coverage(),
            layers,
            modules,
            edges,
            hidden_edges,
            cycles: graph
                .cycles
                .iter()
                .map(|cycle| {
                    cycle
                        .modules
                        .iter()
                        .map(|at| graph.modules[*at].name.clone())
                        .collect()
                })
                .collect(),
            rows: panorama
                .radar
                .iter()
                .map(|row| Row {
                    label: row.label,
                    count: row.count,
                    score: row.score,
                    status: row.status,
                })
                .collect(),
        }
    }

    /// The picture in a format.
    pub(crate) fn draw(&self, format: PictureFormat) -> String {
        match format {
            PictureFormat::Svg => svg::draw(self),
            PictureFormat::Mermaid => mermaid::draw(self),
            PictureFormat::Html => html::draw(self),
        }
    }
}

/// Makes one edge of two that lead there and back.
fn join_mutual(edges: &mut Vec<Line>) {
    let backward: std::collections::BTreeMap<(usize, usize), f64> = edges
        .iter()
        .map(|line| ((line.to, line.from), line.weight))
        .collect();
    edges.retain_mut(|line| {
        let Some(other) = backward.get(&(line.from, line.to)) else {
            return true;
        };
        line.mutual = true;
        line.weight += other;
        line.from < line.to
    });
}

/// Leaves out edges downward where a way over other modules leads there as
/// well: they say nothing of the order, and would cross what lies between.
fn leave_out_implied(edges: &mut Vec<Line>, count: usize) {
    let mut needs: Vec<Vec<usize>> = vec![Vec::new(); count];
    for line in edges.iter().filter(|line| line.kind == LineKind::Down) {
        needs[line.from].push(line.to);
    }
    let is_implied = |line: &Line| {
        let mut seen = vec![false; count];
        let mut open: Vec<usize> = needs[line.from]
            .iter()
            .copied()
            .filter(|next| *next != line.to)
            .collect();
        while let Some(at) = open.pop() {
            if at == line.to {
                return true;
            }
            if !std::mem::replace(&mut seen[at], true) {
                open.extend(&needs[at]);
            }
        }
        false
    };
    edges.retain(|line| line.kind != LineKind::Down || !is_implied(line));
}

/// The colour of a role.
const fn colour(role: Role) -> &'static str {
    match role {
        Role::Core => "#4263eb",
        Role::Service => "#0ca678",
        Role::Ui => "#e64980",
        Role::Networking => "#1c7ed6",
        Role::Storage => "#7048e8",
        Role::Test => "#868e96",
        Role::App => "#f08c00",
        Role::Routing => "#c2255c",
        Role::Utility => "#5c7080",
        Role::Model => "#ae3ec9",
        Role::Auth => "#e8590c",
        Role::Config => "#66a80f",
        Role::Feature => "#15aabf",
    }
}

/// A text that is safe within XML.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            // Control characters are no XML.
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
    out
}

/// A number with its noun.
fn counted(count: usize, noun: &str) -> String {
    if count == 1 {
        format!("1 {noun}")
    } else {
        format!("{count} {noun}s")
    }
}

#[cfg(test)]
mod tests;
