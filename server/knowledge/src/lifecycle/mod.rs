//! The life of an entry: its states, the moves between them, and what time
//! does to it. (knowledge.md §6)

mod states;
mod timers;
mod transition;

#[cfg(test)]
mod tests;

pub use states::{
    DeliveryUse, GuardUse, NamedAction, SearchUse, StateFacts, actions_from, facts, home_of,
    is_allowed, is_consumable, is_countable, state_of,
};
pub use timers::{DueMove, Effective, TimerContext, effective, recovery, state_since};
pub use transition::{
    Goal, Move, MoveTrigger, Transition, TransitionError, TransitionEvent, transition,
};
