//! Whether a new entry stands for itself, or belongs to one that is there.
//! (knowledge.md §9)

use std::collections::{BTreeMap, BTreeSet};

use asd_recipe::{Recipe, trigger_key};
use serde::Serialize;

use crate::entry_key;
use crate::proposals::{NewProposal, PatchOp, PatchOpKind, ProposalType};
use crate::similarity::{Print, Shingles};
use crate::words::topic_words;

/// From this five-part similarity on an entry is much like another.
const HIGH: f64 = 0.65;
/// From this on it is somewhat like it.
const MODERATE: f64 = 0.40;
/// Below this substance an entry is not worth keeping.
const MIN_SUBSTANCE: f64 = 0.3;
/// With how many entries a new one is compared.
const MAX_CANDIDATES: usize = 30;
/// With fewer of its own field, others are taken in.
const FEW_CANDIDATES: usize = 20;
/// From this share on one do clause is part of another.
const SUBSET: f64 = 0.8;
/// From this on two pieces of code are the same for this purpose.
const SAME_CODE: f64 = 0.6;
/// So many new words are a new side of a matter.
const NEW_WORDS: usize = 3;

/// What should become of a new entry.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase", tag = "action")]
pub enum Advice {
    /// It becomes an entry.
    Create,
    /// It becomes an entry, and a person should look at what it is like.
    #[serde(rename_all = "camelCase")]
    CreateAndReview {
        /// The entries that it is somewhat like, most alike first.
        similar_to: Vec<Likeness>,
    },
    /// What it adds is proposed for another entry.
    #[serde(rename_all = "camelCase")]
    Merge {
        /// That entry.
        into: Likeness,
    },
    /// Several entries say much the same; a person should order them anew.
    #[serde(rename_all = "camelCase")]
    Reorganize {
        /// These entries, most alike first.
        with: Vec<Likeness>,
    },
    /// It says too little.
    #[serde(rename_all = "camelCase")]
    Insufficient {
        /// From 0 to 1.
        substance: f64,
    },
}

/// An entry and how much a new one is like it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Likeness {
    /// The entry's id.
    pub id: String,
    /// Its title.
    pub title: String,
    /// From 0 to 1.
    pub score: f64,
}

/// How much an entry says, from 0 to 1.
#[must_use]
pub fn substance(recipe: &Recipe) -> f64 {
    let length = |text: &str| text.trim().chars().count();
    let code = length(recipe.core_code.as_ref().map_or("", |code| &code.text));
    let clauses =
        length(&recipe.do_clause) + length(&recipe.dont_clause) + length(&recipe.when_clause);
    let said: f64 = match clauses {
        100.. => 1.0,
        40.. => 0.6,
        1.. => 0.3,
        0 => 0.0,
    };
    let said = (said + if code >= 50 { 0.2 } else { 0.0 }).min(1.0);
    let has_trigger = asd_recipe::is_canonical_trigger(&recipe.trigger) && recipe.trigger.len() > 3;
    let placed = if has_trigger { 0.5 } else { 0.0 }
        + if length(&recipe.when_clause) >= 20 {
            0.5
        } else {
            0.0
        };
    let shown = match code {
        100.. => 1.0,
        30.. => 0.5,
        1.. => 0.2,
        0 => 0.0,
    };
    0.4 * said + 0.3 * placed + 0.3 * shown
}

/// The entries that a new one has to be compared with: those of its category,
/// dimension or topic, and when these are few, others that share words of its
/// title.
#[must_use]
pub fn candidates<'a>(
    new: &Recipe,
    entries: impl IntoIterator<Item = &'a Recipe>,
) -> Vec<&'a Recipe> {
    let same = |a: Option<&str>, b: Option<&str>| match (a, b) {
        (Some(a), Some(b)) => !a.is_empty() && a.eq_ignore_ascii_case(b),
        _ => false,
    };
    let title = topic_words(&new.title);
    let shared = |other: &Recipe| topic_words(&other.title).intersection(&title).count();
    let mut near = Vec::new();
    let mut far = Vec::new();
    for entry in entries {
        if new.id.is_some() && entry.id == new.id {
            continue;
        }
        let words = shared(entry);
        let is_near = same(Some(&new.category), Some(&entry.category))
            || same(new.dimension_id.as_deref(), entry.dimension_id.as_deref())
            || same(new.topic_hint.as_deref(), entry.topic_hint.as_deref());
        if is_near {
            near.push((words, entry));
        } else if words > 0 {
            far.push((words, entry));
        }
    }
    let order = |list: &mut Vec<(usize, &Recipe)>| {
        list.sort_by(|a, b| {
            b.0.cmp(&a.0)
                .then_with(|| entry_key(a.1).cmp(entry_key(b.1)))
        });
    };
    order(&mut near);
    if near.len() < FEW_CANDIDATES {
        order(&mut far);
        far.truncate(FEW_CANDIDATES - near.len());
        near.append(&mut far);
    }
    near.truncate(MAX_CANDIDATES);
    near.into_iter().map(|(_, entry)| entry).collect()
}

/// Says what should become of a new entry beside the entries that are there
/// (the consumable ones).
#[must_use]
pub fn advise<'a>(new: &Recipe, entries: impl IntoIterator<Item = &'a Recipe>) -> Advice {
    let substance = substance(new);
    if substance < MIN_SUBSTANCE {
        return Advice::Insufficient { substance };
    }
    let print = Print::new(new);
    let mut near: Vec<(Likeness, &Recipe)> = candidates(new, entries)
        .into_iter()
        .filter_map(|entry| {
            let score = print.five_part(&Print::new(entry));
            let likeness = Likeness {
                id: entry_key(entry).to_owned(),
                title: entry.title.clone(),
                score,
            };
            (score >= MODERATE).then_some((likeness, entry))
        })
        .collect();
    near.sort_by(|(a, _), (b, _)| b.score.total_cmp(&a.score).then_with(|| a.id.cmp(&b.id)));
    let high = near.iter().filter(|(one, _)| one.score >= HIGH).count();
    let all = |near: Vec<(Likeness, &Recipe)>, n: usize| -> Vec<Likeness> {
        near.into_iter().take(n).map(|(one, _)| one).collect()
    };
    if high >= 2 {
        return Advice::Reorganize {
            with: all(near, high),
        };
    }
    let Some((best, entry)) = near.first() else {
        return Advice::Create;
    };
    if high == 1 || new_sides(new, entry).is_empty() || overlaps(new, &print, &near) {
        return Advice::Merge { into: best.clone() };
    }
    let count = near.len();
    Advice::CreateAndReview {
        similar_to: all(near, count),
    }
}

/// Whether an entry that brings something new still overlaps too much with one
/// that it is somewhat like to stand beside it.
fn overlaps(new: &Recipe, print: &Print, near: &[(Likeness, &Recipe)]) -> bool {
    near.iter().any(|(_, entry)| {
        let same_trigger = trigger_key(&new.trigger) == trigger_key(&entry.trigger);
        let does = |recipe: &Recipe| {
            let words = topic_words(&recipe.do_clause);
            Shingles::of_items(words.iter().map(String::as_str))
        };
        let (mine, theirs) = (does(new), does(entry));
        let is_subset = !mine.is_empty() && mine.inside(&theirs) >= SUBSET;
        let same_code = print.code().jaccard(Print::new(entry).code()) >= SAME_CODE;
        (same_trigger && !new.trigger.is_empty()) || is_subset || same_code
    })
}

/// A side of a matter that a new entry has and another one lacks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum NewSide {
    /// Code.
    CoreCode,
    /// What not to do.
    DontClause,
    /// When it applies.
    WhenClause,
    /// Three new words or more.
    Keywords,
}

/// What a new entry has that another one lacks.
#[must_use]
pub fn new_sides(new: &Recipe, other: &Recipe) -> Vec<NewSide> {
    let length = |text: &str| text.trim().chars().count();
    let code = |recipe: &Recipe| length(recipe.core_code.as_ref().map_or("", |code| &code.text));
    let about = |recipe: &Recipe| -> BTreeSet<String> {
        topic_words(&format!(
            "{} {} {} {}",
            recipe.title, recipe.when_clause, recipe.do_clause, recipe.dont_clause
        ))
    };
    let new_words = about(new).difference(&about(other)).count();
    [
        (NewSide::CoreCode, code(new) > 30 && code(other) < 30),
        (
            NewSide::DontClause,
            length(&new.dont_clause) > 20 && length(&other.dont_clause) == 0,
        ),
        (
            NewSide::WhenClause,
            length(&new.when_clause) > 30 && length(&other.when_clause) < 15,
        ),
        (NewSide::Keywords, new_words >= NEW_WORDS),
    ]
    .into_iter()
    .filter(|(_, holds)| *holds)
    .map(|(side, _)| side)
    .collect()
}

/// The proposal by which a new entry is taken into another: fields that are
/// blank there are set, its sources are added, and its prose comes behind.
#[must_use]
pub fn merge_proposal(new: &Recipe, into: &Recipe, score: f64, source: &str) -> NewProposal {
    let mut patch = Vec::new();
    let mut step = |field: &str, op, value: serde_json::Value| {
        patch.push(PatchOp {
            field: field.to_owned(),
            op,
            value,
            old: None,
        });
    };
    let blank = |text: &str| text.trim().is_empty();
    let clauses: BTreeMap<&str, (&str, &str)> = BTreeMap::from([
        (
            "doClause",
            (into.do_clause.as_str(), new.do_clause.as_str()),
        ),
        ("dontClause", (&into.dont_clause, &new.dont_clause)),
        ("whenClause", (&into.when_clause, &new.when_clause)),
        (
            "content.rationale",
            (&into.content.rationale, &new.content.rationale),
        ),
        (
            "coreCode",
            (
                into.core_code.as_ref().map_or("", |code| &code.text),
                new.core_code.as_ref().map_or("", |code| &code.text),
            ),
        ),
    ]);
    for (field, (there, here)) in clauses {
        if blank(there) && !blank(here) {
            step(field, PatchOpKind::Set, here.into());
        }
    }
    let prose = new.content.markdown.trim();
    if !prose.is_empty() && !into.content.markdown.contains(prose) {
        step("content.markdown", PatchOpKind::Append, prose.into());
    }
    let sources = new.reasoning.sources.iter().map(ToString::to_string);
    let known: Vec<String> = into
        .reasoning
        .sources
        .iter()
        .map(ToString::to_string)
        .collect();
    let added: Vec<String> = sources.filter(|source| !known.contains(source)).collect();
    if !added.is_empty() {
        step("reasoning.sources", PatchOpKind::Append, added.into());
    }
    NewProposal {
        kind: ProposalType::Merge,
        target: entry_key(into).to_owned(),
        related: Vec::new(),
        confidence: new.reasoning.confidence.unwrap_or(0.7),
        source: source.to_owned(),
        reason: format!(
            "\"{}\" says much the same ({:.0} %)",
            new.title,
            score * 100.0
        ),
        evidence: Some(serde_json::json!({ "title": new.title, "score": score })),
        patch,
        baseline_score: None,
    }
}

#[cfg(test)]
mod tests {
    use asd_recipe::{Code, SourceRef};

    use super::*;
    use crate::proposals::apply_patch;

    fn entry(id: &str) -> Recipe {
        let mut recipe = Recipe {
            id: Some(id.into()),
            title: "RetryQueue backoff".into(),
            trigger: format!("@retry-{id}"),
            category: "Network".into(),
            when_clause: "Adding or editing an outbound HTTP call".into(),
            do_clause: "Submit the request through RetryQueue with bounded attempts".into(),
            dont_clause: "Loop with thread sleep around a client call".into(),
            core_code: Some(Code {
                text: "queue.push(request, Attempts::new(3)).await?; // bounded".into(),
                ..Code::default()
            }),
            ..Recipe::default()
        };
        recipe.content.markdown = "All outbound calls go through the queue of retries.".into();
        recipe
    }

    fn other(id: &str) -> Recipe {
        let mut recipe = entry(id);
        recipe.title = "LedgerPool checkout".into();
        recipe.when_clause = "Reading or writing an account ledger".into();
        recipe.do_clause = "Check ledgers out of LedgerPool".into();
        recipe.dont_clause = "Construct a Ledger directly anywhere".into();
        recipe.core_code = Some(Code {
            text: "l := pool.Checkout(ctx, id); defer l.Release()".into(),
            ..Code::default()
        });
        recipe.content.markdown = "Settlement is blocked while a ledger is held.".into();
        recipe
    }

    #[test]
    fn an_entry_that_says_too_little_is_blocked() {
        let thin = Recipe {
            do_clause: "Use it".into(),
            ..Recipe::default()
        };
        assert!((substance(&thin) - 0.12).abs() < 1e-9);
        assert!(matches!(advise(&thin, []), Advice::Insufficient { .. }));
        assert!((substance(&entry("a")) - (0.4 + 0.3 + 0.15)).abs() < 1e-9);
    }

    #[test]
    fn an_entry_like_none_is_created() {
        assert_eq!(advise(&other("n"), [&entry("a")]), Advice::Create);
        assert_eq!(advise(&entry("n"), []), Advice::Create);
    }

    #[test]
    fn an_entry_much_like_one_is_merged_and_like_several_calls_for_order() {
        let (a, b, far) = (entry("a"), entry("b"), other("c"));
        match advise(&entry("n"), [&a, &far]) {
            Advice::Merge { into } => assert_eq!(into.id, "a"),
            advice => panic!("{advice:?}"),
        }
        match advise(&entry("n"), [&a, &b, &far]) {
            Advice::Reorganize { with } => {
                let ids: Vec<&str> = with.iter().map(|one| one.id.as_str()).collect();
                assert_eq!(ids, ["a", "b"]);
            }
            advice => panic!("{advice:?}"),
        }
    }

    #[test]
    fn an_entry_somewhat_like_one_stands_beside_it_when_it_brings_something_new() {
        let there = entry("a");
        let mut new = entry("n");
        new.do_clause = "Choose exponential jitter intervals per upstream host".into();
        new.dont_clause = "Share one interval between hosts".into();
        new.core_code = Some(Code {
            text: "Backoff::exponential().jitter(0.2).per_host(true)".into(),
            ..Code::default()
        });
        match advise(&new, [&there]) {
            Advice::CreateAndReview { similar_to } => assert_eq!(similar_to[0].id, "a"),
            advice => panic!("{advice:?}"),
        }
        new.trigger = there.trigger.clone();
        assert!(matches!(advise(&new, [&there]), Advice::Merge { .. }));
    }

    #[test]
    fn an_entry_somewhat_like_one_without_anything_new_is_merged() {
        let there = entry("a");
        let mut new = entry("n");
        new.content.markdown = "Different prose about something else entirely here.".into();
        new.dont_clause.clear();
        new.core_code = None;
        assert!(new_sides(&new, &there).is_empty());
        assert!(matches!(advise(&new, [&there]), Advice::Merge { .. }));
    }

    #[test]
    fn new_sides_are_those_that_the_other_lacks() {
        let bare = Recipe {
            title: "RetryQueue backoff".into(),
            ..Recipe::default()
        };
        assert_eq!(
            new_sides(&entry("n"), &bare),
            [
                NewSide::CoreCode,
                NewSide::DontClause,
                NewSide::WhenClause,
                NewSide::Keywords
            ]
        );
        assert!(new_sides(&bare, &entry("n")).is_empty());
    }

    #[test]
    fn candidates_are_of_the_same_field_first() {
        let near: Vec<Recipe> = (0..40).map(|n| entry(&format!("n{n:02}"))).collect();
        let mut far = entry("far");
        far.category = "Storage".into();
        let found = candidates(&entry("x"), near.iter().chain([&far]));
        assert_eq!(found.len(), 30);
        let few = candidates(&entry("x"), near[..3].iter().chain([&far]));
        let ids: Vec<&str> = few.iter().map(|entry| entry_key(entry)).collect();
        assert_eq!(ids, ["n00", "n01", "n02", "far"]);
        far.title = "Ledger".into();
        assert_eq!(candidates(&entry("x"), [&far]).len(), 0);
    }

    #[test]
    fn a_merge_is_a_proposal_that_can_be_made() {
        let mut into = entry("a");
        into.dont_clause.clear();
        let mut new = entry("n");
        new.content.markdown = "Own words.".into();
        new.reasoning.sources = vec![SourceRef::parse("a/b.rs")];
        let proposal = merge_proposal(&new, &into, 0.7, "mcp");
        let merged = apply_patch(&into, &proposal.patch).unwrap().recipe;
        assert_eq!(merged.dont_clause, new.dont_clause);
        assert_eq!(merged.do_clause, into.do_clause);
        assert!(merged.content.markdown.ends_with("\n\nOwn words."));
        assert_eq!(merged.reasoning.sources, new.reasoning.sources);
    }
}
