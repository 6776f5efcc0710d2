//! What each state means, and which moves between states there are.

use asd_recipe::{Home, Lifecycle};

/// Who sees entries of a state in a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SearchUse {
    /// Everyone.
    Yes,
    /// Only a search that names the state.
    WithStatusFilter,
    /// Only a search that asks for fading entries.
    WhenAsked,
    /// Nobody.
    No,
}

/// Whether entries of a state are delivered into rule files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeliveryUse {
    /// They are.
    Yes,
    /// From this confidence on, in hundredths.
    FromConfidence(u8),
    /// They are not.
    No,
}

/// Whether guards of entries of a state are checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GuardUse {
    /// They are.
    Yes,
    /// They are, but an error counts as a warning.
    ErrorsAsWarnings,
    /// They are not.
    No,
}

/// What holds for one state. (knowledge.md §6)
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StateFacts {
    /// The state.
    pub state: Lifecycle,
    /// What it means, in two words.
    pub meaning: &'static str,
    /// Who finds it.
    pub search: SearchUse,
    /// Whether it is delivered.
    pub delivery: DeliveryUse,
    /// Whether its guards are checked.
    pub guards: GuardUse,
    /// The folder of its file.
    pub home: Home,
    /// Whether agents may build on it.
    pub consumable: bool,
    /// Whether it counts when knowledge is counted.
    pub countable: bool,
    /// The states that it can move to.
    pub to: &'static [Lifecycle],
    /// Days after which it moves by itself; staging has a deadline of its own.
    pub limit_days: Option<i64>,
    /// Days after which a person should look at it.
    pub stuck_days: Option<i64>,
}

use Lifecycle::{Active, Decaying, Deprecated, Evolving, Pending, Staging};

/// The table of states, in the order of [`Lifecycle::ALL`].
const STATES: [StateFacts; 6] = [
    StateFacts {
        state: Pending,
        meaning: "awaiting review",
        search: SearchUse::WithStatusFilter,
        delivery: DeliveryUse::FromConfidence(70),
        guards: GuardUse::No,
        home: Home::Candidates,
        consumable: false,
        countable: true,
        to: &[Staging, Active, Deprecated],
        limit_days: Some(30),
        stuck_days: Some(7),
    },
    StateFacts {
        state: Staging,
        meaning: "grace period",
        search: SearchUse::Yes,
        delivery: DeliveryUse::Yes,
        guards: GuardUse::Yes,
        home: Home::Candidates,
        consumable: true,
        countable: true,
        to: &[Pending, Active],
        limit_days: Some(7),
        stuck_days: Some(3),
    },
    StateFacts {
        state: Active,
        meaning: "verified",
        search: SearchUse::Yes,
        delivery: DeliveryUse::Yes,
        guards: GuardUse::Yes,
        home: Home::Recipes,
        consumable: true,
        countable: true,
        to: &[Evolving, Decaying, Deprecated],
        limit_days: None,
        stuck_days: None,
    },
    StateFacts {
        state: Evolving,
        meaning: "patch proposed",
        search: SearchUse::Yes,
        delivery: DeliveryUse::Yes,
        guards: GuardUse::Yes,
        home: Home::Recipes,
        consumable: true,
        countable: true,
        to: &[Staging, Active, Decaying],
        limit_days: Some(7),
        stuck_days: Some(3),
    },
    StateFacts {
        state: Decaying,
        meaning: "fading",
        search: SearchUse::WhenAsked,
        delivery: DeliveryUse::No,
        guards: GuardUse::ErrorsAsWarnings,
        home: Home::Recipes,
        consumable: false,
        countable: false,
        to: &[Active, Deprecated],
        limit_days: Some(30),
        stuck_days: Some(15),
    },
    StateFacts {
        state: Deprecated,
        meaning: "retired",
        search: SearchUse::No,
        delivery: DeliveryUse::No,
        guards: GuardUse::No,
        home: Home::Recipes,
        consumable: false,
        countable: false,
        to: &[Pending],
        limit_days: None,
        stuck_days: None,
    },
];

/// What holds for a state.
#[must_use]
pub const fn facts(state: Lifecycle) -> &'static StateFacts {
    &STATES[state as usize]
}

/// Whether an entry of this state may be built on: staging, active, evolving.
#[must_use]
pub const fn is_consumable(state: Lifecycle) -> bool {
    facts(state).consumable
}

/// Whether an entry of this state counts as knowledge.
#[must_use]
pub const fn is_countable(state: Lifecycle) -> bool {
    facts(state).countable
}

/// The folder that the file of an entry in this state belongs to.
#[must_use]
pub const fn home_of(state: Lifecycle) -> Home {
    facts(state).home
}

/// Whether one state can follow another.
#[must_use]
pub fn is_allowed(from: Lifecycle, to: Lifecycle) -> bool {
    facts(from).to.contains(&to)
}

/// A state by its name or an older name; a name that is not known reads as
/// pending.
#[must_use]
pub fn state_of(name: &str) -> Lifecycle {
    Lifecycle::from_name(name).unwrap_or(Pending)
}

/// The moves that people and agents know by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum NamedAction {
    /// A candidate, or a fading entry, becomes active.
    Publish,
    /// A candidate enters its grace period; also called approve.
    Stage,
    /// A change of an active entry is under way.
    Evolve,
    /// An entry begins to fade.
    Decay,
    /// An evolving or fading entry is active again.
    Restore,
    /// An entry is retired.
    Deprecate,
    /// A retired entry is a candidate again.
    Reactivate,
    /// A candidate becomes active without its grace period.
    FastTrack,
    /// A candidate is turned down.
    Reject,
    /// A staged candidate goes back to review.
    ToDraft,
}

/// One action: its names, the first being the one that is written, and its
/// moves.
struct ActionFacts {
    action: NamedAction,
    names: &'static [&'static str],
    moves: &'static [(Lifecycle, Lifecycle)],
}

/// The table of actions.
const ACTIONS: [ActionFacts; 10] = [
    ActionFacts {
        action: NamedAction::Publish,
        names: &["publish"],
        moves: &[(Pending, Active), (Staging, Active), (Decaying, Active)],
    },
    ActionFacts {
        action: NamedAction::Stage,
        names: &["stage", "approve"],
        moves: &[(Pending, Staging)],
    },
    ActionFacts {
        action: NamedAction::Evolve,
        names: &["evolve"],
        moves: &[(Active, Evolving)],
    },
    ActionFacts {
        action: NamedAction::Decay,
        names: &["decay"],
        moves: &[(Active, Decaying), (Evolving, Decaying)],
    },
    ActionFacts {
        action: NamedAction::Restore,
        names: &["restore"],
        moves: &[(Evolving, Active), (Decaying, Active)],
    },
    ActionFacts {
        action: NamedAction::Deprecate,
        names: &["deprecate"],
        moves: &[
            (Pending, Deprecated),
            (Active, Deprecated),
            (Decaying, Deprecated),
        ],
    },
    ActionFacts {
        action: NamedAction::Reactivate,
        names: &["reactivate"],
        moves: &[(Deprecated, Pending)],
    },
    ActionFacts {
        action: NamedAction::FastTrack,
        names: &["fast_track", "fast-track", "fastTrack"],
        moves: &[(Pending, Active)],
    },
    ActionFacts {
        action: NamedAction::Reject,
        names: &["reject"],
        moves: &[(Pending, Deprecated), (Staging, Pending)],
    },
    ActionFacts {
        action: NamedAction::ToDraft,
        names: &["to_draft", "to-draft", "toDraft"],
        moves: &[(Staging, Pending)],
    },
];

impl NamedAction {
    /// Every action, in the order of the table.
    pub fn all() -> impl Iterator<Item = Self> {
        ACTIONS.iter().map(|facts| facts.action)
    }

    const fn facts(self) -> &'static ActionFacts {
        &ACTIONS[self as usize]
    }

    /// The name that is written.
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.facts().names[0]
    }

    /// The action of that name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        let mut all = ACTIONS.iter();
        let facts = all.find(|facts| facts.names.contains(&name))?;
        Some(facts.action)
    }

    /// Its moves, as pairs of the state before and the state after.
    #[must_use]
    pub const fn moves(self) -> &'static [(Lifecycle, Lifecycle)] {
        self.facts().moves
    }

    /// Where it leads from a state.
    #[must_use]
    pub fn target(self, from: Lifecycle) -> Option<Lifecycle> {
        let mut moves = self.moves().iter();
        moves.find(|(state, _)| *state == from).map(|(_, to)| *to)
    }
}

/// The actions that are possible in a state, in the order of the table.
pub fn actions_from(state: Lifecycle) -> impl Iterator<Item = NamedAction> {
    NamedAction::all().filter(move |action| action.target(state).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tables_are_in_the_order_of_their_enums() {
        for (index, state) in Lifecycle::ALL.iter().enumerate() {
            assert_eq!(STATES[index].state, *state);
        }
        for (index, facts) in ACTIONS.iter().enumerate() {
            assert_eq!(facts.action as usize, index);
        }
    }

    #[test]
    fn there_are_fourteen_moves_and_every_named_one_is_among_them() {
        let moves: usize = STATES.iter().map(|facts| facts.to.len()).sum();
        assert_eq!(moves, 14);
        for action in NamedAction::all() {
            for (from, to) in action.moves() {
                assert!(is_allowed(*from, *to), "{} {from:?}", action.name());
            }
            for name in action.facts().names {
                assert_eq!(NamedAction::from_name(name), Some(action));
            }
        }
    }

    #[test]
    fn the_sets_are_those_of_the_table() {
        let set = |is: fn(Lifecycle) -> bool| -> Vec<Lifecycle> {
            let all = Lifecycle::ALL.iter().copied();
            all.filter(|state| is(*state)).collect()
        };
        assert_eq!(set(is_consumable), [Staging, Active, Evolving]);
        assert_eq!(set(is_countable), [Pending, Staging, Active, Evolving]);
        for state in Lifecycle::ALL {
            let guards = facts(*state).guards != GuardUse::No;
            assert_eq!(guards, state.guards_apply(), "{state:?}");
        }
    }

    #[test]
    fn older_names_are_known_and_unknown_ones_await_review() {
        for (name, state) in [
            ("draft", Pending),
            ("approved", Staging),
            ("auto_approved", Staging),
            ("published", Active),
            ("rejected", Deprecated),
            ("frozen", Pending),
            ("", Pending),
        ] {
            assert_eq!(state_of(name), state, "{name}");
        }
    }
}
