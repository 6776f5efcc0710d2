//! `asd_submit_knowledge`: candidates for recipes, each validated, compared with
//! what is there, and created, merged, or sent back. (knowledge.md §7–§9)

use std::collections::BTreeMap;

use asd_knowledge::consolidation::{Advice, Likeness, advise, merge_proposal};
use asd_knowledge::lifecycle::transition;
use asd_knowledge::proposals::{NewProposal, Proposal, ProposalType, propose};
use asd_knowledge::quality::{Grade, quality};
use asd_knowledge::routing::route;
use asd_knowledge::similarity::{DUPLICATE_FROM, Print, Similar, SimilarityIndex};
use asd_knowledge::submission::{
    CONFLICT, Checked, DUPLICATE, KnownEntries, REQUIRED_FIELDS, SourceLookup, SubmissionContext,
    check_item, read_items,
};
use asd_recipe::Recipe;
use asd_store::Project;
use serde_json::{Value, json};

use crate::service::Service;
use crate::service::call::{Call, Reply};
use crate::service::error::{ErrorCode, ServiceError};

/// So many submissions of a client are taken in a window of so long.
const MOST: usize = 10;
const WINDOW_MS: i64 = 60_000;

/// When clients submitted last.
#[derive(Debug, Default)]
pub(crate) struct Submissions(BTreeMap<String, Vec<i64>>);

impl Submissions {
    /// Counts a submission.
    ///
    /// # Errors
    /// After how many milliseconds the next one is taken.
    fn count(&mut self, client: &str, now: i64) -> Result<(), i64> {
        let times = self.0.entry(client.to_owned()).or_default();
        times.retain(|time| now - time < WINDOW_MS);
        if times.len() >= MOST {
            let oldest = times.first().copied().unwrap_or(now);
            return Err(WINDOW_MS - (now - oldest));
        }
        times.push(now);
        Ok(())
    }
}

/// Whether a source exists, by the files of the project.
pub(super) struct Sources<'p>(pub(super) &'p Project);

impl SourceLookup for Sources<'_> {
    fn exists(&self, path: &str) -> Option<bool> {
        Some(self.0.absolute(path).is_ok_and(|path| path.exists()))
    }
}

/// Each submitted item is in exactly one of these.
#[derive(Default)]
struct Outcome {
    created: Vec<Value>,
    ids: Vec<String>,
    paths: Vec<String>,
    rejected: Vec<Value>,
    missing: Vec<(usize, Vec<&'static str>)>,
    duplicates: Vec<Value>,
    blocked: Vec<Value>,
    merged: Vec<Value>,
    proposals: Vec<Value>,
    review: Vec<Value>,
    hints: Vec<Value>,
}

pub(super) fn run(service: &Service, call: &Call<'_>) -> Result<Reply, ServiceError> {
    let client = call.text("client_id").unwrap_or(&call.caller.client);
    let counted = service
        .submissions
        .lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner)
        .count(client, call.now);
    if let Err(wait) = counted {
        return Err(ServiceError::new(
            ErrorCode::RateLimit,
            format!(
                "More than {MOST} submissions in a minute. Wait {} seconds, and submit several \
                 items at once.",
                (wait + 999) / 1000
            ),
        )
        .with_data(json!({"retryAfterMs": wait})));
    }
    let items = read_items(&Value::Array(call.items("items").to_vec()))
        .map_err(|reason| ServiceError::new(ErrorCode::ValidationError, reason))?;
    let superseded = match call.text("supersedes") {
        Some(name) => Some(service.knowledge.get(name)?),
        None => None,
    };
    let context = SubmissionContext {
        source: call.text("source").unwrap_or("mcp").to_owned(),
        created_by: Some(call.caller.role.clone()),
        dimension_id: call.text("dimensionId").map(str::to_owned),
        fill: None,
    };
    let state = service.knowledge.state();
    let entries: Vec<&Recipe> = state.recipes().iter().map(|(_, recipe)| &**recipe).collect();
    let mut round = Round {
        service,
        call,
        known: KnownEntries::new(entries.iter().copied()),
        similar: SimilarityIndex::build(entries.iter().copied()),
        entries: entries.into_iter().cloned().collect(),
        outcome: Outcome::default(),
    };
    let sources = Sources(service.project());
    for (index, item) in items.iter().enumerate() {
        let mut checked = check_item(item, &context, &round.known, &sources);
        if let Some(target) = call.text("target_name") {
            checked.recipe.module_name.get_or_insert(target.to_owned());
        }
        round.take(index, checked)?;
    }
    if !round.outcome.paths.is_empty() {
        service.knowledge.written(&round.outcome.paths);
    }
    if let Some(old) = superseded
        && let Some(new) = round.outcome.ids.first().cloned()
    {
        let proposal = service.propose(
            NewProposal {
                kind: ProposalType::Supersede,
                target: old.key().to_owned(),
                related: vec![new.clone()],
                confidence: 0.7,
                source: call.caller.role.clone(),
                reason: format!("{new} replaces it"),
                evidence: None,
                patch: Vec::new(),
                baseline_score: None,
            },
            call.seconds(),
        )?;
        round.outcome.proposals.push(json!(proposal));
    }
    let all_incomplete = round.outcome.missing.len() == items.len();
    if all_incomplete {
        return Err(incomplete(&round.outcome));
    }
    Ok(reply(round.outcome, items.len()))
}

/// The items of one submission, one after the other.
struct Round<'r> {
    service: &'r Service,
    call: &'r Call<'r>,
    known: KnownEntries,
    similar: SimilarityIndex,
    entries: Vec<Recipe>,
    outcome: Outcome,
}

impl Round<'_> {
    fn take(&mut self, index: usize, checked: Checked) -> Result<(), ServiceError> {
        if !checked.is_accepted() {
            self.reject(index, &checked);
            return Ok(());
        }
        let recipe = checked.recipe;
        // What was imported was compared where it comes from.
        if recipe.source != "import" {
            if let Some(likest) = self.duplicate_of(&recipe) {
                self.outcome.duplicates.push(json!({
                    "index": index,
                    "similarTo": {"id": likest.id, "title": likest.title, "score": round3(likest.score)},
                }));
                return Ok(());
            }
            if !self.call.flag("skipConsolidation") && !self.consolidate(index, &recipe)? {
                return Ok(());
            }
        }
        self.create(index, recipe)
    }

    fn reject(&mut self, index: usize, checked: &Checked) {
        let errors: Vec<Value> = checked
            .errors()
            .map(|issue| {
                json!({"code": issue.code, "field": issue.field, "message": issue.message})
            })
            .collect();
        let duplicate = checked.errors().all(|issue| issue.code == DUPLICATE);
        let code = checked
            .errors()
            .map(|issue| issue.code)
            .find(|code| *code == CONFLICT)
            .unwrap_or("VALIDATION_ERROR");
        if !checked.missing.is_empty() {
            self.outcome.missing.push((index, checked.missing.clone()));
        }
        self.outcome.rejected.push(json!({
            "index": index,
            "title": checked.recipe.title,
            "code": if duplicate { DUPLICATE } else { code },
            "errors": errors,
            "missing": checked.missing,
        }));
    }

    fn duplicate_of(&self, recipe: &Recipe) -> Option<Similar> {
        let print = Print::new(recipe);
        self.similar.similar(&print, DUPLICATE_FROM).into_iter().next()
    }

    /// Whether an item goes on to be created.
    fn consolidate(&mut self, index: usize, recipe: &Recipe) -> Result<bool, ServiceError> {
        let like = |likeness: &Likeness| {
            json!({
                "id": likeness.id,
                "title": likeness.title,
                "score": round3(likeness.score),
            })
        };
        match advise(recipe, &self.entries) {
            Advice::Create => Ok(true),
            Advice::CreateAndReview { similar_to } => {
                self.outcome.review.push(json!({
                    "index": index,
                    "title": recipe.title,
                    "similarTo": similar_to.iter().map(like).collect::<Vec<_>>(),
                }));
                Ok(true)
            }
            Advice::Insufficient { substance } => {
                self.outcome.blocked.push(json!({
                    "index": index,
                    "title": recipe.title,
                    "reason": "insufficient",
                    "substance": round3(substance),
                    "message": "Too little in it: say more in do, don't and when, and give code.",
                }));
                Ok(false)
            }
            Advice::Merge { into } => {
                let Some(target) = self.entry(&into.id) else {
                    return Ok(true);
                };
                let new = merge_proposal(recipe, target, into.score, &self.call.caller.role);
                let proposal = self.service.propose(new, self.call.seconds())?;
                self.outcome.merged.push(json!({
                    "index": index,
                    "intoId": into.id,
                    "proposalId": proposal.id,
                }));
                self.outcome.proposals.push(json!(proposal));
                Ok(false)
            }
            Advice::Reorganize { with } => {
                let related: Vec<String> = with.iter().map(|like| like.id.clone()).collect();
                let Some(target) = related.first().cloned() else {
                    return Ok(true);
                };
                let proposal = self.service.propose(
                    NewProposal {
                        kind: ProposalType::Reorganize,
                        target,
                        related,
                        confidence: 0.5,
                        source: self.call.caller.role.clone(),
                        reason: format!("`{}` overlaps with several recipes", recipe.title),
                        evidence: Some(json!({"submitted": recipe})),
                        patch: Vec::new(),
                        baseline_score: None,
                    },
                    self.call.seconds(),
                )?;
                self.outcome.blocked.push(json!({
                    "index": index,
                    "title": recipe.title,
                    "reason": "reorganize",
                    "similarTo": with.iter().map(like).collect::<Vec<_>>(),
                    "proposalId": proposal.id,
                    "message": "Several recipes say much of this; a person decides how to cut them.",
                }));
                self.outcome.proposals.push(json!(proposal));
                Ok(false)
            }
        }
    }

    fn entry(&self, id: &str) -> Option<&Recipe> {
        self.entries
            .iter()
            .find(|entry| asd_knowledge::entry_key(entry) == id)
    }

    fn create(&mut self, index: usize, mut recipe: Recipe) -> Result<(), ServiceError> {
        let now = self.call.seconds();
        let quality = quality(&recipe, None);
        let route = route(&recipe, quality.overall, now);
        recipe.id = Some(uuid::Uuid::new_v4().to_string());
        let mut events = Vec::new();
        if let Some(wish) = route.to_move() {
            let moved = transition(&recipe, &wish, now).map_err(|error| {
                ServiceError::new(ErrorCode::InternalError, error.to_string())
            })?;
            moved.apply(&mut recipe);
            events.push(moved.event);
        }
        let written = self.service.knowledge.store.create(&recipe, &events)?;
        self.known.add(&recipe);
        self.similar.insert(&recipe);
        self.outcome.paths.push(written.path.clone());
        if route.is_rejected() {
            self.outcome.rejected.push(json!({
                "index": index,
                "title": recipe.title,
                "code": "REJECTED",
                "errors": [{"field": "reasoning.confidence", "message": route.reason}],
                "missing": [],
                "id": written.id,
                "lifecycle": recipe.lifecycle,
            }));
        } else {
            if quality.grade > Grade::B {
                self.outcome.hints.push(json!({
                    "index": index,
                    "grade": quality.grade,
                    "overall": round3(quality.overall),
                    "dims": quality.dims,
                }));
            }
            self.outcome.created.push(json!({
                "index": index,
                "id": written.id,
                "title": recipe.title,
                "trigger": recipe.trigger,
                "lifecycle": recipe.lifecycle,
                "file": written.path,
            }));
            self.outcome.ids.push(written.id);
        }
        self.entries.push(recipe);
        Ok(())
    }
}

impl Service {
    /// Opens a proposal, or gives the one of its type and target that is open.
    pub(crate) fn propose(&self, new: NewProposal, now: i64) -> Result<Proposal, ServiceError> {
        let proposal = self.knowledge.store.change_proposals(|proposals| {
            match propose(new, proposals.iter(), now) {
                Ok(proposal) => {
                    proposals.push(proposal.clone());
                    proposal
                }
                Err(open) => open.clone(),
            }
        })?;
        Ok(proposal)
    }
}

fn incomplete(outcome: &Outcome) -> ServiceError {
    let example: serde_json::Map<String, Value> = REQUIRED_FIELDS
        .iter()
        .map(|field| (field.name.to_owned(), json!(field.example)))
        .collect();
    let missing: Vec<Value> = outcome
        .missing
        .iter()
        .map(|(index, fields)| json!({"index": index, "fields": fields}))
        .collect();
    ServiceError::new(
        ErrorCode::IncompleteSubmission,
        "Every item lacks fields that it must have. Fill them in and submit again.",
    )
    .with_data(json!({
        "missing": missing,
        "rejectedItems": outcome.rejected,
        "example": example,
    }))
}

fn reply(outcome: Outcome, total: usize) -> Reply {
    let count = outcome.created.len();
    let mut parts = vec![format!("{count} of {total} created")];
    for (number, what) in [
        (outcome.merged.len(), "to be merged"),
        (outcome.duplicates.len(), "known already"),
        (outcome.blocked.len(), "blocked"),
        (outcome.rejected.len(), "rejected"),
    ] {
        if number > 0 {
            parts.push(format!("{number} {what}"));
        }
    }
    let message = format!("{}.", parts.join(", "));
    let achieved = count > 0 || outcome.merged.len() == total;
    let summary: Vec<String> = outcome
        .rejected
        .iter()
        .filter_map(|item| {
            let first = item["errors"].as_array()?.first()?;
            Some(format!(
                "{}: {}",
                item["title"].as_str().unwrap_or_default(),
                first["message"].as_str().unwrap_or_default()
            ))
        })
        .collect();
    let data = json!({
        "count": count,
        "total": total,
        "ids": outcome.ids,
        "created": outcome.created,
        "rejectedItems": outcome.rejected,
        "rejectedSummary": summary,
        "duplicates": outcome.duplicates,
        "blockedItems": outcome.blocked,
        "merged": outcome.merged,
        "proposals": outcome.proposals,
        "pendingSemanticReview": outcome.review,
        "qualityHints": outcome.hints,
    });
    let mut reply = Reply::new(message, data);
    if !achieved {
        reply.failed = Some(ErrorCode::ValidationError);
    }
    reply
}

fn round3(number: f64) -> f64 {
    (number * 1000.0).round() / 1000.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ten_submissions_a_minute_are_taken() {
        let mut submissions = Submissions::default();
        for n in 0..10 {
            assert_eq!(submissions.count("a", n * 1000), Ok(()));
        }
        assert_eq!(submissions.count("a", 10_000), Err(50_000));
        assert_eq!(submissions.count("b", 10_000), Ok(()));
        assert_eq!(submissions.count("a", 60_000), Ok(()));
    }
}
