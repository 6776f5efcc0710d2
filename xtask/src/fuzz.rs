//! Long runs on random input: coverage-guided for what parses, a random client
//! against the real server for the wire.

use std::fs;
use std::path::Path;

use anyhow::Result;
use clap::{Args, ValueEnum};

use crate::demo::SAMPLE;
use crate::tools::{cache, cargo, command, root, run};

#[derive(Args)]
pub struct Options {
    /// What to feed
    #[arg(value_enum)]
    target: Target,
    /// How long to go on
    #[arg(long, default_value_t = 300)]
    seconds: u64,
}

#[derive(Clone, Copy, ValueEnum)]
enum Target {
    /// The language server, with valid and invalid messages
    Wire,
    /// Recipe files
    Recipe,
    /// Checks of any text with any guard
    Check,
}

pub fn fuzz(options: &Options) -> Result<()> {
    let seconds = options.seconds;
    match options.target {
        Target::Wire => {
            run(cargo().args(["build", "--quiet", "--package", "asd-cli"]))?;
            run(cargo()
                .args([
                    "test",
                    "--package",
                    "asd-wire",
                    "--test",
                    "fuzz",
                    "--",
                    "--nocapture",
                ])
                .env("ASD_FUZZ_SECONDS", seconds.to_string()))
        }
        Target::Recipe => guided("recipe", seconds),
        Target::Check => guided("check", seconds),
    }
}

/// Runs a target of `fuzz/` with cargo-fuzz. The stable compiler has coverage
/// but no sanitizers, so that what is found are panics, failed assertions, hangs
/// and too much memory.
fn guided(target: &str, seconds: u64) -> Result<()> {
    let tools = cache()?.join("cargo-fuzz");
    if !tools.join("bin/cargo-fuzz").exists() {
        run(cargo()
            .args(["install", "--quiet", "--locked", "cargo-fuzz", "--root"])
            .arg(&tools))?;
    }
    let corpus = cache()?.join("corpus").join(target);
    fs::create_dir_all(&corpus)?;
    if target == "recipe" {
        seed(&root().join(SAMPLE).join("Alembic"), &corpus)?;
    }
    run(command(tools.join("bin/cargo-fuzz"))
        .args(["fuzz", "run", "--sanitizer", "none", target])
        .arg(&corpus)
        .args(["--", "-max_len=20000", "-timeout=10", "-rss_limit_mb=2048"])
        .arg(format!("-max_total_time={seconds}")))
}

/// Starts the corpus with the recipes of the sample project.
fn seed(folder: &Path, corpus: &Path) -> Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            seed(&path, corpus)?;
        } else if let Some(name) = path.file_name() {
            fs::copy(&path, corpus.join(name))?;
        }
    }
    Ok(())
}
