//! Rules about the use of a framework. (guard.md §7)
//!
//! A pack is in force in projects that use its framework; its rules win over
//! built-in rules of the same id, and guards of recipes over them.

mod django;
mod react;
mod spring;
mod swiftui;
mod vue;

use super::BuiltIn;
use crate::Framework;

/// The rules about one framework.
pub(crate) struct Pack {
    /// The framework.
    pub(crate) framework: Framework,
    /// Its rules.
    pub(crate) rules: &'static [&'static BuiltIn],
}

/// All packs, by the name of their framework.
pub(crate) static PACKS: &[Pack] = &[
    Pack {
        framework: Framework::Django,
        rules: &[
            &django::DEBUG,
            &django::NULLABLE_TEXT,
            &django::FORMATTED_SQL,
        ],
    },
    Pack {
        framework: Framework::React,
        rules: &[&react::INDEX_KEY, &react::STATE_MUTATION, &react::HOOKS],
    },
    Pack {
        framework: Framework::Spring,
        rules: &[
            &spring::FIELD_INJECTION,
            &spring::PRIVATE_TRANSACTION,
            &spring::MAPPING_WITHOUT_METHOD,
        ],
    },
    Pack {
        framework: Framework::SwiftUi,
        rules: &[
            &swiftui::OWNED_OBJECT,
            &swiftui::PRIVATE_STATE,
            &swiftui::INDICES,
        ],
    },
    Pack {
        framework: Framework::Vue,
        rules: &[&vue::ASYNC_COMPUTED, &vue::PROPS, &vue::EFFECTS],
    },
];

/// Every rule of every pack.
pub(crate) fn rules() -> impl Iterator<Item = &'static BuiltIn> {
    PACKS.iter().flat_map(|pack| pack.rules.iter().copied())
}
