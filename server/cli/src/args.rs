use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::delivery_args::{DeliverArguments, MirrorArguments, SetupArguments, SkillCommand};
use crate::embed::EmbedOptions;
use crate::governance_args::{
    DeleteOptions, DriftOptions, EditOptions, GovernanceCommand, MoveOptions, ProposalsCommand,
    StatusOptions,
};
use crate::guard_args::{CiOptions, FeedbackOptions, MergeOptions, ReviewOptions, StagedOptions};
use crate::intelligence::{BootstrapOptions, PanoramaOptions, RescanOptions, WikiOptions};
use crate::map_args::{CallsOptions, GraphOptions, MapOptions};
use crate::mcp::McpOptions;
use crate::mine::MineArguments;
use crate::search::SearchOptions;
use crate::task::TaskCommand;
use crate::watch::WatchOptions;

/// A team's conventions, checked where the code is written.
#[derive(Debug, Parser)]
#[command(
    name = "asd",
    version,
    propagate_version = true,
    subcommand_required = true,
    arg_required_else_help = true,
    max_term_width = 100,
    after_help = "Examples:
  asd check                     check the current folder
  asd check src --fix           mend what can be mended without a look
  asd check --format sarif      a report for code scanning
  asd recipe new @retry-queue   start a recipe
  asd search 缓存 ttl           find the recipes that answer a question
  asd guard test                run the examples of all recipes
  asd guard ci                  judge the project by its quality gate

Settings are in Alembic/config.toml; `asd config schema` describes them."
)]
pub(crate) struct Arguments {
    /// When to use colours; NO_COLOR is honoured too.
    #[arg(long, global = true, value_enum, default_value_t, value_name = "WHEN")]
    pub(crate) color: Color,
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Color {
    /// When the output is a terminal.
    #[default]
    Auto,
    Always,
    Never,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    #[command(flatten)]
    Task(Task),
    /// Serve an editor over stdin and stdout (Language Server Protocol)
    Lsp(LspOptions),
    /// Serve AI agents (Model Context Protocol)
    Mcp(McpOptions),
}

/// What is done once and shown in the terminal.
#[derive(Debug, Subcommand)]
pub(crate) enum Task {
    /// Check files against the project's recipes and the built-in rules
    Check(CheckOptions),
    /// Check what changes while you work, and carry out directive comments
    Watch(WatchOptions),
    /// Check, list, explain and test rules
    #[command(subcommand)]
    Guard(GuardCommand),
    /// Write, check and look at recipes
    #[command(subcommand)]
    Recipe(RecipeCommand),
    /// Changes of recipes that somebody proposed
    #[command(subcommand)]
    Proposals(ProposalsCommand),
    /// What time and use do to recipes, and the account of it
    #[command(subcommand)]
    Governance(GovernanceCommand),
    /// How the project's knowledge stands
    Status(StatusOptions),
    /// Bring recipe files and their database in line
    Sync(SyncOptions),
    /// Find the recipes that answer a question, in English or Chinese
    Search(SearchOptions),
    /// What the project is made of: targets, modules, layers
    Map(MapOptions),
    /// Which file or symbol needs which
    Graph(GraphOptions),
    /// Who calls a function, what it calls, and how far a change reaches
    Calls(CallsOptions),
    /// Learn a project that is new: a session and a briefing for an agent
    Bootstrap(BootstrapOptions),
    /// Say which recipes still hold after the code changed
    Rescan(RescanOptions),
    /// Plan the project's wiki, and put its articles on record
    Wiki(WikiOptions),
    /// The architecture at a glance, with how well recipes cover it
    Panorama(PanoramaOptions),
    /// Find the conventions that the code itself follows
    Mine(MineArguments),
    /// Describe the settings
    #[command(subcommand)]
    Config(ConfigCommand),
    /// Install the model for search by meaning, and look at it
    Embed(EmbedOptions),
    /// Make a project ready: knowledge, IDE configuration, rule files
    Setup(SetupArguments),
    /// Bring the knowledge into the files that IDEs and agents read
    Deliver(DeliverArguments),
    /// Copy delivered rules and skills for Trae and Qoder
    Mirror(MirrorArguments),
    /// Read and write skills, the longer instructions for agents
    #[command(subcommand)]
    Skill(SkillCommand),
    /// See what the project knows about a piece of work
    #[command(subcommand)]
    #[command(name = "task")]
    Work(TaskCommand),
    /// Print a completion script
    #[command(after_help = "Examples:
  asd completions bash > /etc/bash_completion.d/asd
  asd completions zsh > ~/.zfunc/_asd
  asd completions fish > ~/.config/fish/completions/asd.fish")]
    Completions {
        /// The shell that it is for.
        #[arg(value_enum)]
        shell: clap_complete::Shell,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum GuardCommand {
    /// The same as `asd check`
    Check(CheckOptions),
    /// List the rules in force
    Rules(RulesOptions),
    /// Say what a rule is about, and where it comes from
    Explain(ExplainOptions),
    /// Run the examples of recipes against their guards
    Test(TestOptions),
    /// Check a project and judge it by the quality gate
    Ci(CiOptions),
    /// Join the reports of `ci --shard`
    Merge(MergeOptions),
    /// Check what is about to be committed
    Staged(StagedOptions),
    /// Review what has changed since the last commit
    Review(ReviewOptions),
    /// Say that a finding is right or wrong, or missing
    Feedback(FeedbackOptions),
}

#[derive(Debug, Subcommand)]
pub(crate) enum RecipeCommand {
    /// Start a recipe from a template
    New(NewOptions),
    /// Say what is wrong with recipes, and run their examples
    Check(RecipeCheckOptions),
    /// Tidy recipes; comments, order and code stay
    Fmt(FmtOptions),
    /// Show a recipe
    Show(ShowOptions),
    /// List recipes, or search them
    List(ListOptions),
    /// Open a recipe in an editor, and check it afterwards
    Edit(EditOptions),
    /// Accept a candidate: it goes into its grace period
    Approve(MoveOptions),
    /// Turn a candidate down; a staged one goes back to review
    Reject(MoveOptions),
    /// Make a candidate active, or a fading recipe again
    Publish(MoveOptions),
    /// Make a candidate active without a grace period
    FastTrack(MoveOptions),
    /// Send a staged candidate back to review
    ToDraft(MoveOptions),
    /// Say that a recipe is being changed
    Evolve(MoveOptions),
    /// Let a recipe fade
    Decay(MoveOptions),
    /// Make a fading or evolving recipe active again
    Restore(MoveOptions),
    /// Retire a recipe
    Deprecate(MoveOptions),
    /// Make a retired recipe a candidate again
    Reactivate(MoveOptions),
    /// Remove a recipe's file
    Delete(DeleteOptions),
    /// Say whether recipes still are what the code is
    Drift(DriftOptions),
    /// Print the JSON Schema of a recipe's front matter
    Schema,
}

#[derive(Debug, Args)]
#[command(after_help = "What it does:
  a recipe without an id gets one
  a recipe that was edited by hand is accepted, and its hash is right again
  a recipe in the wrong folder for its state goes to the other one
  the database in .asd/ is brought up to date, or made anew

Exit codes:
  0  everything is in line
  1  a file cannot be read, or two files have the same id or trigger
  2  wrong usage, or nothing could be done

Examples:
  asd sync --dry-run    say what would be done
  asd sync              do it
  asd sync --force      read every file again")]
pub(crate) struct SyncOptions {
    /// Change nothing; say what would be done.
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Read every recipe again and write every row anew.
    #[arg(long)]
    pub(crate) force: bool,
    /// Write the report as JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ConfigCommand {
    /// Print the JSON Schema of Alembic/config.toml
    Schema,
}

#[derive(Debug, Args)]
#[command(after_help = "Exit codes:
  0  no error was found (there may be warnings)
  1  an error was found, or a recipe is broken
  2  wrong usage, or nothing could be checked

Files that git ignores, dependencies and build results are left out, unless git
tracks them or they are named. A file in a project inside the project (a folder
with an Alembic/ of its own) is checked by that project's rules.

Examples:
  asd check
  asd check src/net --rules recipe
  asd check --fix --unsafe src/old.ts
  asd check --format github        annotations in a GitHub workflow")]
pub(crate) struct CheckOptions {
    /// Files and folders to check; the current folder by default.
    #[arg(value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,
    /// How the result is written.
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: Format,
    /// The same as `--format json`.
    #[arg(long, conflicts_with = "format")]
    pub(crate) json: bool,
    /// Apply the fixes that are marked safe, then check again.
    #[arg(long)]
    pub(crate) fix: bool,
    /// Apply the other fixes too; look at the result.
    #[arg(long = "unsafe", requires = "fix")]
    pub(crate) unsafe_fixes: bool,
    #[command(flatten)]
    pub(crate) project: ProjectOptions,
    /// How far rules may look.
    #[arg(short, long, value_enum, default_value_t)]
    pub(crate) scope: Scope,
}

// No doc comment: it would become that of every command with these options.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct ProjectOptions {
    /// Which rules are used.
    #[arg(long, value_enum, default_value_t)]
    pub(crate) rules: Rules,
    /// Settings that go over those of the project (TOML or JSON).
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// Check every file anew: neither use nor keep results of earlier runs.
    #[arg(long)]
    pub(crate) no_cache: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// For people.
    #[default]
    Text,
    Json,
    /// SARIF 2.1.0, for code scanning.
    Sarif,
    /// Annotations of a GitHub workflow.
    Github,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Rules {
    #[default]
    All,
    Builtin,
    Recipe,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Scope {
    #[default]
    File,
    Target,
    Project,
}

#[derive(Debug, Args)]
pub(crate) struct RulesOptions {
    /// Write JSON.
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) project: ProjectOptions,
}

#[derive(Debug, Args)]
pub(crate) struct ExplainOptions {
    /// The rule's id.
    pub(crate) rule: String,
    /// A folder or file of the project; the current folder by default.
    #[arg(long, value_name = "PATH", default_value = ".")]
    pub(crate) project: PathBuf,
}

#[derive(Debug, Args)]
#[command(
    after_help = "A recipe's fenced blocks `bad`, `good` and `fixed` are its tests.

Examples:
  asd guard test
  asd guard test Alembic/recipes/network"
)]
pub(crate) struct TestOptions {
    /// Recipe files or folders; all recipes by default.
    #[arg(value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,
}

#[derive(Debug, Args)]
#[command(after_help = "Example:
  asd recipe new @retry-queue --title 'RetryQueue backoff rule' --language rust")]
pub(crate) struct NewOptions {
    /// The unique name, for example @retry-queue.
    pub(crate) trigger: String,
    /// What it is about; made from the trigger by default.
    #[arg(long)]
    pub(crate) title: Option<String>,
    /// The language that it applies to.
    #[arg(long, default_value = "all")]
    pub(crate) language: String,
    /// The dimension that it belongs to; also the name of its folder.
    #[arg(long)]
    pub(crate) dimension: Option<String>,
    /// Put it in candidates/, where its guards are not in force yet.
    #[arg(long)]
    pub(crate) candidate: bool,
}

#[derive(Debug, Args)]
pub(crate) struct RecipeCheckOptions {
    /// Recipe files or folders; all recipes and settings by default.
    #[arg(value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,
    /// Write JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct FmtOptions {
    /// Recipe files or folders; all recipes by default.
    #[arg(value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,
    /// Write nothing; exit with 1 when a file would change.
    #[arg(long)]
    pub(crate) check: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ShowOptions {
    /// The trigger, with or without `@`; or the id.
    pub(crate) trigger: String,
    /// Write JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ListOptions {
    /// Words to search for, in English or Chinese.
    #[arg(value_name = "WORD")]
    pub(crate) query: Vec<String>,
    /// Only recipes in this state: pending, staging, active, evolving, decaying
    /// or deprecated.
    #[arg(long, value_name = "STATE")]
    pub(crate) status: Option<String>,
    /// Write JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
#[command(
    after_help = "Editors start this themselves. A record shows a fault to others: it holds
everything that was said, so look at it before you send it.

Examples:
  asd lsp --log debug
  asd lsp --record session.jsonl
  asd lsp --replay session.jsonl"
)]
pub(crate) struct LspOptions {
    /// The least level that is logged: error, warn, info, debug or trace.
    #[arg(long, env = "ASD_LOG", value_name = "LEVEL")]
    pub(crate) log: Option<String>,
    /// Write a record of the conversation.
    #[arg(long, value_name = "FILE")]
    pub(crate) record: Option<PathBuf>,
    /// Play a record back instead of talking to an editor.
    #[arg(long, value_name = "FILE", conflicts_with = "record")]
    pub(crate) replay: Option<PathBuf>,
    /// Accepted because editors add it: stdin and stdout are always used.
    #[arg(long, hide = true)]
    pub(crate) stdio: bool,
}

/// The command line with its older forms written out: `guard:check` as `guard
/// check`, and `guard FILE` as `guard check FILE`.
pub(crate) fn normalise(arguments: impl Iterator<Item = OsString>) -> Vec<OsString> {
    let mut arguments: Vec<OsString> = arguments.collect();
    // Options that stand before the command take no part in this.
    let Some(at) = (1..arguments.len()).find(|&i| !is_option(&arguments[i])) else {
        return arguments;
    };
    let split = arguments[at]
        .to_str()
        .and_then(|word| word.split_once(':'))
        .filter(|(group, _)| ["guard", "recipe", "config"].contains(group))
        .map(|(group, command)| (OsString::from(group), OsString::from(command)));
    if let Some((group, command)) = split {
        arguments.splice(at..=at, [group, command]);
    } else if arguments[at] == "guard"
        && arguments
            .get(at + 1)
            .is_some_and(|next| !is_guard_command(next))
    {
        arguments.insert(at + 1, "check".into());
    }
    arguments
}

fn is_option(argument: &OsString) -> bool {
    argument.to_string_lossy().starts_with("--color=")
}

fn is_guard_command(word: &OsString) -> bool {
    let known = [
        "check",
        "rules",
        "explain",
        "test",
        "ci",
        "merge",
        "staged",
        "review",
        "feedback",
        "help",
        "-h",
        "--help",
        "-V",
        "--version",
    ];
    known.iter().any(|command| word == command)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn normalised(line: &str) -> String {
        normalise(line.split(' ').map(OsString::from))
            .iter()
            .map(|word| word.to_string_lossy().into_owned())
            .collect::<Vec<_>>()
            .join(" ")
    }

    #[test]
    fn older_forms_are_written_out() {
        assert_eq!(normalised("asd guard:check src"), "asd guard check src");
        assert_eq!(
            normalised("asd guard a.ts b.ts"),
            "asd guard check a.ts b.ts"
        );
        assert_eq!(
            normalised("asd guard --json a.ts"),
            "asd guard check --json a.ts"
        );
        assert_eq!(normalised("asd guard rules"), "asd guard rules");
        assert_eq!(
            normalised("asd guard:ci --report json"),
            "asd guard ci --report json"
        );
        assert_eq!(normalised("asd guard staged"), "asd guard staged");
        assert_eq!(normalised("asd check a:b"), "asd check a:b");
        assert_eq!(normalised("asd recipe:new @x"), "asd recipe new @x");
    }

    #[test]
    fn the_command_line_is_well_formed() {
        use clap::CommandFactory;
        Arguments::command().debug_assert();
    }
}
