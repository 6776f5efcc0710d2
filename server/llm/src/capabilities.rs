//! What a model can do. (spec 5.1)

use serde::{Deserialize, Serialize};

use crate::price::Price;

/// What a model can do, and how its provider wants to be spoken to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Capabilities {
    /// Tokens of context, answer included.
    pub window: u32,
    /// Tokens that an answer may have.
    pub max_output: u32,
    /// How it calls tools.
    pub tools: ToolMode,
    /// Whether one answer may hold several calls.
    pub parallel_tools: bool,
    /// Whether it thinks before it answers.
    pub thinking: ThinkingMode,
    /// Whether it sees images.
    pub images: bool,
    /// How its input is cached.
    pub cache: CacheMode,
    /// Where the system prompt goes.
    pub system_role: SystemRole,
    /// How tools are described.
    pub schema: SchemaDialect,
    /// What names tools may have.
    pub name_rule: NameRule,
    /// Whether reasoning has to come back with the calls that it led to.
    pub echo_reasoning: bool,
    /// Whether it runs on the user's machine, so that it may be slow to begin.
    pub local: bool,
    /// What it costs; `None` when nobody said.
    pub price: Option<Price>,
}

/// How a model calls tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ToolMode {
    /// By the provider's own format.
    Native,
    /// By text in the answer.
    Text,
    /// Not at all.
    None,
}

/// Whether a model thinks before it answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ThinkingMode {
    /// It does not, or nothing can be said about how.
    None,
    /// It can be asked to think little or much.
    Effort,
    /// It can be given a number of tokens to think in.
    Budget,
    /// It decides by itself how much, within an effort.
    Adaptive,
}

/// How input is cached.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CacheMode {
    /// It is not.
    None,
    /// By the provider, as it sees fit.
    Automatic,
    /// Up to the marks that the request sets.
    Explicit,
}

/// Where the system prompt goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SystemRole {
    /// Into a message of the role `system`.
    System,
    /// Into a message of the role `developer`.
    Developer,
    /// Into a member of its own.
    Separate,
    /// Into the first message of the user.
    User,
}

/// How tools are described.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SchemaDialect {
    /// Functions with JSON Schema.
    OpenAi,
    /// The same with every property required.
    OpenAiStrict,
    /// JSON Schema without `anyOf` at the top.
    Anthropic,
    /// The subset of OpenAPI that Gemini takes.
    Gemini,
    /// In the system prompt.
    Text,
}

/// What names tools may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum NameRule {
    /// Letters, digits, `_` and `-`, at most 64.
    Dashes,
    /// The same with `.` and `:`, and a letter or `_` first.
    Dotted,
}

impl NameRule {
    /// Whether a char may stand in a name.
    #[must_use]
    pub fn allows(self, c: char) -> bool {
        c.is_ascii_alphanumeric()
            || matches!(c, '_' | '-')
            || self == Self::Dotted && matches!(c, '.' | ':')
    }
}
