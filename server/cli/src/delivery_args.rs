//! The options of the commands that bring knowledge to IDEs and agents.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

#[derive(Debug, Args)]
#[command(after_help = "Exit codes:
  0  everything is as it should be; files of people may have been left alone
  1  a file could not be written
  2  the command could not be carried out

Examples:
  asd deliver --dry-run    what would be written, and what finds no place
  asd deliver --repair     close a section whose end marker got lost
  asd deliver --remove     take everything back")]
pub(crate) struct DeliverArguments {
    /// Write nothing; show what would be done.
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Write JSON.
    #[arg(long)]
    pub(crate) json: bool,
    /// Remove every delivered file, and our sections from files of people.
    #[arg(long, conflicts_with = "repair")]
    pub(crate) remove: bool,
    /// Close a section whose end marker is missing, if nothing but text that
    /// Alembic wrote follows.
    #[arg(long)]
    pub(crate) repair: bool,
    /// A folder of the project; the current folder by default.
    #[arg(long, value_name = "PATH", default_value = ".")]
    pub(crate) project: PathBuf,
}

#[derive(Debug, Args)]
#[command(after_help = "Exit codes:
  0  done
  1  a step failed; the others were carried out
  2  wrong usage

Running it twice changes nothing. Files of people are merged, never replaced.

Examples:
  asd setup --dry-run              show what would be written
  asd setup --seed                 with example recipes for the project's languages
  asd setup --ide codex,zed        other hosts than Cursor, VS Code and Claude Code
  asd setup --adopt AGENTS.md      add a section to a file of your own
  asd setup --undo                 take everything back but the knowledge")]
pub(crate) struct SetupArguments {
    /// Write Alembic/config.toml anew.
    #[arg(long)]
    pub(crate) force: bool,
    /// Add example recipes for the project's languages as candidates.
    #[arg(long)]
    pub(crate) seed: bool,
    /// Clone the knowledge from a repository of its own into Alembic/.
    #[arg(long, value_name = "URL")]
    pub(crate) repo: Option<String>,
    /// Write nothing into the project: keep the knowledge in your own folder.
    #[arg(long, conflicts_with_all = ["repo", "adopt", "claude_hooks", "git_hooks", "ide"])]
    pub(crate) ghost: bool,
    /// The hosts that are told of the server.
    #[arg(long, value_enum, value_delimiter = ',', value_name = "HOST")]
    pub(crate) ide: Vec<Ide>,
    /// Add a section to a file of your own: AGENTS.md or .github/copilot-instructions.md.
    #[arg(long, value_name = "FILE", conflicts_with = "no_deliver")]
    pub(crate) adopt: Option<String>,
    /// Have Claude Code look up what matters at the start of each session.
    #[arg(long)]
    pub(crate) claude_hooks: bool,
    /// Check what is about to be committed.
    #[arg(long)]
    pub(crate) git_hooks: bool,
    /// Do not write rule files.
    #[arg(long)]
    pub(crate) no_deliver: bool,
    /// Write nothing; show what would be done.
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Remove what setup and delivery wrote; the knowledge stays.
    #[arg(long, conflicts_with_all = [
        "force", "seed", "repo", "ghost", "ide", "adopt", "claude_hooks", "git_hooks", "no_deliver",
    ])]
    pub(crate) undo: bool,
    /// Write JSON.
    #[arg(long)]
    pub(crate) json: bool,
    /// The folder of the project; the current folder by default.
    #[arg(long, value_name = "PATH", default_value = ".")]
    pub(crate) project: PathBuf,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "lowercase")]
pub(crate) enum Ide {
    Cursor,
    Vscode,
    Claude,
    Codex,
    Zed,
    Windsurf,
    Trae,
    Qoder,
    All,
}

#[derive(Debug, Args)]
#[command(after_help = "Example:
  asd mirror --target trae")]
pub(crate) struct MirrorArguments {
    /// Who gets a copy.
    #[arg(long, value_enum, default_value_t)]
    pub(crate) target: Target,
    /// Write nothing; show what would be done.
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Write JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Target {
    Trae,
    Qoder,
    #[default]
    All,
}

#[derive(Debug, Subcommand)]
pub(crate) enum SkillCommand {
    /// List the skills of the project and the built-in ones
    List(SkillListArguments),
    /// Show a skill
    Show(SkillShowArguments),
    /// Write a new skill of the project
    New(SkillNewArguments),
    /// Change a skill of the project
    Update(SkillUpdateArguments),
    /// Delete a skill of the project with its folder
    Delete(SkillDeleteArguments),
    /// Name skills that the project might want
    Suggest(SkillListArguments),
}

#[derive(Debug, Args)]
pub(crate) struct SkillListArguments {
    /// Write JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct SkillShowArguments {
    /// Its name.
    pub(crate) name: String,
    /// Only the part below this heading.
    #[arg(long, value_name = "HEADING")]
    pub(crate) section: Option<String>,
    /// Write JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "Example:
  asd skill new release-train --description 'How to release. Use before a release.' --file notes.md")]
pub(crate) struct SkillNewArguments {
    /// Its name, in small letters with `-`.
    pub(crate) name: String,
    /// What it does and when it is used.
    #[arg(long, default_value = "")]
    pub(crate) description: String,
    /// Where its text is; `-` for stdin.
    #[arg(long, value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// Replace one of that name.
    #[arg(long)]
    pub(crate) overwrite: bool,
}

#[derive(Debug, Args)]
pub(crate) struct SkillUpdateArguments {
    /// Its name.
    pub(crate) name: String,
    /// Another description.
    #[arg(long)]
    pub(crate) description: Option<String>,
    /// Where its new text is; `-` for stdin.
    #[arg(long, value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct SkillDeleteArguments {
    /// Its name.
    pub(crate) name: String,
    /// Say that it shall really go.
    #[arg(long)]
    pub(crate) yes: bool,
}
