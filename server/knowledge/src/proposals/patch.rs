//! Changes of an entry's content, with the way back.

use asd_recipe::{Code, Recipe, SourceRef};
use indexmap::IndexMap;
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;
use thiserror::Error;

/// What one step does with a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PatchOpKind {
    /// The value takes the place of the old one.
    Set,
    /// The value comes behind what is there.
    Append,
    /// The value takes the place of `old` within what is there.
    Replace,
}

/// One step of a change.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PatchOp {
    /// One of [`PATCHABLE`].
    pub field: String,
    /// What is done.
    pub op: PatchOpKind,
    /// A text; for lists a text or a list of texts.
    pub value: Json,
    /// For `replace`: what is replaced.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub old: Option<String>,
}

/// The values of the changed fields before the change; `null` for one that was
/// not there.
pub type Snapshot = IndexMap<String, Json>;

/// The fields that a proposal may change.
pub const PATCHABLE: [&str; 8] = [
    "coreCode",
    "doClause",
    "dontClause",
    "whenClause",
    "content.markdown",
    "content.rationale",
    "reasoning.sources",
    "headers",
];

/// Why a change cannot be made; nothing is changed then.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum PatchRefusal {
    /// The field is not one that proposals may change.
    #[error("`{field}` cannot be changed by a proposal; possible are {}", PATCHABLE.join(", "))]
    Field {
        /// The field.
        field: String,
    },
    /// The value has the wrong type.
    #[error("the value for `{field}` must be {wanted}")]
    Value {
        /// The field.
        field: String,
        /// What it must be.
        wanted: &'static str,
    },
    /// A replacement without the text to replace.
    #[error("a `replace` of `{field}` needs the `old` text")]
    WithoutOld {
        /// The field.
        field: String,
    },
    /// The text to replace is not there, or not there any more.
    #[error("`{field}` does not hold the text that was to be replaced")]
    Gone {
        /// The field.
        field: String,
    },
    /// The outcome is not a valid entry.
    #[error("the changed entry breaks a rule: {}", .messages.join("; "))]
    Invalid {
        /// What is wrong with the changed entry.
        messages: Vec<String>,
    },
}

/// Reads a change as agents write it: a list of `{field, op, value, old?}`, one
/// of these, a map of fields to their new values, or any of them as JSON in a
/// text. Fields are known under their short names (`do`, `when`, `dont`) and
/// their snake_case twins too.
///
/// # Errors
/// A message for the agent when it is none of these.
pub fn read_patch(changes: &Json) -> Result<Vec<PatchOp>, String> {
    const FORM: &str = "changes are a list of {field, op: set|append|replace, value, old?}";
    match changes {
        Json::String(text) => {
            let inner: Json = serde_json::from_str(text).map_err(|_| FORM.to_owned())?;
            if inner.is_string() {
                return Err(FORM.into());
            }
            read_patch(&inner)
        }
        Json::Array(steps) => steps.iter().map(read_step).collect(),
        Json::Object(map) if map.contains_key("field") => Ok(vec![read_step(changes)?]),
        Json::Object(map) => {
            let steps = map.iter().map(|(field, value)| PatchOp {
                field: field_name(field),
                op: PatchOpKind::Set,
                value: value.clone(),
                old: None,
            });
            Ok(steps.collect())
        }
        _ => Err(FORM.into()),
    }
}

fn read_step(step: &Json) -> Result<PatchOp, String> {
    let mut step = step.clone();
    if let Some(map) = step.as_object_mut()
        && !map.contains_key("op")
    {
        map.insert("op".into(), "set".into());
    }
    let mut step: PatchOp =
        serde_json::from_value(step).map_err(|error| format!("this is no change: {error}"))?;
    step.field = field_name(&step.field);
    Ok(step)
}

/// A patchable field by any of its names; other names as they are.
fn field_name(name: &str) -> String {
    let bare = |name: &str| name.replace('_', "").to_lowercase();
    let wanted = bare(name);
    let found = PATCHABLE.iter().find(|field| {
        let field = bare(field);
        field == wanted
            || field.strip_suffix("clause") == Some(&wanted)
            || field.rsplit('.').next() == Some(&wanted)
    });
    found.map_or_else(|| name.to_owned(), |field| (*field).to_owned())
}

/// An entry with its change.
#[derive(Clone, Debug, PartialEq)]
pub struct Patched {
    /// The changed entry.
    pub recipe: Recipe,
    /// What its changed fields held before.
    pub snapshot: Snapshot,
}

/// Makes all steps of a change, or none.
///
/// # Errors
/// [`PatchRefusal`] for the first step that cannot be made.
pub fn apply_patch(recipe: &Recipe, patch: &[PatchOp]) -> Result<Patched, PatchRefusal> {
    let mut changed = recipe.clone();
    let mut snapshot = Snapshot::new();
    for step in patch {
        let field = step.field.as_str();
        let Some(before) = value_of(&changed, field) else {
            return Err(PatchRefusal::Field {
                field: field.to_owned(),
            });
        };
        snapshot
            .entry(field.to_owned())
            .or_insert_with(|| before.clone());
        let after = match before {
            Json::Array(items) => list(step, &items)?,
            text => Json::from(text_after(step, text.as_str().unwrap_or_default())?),
        };
        set(&mut changed, field, &after);
    }
    Ok(Patched {
        recipe: changed,
        snapshot,
    })
}

/// Makes a change and has the outcome checked: `errors` gives what is wrong
/// with the changed entry. When something is, the change is taken back.
///
/// # Errors
/// [`PatchRefusal`] when a step cannot be made or the outcome is not valid.
pub fn execute_patch(
    recipe: &Recipe,
    patch: &[PatchOp],
    errors: impl FnOnce(&Recipe) -> Vec<String>,
) -> Result<Patched, PatchRefusal> {
    let patched = apply_patch(recipe, patch)?;
    let messages = errors(&patched.recipe);
    if messages.is_empty() {
        Ok(patched)
    } else {
        Err(PatchRefusal::Invalid { messages })
    }
}

/// Puts the values of a snapshot back.
pub fn roll_back(recipe: &mut Recipe, snapshot: &Snapshot) {
    for (field, value) in snapshot {
        set(recipe, field, value);
    }
}

/// What a field holds: a text, a list of texts, or null. `None` for a field
/// that proposals may not change.
fn value_of(recipe: &Recipe, field: &str) -> Option<Json> {
    Some(match field {
        "coreCode" => recipe
            .core_code
            .as_ref()
            .map_or(Json::Null, |code| Json::from(code.text.as_str())),
        "doClause" => Json::from(recipe.do_clause.as_str()),
        "dontClause" => Json::from(recipe.dont_clause.as_str()),
        "whenClause" => Json::from(recipe.when_clause.as_str()),
        "content.markdown" => Json::from(recipe.content.markdown.as_str()),
        "content.rationale" => Json::from(recipe.content.rationale.as_str()),
        "reasoning.sources" => {
            let sources = recipe.reasoning.sources.iter();
            sources
                .map(|source| Json::from(source.to_string()))
                .collect()
        }
        "headers" => recipe.headers.iter().cloned().map(Json::from).collect(),
        _ => return None,
    })
}

fn set(recipe: &mut Recipe, field: &str, value: &Json) {
    let text = || value.as_str().unwrap_or_default().to_owned();
    let items = || {
        let items = value.as_array().into_iter().flatten();
        items.filter_map(Json::as_str)
    };
    match field {
        "coreCode" => match (&mut recipe.core_code, value.as_str()) {
            (Some(code), Some(text)) => text.clone_into(&mut code.text),
            (slot @ None, Some(text)) => {
                *slot = Some(Code {
                    language: recipe.language.clone(),
                    text: text.to_owned(),
                    ..Code::default()
                });
            }
            (slot, None) => *slot = None,
        },
        "doClause" => recipe.do_clause = text(),
        "dontClause" => recipe.dont_clause = text(),
        "whenClause" => recipe.when_clause = text(),
        "content.markdown" => recipe.content.markdown = text(),
        "content.rationale" => recipe.content.rationale = text(),
        "reasoning.sources" => {
            recipe.reasoning.sources = items().map(SourceRef::parse).collect();
        }
        "headers" => recipe.headers = items().map(str::to_owned).collect(),
        _ => {}
    }
}

fn text_after(step: &PatchOp, before: &str) -> Result<String, PatchRefusal> {
    let value = step.value.as_str().ok_or_else(|| PatchRefusal::Value {
        field: step.field.clone(),
        wanted: "a text",
    })?;
    Ok(match step.op {
        PatchOpKind::Set => value.to_owned(),
        PatchOpKind::Append if before.trim().is_empty() => value.to_owned(),
        PatchOpKind::Append => {
            // Clauses are one line; prose and code go on below.
            let is_clause = step.field.ends_with("Clause");
            let between = match (is_clause, step.field.as_str()) {
                (true, _) => " ",
                (false, "coreCode") => "\n",
                (false, _) => "\n\n",
            };
            format!("{}{between}{value}", before.trim_end())
        }
        PatchOpKind::Replace => {
            let old = old_of(step)?;
            if !before.contains(old) {
                return Err(PatchRefusal::Gone {
                    field: step.field.clone(),
                });
            }
            before.replacen(old, value, 1)
        }
    })
}

fn old_of(step: &PatchOp) -> Result<&str, PatchRefusal> {
    let old = step.old.as_deref().filter(|old| !old.is_empty());
    old.ok_or_else(|| PatchRefusal::WithoutOld {
        field: step.field.clone(),
    })
}

fn list(step: &PatchOp, before: &[Json]) -> Result<Json, PatchRefusal> {
    let wrong = || PatchRefusal::Value {
        field: step.field.clone(),
        wanted: "a text or a list of texts",
    };
    let values: Vec<Json> = match &step.value {
        Json::String(_) => vec![step.value.clone()],
        Json::Array(items) if items.iter().all(Json::is_string) => items.clone(),
        _ => return Err(wrong()),
    };
    let mut after: Vec<Json> = before.to_vec();
    match step.op {
        PatchOpKind::Set => after = values,
        PatchOpKind::Append => {
            for value in values {
                if !after.contains(&value) {
                    after.push(value);
                }
            }
        }
        PatchOpKind::Replace => {
            let old = old_of(step)?;
            let at = after
                .iter()
                .position(|item| item.as_str() == Some(old))
                .ok_or_else(|| PatchRefusal::Gone {
                    field: step.field.clone(),
                })?;
            after.splice(at..=at, values);
        }
    }
    Ok(Json::Array(after))
}
