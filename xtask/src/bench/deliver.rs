//! Bringing a large knowledge base into the files of IDEs: all of them new, a
//! recipe changed, and nothing changed.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use super::stats::{Ms, Times};
use crate::tools::target_dir;

/// How many recipes there are.
const RECIPES: usize = 1_000;
/// How often each case is measured.
const ROUNDS: usize = 15;

/// A run: what `deliver()` took, and the whole process with reading everything.
struct Run {
    deliver: Duration,
    process: Duration,
}

pub fn bench() -> Result<()> {
    let folder = tempfile::tempdir().context("cannot make a folder")?;
    let root = folder.path();
    for number in 0..RECIPES {
        write_recipe(root, number, "first")?;
    }
    println!("asd deliver, {RECIPES} recipes, median of {ROUNDS} runs, in ms\n");
    println!("| what | deliver() | process |");
    println!("| --- | --- | --- |");
    let fresh = measure(|_| {
        if root.join("AGENTS.md").exists() {
            deliver(root, &["--remove"])?;
        }
        deliver(root, &[])
    })?;
    show("every file is new", &fresh);
    let changed = measure(|round| {
        for number in 0..20 {
            write_recipe(root, number, &format!("round {round}"))?;
        }
        deliver(root, &[])
    })?;
    show("20 recipes changed", &changed);
    let same = measure(|_| deliver(root, &[]))?;
    show("nothing changed", &same);
    println!();
    Ok(())
}

fn measure(mut run: impl FnMut(usize) -> Result<Run>) -> Result<Vec<Run>> {
    (0..ROUNDS).map(&mut run).collect()
}

fn show(what: &str, runs: &[Run]) {
    let median = |of: fn(&Run) -> Duration| Ms(Times::new(runs.iter().map(of).collect()).median());
    println!(
        "| {what} | {} | {} |",
        median(|run| run.deliver),
        median(|run| run.process)
    );
}

fn deliver(root: &Path, more: &[&str]) -> Result<Run> {
    let start = Instant::now();
    let output = Command::new(target_dir().join("release/asd"))
        .args(["deliver", "--json"])
        .args(more)
        .current_dir(root)
        .output()
        .context("cannot run asd deliver")?;
    let process = start.elapsed();
    ensure!(
        output.status.success(),
        "asd deliver: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    let report: Value = serde_json::from_slice(&output.stdout)?;
    let deliver = report["stats"]["durationMs"].as_u64().unwrap_or_default();
    Ok(Run {
        deliver: Duration::from_millis(deliver),
        process,
    })
}

fn write_recipe(root: &Path, number: usize, word: &str) -> Result<()> {
    let kind = ["rule", "pattern", "fact"][number % 3];
    let category = ["Network", "View", "Storage", "Service", "Utility"][number % 5];
    let folder = root.join(format!("Alembic/recipes/bucket-{}", number % 20));
    fs::create_dir_all(&folder)?;
    let text = format!(
        "---\nid: 00000000-0000-4000-8000-{number:012}\ntitle: Part {number} of the service\n\
         trigger: '@part-{number}'\nkind: {kind}\nlifecycle: active\nlanguage: go\n\
         category: {category}\nscope: project-specific\ntags: [part, {category}]\n\
         description: How part {number} is used, {word}\nwhen: Using part {number} in a handler\n\
         do: Take part {number} from the pool and give it back at the end of the scope, {word}\n\
         dont: Construct part {number} directly\nreasoning:\n  whyStandard: Seen everywhere\n  \
         sources: [internal/part.go]\n  confidence: 0.{}\n---\n\n## Description\nText about part \
         {number}, which is long enough to be read.\n\n## Rationale\nA part that is held blocks \
         the others.\n\n## Core code\n```go\n// Take one.\np := pool.Take(ctx, {number})\n\
         defer p.Release()\nreturn p.Apply(request)\n```\n",
        number % 90 + 10
    );
    fs::write(folder.join(format!("part-{number}.md")), text)?;
    Ok(())
}
