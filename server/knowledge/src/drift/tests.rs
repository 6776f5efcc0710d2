use std::collections::{BTreeMap, BTreeSet};

use asd_recipe::{Code, Lifecycle, Recipe, SourceRef};

use super::*;

/// A project as a few lists.
#[derive(Default)]
struct Project {
    defined: BTreeSet<&'static str>,
    external: BTreeSet<&'static str>,
    deprecated: BTreeSet<&'static str>,
    occurrences: BTreeMap<&'static str, u64>,
    files: BTreeSet<&'static str>,
    renames: BTreeMap<&'static str, &'static str>,
}

impl ProjectFacts for Project {
    fn is_defined(&self, symbol: &str) -> Option<bool> {
        Some(self.defined.contains(symbol))
    }
    fn is_external(&self, symbol: &str) -> bool {
        self.external.contains(symbol)
    }
    fn is_deprecated(&self, symbol: &str) -> bool {
        self.deprecated.contains(symbol)
    }
    fn occurrences(&self, symbol: &str) -> Option<u64> {
        Some(self.occurrences.get(symbol).copied().unwrap_or(0))
    }
    fn path_exists(&self, path: &str) -> Option<bool> {
        Some(self.files.contains(path))
    }
    fn renamed_to(&self, path: &str) -> Option<String> {
        self.renames.get(path).map(|path| (*path).to_owned())
    }
}

fn recipe(code: &str, sources: &[&str]) -> Recipe {
    let mut recipe = Recipe {
        language: "rust".into(),
        lifecycle: Lifecycle::Active,
        core_code: Some(Code {
            text: code.into(),
            ..Code::default()
        }),
        ..Recipe::default()
    };
    recipe.reasoning.sources = sources.iter().map(|path| SourceRef::parse(path)).collect();
    recipe
}

fn queue() -> Recipe {
    recipe(
        "RetryQueue::open(Attempts::new(3));",
        &["src/net/retry.rs:1-2"],
    )
}

fn project() -> Project {
    Project {
        defined: BTreeSet::from(["RetryQueue", "Attempts"]),
        occurrences: BTreeMap::from([("RetryQueue", 7), ("Attempts", 3)]),
        files: BTreeSet::from(["src/net/retry.rs"]),
        ..Project::default()
    }
}

fn kinds(found: &Drift) -> Vec<DriftKind> {
    found.signals.iter().map(|signal| signal.kind).collect()
}

#[test]
fn an_entry_whose_code_is_there_is_healthy() {
    let found = drift(&queue(), &project(), Some(10));
    assert_eq!(found.verdict, DriftVerdict::Healthy);
    assert_eq!((found.signals.len(), found.occurrences), (0, Some(10)));
}

#[test]
fn a_rule_that_finds_nothing_is_healthy_while_its_sources_exist() {
    let mut obeyed = recipe("", &["src/net/retry.rs"]);
    let parsed = asd_recipe::recipe_from_json(&serde_json::json!({
        "guards": [{"pattern": "thread::sleep", "positiveExamples": ["thread::sleep(1)"]}]
    }));
    obeyed.constraints = parsed.recipe.constraints;
    let found = drift(&obeyed, &project(), None);
    assert_eq!(
        (found.verdict, found.signals),
        (DriftVerdict::Healthy, vec![])
    );
}

#[test]
fn a_symbol_that_is_gone_is_to_be_looked_at() {
    let mut without = project();
    without.defined.remove("Attempts");
    let found = drift(&queue(), &without, None);
    assert_eq!(found.verdict, DriftVerdict::Investigate);
    assert_eq!(found.signals[0].subjects, ["Attempts"]);
    assert!(found.misses_symbols());
    without.external.insert("Attempts");
    assert_eq!(
        drift(&queue(), &without, None).verdict,
        DriftVerdict::Healthy
    );
}

#[test]
fn an_entry_of_which_nothing_is_left_decays() {
    let found = drift(&queue(), &Project::default(), Some(10));
    assert_eq!(found.verdict, DriftVerdict::Decay);
    assert_eq!(
        kinds(&found),
        [
            DriftKind::SymbolMissing,
            DriftKind::ZeroMatch,
            DriftKind::MatchRateDrop,
            DriftKind::SourceRefStale
        ]
    );
    let nothing = drift(&recipe("", &[]), &Project::default(), None);
    assert_eq!(
        nothing.verdict,
        DriftVerdict::Healthy,
        "there is nothing to miss"
    );
}

#[test]
fn three_lesser_signs_weigh_as_much_as_one() {
    let mut worn = project();
    worn.deprecated.insert("RetryQueue");
    worn.files.clear();
    let two = drift(&queue(), &worn, None);
    assert_eq!(two.verdict, DriftVerdict::Healthy);
    assert_eq!(two.signals.len(), 2);
    worn.occurrences = BTreeMap::from([("RetryQueue", 1), ("Attempts", 1)]);
    let three = drift(&queue(), &worn, Some(7));
    assert_eq!(three.verdict, DriftVerdict::Investigate);
    let at_the_limit = drift(&queue(), &worn, Some(6));
    assert_eq!(
        at_the_limit.verdict,
        DriftVerdict::Healthy,
        "2 of 6 is more than 0.3"
    );
}

#[test]
fn three_stale_sources_weigh_high() {
    let many = recipe("RetryQueue::open();", &["a/1.rs", "a/2.rs", "a/3.rs"]);
    let found = drift(&many, &project(), None);
    assert_eq!(kinds(&found), [DriftKind::SourceRefStale]);
    assert_eq!(found.verdict, DriftVerdict::Investigate);
}

#[test]
fn a_renamed_source_is_not_stale() {
    let mut moved = project();
    moved.files = BTreeSet::from(["src/retry.rs"]);
    moved.renames.insert("src/net/retry.rs", "src/retry.rs");
    assert_eq!(drift(&queue(), &moved, None).signals, []);
    let source = SourceRef::parse("src/net/retry.rs:1-2");
    let check = check_source(&source, &moved);
    assert_eq!(check.state, RefState::Renamed);
    let path = check.renamed_to.unwrap();
    let fixed = |after: &str| repaired(&source, &path, Some("a\nb\nc\n"), Some(after)).to_string();
    assert_eq!(fixed("a\nb\nx\n"), "src/retry.rs:1-2");
    assert_eq!(fixed("x\n\na\nb\n"), "src/retry.rs:3-4");
    assert_eq!(
        fixed("x\na\nb\na\nb\n"),
        "src/retry.rs",
        "it stands there twice"
    );
    assert_eq!(fixed("x\ny\n"), "src/retry.rs");
    assert_eq!(
        repaired(&source, &path, None, None).to_string(),
        "src/retry.rs"
    );
}

#[test]
fn what_cannot_be_known_is_no_sign() {
    struct Blind;
    impl ProjectFacts for Blind {
        fn is_defined(&self, _: &str) -> Option<bool> {
            None
        }
        fn is_external(&self, _: &str) -> bool {
            false
        }
        fn is_deprecated(&self, _: &str) -> bool {
            true
        }
        fn occurrences(&self, _: &str) -> Option<u64> {
            None
        }
        fn path_exists(&self, _: &str) -> Option<bool> {
            None
        }
        fn renamed_to(&self, _: &str) -> Option<String> {
            None
        }
    }
    let found = drift(&queue(), &Blind, Some(9));
    assert_eq!((found.signals, found.occurrences), (vec![], None));
    let source = SourceRef::parse("a/b.rs");
    assert_eq!(check_source(&source, &Blind).state, RefState::Active);
}

#[test]
fn every_consumable_entry_with_code_is_watched_whatever_its_kind() {
    let mut fact = queue();
    fact.kind = asd_recipe::Kind::Fact;
    assert!(is_watched(&fact));
    assert!(!is_watched(&recipe(" ", &["a/b.rs"])));
    let retired = Recipe {
        lifecycle: Lifecycle::Deprecated,
        ..queue()
    };
    assert!(!is_watched(&retired));
}

#[test]
fn a_source_is_looked_at_once_a_day() {
    let row = SourceRefRow {
        recipe_id: "r".into(),
        source: "a/b.rs".into(),
        state: RefState::Active,
        renamed_to: None,
        checked_at: 1000,
    };
    assert!(!recheck_due(&row, 1000 + DAY - 1));
    assert!(recheck_due(&row, 1000 + DAY));
}

const DAY: i64 = crate::DAY;
