//! The decision: may this actor do this, here and now?

use serde::Serialize;
use serde_json::Value as Json;
use thiserror::Error;

use super::action::{Action, Resource, normal};
use super::constitution::{Capability, Constitution, Role, Rule};
use crate::lifecycle::NamedAction;

/// What someone asks of the gateway.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    /// The actor's role.
    pub actor: String,
    /// What is to be done.
    pub action: Action,
    /// To what.
    pub resource: Resource,
    /// With what; an object.
    pub data: Json,
}

impl Request {
    /// Checks the form of a request: an actor, an action, a resource that is
    /// `*` unless stated, and data that is an object.
    ///
    /// # Errors
    /// [`Denial::Invalid`] naming what is wrong.
    pub fn new(
        actor: &str,
        action: &str,
        resource: Option<Resource>,
        data: Json,
    ) -> Result<Self, Denial> {
        let invalid = |message: &str| Denial::Invalid {
            message: message.to_owned(),
        };
        let actor = actor.trim();
        if actor.is_empty() {
            return Err(invalid("the request names no actor"));
        }
        let action = Action::parse(action).ok_or_else(|| invalid("the request names no action"))?;
        let data = match data {
            Json::Null => Json::Object(serde_json::Map::new()),
            Json::Object(_) => data,
            _ => return Err(invalid("the data of a request must be an object")),
        };
        Ok(Self {
            actor: actor.to_owned(),
            action,
            resource: resource.unwrap_or_else(|| Resource::of("*")),
            data,
        })
    }

    fn object(&self) -> Option<String> {
        let object = self.action.object().map(str::to_owned);
        object.or_else(|| (self.resource.kind != "*").then(|| normal(&self.resource.kind)))
    }
}

/// What is so in the project, as far as capabilities ask for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Surroundings {
    /// Whether configuration and file system let the knowledge folder be
    /// written.
    pub knowledge_writable: bool,
    /// Whether the knowledge folder is a repository of its own.
    pub separate_repository: bool,
}

impl Default for Surroundings {
    fn default() -> Self {
        Self {
            knowledge_writable: true,
            separate_repository: false,
        }
    }
}

/// How a permission was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum MatchedBy {
    /// `*`
    Everything,
    /// The action as written, or with the resource behind it.
    Exact,
    /// The action with its halves exchanged.
    Flipped,
    /// `verb:*`
    AnyObject,
    /// `*:object`
    AnyVerb,
    /// `read:*` for another verb that only looks.
    AnyRead,
    /// `…:self`, the resource belonging to the actor.
    Own,
}

/// Why a request is not carried out.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Denial {
    /// The request has no proper form.
    #[error("{message}")]
    Invalid {
        /// What is wrong.
        message: String,
    },
    /// The role does not permit it.
    #[error("Permission denied for action: {action}. {reason}")]
    Permission {
        /// The action.
        action: String,
        /// Why.
        reason: String,
    },
    /// A rule forbids it.
    #[error("{reason} (rule {})", .rule.name())]
    Rule {
        /// The rule.
        rule: Rule,
        /// What to do.
        reason: String,
    },
}

impl Denial {
    /// The error code.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Invalid { .. } => "VALIDATION_ERROR",
            Self::Permission { .. } => "PERMISSION_DENIED",
            Self::Rule { .. } => "CONSTITUTION_VIOLATION",
        }
    }

    /// The HTTP status.
    #[must_use]
    pub const fn status(&self) -> u16 {
        match self {
            Self::Invalid { .. } => 400,
            Self::Permission { .. } => 403,
            Self::Rule { .. } => 422,
        }
    }
}

/// Decides a request: first the role's permissions, then its capabilities, then
/// the rules.
///
/// # Errors
/// [`Denial`], for the first thing that speaks against it.
pub fn permit(
    constitution: &Constitution,
    request: &Request,
    surroundings: Surroundings,
) -> Result<MatchedBy, Denial> {
    let denied = |reason: String| Denial::Permission {
        action: request.action.name().to_owned(),
        reason,
    };
    let Some(role) = constitution.role(&request.actor) else {
        return Err(denied(format!("`{}` is not a known role.", request.actor)));
    };
    let matched = matching(role, request).ok_or_else(|| {
        denied(format!(
            "The role {} does not have this permission.",
            request.actor
        ))
    })?;
    let needs_git = role.requires.contains(&Capability::GitWrite) && !request.action.is_read();
    if needs_git && surroundings.separate_repository && !surroundings.knowledge_writable {
        return Err(denied(
            "The knowledge folder cannot be written here; see `knowledge.write` in the configuration."
                .into(),
        ));
    }
    for rule in &constitution.rules {
        if let Some(reason) = violates(*rule, constitution, request) {
            return Err(Denial::Rule {
                rule: *rule,
                reason,
            });
        }
    }
    Ok(matched)
}

fn matching(role: &Role, request: &Request) -> Option<MatchedBy> {
    let has = |wanted: &str| {
        let mut all = role.permissions.iter();
        all.any(|one| normal(one) == wanted)
    };
    let verb = request.action.verb();
    let object = request.object();
    let written = normal(request.action.name());
    let both = |a: &str, b: &str| format!("{a}:{b}");
    let pair = object.as_deref().map(|object| both(verb, object));
    let turned = object.as_deref().map(|object| both(object, verb));
    let exact = if request.action.object().is_some() {
        written.clone()
    } else {
        pair.clone().unwrap_or_else(|| written.clone())
    };
    if has("*") {
        return Some(MatchedBy::Everything);
    }
    if has(&written) || has(&exact) {
        return Some(MatchedBy::Exact);
    }
    if [&pair, &turned].into_iter().flatten().any(|name| has(name)) {
        return Some(MatchedBy::Flipped);
    }
    if has(&both(verb, "*")) {
        return Some(MatchedBy::AnyObject);
    }
    let kind = normal(&request.resource.kind);
    let mut objects = object.iter().chain((kind != "*").then_some(&kind));
    if objects.any(|object| has(&both("*", object)) || has(&both(object, "*"))) {
        return Some(MatchedBy::AnyVerb);
    }
    if request.action.is_read() && has("read:*") {
        return Some(MatchedBy::AnyRead);
    }
    let is_own = request.resource.owner.as_deref() == Some(request.actor.as_str());
    let own = [&pair, &turned].into_iter().flatten();
    if is_own && own.into_iter().any(|name| has(&both(name, "self"))) {
        return Some(MatchedBy::Own);
    }
    None
}

/// What creating an entry can be made from.
const CONTENT_KEYS: [&str; 5] = ["code", "content", "items", "filePaths", "file_paths"];
/// Kinds of things that are entries.
const ENTRIES: [&str; 6] = [
    "knowledge",
    "recipe",
    "recipes",
    "candidate",
    "candidates",
    "knowledge_entry",
];
/// Verbs by which a person lets knowledge count.
const DECISIONS: [&str; 6] = [
    "approve",
    "publish",
    "fast_track",
    "stage",
    "batch_publish",
    "batch_approve",
];

fn violates(rule: Rule, constitution: &Constitution, request: &Request) -> Option<String> {
    let action = &request.action;
    let is_true = |key: &str| request.data.get(key) == Some(&Json::Bool(true));
    let object = request.object().unwrap_or_default();
    let is_entry = ENTRIES.contains(&object.as_str());
    match rule {
        Rule::DestructiveConfirm if action.is_destructive() && !is_true("confirmed") => Some(
            format!("{action} takes something away for good; repeat it with `confirmed: true`"),
        ),
        Rule::ContentRequired => {
            let creates = matches!(action.verb(), "create" | "submit") && is_entry;
            let has_content = CONTENT_KEYS
                .iter()
                .any(|key| request.data.get(*key).is_some_and(is_something));
            (creates && !has_content).then(|| {
                "A new entry needs something to be made from: code, content, items or filePaths"
                    .to_owned()
            })
        }
        Rule::AiNoDirectRecipe if constitution.agents.contains(&request.actor) => {
            let makes_recipe =
                action.verb() == "create" && matches!(object.as_str(), "recipe" | "recipes");
            let named = request.data.get("action").and_then(Json::as_str);
            let decides = DECISIONS.contains(&action.verb())
                || named.is_some_and(|name| DECISIONS.contains(&normal(name).as_str()));
            (makes_recipe || decides).then(|| {
                format!(
                    "{} may not create, approve or publish recipes; submit a candidate and let a person decide",
                    request.actor
                )
            })
        }
        Rule::BatchAuthorized if action.is_batch() && !is_true("authorized") => Some(format!(
            "{action} works on several entries; repeat it with `authorized: true`"
        )),
        _ => None,
    }
}

fn is_something(value: &Json) -> bool {
    match value {
        Json::Null | Json::Bool(false) => false,
        Json::String(text) => !text.trim().is_empty(),
        Json::Array(items) => !items.is_empty(),
        Json::Object(map) => !map.is_empty(),
        _ => true,
    }
}

/// Whether a role may make a lifecycle move by its name: agents may only take
/// entries out of retirement.
#[must_use]
pub fn may_move(constitution: &Constitution, role: &str, action: NamedAction) -> bool {
    !constitution.agents.iter().any(|agent| agent == role) || action == NamedAction::Reactivate
}
