use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};
use std::sync::Arc;

use crate::compile::literals::{Literal, UNICODE_FOLDS};

/// Says, in one pass over a text, which of many rules have to look at it, and
/// where.
#[derive(Debug, Default)]
pub(crate) struct Prefilter {
    automaton: Option<Arc<Automaton>>,
    /// By literal: the slots of the rules that require it.
    users: Vec<Box<[u32]>>,
    /// Slots of the rules that require nothing.
    always: Vec<u32>,
    /// Slots of the rules with folded literals.
    folded: Vec<u32>,
}

/// The part that costs time to build; it depends on the literals alone.
#[derive(Debug)]
struct Automaton {
    literals: Vec<Literal>,
    search: AhoCorasick,
    /// Whether a match still has to be compared with its literal.
    compares: bool,
}

/// A rule that has to look at a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Candidate {
    /// The rule's slot.
    pub(crate) slot: u32,
    /// Where.
    pub(crate) reach: Reach,
}

/// Where a rule has to look.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Reach {
    /// Everywhere.
    Everywhere,
    /// Where its literals stand: start and length in bytes, in order.
    Hits(Vec<(u32, u32)>),
}

impl Prefilter {
    /// Joins what rules require, by slot. The automaton of `previous` is used
    /// again when the literals are the same.
    pub(crate) fn new(requirements: &[Option<&[Literal]>], previous: Option<&Self>) -> Self {
        let mut pairs = Vec::new();
        let mut result = Self::default();
        for (slot, requirement) in (0_u32..).zip(requirements) {
            match requirement {
                None => result.always.push(slot),
                Some(literals) => {
                    if literals.iter().any(|literal| literal.fold) {
                        result.folded.push(slot);
                    }
                    pairs.extend(literals.iter().map(|literal| (literal, slot)));
                }
            }
        }
        pairs.sort_unstable();
        pairs.dedup();
        let mut literals: Vec<Literal> = Vec::new();
        for chunk in pairs.chunk_by(|a, b| a.0 == b.0) {
            literals.push(chunk[0].0.clone());
            result
                .users
                .push(chunk.iter().map(|(_, slot)| *slot).collect());
        }
        if literals.is_empty() {
            return result;
        }
        if !result.folded.is_empty() {
            literals.extend(UNICODE_FOLDS.map(Literal::exactly));
        }
        result.automaton = previous
            .and_then(|previous| previous.automaton.clone())
            .filter(|automaton| automaton.literals == literals)
            .or_else(|| Automaton::new(literals).map(Arc::new));
        if result.automaton.is_none() {
            // Too many literals for the automaton: every rule looks everywhere.
            result.always = (0_u32..).zip(requirements).map(|(slot, _)| slot).collect();
        }
        result
    }

    /// The literals that are looked for.
    pub(crate) fn literals(&self) -> impl Iterator<Item = &str> {
        let literals = self.automaton.iter().flat_map(|automaton| {
            let own = automaton.literals.len().min(self.users.len());
            &automaton.literals[..own]
        });
        literals.map(|literal| literal.text.as_str())
    }

    /// The rules that have to look at `text`, by slot.
    pub(crate) fn scan(&self, text: &str) -> Vec<Candidate> {
        let mut found: Vec<(u32, Reach)> = self
            .always
            .iter()
            .map(|slot| (*slot, Reach::Everywhere))
            .collect();
        if let Some(automaton) = &self.automaton {
            // Offsets are kept in 32 bits; a text that large has no candidates
            // by place but all of them.
            if u32::try_from(text.len()).is_err() {
                return self.everything();
            }
            let mut hits: Vec<(u32, u32, u32)> = Vec::new();
            let mut folds_beyond_ascii = false;
            for hit in automaton.search.find_overlapping_iter(text) {
                let literal = hit.pattern().as_usize();
                let Some(users) = self.users.get(literal) else {
                    folds_beyond_ascii = true;
                    continue;
                };
                if automaton.compares && !automaton.literals[literal].stands_at(text, hit.start()) {
                    continue;
                }
                #[expect(clippy::cast_possible_truncation, reason = "checked above")]
                let at = (hit.start() as u32, hit.len() as u32);
                hits.extend(users.iter().map(|slot| (*slot, at.0, at.1)));
            }
            hits.sort_unstable();
            for chunk in hits.chunk_by(|a, b| a.0 == b.0) {
                let places = chunk.iter().map(|(_, start, len)| (*start, *len)).collect();
                found.push((chunk[0].0, Reach::Hits(places)));
            }
            if folds_beyond_ascii {
                found.retain(|(slot, _)| !self.folded.contains(slot));
                found.extend(self.folded.iter().map(|slot| (*slot, Reach::Everywhere)));
            }
        }
        found.sort_by_key(|(slot, _)| *slot);
        found
            .into_iter()
            .map(|(slot, reach)| Candidate { slot, reach })
            .collect()
    }

    fn everything(&self) -> Vec<Candidate> {
        let mut slots: Vec<u32> = self.users.iter().flatten().copied().collect();
        slots.extend(&self.always);
        slots.sort_unstable();
        slots.dedup();
        slots
            .into_iter()
            .map(|slot| Candidate {
                slot,
                reach: Reach::Everywhere,
            })
            .collect()
    }
}

impl Automaton {
    fn new(literals: Vec<Literal>) -> Option<Self> {
        let folds = literals.iter().any(|literal| literal.fold);
        let bytes: usize = literals.iter().map(|literal| literal.text.len()).sum();
        // The table of the fastest kind grows with the literals; beyond some
        // megabytes it no longer pays.
        let kind = if bytes <= 32 << 10 {
            AhoCorasickKind::DFA
        } else {
            AhoCorasickKind::ContiguousNFA
        };
        let search = AhoCorasick::builder()
            .match_kind(MatchKind::Standard)
            .ascii_case_insensitive(folds)
            .kind(Some(kind))
            .build(literals.iter().map(|literal| &literal.text))
            .ok()?;
        Some(Self {
            compares: folds || literals.iter().any(|literal| literal.word),
            literals,
            search,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fold(text: &str) -> Literal {
        Literal {
            text: text.to_owned(),
            fold: true,
            word: false,
            member: false,
        }
    }

    fn hits(slot: u32, places: &[(u32, u32)]) -> Candidate {
        Candidate {
            slot,
            reach: Reach::Hits(places.to_vec()),
        }
    }

    #[test]
    fn literals_that_overlap_are_all_found() {
        let (a, b) = ([Literal::exactly("cookie")], [Literal::exactly("okie")]);
        let prefilter = Prefilter::new(&[Some(&a), Some(&b)], None);
        assert_eq!(
            prefilter.scan("a cookie"),
            [hits(0, &[(2, 6)]), hits(1, &[(4, 4)])]
        );
        assert_eq!(prefilter.scan("nothing"), []);
    }

    #[test]
    fn a_word_is_not_a_part_of_one() {
        let a = [Literal::word("api4")];
        let prefilter = Prefilter::new(&[Some(&a)], None);
        assert_eq!(prefilter.scan("api45 xapi4 饼api4 api4饼 _api4"), []);
        assert_eq!(
            prefilter.scan("api4 (api4)1api4"),
            [hits(0, &[(0, 4), (6, 4), (12, 4)])]
        );
    }

    #[test]
    fn case_counts_only_where_it_is_to_count() {
        let (a, b) = ([Literal::exactly("Task")], [fold("task")]);
        let prefilter = Prefilter::new(&[Some(&a), Some(&b)], None);
        assert_eq!(prefilter.scan("TASK"), [hits(1, &[(0, 4)])]);
        assert_eq!(
            prefilter.scan("Task"),
            [hits(0, &[(0, 4)]), hits(1, &[(0, 4)])]
        );
    }

    #[test]
    fn a_letter_that_folds_beyond_ascii_brings_all_folded_rules() {
        let (a, b) = ([Literal::exactly("Task")], [fold("task")]);
        let prefilter = Prefilter::new(&[Some(&a), Some(&b), None], None);
        let everywhere = |slot| Candidate {
            slot,
            reach: Reach::Everywhere,
        };
        assert_eq!(prefilter.scan("ta\u{17f}k"), [everywhere(1), everywhere(2)]);
    }

    #[test]
    fn equal_literals_share_their_automaton() {
        let a = [Literal::exactly("Task")];
        let first = Prefilter::new(&[Some(&a)], None);
        let second = Prefilter::new(&[None, Some(&a)], Some(&first));
        assert!(Arc::ptr_eq(
            first.automaton.as_ref().unwrap(),
            second.automaton.as_ref().unwrap()
        ));
    }
}
