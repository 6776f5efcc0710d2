//! `asd search` on a project of files.

#![allow(
    clippy::unwrap_used,
    reason = "a test may panic, and so may what it uses"
)]

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use serde_json::Value;

fn project() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let recipe = |name: &str, text: &str| {
        let path = folder.path().join("Alembic/recipes/general").join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    recipe(
        "retry.md",
        "---\ntrigger: \"@retry-queue\"\ntitle: Retry through the queue\nkind: rule\ndo: Push failed requests to RetryQueue\n---\n",
    );
    recipe(
        "cache.md",
        "---\ntrigger: \"@cache-zh\"\ntitle: 缓存中间件规范\nkind: pattern\ndo: 读取接口统一走缓存\n---\n",
    );
    folder
}

fn asd(folder: &Path, arguments: &[&str], input: &str) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_asd"))
        .arg("search")
        .args(arguments)
        .current_dir(folder)
        // No model, whatever this machine has.
        .env("ASD_MODEL_DIR", folder.join("no-models"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child
        .stdin
        .take()
        .unwrap()
        .write_all(input.as_bytes())
        .unwrap();
    child.wait_with_output().unwrap()
}

fn lines(output: &Output) -> Vec<Value> {
    String::from_utf8_lossy(&output.stdout)
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

#[test]
fn a_question_in_one_language_finds_a_recipe_in_the_other() {
    let folder = project();
    for (query, trigger) in [
        ("重试请求", "@retry-queue"),
        ("cache middleware", "@cache-zh"),
    ] {
        let output = asd(folder.path(), &[query, "--json"], "");
        assert_eq!(output.status.code(), Some(0));
        let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(answer["items"][0]["trigger"], trigger, "{answer}");
    }
    assert!(
        !folder.path().join(".asd").exists(),
        "reading writes nothing"
    );
}

#[test]
fn a_batch_answers_every_line() {
    let folder = project();
    let input = "RetryQueue\n{\"id\": 7, \"query\": \"缓存\", \"limit\": 1}\n\n{\"id\": \"x\", \"query\": \" \"}\n{\"id\": 8, \"query\": \"缓存\", \"kind\": \"rule\"}\n";
    let output = asd(folder.path(), &["--batch"], input);
    let lines = lines(&output);
    assert_eq!(lines.len(), 4);
    assert_eq!(lines[0]["items"][0]["trigger"], "@retry-queue");
    assert_eq!(lines[1]["id"], 7);
    assert_eq!(lines[1]["items"][0]["trigger"], "@cache-zh");
    assert_eq!(lines[2]["id"], "x");
    assert_eq!(lines[2]["error"], "`query` must not be blank");
    assert_eq!(lines[3]["items"], serde_json::json!([]));
}

#[test]
fn nothing_is_found_for_what_nothing_answers() {
    let folder = project();
    let output = asd(folder.path(), &["bake", "sourdough", "bread"], "");
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(output.stdout, b"");
    let note = String::from_utf8_lossy(&output.stderr);
    assert!(note.contains("No recipe answers this"), "{note}");
}

#[test]
fn a_wrong_limit_is_told() {
    let folder = project();
    let output = asd(folder.path(), &["cache", "--limit", "500"], "");
    assert_eq!(output.status.code(), Some(2));
    let note = String::from_utf8_lossy(&output.stderr);
    assert!(note.contains("`limit` must be 1 to 100"), "{note}");
}

#[test]
fn a_language_that_nobody_knows_is_told() {
    let folder = project();
    let output = asd(folder.path(), &["缓存", "--language", "klingon"], "");
    assert_eq!(output.status.code(), Some(2));
    let note = String::from_utf8_lossy(&output.stderr);
    assert!(note.contains("`klingon` is not a language"), "{note}");
    // Another spelling, and one that only a recipe has.
    fs::write(
        folder.path().join("Alembic/recipes/general/erlang.md"),
        "---\ntrigger: \"@otp\"\ntitle: Supervised processes\nlanguage: erlang\ndo: Link it\n---\n",
    )
    .unwrap();
    for (query, language) in [("缓存", "Golang"), ("supervised", "erlang")] {
        let output = asd(folder.path(), &[query, "--language", language], "");
        assert_eq!(output.status.code(), Some(0), "{language}");
    }
}

#[test]
fn what_is_wrong_with_the_settings_is_told_beside_the_result() {
    let folder = project();
    let config = folder.path().join("Alembic/config.toml");
    fs::write(config, "[search]\nembeddings = \"of\"\n").unwrap();
    let output = asd(folder.path(), &["缓存"], "");
    assert_eq!(output.status.code(), Some(0));
    let note = String::from_utf8_lossy(&output.stderr);
    let expected =
        "Alembic/config.toml:2:14: error: `of` is not a source of embeddings. Did you mean `off`?";
    assert!(note.contains(expected), "{note}");
}
