//! Documents and schemas that are made from the code, so that they are true.

use anyhow::{Result, bail};

use crate::tools::{cargo, command, output, root, run, target_dir};

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    Write,
    Check,
}

/// Each generated file with the `asd` call that prints it.
const GENERATED: &[(&str, &[&str])] = &[
    ("docs/schema/config.schema.json", &["config", "schema"]),
    ("docs/schema/recipe.schema.json", &["recipe", "schema"]),
    ("docs/mcp-tools.md", &["mcp", "--tools"]),
];

pub fn generate(mode: Mode) -> Result<()> {
    run(cargo().args(["build", "--quiet", "--package", "asd-cli"]))?;
    let mut stale = Vec::new();
    for (path, args) in GENERATED {
        // The root of the repository holds no recipes, so that what is printed
        // depends on the program alone.
        let text = output(command(target_dir().join("debug/asd")).args(*args))?;
        let file = root().join(path);
        if std::fs::read_to_string(&file).is_ok_and(|have| have == text) {
            continue;
        }
        match mode {
            Mode::Check => stale.push(*path),
            Mode::Write => {
                std::fs::create_dir_all(file.parent().expect("a file has a folder"))?;
                std::fs::write(&file, text)?;
                println!("wrote {path}");
            }
        }
    }
    if !stale.is_empty() {
        bail!(
            "not up to date: {}; run `cargo xtask gen`",
            stale.join(", ")
        );
    }
    println!("{} generated files are up to date", GENERATED.len());
    Ok(())
}
