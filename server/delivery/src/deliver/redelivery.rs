//! One process that sees many changes.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use asd_store::{Project, WriteError};

use crate::Knowledge;
use crate::deliver::{Debounce, Delivered, deliver_if_changed};

type Load = dyn Fn() -> Knowledge + Send + Sync;
type Told = dyn Fn(Result<Delivered, WriteError>) + Send + Sync;

/// Delivers after changes, on a thread that lives only while there is something
/// to do. However many changes come in a row, at most one delivery runs and at
/// most one waits.
pub struct Redelivery {
    shared: Arc<Shared>,
}

struct Shared {
    project: Project,
    debounce: Debounce,
    load: Box<Load>,
    told: Box<Told>,
    state: Mutex<State>,
    idle: Condvar,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Idle,
    Running,
    /// A change came while a delivery ran.
    Again,
}

impl Redelivery {
    /// For a project. `load` reads the knowledge when its turn has come, `told`
    /// hears what came of each delivery; both run on the thread.
    #[must_use]
    pub fn new(
        project: Project,
        debounce: Debounce,
        load: impl Fn() -> Knowledge + Send + Sync + 'static,
        told: impl Fn(Result<Delivered, WriteError>) + Send + Sync + 'static,
    ) -> Self {
        Self {
            shared: Arc::new(Shared {
                project,
                debounce,
                load: Box::new(load),
                told: Box::new(told),
                state: Mutex::new(State::Idle),
                idle: Condvar::new(),
            }),
        }
    }

    /// Knowledge has changed. Returns at once.
    pub fn changed(&self) {
        let mut state = self.shared.state();
        if *state != State::Idle {
            *state = State::Again;
            return;
        }
        *state = State::Running;
        drop(state);
        let shared = Arc::clone(&self.shared);
        let started = std::thread::Builder::new()
            .name("delivery".to_owned())
            .spawn(move || shared.run());
        if let Err(error) = started {
            tracing::warn!(%error, "cannot start a delivery");
            *self.shared.state() = State::Idle;
        }
    }

    /// Waits until every change that was told is delivered: before a process
    /// ends.
    pub fn wait(&self) {
        let mut state = self.shared.state();
        while *state != State::Idle {
            state = self
                .shared
                .idle
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn run(&self) {
        let _woken = WokenAfterPanic(self);
        loop {
            (self.told)(deliver_if_changed(&self.project, self.debounce, || {
                (self.load)()
            }));
            // Between the look and the end no change may come in unseen.
            let mut state = self.state();
            if *state != State::Again {
                *state = State::Idle;
                self.idle.notify_all();
                return;
            }
            *state = State::Running;
        }
    }
}

/// Whoever waits is woken even if a delivery panics.
struct WokenAfterPanic<'s>(&'s Shared);

impl Drop for WokenAfterPanic<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            *self.0.state() = State::Idle;
            self.0.idle.notify_all();
        }
    }
}
