//! The main job on the sample project.

use anyhow::{Result, bail};

use crate::tools::{cargo, command, run, target_dir};

pub const SAMPLE: &str = "tests/projects/harbor";

pub fn demo() -> Result<()> {
    run(cargo().args(["build", "--quiet", "--package", "asd-cli"]))?;
    println!("$ asd check {SAMPLE}");
    let status = command(target_dir().join("debug/asd"))
        .args(["check", SAMPLE])
        .status()?;
    match status.code() {
        Some(0) => bail!("the sample project has findings, but asd reported none"),
        Some(1) => {
            println!(
                "\nasd ended with exit code 1, since there are errors: in CI the build would stop here."
            );
            Ok(())
        }
        _ => bail!("asd check {SAMPLE}: {status}"),
    }
}
