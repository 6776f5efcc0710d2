//! Answers that were given a moment ago.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use crate::query::{Answer, Query};

/// How long an answer is kept.
const KEPT: Duration = Duration::from_secs(5 * 60);
/// The most answers; beyond, the oldest fifth goes.
const MOST: usize = 500;

/// Answers of one generation of an index by their whole query.
#[derive(Default)]
pub(crate) struct Cache {
    answers: BTreeMap<Query, (Instant, Answer)>,
}

impl Cache {
    pub(crate) fn get(&self, query: &Query, now: Instant) -> Option<Answer> {
        let (at, answer) = self.answers.get(query)?;
        (now.duration_since(*at) < KEPT).then(|| answer.clone())
    }

    pub(crate) fn put(&mut self, query: Query, answer: Answer, now: Instant) {
        self.answers.insert(query, (now, answer));
        if self.answers.len() > MOST {
            let mut times: Vec<Instant> = self.answers.values().map(|(at, _)| *at).collect();
            times.sort_unstable();
            let oldest = times[MOST / 5];
            self.answers.retain(|_, (at, _)| *at > oldest);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::query::{Confidence, Mode};

    fn answer(query: &str) -> Answer {
        Answer {
            query: query.to_owned(),
            mode: Mode::Auto,
            items: Vec::new(),
            confidence: Confidence::Low,
            certainty: 0.5,
            degraded: false,
        }
    }

    #[test]
    fn answers_are_kept_five_minutes() {
        let mut cache = Cache::default();
        let start = Instant::now();
        cache.put(Query::new("a"), answer("a"), start);
        assert!(cache.get(&Query::new("a"), start + KEPT / 2).is_some());
        assert!(cache.get(&Query::new("a"), start + KEPT).is_none());
        let other = Query {
            limit: Some(3),
            ..Query::new("a")
        };
        assert!(cache.get(&other, start).is_none());
    }

    #[test]
    fn the_oldest_fifth_goes_when_there_are_too_many() {
        let mut cache = Cache::default();
        let start = Instant::now();
        for n in 0..=MOST {
            let name = n.to_string();
            let at = start + Duration::from_millis(n as u64);
            cache.put(Query::new(&name), answer(&name), at);
        }
        assert_eq!(cache.answers.len(), MOST - MOST / 5);
        assert!(
            cache
                .get(&Query::new("100"), start + Duration::from_secs(1))
                .is_none()
        );
        assert!(
            cache
                .get(&Query::new("101"), start + Duration::from_secs(1))
                .is_some()
        );
    }
}
