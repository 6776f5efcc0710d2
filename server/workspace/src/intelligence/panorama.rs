//! The whole at a glance: layers and modules, how well recipes cover them, gaps
//! and health. (mcp.md §5, §8)

use std::collections::{BTreeMap, BTreeSet};

use asd_codemap::{CodeMap, ModuleGraph, Role};
use asd_recipe::Recipe;
use serde::Serialize;

use super::dimensions::{Dimension, GENERAL, dimension_of};

/// How well a dimension is known. (mcp.md §5)
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Status {
    Strong,
    Adequate,
    Weak,
    Missing,
}

impl Status {
    pub(crate) const fn of(recipes: usize) -> Self {
        match recipes {
            0 => Self::Missing,
            1 => Self::Weak,
            2..=4 => Self::Adequate,
            _ => Self::Strong,
        }
    }
}

/// How urgent a gap is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Urgency {
    High,
    Medium,
    Low,
}

/// The score of a dimension with so many recipes.
pub(crate) const fn radar_score(recipes: usize) -> usize {
    let score = recipes.saturating_mul(20);
    if score > 100 { 100 } else { score }
}

/// The ring of a radar that a score lies in.
pub(crate) const fn radar_level(score: usize) -> &'static str {
    match score {
        80.. => "adopt",
        40..=79 => "trial",
        1..=39 => "assess",
        0 => "hold",
    }
}

/// How urgent a gap is; `None` when there is none.
pub(crate) fn urgency(status: Status, weighs: bool, is_related: bool) -> Option<Urgency> {
    match status {
        Status::Missing if weighs || is_related => Some(Urgency::High),
        Status::Missing => Some(Urgency::Medium),
        Status::Weak if weighs && is_related => Some(Urgency::Medium),
        Status::Weak => Some(Urgency::Low),
        Status::Adequate | Status::Strong => None,
    }
}

/// The health of a project, 0 to 100.
#[expect(clippy::cast_precision_loss, reason = "counts are far below 2^52")]
pub(crate) fn health(radar: f64, cycles: usize, high_gaps: usize, coupling: f64) -> f64 {
    let cycles = (20.0 - 5.0 * cycles as f64).max(0.0);
    let gaps = (10.0 - 2.0 * high_gaps as f64).max(0.0);
    let coupling = if coupling < 10.0 {
        10.0
    } else {
        (20.0 - coupling).max(0.0)
    };
    0.6 * radar + cycles + gaps + coupling
}

/// A dimension on the radar.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct RadarRow {
    pub(crate) id: &'static str,
    pub(crate) label: &'static str,
    pub(crate) count: usize,
    pub(crate) status: Status,
    pub(crate) score: usize,
    pub(crate) level: &'static str,
    pub(crate) weight: f64,
}

/// A gap in the knowledge.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Gap {
    pub(crate) dimension: &'static str,
    pub(crate) status: Status,
    pub(crate) recipe_count: usize,
    pub(crate) priority: Urgency,
    pub(crate) suggested_topics: &'static [&'static str],
}

/// A module with what recipes say of it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ModuleKnowledge {
    /// Indexes of recipes whose sources lie in it.
    pub(crate) recipes: Vec<usize>,
    /// Recipes by files, at most 1.
    pub(crate) coverage: f64,
}

/// A recipe as the panorama looks at it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Known<'r> {
    pub(crate) key: &'r str,
    pub(crate) recipe: &'r Recipe,
}

/// Everything that the answers are made of.
#[derive(Debug)]
pub(crate) struct Panorama<'a> {
    pub(crate) map: &'a CodeMap,
    pub(crate) graph: &'a ModuleGraph,
    pub(crate) recipes: Vec<Known<'a>>,
    pub(crate) modules: Vec<ModuleKnowledge>,
    pub(crate) radar: Vec<RadarRow>,
    pub(crate) gaps: Vec<Gap>,
    /// Recipes of no dimension.
    pub(crate) general: usize,
}

impl<'a> Panorama<'a> {
    pub(crate) fn new(
        map: &'a CodeMap,
        graph: &'a ModuleGraph,
        recipes: Vec<Known<'a>>,
        dimensions: &[&'static Dimension],
    ) -> Self {
        let counts = counts(&recipes);
        let radar = radar(&counts, dimensions);
        let roles: BTreeSet<Role> = graph
            .modules
            .iter()
            .map(|module| module.role.role)
            .collect();
        let mut gaps: Vec<Gap> = dimensions
            .iter()
            .zip(&radar)
            .filter_map(|(dimension, row)| {
                let is_related =
                    dimension.roles.is_empty() || dimension.roles.iter().any(|r| roles.contains(r));
                Some(Gap {
                    dimension: dimension.id,
                    status: row.status,
                    recipe_count: row.count,
                    priority: urgency(row.status, dimension.weight >= 0.9, is_related)?,
                    suggested_topics: dimension.questions,
                })
            })
            .collect();
        // Sorting is stable: gaps of one urgency stay in the order of the table.
        gaps.sort_by_key(|gap| gap.priority);
        let modules = module_knowledge(map, graph, &recipes);
        Self {
            map,
            graph,
            modules,
            radar,
            gaps,
            general: counts.get(GENERAL).copied().unwrap_or(0),
            recipes,
        }
    }

    /// The mean of the dimensions' scores by their weights.
    pub(crate) fn radar_overall(&self) -> f64 {
        overall(&self.radar)
    }

    pub(crate) fn high_gaps(&self) -> usize {
        self.gaps
            .iter()
            .filter(|gap| gap.priority == Urgency::High)
            .count()
    }

    pub(crate) fn health(&self) -> f64 {
        health(
            self.radar_overall(),
            self.graph.cycles.len(),
            self.high_gaps(),
            self.graph.average_coupling,
        )
    }

    /// The coverage of the modules by their files.
    #[expect(clippy::cast_precision_loss, reason = "counts are far below 2^52")]
    pub(crate) fn overall_coverage(&self) -> f64 {
        let files = |at: usize| self.graph.modules[at].files.len() as f64;
        let all: f64 = (0..self.modules.len()).map(files).sum();
        let covered: f64 = self
            .modules
            .iter()
            .enumerate()
            .map(|(at, module)| module.coverage * files(at))
            .sum();
        if all == 0.0 { 0.0 } else { covered / all }
    }
}

/// How many recipes each dimension has.
pub(crate) fn counts(recipes: &[Known<'_>]) -> BTreeMap<&'static str, usize> {
    let mut counts = BTreeMap::new();
    for known in recipes {
        let id = dimension_of(known.recipe).map_or(GENERAL, |dimension| dimension.id);
        *counts.entry(id).or_default() += 1;
    }
    counts
}

/// The radar of dimensions with so many recipes each.
pub(crate) fn radar(
    counts: &BTreeMap<&'static str, usize>,
    dimensions: &[&'static Dimension],
) -> Vec<RadarRow> {
    dimensions
        .iter()
        .map(|dimension| {
            let count = counts.get(dimension.id).copied().unwrap_or(0);
            let score = radar_score(count);
            RadarRow {
                id: dimension.id,
                label: dimension.label,
                count,
                status: Status::of(count),
                score,
                level: radar_level(score),
                weight: dimension.weight,
            }
        })
        .collect()
}

/// The mean of scores by their weights.
#[expect(clippy::cast_precision_loss, reason = "scores are at most 100")]
pub(crate) fn overall(radar: &[RadarRow]) -> f64 {
    let weights: f64 = radar.iter().map(|row| row.weight).sum();
    let sum: f64 = radar.iter().map(|row| row.weight * row.score as f64).sum();
    if weights == 0.0 { 0.0 } else { sum / weights }
}

#[expect(clippy::cast_precision_loss, reason = "counts are far below 2^52")]
fn module_knowledge(
    map: &CodeMap,
    graph: &ModuleGraph,
    recipes: &[Known<'_>],
) -> Vec<ModuleKnowledge> {
    let mut module_of: Vec<Option<usize>> = vec![None; map.files().len()];
    for (index, module) in graph.modules.iter().enumerate() {
        for file in &module.files {
            module_of[file.0 as usize] = Some(index);
        }
    }
    let mut tied: Vec<BTreeSet<usize>> = vec![BTreeSet::new(); graph.modules.len()];
    for (at, known) in recipes.iter().enumerate() {
        for source in &known.recipe.reasoning.sources {
            let file = map.file_at(&source.path);
            if let Some(module) = file.and_then(|file| module_of[file.0 as usize]) {
                tied[module].insert(at);
            }
        }
    }
    tied.into_iter()
        .zip(&graph.modules)
        .map(|(tied, module)| {
            let files = module.files.len().max(1) as f64;
            ModuleKnowledge {
                coverage: (tied.len() as f64 / files).min(1.0),
                recipes: tied.into_iter().collect(),
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use asd_codemap::module_graph;
    use asd_recipe::SourceRef;

    use super::super::dimensions::active;
    use super::super::test_map::map;
    use super::*;

    #[test]
    fn scores_levels_and_states_follow_the_number_of_recipes() {
        let row = |n| (radar_score(n), radar_level(radar_score(n)), Status::of(n));
        assert_eq!(row(0), (0, "hold", Status::Missing));
        assert_eq!(row(1), (20, "assess", Status::Weak));
        assert_eq!(row(2), (40, "trial", Status::Adequate));
        assert_eq!(row(4), (80, "adopt", Status::Adequate));
        assert_eq!(row(5), (100, "adopt", Status::Strong));
        assert_eq!(row(9), (100, "adopt", Status::Strong));
    }

    #[test]
    fn a_gap_is_urgent_by_its_weight_and_the_modules_that_it_concerns() {
        use Status::{Adequate, Missing, Weak};
        use Urgency::{High, Low, Medium};
        for (status, weighs, related, expected) in [
            (Missing, true, false, Some(High)),
            (Missing, false, true, Some(High)),
            (Missing, false, false, Some(Medium)),
            (Weak, true, true, Some(Medium)),
            (Weak, true, false, Some(Low)),
            (Weak, false, true, Some(Low)),
            (Adequate, true, true, None),
        ] {
            assert_eq!(urgency(status, weighs, related), expected);
        }
    }

    #[test]
    fn health_is_the_sum_of_its_four_terms() {
        assert!((health(100.0, 0, 0, 2.0) - 100.0).abs() < 1e-9);
        assert!((health(50.0, 1, 2, 2.0) - (30.0 + 15.0 + 6.0 + 10.0)).abs() < 1e-9);
        assert!((health(0.0, 9, 9, 12.0) - 8.0).abs() < 1e-9);
        assert!((health(0.0, 9, 9, 25.0) - 0.0).abs() < 1e-9);
    }

    #[test]
    fn coverage_is_recipes_by_files_and_at_most_one() {
        let map = map(&[
            ("net/a.py", "def a(): pass\n"),
            ("net/b.py", "def b(): pass\n"),
            ("ui/c.py", "def c(): pass\n"),
        ]);
        let graph = module_graph(&map, &[]);
        let recipe = |paths: &[&str]| Recipe {
            reasoning: asd_recipe::Reasoning {
                sources: paths
                    .iter()
                    .map(|path| SourceRef {
                        path: (*path).to_owned(),
                        ..SourceRef::default()
                    })
                    .collect(),
                ..Default::default()
            },
            ..Recipe::default()
        };
        let recipes = [
            recipe(&["net/a.py", "net/b.py"]),
            recipe(&["ui/c.py"]),
            recipe(&["ui/c.py"]),
        ];
        let known = recipes
            .iter()
            .map(|recipe| Known { key: "k", recipe })
            .collect();
        let panorama = Panorama::new(&map, &graph, known, &active(&map));
        let coverage: Vec<f64> = panorama
            .modules
            .iter()
            .map(|module| module.coverage)
            .collect();
        assert_eq!(coverage, [0.5, 1.0]);
        assert!((panorama.overall_coverage() - 2.0 / 3.0).abs() < 1e-9);
        assert_eq!(panorama.general, 3);
        assert!(
            panorama
                .gaps
                .iter()
                .any(|gap| gap.dimension == "error-resilience")
        );
    }
}
