//! The project's own tasks: `cargo xtask <task>`. `cargo xtask --help` lists
//! them. Everything that a task needs beside Rust, Node and Python is fetched
//! by name from the package registries into a cache outside of the repository.

#![expect(clippy::print_stdout, reason = "what a task finds is for its reader")]

mod bench;
mod codemap_quality;
mod demo;
mod eval;
mod fuzz;
mod gen_docs;
mod local_model;
mod mcp;
mod mining;
mod model;
mod precision;
mod rooms;
mod test;
mod tools;

use clap::{Parser, Subcommand};

#[derive(Parser)]
#[command(
    about = "Tasks of the Alembic repository",
    arg_required_else_help = true
)]
struct Args {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Build asd and check the sample project with it
    Demo,
    /// Run every test of every language and client
    Test(test::Options),
    /// Measure speed and memory beside peers
    Bench(bench::Options),
    /// Measure how well search finds
    Eval(eval::Options),
    /// Get and convert the model of the built-in encoder
    Model(model::Options),
    /// Compare the code map with compilers and other analysers
    CodemapQuality(codemap_quality::Options),
    /// Feed random input for a while
    Fuzz(fuzz::Options),
    /// Count how often the built-in rules are right on real code
    Precision(precision::Options),
    /// Count how often mined conventions are right on real code
    Mining(mining::Options),
    /// Write the generated documents and schemas
    Gen {
        /// Change nothing; fail when a generated file is not up to date
        #[arg(long)]
        check: bool,
    },
}

fn main() -> anyhow::Result<()> {
    match Args::parse().task {
        Task::Demo => demo::demo(),
        Task::Test(options) => test::test(&options),
        Task::Bench(options) => bench::bench(&options),
        Task::Eval(options) => eval::eval(&options),
        Task::Model(options) => model::model(&options),
        Task::CodemapQuality(options) => codemap_quality::measure(&options),
        Task::Fuzz(options) => fuzz::fuzz(&options),
        Task::Mining(options) => mining::mining(&options),
        Task::Precision(options) => precision::precision(&options),
        Task::Gen { check } => gen_docs::generate(if check {
            gen_docs::Mode::Check
        } else {
            gen_docs::Mode::Write
        }),
    }
}
