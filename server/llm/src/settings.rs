//! What is said about a provider in the user's settings. A project cannot say
//! any of it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::capabilities::{
    CacheMode, Capabilities, NameRule, SchemaDialect, SystemRole, ThinkingMode, ToolMode,
};
use crate::price::Price;

/// Kinds of providers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ProviderKind {
    /// Anthropic.
    Anthropic,
    /// OpenAI, and what speaks its format in the cloud.
    OpenAi,
    /// OpenAI's models at Azure.
    Azure,
    /// Amazon Bedrock.
    Bedrock,
    /// GitHub Copilot.
    Copilot,
    /// DeepSeek.
    DeepSeek,
    /// Google Gemini.
    Gemini,
    /// A server on this machine or in this network: Ollama, vLLM, llama.cpp.
    Local,
    /// The editor's own models.
    Client,
}

/// A provider as the user set it up.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct ProviderSettings {
    /// What it is called in choices of models; its kind by default.
    #[serde(default)]
    pub name: String,
    /// Which format it speaks.
    pub kind: ProviderKind,
    /// The address; that of the kind by default. `azure` and `local` need one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base_url: Option<String>,
    /// The name of the key in the environment or keyring; that of the kind by
    /// default. The key itself is never a setting.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// Azure only: the version of the interface; the undated one by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub api_version: Option<String>,
    /// Bedrock only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub region: Option<String>,
    /// Headers that are sent with every request.
    #[serde(default)]
    pub headers: BTreeMap<String, String>,
    /// Whether every piece of an answer repeats all that came before.
    #[serde(default)]
    pub cumulative: bool,
    /// What is known better about models, by their names.
    #[serde(default)]
    pub models: BTreeMap<String, ModelSettings>,
}

/// What the user says about a model. What is left out is asked or looked up.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", default, deny_unknown_fields)]
pub struct ModelSettings {
    /// See [`Capabilities::window`].
    pub window: Option<u32>,
    /// See [`Capabilities::max_output`].
    pub max_output: Option<u32>,
    /// See [`Capabilities::tools`].
    pub tools: Option<ToolMode>,
    /// See [`Capabilities::parallel_tools`].
    pub parallel_tools: Option<bool>,
    /// See [`Capabilities::thinking`].
    pub thinking: Option<ThinkingMode>,
    /// See [`Capabilities::images`].
    pub images: Option<bool>,
    /// See [`Capabilities::cache`].
    pub cache: Option<CacheMode>,
    /// See [`Capabilities::system_role`].
    pub system_role: Option<SystemRole>,
    /// See [`Capabilities::schema`].
    pub schema: Option<SchemaDialect>,
    /// See [`Capabilities::echo_reasoning`].
    pub echo_reasoning: Option<bool>,
    /// What a million tokens cost.
    pub price: Option<Price>,
}

impl ProviderKind {
    /// The name in settings.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Anthropic => "anthropic",
            Self::OpenAi => "openai",
            Self::Azure => "azure",
            Self::Bedrock => "bedrock",
            Self::Copilot => "copilot",
            Self::DeepSeek => "deepseek",
            Self::Gemini => "gemini",
            Self::Local => "local",
            Self::Client => "client",
        }
    }

    pub(crate) fn default_url(self, region: Option<&str>) -> Option<String> {
        Some(match self {
            Self::Anthropic => "https://api.anthropic.com".into(),
            Self::OpenAi => "https://api.openai.com/v1".into(),
            Self::Copilot => "https://api.githubcopilot.com".into(),
            Self::DeepSeek => "https://api.deepseek.com".into(),
            Self::Gemini => "https://generativelanguage.googleapis.com/v1beta".into(),
            Self::Bedrock => format!("https://bedrock-runtime.{}.amazonaws.com", region?),
            Self::Azure | Self::Local | Self::Client => return None,
        })
    }

    pub(crate) fn default_key(self) -> Option<&'static str> {
        Some(match self {
            Self::Anthropic => "ANTHROPIC_API_KEY",
            Self::OpenAi => "OPENAI_API_KEY",
            Self::Azure => "AZURE_OPENAI_API_KEY",
            Self::Copilot => "GITHUB_COPILOT_TOKEN",
            Self::DeepSeek => "DEEPSEEK_API_KEY",
            Self::Gemini => "GEMINI_API_KEY",
            Self::Bedrock => "AWS_BEARER_TOKEN_BEDROCK",
            Self::Local | Self::Client => return None,
        })
    }

    /// What is assumed of a model of this kind that nothing is known about.
    pub(crate) fn base(self) -> Capabilities {
        let (window, max_output) = match self {
            Self::Anthropic => (200_000, 8_192),
            Self::OpenAi | Self::Azure => (128_000, 16_384),
            Self::DeepSeek => (128_000, 8_192),
            Self::Gemini => (1_048_576, 8_192),
            Self::Bedrock => (128_000, 4_096),
            Self::Copilot => (64_000, 4_096),
            Self::Local | Self::Client => (8_192, 2_048),
        };
        Capabilities {
            window,
            max_output,
            tools: ToolMode::Native,
            parallel_tools: true,
            thinking: ThinkingMode::None,
            images: !matches!(self, Self::Local | Self::DeepSeek),
            cache: match self {
                Self::Anthropic => CacheMode::Explicit,
                Self::Local | Self::Client | Self::Bedrock => CacheMode::None,
                _ => CacheMode::Automatic,
            },
            system_role: match self {
                Self::Anthropic | Self::Bedrock | Self::Gemini => SystemRole::Separate,
                _ => SystemRole::System,
            },
            schema: match self {
                Self::Anthropic | Self::Bedrock => SchemaDialect::Anthropic,
                Self::Gemini => SchemaDialect::Gemini,
                _ => SchemaDialect::OpenAi,
            },
            name_rule: NameRule::Dashes,
            echo_reasoning: self == Self::DeepSeek,
            local: self == Self::Local,
            price: None,
        }
    }
}

impl ModelSettings {
    pub(crate) fn apply(&self, to: &mut Capabilities) {
        fn set<T: Clone>(to: &mut T, from: Option<&T>) {
            if let Some(from) = from {
                *to = from.clone();
            }
        }
        set(&mut to.window, self.window.as_ref());
        set(&mut to.max_output, self.max_output.as_ref());
        set(&mut to.tools, self.tools.as_ref());
        set(&mut to.parallel_tools, self.parallel_tools.as_ref());
        set(&mut to.thinking, self.thinking.as_ref());
        set(&mut to.images, self.images.as_ref());
        set(&mut to.cache, self.cache.as_ref());
        set(&mut to.system_role, self.system_role.as_ref());
        set(&mut to.schema, self.schema.as_ref());
        set(&mut to.echo_reasoning, self.echo_reasoning.as_ref());
        if self.price.is_some() {
            to.price.clone_from(&self.price);
        }
    }
}

impl ProviderSettings {
    /// A provider of a kind with nothing else said.
    #[must_use]
    pub fn of(kind: ProviderKind) -> Self {
        Self {
            name: kind.name().to_owned(),
            kind,
            base_url: None,
            key: None,
            api_version: None,
            region: None,
            headers: BTreeMap::new(),
            cumulative: false,
            models: BTreeMap::new(),
        }
    }

    /// A local server: one setting.
    #[must_use]
    pub fn local(base_url: impl Into<String>) -> Self {
        Self {
            base_url: Some(base_url.into()),
            ..Self::of(ProviderKind::Local)
        }
    }

    /// What is known about a model without asking anybody.
    #[must_use]
    pub fn known(&self, model: &str) -> Capabilities {
        let mut capabilities = self.kind.base();
        crate::catalog::apply(self.kind, model, &mut capabilities);
        if let Some(settings) = self.models.get(model) {
            settings.apply(&mut capabilities);
        }
        capabilities
    }
}
