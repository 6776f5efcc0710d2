//! A project that is read while the connection opens: the handshake needs
//! nothing of it, calls wait for it. (mcp.md §1)

use std::sync::{Arc, LazyLock};

use asd_workspace::service::Service;

type Open = Box<dyn FnOnce() -> Service + Send>;

/// A project that is open, or soon will be.
#[derive(Clone)]
pub struct Opening(Arc<LazyLock<Service, Open>>);

impl Opening {
    /// Begins to open a project on a thread of its own.
    #[must_use]
    pub fn begin(open: impl FnOnce() -> Service + Send + 'static) -> Self {
        let open: Open = Box::new(open);
        let opening = Self(Arc::new(LazyLock::new(open)));
        let opened = opening.clone();
        let started = std::thread::Builder::new()
            .name("asd-open".to_owned())
            .spawn(move || {
                let _ = opened.service();
            });
        if let Err(error) = started {
            tracing::warn!(%error, "the project is opened by the first call");
        }
        opening
    }

    /// The project; blocks until it is open.
    #[must_use]
    pub fn service(&self) -> &Service {
        &self.0
    }
}
