//! Serving one client over stdin and stdout.

use std::io::{stdin, stdout};

use rmcp::service::{QuitReason, ServerInitializeError, serve_server};
use thiserror::Error;

use crate::Server;
use crate::frames::Frames;

/// Why serving ended other than by the end of the input.
#[derive(Debug, Error)]
pub enum ServeError {
    /// The client's first words were not understood.
    #[error("the client did not open the connection as the protocol has it: {0}")]
    Opening(String),
    /// A task of the server failed.
    #[error("the server failed: {0}")]
    Failed(String),
}

/// Serves until the input ends or `stop` is ready.
///
/// # Errors
/// [`ServeError`]; the end of the input is none.
pub async fn serve_stdio(server: Server, stop: impl Future<Output = ()>) -> Result<(), ServeError> {
    let serving = async {
        let running = match serve_server(server, Frames::new(stdin(), stdout())).await {
            Ok(running) => running,
            Err(ServerInitializeError::ConnectionClosed(_)) => return Ok(()),
            Err(error) => return Err(ServeError::Opening(error.to_string())),
        };
        match running.waiting().await {
            Ok(QuitReason::JoinError(error)) => Err(ServeError::Failed(error.to_string())),
            Ok(_) => Ok(()),
            Err(error) => Err(ServeError::Failed(error.to_string())),
        }
    };
    tokio::select! {
        result = serving => result,
        () = stop => Ok(()),
    }
}
