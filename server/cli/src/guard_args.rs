//! The options of the commands for teams and for continuous integration.

use std::path::PathBuf;

use asd_guard::GateThresholds;
use asd_store::QualityGate;
use asd_workspace::compliance::{GateLimits, Shard};
use clap::{ArgAction, Args, ValueEnum};

use crate::args::ProjectOptions;

/// What fails a build.
#[derive(Clone, Debug, Args)]
pub(crate) struct GateOptions {
    /// Whether errors fail the build.
    #[arg(
        long,
        value_name = "BOOL",
        action = ArgAction::Set,
        num_args = 0..=1,
        require_equals = true,
        default_value_t = true,
        default_missing_value = "true"
    )]
    pub(crate) fail_on_error: bool,
    /// Fail the build when the gate warns.
    #[arg(long)]
    pub(crate) fail_on_warning: bool,
    /// More warnings make the gate warn [default: 20, or that of the settings].
    #[arg(long, value_name = "N")]
    pub(crate) max_warnings: Option<u32>,
    /// More results that could not be decided fail the build.
    #[arg(long, value_name = "N", default_value_t = 50)]
    pub(crate) max_uncertain: usize,
    /// A lower coverage of the checks fails the build.
    #[arg(long, value_name = "PERCENT", default_value_t = 0, value_parser = clap::value_parser!(u8).range(0..=100))]
    pub(crate) min_coverage: u8,
    /// A lower score fails the build [default: 70, or that of the settings].
    #[arg(long, value_name = "SCORE", value_parser = clap::value_parser!(u32).range(0..=100))]
    pub(crate) min_score: Option<u32>,
}

impl GateOptions {
    /// What the gate permits, with what stands in the settings where the
    /// command line says nothing.
    pub(crate) fn thresholds(&self, settings: &QualityGate) -> GateThresholds {
        GateThresholds {
            max_errors: settings.max_errors,
            max_warnings: self.max_warnings.unwrap_or(settings.max_warnings),
            min_score: self.min_score.unwrap_or(settings.min_score),
        }
    }

    pub(crate) fn limits(&self) -> GateLimits {
        GateLimits {
            fail_on_error: self.fail_on_error,
            fail_on_warning: self.fail_on_warning,
            max_uncertain: self.max_uncertain,
            min_coverage: self.min_coverage,
        }
    }
}

/// Where a report goes, and in which form.
#[derive(Clone, Debug, Args)]
pub(crate) struct ReportOptions {
    /// How the report is written.
    #[arg(
        long,
        alias = "format",
        value_enum,
        default_value_t,
        value_name = "FORMAT"
    )]
    pub(crate) report: ReportFormat,
    /// Write the report to a file, in the form of `--report`.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum ReportFormat {
    /// For people.
    #[default]
    Text,
    /// Everything; also what `asd guard merge` reads.
    Json,
    /// For a job summary or a merge request.
    Markdown,
    /// A test report.
    Junit,
    /// SARIF 2.1.0, for code scanning.
    Sarif,
    /// GitLab's code quality report.
    Gitlab,
    /// Annotations of a GitHub workflow.
    Github,
}

#[derive(Debug, Args)]
#[command(after_help = "Exit codes:
  0  the gate passes
  1  there are more errors than permitted, or the check could not be made
  3  fewer checks were carried out than --min-coverage wants
  2  the score is too low, more results than --max-uncertain could not be
     decided, or the gate warns and --fail-on-warning is set
When several hold, the first of them in this list.

Examples:
  asd guard ci
  asd guard ci --report sarif --output guard.sarif
  asd guard ci --since origin/main --fail-on-warning
  asd guard ci --shard 2/4 --report json --output part-2.json")]
pub(crate) struct CiOptions {
    /// The project, or a folder in it.
    #[arg(value_name = "PATH", default_value = ".")]
    pub(crate) path: PathBuf,
    #[command(flatten)]
    pub(crate) gate: GateOptions,
    #[command(flatten)]
    pub(crate) report: ReportOptions,
    /// Check at most so many files; the rest lowers the coverage.
    #[arg(long, value_name = "N")]
    pub(crate) max_files: Option<usize>,
    /// Count violations in test files in full, not by half.
    #[arg(long)]
    pub(crate) include_tests: bool,
    /// Check only files that changed since REV and HEAD parted.
    #[arg(long, value_name = "REV")]
    pub(crate) since: Option<String>,
    /// Check one part of the files, for example 2/3; see `asd guard merge`.
    #[arg(long, value_name = "I/N")]
    pub(crate) shard: Option<Shard>,
    /// Do not remember this run in .asd/.
    #[arg(long)]
    pub(crate) no_store: bool,
    #[command(flatten)]
    pub(crate) project: ProjectOptions,
}

#[derive(Debug, Args)]
#[command(
    after_help = "The reports are those of `asd guard ci --shard I/N --report json`, all
parts of one run. The exit codes are those of `asd guard ci`.

Example:
  asd guard merge part-*.json --report junit --output guard.xml"
)]
pub(crate) struct MergeOptions {
    /// Reports of the parts.
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) gate: GateOptions,
    #[command(flatten)]
    pub(crate) report: ReportOptions,
}

#[derive(Debug, Args)]
#[command(
    after_help = "Files are checked as they will be committed: as they are in git's index,
not as they are on disk.

Exit codes:
  0  nothing is staged, or no error was found
  1  an error was found, or this is no git repository"
)]
pub(crate) struct StagedOptions {
    /// Whether errors fail the commit.
    #[arg(
        long,
        value_name = "BOOL",
        action = ArgAction::Set,
        num_args = 0..=1,
        require_equals = true,
        default_value_t = true,
        default_missing_value = "true"
    )]
    pub(crate) fail_on_error: bool,
    /// Write JSON.
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) project: ProjectOptions,
}

#[derive(Debug, Args)]
#[command(
    after_help = "Only violations on changed lines block; notes never do. After five failed
reviews of a session the next one passes and lists what is left.

Exit codes:
  0  the review passes
  1  it does not, or this is no git repository

Examples:
  asd guard review
  asd guard review --json --session my-agent
  asd guard review --files src/a.ts src/b.ts"
)]
pub(crate) struct ReviewOptions {
    /// Review these files instead of those that git says have changed.
    #[arg(value_name = "FILE")]
    pub(crate) named: Vec<PathBuf>,
    /// The same as naming them.
    #[arg(long, value_name = "FILE", num_args = 1..)]
    pub(crate) files: Vec<PathBuf>,
    /// Whose rounds are counted.
    #[arg(
        long,
        env = "ASD_SESSION",
        default_value = "terminal",
        value_name = "KEY"
    )]
    pub(crate) session: String,
    /// Let every violation in a changed file block, not only changed lines.
    #[arg(long)]
    pub(crate) whole_file: bool,
    /// Write JSON.
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) project: ProjectOptions,
}

#[derive(Debug, Args)]
#[command(
    after_help = "Verdicts are kept in Alembic/feedback.json, for everyone. They say how
precise a rule is; `asd guard ci` shows which rules need a look.

Examples:
  asd guard feedback js-no-var fp src/legacy.js:12 --reason 'generated'
  asd guard feedback no-raw-fetch correct src/a.ts:3
  asd guard feedback no-raw-fetch fn src/b.ts:40"
)]
pub(crate) struct FeedbackOptions {
    /// The rule's id.
    pub(crate) rule: String,
    /// What you say of it.
    #[arg(value_enum)]
    pub(crate) verdict: Said,
    /// The file, with the line when the rule found more than one thing in it.
    #[arg(value_name = "FILE[:LINE]")]
    pub(crate) place: Option<String>,
    /// Why.
    #[arg(long)]
    pub(crate) reason: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Said {
    /// The rule is right.
    Correct,
    /// There is no fault here.
    #[value(alias = "false-positive", alias = "false_positive")]
    Fp,
    /// There is a fault that the rule does not see.
    #[value(alias = "false-negative", alias = "false_negative")]
    Fn,
}
