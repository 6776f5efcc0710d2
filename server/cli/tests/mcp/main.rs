//! `asd mcp`: the real program, over its stdin and stdout.

mod client;
mod knowledge;
mod project;
mod protocol;
mod rough;
mod task;
