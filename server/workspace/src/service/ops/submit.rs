//! `asd_submit_knowledge`: candidates for recipes, each validated, compared with
//! what is there, and created, merged, or sent back. (knowledge.md §7–§9)

use std::collections::BTreeMap;
use std::sync::PoisonError;

use asd_knowledge::consolidation::Likeness;
use asd_knowledge::lifecycle::transition;
use asd_knowledge::production::{
    Created, Inventory, Outcome, Produced, ProductionOptions, produce, supersede_proposal,
};
use asd_knowledge::proposals::{NewProposal, Proposal, propose};
use asd_knowledge::quality::Grade;
use asd_knowledge::similarity::SimilarityIndex;
use asd_knowledge::submission::{
    CONFLICT, DUPLICATE, REQUIRED_FIELDS, SourceLookup, SubmissionContext, read_items,
};
use asd_recipe::Recipe;
use asd_store::{Project, Written};
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

/// The lists of the answer; each submitted item is in exactly one of them.
#[derive(Default)]
struct Lists {
    created: Vec<Value>,
    ids: Vec<String>,
    paths: Vec<String>,
    rejected: Vec<Value>,
    missing: Vec<Value>,
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
        .unwrap_or_else(PoisonError::into_inner)
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
    let options = ProductionOptions {
        skip_consolidation: call.flag("skipConsolidation"),
        supersedes: superseded.as_ref().map(|old| old.key().to_owned()),
    };
    let state = service.knowledge.state();
    let entries: Vec<&Recipe> = state
        .recipes()
        .iter()
        .map(|(_, recipe)| &**recipe)
        .collect();
    let index = SimilarityIndex::build(entries.iter().copied());
    let inventory = Inventory {
        entries: &entries,
        index: &index,
        session: &[],
    };
    let sources = Sources(service.project());
    let produced = produce(
        &items,
        &context,
        &options,
        inventory,
        &sources,
        call.seconds(),
    );
    let mut lists = Lists::default();
    for one in produced {
        lists.take(service, call, one)?;
    }
    if !lists.paths.is_empty() {
        service.knowledge.written(&lists.paths);
    }
    if let (Some(old), Some(new)) = (superseded, lists.ids.first()) {
        let new = service.knowledge.get(new)?;
        let wish = supersede_proposal(old.key(), &new.recipe, &call.caller.role);
        let proposal = service.propose(wish, call.seconds())?;
        lists.proposals.push(json!(proposal));
    }
    if lists.missing.len() == items.len() {
        return Err(incomplete(&lists));
    }
    Ok(reply(lists, items.len()))
}

impl Lists {
    /// Puts an item where it belongs, and carries out what was decided of it.
    fn take(
        &mut self,
        service: &Service,
        call: &Call<'_>,
        produced: Produced,
    ) -> Result<(), ServiceError> {
        let Produced {
            index,
            title,
            outcome,
        } = produced;
        match outcome {
            Outcome::Created(created) => self.create(service, call, index, *created)?,
            Outcome::TurnedDown(created) => {
                let reason = created.route.reason;
                let (recipe, written) = store(service, call, *created)?;
                self.paths.push(written.path);
                self.rejected.push(json!({
                    "index": index,
                    "title": title,
                    "code": "REJECTED",
                    "errors": [{"field": "reasoning.confidence", "message": reason}],
                    "missing": [],
                    "id": written.id,
                    "lifecycle": recipe.lifecycle,
                }));
            }
            Outcome::Rejected { issues, missing } => {
                let has = |code: &str| issues.iter().any(|issue| issue.code == code);
                let code = [CONFLICT, DUPLICATE]
                    .into_iter()
                    .find(|code| has(code))
                    .unwrap_or("VALIDATION_ERROR");
                if !missing.is_empty() {
                    self.missing
                        .push(json!({"index": index, "fields": missing}));
                }
                let errors: Vec<Value> = issues
                    .iter()
                    .map(|issue| {
                        json!({"code": issue.code, "field": issue.field, "message": issue.message})
                    })
                    .collect();
                self.rejected.push(json!({
                    "index": index,
                    "title": title,
                    "code": code,
                    "errors": errors,
                    "missing": missing,
                }));
            }
            Outcome::Duplicate(similar) => self.duplicates.push(json!({
                "index": index,
                "similarTo": {
                    "id": similar.id,
                    "title": similar.title,
                    "score": round3(similar.score),
                },
            })),
            Outcome::Merged { into, proposal } => {
                let proposal = service.propose(*proposal, call.seconds())?;
                self.merged.push(json!({
                    "index": index,
                    "intoId": into.id,
                    "proposalId": proposal.id,
                }));
                self.proposals.push(json!(proposal));
            }
            Outcome::Blocked { reason, proposal } => {
                let proposal = match proposal {
                    Some(new) => Some(service.propose(*new, call.seconds())?),
                    None => None,
                };
                self.blocked.push(json!({
                    "index": index,
                    "title": title,
                    "reason": reason,
                    "proposalId": proposal.as_ref().map(|proposal| &proposal.id),
                }));
                self.proposals
                    .extend(proposal.map(|proposal| json!(proposal)));
            }
        }
        Ok(())
    }

    fn create(
        &mut self,
        service: &Service,
        call: &Call<'_>,
        index: usize,
        created: Created,
    ) -> Result<(), ServiceError> {
        let quality = created.quality;
        let hints: Vec<String> = created
            .hints
            .iter()
            .map(|issue| issue.message.clone())
            .collect();
        let review: Vec<Value> = created.review.iter().map(like).collect();
        let (recipe, written) = store(service, call, created)?;
        if quality.grade > Grade::B || !hints.is_empty() {
            self.hints.push(json!({
                "index": index,
                "grade": quality.grade,
                "overall": round3(quality.overall),
                "hints": hints,
            }));
        }
        if !review.is_empty() {
            self.review.push(json!({
                "index": index,
                "id": written.id,
                "title": recipe.title,
                "similarTo": review,
            }));
        }
        self.created.push(json!({
            "index": index,
            "id": written.id,
            "title": recipe.title,
            "trigger": recipe.trigger,
            "lifecycle": recipe.lifecycle,
            "file": written.path,
        }));
        self.paths.push(written.path);
        self.ids.push(written.id);
        Ok(())
    }
}

/// Writes a new candidate in the state that its route gives it.
fn store(
    service: &Service,
    call: &Call<'_>,
    created: Created,
) -> Result<(Recipe, Written), ServiceError> {
    let mut recipe = created.recipe;
    recipe.id = Some(uuid::Uuid::new_v4().to_string());
    let mut events = Vec::new();
    if let Some(wish) = created.route.to_move() {
        let moved = transition(&recipe, &wish, call.seconds())
            .map_err(|error| ServiceError::new(ErrorCode::InternalError, error.to_string()))?;
        moved.apply(&mut recipe);
        events.push(moved.event);
    }
    if let Some(target) = call.text("target_name") {
        recipe.module_name.get_or_insert(target.to_owned());
    }
    let written = service.knowledge.store.create(&recipe, &events)?;
    Ok((recipe, written))
}

fn like(likeness: &Likeness) -> Value {
    json!({
        "id": likeness.id,
        "title": likeness.title,
        "score": round3(likeness.score),
    })
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

fn incomplete(lists: &Lists) -> ServiceError {
    let example: serde_json::Map<String, Value> = REQUIRED_FIELDS
        .iter()
        .map(|field| (field.name.to_owned(), json!(field.example)))
        .collect();
    ServiceError::new(
        ErrorCode::IncompleteSubmission,
        "Every item lacks fields that it must have. Fill them in and submit again.",
    )
    .with_data(json!({
        "missing": lists.missing,
        "rejectedItems": lists.rejected,
        "example": example,
    }))
}

fn reply(lists: Lists, total: usize) -> Reply {
    let count = lists.created.len();
    let mut parts = vec![format!("{count} of {total} created")];
    for (number, what) in [
        (lists.merged.len(), "to be merged"),
        (lists.duplicates.len(), "known already"),
        (lists.blocked.len(), "blocked"),
        (lists.rejected.len(), "rejected"),
    ] {
        if number > 0 {
            parts.push(format!("{number} {what}"));
        }
    }
    let message = format!("{}.", parts.join(", "));
    let achieved = count > 0 || lists.merged.len() == total;
    let summary: Vec<String> = lists
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
        "ids": lists.ids,
        "created": lists.created,
        "rejectedItems": lists.rejected,
        "rejectedSummary": summary,
        "duplicates": lists.duplicates,
        "blockedItems": lists.blocked,
        "merged": lists.merged,
        "proposals": lists.proposals,
        "pendingSemanticReview": lists.review,
        "qualityHints": lists.hints,
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
