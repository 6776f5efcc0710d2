//! The language server's door: `asd lsp`. It speaks the Language Server
//! Protocol on stdin and stdout and translates; what is right and wrong is
//! decided in the rooms below.
//!
//! Three kinds of code live here. The *session* owns everything that changes and
//! takes the client's notifications one by one in the order of the wire. The
//! *checks* run on a pool and publish only what is still current. The
//! *handlers* answer requests from an immutable snapshot. Nothing here ever
//! waits for the client.

pub mod document;
pub mod handlers;
pub mod project;
pub mod settings;
pub mod snapshot;
pub mod uri;

mod card;
mod front_matter;
mod mentions;
mod project_files;
mod recipe_file;
mod recipes;
mod workspace_edit;
