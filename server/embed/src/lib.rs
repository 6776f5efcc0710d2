//! Sentence vectors: the built-in multilingual encoder, an ONNX model of the
//! user's choice, or an endpoint of the user's choice, behind one trait.
//!
//! What is embedded and how vectors are searched is the job of `search`.

mod builtin;
mod embedder;

pub use builtin::{BUILTIN_NAME, BuiltinEmbedder, ModelError, install};
pub use embedder::{EmbedError, Embedder};
