//! `asd bootstrap`, `asd rescan`, `asd wiki` and `asd panorama`: what agents
//! have as tools, in the terminal.

use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::{Context, bail};
use asd_store::Project;
use asd_workspace::Settings;
use asd_workspace::service::{Caller, Envelope, PictureFormat, Service};
use clap::{Args, Subcommand, ValueEnum};
use serde_json::{Map, Value, json};

use crate::Outcome;
use crate::terminal::Terminal;

#[derive(Debug, Args)]
pub(crate) struct Where {
    /// A folder of the project; the current folder by default.
    #[arg(long, value_name = "PATH", default_value = ".", global = true)]
    project: PathBuf,
    /// Write JSON.
    #[arg(long, global = true)]
    json: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  asd bootstrap            read the project, begin a session, show what was found
  asd bootstrap --json     the whole briefing, as an agent gets it")]
pub(crate) struct BootstrapOptions {
    #[command(flatten)]
    at: Where,
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  asd rescan
  asd rescan --dimension error-resilience --reason \"after the merge\"")]
pub(crate) struct RescanOptions {
    /// Only recipes of this dimension; may be given several times.
    #[arg(long = "dimension", value_name = "ID")]
    dimensions: Vec<String>,
    /// Why, for the record.
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
    /// Look at unchanged files too.
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    at: Where,
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  asd wiki plan --language en
  asd wiki finalize index.md modules/net.md")]
pub(crate) struct WikiOptions {
    #[command(subcommand)]
    what: WikiCommand,
    /// The language of the articles.
    #[arg(long, value_enum, default_value_t, global = true)]
    language: Tongue,
    #[command(flatten)]
    at: Where,
}

#[derive(Debug, Subcommand)]
pub(crate) enum WikiCommand {
    /// Which articles should be written
    Plan,
    /// Check articles that were written and put them on record
    Finalize {
        /// Their paths below Alembic/wiki/.
        #[arg(required = true, value_name = "PATH")]
        articles: Vec<String>,
    },
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Tongue {
    #[default]
    Zh,
    En,
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  asd panorama                                    layers, coverage, gaps
  asd panorama health
  asd panorama module net
  asd panorama --format html --output panorama.html
  asd panorama --format mermaid                   a diagram for Markdown")]
pub(crate) struct PanoramaOptions {
    /// What to show.
    #[arg(value_enum, default_value_t, value_name = "WHAT")]
    what: View,
    /// The module, for `module`.
    #[arg(value_name = "MODULE")]
    module: Option<String>,
    /// Draw the architecture instead.
    #[arg(long, value_enum, value_name = "FORMAT", conflicts_with_all = ["what", "module"])]
    format: Option<Format>,
    /// Write the picture to a file instead of standard output.
    #[arg(long, short, value_name = "FILE", requires = "format")]
    output: Option<PathBuf>,
    #[command(flatten)]
    at: Where,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum View {
    #[default]
    Overview,
    Module,
    Gaps,
    Health,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    Svg,
    Mermaid,
    Html,
}

/// An opened project whose reading a person can follow.
fn open(at: &Where, terminal: &Terminal) -> Service {
    let project = Project::discover(&at.project);
    let service = Service::once(project.root(), Settings::default());
    if !terminal.shows_progress {
        return service;
    }
    let shown = AtomicUsize::new(0);
    service.telling(move |done, total| {
        // Every hundredth part is enough for a person.
        let step = (total / 100).max(1);
        if done / step > shown.fetch_max(done / step, Ordering::Relaxed) {
            anstream::eprint!("\rReading {done}/{total} files");
            if done == total {
                anstream::eprint!("\r\u{1b}[K");
            }
        }
    })
}

/// Calls a tool; its result as JSON when that is wanted, else as `show` does.
fn call(
    tool: &str,
    arguments: Value,
    at: &Where,
    terminal: &mut Terminal,
    show: fn(&Value, &mut Terminal) -> anyhow::Result<()>,
) -> anyhow::Result<Outcome> {
    let service = open(at, terminal);
    let session = Mutex::new(service.session());
    let arguments = match arguments {
        Value::Object(arguments) => arguments,
        _ => Map::new(),
    };
    let envelope: Envelope = service.call(tool, arguments, &Caller::terminal(), &session);
    service.flush();
    for warning in &envelope.meta.warnings {
        terminal.note(warning);
    }
    if at.json {
        terminal.json(&envelope)?;
    } else if envelope.success {
        let data = envelope.data.unwrap_or_default();
        show(&data, terminal)?;
        terminal.note(&envelope.message);
    } else {
        bail!("{}", envelope.message);
    }
    Ok(if envelope.success {
        Outcome::Fine
    } else {
        Outcome::Failed
    })
}

pub(crate) fn run_bootstrap(
    options: &BootstrapOptions,
    terminal: &mut Terminal,
) -> anyhow::Result<Outcome> {
    call(
        "asd_bootstrap",
        json!({}),
        &options.at,
        terminal,
        |data, terminal| {
            let project = &data["projectMeta"];
            terminal.line(&format!(
                "{}: {} files, {} lines, {}",
                text(&project["name"]),
                project["fileCount"],
                project["lineCount"],
                text(&project["primaryLanguage"])
            ))?;
            let ast = &data["ast"];
            terminal.line(&format!(
                "{} types, {} functions, {} interfaces, {} known calls, {} modules",
                ast["types"],
                ast["functions"],
                ast["protocols"],
                data["callGraph"]["edges"],
                items(&data["dependencyGraph"]["nodes"]).len()
            ))?;
            let guard = &data["guardFindings"];
            terminal.line(&format!(
                "{} errors, {} warnings",
                guard["errors"], guard["warnings"]
            ))?;
            terminal.line("")?;
            for dimension in items(&data["dimensions"]) {
                terminal.line(&format!(
                    "{:<26} tier {}  {}",
                    text(&dimension["id"]),
                    dimension["tier"],
                    items(&dimension["guide"]["files"])
                        .first()
                        .map(text)
                        .unwrap_or_default()
                ))?;
            }
            terminal.line("")
        },
    )
}

pub(crate) fn run_rescan(
    options: &RescanOptions,
    terminal: &mut Terminal,
) -> anyhow::Result<Outcome> {
    let mut arguments = json!({"dimensions": options.dimensions, "force": options.force});
    if let Some(reason) = &options.reason {
        arguments["reason"] = json!(reason);
    }
    call(
        "asd_rescan",
        arguments,
        &options.at,
        terminal,
        |data, terminal| {
            for row in items(&data["audit"]) {
                terminal.line(&format!(
                    "{:<8} {:>5}  {}",
                    text(&row["verdict"]),
                    row["score"],
                    text(&row["title"])
                ))?;
            }
            for action in items(&data["autoActions"]) {
                terminal.line(&format!(
                    "proposed to deprecate {}",
                    text(&action["recipeId"])
                ))?;
            }
            for gap in items(&data["gaps"]) {
                terminal.line(&format!(
                    "gap      {}: {} of {}",
                    text(&gap["dimensionId"]),
                    gap["have"],
                    gap["target"]
                ))?;
            }
            Ok(())
        },
    )
}

pub(crate) fn run_wiki(options: &WikiOptions, terminal: &mut Terminal) -> anyhow::Result<Outcome> {
    let language = match options.language {
        Tongue::Zh => "zh",
        Tongue::En => "en",
    };
    match &options.what {
        WikiCommand::Plan => {
            let arguments = json!({"operation": "plan", "language": language});
            call(
                "asd_wiki",
                arguments,
                &options.at,
                terminal,
                |data, terminal| {
                    for topic in items(&data["topics"]) {
                        terminal.line(&format!(
                            "{:>3}  {:<32} {}",
                            topic["priority"],
                            text(&topic["path"]),
                            text(&topic["title"])
                        ))?;
                    }
                    Ok(())
                },
            )
        }
        WikiCommand::Finalize { articles } => {
            let arguments = json!({
                "operation": "finalize",
                "language": language,
                "articlesWritten": articles,
            });
            call(
                "asd_wiki",
                arguments,
                &options.at,
                terminal,
                |data, terminal| terminal.line(&text(&data["metaPath"])),
            )
        }
    }
}

pub(crate) fn run_panorama(
    options: &PanoramaOptions,
    terminal: &mut Terminal,
) -> anyhow::Result<Outcome> {
    if let Some(format) = options.format {
        return draw(options, format, terminal);
    }
    let operation = match options.what {
        View::Overview => "overview",
        View::Module => "module",
        View::Gaps => "gaps",
        View::Health => "health",
    };
    let mut arguments = json!({"operation": operation});
    if let Some(module) = &options.module {
        arguments["module"] = json!(module);
    }
    let show = match options.what {
        View::Overview => show_overview,
        View::Module => show_module,
        View::Gaps => show_gaps,
        View::Health => show_health,
    };
    call("asd_panorama", arguments, &options.at, terminal, show)
}

fn draw(
    options: &PanoramaOptions,
    format: Format,
    terminal: &mut Terminal,
) -> anyhow::Result<Outcome> {
    let format = match format {
        Format::Svg => PictureFormat::Svg,
        Format::Mermaid => PictureFormat::Mermaid,
        Format::Html => PictureFormat::Html,
    };
    let picture = open(&options.at, terminal).picture(format)?;
    match &options.output {
        Some(file) => {
            std::fs::write(file, picture)
                .with_context(|| format!("cannot write {}", file.display()))?;
            terminal.note(&format!("Wrote {}", file.display()));
        }
        None => terminal.line(picture.trim_end())?,
    }
    Ok(Outcome::Fine)
}

fn show_overview(data: &Value, terminal: &mut Terminal) -> anyhow::Result<()> {
    for layer in items(&data["layers"]).iter().rev() {
        terminal.line(&text(&layer["name"]))?;
        for module in items(&layer["modules"]) {
            terminal.line(&format!(
                "  {:<28} {:<11} {:>5} files  {:>3} recipes",
                text(&module["name"]),
                text(&module["role"]),
                module["fileCount"],
                module["recipeCount"]
            ))?;
        }
    }
    for cycle in items(&data["cycles"]) {
        let names: Vec<String> = items(&cycle["modules"]).iter().map(text).collect();
        terminal.line(&format!(
            "{}: a circle of {}",
            text(&cycle["severity"]),
            names.join(", ")
        ))?;
    }
    Ok(())
}

fn show_module(data: &Value, terminal: &mut Terminal) -> anyhow::Result<()> {
    terminal.line(&format!(
        "{} ({})",
        text(&data["name"]),
        text(&data["role"])
    ))?;
    for (title, key) in [("needs", "dependencies"), ("needed by", "dependents")] {
        let names: Vec<String> = items(&data["neighbours"][key])
            .iter()
            .map(|one| text(&one["name"]))
            .collect();
        if !names.is_empty() {
            terminal.line(&format!("  {title:<10} {}", names.join(", ")))?;
        }
    }
    for recipe in items(&data["recipes"]) {
        terminal.line(&format!(
            "  {}  {}",
            text(&recipe["trigger"]),
            text(&recipe["title"])
        ))?;
    }
    Ok(())
}

fn show_gaps(data: &Value, terminal: &mut Terminal) -> anyhow::Result<()> {
    for gap in items(data) {
        terminal.line(&format!(
            "{:<7} {:<26} {} ({} recipes)",
            text(&gap["priority"]),
            text(&gap["dimension"]),
            text(&gap["status"]),
            gap["recipeCount"]
        ))?;
    }
    Ok(())
}

fn show_health(data: &Value, terminal: &mut Terminal) -> anyhow::Result<()> {
    for row in items(&data["radar"]["dims"]) {
        terminal.line(&format!(
            "{:<26} {:>3}  {}",
            text(&row["id"]),
            row["score"],
            text(&row["status"])
        ))?;
    }
    terminal.line(&format!(
        "{} circles, coupling {}, {}",
        data["cycles"],
        data["avgCoupling"],
        text(&data["trend"]["direction"])
    ))
}

fn items(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn text(value: &Value) -> String {
    value.as_str().map_or_else(String::new, str::to_owned)
}
