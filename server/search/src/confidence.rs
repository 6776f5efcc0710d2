//! How sure it is that the best rows answer a query. (search.md §1)
//!
//! A threshold on the score cannot tell a query that nothing answers from one
//! that is vague: the score says how well the best row fits beside the others.
//! What tells them apart is how much of the query occurs at all, how much of it
//! the best row has, and how near that row is in meaning. Their weights were
//! fitted by logistic regression on the evaluation's queries.

use crate::lexical::QueryShape;
use crate::query::Confidence;
use crate::signals::Signals;

/// What is known when an answer is judged.
pub(crate) struct Evidence<'s> {
    /// The best row.
    pub(crate) best: &'s Signals,
    /// The largest nearness of all documents, when meaning was asked.
    pub(crate) nearest: Option<f32>,
    pub(crate) shape: QueryShape,
}

struct Weights {
    words: f32,
    coverage: f32,
    headline: f32,
    nearness: f32,
    unknown: f32,
    units: f32,
    bias: f32,
}

const BY_WORDS: Weights = Weights {
    words: 3.4,
    coverage: 5.0,
    headline: 0.8,
    nearness: 0.0,
    unknown: -3.3,
    units: 0.62,
    bias: -4.3,
};

const WITH_MEANING: Weights = Weights {
    words: 2.4,
    coverage: 4.3,
    headline: 0.8,
    nearness: 9.5,
    unknown: -2.8,
    units: 0.6,
    bias: -6.9,
};

/// More things than these say no more about a query.
const MOST_UNITS: usize = 8;

/// The probability, 0 to 1, that the query is answered here.
#[expect(clippy::cast_precision_loss, reason = "at most eight")]
pub(crate) fn certainty(evidence: &Evidence<'_>) -> f32 {
    let weights = if evidence.nearest.is_some() {
        WITH_MEANING
    } else {
        BY_WORDS
    };
    let best = evidence.best;
    let sum = weights.bias
        + weights.words * (best.words + best.name).min(1.5)
        + weights.coverage * best.coverage
        + weights.headline * best.headline
        + weights.nearness * evidence.nearest.unwrap_or(0.0)
        + weights.unknown * evidence.shape.unknown
        + weights.units * evidence.shape.units.min(MOST_UNITS) as f32;
    1.0 / (1.0 + (-sum).exp())
}

/// Below this the answer is none.
pub(crate) const ANSWERED: f32 = 0.45;

/// The certainty as a word.
pub(crate) const fn level(certainty: f32) -> Confidence {
    if certainty < ANSWERED {
        Confidence::None
    } else if certainty < 0.65 {
        Confidence::Low
    } else if certainty < 0.9 {
        Confidence::Medium
    } else {
        Confidence::High
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(best: Signals, nearest: Option<f32>, unknown: f32) -> Confidence {
        level(certainty(&Evidence {
            best: &best,
            nearest,
            shape: QueryShape { units: 3, unknown },
        }))
    }

    #[test]
    fn a_row_that_has_everything_is_sure() {
        let best = Signals {
            words: 0.9,
            coverage: 1.0,
            headline: 1.0,
            ..Signals::default()
        };
        assert_eq!(of(best, None, 0.0), Confidence::High);
    }

    #[test]
    fn one_common_word_of_a_query_that_is_unknown_is_no_answer() {
        let best = Signals {
            words: 0.1,
            coverage: 0.15,
            ..Signals::default()
        };
        assert_eq!(of(best, None, 0.8), Confidence::None);
        assert_eq!(of(best, Some(0.25), 0.8), Confidence::None);
    }

    #[test]
    fn meaning_can_make_up_for_words() {
        let best = Signals {
            words: 0.15,
            coverage: 0.3,
            ..Signals::default()
        };
        assert!(of(best, Some(0.7), 0.2) > of(best, Some(0.2), 0.2));
    }
}
