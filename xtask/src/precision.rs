//! How often the built-in rules are right on real code: what they find in
//! widely used packages, what a person judged of a sample of it, and the page
//! that counts both.

mod data;
pub mod packages;
mod page;
mod run;

use std::fs;
use std::path::PathBuf;

use anyhow::{Result, bail};
use clap::Args;

use crate::tools::root;

#[derive(Args)]
pub struct Options {
    /// Change nothing; fail when docs/precision.md is not what the data says
    #[arg(long, conflicts_with = "run")]
    check: bool,
    /// Fetch the packages, run the rules over them again, say which judged
    /// findings are gone or new, and try all fixes
    #[arg(long)]
    run: bool,
    /// With --run: only the packages whose name contains this; records nothing
    #[arg(long, requires = "run", value_name = "NAME")]
    package: Option<String>,
    /// With --run: this program instead of one that is built now
    #[arg(long, requires = "run", value_name = "FILE")]
    asd: Option<PathBuf>,
    /// With --run: leave out trying the fixes
    #[arg(long, requires = "run")]
    no_fixes: bool,
}

pub fn precision(options: &Options) -> Result<()> {
    if options.run {
        run::run(options.package.as_deref(), options.asd.as_deref())?;
        if options.package.is_none() {
            write_page()?;
        }
        if !options.no_fixes {
            run::fixes(options.package.as_deref())?;
        }
        return Ok(());
    }
    if options.check {
        return check_page();
    }
    write_page()
}

const PAGE: &str = "docs/precision.md";

fn write_page() -> Result<()> {
    fs::write(root().join(PAGE), page::page()?)?;
    println!("{PAGE} is counted again");
    Ok(())
}

/// Fails when the page is not what the data says.
pub fn check_page() -> Result<()> {
    if fs::read_to_string(root().join(PAGE)).unwrap_or_default() != page::page()? {
        bail!("{PAGE} is not up to date; run: cargo xtask precision");
    }
    println!("{PAGE} is up to date");
    Ok(())
}
