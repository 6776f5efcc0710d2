//! Leaving something alone for a while after it failed several times in a row.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::embedder::{EmbedError, Embedder};

/// The time, which a test sets by hand.
pub trait Clock: Send + Sync {
    /// The time since some moment in the past. Never goes back.
    fn now(&self) -> Duration;
}

/// The time of the system.
#[derive(Clone, Copy, Debug)]
pub struct SystemClock(Instant);

impl Default for SystemClock {
    fn default() -> Self {
        Self(Instant::now())
    }
}

impl Clock for SystemClock {
    fn now(&self) -> Duration {
        self.0.elapsed()
    }
}

/// When a breaker opens, and for how long. (search.md §10)
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// So many failures in a row open it.
    pub failures: u32,
    /// So long nothing is tried; then one call is let through, and what becomes
    /// of it decides.
    pub rest: Duration,
}

impl Limits {
    /// For embedding as a whole.
    pub const EMBEDDING: Self = Self {
        failures: 3,
        rest: Duration::from_secs(60),
    };
    /// For the endpoint of a provider.
    pub const PROVIDER: Self = Self {
        failures: 5,
        rest: Duration::from_secs(30),
    };
}

/// Counts failures, and refuses calls while there were too many.
pub struct Breaker {
    limits: Limits,
    clock: Box<dyn Clock>,
    state: Mutex<State>,
}

#[derive(Clone, Copy, Debug)]
struct State {
    failures: u32,
    /// Nothing is tried before this.
    closed_until: Duration,
    /// One call is under way to find out whether it works again.
    is_trying: bool,
}

impl Breaker {
    /// A breaker that has seen nothing yet.
    #[must_use]
    pub fn new(limits: Limits, clock: Box<dyn Clock>) -> Self {
        Self {
            limits,
            clock,
            state: Mutex::new(State {
                failures: 0,
                closed_until: Duration::ZERO,
                is_trying: false,
            }),
        }
    }

    /// Calls `work` and counts what becomes of it.
    ///
    /// # Errors
    ///
    /// That of `work`, or [`EmbedError::Resting`] when it was not called.
    pub fn call<T>(&self, work: impl FnOnce() -> Result<T, EmbedError>) -> Result<T, EmbedError> {
        self.enter()?;
        // A panic counts as a failure, else nothing would ever be tried again.
        let mut pass = Pass {
            breaker: self,
            succeeded: false,
        };
        let result = work();
        pass.succeeded = result.is_ok();
        result
    }

    fn enter(&self) -> Result<(), EmbedError> {
        let mut state = self.state();
        if state.failures < self.limits.failures {
            return Ok(());
        }
        let left = state.closed_until.saturating_sub(self.clock.now());
        if left.is_zero() && !state.is_trying {
            state.is_trying = true;
            return Ok(());
        }
        Err(EmbedError::Resting {
            failures: state.failures,
            retry_in: left,
        })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

struct Pass<'b> {
    breaker: &'b Breaker,
    succeeded: bool,
}

impl Drop for Pass<'_> {
    fn drop(&mut self) {
        let mut state = self.breaker.state();
        state.is_trying = false;
        if self.succeeded {
            state.failures = 0;
        } else {
            state.failures = state.failures.saturating_add(1);
            if state.failures >= self.breaker.limits.failures {
                state.closed_until = self.breaker.clock.now() + self.breaker.limits.rest;
            }
        }
    }
}

/// An embedder that is left alone for a while after it failed several times in
/// a row.
pub struct Rested<E> {
    embedder: E,
    breaker: Breaker,
}

impl<E: Embedder> Rested<E> {
    /// Puts a breaker before an embedder.
    pub fn new(embedder: E, breaker: Breaker) -> Self {
        Self { embedder, breaker }
    }
}

impl<E: Embedder> Embedder for Rested<E> {
    fn id(&self) -> &str {
        self.embedder.id()
    }

    fn dimension(&self) -> usize {
        self.embedder.dimension()
    }

    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
        self.breaker.call(|| self.embedder.embed(texts))
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU64, Ordering};

    use super::*;

    /// A clock that stands still until it is told the time, in seconds.
    #[derive(Clone, Default)]
    pub(crate) struct HandClock(Arc<AtomicU64>);

    impl HandClock {
        pub(crate) fn set(&self, seconds: u64) {
            self.0.store(seconds, Ordering::SeqCst);
        }
    }

    impl Clock for HandClock {
        fn now(&self) -> Duration {
            Duration::from_secs(self.0.load(Ordering::SeqCst))
        }
    }

    fn failure() -> Result<(), EmbedError> {
        Err(EmbedError::Failed("no".to_owned()))
    }

    fn refused(breaker: &Breaker) -> Option<u64> {
        match breaker.call(|| Ok(())) {
            Err(EmbedError::Resting { retry_in, .. }) => Some(retry_in.as_secs()),
            _ => None,
        }
    }

    #[test]
    fn three_failures_in_a_row_mean_a_minute_of_rest_and_then_one_trial() {
        let clock = HandClock::default();
        let breaker = Breaker::new(Limits::EMBEDDING, Box::new(clock.clone()));
        for _ in 0..3 {
            breaker.call(failure).unwrap_err();
        }
        assert_eq!(refused(&breaker), Some(60));
        clock.set(59);
        assert_eq!(refused(&breaker), Some(1));

        clock.set(60);
        let during_trial = breaker.call(|| {
            assert_eq!(refused(&breaker), Some(0), "only one is let through");
            failure()
        });
        during_trial.unwrap_err();
        assert_eq!(refused(&breaker), Some(60), "the trial failed");

        clock.set(120);
        assert_eq!(refused(&breaker), None, "the trial succeeds");
        breaker.call(failure).unwrap_err();
        breaker.call(failure).unwrap_err();
        assert_eq!(refused(&breaker), None, "counting began anew");
    }

    #[test]
    fn a_success_between_failures_keeps_it_closed() {
        let breaker = Breaker::new(Limits::EMBEDDING, Box::new(HandClock::default()));
        for _ in 0..5 {
            breaker.call(failure).unwrap_err();
            breaker.call(failure).unwrap_err();
            breaker.call(|| Ok(())).unwrap();
        }
    }

    #[test]
    fn a_trial_that_panics_is_a_failure() {
        let clock = HandClock::default();
        let limits = Limits {
            failures: 1,
            ..Limits::PROVIDER
        };
        let breaker = Breaker::new(limits, Box::new(clock.clone()));
        let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            breaker.call(|| -> Result<(), EmbedError> { panic!("on purpose") })
        }));
        assert!(panicked.is_err());
        assert_eq!(refused(&breaker), Some(30));
        clock.set(30);
        assert_eq!(refused(&breaker), None);
    }
}
