//! Who may do what: roles, rules and the account of what was done.
//! (knowledge.md §16–§17)

mod audit;

pub use audit::{AUDIT_RETENTION_MS, AuditResult, AuditRow, audit_data, manual_edit_row, masked};
