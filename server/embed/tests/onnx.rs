//! A real model in the real ONNX Runtime, beside what Python's packages make of
//! it. Needs both: `cargo xtask test embeddings` gets them and runs this.

use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

use asd_embed::{Embedder, OnnxEmbedder, OnnxSettings, embed_all};

#[derive(serde::Deserialize)]
struct Expected {
    texts: Vec<String>,
    vectors: Vec<Vec<f32>>,
}

fn folder() -> PathBuf {
    std::env::var_os("ASD_TEST_ONNX")
        .expect("ASD_TEST_ONNX is not set; run `cargo xtask test embeddings`")
        .into()
}

fn embedder() -> OnnxEmbedder {
    OnnxEmbedder::find(OnnxSettings {
        model: folder().display().to_string(),
        file: None,
        runtime: None,
    })
    .expect("a model")
}

#[test]
#[ignore = "needs a model and ONNX Runtime"]
fn vectors_are_those_of_the_python_packages() {
    let expected = std::fs::read(folder().join("expected.json")).expect("the expectation");
    let expected: Expected = serde_json::from_slice(&expected).expect("JSON");
    let embedder = embedder();
    assert_eq!(embedder.dimension(), 384);
    let texts: Vec<&str> = expected.texts.iter().map(String::as_str).collect();
    let together = embedder.embed(&texts).expect("embedded");
    for ((text, expected), together) in texts.iter().zip(&expected.vectors).zip(&together) {
        let alone = embedder.embed(&[text]).expect("embedded").remove(0);
        for ((expected, together), alone) in expected.iter().zip(together).zip(&alone) {
            let difference = (expected - together).abs().max((expected - alone).abs());
            assert!(difference < 1e-4, "{difference} off for {text:?}");
        }
    }
}

#[test]
#[ignore = "needs a model and ONNX Runtime"]
fn several_threads_and_embedders_share_the_runtime() {
    let (one, other) = (embedder(), embedder());
    assert_eq!(one.id(), other.id());
    let texts: Vec<String> = (0..70).map(|i| format!("rule number {i}")).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let all = embed_all(&one, &texts, &AtomicBool::new(false));
    assert_eq!(all.failures, []);
    let last = other.embed(&[texts[69]]).expect("embedded").remove(0);
    let found = all.vectors[69].as_ref().expect("embedded");
    for (a, b) in found.iter().zip(&last) {
        assert!((a - b).abs() < 1e-4, "{a} and {b}");
    }
}
