//! What can be asked of the gateway, and by whom.

use std::fmt;

use serde::{Serialize, Serializer};

/// Verbs that only look.
const READ_VERBS: [&str; 10] = [
    "read", "list", "get", "view", "search", "query", "show", "status", "stats", "export",
];
/// Other verbs, so that `create:skills` and `skills:create` read the same.
const OTHER_VERBS: [&str; 38] = [
    "create",
    "update",
    "delete",
    "remove",
    "destroy",
    "purge",
    "validate",
    "submit",
    "approve",
    "reject",
    "publish",
    "stage",
    "evolve",
    "decay",
    "restore",
    "deprecate",
    "reactivate",
    "fast_track",
    "to_draft",
    "check_code",
    "bootstrap",
    "sync",
    "rescan",
    "execute",
    "enable",
    "disable",
    "write",
    "import",
    "enrich",
    "confirm",
    "run",
    "deliver",
    "close",
    "fail",
    "supersede",
    "merge",
    "move",
    "edit",
];
/// What operations on several things at once begin with.
const BATCH: &str = "batch_";
/// Words of actions that take something away for good.
const DESTRUCTIVE: [&str; 5] = ["delete", "remove", "destroy", "purge", "batch_delete"];

/// An operation: a verb on a kind of thing. `knowledge:create` and
/// `create:knowledge` are the same action; a verb alone takes its object from
/// the resource.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Action {
    name: String,
    verb: String,
    object: Option<String>,
}

impl Action {
    /// Reads an action. `None` for a blank one.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        let name = name.trim();
        if name.is_empty() {
            return None;
        }
        let (verb, object) = match name.split_once(':') {
            Some((a, b)) if is_verb(a) || !is_verb(b) => (a, Some(b)),
            Some((a, b)) => (b, Some(a)),
            None => (name, None),
        };
        Some(Self {
            name: name.to_owned(),
            verb: normal(verb),
            object: object.map(normal).filter(|object| !object.is_empty()),
        })
    }

    /// As it was written.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What is done.
    #[must_use]
    pub fn verb(&self) -> &str {
        &self.verb
    }

    /// To what kind of thing, when the action says so.
    #[must_use]
    pub fn object(&self) -> Option<&str> {
        self.object.as_deref()
    }

    /// Whether it only looks.
    #[must_use]
    pub fn is_read(&self) -> bool {
        READ_VERBS.contains(&self.verb.as_str())
    }

    /// Whether it takes something away for good.
    #[must_use]
    pub fn is_destructive(&self) -> bool {
        let verb = self.verb.as_str();
        let single = verb.strip_prefix(BATCH).unwrap_or(verb);
        let mut words = single.split('_');
        DESTRUCTIVE.contains(&verb) || words.any(|word| DESTRUCTIVE.contains(&word))
    }

    /// Whether it works on several things at once.
    #[must_use]
    pub fn is_batch(&self) -> bool {
        self.verb.starts_with(BATCH)
    }
}

impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}

impl Serialize for Action {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.name)
    }
}

fn is_verb(word: &str) -> bool {
    let word = normal(word);
    let single = word.strip_prefix(BATCH).unwrap_or(&word);
    READ_VERBS.contains(&single) || OTHER_VERBS.contains(&single)
}

pub(super) fn normal(word: &str) -> String {
    word.trim().to_lowercase().replace('-', "_")
}

/// What an action is done to: a kind of thing, and whose it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resource {
    /// `knowledge`, `recipes`, `skills`, …; `*` for anything.
    pub kind: String,
    /// The actor that it belongs to.
    pub owner: Option<String>,
}

impl Resource {
    /// A resource of a kind; `*` when the name is blank.
    #[must_use]
    pub fn of(kind: &str) -> Self {
        let kind = kind.trim();
        Self {
            kind: if kind.is_empty() { "*" } else { kind }.to_owned(),
            owner: None,
        }
    }

    /// The same, belonging to someone.
    #[must_use]
    pub fn owned_by(mut self, owner: &str) -> Self {
        self.owner = Some(owner.to_owned());
        self
    }
}

/// One operation of the product.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KnownAction {
    /// The action.
    pub action: &'static str,
    /// The kind of thing.
    pub resource: &'static str,
    /// What it does, in a few words.
    pub doc: &'static str,
}

const fn known(action: &'static str, resource: &'static str, doc: &'static str) -> KnownAction {
    KnownAction {
        action,
        resource,
        doc,
    }
}

/// The one table of operations that pass the gateway; every door takes them
/// from here.
pub const ACTIONS: &[KnownAction] = &[
    known("knowledge:create", "knowledge", "submit or write an entry"),
    known(
        "knowledge:update",
        "knowledge",
        "change an entry or its state",
    ),
    known("knowledge:delete", "knowledge", "delete an entry's file"),
    known(
        "knowledge:evolve",
        "knowledge",
        "propose changes of entries",
    ),
    known(
        "knowledge:bootstrap",
        "knowledge",
        "gather facts for the first entries",
    ),
    known(
        "knowledge:stage",
        "knowledge",
        "begin an entry's grace period",
    ),
    known(
        "knowledge:approve",
        "knowledge",
        "begin an entry's grace period",
    ),
    known("knowledge:reject", "knowledge", "turn a candidate down"),
    known("knowledge:publish", "knowledge", "make an entry active"),
    known(
        "knowledge:fast_track",
        "knowledge",
        "make a candidate active at once",
    ),
    known("knowledge:decay", "knowledge", "mark an entry as fading"),
    known(
        "knowledge:restore",
        "knowledge",
        "make an entry active again",
    ),
    known("knowledge:deprecate", "knowledge", "retire an entry"),
    known(
        "knowledge:reactivate",
        "knowledge",
        "take an entry out of retirement",
    ),
    known(
        "knowledge:batch_publish",
        "knowledge",
        "make several entries active",
    ),
    known(
        "knowledge:batch_deprecate",
        "knowledge",
        "retire several entries",
    ),
    known(
        "knowledge:batch_delete",
        "knowledge",
        "delete several entries' files",
    ),
    known("knowledge:sync", "knowledge", "bring files in order"),
    known("read:recipes", "recipes", "read entries"),
    known("read:candidates", "candidates", "read candidates"),
    known(
        "read:audit_logs",
        "audit_logs",
        "read the account of operations",
    ),
    known("guard_rule:check_code", "guard_rules", "check code"),
    known(
        "update:guard_rules",
        "guard_rules",
        "turn rules on or off, exclude files",
    ),
    known("create:skills", "skills", "write a skill"),
    known("update:skills", "skills", "change a skill"),
    known("delete:skills", "skills", "delete a skill"),
    known("task:create", "intent", "begin a task, record a decision"),
    known("task:update", "intent", "end a task"),
    known("proposal:execute", "proposals", "carry a proposal out"),
    known("proposal:reject", "proposals", "turn a proposal down"),
    known("governance:run", "knowledge", "make the moves that are due"),
    known("delivery:run", "delivery", "write the rule files of tools"),
    known("update:config", "config", "change the configuration"),
];

/// The operation of that name.
#[must_use]
pub fn known_action(name: &str) -> Option<&'static KnownAction> {
    ACTIONS.iter().find(|known| known.action == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_orders_of_an_action_read_the_same() {
        for name in ["skills:create", "create:skills", "Create:skills"] {
            let action = Action::parse(name).unwrap();
            assert_eq!((action.verb(), action.object()), ("create", Some("skills")));
            assert_eq!(action.name(), name);
        }
        let check = Action::parse("guard_rule:check_code").unwrap();
        assert_eq!(
            (check.verb(), check.object()),
            ("check_code", Some("guard_rule"))
        );
        let alone = Action::parse("read").unwrap();
        assert!(alone.is_read() && alone.object().is_none());
        assert_eq!(Action::parse(" "), None);
    }

    #[test]
    fn what_takes_away_is_known_by_whole_words() {
        for name in [
            "skills:delete",
            "batch-delete:knowledge",
            "purge:cache",
            "force_remove:x",
        ] {
            assert!(Action::parse(name).unwrap().is_destructive(), "{name}");
        }
        for name in [
            "knowledge:undelete",
            "create:removed_items",
            "read:purgeable",
        ] {
            assert!(!Action::parse(name).unwrap().is_destructive(), "{name}");
        }
        assert!(Action::parse("knowledge:batch-publish").unwrap().is_batch());
    }

    #[test]
    fn every_known_action_is_a_verb_on_a_thing_and_stands_there_once() {
        let mut seen = std::collections::BTreeSet::new();
        for known in ACTIONS {
            let action = Action::parse(known.action).unwrap();
            assert!(is_verb(action.verb()), "{}", known.action);
            assert!(action.object().is_some());
            assert!(
                seen.insert((action.verb, action.object)),
                "{}",
                known.action
            );
        }
        assert_eq!(known_action("task:create").unwrap().resource, "intent");
    }
}
