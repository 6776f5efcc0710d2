use asd_text::{Span, TextEdit};

use crate::Severity;

/// Something that is wrong with a recipe file (or another file that a person
/// writes for Alembic), with its exact place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The bytes of the file that are meant.
    pub span: Span,
    /// How bad it is. `error`: the recipe, or the guard, is not in force.
    pub severity: Severity,
    /// What kind of problem it is; stable.
    pub code: ProblemCode,
    /// What is wrong and what to do, in plain words.
    pub message: String,
    /// A way out that can be applied as it stands.
    pub fix: Option<QuickFix>,
}

/// An edit of the file that solves a [`Problem`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QuickFix {
    /// What the edit does, as a person reads it.
    pub title: String,
    /// The edits; their spans refer to the text that was parsed.
    pub edits: Vec<TextEdit>,
}

/// The kinds of problems, as they are shown in an editor's code column.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ProblemCode {
    /// The file is too large, too deeply nested, or expands without end.
    Hostile,
    /// The front matter is missing or is not YAML.
    FrontMatter,
    /// A key that the format does not know; kept untouched.
    UnknownKey,
    /// A key that occurs twice.
    DuplicateKey,
    /// A value of the wrong type.
    WrongType,
    /// A value that is not in the list of permitted ones.
    InvalidValue,
    /// A field that is needed is not there.
    MissingField,
    /// The trigger is not kebab-case.
    Trigger,
    /// Another recipe has the same trigger.
    DuplicateTrigger,
    /// Another recipe has the same id.
    DuplicateId,
    /// Another recipe has the same title.
    DuplicateTitle,
    /// A guard without anything to match, or with two ways to match.
    Guard,
    /// A regular expression that does not compile.
    InvalidRegex,
    /// A regular expression that needs the slow, backtracking engine.
    SlowRegex,
    /// An ast-grep pattern or rule, or a tree-sitter query, that is not valid.
    InvalidPattern,
    /// A fix template that names something the guard does not capture.
    UnboundCapture,
    /// A file named under `sources` that does not exist.
    MissingSource,
    /// A relation whose target is not known.
    UnknownRelation,
    /// The content-quality rules of knowledge.md §8.
    Quality,
    /// An example in the file that the guards do not agree with.
    Example,
    /// A rule that was stopped because it took too long.
    Quarantined,
    /// A setting of the project's configuration.
    Config,
    /// A suppression comment that suppresses nothing.
    UnusedSuppression,
    /// The code of a recipe names what is defined nowhere any more.
    SymbolMissing,
    /// Nothing that a recipe names is there any more.
    ZeroMatch,
    /// What a recipe names occurs far less than it did.
    MatchRateDrop,
    /// The code of a recipe names what is marked as deprecated.
    ApiDeprecated,
    /// A source of a recipe is gone.
    SourceStale,
    /// A source of a recipe has another path now.
    SourceRenamed,
}

impl ProblemCode {
    /// The code in kebab-case.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Hostile => "hostile-file",
            Self::FrontMatter => "front-matter",
            Self::UnknownKey => "unknown-key",
            Self::DuplicateKey => "duplicate-key",
            Self::WrongType => "wrong-type",
            Self::InvalidValue => "invalid-value",
            Self::MissingField => "missing-field",
            Self::Trigger => "trigger-form",
            Self::DuplicateTrigger => "duplicate-trigger",
            Self::DuplicateId => "duplicate-id",
            Self::DuplicateTitle => "duplicate-title",
            Self::Guard => "guard",
            Self::InvalidRegex => "invalid-regex",
            Self::SlowRegex => "slow-regex",
            Self::InvalidPattern => "invalid-pattern",
            Self::UnboundCapture => "unbound-capture",
            Self::MissingSource => "missing-source",
            Self::UnknownRelation => "unknown-relation",
            Self::Quality => "quality",
            Self::Example => "failing-example",
            Self::Quarantined => "quarantined",
            Self::Config => "config",
            Self::UnusedSuppression => "unused-suppression",
            Self::SymbolMissing => "symbol-missing",
            Self::ZeroMatch => "zero-match",
            Self::MatchRateDrop => "match-rate-drop",
            Self::ApiDeprecated => "api-deprecated",
            Self::SourceStale => "source-ref-stale",
            Self::SourceRenamed => "source-ref-renamed",
        }
    }
}
