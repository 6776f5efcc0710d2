use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How recipes are searched.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct SearchConfig {
    /// Where sentence vectors come from. `onnx` and `remote` only count in the
    /// user's own settings.
    pub embeddings: EmbeddingsChoice,
    /// The model of `onnx`. Only in the user's own settings.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub onnx: Option<OnnxConfig>,
    /// The endpoint of `remote`. Only in the user's own settings.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub remote: Option<RemoteConfig>,
}

/// Where sentence vectors come from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum EmbeddingsChoice {
    /// The encoder that comes with asd, where its model is installed.
    #[default]
    Builtin,
    /// Nowhere; search goes by words alone.
    Off,
    /// A model of the user's choice, run by ONNX Runtime.
    Onnx,
    /// An endpoint of the user's choice. Texts leave the machine for it.
    Remote,
}

/// A model that ONNX Runtime runs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct OnnxConfig {
    /// A folder with the model, or the name of a downloaded one, `owner/name`.
    pub model: String,
    /// The file of the network in the folder, when it has a name of its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The library of ONNX Runtime.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub runtime: Option<String>,
}

/// An endpoint that speaks the embeddings protocol of OpenAI.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct RemoteConfig {
    /// The base of the API, such as `https://host/v1`.
    pub url: String,
    /// The model by the endpoint's own name.
    pub model: String,
    /// How many numbers a vector shall have, for models that can be asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dimensions: Option<u32>,
    /// The environment variable that holds the key.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key_variable: Option<String>,
}
