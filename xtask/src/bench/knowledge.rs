//! Synchronising a large knowledge base: ids for files that have none, the
//! database made from nothing, and a look that finds nothing new.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};

use super::stats::{Ms, Times};
use crate::tools::target_dir;

/// How many recipes there are.
const RECIPES: usize = 10_000;
/// How often what is fast is measured.
const ROUNDS: usize = 9;

pub fn bench() -> Result<()> {
    let asd = target_dir().join("release/asd");
    let folder = tempfile::tempdir().context("cannot make a folder")?;
    let root = folder.path();
    write_recipes(root)?;
    let sync = || -> Result<Duration> {
        let start = Instant::now();
        let output = Command::new(&asd)
            .args(["sync", "--json"])
            .current_dir(root)
            .output()
            .context("cannot run asd sync")?;
        let time = start.elapsed();
        ensure!(
            output.status.success(),
            "asd sync: {}",
            String::from_utf8_lossy(&output.stderr)
        );
        Ok(time)
    };
    println!("asd sync, {RECIPES} recipes, in ms\n");
    println!("| what | ms |");
    println!("| --- | --- |");
    println!("| no file has an id | {} |", Ms(sync()?));
    let mut cold = Vec::new();
    for _ in 0..3 {
        fs::remove_dir_all(root.join(".asd"))?;
        cold.push(sync()?);
    }
    println!("| no database | {} |", Ms(Times::new(cold).median()));
    // Files that were just written are looked into once more.
    std::thread::sleep(Duration::from_secs(3));
    sync()?;
    let warm = (0..ROUNDS).map(|_| sync()).collect::<Result<Vec<_>>>()?;
    println!("| nothing new | {} |", Ms(Times::new(warm).median()));
    let file = root.join("Alembic/recipes/bucket-3/rule-3.md");
    let mut edited = Vec::new();
    for round in 0..ROUNDS {
        let text = fs::read_to_string(&file)?;
        fs::write(&file, format!("{text}\nRound {round}.\n"))?;
        edited.push(sync()?);
    }
    println!(
        "| one file edited by hand | {} |",
        Ms(Times::new(edited).median())
    );
    Ok(())
}

fn write_recipes(root: &Path) -> Result<()> {
    let prose = "The wrapper adds what this call lacks: deadlines, tracing and a bounded number of attempts. ";
    for n in 0..RECIPES {
        let folder = root.join(format!("Alembic/recipes/bucket-{}", n % 20));
        fs::create_dir_all(&folder)?;
        let next = (n + 1) % RECIPES;
        fs::write(
            folder.join(format!("rule-{n}.md")),
            format!(
                "---\ntitle: Rule {n} about the queue\ntrigger: \"@rule-{n}\"\nkind: rule\nknowledgeType: best-practice\n\
                 lifecycle: active\nlanguage: rust\ncategory: Network\ndimensionId: error-resilience\n\
                 tags: [retry, backoff]\ndescription: All outbound calls go through wrapper {n}\n\
                 when: Adding or editing an outbound call\ndo: Submit the request through Wrapper{n}::push\n\
                 dont: Loop around a client call\nheaders: [\"use crate::net::Wrapper{n};\"]\nreasoning:\n  \
                 whyStandard: Unbounded retries took the gateway down\n  sources: [\"src/net/wrapper{n}.rs:10-48\"]\n  \
                 confidence: 0.86\nguards:\n  - pattern: 'call_{n}\\('\n    severity: error\n    \
                 message: Do not call this\nrelations:\n  depends_on: [\"@rule-{next}\"]\ncreatedAt: 1790000000\n\
                 updatedAt: 1790000600\n---\n\n## Description\n\n{}\n\n## Rationale\n\nBecause.\n\n## Core code\n\n\
                 ```rust\nqueue.push(req, Attempts::new({n})).await?;\n```\n\n## Usage guide\n\n### Steps\n\nDo it.\n",
                prose.repeat(3)
            ),
        )?;
    }
    Ok(())
}
