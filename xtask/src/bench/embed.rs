//! How fast the built-in encoder is, and how much memory it takes.

use anyhow::Result;

use crate::model;
use crate::tools::{cargo, run};

pub fn bench() -> Result<()> {
    let model = model::for_tests()?;
    run(cargo()
        .args(["run", "--release", "--quiet", "--package", "asd-embed"])
        .args(["--example", "measure"])
        .arg(model))
}
