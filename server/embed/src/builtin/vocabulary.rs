//! Cutting a normalised text into the pieces of a unigram vocabulary: of all
//! ways to cut it, the one whose pieces have the highest sum of scores.

use std::collections::{BTreeMap, VecDeque};

use super::file::ModelError;

/// The piece for what is in no other.
pub(super) const UNKNOWN: u32 = 0;
/// The piece before a text.
pub(super) const BEGIN: u32 = 1;
/// The piece after a text.
pub(super) const END: u32 = 2;

/// How much worse than the worst piece an unknown character is.
const UNKNOWN_PENALTY: f64 = 10.0;

/// The pieces as a trie over their bytes. Its nodes are numbered level by level,
/// so that the children of a node follow each other, in the order of their
/// labels: those of the node `n` are `first[n]..first[n + 1]`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Vocabulary<'m> {
    first: &'m [u8],
    labels: &'m [u8],
    /// For each node the piece that ends there, plus one, or 0.
    pieces: &'m [u8],
    /// The score of each piece.
    scores: &'m [u8],
    unknown_score: f64,
}

/// The sections of a vocabulary.
pub(super) struct Sections {
    pub(super) first: Vec<u8>,
    pub(super) labels: Vec<u8>,
    pub(super) pieces: Vec<u8>,
    pub(super) scores: Vec<u8>,
}

/// Builds the trie of pieces with their scores; where a piece occurs twice, the
/// later one counts. The first score is preceded by the lowest of all.
pub(super) fn build(vocabulary: &[(String, f32)]) -> Sections {
    #[derive(Default)]
    struct Node {
        children: BTreeMap<u8, usize>,
        piece: u32,
    }
    let mut nodes = vec![Node::default()];
    let mut scores = Vec::with_capacity(4 * (vocabulary.len() + 1));
    let lowest = vocabulary.iter().map(|(_, score)| *score);
    scores.extend(lowest.fold(0.0, f32::min).to_le_bytes());
    for (piece, (text, score)) in (1..).zip(vocabulary) {
        scores.extend(score.to_le_bytes());
        let mut at = 0;
        for byte in text.bytes() {
            let new = nodes.len();
            at = *nodes[at].children.entry(byte).or_insert(new);
            if at == new {
                nodes.push(Node::default());
            }
        }
        nodes[at].piece = piece;
    }
    let mut sections = Sections {
        first: Vec::with_capacity(4 * (nodes.len() + 1)),
        labels: vec![0],
        pieces: Vec::with_capacity(4 * nodes.len()),
        scores,
    };
    let mut queue = VecDeque::from([0]);
    let mut numbered = 1_u32;
    while let Some(at) = queue.pop_front() {
        let node = &nodes[at];
        sections.first.extend(numbered.to_le_bytes());
        sections.pieces.extend(node.piece.to_le_bytes());
        for (label, child) in &node.children {
            sections.labels.push(*label);
            queue.push_back(*child);
            numbered += 1;
        }
    }
    sections.first.extend(numbered.to_le_bytes());
    sections
}

impl<'m> Vocabulary<'m> {
    pub(super) fn read(
        first: &'m [u8],
        labels: &'m [u8],
        pieces: &'m [u8],
        scores: &'m [u8],
    ) -> Result<Self, ModelError> {
        let nodes = labels.len();
        let sound = first.len() == 4 * (nodes + 1)
            && pieces.len() == 4 * nodes
            && scores.len().is_multiple_of(4)
            && nodes > 0;
        let lowest = scores.first_chunk().filter(|_| sound);
        let Some(lowest) = lowest else {
            return Err(ModelError::damaged("its vocabulary has a wrong size"));
        };
        Ok(Self {
            first,
            labels,
            pieces,
            scores,
            unknown_score: f64::from(f32::from_le_bytes(*lowest)) - UNKNOWN_PENALTY,
        })
    }

    /// How many pieces there are.
    pub(super) fn len(&self) -> usize {
        self.scores.len() / 4 - 1
    }

    /// The pieces of a text, between [`BEGIN`] and [`END`]. Of two ways to cut
    /// it that score the same, the one with the longer last piece is taken.
    pub(super) fn cut(&self, text: &str) -> Vec<u32> {
        let mut best = vec![Step::UNREACHED; text.len() + 1];
        best[0].score = 0.0;
        for (start, char) in text.char_indices() {
            let base = best[start].score;
            let mut offer = |end: usize, piece: u32, score: f64| {
                let step = &mut best[end];
                if base + score > step.score {
                    *step = Step {
                        score: base + score,
                        start,
                        piece,
                    };
                }
            };
            let next = start + char.len_utf8();
            let mut is_known = false;
            let mut node = 0;
            for (index, byte) in text.as_bytes()[start..].iter().enumerate() {
                let Some(child) = self.child(node, *byte) else {
                    break;
                };
                node = child;
                let end = start + index + 1;
                if let Some((piece, score)) = self.piece(node)
                    && text.is_char_boundary(end)
                {
                    is_known |= end == next;
                    offer(end, piece, score);
                }
            }
            if !is_known {
                offer(next, UNKNOWN, self.unknown_score);
            }
        }
        let mut pieces = vec![END];
        let mut at = text.len();
        while at > 0 {
            pieces.push(best[at].piece);
            at = best[at].start;
        }
        if text.is_empty() {
            pieces.push(UNKNOWN);
        }
        pieces.push(BEGIN);
        pieces.reverse();
        pieces
    }

    fn child(&self, node: usize, label: u8) -> Option<usize> {
        let begin = number(self.first, node)? as usize;
        let end = number(self.first, node + 1)? as usize;
        let index = self.labels.get(begin..end)?.binary_search(&label).ok()?;
        Some(begin + index)
    }

    /// The piece that ends at a node, and its score.
    fn piece(&self, node: usize) -> Option<(u32, f64)> {
        let after = number(self.pieces, node)?;
        let piece = after.checked_sub(1)?;
        let score = number(self.scores, after as usize)?;
        Some((piece, f64::from(f32::from_bits(score))))
    }
}

/// The best way to get to a place in the text.
#[derive(Clone, Copy)]
struct Step {
    score: f64,
    start: usize,
    piece: u32,
}

impl Step {
    const UNREACHED: Self = Self {
        score: f64::NEG_INFINITY,
        start: 0,
        piece: UNKNOWN,
    };
}

fn number(bytes: &[u8], index: usize) -> Option<u32> {
    let bytes = bytes.get(index.checked_mul(4)?..)?;
    bytes.first_chunk().map(|bytes| u32::from_le_bytes(*bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(pieces: &[(&str, f32)], text: &str) -> Vec<u32> {
        let pieces: Vec<_> = pieces
            .iter()
            .map(|(piece, score)| ((*piece).to_owned(), *score))
            .collect();
        let built = build(&pieces);
        Vocabulary::read(&built.first, &built.labels, &built.pieces, &built.scores)
            .expect("just built")
            .cut(text)
    }

    #[test]
    fn the_best_sum_of_scores_wins() {
        let pieces = [
            ("<unk>", 0.0),
            ("<s>", 0.0),
            ("</s>", 0.0),
            ("ab", -3.0),
            ("a", -1.0),
            ("b", -1.0),
            ("abc", -5.0),
            ("c", -1.0),
        ];
        assert_eq!(cut(&pieces, "abc"), [BEGIN, 4, 5, 7, END]);
        let mut dear = pieces;
        dear[6].1 = -2.5;
        assert_eq!(cut(&dear, "abc"), [BEGIN, 6, END]);
    }

    #[test]
    fn of_equal_ways_the_longer_last_piece_is_taken() {
        let pieces = [
            ("<unk>", 0.0),
            ("ab", -1.0),
            ("c", -1.0),
            ("a", -1.0),
            ("bc", -1.0),
        ];
        assert_eq!(cut(&pieces, "abc"), [BEGIN, 3, 4, END]);
    }

    #[test]
    fn an_unknown_character_is_one_piece_whatever_its_bytes() {
        let pieces = [("<unk>", 0.0), ("重", -1.0), ("a", -1.0)];
        assert_eq!(cut(&pieces, "重😀a"), [BEGIN, 1, UNKNOWN, 2, END]);
        assert_eq!(cut(&pieces, ""), [BEGIN, UNKNOWN, END]);
    }
}
