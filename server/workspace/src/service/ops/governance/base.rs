//! Everything that is known of the recipes at one moment, from which follows
//! what is due.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use asd_guard::RuleStats;
use asd_knowledge::contradiction::{Contradiction, Plainness, contradictions};
use asd_knowledge::counters::{Coverage, Stats};
use asd_knowledge::decay::DecayInput;
use asd_knowledge::governance::{GovernedEntry, Standing, standing};
use asd_knowledge::lifecycle::is_consumable;
use asd_knowledge::quality::quality;
use asd_knowledge::relations::RelationGraph;
use asd_knowledge::routing::{StagingEvidence, staging_blockers};
use asd_knowledge::submission::validate_recipe;
use asd_recipe::{Lifecycle, Recipe, RelationKind, Severity};
use asd_store::{read_records, read_usage_summary};
use rayon::prelude::*;

use crate::drift::{Audited, Remember, ScannedCode, audit};
use crate::service::Service;
use crate::service::error::ServiceError;
use crate::service::knowledge::Held;
use crate::service::ops::submit::Sources;

/// Whether the code is looked at as well.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Depth {
    /// The recipes and how they are used.
    Recipes,
    /// The code too.
    Code,
}

/// See the module.
pub(super) struct Base {
    /// All recipes, in the order of their paths.
    pub(super) held: Vec<Held>,
    /// How each is used, in the same order.
    pub(super) stats: Vec<Stats>,
    pub(super) coverage: Coverage,
    quality: Vec<f64>,
    /// What the code says of each, by its file.
    pub(super) audited: BTreeMap<Arc<str>, Audited>,
    pub(super) contradictions: Vec<Contradiction>,
    pub(super) graph: RelationGraph,
    blockers: BTreeMap<String, Vec<String>>,
    /// What could not be looked at, each a sentence.
    pub(super) notes: Vec<String>,
    /// Unix seconds.
    pub(super) now: i64,
}

impl Base {
    pub(super) fn gather(
        service: &Service,
        depth: Depth,
        remember: Remember,
        now: i64,
    ) -> Result<Self, ServiceError> {
        let knowledge = &service.knowledge;
        knowledge.flush();
        let held = knowledge.all();
        let mut notes = Vec::new();
        let counts = knowledge.counts();
        let summary = read_usage_summary(knowledge.project())
            .inspect_err(|error| notes.push(error.to_string()))
            .unwrap_or_default();
        let rules = read_records(knowledge.project()).stats;
        let stats: Vec<Stats> = held
            .iter()
            .map(|held| {
                let mut stats = counts.stats.get(held.key()).cloned().unwrap_or_default();
                if let Some(summary) = summary.recipes.get(held.key()) {
                    stats.learn(summary);
                }
                judge_guards(&mut stats, &held.recipe, &rules);
                stats
            })
            .collect();
        let quality = held
            .par_iter()
            .map(|held| quality(&held.recipe, None).overall)
            .collect();
        let audited = match depth {
            Depth::Recipes => BTreeMap::new(),
            Depth::Code => {
                let view = service.code()?;
                let code = ScannedCode {
                    map: view.map.clone(),
                    warnings: view.warnings.clone(),
                };
                let recipes = knowledge.state().recipes().to_vec();
                let never = AtomicBool::new(false);
                let audit = audit(knowledge.project(), &code, &recipes, remember, &never);
                notes.extend(audit.notes);
                let entries = audit.entries.into_iter();
                entries.map(|entry| (entry.path.clone(), entry)).collect()
            }
        };
        let living = held
            .iter()
            .map(|held| &*held.recipe)
            .filter(|recipe| is_consumable(recipe.lifecycle));
        let contradictions = contradictions(living);
        let mut base = Self {
            graph: RelationGraph::build(held.iter().map(|held| &*held.recipe)),
            blockers: BTreeMap::new(),
            coverage: counts.coverage,
            held,
            stats,
            quality,
            audited,
            contradictions,
            notes,
            now,
        };
        base.blockers = base.find_blockers(service);
        Ok(base)
    }

    /// Why entries in their grace period must not leave it well.
    fn find_blockers(&self, service: &Service) -> BTreeMap<String, Vec<String>> {
        let staged = self.held.iter().zip(&self.stats);
        staged
            .filter(|(held, _)| held.recipe.lifecycle == Lifecycle::Staging)
            .map(|(held, stats)| {
                let contradicted: Vec<String> = self
                    .hard_contradictions()
                    .filter_map(|found| match held.key() {
                        key if key == found.a => Some(self.named(&found.b)),
                        key if key == found.b => Some(self.named(&found.a)),
                        _ => None,
                    })
                    .collect();
                let errors: Vec<String> =
                    validate_recipe(&held.recipe, &Sources(service.project()))
                        .into_iter()
                        .filter(|issue| issue.severity == Severity::Error)
                        .map(|issue| issue.message)
                        .collect();
                let reasons = staging_blockers(&StagingEvidence {
                    contradictions: &contradicted,
                    errors: &errors,
                    false_positive_rate: stats.rule_false_positive_rate,
                });
                (held.key().to_owned(), reasons)
            })
            .collect()
    }

    fn hard_contradictions(&self) -> impl Iterator<Item = &Contradiction> {
        let all = self.contradictions.iter();
        all.filter(|found| found.plainness == Plainness::Hard)
    }

    /// An entry's trigger, by its id.
    pub(super) fn named(&self, id: &str) -> String {
        let node = self.graph.node(id);
        node.map_or_else(|| id.to_owned(), |node| node.trigger.clone())
    }

    /// The entries with all that decides about them.
    pub(super) fn governed(&self) -> Vec<GovernedEntry<'_>> {
        let contradicted: BTreeSet<&str> = self
            .hard_contradictions()
            .flat_map(|found| [found.a.as_str(), found.b.as_str()])
            .collect();
        let rows = self.held.iter().zip(&self.stats).zip(&self.quality);
        rows.map(|((held, stats), quality)| {
            let mut input = DecayInput::new(stats, self.coverage);
            input.quality = Some(*quality);
            input.refs = held.recipe.reasoning.sources.len();
            if let Some(audited) = self.audited.get(&held.path) {
                input.stale_refs = audited.stale();
                input.obeyed = audited.is_obeyed();
                let drift = audited.drift.as_ref();
                input.missing_symbols = drift.is_some_and(|drift| drift.misses_symbols());
            }
            input.superseded = is_superseded(&held.recipe);
            input.hard_contradiction = contradicted.contains(held.key());
            GovernedEntry {
                recipe: &held.recipe,
                decay: input,
                staging_blockers: self.blockers.get(held.key()).cloned().unwrap_or_default(),
            }
        })
        .collect()
    }

    /// How all entries stand, in their order.
    pub(super) fn standings(&self) -> Vec<Standing> {
        let governed = self.governed();
        governed
            .par_iter()
            .map(|entry| standing(entry, self.now))
            .collect()
    }
}

/// Whether another entry took its place, as it says itself.
fn is_superseded(recipe: &Recipe) -> bool {
    let by = recipe.relations.get(&RelationKind::DeprecatedBy);
    by.is_some_and(|relations| !relations.is_empty())
}

/// Fills in how often the guards of a recipe fired, and which share of their
/// judged findings was wrong.
fn judge_guards(stats: &mut Stats, recipe: &Recipe, rules: &BTreeMap<String, RuleStats>) {
    let (mut wrong, mut right) = (0_u64, 0_u64);
    for guard in &recipe.constraints.guards {
        if let Some(known) = rules.get(&guard.id) {
            stats.rule_triggers += known.triggers;
            wrong += known.false_positive;
            right += known.correct;
        }
    }
    let judged = wrong + right;
    #[expect(clippy::cast_precision_loss, reason = "counts are far below 2^52")]
    if judged > 0 {
        stats.rule_false_positive_rate = Some(wrong as f64 / judged as f64);
    }
}
