//! Who may do what: roles, rules and the account of what was done.
//! (knowledge.md §16–§17)

mod action;
mod audit;
mod constitution;
mod decide;
mod paths;
#[cfg(test)]
mod tests;

pub use action::{ACTIONS, Action, KnownAction, Resource, known_action};
pub use audit::{AUDIT_RETENTION_MS, AuditResult, AuditRow, audit_data, manual_edit_row, masked};
pub use constitution::{Capability, Constitution, DEFAULT_CONSTITUTION, Role, Rule};
pub use decide::{Denial, MatchedBy, Request, Surroundings, may_move, permit};
pub use paths::{WRITABLE_FILES, WRITABLE_FOLDERS, may_write};

/// The character of the product's agents, unless `Alembic/SOUL.md` says
/// otherwise.
pub const DEFAULT_SOUL: &str = include_str!("soul.md");
