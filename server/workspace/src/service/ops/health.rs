//! `asd_health`

use asd_recipe::{Kind, Lifecycle};
use serde_json::json;

use crate::service::Service;
use crate::service::call::{Call, Reply};

pub(super) fn run(service: &Service, call: &Call<'_>) -> Reply {
    let knowledge = &service.knowledge;
    let state = knowledge.state();
    let count = |wanted: &dyn Fn(&asd_recipe::Recipe) -> bool| {
        let recipes = state.recipes().iter();
        recipes.filter(|(_, recipe)| wanted(recipe)).count()
    };
    let in_state = |lifecycle: Lifecycle| count(&|recipe| recipe.lifecycle == lifecycle);
    let settled = |recipe: &asd_recipe::Recipe| {
        !matches!(recipe.lifecycle, Lifecycle::Pending | Lifecycle::Staging)
    };
    let of_kind = |kind: Kind| count(&|recipe| settled(recipe) && recipe.kind == kind);
    let candidates = in_state(Lifecycle::Pending) + in_state(Lifecycle::Staging);
    let total = count(&settled);

    let mut issues = Vec::new();
    // Whether the database can be used is known once something was asked of it.
    let _ = knowledge.counts();
    let database = knowledge.store.degraded();
    if let Some(reason) = &database {
        issues.push(format!(
            "The database cannot be used ({reason}); answers come from the files."
        ));
    }
    let unreadable = state.skipped();
    if !unreadable.is_empty() {
        let names: Vec<&str> = unreadable.iter().take(5).map(|s| s.path.as_str()).collect();
        issues.push(format!(
            "{} recipe files cannot be read: {}.",
            unreadable.len(),
            names.join(", ")
        ));
    }
    if !knowledge.is_watched() {
        issues.push("Files cannot be watched here; changes are seen with a delay.".to_owned());
    }
    let search = knowledge.search_health();
    let mut hints = Vec::new();
    if total + candidates == 0 {
        hints.push("The knowledge base is empty. Call asd_bootstrap to learn the project.");
    } else if candidates > 0 && total == 0 {
        hints.push("There are only candidates. A person approves them with `asd recipe approve`.");
    }
    if !search.has_vectors {
        hints.push(
            "No model for semantic search is installed; search works by words and synonyms. \
             `asd embed install` installs one.",
        );
    }
    let session = call.session();
    let degraded = database.is_some() || !unreadable.is_empty();
    let data = json!({
        "status": if degraded { "degraded" } else { "ok" },
        "version": env!("CARGO_PKG_VERSION"),
        "uptime": service.uptime_seconds(),
        "projectRoot": knowledge.project().root(),
        "tier": call.caller.tier.as_str(),
        "role": call.caller.role,
        "ai": {
            "provider": search.embedder,
            "semantic": search.has_vectors,
        },
        "checks": {
            "database": database.is_none(),
            "gateway": true,
            "vectorStore": search.has_vectors,
            "files": unreadable.is_empty(),
        },
        "knowledgeBase": {
            "recipes": {
                "total": total,
                "active": in_state(Lifecycle::Active),
                "rules": of_kind(Kind::Rule),
                "patterns": of_kind(Kind::Pattern),
                "facts": of_kind(Kind::Fact),
            },
            "candidates": {
                "total": candidates,
                "pending": in_state(Lifecycle::Pending),
                "staging": in_state(Lifecycle::Staging),
            },
            "decaying": in_state(Lifecycle::Decaying),
            "vectorIndex": {
                "documents": search.documents,
                "embedded": search.embedded,
            },
        },
        "session": {
            "id": session.id,
            "startedAt": session.started_at,
            "toolCallCount": session.tool_call_count,
            "intentPhase": session.intent.phase,
        },
        "issues": issues,
        "actionHints": hints,
    });
    Reply::new(
        format!("{total} recipes and {candidates} candidates."),
        data,
    )
}
