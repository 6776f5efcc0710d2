//! What a connection is working on: the prime before it, the task, decisions,
//! and how far it left its way. (mcp.md §6–§7)

mod drift;
mod intent;
mod session;

pub use intent::{
    Decision, Drift, DriftEvent, End, IntentChainRecord, IntentState, Outcome, Phase, ToolCall,
};
pub use session::{OpenWork, Primed, Session};

/// What an agent is told with every prime.
pub const TASK_RULES: &str = include_str!("rules.md");
