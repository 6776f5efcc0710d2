//! `asd`: the one binary of Alembic. It reads the command line, hands the work
//! to the rooms below and shows what comes back. Results go to stdout, notes
//! and progress to stderr.

mod args;
mod check;
mod codemap;
mod completions;
mod deliver;
mod delivery_args;
mod embed;
mod excerpt;
mod explain;
mod feedback;
mod fmt;
mod governance_args;
mod guard_args;
mod guard_ci;
mod guard_merge;
mod guard_review;
mod guard_staged;
mod guard_test;
mod intelligence;
mod map_args;
mod mcp;
mod mcp_tools;
mod mine;
mod output;
mod person;
mod recipe;
mod recipe_file;
mod rules;
mod search;
mod setup;
mod skill;
mod status;
mod sync;
mod table;
mod task;
mod terminal;
mod watch;

use std::process::ExitCode;

use clap::Parser;

use crate::args::{Arguments, Command, ConfigCommand, GuardCommand, Task, normalise};
use crate::terminal::Terminal;

/// What a command ends with. (guard.md §14)
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    /// Nothing is wrong.
    Fine,
    /// Something is wrong with what was checked.
    Errors,
    /// The command could not be carried out.
    Failed,
    /// What the quality gate says. (guard.md §14)
    Judged(asd_workspace::compliance::Verdict),
}

impl From<Outcome> for ExitCode {
    fn from(outcome: Outcome) -> Self {
        match outcome {
            Outcome::Fine => Self::SUCCESS,
            Outcome::Errors => Self::from(1),
            Outcome::Failed => Self::from(2),
            Outcome::Judged(verdict) => Self::from(verdict.code()),
        }
    }
}

fn main() -> ExitCode {
    let arguments = Arguments::parse_from(normalise(std::env::args_os()));
    let task = match arguments.command {
        Command::Task(task) => task,
        // Before anything takes hold of stdout, which is the wire.
        Command::Lsp(options) => {
            return ExitCode::from(asd_lsp::run(&asd_lsp::Options {
                log: options.log,
                record: options.record,
                replay: options.replay,
            }));
        }
        Command::Mcp(options) => return ExitCode::from(mcp::run(&options)),
    };
    let mut terminal = Terminal::new(arguments.color);
    match run(&task, &mut terminal).and_then(|outcome| {
        terminal.finish()?;
        Ok(outcome)
    }) {
        Ok(outcome) => outcome.into(),
        // Whoever reads the output has seen enough of it.
        Err(error) if is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            terminal.error(&told(&error));
            on_error(&task).into()
        }
    }
}

fn run(task: &Task, terminal: &mut Terminal) -> anyhow::Result<Outcome> {
    match task {
        Task::Check(options) | Task::Guard(GuardCommand::Check(options)) => {
            check::run(options, terminal)
        }
        Task::Watch(options) => watch::run(options, terminal),
        Task::Guard(GuardCommand::Rules(options)) => rules::run(options, terminal),
        Task::Guard(GuardCommand::Explain(options)) => explain::run(options, terminal),
        Task::Guard(GuardCommand::Test(options)) => guard_test::run(options, terminal),
        Task::Guard(GuardCommand::Ci(options)) => guard_ci::run(options, terminal),
        Task::Guard(GuardCommand::Merge(options)) => guard_merge::run(options, terminal),
        Task::Guard(GuardCommand::Staged(options)) => guard_staged::run(options, terminal),
        Task::Guard(GuardCommand::Review(options)) => guard_review::run(options, terminal),
        Task::Guard(GuardCommand::Feedback(options)) => feedback::run(options, terminal),
        Task::Recipe(command) => recipe::run(command, terminal),
        Task::Search(options) => search::run(options, terminal),
        Task::Proposals(command) => person::proposals(command, terminal),
        Task::Governance(command) => person::governance(command, terminal),
        Task::Status(options) => status::run(options, terminal),
        Task::Sync(options) => sync::run(options, terminal),
        Task::Map(options) => codemap::run_map(options, terminal),
        Task::Graph(options) => codemap::run_graph(options, terminal),
        Task::Calls(options) => codemap::run_calls(options, terminal),
        Task::Bootstrap(options) => intelligence::run_bootstrap(options, terminal),
        Task::Rescan(options) => intelligence::run_rescan(options, terminal),
        Task::Wiki(options) => intelligence::run_wiki(options, terminal),
        Task::Panorama(options) => intelligence::run_panorama(options, terminal),
        Task::Mine(options) => mine::run(options, terminal),
        Task::Config(ConfigCommand::Schema) => {
            terminal.json(&asd_store::config_schema())?;
            Ok(Outcome::Fine)
        }
        Task::Embed(options) => embed::run(options, terminal),
        Task::Deliver(options) => deliver::run(options, terminal),
        Task::Setup(options) => setup::run(options, terminal),
        Task::Mirror(options) => deliver::run_mirror(options, terminal),
        Task::Skill(command) => skill::run(command, terminal),
        Task::Work(command) => task::run(command, terminal),
        Task::Completions { shell } => completions::run(*shell, terminal),
    }
}

/// For a hook or a build, 2 has a meaning of its own. (guard.md §14)
fn on_error(task: &Task) -> Outcome {
    match task {
        Task::Guard(
            GuardCommand::Ci(_)
            | GuardCommand::Merge(_)
            | GuardCommand::Staged(_)
            | GuardCommand::Review(_),
        ) => Outcome::Errors,
        _ => Outcome::Failed,
    }
}

/// An error with its causes; one whose words stand in what was said already is
/// not said again.
fn told(error: &anyhow::Error) -> String {
    let mut told = String::new();
    for cause in error.chain().map(ToString::to_string) {
        if told.is_empty() {
            told = cause;
        } else if !told.contains(&cause) {
            told.push_str(": ");
            told.push_str(&cause);
        }
    }
    told
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| {
        let io = cause
            .downcast_ref::<std::io::Error>()
            .map(std::io::Error::kind);
        let json = cause
            .downcast_ref::<serde_json::Error>()
            .and_then(serde_json::Error::io_error_kind);
        io.or(json) == Some(std::io::ErrorKind::BrokenPipe)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cause_is_told_once() {
        let denied = || std::io::Error::from(std::io::ErrorKind::PermissionDenied);
        let error = anyhow::Error::new(denied()).context("cannot write a.md: permission denied");
        assert_eq!(told(&error), "cannot write a.md: permission denied");
        let error = anyhow::Error::new(denied()).context("cannot write a.md");
        assert_eq!(told(&error), "cannot write a.md: permission denied");
    }
}
