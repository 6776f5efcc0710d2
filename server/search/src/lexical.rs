//! The inverted index, and scoring by words.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use crate::terms::{DocumentTerm, FILLER, Term, Unit};

/// Terms are hashes already.
#[derive(Default)]
struct AsIs(u64);

impl Hasher for AsIs {
    fn finish(&self) -> u64 {
        self.0
    }
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 << 8) | u64::from(*byte);
        }
    }
    fn write_u64(&mut self, value: u64) {
        self.0 = value;
    }
}

/// Which documents hold a term, and how much of it.
#[derive(Default)]
pub(crate) struct Postings {
    places: HashMap<Term, (u32, u32), BuildHasherDefault<AsIs>>,
    entries: Vec<Posting>,
    documents: usize,
}

#[derive(Clone, Copy, Default)]
struct Posting {
    document: u32,
    /// Negative for a term of the headline.
    weight: f32,
}

/// How a document fits a query by its words.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct LexicalHit {
    pub(crate) document: u32,
    /// What was asked for and found, weighted by rarity and by where it was
    /// found: 0 to 1, more with names that fit as a whole.
    pub(crate) score: f32,
    /// The share, by rarity, of what was asked for that occurs at all.
    pub(crate) coverage: f32,
    /// The share that occurs in trigger, title or tags.
    pub(crate) headline: f32,
}

/// What a query is made of, as far as the documents know it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct QueryShape {
    /// How many things are asked for.
    pub(crate) units: usize,
    /// The share of their weight that no document at all has.
    pub(crate) unknown: f32,
}

/// Where more of the same adds little: half the score of a term is reached at
/// this weight.
const SATURATION: f32 = 0.9;

impl Postings {
    pub(crate) fn build<'d>(documents: impl Iterator<Item = &'d [DocumentTerm]> + Clone) -> Self {
        let mut places: HashMap<Term, (u32, u32), BuildHasherDefault<AsIs>> = HashMap::default();
        let mut order: Vec<Term> = Vec::new();
        let mut count = 0;
        for terms in documents.clone() {
            count += 1;
            for known in terms {
                let place = places.entry(known.term).or_insert_with(|| {
                    order.push(known.term);
                    (0, 0)
                });
                place.1 += 1;
            }
        }
        let mut start = 0;
        for term in &order {
            if let Some(place) = places.get_mut(term) {
                let length = place.1;
                *place = (start, start);
                start += length;
            }
        }
        let mut entries = vec![Posting::default(); start as usize];
        for (document, terms) in (0u32..).zip(documents) {
            for known in terms {
                if let Some(place) = places.get_mut(&known.term) {
                    entries[place.1 as usize] = Posting {
                        document,
                        weight: if known.in_headline {
                            -known.weight
                        } else {
                            known.weight
                        },
                    };
                    place.1 += 1;
                }
            }
        }
        Self {
            places,
            entries,
            documents: count,
        }
    }

    fn of(&self, term: Term) -> &[Posting] {
        self.places.get(&term).map_or(&[], |&(start, end)| {
            &self.entries[start as usize..end as usize]
        })
    }

    #[expect(clippy::cast_precision_loss, reason = "there are few documents")]
    fn rarity(&self, holders: usize) -> f32 {
        let all = self.documents as f32;
        let holders = holders as f32;
        (1.0 + (all - holders + 0.5) / (holders + 0.5)).ln()
    }

    /// How every document that has something of what is asked for fits, in the
    /// order of the documents.
    pub(crate) fn score(&self, units: &[Unit]) -> (Vec<LexicalHit>, QueryShape) {
        let mut total = vec![0.0f32; self.documents];
        let mut coverage = vec![0.0f32; self.documents];
        let mut headline = vec![0.0f32; self.documents];
        let mut best = vec![0.0f32; self.documents];
        let mut touched: Vec<u32> = Vec::new();
        let mut asked = 0.0f32;
        let mut unknown = 0.0f32;
        let mut required = 0;
        let says_something = units
            .iter()
            .any(|unit| unit.weight > FILLER && unit.required);
        for unit in units {
            // What only asks is in many documents and moves none of them.
            if unit.weight <= FILLER && unit.required && says_something {
                required += 1;
                continue;
            }
            let rarity = self.unit_rarity(unit);
            let mass = unit.weight * rarity.unwrap_or_else(|| self.rarity(0));
            if unit.required {
                required += 1;
                asked += mass;
            }
            let Some(rarity) = rarity else {
                if unit.required {
                    unknown += mass;
                }
                continue;
            };
            for &(term, how_well) in &unit.terms {
                let postings = self.of(term);
                // A group is as rare as all of its words together; the word
                // itself may be rarer.
                let own = self.rarity(postings.len()).min(rarity);
                let gain = unit.weight * how_well * (own + rarity) * 0.5;
                for posting in postings {
                    let at = posting.document as usize;
                    let weight = posting.weight.abs();
                    let value = gain * weight / (weight + SATURATION);
                    if best[at] == 0.0 {
                        touched.push(posting.document);
                    }
                    let in_headline = posting.weight < 0.0;
                    if value > best[at].abs() {
                        let was_headline = best[at] < 0.0;
                        best[at] = if in_headline || was_headline {
                            -value
                        } else {
                            value
                        };
                    } else if in_headline {
                        best[at] = -best[at].abs();
                    }
                }
            }
            for document in touched.drain(..) {
                let at = document as usize;
                total[at] += best[at].abs();
                if unit.required {
                    coverage[at] += mass;
                    if best[at] < 0.0 {
                        headline[at] += mass;
                    }
                }
                best[at] = 0.0;
            }
        }
        let shape = QueryShape {
            units: required,
            unknown: if asked > 0.0 { unknown / asked } else { 0.0 },
        };
        let asked = asked.max(f32::MIN_POSITIVE);
        let hits = (0u32..)
            .zip(&total)
            .filter(|(_, total)| **total > 0.0)
            .map(|(document, total)| {
                let at = document as usize;
                LexicalHit {
                    document,
                    score: total / asked,
                    coverage: coverage[at] / asked,
                    headline: headline[at] / asked,
                }
            })
            .collect();
        (hits, shape)
    }

    /// The rarity of what a unit asks for; `None` when no document has it.
    fn unit_rarity(&self, unit: &Unit) -> Option<f32> {
        let mut known = unit
            .terms
            .iter()
            .map(|(term, _)| self.of(*term).len())
            .filter(|holders| *holders > 0);
        // The word itself comes first.
        known.next().map(|holders| self.rarity(holders))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::Field;
    use crate::synonyms::Synonyms;
    use crate::terms::{document_terms, query_units};

    fn ranked(query: &str, titles: &[&str]) -> Vec<(u32, f32)> {
        let synonyms = Synonyms::built_in();
        let documents: Vec<_> = titles
            .iter()
            .map(|title| document_terms(&[(Field::Title, (*title).to_owned())], &synonyms))
            .collect();
        let postings = Postings::build(documents.iter().map(|terms| &**terms));
        let (mut hits, _) = postings.score(&query_units(query, &synonyms));
        hits.sort_by(|a, b| b.score.total_cmp(&a.score));
        hits.iter()
            .map(|hit| (hit.document, hit.coverage))
            .collect()
    }

    #[test]
    fn more_of_what_is_asked_for_ranks_higher() {
        let titles = ["retry a request", "retry queue", "log levels"];
        let found = ranked("retry queue", &titles);
        assert_eq!(found[0], (1, 1.0));
        assert_eq!(found[1].0, 0);
        assert_eq!(found.len(), 2);
    }

    #[test]
    fn rare_words_count_more() {
        let titles = [
            "avoid globals",
            "avoid shadowing",
            "avoid eval",
            "prefer eval",
        ];
        assert_eq!(ranked("avoid shadowing", &titles)[0].0, 1);
        assert!(ranked("shadowing", &titles)[0].1 > 0.99);
    }

    #[test]
    fn what_nobody_has_lowers_the_coverage() {
        let found = ranked("retry zeppelin", &["retry", "queue", "log"]);
        assert!(found[0].1 < 0.6, "{found:?}");
    }
}
