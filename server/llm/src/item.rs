//! Items: what a conversation is made of, whoever the provider is. (spec 2.2)

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// One item of a conversation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Item {
    /// Where its text comes from. It never changes, and decides what the text
    /// may cause.
    pub origin: Origin,
    /// What it is.
    #[serde(flatten)]
    pub kind: ItemKind,
}

/// Who made a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Origin {
    /// The user.
    User,
    /// The model.
    Model,
    /// The kernel of the agent.
    Kernel,
    /// A tool.
    Tool,
    /// A file.
    File,
    /// A web page.
    Web,
    /// A tool of an MCP server.
    Mcp,
    /// A sub-agent.
    Subagent,
}

/// What an item is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum ItemKind {
    /// What the user said.
    User {
        /// Text and images.
        content: Vec<Part>,
    },
    /// What the model said.
    AssistantText {
        /// The text.
        text: String,
        /// Whether the stream was cut before the end.
        #[serde(default)]
        interrupted: bool,
    },
    /// What the model thought.
    Thinking {
        /// The text; empty when it is hidden.
        text: String,
        /// What the provider wants back. It belongs to this text; when the text is
        /// empty, to the item that follows.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        signature: Option<String>,
        /// Who thought it. Nobody else gets it back.
        model: ModelRef,
    },
    /// A tool that the model wants to use.
    ToolCall {
        /// Pairs it with its result.
        id: String,
        /// The tool's full name.
        name: String,
        /// The arguments.
        arguments: Map<String, Value>,
    },
    /// What a tool gave.
    ToolResult {
        /// The id of the call.
        id: String,
        /// The tool's full name.
        name: String,
        /// Text and images.
        content: Vec<Part>,
        /// Whether the call failed.
        #[serde(default)]
        is_error: bool,
    },
    /// What stands for older items that were left out.
    Summary {
        /// The text.
        text: String,
    },
    /// A note of the kernel at a pause.
    CheckpointNote {
        /// The text.
        text: String,
    },
    /// A question of the kernel about a claim.
    Challenge {
        /// The text.
        text: String,
    },
    /// What the memory gave.
    MemoryBlock {
        /// The text.
        text: String,
    },
    /// Rules of the project.
    RulesBlock {
        /// The text.
        text: String,
    },
}

/// A piece of content.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Part {
    /// A text.
    Text {
        /// The text.
        text: String,
    },
    /// An image, decoded and found good before it became an item.
    Image {
        /// The media type, as `image/png`.
        mime: String,
        /// The bytes in Base64.
        data: String,
    },
}

/// A model of a provider.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ModelRef {
    /// The provider's name in the settings.
    pub provider: String,
    /// The model's name at the provider.
    pub model: String,
}

impl Part {
    /// A text.
    #[must_use]
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text { text: text.into() }
    }
}

impl Item {
    /// What the user said.
    #[must_use]
    pub fn user(text: impl Into<String>) -> Self {
        Self {
            origin: Origin::User,
            kind: ItemKind::User {
                content: vec![Part::text(text)],
            },
        }
    }

    /// What the model said.
    #[must_use]
    pub fn assistant(text: impl Into<String>) -> Self {
        Self {
            origin: Origin::Model,
            kind: ItemKind::AssistantText {
                text: text.into(),
                interrupted: false,
            },
        }
    }

    /// What the model thought.
    #[must_use]
    pub fn thinking(text: impl Into<String>, signature: Option<String>, model: ModelRef) -> Self {
        Self {
            origin: Origin::Model,
            kind: ItemKind::Thinking {
                text: text.into(),
                signature,
                model,
            },
        }
    }

    /// A tool that the model wants to use.
    #[must_use]
    pub fn call(
        id: impl Into<String>,
        name: impl Into<String>,
        arguments: Map<String, Value>,
    ) -> Self {
        Self {
            origin: Origin::Model,
            kind: ItemKind::ToolCall {
                id: id.into(),
                name: name.into(),
                arguments,
            },
        }
    }

    /// What a tool gave.
    #[must_use]
    pub fn result(id: impl Into<String>, name: impl Into<String>, text: impl Into<String>) -> Self {
        Self {
            origin: Origin::Tool,
            kind: ItemKind::ToolResult {
                id: id.into(),
                name: name.into(),
                content: vec![Part::text(text)],
                is_error: false,
            },
        }
    }
}
