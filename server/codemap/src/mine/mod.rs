//! Conventions that the code itself follows, found without a model.
//!
//! Each miner counts how often something is done one way and how often another
//! way. What is done one way often enough, and seldom enough the other, becomes
//! a [`Candidate`] with its places. A guard goes with it only when it finds
//! exactly the places that were counted against it.

mod boundaries;
mod candidate;
mod constructors;
mod corpus;
mod docs;
mod draft;
mod errors;
mod evidence;
mod examples;
mod head;
mod known;
mod logging;
mod names;
mod naming;
mod pairs;
mod recipe;
mod resources;
mod signatures;
mod supers;
mod testing;
#[cfg(test)]
mod tests;
mod verify;
mod wrappers;

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use asd_store::{Host, Project};
use rayon::prelude::*;

pub use candidate::{Candidate, Example, GuardState, MinedPlace};
pub use evidence::{MIN_CONFIDENCE, MIN_SUPPORT, wilson_lower_bound};
pub use known::KnownRecipes;
pub use recipe::candidate_recipe;

use crate::scan::CodeIndex;
use corpus::Corpus;
use draft::Draft;

/// What is looked for.
#[derive(Clone, Debug)]
pub struct MineOptions {
    /// Only conventions of this dimension.
    pub dimension: Option<String>,
    /// The fewest places that must agree.
    pub min_support: usize,
}

impl Default for MineOptions {
    fn default() -> Self {
        Self {
            dimension: None,
            min_support: MIN_SUPPORT,
        }
    }
}

type Miner = fn(&Corpus) -> Vec<Draft>;

const MINERS: &[Miner] = &[
    wrappers::mine,
    boundaries::mine,
    naming::mine,
    errors::mine,
    supers::mine,
    logging::mine,
    testing::mine,
    head::mine,
    docs::mine,
    signatures::mine,
    pairs::mine,
    resources::mine,
    constructors::mine,
];

/// The conventions of a project that was scanned, the surest first. Equal files
/// give equal candidates.
#[must_use]
pub fn mine(
    project: &Project,
    index: &CodeIndex,
    host: &dyn Host,
    options: &MineOptions,
    cancel: &AtomicBool,
) -> Vec<Candidate> {
    let corpus = Corpus::read(project, index, host);
    mine_corpus(&corpus, options, cancel)
}

/// The same from texts by project-relative path, without a disk.
#[must_use]
pub fn mine_texts(
    texts: &[(String, String)],
    options: &MineOptions,
    cancel: &AtomicBool,
) -> Vec<Candidate> {
    mine_corpus(&Corpus::of_texts(texts), options, cancel)
}

fn mine_corpus(corpus: &Corpus, options: &MineOptions, cancel: &AtomicBool) -> Vec<Candidate> {
    let drafts: Vec<Draft> = MINERS
        .par_iter()
        .flat_map_iter(|miner| miner(corpus))
        .filter(|draft| {
            options
                .dimension
                .as_deref()
                .is_none_or(|wanted| wanted == draft.dimension)
                && draft.holds(options.min_support)
        })
        .collect();
    let mut seen = BTreeSet::new();
    let drafts: Vec<Draft> = drafts
        .into_iter()
        .filter(|draft| seen.insert(draft.key.clone()))
        .collect();
    let states = verify::verify(corpus, &drafts, cancel);
    let mut candidates: Vec<Candidate> = drafts
        .into_par_iter()
        .zip(states)
        .map(|(draft, state)| candidate::finish(corpus, draft, state))
        .collect();
    candidates.sort_by(|a, b| {
        b.confidence
            .total_cmp(&a.confidence)
            .then_with(|| a.key.cmp(&b.key))
    });
    candidates
}

/// A file's text, shared between threads.
type Text = Arc<str>;
