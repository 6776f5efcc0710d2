use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use asd_recipe::{Example, Problem, Recipe};
use asd_syntax::{Language, Tree};
use asd_text::{Span, TextEdit};

use crate::{Cancelled, FileReport, Finding, GuardOptions, RuleInfo, RuleProblem};

/// All rules of a project, compiled. Immutable; cloning is cheap.
#[derive(Clone, Default)]
pub struct RuleSet {
    rules: Arc<[Arc<RuleInfo>]>,
}

/// A text to be checked.
#[derive(Clone, Debug)]
pub struct Target<'a> {
    /// Project-relative path with `/`; `None` for a text without one, which
    /// then is in the scope of no rule that names paths.
    pub path: Option<&'a str>,
    /// The whole text.
    pub text: &'a str,
    /// Its language.
    pub language: Language,
    /// A tree of an earlier version that was told of all edits since.
    pub previous: Option<Tree>,
}

/// What became of a text by fixing it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FixOutcome {
    /// The text after all rounds.
    pub text: String,
    /// The same as edits of the text before, as small as they can be.
    pub edits: Vec<TextEdit>,
    /// How many fixes were applied, by rule id.
    pub applied: Vec<(String, usize)>,
}

impl RuleSet {
    /// Compiles the guards of `recipes` (each with its project-relative path)
    /// and the built-in rules. One bad guard never takes another down: it is
    /// reported and left out. What `previous` has compiled already is reused.
    #[must_use]
    pub fn build(
        _recipes: &[(Arc<str>, Arc<Recipe>)],
        _options: &GuardOptions,
        _previous: Option<&Self>,
    ) -> (Self, Vec<RuleProblem>) {
        (Self::default(), Vec::new())
    }

    /// The rules in force, by id.
    #[must_use]
    pub fn rules(&self) -> &[Arc<RuleInfo>] {
        &self.rules
    }

    /// A hash of everything that decides what a check says; equal sets have
    /// equal hashes on every machine.
    #[must_use]
    pub fn hash(&self) -> u64 {
        0
    }

    /// Checks one text.
    ///
    /// # Errors
    /// [`Cancelled`] soon after `cancel` was set.
    pub fn check(
        &self,
        _target: &Target<'_>,
        _cancel: &AtomicBool,
    ) -> Result<FileReport, Cancelled> {
        Ok(FileReport::default())
    }

    /// Applies the fixes of all findings that `select` takes: outermost first
    /// where they overlap, again until nothing is left to do, ten rounds at
    /// most. A second call on its result changes nothing.
    ///
    /// # Errors
    /// [`Cancelled`] soon after `cancel` was set.
    pub fn fix_all(
        &self,
        target: &Target<'_>,
        _select: &dyn Fn(&Finding) -> bool,
        _cancel: &AtomicBool,
    ) -> Result<FixOutcome, Cancelled> {
        Ok(FixOutcome {
            text: target.text.to_owned(),
            ..FixOutcome::default()
        })
    }

    /// Runs the examples of a recipe, and the positive and negative examples of
    /// its guards, against its guards; says which do not hold. (editor.md §5)
    #[must_use]
    pub fn check_examples(&self, _recipe: &Recipe, _examples: &[Example]) -> Vec<Problem> {
        Vec::new()
    }
}

/// Where a suppression comment takes effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SuppressionScope {
    /// `asd:ignore`, on the finding's line or the line before.
    Line,
    /// `asd:ignore-file`, within the first 20 lines.
    File,
}

/// The edit that suppresses a rule at a finding's place, in the comment syntax
/// that is valid there; merged into a suppression comment that is there
/// already. `None` where the language has no comments or the rule is
/// suppressed already.
#[must_use]
pub fn suppression_edit(
    _language: Language,
    _text: &str,
    _finding: Span,
    _rule_id: &str,
    _scope: SuppressionScope,
) -> Option<TextEdit> {
    None
}

/// What a directive comment asks for. (guard.md §15)
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DirectiveKind {
    /// `as:search`, `as:s`
    Search,
    /// `as:create`, `as:c`
    Create,
    /// `as:audit`, `as:a`
    Audit,
    /// `as:agent`
    Agent,
}

/// A directive comment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Directive {
    /// What it asks for.
    pub kind: DirectiveKind,
    /// What follows the keyword, trimmed.
    pub argument: String,
    /// The keyword and its argument.
    pub span: Span,
}

/// The directive comments of a text.
#[must_use]
pub fn directives(_language: Language, _text: &str) -> Vec<Directive> {
    Vec::new()
}
