//! Who may do what: roles, rules and the account of what was done.
//! (knowledge.md §16–§17)

mod action;
mod audit;
mod constitution;
mod decide;
#[cfg(test)]
mod tests;

pub use action::{ACTIONS, Action, KnownAction, Resource, known_action};
pub use audit::{AUDIT_RETENTION_MS, AuditResult, AuditRow, audit_data, manual_edit_row, masked};
pub use constitution::{Capability, Constitution, DEFAULT_CONSTITUTION, Role, Rule};
pub use decide::{Denial, MatchedBy, Request, Surroundings, may_move, permit};

/// The character of the product's agents, unless `Alembic/SOUL.md` says
/// otherwise.
pub const DEFAULT_SOUL: &str = include_str!("soul.md");
