use asd_text::Span;
use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One unit of project knowledge. (knowledge.md §2)
///
/// A recipe that was written by hand may hold little more than a trigger, a
/// title, a `do` and a guard; every other field then has its default.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Recipe {
    /// UUID v4; `None` until the project is synchronised.
    pub id: Option<String>,
    /// What it is about, in a few words.
    pub title: String,
    /// One sentence.
    pub description: String,
    /// The unique name, as written, with its `@`.
    pub trigger: String,
    /// Rule, pattern or fact.
    pub kind: Kind,
    /// The finer kind, for example `code-pattern`. (knowledge.md §3)
    pub knowledge_type: String,
    /// The language as written; compare through [`crate::canonical_language`].
    pub language: String,
    /// The category as written.
    pub category: String,
    /// The dimension that it belongs to.
    pub dimension_id: Option<String>,
    /// `networking`, `ui`, `data`, `architecture` or `conventions`.
    pub topic_hint: Option<String>,
    /// How far it reaches.
    pub scope: Scope,
    /// `basic`, `intermediate` or `advanced`.
    pub complexity: String,
    /// `beginner` to `expert`.
    pub difficulty: Option<String>,
    /// Free words.
    pub tags: Vec<String>,
    /// Owning module or target.
    pub module_name: Option<String>,
    /// The situation in which it applies.
    pub when_clause: String,
    /// What to do, imperative.
    pub do_clause: String,
    /// What not to do, without a leading "Don't".
    pub dont_clause: String,
    /// The skeleton to copy.
    pub core_code: Option<Code>,
    /// Full import lines.
    pub headers: Vec<String>,
    /// Files behind the imports.
    pub header_paths: Vec<String>,
    /// Whether inserting the skeleton brings the imports.
    pub include_headers: bool,
    /// Markdown with `###` sections.
    pub usage_guide: String,
    /// The prose.
    pub content: Content,
    /// Guards and other limits.
    pub constraints: Constraints,
    /// Why it is so, and where it was seen.
    pub reasoning: Reasoning,
    /// Relations to other recipes, by kind.
    pub relations: IndexMap<RelationKind, Vec<Relation>>,
    /// Where it stands in its life.
    pub lifecycle: Lifecycle,
    /// Its last moves, oldest first.
    pub lifecycle_history: Vec<LifecycleEvent>,
    /// Whether it may be approved without a person.
    pub auto_approvable: bool,
    /// Unix seconds at which staging ends.
    pub staging_deadline: Option<i64>,
    /// Who submitted it: `manual`, `mcp`, `bootstrap`, …
    pub source: String,
    /// Other provenance and notes (`createdBy`, `reviewedAt`, `agentNotes`, …)
    /// and every key that the format does not know, as they stand in the file.
    pub extra: IndexMap<String, serde_json::Value>,
    /// Unix seconds.
    pub created_at: Option<i64>,
    /// Unix seconds.
    pub updated_at: Option<i64>,
    /// The content hash that the file states. (knowledge.md §4)
    pub hash: Option<String>,
}

/// The three kinds of knowledge.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// Must be kept.
    Rule,
    /// A way of doing something.
    #[default]
    Pattern,
    /// Something that is so.
    Fact,
}

/// How far a recipe reaches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Scope {
    /// Everywhere.
    #[default]
    Universal,
    /// This project.
    ProjectSpecific,
    /// One language.
    LanguageSpecific,
    /// An agreement of the team.
    TeamConvention,
}

/// Where a recipe stands. (knowledge.md §6)
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Lifecycle {
    /// Awaits review.
    #[default]
    Pending,
    /// In its grace period.
    Staging,
    /// Verified.
    Active,
    /// A change is proposed.
    Evolving,
    /// Fading.
    Decaying,
    /// Retired.
    Deprecated,
}

impl Lifecycle {
    /// Whether guards of a recipe in this state are checked.
    #[must_use]
    pub const fn guards_apply(self) -> bool {
        matches!(
            self,
            Self::Staging | Self::Active | Self::Evolving | Self::Decaying
        )
    }
}

/// One past move of a recipe.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LifecycleEvent {
    /// The state before.
    pub from: Lifecycle,
    /// The state after.
    pub to: Lifecycle,
    /// Unix seconds.
    pub at: i64,
    /// Who.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// Why.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// How bad something is. The order is that of weight.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Worth knowing.
    Info,
    /// Should be mended.
    #[default]
    Warning,
    /// Must be mended.
    Error,
}

impl Severity {
    /// `info`, `warning` or `error`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Info => "info",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

/// A piece of code from the body of a recipe.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Code {
    /// The language of its fence, as written; empty when none was stated.
    pub language: String,
    /// The code without the fence.
    pub text: String,
    /// Where the code stands in the file.
    #[serde(skip)]
    pub span: Span,
}

/// The prose of a recipe.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Content {
    /// `## Description`, text before the first heading, and unknown sections.
    pub markdown: String,
    /// `## Rationale`
    pub rationale: String,
    /// `## Pattern`
    pub pattern: String,
    /// `## Steps`
    pub steps: Vec<Step>,
    /// `## Changes`
    pub code_changes: Vec<CodeChange>,
    /// `## Verification`
    pub verification: Option<Verification>,
}

/// One step of a procedure.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct Step {
    /// What is done.
    pub title: String,
    /// How.
    pub description: String,
    /// With what code.
    pub code: String,
}

/// A change from one piece of code to another.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct CodeChange {
    /// In which file.
    pub file: String,
    /// The code before.
    pub before: String,
    /// The code after.
    pub after: String,
    /// Why.
    pub explanation: String,
}

/// How to see that it was done right.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct Verification {
    /// What to do.
    pub method: String,
    /// What must come out.
    pub expected_result: String,
    /// A test that shows it.
    pub test_code: String,
}

/// What a recipe forbids or demands.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Constraints {
    /// The machine-checkable ones.
    pub guards: Vec<Guard>,
    /// Where it ends to apply.
    pub boundaries: Vec<String>,
    /// What must hold before.
    pub preconditions: Vec<String>,
    /// What else happens.
    pub side_effects: Vec<String>,
    /// Keys that the format does not know, as they stand in the file.
    #[serde(flatten)]
    pub extra: IndexMap<String, serde_json::Value>,
}

/// Why a recipe is as it is.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Reasoning {
    /// Why it is the standard here.
    pub why_standard: String,
    /// Where it was seen.
    pub sources: Vec<SourceRef>,
    /// 0 to 1; 0.7 unless stated.
    pub confidence: Option<f64>,
    /// Free numbers.
    pub quality_signals: IndexMap<String, serde_json::Value>,
    /// Other ways that were weighed.
    pub alternatives: Vec<String>,
    /// Keys that the format does not know, as they stand in the file.
    #[serde(flatten)]
    pub extra: IndexMap<String, serde_json::Value>,
}

/// A place in the project: `src/net/retry.rs`, `….rs:10` or `….rs:10-48`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct SourceRef {
    /// Project-relative path with `/`.
    pub path: String,
    /// First and last line, counted from 1.
    pub lines: Option<(u32, u32)>,
    /// Where the reference stands in the recipe file.
    #[serde(skip)]
    pub span: Span,
}

/// The fourteen kinds of relations between recipes. (knowledge.md §10)
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    JsonSchema,
)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "the names are the spec's own terms")]
pub enum RelationKind {
    Inherits,
    Implements,
    Calls,
    DependsOn,
    DataFlow,
    Conflicts,
    Extends,
    #[default]
    Related,
    Alternative,
    Prerequisite,
    DeprecatedBy,
    Solves,
    Enforces,
    References,
}

/// One relation of a recipe to another.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Relation {
    /// Id, `@trigger` or exact title.
    pub target: String,
    /// What it means.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Where the target stands in the recipe file.
    #[serde(skip)]
    pub span: Span,
}

/// A machine-checkable constraint. (knowledge.md §2.4, guard.md §6)
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Guard {
    /// Its rule id: as stated, else the trigger without `@`, with `-<n>`
    /// (counted from 1) when the recipe has several guards.
    pub id: String,
    /// What is looked for.
    pub kind: GuardKind,
    /// What is wrong; defaults to the recipe's description, then its title.
    pub message: String,
    /// How bad it is.
    pub severity: Severity,
    /// Advice in prose; defaults to the do clause.
    pub fix_suggestion: String,
    /// The machine fix.
    pub fix: Option<FixTemplate>,
    /// Canonical language ids; empty for every language. Names that are not
    /// known are kept as written.
    pub languages: Vec<String>,
    /// Globs; when not empty, only files that match one are checked.
    pub include_paths: Vec<String>,
    /// Globs; files that match one are not checked.
    pub exclude_paths: Vec<String>,
    /// Regexes; a finding on a line that matches one is dropped.
    pub exclude_line: Vec<String>,
    /// Code that the guard must match.
    pub positive_examples: Vec<String>,
    /// Code that the guard must not match.
    pub negative_examples: Vec<String>,
    /// Keys that the format does not know, as they stand in the file.
    #[serde(flatten)]
    pub extra: IndexMap<String, serde_json::Value>,
    /// Where its parts stand in the file.
    #[serde(skip)]
    pub spans: GuardSpans,
}

/// What a guard looks for.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase", tag = "type")]
pub enum GuardKind {
    /// A regular expression.
    Regex {
        /// The expression.
        pattern: String,
        /// Letters of `i`, `m`, `s`, `x`, `u`, as in an inline group.
        flags: String,
        /// Which part of the text is matched.
        #[serde(rename = "matchIn")]
        match_in: MatchIn,
        /// Matched against the whole file rather than line by line.
        multiline: bool,
    },
    /// Something on the syntax tree.
    Ast(AstGuard),
}

/// The ways to look for something on the syntax tree.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase", tag = "form")]
pub enum AstGuard {
    /// An ast-grep code pattern.
    Pattern {
        /// The pattern.
        pattern: String,
    },
    /// An ast-grep rule object.
    Rule {
        /// `rule`
        rule: serde_json::Value,
        /// `constraints`
        constraints: Option<serde_json::Value>,
        /// `utils`
        utils: Option<serde_json::Value>,
    },
    /// Every call of `target_api` must lie in `wrapper_class`.
    #[serde(rename_all = "camelCase")]
    MustCallThrough {
        /// The API, for example `URLSession.shared.dataTask`.
        target_api: String,
        /// The class that may call it.
        wrapper_class: String,
    },
    /// `pattern` must not stand in a function or type of that kind.
    #[serde(rename_all = "camelCase")]
    MustNotUseInContext {
        /// An ast-grep code pattern.
        pattern: String,
        /// `async`, `loop`, `constructor`, `destructor`, `test`,
        /// `class:<glob>` or `function:<glob>`.
        forbidden_context: String,
    },
    /// Classes of that name must conform to the protocol.
    #[serde(rename_all = "camelCase")]
    MustConformToProtocol {
        /// A glob over class names.
        class_name: String,
        /// The protocol, interface or base class.
        protocol_name: String,
    },
    /// A tree-sitter query.
    Query {
        /// The S-expression.
        query: String,
        /// The capture that is the violation; every capture when `None`.
        capture: Option<String>,
    },
}

/// Which part of a file a regex guard sees.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum MatchIn {
    /// Everything but comments and string literals.
    #[default]
    Code,
    /// Everything.
    Text,
    /// Comments only.
    Comments,
    /// String literals only.
    Strings,
}

/// A machine fix. (guard.md §6.1)
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct FixTemplate {
    /// What is done with the template.
    pub kind: FixKind,
    /// Text with `$0`, `$1` … `$9`, `${name}`, or the pattern's metavariables.
    pub template: String,
    /// Whether it may be applied in bulk without a look.
    pub safe: bool,
}

/// What a fix does with its text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FixKind {
    /// In the place of the match.
    #[default]
    Replace,
    /// In front of the match.
    InsertBefore,
    /// Behind the match.
    InsertAfter,
    /// Nothing in the place of the match.
    Remove,
}

/// Where the parts of a guard stand in the recipe file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GuardSpans {
    /// The whole entry.
    pub whole: Span,
    /// The value that is matched (`pattern`, `ast`, `rule`, `astQuery`), with
    /// its quotes.
    pub pattern: Span,
    /// For a plain or quoted one-line scalar: where its first character
    /// stands, so that an offset in the pattern can be shown in the file.
    /// `None` when escapes or folding make the two differ.
    pub pattern_text: Option<usize>,
    /// The value of `fix`.
    pub fix: Option<Span>,
    /// The value of `severity`.
    pub severity: Option<Span>,
}

/// What an example in a recipe shows. (editor.md §5)
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ExampleKind {
    /// A guard must fire in it.
    Bad,
    /// No guard may fire in it.
    Good,
    /// What the preceding bad example becomes.
    Fixed,
}

/// A fenced block that is the recipe's own test.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Example {
    /// What it shows.
    pub kind: ExampleKind,
    /// The guard that is meant, when one is named.
    pub guard: Option<String>,
    /// The language of the fence, as written.
    pub language: String,
    /// The code without the fence.
    pub text: String,
    /// Where the code stands in the file.
    #[serde(skip)]
    pub span: Span,
    /// Where the fence's info string stands in the file.
    #[serde(skip)]
    pub info_span: Span,
}
