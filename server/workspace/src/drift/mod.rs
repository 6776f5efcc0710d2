//! Whether recipes still say what the code is: the guard, reversed. What is
//! drift is decided by `asd-knowledge`; here the project is asked.
//! (knowledge.md §14)

mod facts;
mod shown;
mod snapshots;

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use asd_codemap::{CodeIndex, CodeMap, Keep, ScanOptions};
use asd_knowledge::drift::{
    Drift, RefState, check_source, drift, is_watched, recipe_symbols, repaired,
};
use asd_knowledge::entry_key;
use asd_recipe::{Lifecycle, Recipe, SourceRef};
use asd_store::{Disk, Git, Project, Renamed, now, read_text};
use rayon::prelude::*;

use facts::{RecipeFacts, TreeFacts};
use snapshots::{Snapshot, Snapshots};

pub use shown::drift_problems;

/// A project's code as an audit needs it.
#[derive(Clone, Debug, Default)]
pub struct ScannedCode {
    /// The map.
    pub map: Arc<CodeMap>,
    /// Limits that were hit while it was made; with any, nothing is called
    /// missing.
    pub warnings: Vec<String>,
}

impl ScannedCode {
    /// Reads a project's code, from what is known of it where it did not
    /// change. A cancelled one is empty.
    #[must_use]
    pub fn read(project: &Project, cancel: &AtomicBool) -> Self {
        let options = ScanOptions {
            host: &Disk,
            cancel,
            progress: &|_| {},
            // Looking at a project does not begin to write to it.
            keep: if project.root().join(".asd").is_dir() {
                Keep::WhenSetUp
            } else {
                Keep::Nothing
            },
        };
        CodeIndex::scan(project, &options)
            .map(|index| Self {
                map: index.map(),
                warnings: index.warnings().to_vec(),
            })
            .unwrap_or_default()
    }
}

/// Whether an audit keeps how often things occur.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Remember {
    /// It does, of healthy recipes.
    #[default]
    Healthy,
    /// It writes nothing.
    Nothing,
}

/// One recipe beside the code.
#[derive(Clone, Debug)]
pub struct Audited {
    /// Its file, project-relative with `/`.
    pub path: Arc<str>,
    /// The recipe.
    pub recipe: Arc<Recipe>,
    /// What was found; `None` for one that is not in use, or has no code.
    pub drift: Option<Drift>,
    /// Its sources, in their order.
    pub sources: Vec<AuditedSource>,
}

/// One source of a recipe.
#[derive(Clone, Debug)]
pub struct AuditedSource {
    /// As the recipe names it.
    pub source: SourceRef,
    /// Where it stands.
    pub state: RefState,
    /// Where it went, when it was renamed.
    pub renamed: Option<Renamed>,
    /// The same source under its new path, with its lines where their text is
    /// now.
    pub repaired: Option<SourceRef>,
}

impl Audited {
    /// What the recipe is known by.
    #[must_use]
    pub fn key(&self) -> &str {
        entry_key(&self.recipe)
    }

    /// How many sources are gone.
    #[must_use]
    pub fn stale(&self) -> usize {
        let sources = self.sources.iter();
        sources
            .filter(|source| source.state == RefState::Stale)
            .count()
    }

    /// Whether its guards are obeyed, as far as can be seen: its sources are
    /// there, and so is what it names. A rule that everybody follows finds
    /// nothing and is in use all the same. (knowledge.md §12)
    #[must_use]
    pub fn is_obeyed(&self) -> bool {
        let evidence = self.drift.as_ref().is_none_or(|drift| {
            drift.signals.is_empty() && drift.occurrences.is_none_or(|count| count > 0)
        });
        !self.recipe.constraints.guards.is_empty()
            && !self.sources.is_empty()
            && self.stale() == 0
            && evidence
    }
}

/// Recipes beside the code.
#[derive(Clone, Debug, Default)]
pub struct DriftAudit {
    /// All that are not deprecated, in the order in which they were given.
    pub entries: Vec<Audited>,
    /// What could not be looked at, each a sentence.
    pub notes: Vec<String>,
}

/// Compares recipes with the code. Deprecated ones are left out.
#[must_use]
pub fn audit(
    project: &Project,
    code: &ScannedCode,
    recipes: &[(Arc<str>, Arc<Recipe>)],
    remember: Remember,
    cancel: &AtomicBool,
) -> DriftAudit {
    let living: Vec<&(Arc<str>, Arc<Recipe>)> = recipes
        .iter()
        .filter(|(_, recipe)| recipe.lifecycle != Lifecycle::Deprecated)
        .collect();
    let plain: Vec<&Recipe> = living.iter().map(|(_, recipe)| &**recipe).collect();
    let complete = code.warnings.is_empty();
    let facts = TreeFacts::gather(project, &code.map, complete, &plain, cancel);
    let mut snapshots = Snapshots::read(project);
    let never = BTreeSet::new();
    let entries: Vec<Audited> = living
        .par_iter()
        .map(|(path, recipe)| {
            let before = snapshots.get(entry_key(recipe));
            let once = before.map_or(&never, |snapshot| &snapshot.defined);
            let view = RecipeFacts::new(&facts, recipe, once);
            let sources = recipe.reasoning.sources.iter().map(|source| {
                let check = check_source(source, &view);
                let renamed = facts.renamed.get(&source.path).cloned();
                AuditedSource {
                    source: source.clone(),
                    state: check.state,
                    repaired: renamed
                        .as_ref()
                        .map(|renamed| repaired_source(project, source, renamed)),
                    renamed,
                }
            });
            Audited {
                path: path.clone(),
                sources: sources.collect(),
                drift: is_watched(recipe)
                    .then(|| drift(recipe, &view, before.map(|snapshot| snapshot.occurrences))),
                recipe: recipe.clone(),
            }
        })
        .collect();
    if remember == Remember::Healthy {
        let known = snapshots.clone();
        note_healthy(&mut snapshots, &entries, &facts);
        if recipes.len() > 1 {
            let ids: BTreeSet<&str> = recipes
                .iter()
                .map(|(_, recipe)| entry_key(recipe))
                .collect();
            snapshots.keep_only(&ids);
        }
        if snapshots != known {
            snapshots.write(project);
        }
    }
    let notes = code
        .warnings
        .iter()
        .map(|warning| format!("{warning} So nothing is called missing because it was not found."));
    DriftAudit {
        entries,
        notes: notes.collect(),
    }
}

fn note_healthy(snapshots: &mut Snapshots, entries: &[Audited], facts: &TreeFacts<'_>) {
    let at = now().0 / 1000;
    for entry in entries {
        let Some(drift) = &entry.drift else { continue };
        if let (true, Some(occurrences)) = (drift.signals.is_empty(), drift.occurrences) {
            let names = recipe_symbols(&entry.recipe).names;
            let snapshot = Snapshot {
                occurrences,
                defined: facts.defined_of(&names),
                at,
            };
            snapshots.note(entry.key(), snapshot);
        }
    }
}

/// A renamed source under its new path, with its lines where their text is now.
fn repaired_source(project: &Project, source: &SourceRef, renamed: &Renamed) -> SourceRef {
    let before = Git::open(project.root())
        .ok()
        .and_then(|git| git.contents(&[&renamed.before]).ok())
        .and_then(|contents| contents.into_iter().next().flatten())
        .map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    let after = read_text(&Disk, &project.root().join(&renamed.to)).ok();
    repaired(
        source,
        &renamed.to,
        before.as_deref(),
        after.as_ref().map(|decoded| decoded.text.as_str()),
    )
}
