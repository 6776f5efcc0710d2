//! The door for AI agents: the Model Context Protocol over stdin and stdout, or
//! over HTTP on this machine.
//!
//! `frames` reads and writes lines, `server` answers the protocol's methods from
//! a [`Catalog`], `http` serves the same over streamable HTTP. What the tools do
//! is decided in `workspace`.

mod alembic;
mod catalog;
mod connections;
mod frames;
mod http;
mod opening;
mod server;
mod stdio;

pub use alembic::Connection;
pub use catalog::{
    Call, Catalog, Complete, OfferedPrompt, OfferedTool, Pending, Resources, SetLevel,
};
pub use connections::{Connections, new_token};
pub use http::{HttpServer, PATH};
pub use opening::Opening;
pub use server::Server;
pub use stdio::{ServeError, serve_stdio};
