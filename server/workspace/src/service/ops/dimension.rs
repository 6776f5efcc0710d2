//! `asd_dimension_complete`: one dimension of the plan was looked at.

use std::collections::{BTreeMap, BTreeSet};

use asd_delivery::{DeliverOptions, NewSkill, create_skill, deliver, list_skills};
use asd_recipe::Recipe;
use serde_json::{Value, json};

use crate::delivery::knowledge_with;
use crate::intelligence::dimensions::{Dimension, dimension};
use crate::intelligence::evidence::evidence;
use crate::intelligence::feedback::{HandedIn, PASS, hints, score};
use crate::intelligence::session::{Checkpoint, LearningSession, change, read};
use crate::service::Service;
use crate::service::call::{Call, Reply};
use crate::service::error::{ErrorCode, ServiceError};
use crate::service::knowledge::Held;

/// An analysis of at least so many characters becomes a skill.
const LEAST_SKILL: usize = 100;
/// A shorter one is filled up from the recipes.
const FULL_SKILL: usize = 500;
/// How much code of a recipe a skill shows, in characters.
const MOST_CODE: usize = 500;
/// How many hints about files are given.
const MOST_HINTS: usize = 5;

pub(super) fn run(service: &Service, call: &Call<'_>) -> Result<Reply, ServiceError> {
    let id = call.needed("dimensionId")?.trim();
    let analysis = call.needed("analysisText")?;
    let found = dimension(id).ok_or_else(|| unknown_dimension(id))?;
    let project = service.project();
    let session = read(project, call.now)
        .filter(|session| call.text("sessionId").is_none_or(|id| id == session.id))
        .ok_or_else(no_session)?;
    if !session.dimensions.iter().any(|planned| planned == id) {
        return Err(ServiceError::new(
            ErrorCode::ValidationError,
            format!(
                "`{id}` is not part of this session's plan. It has: {}.",
                session.dimensions.join(", ")
            ),
        )
        .with_data(json!({"dimensions": session.dimensions})));
    }

    let ids = call.texts("submittedRecipeIds");
    let mut bound: Vec<Held> = Vec::new();
    let mut rejected: Vec<&String> = Vec::new();
    for id in &ids {
        match service.knowledge.find(id) {
            Some(held) => bound.push(held),
            None => rejected.push(id),
        }
    }
    let mut warnings: Vec<String> = Vec::new();
    if !rejected.is_empty() {
        let names: Vec<&str> = rejected.iter().map(|id| id.as_str()).collect();
        warnings.push(format!("No recipe has the id {}.", names.join(", ")));
    }
    let recipes_bound = bind(service, found, &bound, &mut warnings)?;

    let recipes: Vec<&Recipe> = bound.iter().map(|held| &*held.recipe).collect();
    let referenced = call.texts("referencedFiles");
    let sources = recipes.iter().flat_map(|recipe| &recipe.reasoning.sources);
    let files: BTreeSet<&str> = sources
        .map(|source| source.path.as_str())
        .chain(referenced.iter().map(String::as_str))
        .collect();
    let given = HandedIn {
        analysis,
        recipes: &recipes,
        files: files.len(),
        rejected: rejected.len(),
    };
    let parts = score(&given);
    let total = (parts.total() * 10.0).round() / 10.0;

    let findings = call.texts("keyFindings");
    let skill = if found.dual {
        write_skill(service, found, analysis, &findings, &recipes, &mut warnings)
    } else {
        None
    };

    let hints_of = call
        .arguments
        .get("crossDimensionHints")
        .and_then(Value::as_object);
    let checkpoint = Checkpoint {
        at: call.now,
        analysis: analysis.to_owned(),
        recipe_ids: bound.iter().map(|held| held.key().to_owned()).collect(),
        key_findings: findings,
        referenced_files: referenced.clone(),
        hints: hints_of
            .into_iter()
            .flatten()
            .filter_map(|(id, hint)| Some((id.clone(), hint.as_str()?.to_owned())))
            .collect(),
        score: total,
    };
    let (session, was_done) = change(project, call.now, |session| {
        let before = session.left().is_empty();
        session.completed.insert(id.to_owned(), checkpoint);
        (session.clone(), before)
    })
    .map_err(|error| ServiceError::new(ErrorCode::WriteError, error.to_string()))?
    .ok_or_else(no_session)?;

    let left = session.left();
    let is_complete = left.is_empty();
    if is_complete && !was_done {
        run_delivery(service, &mut warnings);
    }
    let (done, all) = (session.done().len(), session.dimensions.len());
    let data = json!({
        "dimensionId": id,
        "updated": true,
        "skillCreated": skill.is_some(),
        "skill": skill,
        "recipesBound": recipes_bound,
        "progress": format!("{done}/{all}"),
        "completedDimensions": session.done(),
        "remainingDimensions": left,
        "isBootstrapComplete": is_complete,
        "accumulatedHints": accumulated(&session),
        "qualityFeedback": {
            "score": total,
            "pass": total >= PASS,
            "parts": {
                "coverage": parts.coverage,
                "evidence": parts.evidence,
                "diversity": parts.diversity,
                "coherence": (parts.coherence * 10.0).round() / 10.0,
            },
            "notes": hints(&given),
        },
        "evidenceHints": unread(service, found, &files)?,
        "nextActions": next_actions(&session),
    });
    let mut reply = Reply::new(
        if is_complete {
            format!("{}: done, and so is the whole plan.", found.label)
        } else {
            format!("{}: done ({done} of {all}).", found.label)
        },
        data,
    );
    reply.warnings = warnings;
    Ok(reply)
}

/// The error of an id that no dimension has.
pub(super) fn unknown_dimension(id: &str) -> ServiceError {
    let ids = asd_recipe::dimension_ids();
    ServiceError::new(
        ErrorCode::ValidationError,
        format!(
            "There is no dimension `{id}`. The dimensions are: {}.",
            ids.join(", ")
        ),
    )
    .with_data(json!({
        "errors": [{"path": "dimensionId", "message": format!("`{id}` is no dimension.")}],
        "validIds": ids,
    }))
}

fn no_session() -> ServiceError {
    ServiceError::new(
        ErrorCode::SessionNotFound,
        "There is no session to complete a dimension of. Sessions live 24 hours; call \
         asd_bootstrap in a new project, or asd_rescan in one with recipes.",
    )
}

/// Marks recipes as being of a dimension; how many are.
fn bind(
    service: &Service,
    dimension: &Dimension,
    bound: &[Held],
    warnings: &mut Vec<String>,
) -> Result<usize, ServiceError> {
    let tag = format!("dimension:{}", dimension.id);
    let mut paths = Vec::new();
    let mut count = 0;
    for held in bound {
        if held.recipe.tags.contains(&tag) {
            count += 1;
            continue;
        }
        let written = service.knowledge.store.update(held.key(), |recipe| {
            recipe.tags.push(tag.clone());
            Ok(())
        });
        match written {
            Ok(written) => {
                count += 1;
                paths.push(written.path);
                paths.extend(written.moved_from);
            }
            Err(error) => warnings.push(format!("{} was not bound: {error}.", held.key())),
        }
    }
    if !paths.is_empty() {
        service.knowledge.written(&paths);
    }
    Ok(count)
}

/// Writes the skill of a dimension; `None` when there is too little to say, or
/// a person wrote one of that name.
fn write_skill(
    service: &Service,
    dimension: &Dimension,
    analysis: &str,
    findings: &[String],
    recipes: &[&Recipe],
    warnings: &mut Vec<String>,
) -> Option<Value> {
    let content = skill_body(dimension, analysis, findings, recipes);
    if content.chars().count() < LEAST_SKILL {
        return None;
    }
    let project = service.project();
    let name = format!("project-{}", dimension.id);
    let known = list_skills(project).skills;
    let is_a_persons = known.iter().any(|skill| {
        skill.name == name && matches!(skill.created_by.as_str(), "manual" | "user-ai")
    });
    if is_a_persons {
        warnings.push(format!(
            "The skill {name} was written by a person and is left as it is."
        ));
        return None;
    }
    let new = NewSkill {
        name: &name,
        description: &format!(
            "{} of this project. Use before writing or reviewing code here.",
            dimension.label
        ),
        content: &content,
        overwrite: true,
        created_by: "external-ai",
    };
    match create_skill(project, &new) {
        Ok(created) => Some(json!({"name": created.name, "path": created.path})),
        Err(error) => {
            warnings.push(format!(
                "The skill {name} was not written: {}.",
                error.message
            ));
            None
        }
    }
}

/// The analysis, filled up from recipes and findings where it is short.
fn skill_body(
    dimension: &Dimension,
    analysis: &str,
    findings: &[String],
    recipes: &[&Recipe],
) -> String {
    let analysis = analysis.trim();
    let mut body = if analysis.starts_with('#') {
        analysis.to_owned()
    } else {
        format!("# {}\n\n{analysis}", dimension.label)
    };
    if analysis.chars().count() >= FULL_SKILL {
        return body;
    }
    if !findings.is_empty() {
        body.push_str("\n\n## Key findings\n");
        for finding in findings {
            body.push_str("\n- ");
            body.push_str(finding.trim());
        }
    }
    for recipe in recipes {
        body.push_str(&format!("\n\n## {}\n", recipe.title));
        for (label, clause) in [
            ("When", &recipe.when_clause),
            ("Do", &recipe.do_clause),
            ("Do not", &recipe.dont_clause),
        ] {
            if !clause.trim().is_empty() {
                body.push_str(&format!("\n- {label}: {}", clause.trim()));
            }
        }
        if let Some(code) = &recipe.core_code
            && !code.text.trim().is_empty()
        {
            let text: String = code.text.trim_end().chars().take(MOST_CODE).collect();
            body.push_str(&format!("\n\n```{}\n{text}\n```", code.language));
        }
    }
    body
}

fn run_delivery(service: &Service, warnings: &mut Vec<String>) {
    let project = service.project();
    if !project.has_knowledge() {
        return;
    }
    let calls = service
        .code()
        .ok()
        .map(|view| crate::delivery::file_calls(&view.map));
    let delivered = deliver(
        project,
        &knowledge_with(project, calls),
        &DeliverOptions::default(),
    );
    if let Err(error) = delivered {
        warnings.push(format!(
            "The rule files were not written: {error}. Run `asd deliver`."
        ));
    }
}

/// What finished dimensions say of those that are left.
fn accumulated(session: &LearningSession) -> BTreeMap<&str, Vec<Value>> {
    let left: BTreeSet<&str> = session.left().into_iter().collect();
    let mut hints: BTreeMap<&str, Vec<Value>> = BTreeMap::new();
    for (from, checkpoint) in &session.completed {
        for (about, hint) in &checkpoint.hints {
            if left.contains(about.as_str()) {
                hints
                    .entry(about.as_str())
                    .or_default()
                    .push(json!({"from": from, "hint": hint}));
            }
        }
    }
    hints
}

/// Files of the guide that nobody named, worth a look.
fn unread(
    service: &Service,
    dimension: &Dimension,
    files: &BTreeSet<&str>,
) -> Result<Vec<String>, ServiceError> {
    let view = service.code()?;
    let guide = evidence(&view.map, dimension).files;
    Ok(guide
        .into_iter()
        .filter(|path| !files.contains(path.as_str()))
        .take(MOST_HINTS)
        .map(|path| format!("Not referenced yet: {path}"))
        .collect())
}

fn next_actions(session: &LearningSession) -> Vec<Value> {
    match session.left().first() {
        Some(next) => vec![json!({
            "tool": "asd_dimension_complete",
            "args": {"dimensionId": next},
            "reason": format!("Look at `{next}` next: read the files of its guide, submit recipes, then complete it."),
        })],
        None => vec![
            json!({
                "tool": "asd_wiki",
                "args": {"operation": "plan"},
                "reason": "Every dimension is done; write the project's wiki.",
            }),
            json!({
                "tool": "asd_panorama",
                "args": {"operation": "health"},
                "reason": "See how well the project is known now.",
            }),
        ],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_analysis_is_filled_up_from_recipes_and_findings() {
        let architecture = dimension("architecture").unwrap();
        let recipe = Recipe {
            title: "Layers".into(),
            when_clause: "Adding an import".into(),
            do_clause: "Import downward".into(),
            core_code: Some(asd_recipe::Code {
                language: "go".into(),
                text: "x".repeat(900),
                ..Default::default()
            }),
            ..Recipe::default()
        };
        let body = skill_body(
            architecture,
            "Three layers.",
            &["No cycles".into()],
            &[&recipe],
        );
        assert!(
            body.starts_with("# Architecture\n\nThree layers.\n\n## Key findings\n\n- No cycles")
        );
        assert!(
            body.contains(
                "## Layers\n\n- When: Adding an import\n- Do: Import downward\n\n```go\n"
            )
        );
        assert_eq!(body.matches('x').count(), MOST_CODE);
        let long = format!("# Own title\n{}", "a".repeat(600));
        assert_eq!(
            skill_body(architecture, &long, &["No".into()], &[&recipe]),
            long
        );
    }
}
