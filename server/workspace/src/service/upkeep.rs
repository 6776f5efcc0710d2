//! Delivered files that follow the knowledge while a process is alive.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use asd_delivery::{Debounce, Delivered, Redelivery, deliver_if_changed};
use asd_store::{Project, WriteError};

use crate::delivery::knowledge;

/// Delivers after changes, on a thread; never at once with another process.
pub struct Upkeep {
    project: Project,
    redelivery: Arc<Redelivery>,
    /// Set by a change until a delivery has read it.
    waiting: Arc<AtomicBool>,
}

impl Upkeep {
    /// For a project. Nothing is delivered where nothing was delivered before.
    #[must_use]
    pub fn new(project: &Project) -> Self {
        let waiting = Arc::new(AtomicBool::new(false));
        let read = waiting.clone();
        let source = project.clone();
        let redelivery = Redelivery::new(
            project.clone(),
            Debounce::default(),
            move || {
                read.store(false, Ordering::Release);
                knowledge(&source)
            },
            tell,
        );
        Self {
            project: project.clone(),
            redelivery: Arc::new(redelivery),
            waiting,
        }
    }

    /// What is called when knowledge changes; returns at once.
    pub fn teller(&self) -> impl Fn() + Send + Sync + 'static {
        let redelivery = self.redelivery.clone();
        let waiting = self.waiting.clone();
        move || {
            waiting.store(true, Ordering::Release);
            redelivery.changed();
        }
    }

    /// Delivers what still waits for its debounce: this process ends, and there
    /// may be no other.
    pub fn finish(&self) {
        if !self.waiting.swap(false, Ordering::AcqRel) {
            return;
        }
        let at_once = Debounce {
            quiet: Duration::ZERO,
            longest: Duration::ZERO,
        };
        tell(deliver_if_changed(&self.project, at_once, || {
            knowledge(&self.project)
        }));
    }
}

fn tell(delivered: Result<Delivered, WriteError>) {
    match delivered {
        Ok(Delivered::Written(report)) => tracing::info!(
            written = report.stats.files_written,
            removed = report.stats.files_removed,
            "knowledge was delivered"
        ),
        Ok(Delivered::Nothing | Delivered::NotWanted) => {}
        Err(error) => tracing::warn!(%error, "knowledge was not delivered"),
    }
}
