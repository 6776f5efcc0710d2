//! What someone submits: read, and checked in three layers before it becomes an
//! entry. (knowledge.md §8; mcp.md, asd_submit_knowledge)

mod fields;
mod known;
mod layers;
#[cfg(test)]
mod tests;

use asd_recipe::{Lifecycle, Recipe, Severity, normalise_trigger, recipe_from_json, trigger_key};
use serde::Serialize;
use serde_json::Value as Json;

pub use fields::{FieldSpec, REQUIRED_FIELDS, missing_message, missing_of};
pub use known::{KnownEntries, code_fingerprint};
pub(crate) use known::{unfenced, without_comments};
pub use layers::{SourceLookup, validate_recipe};

/// What everything in one submission shares.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SubmissionContext {
    /// Where entries come from: `mcp`, `cli`, `http`, `bootstrap`, … It counts
    /// over what an item says.
    pub source: String,
    /// Who submits.
    pub created_by: Option<String>,
    /// The dimension of items that state none.
    pub dimension_id: Option<String>,
    /// On the internal path: what fills an item before it is checked.
    pub fill: Option<Fill>,
}

/// What the product itself knows of the items that it submits.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fill {
    /// For items without a category.
    pub category: String,
    /// For items without a knowledge type.
    pub knowledge_type: String,
    /// For items without a language.
    pub language: String,
}

/// The layer that found something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub enum Layer {
    /// Fields and their types.
    L1,
    /// What the content says.
    L2,
    /// Other entries.
    L3,
}

/// Something that is wrong with an item.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Issue {
    /// Who found it.
    pub layer: Layer,
    /// An error blocks the item.
    pub severity: Severity,
    /// `VALIDATION_ERROR`, `CONFLICT` or `DUPLICATE`.
    pub code: &'static str,
    /// The field that is meant; empty when it is the item as a whole.
    pub field: &'static str,
    /// What is wrong and what to do.
    pub message: String,
}

/// The code of issues about an item itself.
pub const VALIDATION_ERROR: &str = "VALIDATION_ERROR";
/// The code of issues about names that are taken.
pub const CONFLICT: &str = "CONFLICT";
/// The code of issues about content that is there already.
pub const DUPLICATE: &str = "DUPLICATE";

/// An item, read and checked.
#[derive(Clone, Debug, PartialEq)]
pub struct Checked {
    /// The entry that it would become: pending, without an id.
    pub recipe: Recipe,
    /// What is wrong with it, errors first.
    pub issues: Vec<Issue>,
    /// The required fields that are missing.
    pub missing: Vec<&'static str>,
}

impl Checked {
    /// Whether it may become an entry.
    #[must_use]
    pub fn is_accepted(&self) -> bool {
        self.errors().next().is_none()
    }

    /// What blocks it.
    pub fn errors(&self) -> impl Iterator<Item = &Issue> {
        let issues = self.issues.iter();
        issues.filter(|issue| issue.severity == Severity::Error)
    }
}

/// The items of a submission: a list, one object, or either in a JSON string;
/// an item may be a JSON string too.
///
/// # Errors
/// A message for the user when there is no list of 1 to 100 items.
pub fn read_items(items: &Json) -> Result<Vec<Json>, String> {
    const MAX_ITEMS: usize = 100;
    let unpacked = unpack(items)?;
    let list = match unpacked {
        Json::Array(list) => list,
        Json::Object(_) => vec![unpacked],
        _ => return Err("`items` must be a list of objects, each one entry.".into()),
    };
    if list.is_empty() {
        return Err("`items` is empty; give at least one entry.".into());
    }
    if list.len() > MAX_ITEMS {
        return Err(format!(
            "`items` has {} entries; at most {MAX_ITEMS} can be submitted at once.",
            list.len()
        ));
    }
    list.iter().map(unpack).collect()
}

fn unpack(value: &Json) -> Result<Json, String> {
    match value {
        Json::String(text) => serde_json::from_str(text)
            .map_err(|error| format!("`items` is a text that is not JSON: {error}.")),
        other => Ok(other.clone()),
    }
}

/// Reads and checks the items of a submission one after the other. Each is
/// compared with what is known and with the accepted items before it, so that
/// of two with one title the first is accepted.
#[must_use]
pub fn check_items(
    items: &[Json],
    context: &SubmissionContext,
    known: &mut KnownEntries,
    sources: &dyn SourceLookup,
) -> Vec<Checked> {
    items
        .iter()
        .map(|item| {
            let checked = check_item(item, context, known, sources);
            if checked.is_accepted() {
                known.add(&checked.recipe);
            }
            checked
        })
        .collect()
}

/// Reads and checks one item.
#[must_use]
pub fn check_item(
    item: &Json,
    context: &SubmissionContext,
    known: &KnownEntries,
    sources: &dyn SourceLookup,
) -> Checked {
    let mut issues = Vec::new();
    let filled = fields::filled(item, context);
    let Json::Object(_) = filled else {
        issues.push(layers::error(
            "",
            "An item must be an object with the fields of an entry.",
        ));
        return Checked {
            recipe: Recipe::default(),
            issues,
            missing: Vec::new(),
        };
    };
    let missing = fields::missing(&filled);
    if !missing.is_empty() {
        issues.push(layers::error("", missing_message(&missing)));
    }
    issues.extend(fields::wrong_types(&filled));
    let reading = recipe_from_json(&filled);
    issues.extend(layers::reading_issues(&reading));
    let mut recipe = reading.recipe;
    issues.extend(normalised_trigger(&mut recipe));
    own_fields(&mut recipe, context);
    issues.extend(validate_recipe(&recipe, sources));
    issues.extend(known.conflicts(&recipe));
    // An error of the reader and one of a layer may say the same of a field.
    issues.sort_by(|a, b| b.severity.cmp(&a.severity).then(a.layer.cmp(&b.layer)));
    issues.dedup();
    Checked {
        recipe,
        issues,
        missing,
    }
}

/// What keeps an entry from being published, or taken up for review: missing
/// fields, and everything that blocks a submission but names that are taken.
#[must_use]
pub fn publishing_errors(recipe: &Recipe, sources: &dyn SourceLookup) -> Vec<Issue> {
    let missing = missing_of(recipe);
    let missing = (!missing.is_empty()).then(|| layers::error("", missing_message(&missing)));
    let issues = validate_recipe(recipe, sources).into_iter();
    let errors = issues.filter(|issue| issue.severity == Severity::Error);
    missing.into_iter().chain(errors).collect()
}

/// A trigger in another form is normalised, and its author told.
fn normalised_trigger(recipe: &mut Recipe) -> Option<Issue> {
    let written = recipe.trigger.clone();
    if written.trim().is_empty() || asd_recipe::is_canonical_trigger(&written) {
        return None;
    }
    match normalise_trigger(&written) {
        Some(normal) if asd_recipe::is_canonical_trigger(&normal) => {
            let message = format!("The trigger was written as `{normal}`.");
            recipe.trigger = normal;
            Some(layers::warning(Layer::L1, "trigger", message))
        }
        _ => Some(layers::error(
            "trigger",
            format!(
                "`{written}` cannot be made a trigger; write `@` and lower-case words with `-` between them, for example `@net-monitor`."
            ),
        )),
    }
}

/// Fields that the system fills are not taken from an item.
fn own_fields(recipe: &mut Recipe, context: &SubmissionContext) {
    recipe.id = None;
    recipe.lifecycle = Lifecycle::Pending;
    recipe.lifecycle_history.clear();
    recipe.auto_approvable = false;
    recipe.staging_deadline = None;
    recipe.created_at = None;
    recipe.updated_at = None;
    recipe.hash = None;
    if !context.source.is_empty() {
        recipe.source.clone_from(&context.source);
    }
    recipe
        .extra
        .retain(|key, _| fields::SUBMITTED_EXTRAS.contains(&key.as_str()));
    if let Some(by) = &context.created_by {
        recipe.extra.insert("createdBy".into(), by.as_str().into());
    }
    const SYSTEM_TAGS: [&str; 4] = ["dimension:", "bootstrap:", "internal:", "system:"];
    let internal = context.fill.is_some();
    recipe
        .tags
        .retain(|tag| internal || !SYSTEM_TAGS.iter().any(|prefix| tag.starts_with(prefix)));
    if let Some(code) = &mut recipe.core_code
        && code.language.is_empty()
    {
        code.language.clone_from(&recipe.language);
    }
}

/// A trigger like `trigger` that nobody has: `@x-2`, `@x-3`, …
#[must_use]
pub fn free_trigger(trigger: &str, is_taken: impl Fn(&str) -> bool) -> String {
    let base = normalise_trigger(trigger).unwrap_or_else(|| "@entry".into());
    (2..)
        .map(|n| format!("{base}-{n}"))
        .find(|name| !is_taken(&trigger_key(name)))
        .unwrap_or(base)
}
