//! How fast a provider's stream becomes events.

use anyhow::Result;

use crate::tools::{cargo, run};

pub fn bench() -> Result<()> {
    run(cargo().args([
        "run",
        "--release",
        "--quiet",
        "-p",
        "asd-llm",
        "--example",
        "throughput",
    ]))
}
