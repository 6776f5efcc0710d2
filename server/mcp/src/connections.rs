//! The connections that a server over HTTP has.

use std::sync::{Arc, Mutex, PoisonError, Weak};

use asd_workspace::service::Caller;

use crate::alembic::Shared;
use crate::{Connection, Opening, Server};

/// See the module.
#[derive(Clone)]
pub struct Connections {
    opening: Opening,
    caller: Caller,
    /// Those that are open; one that ends by itself is remembered by itself.
    known: Arc<Mutex<Vec<Weak<Shared>>>>,
}

impl Connections {
    /// None yet.
    #[must_use]
    pub fn new(opening: Opening, caller: Caller) -> Self {
        Self {
            opening,
            caller,
            known: Arc::default(),
        }
    }

    /// Makes a server for each connection.
    pub fn connect(&self) -> impl Fn() -> Server + Send + Sync + 'static {
        let connections = self.clone();
        move || {
            let connection =
                Connection::new(connections.opening.clone(), connections.caller.clone());
            let mut known = connections.known();
            known.retain(|known| known.strong_count() > 0);
            known.push(Arc::downgrade(connection.shared()));
            Server::new(connection.catalog())
        }
    }

    /// Ends them all, and with them the process: work that is left is
    /// remembered, and what changed is delivered.
    pub fn leave(&self) {
        let known = std::mem::take(&mut *self.known());
        if known.is_empty() {
            return;
        }
        for shared in known.iter().filter_map(Weak::upgrade) {
            shared.leave();
        }
        self.opening.service().deliver_rest();
    }

    fn known(&self) -> std::sync::MutexGuard<'_, Vec<Weak<Shared>>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A token that nobody guesses: 244 random bits.
#[must_use]
pub fn new_token() -> String {
    [uuid::Uuid::new_v4(), uuid::Uuid::new_v4()]
        .iter()
        .map(|part| part.simple().to_string())
        .collect()
}
