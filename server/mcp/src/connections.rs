//! The connections that a server over HTTP has.

use std::sync::{Arc, Mutex, PoisonError};

use asd_workspace::service::Caller;

use crate::{Connection, Opening, Server};

/// So many connections are kept in mind; beyond, those without work are not.
const MANY: usize = 256;

/// See the module.
#[derive(Clone)]
pub struct Connections {
    opening: Opening,
    caller: Caller,
    known: Arc<Mutex<Vec<Connection>>>,
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
            let server = Server::new(connection.catalog());
            let mut known = connections
                .known
                .lock()
                .unwrap_or_else(PoisonError::into_inner);
            if known.len() >= MANY {
                known.retain(Connection::is_at_work);
            }
            known.push(connection);
            server
        }
    }

    /// Ends them all: work that is left is remembered.
    pub fn leave(&self) {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        for connection in known.drain(..) {
            connection.leave();
        }
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
