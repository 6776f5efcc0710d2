use asd_recipe::{Code, Recipe};
use proptest::prelude::*;

use super::*;

fn recipe(id: &str, title: &str, does: &str, code: &str) -> Recipe {
    Recipe {
        id: Some(id.into()),
        title: title.into(),
        description: title.into(),
        do_clause: does.into(),
        core_code: Some(Code {
            text: code.into(),
            ..Code::default()
        }),
        ..Recipe::default()
    }
}

#[test]
fn equal_entries_are_duplicates_and_others_are_not() {
    let queue = recipe(
        "a",
        "RetryQueue backoff",
        "Use the queue",
        "queue.push(req, Attempts::new(3)).await?;",
    );
    let near = recipe(
        "b",
        "RetryQueue backoff",
        "Use it",
        "queue.push(request, Attempts::new(5)).await?;",
    );
    let far = recipe(
        "c",
        "缓存统一入口",
        "经过 CacheStore",
        "CacheStore.shared.get(key)",
    );
    let index = SimilarityIndex::build([&near, &far]);
    let found = index.similar(&Print::new(&queue), LISTED);
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].id, "b");
    assert!(found[0].score >= DUPLICATE_FROM, "{found:?}");
    let draft = Print::of_draft("RetryQueue backoff", "RetryQueue backoff", "");
    assert!(!index.similar(&draft, LISTED).is_empty());
}

#[test]
fn parts_that_both_lack_do_not_drag_the_score_down() {
    let short = |id: &str| Recipe {
        id: Some(id.into()),
        title: "Use the pool".into(),
        do_clause: "Check ledgers out of the pool".into(),
        ..Recipe::default()
    };
    let (a, b) = (Print::new(&short("a")), Print::new(&short("b")));
    assert_eq!(a.five_part(&b), 1.0);
    assert_eq!(a.quick(&b), 1.0);
    assert_eq!(a.batch(&b), 1.0);
    let with_code = Print::new(&recipe(
        "c",
        "Use the pool",
        "Check ledgers out of the pool",
        "x(1)",
    ));
    let score = a.five_part(&with_code);
    assert!((score - 0.40 / 0.55).abs() < 1e-9, "{score}");
}

#[test]
fn nothing_is_like_nothing() {
    let empty = Print::new(&Recipe::default());
    assert_eq!(empty.quick(&empty), 0.0);
}

#[test]
fn the_index_follows_its_entries() {
    let mut index = SimilarityIndex::default();
    let mut entry = recipe("a", "Ledger pool", "Use it", "pool.get()");
    index.insert(&entry);
    entry.title = "Other".into();
    index.insert(&entry);
    assert_eq!(index.len(), 1);
    assert_eq!(index.print("a"), Some(&Print::new(&entry)));
    index.remove("a");
    assert!(index.is_empty());
}

#[test]
fn redundant_entries_are_found_among_those_that_are_asked_about() {
    let same = |id: &str| {
        recipe(
            id,
            "RetryQueue backoff",
            "Push every call to the queue",
            "queue.push(req)",
        )
    };
    let other = recipe("z", "Ledger pool", "Check ledgers out", "pool.checkout(id)");
    let index = SimilarityIndex::build([&same("b"), &same("a"), &same("c"), &other]);
    let found = index.redundant(["a", "b", "z"], REDUNDANT);
    assert_eq!(found.len(), 1);
    assert_eq!((found[0].a.as_str(), found[0].b.as_str()), ("a", "b"));
    assert_eq!(found[0].score, 1.0);
}

#[test]
fn the_later_of_two_like_items_of_a_batch_is_dropped() {
    let a = recipe(
        "",
        "RetryQueue backoff",
        "Push every call to the queue",
        "queue.push(req)",
    );
    let b = recipe("", "Ledger pool", "Check ledgers out", "pool.checkout(id)");
    let found = batch_duplicates(&[&a, &b, &a, &a]);
    assert_eq!(
        found
            .iter()
            .map(|one| one.map(|(at, _)| at))
            .collect::<Vec<_>>(),
        [None, None, Some(0), Some(0)]
    );
}

fn entry() -> impl Strategy<Value = Recipe> {
    ("[a-c缓存]( ?[a-c缓存]){0,9}", "[a-c ]{0,12}", "[a-c(]{0,9}")
        .prop_map(|(title, does, code)| recipe("x", &title, &does, &code))
}

proptest! {
    #[test]
    fn likeness_is_mutual_and_whole_with_oneself(a in entry(), b in entry()) {
        let (x, y) = (Print::new(&a), Print::new(&b));
        for measure in [Print::quick, Print::five_part, Print::batch] {
            prop_assert_eq!(measure(&x, &y), measure(&y, &x));
            prop_assert!((0.0..=1.0).contains(&measure(&x, &y)));
            prop_assert!(measure(&x, &x) > 1.0 - 1e-9);
        }
    }

    /// The quick way to redundant pairs finds what comparing all would find.
    #[test]
    fn no_redundant_pair_is_missed(entries in proptest::collection::vec(entry(), 0..9)) {
        let entries: Vec<Recipe> = entries.into_iter().enumerate().map(|(at, entry)| Recipe { id: Some(format!("e{at}")), ..entry }).collect();
        let index = SimilarityIndex::build(&entries);
        let found = index.redundant(entries.iter().map(|e| e.id.as_deref().unwrap()), REDUNDANT);
        let mut wanted = 0;
        for (at, a) in entries.iter().enumerate() {
            for b in &entries[..at] {
                wanted += usize::from(Print::new(a).five_part(&Print::new(b)) >= REDUNDANT);
            }
        }
        prop_assert_eq!(found.len(), wanted);
    }
}
