//! How often a change may be sent back before it is let through. (guard.md §13)

use serde::{Deserialize, Serialize};

use crate::Timestamp;

/// After so many failed reviews the next one passes, with the rest listed.
pub const MAX_REVIEW_ROUNDS: u32 = 5;
/// Without a review for this long, in milliseconds, counting starts anew.
const FORGET_AFTER: i64 = 30 * 60 * 1000;

/// Where the reviews of one session in one project stand.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ReviewRound {
    /// The number of the review, from 1.
    pub round: u32,
    /// The commit that it was made on.
    pub head: Option<String>,
    /// When it was made.
    pub at: Timestamp,
}

impl ReviewRound {
    /// The review that follows `previous`. A moved HEAD or half an hour without
    /// a review starts the count anew.
    #[must_use]
    pub fn after(previous: Option<&Self>, head: Option<&str>, now: Timestamp) -> Self {
        let counted = previous
            .filter(|previous| previous.head.as_deref() == head && previous.is_fresh(now))
            .map_or(0, |previous| previous.round);
        Self {
            round: counted + 1,
            head: head.map(str::to_owned),
            at: now,
        }
    }

    /// Whether it still counts.
    #[must_use]
    pub const fn is_fresh(&self, now: Timestamp) -> bool {
        now.since(self.at) <= FORGET_AFTER
    }

    /// Whether what is left is let through as follow-ups.
    #[must_use]
    pub const fn is_beyond_the_last(&self) -> bool {
        self.round > MAX_REVIEW_ROUNDS
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounds_are_counted_until_the_sixth() {
        let mut last = None;
        for expected in 1..=6 {
            let round = ReviewRound::after(last.as_ref(), Some("h"), Timestamp(expected));
            assert_eq!(i64::from(round.round), expected);
            assert_eq!(round.is_beyond_the_last(), expected == 6);
            last = Some(round);
        }
    }

    #[test]
    fn a_moved_head_or_a_long_pause_starts_anew() {
        let first = ReviewRound::after(None, Some("a"), Timestamp(0));
        let round = |head, at| ReviewRound::after(Some(&first), head, Timestamp(at)).round;
        assert_eq!(round(Some("a"), FORGET_AFTER), 2);
        assert_eq!(round(Some("a"), FORGET_AFTER + 1), 1);
        assert_eq!(round(Some("b"), 1), 1);
        assert_eq!(round(None, 1), 1);
    }
}
