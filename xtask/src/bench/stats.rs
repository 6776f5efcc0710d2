//! Times and memory.

use std::fmt;
use std::time::Duration;

/// A set of measured times.
pub struct Times(Vec<Duration>);

impl Times {
    pub fn new(mut times: Vec<Duration>) -> Self {
        times.sort();
        Self(times)
    }

    /// The time that `percent` of the runs stayed within.
    pub fn percentile(&self, percent: usize) -> Duration {
        let last = self.0.len().saturating_sub(1);
        self.0
            .get((self.0.len() * percent / 100).min(last))
            .copied()
            .unwrap_or_default()
    }

    pub fn median(&self) -> Duration {
        self.percentile(50)
    }
}

/// A time in milliseconds, as tables show it.
pub struct Ms(pub Duration);

impl fmt::Display for Ms {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.1}", self.0.as_secs_f64() * 1000.0)
    }
}

/// The largest resident memory that a running process has had, in MiB; `None`
/// once it has ended, or where the system does not say.
pub fn peak_memory(pid: u32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    line.split_whitespace()
        .nth(1)?
        .parse::<u64>()
        .ok()
        .map(|kib| kib / 1024)
}
