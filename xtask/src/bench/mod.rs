//! Benchmarks beside peers, in one run on one machine. docs/benchmarks.md
//! describes the method and holds the last results.

mod corpus;
mod deliver;
mod editor;
mod embed;
mod intelligence;
mod knowledge;
mod llm;
mod mcp;
mod scan;
mod stats;

use std::path::PathBuf;
use std::time::Duration;

use anyhow::Result;
use clap::{Args, ValueEnum};

use crate::tools::{cargo, python_tools, run, target_dir};

#[derive(Args)]
pub struct Options {
    /// Run only these parts
    #[arg(value_enum)]
    parts: Vec<Part>,
    /// How often each measurement is repeated
    #[arg(long, default_value_t = 200)]
    keystrokes: usize,
    /// How often each whole-tree check is repeated
    #[arg(long, default_value_t = 7)]
    rounds: usize,
    /// End a whole-tree check after so many seconds, and try none that is longer
    #[arg(long, default_value_t = 600, value_name = "SECONDS")]
    limit: u64,
    /// Measure this program in whole-tree checks, instead of building one
    #[arg(long, value_name = "FILE")]
    program: Option<PathBuf>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Part {
    /// Keystroke to diagnostics, start-up and memory of the language server
    Editor,
    /// Checks of a whole tree
    Scan,
    /// The built-in encoder
    Embed,
    /// Synchronising 10,000 recipes
    Knowledge,
    /// Bringing 1,000 recipes into the files of IDEs
    Deliver,
    /// Start and calls of the server for agents
    Mcp,
    /// The briefing of a project of 5,000 files, and questions about its calls
    Intelligence,
    /// Streams of models
    Llm,
}

/// The programs that are compared.
struct Programs {
    asd: PathBuf,
    ast_grep: PathBuf,
    rg: PathBuf,
    semgrep: PathBuf,
}

impl Programs {
    /// Builds ours unless there is one, gets the others.
    fn get(ours: Option<&PathBuf>) -> Result<Self> {
        let asd = match ours {
            Some(program) => std::path::absolute(program)?,
            None => {
                run(cargo().args(["build", "--release", "--quiet", "--package", "asd-cli"]))?;
                target_dir().join("release/asd")
            }
        };
        let peers = python_tools("peers", &["ast-grep-cli==0.51.1", "ripgrep==15.1.0"])?;
        let semgrep = python_tools("semgrep", &["semgrep==1.185.0"])?;
        Ok(Self {
            semgrep: semgrep.join("semgrep"),
            asd,
            ast_grep: peers.join("ast-grep"),
            rg: peers.join("rg"),
        })
    }
}

pub fn bench(options: &Options) -> Result<()> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    println!("on {cores} cores\n");
    let parts = if options.parts.is_empty() {
        Part::value_variants()
    } else {
        &options.parts
    };
    for part in parts {
        match part {
            Part::Editor => editor::bench(&Programs::get(None)?, options.keystrokes)?,
            Part::Scan => scan::bench(
                &Programs::get(options.program.as_ref())?,
                options.rounds,
                Duration::from_secs(options.limit),
            )?,
            Part::Llm => llm::bench()?,
            Part::Embed => embed::bench()?,
            Part::Knowledge => {
                run(cargo().args(["build", "--release", "--quiet", "--package", "asd-cli"]))?;
                knowledge::bench()?;
            }
            Part::Deliver => {
                run(cargo().args(["build", "--release", "--quiet", "--package", "asd-cli"]))?;
                deliver::bench()?;
            }
            Part::Mcp => {
                run(cargo().args(["build", "--release", "--quiet", "--package", "asd-cli"]))?;
                mcp::bench()?;
            }
            Part::Intelligence => {
                run(cargo().args(["build", "--release", "--quiet", "--package", "asd-cli"]))?;
                intelligence::bench()?;
            }
        }
    }
    Ok(())
}
