//! What becomes of submitted items, in the one order in which that is decided:
//! validation, repetition within a session, similarity, consolidation, creation
//! with its route and quality. (knowledge.md §9)

use asd_recipe::{Recipe, Severity};
use serde_json::Value as Json;

use crate::consolidation::{Advice, Likeness, advise, merge_proposal};
use crate::proposals::{NewProposal, ProposalType};
use crate::quality::{Quality, quality};
use crate::routing::{Route, route};
use crate::similarity::{BATCH_DUPLICATE, DUPLICATE_FROM, Print, Similar, SimilarityIndex};
use crate::submission::{
    CONFLICT, Checked, Issue, KnownEntries, SourceLookup, SubmissionContext, check_item,
};
use crate::{entry_key, lifecycle};

/// What submitted items are compared with.
#[derive(Clone, Copy, Debug)]
pub struct Inventory<'a> {
    /// All entries.
    pub entries: &'a [&'a Recipe],
    /// Their prints; of the ones that are not retired.
    pub index: &'a SimilarityIndex,
    /// Items that were accepted earlier in the same bootstrap session.
    pub session: &'a [&'a Recipe],
}

/// How a submission is treated.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProductionOptions {
    /// Whether items are kept apart from entries that they are like.
    pub skip_consolidation: bool,
    /// The entry that the submission takes the place of.
    pub supersedes: Option<String>,
}

/// An item that becomes an entry.
#[derive(Clone, Debug, PartialEq)]
pub struct Created {
    /// The entry: pending, without an id. Its route is a move of its own.
    pub recipe: Recipe,
    /// Where it goes from there.
    pub route: Route,
    /// How good it is.
    pub quality: Quality,
    /// Entries that it is somewhat like, for a person to look at.
    pub review: Vec<Likeness>,
    /// What could be better.
    pub hints: Vec<Issue>,
}

/// What becomes of one item.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// It becomes an entry.
    Created(Box<Created>),
    /// It breaks a rule.
    Rejected {
        /// What is wrong.
        issues: Vec<Issue>,
        /// Required fields that are missing.
        missing: Vec<&'static str>,
    },
    /// Its confidence is so low that it is kept as a retired entry only.
    TurnedDown(Box<Created>),
    /// It repeats an entry, or an earlier item.
    Duplicate(Similar),
    /// What it adds is proposed for another entry.
    Merged {
        /// That entry.
        into: Likeness,
        /// The proposal.
        proposal: Box<NewProposal>,
    },
    /// It is held back.
    Blocked {
        /// Why, in words.
        reason: String,
        /// What is proposed instead.
        proposal: Option<Box<NewProposal>>,
    },
}

/// One item with what becomes of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Produced {
    /// Its place among the items.
    pub index: usize,
    /// Its title.
    pub title: String,
    /// What becomes of it.
    pub outcome: Outcome,
}

/// Decides what becomes of the items of a submission, each exactly once, in
/// their order. Items are compared with the entries, and with the items that
/// were accepted before them. Similarity is left out for source `import` only.
/// `now` is in Unix seconds.
#[must_use]
pub fn produce(
    items: &[Json],
    context: &SubmissionContext,
    options: &ProductionOptions,
    inventory: Inventory<'_>,
    sources: &dyn SourceLookup,
    now: i64,
) -> Vec<Produced> {
    let replaced = options.supersedes.as_deref();
    let others = inventory
        .entries
        .iter()
        .copied()
        .filter(|entry| Some(entry_key(entry)) != replaced);
    let mut run = Run {
        context,
        options,
        inventory,
        known: KnownEntries::new(others),
        accepted: Vec::new(),
        now,
    };
    items
        .iter()
        .enumerate()
        .map(|(index, item)| {
            let checked = check_item(item, context, &run.known, sources);
            let title = checked.recipe.title.trim().to_owned();
            let outcome = run.decide(index, checked);
            Produced {
                index,
                title,
                outcome,
            }
        })
        .collect()
}

/// The proposal by which a new entry takes the place of an old one; the old one
/// also gets a relation `deprecated_by` to the new one.
#[must_use]
pub fn supersede_proposal(old: &str, new: &Recipe, source: &str) -> NewProposal {
    NewProposal {
        kind: ProposalType::Supersede,
        target: old.to_owned(),
        related: vec![entry_key(new).to_owned()],
        confidence: new
            .reasoning
            .confidence
            .unwrap_or(crate::quality::DEFAULT_CONFIDENCE),
        source: source.to_owned(),
        reason: format!("\"{}\" was submitted to take its place", new.title.trim()),
        evidence: None,
        patch: Vec::new(),
        baseline_score: None,
    }
}

struct Run<'a> {
    context: &'a SubmissionContext,
    options: &'a ProductionOptions,
    inventory: Inventory<'a>,
    known: KnownEntries,
    /// Items that became entries, with their places.
    accepted: Vec<(usize, Recipe, Print)>,
    now: i64,
}

impl Run<'_> {
    fn decide(&mut self, index: usize, checked: Checked) -> Outcome {
        if !checked.is_accepted() {
            let issues = checked.issues.into_iter();
            return Outcome::Rejected {
                issues: issues
                    .filter(|issue| issue.severity == Severity::Error)
                    .collect(),
                missing: checked.missing,
            };
        }
        let Checked { recipe, issues, .. } = checked;
        let print = Print::new(&recipe);
        if let Some(similar) = self.repeated(&print) {
            return Outcome::Duplicate(similar);
        }
        let review = match self.consolidated(&recipe) {
            Ok(review) => review,
            Err(outcome) => return outcome,
        };
        let quality = quality(&recipe, None);
        let route = route(&recipe, quality.overall, self.now);
        let created = Box::new(Created {
            route,
            quality,
            review,
            hints: issues,
            recipe,
        });
        if created.route.is_rejected() {
            return Outcome::TurnedDown(created);
        }
        self.known.add(&created.recipe);
        self.accepted.push((index, created.recipe.clone(), print));
        Outcome::Created(created)
    }

    /// The entry or earlier item that an item repeats.
    fn repeated(&self, print: &Print) -> Option<Similar> {
        if self.context.source == "import" {
            return None;
        }
        if self.context.source == "bootstrap" {
            let session = self.inventory.session.iter();
            let earlier = session
                .map(|recipe| (entry_key(recipe), *recipe, Print::new(recipe).batch(print)))
                .chain(
                    self.accepted
                        .iter()
                        .map(|(_, recipe, earlier)| ("", recipe, earlier.batch(print))),
                );
            let found = earlier.into_iter().find(|one| one.2 >= BATCH_DUPLICATE);
            if let Some((id, recipe, score)) = found {
                return Some(Similar {
                    id: id.to_owned(),
                    title: recipe.title.clone(),
                    score,
                });
            }
        }
        let replaced = self.options.supersedes.as_deref();
        let found = self.inventory.index.similar(print, DUPLICATE_FROM);
        let mut found = found
            .into_iter()
            .filter(|similar| Some(similar.id.as_str()) != replaced);
        found.next().or_else(|| {
            let items = self.accepted.iter();
            items
                .map(|(_, recipe, earlier)| Similar {
                    id: String::new(),
                    title: recipe.title.clone(),
                    score: earlier.quick(print),
                })
                .find(|similar| similar.score >= DUPLICATE_FROM)
        })
    }

    /// The entries that a person should compare it with, or what becomes of it
    /// instead.
    fn consolidated(&self, recipe: &Recipe) -> Result<Vec<Likeness>, Outcome> {
        if self.options.skip_consolidation || self.context.source == "import" {
            return Ok(Vec::new());
        }
        let replaced = self.options.supersedes.as_deref();
        let others = self.inventory.entries.iter().copied().filter(|entry| {
            lifecycle::is_consumable(entry.lifecycle) && Some(entry_key(entry)) != replaced
        });
        let others: Vec<&Recipe> = others.collect();
        let source = if self.context.source.is_empty() {
            "consolidation"
        } else {
            &self.context.source
        };
        match advise(recipe, others.iter().copied()) {
            Advice::Create => Ok(Vec::new()),
            Advice::CreateAndReview { similar_to } => Ok(similar_to),
            Advice::Merge { into } => {
                let target = others.iter().find(|entry| entry_key(entry) == into.id);
                Err(match target {
                    Some(target) => Outcome::Merged {
                        proposal: Box::new(merge_proposal(recipe, target, into.score, source)),
                        into,
                    },
                    None => Outcome::Blocked {
                        reason: format!("it belongs to {}, which is gone", into.id),
                        proposal: None,
                    },
                })
            }
            Advice::Reorganize { with } => Err(reorganize(recipe, &with, source)),
            Advice::Insufficient { substance } => Err(Outcome::Blocked {
                reason: format!(
                    "insufficient: it says too little to be kept ({:.0} %); add clauses, a trigger and code",
                    substance * 100.0
                ),
                proposal: None,
            }),
        }
    }
}

fn reorganize(recipe: &Recipe, with: &[Likeness], source: &str) -> Outcome {
    let titles: Vec<String> = with
        .iter()
        .map(|one| format!("\"{}\"", one.title))
        .collect();
    let reason = format!(
        "{} say much the same already; a person should order them anew",
        titles.join(", ")
    );
    let mut ids = with.iter().map(|one| one.id.clone());
    let proposal = ids.next().map(|target| {
        Box::new(NewProposal {
            kind: ProposalType::Reorganize,
            target,
            related: ids.collect(),
            confidence: with.first().map_or(0.0, |one| one.score),
            source: source.to_owned(),
            reason: reason.clone(),
            evidence: Some(serde_json::json!({ "title": recipe.title })),
            patch: Vec::new(),
            baseline_score: None,
        })
    });
    Outcome::Blocked { reason, proposal }
}

/// Whether an outcome is one in which a name was taken.
#[must_use]
pub fn is_conflict(outcome: &Outcome) -> bool {
    match outcome {
        Outcome::Rejected { issues, .. } => issues.iter().any(|issue| issue.code == CONFLICT),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use asd_recipe::Lifecycle;
    use serde_json::json;

    use super::*;

    const NOW: i64 = 1_790_000_000;

    fn item(title: &str, trigger: &str, does: &str, code: &str) -> Json {
        json!({
            "title": title, "description": format!("{title} in short"), "trigger": trigger,
            "kind": "rule", "knowledgeType": "best-practice", "language": "go",
            "category": "Storage", "dimensionId": "data-event-flow", "topicHint": "data",
            "whenClause": format!("Reading or writing with {title}"), "doClause": does,
            "dontClause": format!("Go around {title} by hand"), "coreCode": code, "headers": [],
            "usageGuide": "### When\nAny access.",
            "content": {
                "markdown": format!("See `internal/{trigger}.go`. {}", format!("{does}. ").repeat(8)),
                "rationale": "It blocks otherwise",
            },
            "reasoning": {
                "whyStandard": "Seen in all call sites",
                "sources": ["internal/pool.go:12"], "confidence": 0.8,
            },
        })
    }

    fn pool() -> Json {
        item(
            "LedgerPool checkout",
            "@ledger-pool",
            "Check a ledger out of LedgerPool",
            "l := pool.Checkout(ctx, id)\ndefer l.Release()",
        )
    }

    fn queue() -> Json {
        item(
            "RetryQueue backoff",
            "@retry-queue",
            "Push outbound requests through the queue of retries",
            "queue.Push(req, retry.Attempts(3))",
        )
    }

    fn run(
        source: &str,
        items: &[Json],
        entries: &[&Recipe],
        options: &ProductionOptions,
    ) -> Vec<Outcome> {
        let context = SubmissionContext {
            source: source.into(),
            ..SubmissionContext::default()
        };
        let index = SimilarityIndex::build(entries.iter().copied());
        let inventory = Inventory {
            entries,
            index: &index,
            session: &[],
        };
        let unknown = |_: &str| None;
        let produced = produce(items, &context, options, inventory, &unknown, NOW);
        for (index, one) in produced.iter().enumerate() {
            assert_eq!(one.index, index);
        }
        produced.into_iter().map(|one| one.outcome).collect()
    }

    fn entry(item: &Json, id: &str) -> Recipe {
        let options = ProductionOptions::default();
        match run("mcp", std::slice::from_ref(item), &[], &options).pop() {
            Some(Outcome::Created(created)) => Recipe {
                id: Some(id.into()),
                lifecycle: Lifecycle::Active,
                ..created.recipe
            },
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_sound_item_is_created_and_staged() {
        let found = run(
            "mcp",
            &[pool(), queue()],
            &[],
            &ProductionOptions::default(),
        );
        for outcome in found {
            let Outcome::Created(created) = outcome else {
                panic!("{outcome:?}");
            };
            assert_eq!(created.recipe.lifecycle, Lifecycle::Pending);
            assert_eq!(created.route.state, Lifecycle::Staging);
            assert!(created.quality.overall > 0.3);
        }
    }

    #[test]
    fn an_item_of_low_confidence_is_turned_down() {
        let mut item = pool();
        item["reasoning"]["confidence"] = json!(0.1);
        let found = run("mcp", &[item], &[], &ProductionOptions::default());
        assert!(
            matches!(&found[0], Outcome::TurnedDown(one) if one.route.state == Lifecycle::Deprecated)
        );
    }

    #[test]
    fn of_two_items_with_one_title_the_second_is_in_conflict() {
        let mut second = queue();
        second["title"] = json!("ledgerpool CHECKOUT");
        let found = run("mcp", &[pool(), second], &[], &ProductionOptions::default());
        assert!(matches!(found[0], Outcome::Created(_)));
        assert!(is_conflict(&found[1]), "{found:?}");
    }

    #[test]
    fn an_item_that_repeats_an_entry_is_a_duplicate_unless_it_is_imported() {
        let there = entry(&pool(), "r1");
        let mut again = pool();
        again["title"] = json!("LedgerPool checkouts");
        again["trigger"] = json!("@ledger-pool-again");
        again["coreCode"] = json!("l := pool.Checkout(ctx, id)\ndefer l.Release()\nuse(l)");
        let items = [again];
        let found = run("mcp", &items, &[&there], &ProductionOptions::default());
        assert!(
            matches!(&found[0], Outcome::Duplicate(one) if one.id == "r1"),
            "{found:?}"
        );
        let imported = run("import", &items, &[&there], &ProductionOptions::default());
        assert!(matches!(imported[0], Outcome::Created(_)));
        let replacing = ProductionOptions {
            supersedes: Some("r1".into()),
            ..ProductionOptions::default()
        };
        let found = run("mcp", &items, &[&there], &replacing);
        let Outcome::Created(created) = &found[0] else {
            panic!("{found:?}");
        };
        let proposal = supersede_proposal("r1", &created.recipe, "mcp");
        assert_eq!(proposal.kind, ProposalType::Supersede);
        assert_eq!(proposal.target, "r1");
    }

    #[test]
    fn an_item_much_like_an_entry_is_merged_into_it() {
        let there = entry(&pool(), "r1");
        let mut near = pool();
        near["title"] = json!("Settlement ledgers");
        near["description"] = json!("How settlement takes its ledgers");
        near["trigger"] = json!("@settlement");
        near["coreCode"] = json!("book := settle.Open(); book.Close(now, true)");
        let items = [near];
        let found = run("mcp", &items, &[&there], &ProductionOptions::default());
        assert!(
            matches!(&found[0], Outcome::Merged { into, .. } if into.id == "r1"),
            "{found:?}"
        );
        let apart = ProductionOptions {
            skip_consolidation: true,
            ..ProductionOptions::default()
        };
        assert!(matches!(
            run("mcp", &items, &[&there], &apart)[0],
            Outcome::Created(_)
        ));
    }

    #[test]
    fn an_item_much_like_several_entries_calls_for_a_new_order() {
        let (a, b) = (entry(&pool(), "r1"), entry(&pool(), "r2"));
        let mut near = pool();
        near["title"] = json!("Settlement ledgers");
        near["description"] = json!("How settlement takes its ledgers");
        near["trigger"] = json!("@settlement");
        near["coreCode"] = json!("book := settle.Open(); book.Close(now, true)");
        let found = run("mcp", &[near], &[&a, &b], &ProductionOptions::default());
        let Outcome::Blocked {
            proposal: Some(proposal),
            ..
        } = &found[0]
        else {
            panic!("{found:?}");
        };
        assert_eq!(proposal.kind, ProposalType::Reorganize);
        assert_eq!(
            (proposal.target.as_str(), &*proposal.related),
            ("r1", &["r2".to_owned()][..])
        );
    }

    #[test]
    fn a_bootstrap_drops_what_it_said_before_in_the_session() {
        let said = entry(&pool(), "");
        let mut again = pool();
        again["title"] = json!("LedgerPool checking out");
        again["trigger"] = json!("@ledger-other");
        let context = SubmissionContext {
            source: "bootstrap".into(),
            ..SubmissionContext::default()
        };
        let index = SimilarityIndex::default();
        let inventory = Inventory {
            entries: &[],
            index: &index,
            session: &[&said],
        };
        let options = ProductionOptions::default();
        let unknown = |_: &str| None;
        let found = produce(&[again], &context, &options, inventory, &unknown, NOW);
        assert!(
            matches!(found[0].outcome, Outcome::Duplicate(_)),
            "{found:?}"
        );
    }

    #[test]
    fn an_item_that_breaks_a_rule_is_rejected_with_all_that_is_wrong() {
        let mut item = pool();
        item["title"] = json!("Singleton 模式");
        item["coreCode"] = json!("} else { return }");
        item["reasoning"]["sources"] = json!([]);
        let found = run("mcp", &[item], &[], &ProductionOptions::default());
        let Outcome::Rejected { issues, missing } = &found[0] else {
            panic!("{found:?}");
        };
        assert_eq!(issues.len(), 3, "{issues:?}");
        assert_eq!(missing, &["reasoning.sources"]);
    }
}
