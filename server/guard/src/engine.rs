use std::sync::atomic::AtomicBool;

use asd_recipe::{Example, Problem, Recipe};
use asd_syntax::Language;
use asd_text::{Span, TextEdit};

use crate::{Cancelled, Finding, RuleSet, Target};

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
