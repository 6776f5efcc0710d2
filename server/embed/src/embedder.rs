use thiserror::Error;

/// Turns texts into vectors of unit length, so that the dot product of two is
/// their cosine.
///
/// An embedder may be slow the first time, when it loads its model. It is used
/// from several threads.
pub trait Embedder: Send + Sync {
    /// Names the model and everything else that its vectors depend on. Vectors
    /// of different ids must not be compared; when the id changes, everything
    /// is embedded anew.
    fn id(&self) -> &str;

    /// How many numbers a vector has. May load the model to find out; 0 as long
    /// as an endpoint that decides it has not answered yet.
    fn dimension(&self) -> usize;

    /// One vector for each text, in the same order, or an error for all of them.
    ///
    /// # Errors
    ///
    /// When the model cannot be loaded, or at least one text not be embedded.
    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError>;
}

/// Why there are no vectors.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum EmbedError {
    /// The model cannot be loaded.
    #[error("{0}")]
    Model(String),
    /// The model was asked and gave no usable answer.
    #[error("{0}")]
    Failed(String),
    /// Not tried, since it failed too often a moment ago.
    #[error("embeddings failed {failures} times; the next try is in {} s", retry_in.as_secs().max(1))]
    Resting {
        /// How many failures there were in a row.
        failures: u32,
        /// How long it is until the next try.
        retry_in: std::time::Duration,
    },
}
