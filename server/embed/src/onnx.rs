//! A model of the user's choice, run by ONNX Runtime. The runtime is a library
//! that is loaded when the first text is embedded; nothing needs it before.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::UNIX_EPOCH;

use fastembed::{
    InitOptionsUserDefined, Pooling, TextEmbedding, TokenizerFiles, UserDefinedEmbeddingModel,
};
use ort::environment::Environment;

use crate::batch::to_unit;
use crate::embedder::{EmbedError, Embedder};
use crate::hub;

/// Names the library of ONNX Runtime when the settings do not.
pub const RUNTIME_VARIABLE: &str = "ORT_DYLIB_PATH";

/// Where the network of a model is looked for, in this order.
pub(crate) const NETWORKS: [&str; 2] = ["onnx/model.onnx", "model.onnx"];

/// A model, and what runs it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OnnxSettings {
    /// A folder with the model, or its name on the hub (`owner/name`) when it
    /// was downloaded before.
    pub model: String,
    /// The file of the network in the folder, when it has a name of its own.
    pub file: Option<String>,
    /// The library of ONNX Runtime; `ORT_DYLIB_PATH`, one beside the program or
    /// the system's own when it is not stated.
    pub runtime: Option<PathBuf>,
}

/// Vectors from an ONNX model. It is loaded on first use.
pub struct OnnxEmbedder {
    settings: OnnxSettings,
    network: PathBuf,
    folder: PathBuf,
    id: String,
    loaded: Mutex<Option<TextEmbedding>>,
    dimension: OnceLock<usize>,
}

impl OnnxEmbedder {
    /// Finds the files of the model. Neither the model nor the runtime is loaded
    /// yet.
    ///
    /// # Errors
    ///
    /// When there is no such model, with the places that were looked at.
    pub fn find(settings: OnnxSettings) -> Result<Self, EmbedError> {
        let (folder, network) = locate(&settings)?;
        // The network itself may be as large as a film; its size and date tell
        // versions apart.
        let stamp = std::fs::metadata(&network)
            .map(|metadata| {
                let changed = metadata.modified().ok();
                let changed = changed.and_then(|time| time.duration_since(UNIX_EPOCH).ok());
                format!(
                    "{:x}-{:x}",
                    metadata.len(),
                    changed.map_or(0, |time| time.as_secs())
                )
            })
            .map_err(|error| cannot(&network, "be read", &error))?;
        let name = network.strip_prefix(&folder).unwrap_or(&network);
        Ok(Self {
            id: format!("onnx:{}/{}#{stamp}", settings.model, name.display()),
            settings,
            network,
            folder,
            loaded: Mutex::new(None),
            dimension: OnceLock::new(),
        })
    }

    /// The file of the network.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.network
    }

    fn load(&self) -> Result<TextEmbedding, EmbedError> {
        let environment = runtime(self.settings.runtime.as_deref())?;
        let required = |name: &str| {
            let path = self.folder.join(name);
            std::fs::read(&path).map_err(|error| cannot(&path, "be read", &error))
        };
        let optional = |name: &str| {
            let path = self.folder.join(name);
            std::fs::read(path).unwrap_or_else(|_| b"{}".to_vec())
        };
        let tokenizer = TokenizerFiles {
            tokenizer_file: required("tokenizer.json")?,
            config_file: required("config.json")?,
            special_tokens_map_file: optional("special_tokens_map.json"),
            tokenizer_config_file: required("tokenizer_config.json")?,
        };
        let network = std::fs::read(&self.network)
            .map_err(|error| cannot(&self.network, "be read", &error))?;
        let mut model = UserDefinedEmbeddingModel::new(network, tokenizer)
            .with_pooling(pooling(&optional("1_Pooling/config.json"))?);
        // Weights that are too large for the format lie beside the network.
        let mut weights = self.network.clone().into_os_string();
        weights.push("_data");
        if let (Some(name), Ok(bytes)) = (Path::new(&weights).file_name(), std::fs::read(&weights))
        {
            let name = name.to_string_lossy().into_owned();
            model = model.with_external_initializer(name, bytes);
        }
        let mut options = InitOptionsUserDefined::new().with_environment(environment);
        if let Some(length) = max_length(&optional("sentence_bert_config.json")) {
            options = options.with_max_length(length);
        }
        TextEmbedding::try_new_from_user_defined(model, options)
            .map_err(|error| cannot(&self.network, "be loaded", &error))
    }

    /// In a network with weights that are quantised while it runs, the texts of
    /// a batch change the vectors of each other.
    fn needs_one_by_one(&self) -> bool {
        let name = self
            .network
            .file_stem()
            .unwrap_or_default()
            .to_string_lossy();
        ["quantized", "int8", "uint8"]
            .iter()
            .any(|word| name.contains(word))
    }
}

impl Embedder for OnnxEmbedder {
    fn id(&self) -> &str {
        &self.id
    }

    fn dimension(&self) -> usize {
        if self.dimension.get().is_none()
            && let Err(error) = self.embed(&["dimension"])
        {
            tracing::warn!(%error, "cannot find out the dimension of the model");
        }
        self.dimension.get().copied().unwrap_or(0)
    }

    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
        if texts.is_empty() {
            return Ok(Vec::new());
        }
        let mut loaded = self.loaded.lock().unwrap_or_else(PoisonError::into_inner);
        let model = match &mut *loaded {
            Some(model) => model,
            none => none.insert(self.load()?),
        };
        let mut vectors = Vec::with_capacity(texts.len());
        let step = if self.needs_one_by_one() {
            1
        } else {
            texts.len()
        };
        for batch in texts.chunks(step) {
            let embedded = model.embed(batch, None).map_err(|error| {
                EmbedError::Failed(format!("{} failed: {error}", self.network.display()))
            })?;
            vectors.extend(embedded);
        }
        for vector in &mut vectors {
            to_unit(vector);
        }
        if let Some(vector) = vectors.first() {
            self.dimension.get_or_init(|| vector.len());
        }
        Ok(vectors)
    }
}

/// The folder of the model and the file of its network.
fn locate(settings: &OnnxSettings) -> Result<(PathBuf, PathBuf), EmbedError> {
    let names: Vec<&str> = match &settings.file {
        Some(file) => vec![file],
        None => NETWORKS.to_vec(),
    };
    let folder = PathBuf::from(&settings.model);
    let in_folder = |folder: &Path| {
        let mut paths = names.iter().map(|name| folder.join(name));
        paths.find(|path| path.is_file())
    };
    if folder.is_dir() {
        return match in_folder(&folder) {
            Some(network) => Ok((folder, network)),
            None => Err(EmbedError::Model(format!(
                "{} has no {}; name the file with `search.onnx.file`",
                folder.display(),
                names.join(" and no ")
            ))),
        };
    }
    if let Some(folder) = hub::downloaded(&settings.model)
        && let Some(network) = in_folder(&folder)
    {
        return Ok((folder, network));
    }
    let advice = if hub::is_name(&settings.model) {
        format!(
            "it was not downloaded; run `asd embed --download {}`",
            settings.model
        )
    } else {
        "there is no such folder; check `search.onnx.model`".to_owned()
    };
    Err(EmbedError::Model(format!(
        "the model {} cannot be found: {advice}",
        settings.model
    )))
}

/// The runtime, loaded at most once; a process can have only one.
fn runtime(stated: Option<&Path>) -> Result<Environment, EmbedError> {
    static RUNTIME: Mutex<Option<Environment>> = Mutex::new(None);
    let mut loaded = RUNTIME.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(environment) = &*loaded {
        return Ok(environment.clone());
    }
    let library = library(
        stated,
        std::env::var_os(RUNTIME_VARIABLE).map(PathBuf::from),
    );
    let failed = |error: &dyn std::fmt::Display| {
        EmbedError::Model(format!(
            "ONNX Runtime cannot be loaded ({error}); install it, and name its library with \
             `search.onnx.runtime` or {RUNTIME_VARIABLE}"
        ))
    };
    let environment = ort::init_from(&library)
        .map_err(|error| failed(&error))?
        .with_telemetry(false)
        .build()
        .map_err(|error| failed(&error))?;
    Ok(loaded.insert(environment).clone())
}

fn library(stated: Option<&Path>, variable: Option<PathBuf>) -> PathBuf {
    stated
        .map(Path::to_owned)
        .or(variable.filter(|path| !path.as_os_str().is_empty()))
        .unwrap_or_else(|| {
            let (prefix, suffix) = (std::env::consts::DLL_PREFIX, std::env::consts::DLL_SUFFIX);
            format!("{prefix}onnxruntime{suffix}").into()
        })
}

/// How the vectors of tokens become one, by the file that sentence models have
/// for it; the mean when there is none.
fn pooling(config: &[u8]) -> Result<Pooling, EmbedError> {
    let config: serde_json::Value = serde_json::from_slice(config)
        .map_err(|error| EmbedError::Model(format!("1_Pooling/config.json: {error}")))?;
    let on = |mode: &str| config[format!("pooling_mode_{mode}")] == true;
    let modes: Vec<&str> = ["cls_token", "mean_tokens", "max_tokens", "lasttoken"]
        .into_iter()
        .chain(["mean_sqrt_len_tokens", "weightedmean_tokens"])
        .filter(|mode| on(mode))
        .collect();
    match *modes.as_slice() {
        ["cls_token"] => Ok(Pooling::Cls),
        [] | ["mean_tokens"] => Ok(Pooling::Mean),
        _ => Err(EmbedError::Model(format!(
            "the model pools by {}, which asd cannot do; it knows cls_token and mean_tokens",
            modes.join(" and ")
        ))),
    }
}

/// How many tokens of a text the model was made for, by the file that sentence
/// models have for it. The rest of a longer text is not looked at.
fn max_length(config: &[u8]) -> Option<usize> {
    let config: serde_json::Value = serde_json::from_slice(config).ok()?;
    usize::try_from(config["max_seq_length"].as_u64()?).ok()
}

fn cannot(path: &Path, what: &str, error: &dyn std::fmt::Display) -> EmbedError {
    EmbedError::Model(format!("{} cannot {what}: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(model: &str) -> OnnxSettings {
        OnnxSettings {
            model: model.to_owned(),
            file: None,
            runtime: None,
        }
    }

    #[test]
    fn pooling_is_what_the_model_says() {
        assert_eq!(pooling(b"{}"), Ok(Pooling::Mean));
        assert_eq!(
            pooling(br#"{"pooling_mode_cls_token": true, "pooling_mode_mean_tokens": false}"#),
            Ok(Pooling::Cls)
        );
        let error = pooling(br#"{"pooling_mode_lasttoken": true}"#).unwrap_err();
        assert_eq!(
            error.to_string(),
            "the model pools by lasttoken, which asd cannot do; it knows cls_token and mean_tokens"
        );
    }

    #[test]
    fn a_model_that_is_not_there_says_what_to_do() {
        let error = |model: &str| match OnnxEmbedder::find(settings(model)) {
            Ok(_) => panic!("found"),
            Err(error) => error.to_string(),
        };
        assert_eq!(
            error("nobody/nothing"),
            "the model nobody/nothing cannot be found: it was not downloaded; \
             run `asd embed --download nobody/nothing`"
        );
        assert_eq!(
            error("/nowhere/at/all"),
            "the model /nowhere/at/all cannot be found: there is no such folder; \
             check `search.onnx.model`"
        );
        let folder = tempfile::tempdir().unwrap();
        let name = folder.path().display().to_string();
        assert_eq!(
            error(&name),
            format!(
                "{name} has no onnx/model.onnx and no model.onnx; \
                 name the file with `search.onnx.file`"
            )
        );
    }

    #[test]
    fn without_the_runtime_the_model_is_found_and_the_error_names_the_library() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("model.onnx"), b"network").unwrap();
        let mut settings = settings(&folder.path().display().to_string());
        settings.runtime = Some("/nowhere/libonnxruntime.so".into());
        let embedder = OnnxEmbedder::find(settings).unwrap();
        assert!(
            embedder.id().contains("/model.onnx#7-"),
            "{}",
            embedder.id()
        );
        let error = embedder.embed(&["a"]).unwrap_err().to_string();
        assert!(
            error.starts_with("ONNX Runtime cannot be loaded (")
                && error.contains("/nowhere/libonnxruntime.so")
                && error.ends_with("`search.onnx.runtime` or ORT_DYLIB_PATH"),
            "{error}"
        );
        assert_eq!(embedder.dimension(), 0);
    }

    #[test]
    fn the_settings_name_the_library_before_the_environment() {
        let both = library(Some(Path::new("/a")), Some("/b".into()));
        assert_eq!(both, Path::new("/a"));
        assert_eq!(library(None, Some("/b".into())), Path::new("/b"));
        let name = library(None, Some("".into()));
        assert!(name.to_string_lossy().contains("onnxruntime"));
    }
}
