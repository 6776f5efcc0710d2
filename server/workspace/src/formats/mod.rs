//! Forms of a result that other programs read, each a pure function of it.
//! SARIF has a module of its own, [`crate::sarif`].

mod github;
mod gitlab;
mod junit;
mod markdown;
mod text;

pub use github::github;
pub use gitlab::gitlab;
pub use junit::junit;
pub use markdown::markdown;
pub use text::text;
