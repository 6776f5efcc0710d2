use asd_embed::{OnnxSettings, RemoteSettings, Source, Wanted};
use asd_store::{EmbeddingsChoice, SearchConfig};

/// What the settings say about where sentence vectors come from.
#[must_use]
pub fn embeddings(config: &SearchConfig) -> Wanted {
    let onnx = config.onnx.clone().unwrap_or_default();
    let remote = config.remote.clone().unwrap_or_default();
    Wanted {
        source: match config.embeddings {
            EmbeddingsChoice::Off => Source::Off,
            EmbeddingsChoice::Builtin => Source::Builtin,
            EmbeddingsChoice::Onnx => Source::Onnx,
            EmbeddingsChoice::Remote => Source::Remote,
        },
        onnx: OnnxSettings {
            model: onnx.model,
            file: onnx.file,
            runtime: onnx.runtime.map(Into::into),
        },
        remote: RemoteSettings {
            url: remote.url,
            model: remote.model,
            dimensions: remote.dimensions.map(|count| count as usize),
            key: None,
        },
        key_variable: remote.key_variable,
    }
}
