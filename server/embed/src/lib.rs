//! Sentence vectors: the built-in multilingual encoder, an ONNX model of the
//! user's choice, or an endpoint of the user's choice, behind one trait.
//!
//! What is embedded and how vectors are searched is the job of `search`.

mod batch;
mod breaker;
mod builtin;
mod embedder;
mod hub;
mod locate;
mod onnx;
mod remote;
mod settings;

pub use batch::{BATCH_SIZE, BATCHES_AT_A_TIME, Embedded, MAX_CHARS, cut, embed_all};
pub use breaker::{Breaker, Clock, Limits, Rested, SystemClock};
pub use builtin::{BUILTIN_NAME, BuiltinEmbedder, MODEL_PACKAGE, ModelError, install};
pub use embedder::{EmbedError, Embedder};
pub use hub::{Download, HUB_VARIABLE};
pub use locate::{MODEL_DIR_VARIABLE, MODEL_FILE, Places};
pub use onnx::{OnnxEmbedder, OnnxSettings, RUNTIME_VARIABLE};
pub use remote::{RemoteEmbedder, RemoteSettings};
pub use settings::{
    CHOICE_VARIABLE, Choice, KEY_VARIABLE, LazyEmbedder, MODEL_VARIABLE, NoEmbedder, Source,
    URL_VARIABLE, Wanted, default_embedder,
};
