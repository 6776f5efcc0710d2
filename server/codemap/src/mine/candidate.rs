//! What is found, ready to be shown and written.

use asd_recipe::Guard;
use asd_syntax::Language;
use serde::Serialize;

use super::corpus::Corpus;
use super::draft::{Draft, Spot};
use super::evidence::wilson_lower_bound;
use super::examples;

/// A place in the project, by lines from 1.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct MinedPlace {
    /// Project-relative path with `/`.
    pub path: String,
    /// The first line.
    pub line: u32,
    /// The last line.
    pub end_line: u32,
}

/// A piece of the project's code.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Example {
    /// Where it stands.
    pub place: MinedPlace,
    /// The code, without the blanks that all its lines begin with.
    pub text: String,
}

/// What became of a convention's guard.
#[derive(Clone, Debug, PartialEq)]
pub enum GuardState {
    /// None follows from a convention of this kind.
    Without,
    /// It finds exactly the outliers.
    Exact(Box<Guard>),
    /// It does not, and is left out: why.
    Dropped(String),
}

/// A convention that the code follows.
#[derive(Clone, Debug, PartialEq)]
pub struct Candidate {
    /// The kind of convention, for example `wrapper`.
    pub miner: &'static str,
    /// The dimension that it belongs to.
    pub dimension: &'static str,
    /// The language of the code.
    pub language: Language,
    /// The same for the same convention at every run: its trigger.
    pub key: String,
    /// What it is, in one line.
    pub title: String,
    /// When it applies.
    pub when: String,
    /// What to do.
    pub do_clause: String,
    /// What not to do.
    pub dont_clause: String,
    /// What was counted, in the plural.
    pub unit: &'static str,
    /// The places that follow it.
    pub witnesses: Vec<MinedPlace>,
    /// The places that do not.
    pub outliers: Vec<MinedPlace>,
    /// The lower end of Wilson's 95 % interval of the share that follows it.
    pub confidence: f64,
    /// The guard.
    pub guard: GuardState,
    /// Code that follows it.
    pub good: Vec<Example>,
    /// Code that does not.
    pub bad: Vec<Example>,
}

pub(super) fn finish(corpus: &Corpus, draft: Draft, guard: GuardState) -> Candidate {
    let places = |spots: &[Spot]| -> Vec<MinedPlace> {
        let mut sorted = spots.to_vec();
        sorted.sort_unstable();
        sorted.iter().map(|&spot| place(corpus, spot)).collect()
    };
    Candidate {
        miner: draft.miner,
        dimension: draft.dimension,
        language: draft.language,
        confidence: wilson_lower_bound(draft.kept.len(), draft.broken.len()),
        witnesses: places(&draft.kept),
        outliers: places(&draft.broken),
        good: examples::cut(corpus, &draft.kept, draft.cut),
        bad: examples::cut(corpus, &draft.broken, draft.cut),
        key: draft.key,
        title: draft.title,
        when: draft.when,
        do_clause: draft.do_,
        dont_clause: draft.dont,
        unit: draft.unit,
        guard,
    }
}

pub(super) fn place(corpus: &Corpus, spot: Spot) -> MinedPlace {
    MinedPlace {
        path: corpus.files[spot.file].path.clone(),
        line: spot.first,
        end_line: spot.last,
    }
}
