//! Models on the hub that most models are shared on: what was downloaded, and
//! downloading, which only happens when somebody asks for it.

use std::path::{Path, PathBuf};

use hf_hub::api::Progress;
use hf_hub::api::sync::{Api, ApiBuilder, ApiRepo};
use hf_hub::{Cache, Repo};

use crate::embedder::EmbedError;
use crate::onnx::NETWORKS;

/// What a model needs beside its network.
const NEEDED: [&str; 3] = ["config.json", "tokenizer.json", "tokenizer_config.json"];

/// What a model may have.
const USEFUL: [&str; 3] = [
    "special_tokens_map.json",
    "sentence_bert_config.json",
    "1_Pooling/config.json",
];

/// Names the address of another hub, such as a mirror.
pub const HUB_VARIABLE: &str = "HF_ENDPOINT";

/// Whether a text has the form of a model's name, `owner/name`.
pub(crate) fn is_name(model: &str) -> bool {
    let is_part = |part: &str| {
        !part.is_empty()
            && !part.starts_with('.')
            && part
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c))
    };
    model
        .split_once('/')
        .is_some_and(|(owner, name)| is_part(owner) && is_part(name))
}

/// The folder of a model in the hub's cache.
pub(crate) fn downloaded(model: &str) -> Option<PathBuf> {
    if !is_name(model) || !has_home() {
        return None;
    }
    let config = Cache::from_env()
        .repo(Repo::model(model.to_owned()))
        .get("config.json")?;
    config.parent().map(Path::to_owned)
}

/// The hub's client panics where it does not know where its cache is.
fn has_home() -> bool {
    std::env::var_os("HF_HOME").is_some() || std::env::home_dir().is_some()
}

/// A download that was looked into and not begun.
pub struct Download {
    model: String,
    repo: ApiRepo,
    files: Vec<(String, u64)>,
}

impl std::fmt::Debug for Download {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Download")
            .field("model", &self.model)
            .field("files", &self.files)
            .finish_non_exhaustive()
    }
}

impl Download {
    /// Asks the hub which files the model has that are needed here, and how long
    /// they are. `network` is the file of its network when it has a name of its
    /// own.
    ///
    /// # Errors
    ///
    /// When the hub cannot be reached, or has no such model, or the model is not
    /// one that ONNX Runtime can run.
    pub fn plan(model: &str, network: Option<&str>) -> Result<Self, EmbedError> {
        if !is_name(model) {
            return Err(EmbedError::Model(format!(
                "{model} is not the name of a model; it has the form owner/name"
            )));
        }
        if !has_home() {
            return Err(EmbedError::Model(
                "there is no home folder to keep the model in; set HF_HOME".to_owned(),
            ));
        }
        let api = ApiBuilder::from_env().with_progress(false).build();
        let api: Api = api.map_err(|error| unreachable(model, &error))?;
        let repo = api.model(model.to_owned());
        let info = repo.info().map_err(|error| unreachable(model, &error))?;
        let has = |name: &str| info.siblings.iter().any(|file| file.rfilename == name);
        let networks = network.map_or_else(|| NETWORKS.to_vec(), |name| vec![name]);
        let Some(network) = networks.iter().find(|name| has(name)) else {
            return Err(EmbedError::Model(format!(
                "the model {model} has no {}; choose one with an ONNX network, or name the file \
                 with `--file`",
                networks.join(" and no ")
            )));
        };
        if let Some(missing) = NEEDED.iter().find(|name| !has(name)) {
            return Err(EmbedError::Model(format!(
                "the model {model} has no {missing}, which is needed to cut texts for it"
            )));
        }
        let weights = format!("{network}_data");
        let names = NEEDED
            .into_iter()
            .chain(USEFUL)
            .chain([*network, weights.as_str()]);
        let mut files = Vec::new();
        for name in names.filter(|name| has(name)) {
            let metadata = api.metadata(&repo.url(name));
            let metadata = metadata.map_err(|error| unreachable(model, &error))?;
            files.push((name.to_owned(), metadata.size() as u64));
        }
        Ok(Self {
            model: model.to_owned(),
            repo,
            files,
        })
    }

    /// The files with their lengths in bytes.
    #[must_use]
    pub fn files(&self) -> &[(String, u64)] {
        &self.files
    }

    /// How much is downloaded, in bytes.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.files.iter().map(|(_, size)| size).sum()
    }

    /// Downloads the files into the hub's cache, which other programs use too.
    /// `progress` is told how much there is, in bytes, again and again. Gives the
    /// folder of the model.
    ///
    /// # Errors
    ///
    /// When the hub cannot be reached any more, or the cache cannot be written.
    pub fn run(&self, progress: &mut dyn FnMut(u64)) -> Result<PathBuf, EmbedError> {
        let mut done = 0;
        for (name, size) in &self.files {
            let report = Report {
                done,
                progress: &mut *progress,
            };
            self.repo
                .download_with_progress(name, report)
                .map_err(|error| unreachable(&self.model, &error))?;
            done += size;
            progress(done);
        }
        downloaded(&self.model).ok_or_else(|| {
            EmbedError::Model(format!("the model {} is not in the cache", self.model))
        })
    }
}

struct Report<'p> {
    done: u64,
    progress: &'p mut dyn FnMut(u64),
}

impl Progress for Report<'_> {
    fn init(&mut self, _size: usize, _file: &str) {}

    fn update(&mut self, size: usize) {
        self.done += size as u64;
        (self.progress)(self.done);
    }

    fn finish(&mut self) {}
}

fn unreachable(model: &str, error: &dyn std::fmt::Display) -> EmbedError {
    EmbedError::Failed(format!(
        "the model {model} cannot be had from the hub: {error}. Check the name and the network, \
         set {HUB_VARIABLE} to a mirror, or put the model's files into a folder and name that \
         with `search.onnx.model`"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_has_an_owner_and_leads_nowhere_else() {
        assert!(is_name("sentence-transformers/all-MiniLM-L6-v2"));
        for not in [
            "model",
            "/etc/passwd",
            "../x",
            "a/../b",
            "a/b/c",
            "a/",
            "a b/c",
        ] {
            assert!(!is_name(not), "{not}");
        }
    }
}
