//! Time and chance, which tests drive.

use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use tokio::sync::{Notify, oneshot};

/// A future that ends after a while.
pub type Sleep = Pin<Box<dyn Future<Output = ()> + Send>>;

/// Where time and chance come from.
pub trait Host: Send + Sync {
    /// Time that only goes forward, since some moment.
    fn now(&self) -> Duration;
    /// The time of day, for signatures and for dates in answers.
    fn wall(&self) -> SystemTime;
    /// Ends after a while.
    fn sleep(&self, time: Duration) -> Sleep;
    /// A number by chance.
    fn random(&self) -> u64;
}

/// The clock of the machine.
#[derive(Debug, Clone, Copy)]
pub struct SystemHost {
    start: Instant,
}

impl Default for SystemHost {
    fn default() -> Self {
        Self {
            start: Instant::now(),
        }
    }
}

impl Host for SystemHost {
    fn now(&self) -> Duration {
        self.start.elapsed()
    }

    fn wall(&self) -> SystemTime {
        SystemTime::now()
    }

    fn sleep(&self, time: Duration) -> Sleep {
        Box::pin(tokio::time::sleep(time))
    }

    fn random(&self) -> u64 {
        use std::hash::{BuildHasher, RandomState};
        RandomState::new().hash_one(self.start)
    }
}

/// A clock that stands still until it is moved. Chance always gives the same
/// number, by default the middle.
#[derive(Clone)]
pub struct VirtualHost {
    state: Arc<Mutex<Virtual>>,
    changed: Arc<Notify>,
}

struct Virtual {
    now: Duration,
    start: SystemTime,
    random: u64,
    sleepers: Vec<(Duration, Duration, oneshot::Sender<()>)>,
}

impl Default for VirtualHost {
    fn default() -> Self {
        // 2026-01-02T03:04:05Z
        Self::at(SystemTime::UNIX_EPOCH + Duration::from_secs(1_767_323_045))
    }
}

impl VirtualHost {
    /// A clock that shows this time of day.
    #[must_use]
    pub fn at(start: SystemTime) -> Self {
        Self {
            state: Arc::new(Mutex::new(Virtual {
                now: Duration::ZERO,
                start,
                random: u64::MAX / 2,
                sleepers: Vec::new(),
            })),
            changed: Arc::default(),
        }
    }

    /// Moves the clock, and wakes who slept until then.
    pub fn advance(&self, by: Duration) {
        let mut state = self.lock();
        state.now += by;
        let now = state.now;
        let (due, rest) = std::mem::take(&mut state.sleepers)
            .into_iter()
            .partition(|(until, ..)| *until <= now);
        state.sleepers = rest;
        drop(state);
        let due: Vec<(Duration, Duration, oneshot::Sender<()>)> = due;
        for (_, _, wake) in due {
            // Whoever slept may have gone.
            let _ = wake.send(());
        }
    }

    /// Waits until somebody sleeps for this long, then moves the clock by it.
    pub async fn pass(&self, time: Duration) {
        loop {
            let changed = self.changed.notified();
            if self.sleeping().contains(&time) {
                self.advance(time);
                return;
            }
            changed.await;
        }
    }

    /// For how long those who still sleep wanted to, in the order of their going
    /// to sleep.
    #[must_use]
    pub fn sleeping(&self) -> Vec<Duration> {
        let mut state = self.lock();
        state.sleepers.retain(|(_, _, wake)| !wake.is_closed());
        state.sleepers.iter().map(|(_, time, _)| *time).collect()
    }

    /// What chance gives from now on.
    pub fn set_random(&self, random: u64) {
        self.lock().random = random;
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Virtual> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Host for VirtualHost {
    fn now(&self) -> Duration {
        self.lock().now
    }

    fn wall(&self) -> SystemTime {
        let state = self.lock();
        state.start + state.now
    }

    fn sleep(&self, time: Duration) -> Sleep {
        let (wake, woken) = oneshot::channel();
        let mut state = self.lock();
        let until = state.now + time;
        state.sleepers.push((until, time, wake));
        drop(state);
        self.changed.notify_waiters();
        Box::pin(async move {
            // A clock that is gone wakes nobody.
            if woken.await.is_err() {
                std::future::pending::<()>().await;
            }
        })
    }

    fn random(&self) -> u64 {
        self.lock().random
    }
}

/// An identifier that sorts by time: a prefix and 26 chars. (spec 0)
#[must_use]
pub fn new_id(prefix: &str, host: &dyn Host) -> String {
    const ALPHABET: &[u8; 32] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";
    // Chance may repeat itself within a millisecond, this does not.
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let millis = host
        .wall()
        .duration_since(SystemTime::UNIX_EPOCH)
        .unwrap_or_default()
        .as_millis();
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let chance = (u128::from(host.random()) << 20 ^ u128::from(count)) & ((1 << 80) - 1);
    let mut rest = (millis & ((1 << 48) - 1)) << 80 | chance;
    let mut chars = [b'0'; 26];
    for place in chars.iter_mut().rev() {
        *place = ALPHABET[(rest % 32) as usize];
        rest /= 32;
    }
    let ulid: String = chars.iter().map(|byte| char::from(*byte)).collect();
    format!("{prefix}_{ulid}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_virtual_clock_moves_when_it_is_told_to() {
        let host = VirtualHost::default();
        let sleeper = {
            let host = host.clone();
            tokio::spawn(async move { host.sleep(Duration::from_secs(60)).await })
        };
        host.pass(Duration::from_secs(60)).await;
        sleeper.await.unwrap();
        assert_eq!(host.now(), Duration::from_secs(60));
        assert!(host.sleeping().is_empty());
    }

    #[test]
    fn identifiers_sort_by_time_and_differ() {
        let host = SystemHost::default();
        let first = new_id("call", &host);
        std::thread::sleep(Duration::from_millis(2));
        let second = new_id("call", &host);
        assert!(first < second, "{first} {second}");
        assert_eq!(first.len(), 31);
        assert_ne!(new_id("call", &host), new_id("call", &host));
    }
}
