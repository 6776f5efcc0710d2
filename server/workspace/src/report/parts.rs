use std::borrow::Cow;

use asd_guard::{Layer, RuleInfo, RuleOrigin};
use asd_recipe::Severity;
use asd_text::LineIndex;
use serde::{Deserialize, Serialize};

use super::{Place, Reasoning, snippet, source_of};
use crate::FoundAcross;

/// A fix that a program can apply.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FixEdits {
    /// What it does, as a person reads it.
    pub title: String,
    /// What is replaced, without overlap, in places of the checked text.
    pub edits: Vec<Edit>,
}

/// A place with the text that comes there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Edit {
    /// What is replaced.
    #[serde(flatten)]
    pub place: Place,
    /// The new text.
    pub text: String,
}

/// A rule that found something, so that a report can be read by itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RuleSummary {
    /// Its id.
    pub id: String,
    /// What is wrong, in one sentence.
    pub message: String,
    /// Its severity.
    pub severity: Severity,
    /// Its category.
    pub category: String,
    /// What to do.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub fix_suggestion: String,
    /// Why it matters.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub why: String,
    /// The recipe that it comes from: its id, or its trigger.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recipe_id: Option<String>,
    /// The recipe's title.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recipe_title: Option<String>,
}

impl From<&RuleInfo> for RuleSummary {
    fn from(rule: &RuleInfo) -> Self {
        let recipe = match &rule.origin {
            RuleOrigin::Recipe(recipe) => Some(recipe),
            RuleOrigin::Pack { .. } | RuleOrigin::BuiltIn => None,
        };
        Self {
            id: rule.id.clone(),
            message: rule.message.clone(),
            severity: rule.severity,
            category: rule.category.clone(),
            fix_suggestion: rule.fix_suggestion.clone(),
            why: rule.why.clone(),
            recipe_id: recipe.map(|r| r.id.clone().unwrap_or_else(|| r.trigger.clone())),
            recipe_title: recipe.map(|r| r.title.clone()),
        }
    }
}

/// A violation that lies in several files. (guard.md §2)
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CrossFileViolation {
    /// The rule's id.
    pub rule_id: String,
    /// What is wrong.
    pub message: String,
    /// How bad it is.
    pub severity: Severity,
    /// The layer that found it.
    pub layer: Layer,
    /// `recipe`, `pack` or `builtin`.
    pub source: Cow<'static, str>,
    /// The rule's category.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub category: String,
    /// What to do.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub fix_suggestion: String,
    /// Stays the same when lines above change.
    #[serde(default)]
    pub fingerprint: String,
    /// The places, the first one first.
    pub locations: Vec<Location>,
    /// The same for the reader who wants to know why.
    pub reasoning: Reasoning,
}

impl CrossFileViolation {
    /// A finding with its places counted out.
    #[must_use]
    pub fn new(across: &FoundAcross) -> Self {
        let finding = &across.finding;
        let rule = &finding.rule;
        Self {
            rule_id: rule.id.clone(),
            message: finding.message.clone(),
            severity: finding.severity,
            layer: rule.layer,
            source: source_of(rule).into(),
            category: rule.category.clone(),
            fix_suggestion: rule.fix_suggestion.clone(),
            fingerprint: format!("{:016x}", finding.fingerprint),
            locations: finding
                .places
                .iter()
                .zip(&across.texts)
                .map(|(place, text)| {
                    let lines = LineIndex::new(text);
                    Location {
                        file_path: place.path.to_string(),
                        place: Place::of(text, &lines, place.span),
                        snippet: snippet(text, &lines, place.span),
                    }
                })
                .collect(),
            reasoning: Reasoning {
                what_violated: finding.message.clone(),
                why_it_matters: rule.why.clone(),
                suggested_fix: rule.fix_suggestion.clone(),
            },
        }
    }
}

/// One place of a violation that lies in several files.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Location {
    /// Project-relative path with `/`.
    pub file_path: String,
    /// Where in it.
    #[serde(flatten)]
    pub place: Place,
    /// The line, trimmed, at most 120 characters of it.
    pub snippet: String,
}
