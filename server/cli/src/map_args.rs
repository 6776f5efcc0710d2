use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

#[derive(Clone, Debug, Args)]
pub(crate) struct MapProject {
    /// A folder of the project; the current folder by default.
    #[arg(long, value_name = "PATH", default_value = ".", global = true)]
    pub(crate) project: PathBuf,
    /// Write JSON.
    #[arg(long, global = true)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "Examples:
  asd map                   targets, modules and layers
  asd map files core        the files of a target, those to read first in front
  asd map modules --json"
)]
pub(crate) struct MapOptions {
    #[command(subcommand)]
    pub(crate) what: Option<MapCommand>,
    #[command(flatten)]
    pub(crate) project: MapProject,
}

#[derive(Debug, Subcommand)]
pub(crate) enum MapCommand {
    /// What is built, as manifests say
    Targets,
    /// The files of a target
    Files {
        /// The target's name or folder.
        target: String,
        /// The most files to list.
        #[arg(long, default_value_t = 500)]
        max: usize,
    },
    /// One target, what it needs and what needs it
    Target {
        /// The target's name or folder.
        target: String,
    },
    /// Modules, with how much they need each other
    Modules,
    /// Layers of modules, the highest first, and circles
    Layers,
    /// Which folder calls which
    Matrix,
}

#[derive(Debug, Args)]
#[command(
    after_help = "A node is a file by its path, a symbol as path#Type.name, or a name.

Examples:
  asd graph stats
  asd graph query src/net/client.ts
  asd graph impact src/net/client.ts#Client.send
  asd graph path src/main.ts src/store/db.ts"
)]
pub(crate) struct GraphOptions {
    #[command(subcommand)]
    pub(crate) what: GraphCommand,
    #[command(flatten)]
    pub(crate) project: MapProject,
}

#[derive(Debug, Subcommand)]
pub(crate) enum GraphCommand {
    /// What a node needs and what needs it
    Query {
        /// The node.
        node: String,
        /// Only edges of this relation: imports, uses, contains, calls, extends, conforms.
        #[arg(long)]
        relation: Option<String>,
    },
    /// What a change of a node reaches
    Impact {
        /// The node.
        node: String,
        /// How many edges to follow.
        #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u8).range(1..=10))]
        depth: u8,
    },
    /// The shortest way from one node to another
    Path {
        /// Where it starts.
        from: String,
        /// Where it ends.
        to: String,
        /// How many edges to follow.
        #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u8).range(1..=10))]
        depth: u8,
    },
    /// How many nodes and edges there are
    Stats,
    /// Every edge between files, or every call, a JSON object on each line
    Edges {
        /// Which edges.
        #[arg(value_enum)]
        kind: EdgeKind,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum EdgeKind {
    Imports,
    Calls,
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  asd calls send                    everything called send
  asd calls Client.send --depth 3
  asd calls net::send --direction impact --json")]
pub(crate) struct CallsOptions {
    /// `name`, `Type.name` or `mod::name`.
    pub(crate) name: String,
    /// Which way to follow calls.
    #[arg(long, value_enum, default_value_t)]
    pub(crate) direction: CallDirection,
    /// How many calls to follow.
    #[arg(long, default_value_t = 2, value_parser = clap::value_parser!(u8).range(1..=5))]
    pub(crate) depth: u8,
    #[command(flatten)]
    pub(crate) project: MapProject,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum CallDirection {
    Callers,
    Callees,
    #[default]
    Both,
    Impact,
}
