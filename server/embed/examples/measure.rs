//! How fast the built-in encoder is: `measure MODEL` prints a few figures as
//! JSON. `cargo xtask bench embed` runs it.

#![expect(clippy::print_stdout, reason = "the figures are its output")]

use std::path::PathBuf;
use std::time::Instant;

use asd_embed::{BuiltinEmbedder, Embedder};

fn main() {
    let Some(path) = std::env::args_os().nth(1).map(PathBuf::from) else {
        println!("usage: measure MODEL");
        return;
    };
    let texts = texts();
    let start = Instant::now();
    let embedder = BuiltinEmbedder::open(&path).expect("a model file");
    let open = start.elapsed();
    embedder.embed(&["first use"]).expect("embedded");
    let first = start.elapsed();

    let mut single: Vec<f64> = texts
        .iter()
        .map(|text| {
            let start = Instant::now();
            embedder.embed(&[text]).expect("embedded");
            start.elapsed().as_secs_f64() * 1e3
        })
        .collect();
    single.sort_by(f64::total_cmp);
    let batches: Vec<Vec<&str>> = texts
        .chunks(32)
        .map(|batch| batch.iter().map(String::as_str).collect())
        .collect();
    let start = Instant::now();
    for batch in &batches {
        embedder.embed(batch).expect("embedded");
    }
    let batched = start.elapsed().as_secs_f64() * 1e3 / texts.len() as f64;
    let figures = serde_json::json!({
        "texts": texts.len(),
        "open_ms": open.as_secs_f64() * 1e3,
        "open_and_first_text_ms": first.as_secs_f64() * 1e3,
        "one_by_one_p50_ms": single[single.len() / 2],
        "one_by_one_p99_ms": single[single.len() * 99 / 100],
        "batched_mean_ms": batched,
        "resident_mb": resident().map(|bytes| bytes / 1e6),
    });
    println!("{figures:#}");
}

/// Sentences as they occur in recipes, half English and half Chinese, of 8 to 30
/// words.
fn texts() -> Vec<String> {
    const ENGLISH: [&str; 6] = [
        "Retry failed network requests with exponential back-off and jitter.",
        "Do not read files on the main thread; use the background queue instead.",
        "Every database connection must be closed, also when an error is thrown in the middle of a transaction.",
        "Validate user input before it reaches the domain layer.",
        "Keep view controllers small: move formatting, networking and navigation into objects of their own that can be tested alone.",
        "Use the shared cache middleware for idempotent GET requests.",
    ];
    const CHINESE: [&str; 6] = [
        "网络请求失败时，使用带抖动的指数退避进行重试。",
        "不要在主线程读取文件，应改用后台队列。",
        "所有数据库连接都必须关闭，事务中途抛出异常时也不例外。",
        "用户输入在进入领域层之前必须经过校验。",
        "视图控制器要保持精简，把格式化、网络和导航逻辑放到可以单独测试的对象里。",
        "幂等的 GET 请求统一使用共享的缓存中间件。",
    ];
    (0..600)
        .map(|i| {
            let set = if i % 2 == 0 { ENGLISH } else { CHINESE };
            format!("{} {i}", set[i / 2 % set.len()])
        })
        .collect()
}

/// The resident memory in bytes, where the system tells it in a file.
fn resident() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    Some(line.split_whitespace().nth(1)?.parse::<f64>().ok()? * 1024.0)
}
