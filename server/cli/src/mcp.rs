//! `asd mcp`: the door for AI agents.

use std::path::{Path, PathBuf};
use std::time::Duration;

use asd_mcp::{Connection, HttpServer, Opening, Server, serve_stdio};
use asd_store::{LogFile, Project};
use asd_workspace::Settings;
use asd_workspace::service::tools::Tier;
use asd_workspace::service::{Caller, Service};
use clap::Args;
use tracing_subscriber::fmt::writer::MakeWriterExt;

/// How long the account of the work is waited for at the end, and then whatever
/// still runs; with the last answers it is less than the three seconds after
/// which hosts kill.
const LAST: Duration = Duration::from_millis(800);
const REST: Duration = Duration::from_millis(200);

#[derive(Debug, Args)]
#[command(after_help = "Environment:
  ASD_PROJECT_DIR  the project; goes before --project
  ASD_MCP_TIER     agent (default) or admin: which tools are offered
  ASD_MCP_ROLE     the role of the caller, of Alembic/constitution.yaml

Examples:
  asd mcp                     serve an agent over stdin and stdout
  asd mcp --http --port 7070  serve agents on this machine over HTTP

`asd setup` writes the configuration for editors and agents.")]
pub(crate) struct McpOptions {
    /// A folder of the project; the project that holds the current folder by
    /// default.
    #[arg(long, value_name = "PATH")]
    project: Option<PathBuf>,
    /// Serve over HTTP on the loopback address instead.
    #[arg(long)]
    http: bool,
    /// Print what agents can call, as Markdown, and serve nobody.
    #[arg(long, exclusive = true)]
    tools: bool,
    /// The port for --http; 0 takes a free one.
    #[arg(long, value_name = "PORT", default_value_t = 0, requires = "http")]
    port: u16,
    /// The token that clients must send; a new one is made by default.
    #[arg(
        long,
        value_name = "TOKEN",
        env = "ASD_MCP_TOKEN",
        hide_env_values = true,
        requires = "http"
    )]
    token: Option<String>,
}

/// Serves until the client goes; the exit code.
pub(crate) fn run(options: &McpOptions) -> u8 {
    if options.tools {
        anstream::print!("{}", crate::mcp_tools::markdown());
        return 0;
    }
    let Some(root) = root(options) else {
        return 2;
    };
    log(&root);
    let tier = tier();
    let caller = Caller {
        role: std::env::var("ASD_MCP_ROLE")
            .ok()
            .filter(|role| !role.trim().is_empty())
            .unwrap_or_else(|| tier.role().to_owned()),
        ..Caller::agent(tier)
    };
    // Calls that read files and search run beside each other, but no more of
    // them than serve anybody.
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .max_blocking_threads(16)
        .enable_all()
        .build();
    let runtime = match runtime {
        Ok(runtime) => runtime,
        Err(error) => {
            tracing::error!(%error, "cannot start");
            return 1;
        }
    };
    approve_reading(&root);
    let opening = Opening::begin(move || Service::open(&root, Settings::default()).delivering());
    let code = if options.http {
        runtime.block_on(http(options, opening, caller))
    } else {
        runtime.block_on(stdio(opening, caller))
    };
    runtime.shutdown_timeout(REST);
    code
}

/// Acts on the wish of an earlier run that its host need not ask about tools
/// that only read; before the host is talked to. (delivery.md §14)
fn approve_reading(root: &Path) {
    let tools = asd_workspace::delivery::auto_approved_tools();
    if let Err(error) = asd_delivery::apply_auto_approve(&Project::at(root), &tools) {
        tracing::warn!(%error, "the host goes on asking about tools that only read");
    }
}

async fn stdio(opening: Opening, caller: Caller) -> u8 {
    let connection = Connection::new(opening, caller);
    let served = serve_stdio(Server::new(connection.catalog()), asked_to_stop()).await;
    let leaving = tokio::task::spawn_blocking(move || connection.leave());
    let _ = tokio::time::timeout(LAST, leaving).await;
    match served {
        Ok(()) => 0,
        Err(error) => {
            tracing::error!(%error, "the connection ended");
            1
        }
    }
}

async fn http(options: &McpOptions, opening: Opening, caller: Caller) -> u8 {
    let server = match HttpServer::bind(options.port).await {
        Ok(server) => server,
        Err(error) => {
            complain(&format!("cannot listen on port {}: {error}", options.port));
            return 1;
        }
    };
    let token = options.token.clone().unwrap_or_else(asd_mcp::new_token);
    complain(&format!("{}\ntoken: {token}", server.url()));
    let sessions = asd_mcp::Connections::new(opening, caller);
    let served = server
        .serve(Some(token), sessions.connect(), asked_to_stop())
        .await;
    let leaving = tokio::task::spawn_blocking(move || sessions.leave());
    let _ = tokio::time::timeout(LAST, leaving).await;
    match served {
        Ok(()) => 0,
        Err(error) => {
            tracing::error!(%error, "the server ended");
            1
        }
    }
}

/// Where the project lies; `None`, and a word about it, when what was named is
/// no folder.
fn root(options: &McpOptions) -> Option<PathBuf> {
    let named = std::env::var_os("ASD_PROJECT_DIR")
        .filter(|value| !value.is_empty())
        .map(PathBuf::from)
        .or_else(|| options.project.clone());
    let folder = match named {
        // Hosts that do not expand it mean the folder that they start us in.
        Some(named) if named == Path::new("${workspaceFolder}") => PathBuf::from("."),
        Some(named) => named,
        None => PathBuf::from("."),
    };
    if !folder.is_dir() {
        complain(&format!(
            "{} is not a folder; name the project with ASD_PROJECT_DIR or --project",
            folder.display()
        ));
        return None;
    }
    Some(Project::discover(&folder).root().to_path_buf())
}

fn tier() -> Tier {
    match std::env::var("ASD_MCP_TIER") {
        Ok(name) if !name.trim().is_empty() => Tier::parse(&name).unwrap_or_else(|| {
            complain(&format!(
                "ASD_MCP_TIER is `{name}`, which is neither agent nor admin; agent is taken"
            ));
            Tier::Agent
        }),
        _ => Tier::Agent,
    }
}

/// Ready when the system or the person wants us to end.
async fn asked_to_stop() {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        if let Ok(mut end) = signal(SignalKind::terminate()) {
            tokio::select! {
                _ = end.recv() => {}
                _ = tokio::signal::ctrl_c() => {}
            }
            return;
        }
    }
    let _ = tokio::signal::ctrl_c().await;
}

/// Says something to whoever started the server; stdout is not ours.
fn complain(text: &str) {
    anstream::eprintln!("asd: {text}");
}

/// Warnings go to stderr and into the project's log; stdout belongs to the
/// protocol.
fn log(root: &Path) {
    let filter = tracing_subscriber::EnvFilter::try_from_env("ASD_LOG")
        .unwrap_or_else(|_| tracing_subscriber::EnvFilter::new("warn,rmcp=error"));
    let file = LogFile::new(&Project::at(root), "mcp");
    let _ = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr.and(move || file.clone()))
        .with_ansi(false)
        .try_init();
}
