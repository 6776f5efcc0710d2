//! Texts as sets of words and character n-grams.

use std::collections::HashMap;

/// The set of a text's words and n-grams, as hashes in ascending order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Shingles(Box<[u32]>);

/// The n of n-grams over prose.
pub(super) const TEXT_GRAM: usize = 2;
/// The n of n-grams over code.
pub(super) const CODE_GRAM: usize = 3;

impl Shingles {
    /// The words of a text and its n-grams, without regard to case and layout.
    #[must_use]
    pub fn new(text: &str, gram: usize) -> Self {
        let mut set = Vec::new();
        let mut letters: Vec<char> = Vec::with_capacity(text.len());
        for word in text.split_whitespace() {
            if !letters.is_empty() {
                letters.push(' ');
            }
            letters.extend(word.chars().flat_map(char::to_lowercase));
        }
        let words = letters.split(|c| !c.is_alphanumeric() && *c != '_');
        for word in words.filter(|word| !word.is_empty()) {
            set.push(hash(0, word));
        }
        for window in letters.windows(gram) {
            set.push(hash(1, window));
        }
        Self::of(set)
    }

    /// A set of whole items.
    pub(crate) fn of_items<'a>(items: impl IntoIterator<Item = &'a str>) -> Self {
        let letters = |item: &str| hash(2, &item.chars().collect::<Vec<char>>());
        Self::of(items.into_iter().map(letters).collect())
    }

    fn of(mut set: Vec<u32>) -> Self {
        set.sort_unstable();
        set.dedup();
        Self(set.into_boxed_slice())
    }

    /// Whether there is nothing in it.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// How many it shares with another.
    #[must_use]
    pub fn shared(&self, other: &Self) -> usize {
        let (mut a, mut b) = (self.0.iter().peekable(), other.0.iter().peekable());
        let mut shared = 0;
        while let (Some(x), Some(y)) = (a.peek(), b.peek()) {
            match x.cmp(y) {
                std::cmp::Ordering::Less => {
                    a.next();
                }
                std::cmp::Ordering::Greater => {
                    b.next();
                }
                std::cmp::Ordering::Equal => {
                    shared += 1;
                    a.next();
                    b.next();
                }
            }
        }
        shared
    }

    /// The share of what both have in all that either has; 0 when both are
    /// empty.
    #[must_use]
    pub fn jaccard(&self, other: &Self) -> f64 {
        let shared = self.shared(other);
        ratio(shared, self.0.len() + other.0.len() - shared)
    }

    /// The most that [`Self::jaccard`] can be, seen from the sizes alone.
    pub(super) fn most(&self, other: &Self) -> f64 {
        let (a, b) = (self.0.len(), other.0.len());
        ratio(a.min(b), a.max(b))
    }

    /// The share of this set that the other one has.
    #[must_use]
    pub fn inside(&self, other: &Self) -> f64 {
        ratio(self.shared(other), self.0.len())
    }
}

#[expect(
    clippy::cast_precision_loss,
    reason = "the sizes of sets of shingles are far below 2^52"
)]
fn ratio(part: usize, all: usize) -> f64 {
    if all == 0 {
        0.0
    } else {
        part as f64 / all as f64
    }
}

/// FNV-1a: the same on every machine. Two of a text's few thousand shingles
/// falling together changes a similarity in the fourth digit.
fn hash(kind: u8, letters: &[char]) -> u32 {
    let mut hash: u32 = 0x811c_9dc5;
    let mut add = |byte: u8| {
        hash ^= u32::from(byte);
        hash = hash.wrapping_mul(0x0100_0193);
    };
    add(kind);
    for letter in letters {
        for byte in u32::from(*letter).to_le_bytes() {
            add(byte);
        }
    }
    hash
}

/// Calls `visit` once for every pair of sets whose Jaccard similarity is at
/// least `least`, and for some others; the first index is the smaller one.
///
/// Sets that are that much alike share at least one of their few rarest
/// elements, so only sets that do are looked at.
pub(crate) fn each_pair(sets: &[&Shingles], least: f64, mut visit: impl FnMut(usize, usize)) {
    let mut frequency: HashMap<u32, u32> = HashMap::new();
    for set in sets {
        for element in &set.0 {
            *frequency.entry(*element).or_default() += 1;
        }
    }
    let mut holders: HashMap<u32, Vec<usize>> = HashMap::new();
    // The last set with which each one was visited.
    let mut visited_with = vec![usize::MAX; sets.len()];
    for (index, set) in sets.iter().enumerate() {
        let mut rarest: Vec<(u32, u32)> = set
            .0
            .iter()
            .map(|element| (frequency[element], *element))
            .collect();
        rarest.sort_unstable();
        #[expect(
            clippy::cast_precision_loss,
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a share of a small size"
        )]
        let needed = (rarest.len() as f64 * least).ceil() as usize;
        let prefix = rarest.len() + 1 - needed.clamp(1, rarest.len() + 1);
        for (count, element) in rarest.into_iter().take(prefix) {
            if count < 2 {
                continue;
            }
            let holders = holders.entry(element).or_default();
            for other in holders.iter().copied() {
                if visited_with[other] != index {
                    visited_with[other] = index;
                    if sets[other].most(set) >= least {
                        visit(other, index);
                    }
                }
            }
            holders.push(index);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn case_and_layout_do_not_count() {
        let a = Shingles::new("Retry  Queue\n backoff", 2);
        assert_eq!(a, Shingles::new("retry queue BACKOFF", 2));
        assert!(Shingles::new("  ", 2).is_empty());
    }

    #[test]
    fn chinese_is_compared_by_its_characters() {
        let a = Shingles::new("所有缓存必须经过统一入口", 2);
        let b = Shingles::new("所有缓存都必须经过统一的入口", 2);
        let c = Shingles::new("网络请求需要重试", 2);
        assert!(a.jaccard(&b) > 0.4);
        assert_eq!(a.jaccard(&c), 0.0);
    }

    proptest! {
        /// Looking at rare elements alone misses no pair.
        #[test]
        fn every_like_pair_is_found(texts in proptest::collection::vec("[ab]{1,4}( [abc]{1,3}){0,4}", 0..14), tenths in 2..9_u8) {
            let sets: Vec<Shingles> = texts.iter().map(|text| Shingles::new(text, 2)).collect();
            let all: Vec<&Shingles> = sets.iter().collect();
            let least = f64::from(tenths) / 10.0;
            let mut found = Vec::new();
            each_pair(&all, least, |a, b| found.push((a, b)));
            for (b, second) in sets.iter().enumerate() {
                for (a, first) in sets[..b].iter().enumerate() {
                    if first.jaccard(second) >= least {
                        prop_assert!(found.contains(&(a, b)), "{a} {b}");
                    }
                }
            }
        }
    }
}
