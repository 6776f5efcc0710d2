//! What is asked of a model.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::item::Item;

/// One request to a model, in the form that every provider takes.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Request {
    /// The model's name at the provider.
    pub model: String,
    /// What the model is told before everything else.
    pub system: String,
    /// The conversation. Calls without a result get one that says so; results
    /// without a call are left out.
    pub items: Vec<Item>,
    /// The tools, in any order; they are sent in a fixed one.
    pub tools: Vec<ToolSpec>,
    /// Whether the model has to use them.
    pub tool_choice: ToolChoice,
    /// How many tokens the answer may have; the model's own limit without.
    pub max_output: Option<u32>,
    /// How free the choice of words is; the provider's default without.
    pub temperature: Option<f64>,
    /// How much the model is to think, where it can be asked.
    pub thinking: Thinking,
    /// Texts that end the answer.
    pub stop: Vec<String>,
    /// The same for all requests of a conversation, where providers ask for a key
    /// to find their cache again.
    pub cache_key: Option<String>,
}

/// A tool as a model sees it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolSpec {
    /// The name: `^[a-z][a-z0-9_]{0,63}$`, and for tools of MCP servers whatever
    /// the server says.
    pub name: String,
    /// What it does and when to use it.
    pub description: String,
    /// JSON Schema of the arguments, an object.
    pub parameters: Value,
    /// Where it comes from.
    #[serde(default)]
    pub group: ToolGroup,
}

impl ToolSpec {
    /// The name in items and events: that of a tool of an MCP server begins with
    /// `mcp__`, the server, and `__`.
    #[must_use]
    pub fn full_name(&self) -> String {
        match &self.group {
            ToolGroup::Mcp(server) => format!("mcp__{server}__{}", self.name),
            ToolGroup::BuiltIn | ToolGroup::Skill => self.name.clone(),
        }
    }
}

/// Where a tool comes from; the order is that of requests.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ToolGroup {
    /// Ours.
    #[default]
    BuiltIn,
    /// A skill.
    Skill,
    /// The MCP server with this name.
    Mcp(String),
}

/// Whether the model has to use tools.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ToolChoice {
    /// As it likes.
    #[default]
    Auto,
    /// Not now.
    None,
    /// At least one.
    Required,
    /// This one, by its full name.
    Tool(String),
}

/// How much a model is to think.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Thinking {
    /// As the provider does it by default.
    #[default]
    Default,
    /// Not at all.
    Off,
    /// A little.
    Low,
    /// Some.
    Medium,
    /// Much.
    High,
}

impl Thinking {
    /// The word that OpenAI-compatible servers know.
    pub(crate) fn effort(self) -> Option<&'static str> {
        match self {
            Self::Default | Self::Off => None,
            Self::Low => Some("low"),
            Self::Medium => Some("medium"),
            Self::High => Some("high"),
        }
    }

    /// Tokens to think in, for providers that count them.
    pub(crate) fn budget(self) -> Option<u32> {
        match self {
            Self::Default => None,
            Self::Off => Some(0),
            Self::Low => Some(2_048),
            Self::Medium => Some(8_192),
            Self::High => Some(24_576),
        }
    }
}
