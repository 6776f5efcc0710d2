//! The arguments of `asd recipe approve` and its like, `asd proposals`,
//! `asd governance` and `asd status`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

#[derive(Debug, Args)]
pub(crate) struct MoveOptions {
    /// Ids or triggers, with or without `@`.
    #[arg(value_name = "RECIPE", required = true)]
    pub(crate) recipes: Vec<String>,
    /// Why; kept in the recipe's history.
    #[arg(long, value_name = "TEXT")]
    pub(crate) reason: Option<String>,
    /// Write JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct DeleteOptions {
    /// Ids or triggers, with or without `@`.
    #[arg(value_name = "RECIPE", required = true)]
    pub(crate) recipes: Vec<String>,
    /// Delete without asking.
    #[arg(short, long)]
    pub(crate) yes: bool,
    /// Write JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "The editor is the one that VISUAL or EDITOR names.")]
pub(crate) struct EditOptions {
    /// An id or a trigger, with or without `@`.
    #[arg(value_name = "RECIPE")]
    pub(crate) recipe: String,
}

#[derive(Debug, Args)]
#[command(after_help = "Signs of drift:
  symbol_missing     its code names what is defined nowhere any more
  zero_match         nothing that it names is there any more
  match_rate_drop    what it names occurs far less than it did
  api_deprecated     its code names what is marked as deprecated
  source_ref_stale   a source is gone

Exit codes:
  0  no recipe is outdated
  1  at least one is
  2  wrong usage, or nothing could be done

Examples:
  asd recipe drift                 all recipes in use
  asd recipe drift @retry-queue    one recipe")]
pub(crate) struct DriftOptions {
    /// An id or a trigger; all recipes by default.
    #[arg(value_name = "RECIPE")]
    pub(crate) recipe: Option<String>,
    /// Write JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ProposalsCommand {
    /// List the proposals that are open
    List(ProposalListOptions),
    /// Show a proposal, with the change that it would make
    Show(ProposalOptions),
    /// Let a proposal be observed, or carry it out at once
    Accept(AcceptOptions),
    /// Turn a proposal down
    Reject(RejectOptions),
}

#[derive(Debug, Args)]
pub(crate) struct ProposalListOptions {
    /// Also those that were decided.
    #[arg(long)]
    pub(crate) all: bool,
    /// Write JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ProposalOptions {
    /// The proposal's id; or a recipe that has one open proposal.
    #[arg(value_name = "PROPOSAL")]
    pub(crate) proposal: String,
    /// Write JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
#[command(
    after_help = "A proposal is observed for a while (a correction for a day, a deprecation
for a week) and then carried out by `asd governance run`, if the evidence is
still for it. With --now it is carried out at once."
)]
pub(crate) struct AcceptOptions {
    #[command(flatten)]
    pub(crate) proposal: ProposalOptions,
    /// Carry it out at once.
    #[arg(long)]
    pub(crate) now: bool,
}

#[derive(Debug, Args)]
pub(crate) struct RejectOptions {
    #[command(flatten)]
    pub(crate) proposal: ProposalOptions,
    /// Why.
    #[arg(long, value_name = "TEXT")]
    pub(crate) reason: Option<String>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum GovernanceCommand {
    /// Make the moves that are due, carry out proposals, mend sources
    Run(RunOptions),
    /// Everything below at a glance; nothing is written
    Report(ReportOptions),
    /// How far recipes have faded
    Decay(ReportOptions),
    /// How recipes in their grace period stand
    Staging(ReportOptions),
    /// Recipes that contradict each other
    Contradictions(ReportOptions),
    /// Recipes that say much the same
    Redundancy(ReportOptions),
    /// What the use of the recipes suggests
    Suggestions(ReportOptions),
    /// What was done to the knowledge, and by whom
    Audit(AuditOptions),
}

#[derive(Debug, Args)]
#[command(
    after_help = "This is the one command that writes what time and use decided. Elsewhere
such states are shown and used for ranking, but no file changes, so that
nothing moves by itself in an editor or in CI.

What it does:
  recipes whose grace period ended become active, or go back to review
  recipes that fade are marked, and retired when their time is over
  recipes that fade and were used again are active again
  proposals whose window is over are carried out or turned down
  sources that git renamed get their new path
  this machine's counts of use are added to Alembic/usage.json

Exit codes:
  0  done
  1  something could not be written
  2  wrong usage, or nothing could be done

Examples:
  asd governance run --dry-run
  asd governance run"
)]
pub(crate) struct RunOptions {
    /// Change nothing; say what would be done.
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Write JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ReportOptions {
    /// Write JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  asd governance audit
  asd governance audit --failures
  asd governance audit --actor external_agent --limit 100 --json")]
pub(crate) struct AuditOptions {
    /// Only what this role did: developer, external_agent, …
    #[arg(long, value_name = "ROLE")]
    pub(crate) actor: Option<String>,
    /// Only this action, for example knowledge:create.
    #[arg(long, value_name = "ACTION")]
    pub(crate) action: Option<String>,
    /// Only what was refused or failed.
    #[arg(long)]
    pub(crate) failures: bool,
    /// At most so many rows, the newest first; all with 0.
    #[arg(long, value_name = "N", default_value_t = 50)]
    pub(crate) limit: usize,
    /// Write JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "Exit codes:
  0  all is well
  1  something needs a person
  2  wrong usage, or nothing could be done")]
pub(crate) struct StatusOptions {
    /// Write JSON.
    #[arg(long)]
    pub(crate) json: bool,
    /// A folder of the project; the current folder by default.
    #[arg(long, value_name = "PATH", default_value = ".")]
    pub(crate) project: PathBuf,
}
