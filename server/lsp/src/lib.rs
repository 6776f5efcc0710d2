//! The language server's door: `asd lsp`. It speaks the Language Server
//! Protocol on stdin and stdout and translates; what is right and wrong is
//! decided in the rooms below.
//!
//! Three kinds of code live here. The *session* owns everything that changes and
//! takes the client's notifications one by one in the order of the wire. The
//! *checks* run on a pool and publish only what is still current. The
//! *handlers* answer requests from an immutable snapshot. Nothing here ever
//! waits for the client.

mod across;
mod arguments;
mod candidate_commands;
mod capabilities;
mod card;
mod checks;
mod closed;
mod commands;
mod diagnostics;
pub mod document;
mod drift;
#[cfg(test)]
mod fixture;
#[cfg(test)]
mod fixture_text;
mod frames;
mod front_matter;
pub mod handlers;
mod lifecycle;
mod loading;
mod logging;
mod mentions;
mod notifications;
mod outbox;
mod progress;
pub mod project;
mod project_files;
mod quarantine;
mod recipe_commands;
mod recipe_file;
mod recipes;
mod record;
mod replay;
mod server;
mod service;
mod session;
pub mod settings;
mod setup;
pub mod snapshot;
mod start;
mod status;
pub mod uri;
mod watch;
mod workspace_edit;

pub use capabilities::FIX_ALL;
pub use diagnostics::{DATA_SCHEMA, SOURCE};
pub use lifecycle::{Options, run};
