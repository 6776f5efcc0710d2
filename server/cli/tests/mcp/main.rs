//! `asd mcp`: the real program, over its stdin and stdout.

#![expect(clippy::unwrap_used, reason = "what a test needs must be there")]

mod client;
mod knowledge;
mod project;
mod protocol;
mod rough;
mod task;
