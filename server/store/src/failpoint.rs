//! The steps of a write, at each of which a test may end the process as a power
//! cut would. Outside of tests a step is nothing.

/// Marks that a step of a write has been taken.
#[cfg(not(test))]
#[inline]
pub(crate) const fn step(_name: &str) {}

#[cfg(test)]
pub(crate) use counted::{AT, step};

#[cfg(test)]
mod counted {
    use std::sync::OnceLock;
    use std::sync::atomic::{AtomicUsize, Ordering};

    /// Names the step, counted from 1, at which the process is to end.
    pub(crate) const AT: &str = "ASD_TEST_END_AT_STEP";

    /// Counts a step, and ends the process at the one that was asked for. It
    /// says on stderr where.
    pub(crate) fn step(name: &str) {
        static END: OnceLock<Option<usize>> = OnceLock::new();
        static TAKEN: AtomicUsize = AtomicUsize::new(0);
        let end = END.get_or_init(|| std::env::var(AT).ok().and_then(|at| at.parse().ok()));
        let Some(end) = *end else {
            return;
        };
        if TAKEN.fetch_add(1, Ordering::SeqCst) + 1 == end {
            eprintln!("ended behind: {name}");
            end_at_once();
        }
    }

    #[cfg(unix)]
    fn end_at_once() -> ! {
        use rustix::process::{Signal, getpid, kill_process};
        let _ = kill_process(getpid(), Signal::KILL);
        unreachable!("a killed process goes no further");
    }

    #[cfg(not(unix))]
    fn end_at_once() -> ! {
        std::process::abort();
    }
}
