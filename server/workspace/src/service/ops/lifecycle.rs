//! `asd_knowledge_lifecycle`: recipes moved through their life.

use asd_knowledge::lifecycle::{Goal, Move, MoveTrigger, NamedAction};
use asd_knowledge::submission::validate_recipe;
use asd_recipe::{Lifecycle, Severity};
use serde_json::json;

use crate::service::Service;
use crate::service::call::{Call, Reply};
use crate::service::error::{ErrorCode, ServiceError};
use crate::service::ops::submit::Sources;

pub(super) fn run(service: &Service, call: &Call<'_>) -> Result<Reply, ServiceError> {
    let held = service.knowledge.get(call.needed("id")?)?;
    let action = call.needed("action")?;
    if call.caller.role == "external_agent" && action != "reactivate" {
        return Err(ServiceError::new(
            ErrorCode::PermissionDenied,
            format!("An agent may reactivate recipes; `{action}` is for people."),
        ));
    }
    let from = held.recipe.lifecycle;
    let reason = call.text("reason");
    if action == "submit" {
        return submit(service, &held);
    }
    let goal = match action {
        "approve" => Goal::Action(NamedAction::Stage),
        "reject" if from == Lifecycle::Staging => Goal::State(Lifecycle::Pending),
        "reject" => Goal::State(Lifecycle::Deprecated),
        "publish" => Goal::Action(NamedAction::Publish),
        "deprecate" => Goal::Action(NamedAction::Deprecate),
        "reactivate" => Goal::Action(NamedAction::Reactivate),
        "to_draft" => Goal::State(Lifecycle::Pending),
        _ => Goal::Action(NamedAction::FastTrack),
    };
    let refused = (action == "reject" && !matches!(from, Lifecycle::Pending | Lifecycle::Staging))
        || (action == "to_draft" && from != Lifecycle::Staging);
    if refused {
        return Err(ServiceError::new(
            ErrorCode::Conflict,
            format!(
                "`{action}` is for candidates; this recipe is {}.",
                from.name()
            ),
        ));
    }
    let mut wish = Move::new(goal, MoveTrigger::Manual);
    wish.by = Some(call.caller.role.clone());
    if let Some(reason) = reason {
        wish = wish.because(reason);
    }
    let moved = service.move_recipe(held.key(), &wish)?;
    Ok(Reply::new(
        format!(
            "{} is {} now.",
            held.recipe.trigger,
            moved.transition.to.name()
        ),
        json!({
            "id": moved.written.id,
            "from": moved.transition.from,
            "to": moved.transition.to,
            "file": moved.written.path,
        }),
    ))
}

/// Whether a candidate is ready for review; it stays where it is.
fn submit(
    service: &Service,
    held: &crate::service::knowledge::Held,
) -> Result<Reply, ServiceError> {
    if held.recipe.lifecycle != Lifecycle::Pending {
        return Err(ServiceError::new(
            ErrorCode::Conflict,
            format!(
                "Only pending candidates are submitted; this recipe is {}.",
                held.recipe.lifecycle.name()
            ),
        ));
    }
    let issues = validate_recipe(&held.recipe, &Sources(service.project()));
    let errors: Vec<&asd_knowledge::submission::Issue> = issues
        .iter()
        .filter(|issue| issue.severity == Severity::Error)
        .collect();
    if !errors.is_empty() {
        let list: Vec<&str> = errors.iter().map(|issue| issue.message.as_str()).collect();
        return Err(
            ServiceError::new(ErrorCode::ValidationError, list.join(" ")).with_data(json!({
                "errors": errors
                    .iter()
                    .map(|issue| json!({"path": issue.field, "message": issue.message}))
                    .collect::<Vec<_>>(),
            })),
        );
    }
    Ok(Reply::new(
        "The candidate is complete; a person can approve it.",
        json!({
            "id": held.key(),
            "from": "pending",
            "to": "pending",
            "file": held.path,
        }),
    ))
}

impl Service {
    /// Moves a recipe, and sees the change at once.
    pub(crate) fn move_recipe(
        &self,
        name: &str,
        wish: &Move,
    ) -> Result<asd_store::Moved, ServiceError> {
        let moved = self.knowledge.store.transition(name, wish)?;
        let mut paths = vec![moved.written.path.clone()];
        paths.extend(moved.written.moved_from.clone());
        self.knowledge.written(&paths);
        Ok(moved)
    }
}
