use std::sync::Arc;

use asd_recipe::{Problem, Severity, SourceRef};
use asd_text::Span;
use serde::{Deserialize, Serialize};

/// The four layers of the engine. (guard.md §2)
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Layer {
    /// L1: one token or expression.
    Regex,
    /// L2: what belongs together over several lines.
    CodeLevel,
    /// L3: the syntax tree.
    Ast,
    /// L4: several files.
    CrossFile,
}

/// What everyone may know of a rule without running it.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RuleInfo {
    /// Its id, unique in a rule set.
    pub id: String,
    /// The layer that decides it.
    pub layer: Layer,
    /// Its severity after overrides and lifecycle.
    pub severity: Severity,
    /// Canonical language ids; empty for every language.
    pub languages: Vec<String>,
    /// For example `correctness`, `safety`, `style`, `performance`; for a
    /// recipe's guard, the recipe's category.
    pub category: String,
    /// What is wrong, in one sentence.
    pub message: String,
    /// What to do, in one sentence; may be empty.
    pub fix_suggestion: String,
    /// Why it matters; may be empty.
    pub why: String,
    /// Whether its findings can carry a machine fix.
    pub fixable: bool,
    /// How a finding should be drawn.
    pub tag: Option<RuleTag>,
    /// Who made it.
    pub origin: RuleOrigin,
}

/// How an editor should draw a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum RuleTag {
    /// Faded out.
    Unnecessary,
    /// Struck through.
    Deprecated,
}

/// Who made a rule; earlier ones win over later ones with the same id.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "lowercase", tag = "source")]
pub enum RuleOrigin {
    /// A guard of a recipe.
    Recipe(Arc<RecipeRef>),
    /// A framework pack of that name.
    Pack {
        /// The pack.
        name: String,
    },
    /// Part of the product.
    #[serde(rename = "builtin")]
    BuiltIn,
}

/// What a finding shows of the recipe that its rule comes from.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RecipeRef {
    /// The recipe file, project-relative with `/`.
    pub path: String,
    /// The recipe's id, when it has one.
    pub id: Option<String>,
    /// The trigger with its `@`.
    pub trigger: String,
    /// The title.
    pub title: String,
    /// What to do.
    pub do_clause: String,
    /// What not to do.
    pub dont_clause: String,
    /// Where the code was seen.
    pub sources: Vec<SourceRef>,
    /// The guard's entry in the recipe file.
    #[serde(skip)]
    pub guard_span: Span,
}

/// A guard that is not in force, or only in part, with the place in its recipe.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleProblem {
    /// The rule's id.
    pub rule_id: String,
    /// The recipe file, project-relative with `/`.
    pub recipe_path: String,
    /// What is wrong and where.
    pub problem: Problem,
}
