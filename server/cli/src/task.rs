//! `asd task`: the account of work in the terminal and from hooks.

use std::io::Read;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use anyhow::Context;
use asd_store::Project;
use asd_workspace::Settings;
use asd_workspace::service::{Caller, Envelope, Service};
use asd_workspace::task::{OpenWork, Session};
use clap::{Args, Subcommand};
use serde_json::{Map, Value, json};

use crate::Outcome;
use crate::terminal::Terminal;

#[derive(Debug, Subcommand)]
pub(crate) enum TaskCommand {
    /// Show what the project knows about a piece of work
    #[command(after_help = "Examples:
  asd task prime add a cache to the ledger client
  asd task prime --file src/net/client.ts 重试失败的请求
  asd task prime --stdin < prompt.json   for hooks of an agent")]
    Prime(PrimeOptions),
    /// Open a task; what is open is left for it
    Create(CreateOptions),
    /// Write down what was decided
    Decide(DecideOptions),
    /// Close the open task as done
    Close(EndOptions),
    /// Close the open task as failed
    Fail(EndOptions),
    /// Show the open task
    Show(ShowOptions),
}

#[derive(Debug, Args)]
pub(crate) struct CreateOptions {
    /// What is done, in a few words.
    #[arg(value_name = "TITLE", required = true)]
    title: Vec<String>,
    #[command(flatten)]
    show: ShowOptions,
}

#[derive(Debug, Args)]
pub(crate) struct DecideOptions {
    /// What it is about.
    #[arg(value_name = "TITLE")]
    title: String,
    /// What was decided.
    #[arg(value_name = "DECISION")]
    description: String,
    /// Why.
    #[arg(long, value_name = "TEXT")]
    rationale: Option<String>,
    #[command(flatten)]
    show: ShowOptions,
}

#[derive(Debug, Args)]
pub(crate) struct EndOptions {
    /// What was done, or why it failed.
    #[arg(value_name = "REASON")]
    reason: Vec<String>,
    /// The task; the open one by default.
    #[arg(long, value_name = "ID")]
    id: Option<String>,
    #[command(flatten)]
    show: ShowOptions,
}

#[derive(Debug, Args)]
pub(crate) struct ShowOptions {
    /// Write JSON.
    #[arg(long)]
    json: bool,
    /// A folder of the project; the current folder by default.
    #[arg(long, value_name = "PATH", default_value = ".")]
    project: PathBuf,
}

#[derive(Debug, Args)]
pub(crate) struct PrimeOptions {
    /// What is to be done.
    #[arg(value_name = "WORDS")]
    words: Vec<String>,
    /// The file that is open.
    #[arg(long, value_name = "PATH")]
    file: Option<String>,
    /// Only recipes of this language.
    #[arg(long, value_name = "LANGUAGE")]
    language: Option<String>,
    /// Read the words from standard input: plain text, or the JSON that an
    /// agent gives its hooks.
    #[arg(long, conflicts_with = "words")]
    stdin: bool,
    /// Write JSON.
    #[arg(long)]
    json: bool,
    /// A folder of the project; the current folder by default.
    #[arg(long, value_name = "PATH", default_value = ".")]
    project: PathBuf,
}

/// The task that is open in the terminal; each command takes it up.
const OPEN: &str = ".asd/task.json";

pub(crate) fn run(command: &TaskCommand, terminal: &mut Terminal) -> anyhow::Result<Outcome> {
    let (operation, fields, show) = match command {
        TaskCommand::Prime(options) => return prime(options, terminal),
        TaskCommand::Show(show) => return show_open(show, terminal),
        TaskCommand::Create(options) => (
            "create",
            vec![("title", Some(options.title.join(" ")))],
            &options.show,
        ),
        TaskCommand::Decide(options) => (
            "record_decision",
            vec![
                ("title", Some(options.title.clone())),
                ("description", Some(options.description.clone())),
                ("rationale", options.rationale.clone()),
            ],
            &options.show,
        ),
        TaskCommand::Close(options) => ("close", end(options), &options.show),
        TaskCommand::Fail(options) => ("fail", end(options), &options.show),
    };
    let project = Project::discover(&show.project);
    let service = Service::once(project.root(), Settings::default());
    let now = asd_store::now().0;
    let open = open_work(&project)?;
    let mut session = match open {
        Some(work) => Session::resume(project.root(), work, now),
        None => service.session(),
    };
    let mut arguments = Map::new();
    arguments.insert("operation".to_owned(), json!(operation));
    for (name, value) in fields {
        if let Some(value) = value {
            arguments.insert(name.to_owned(), json!(value));
        }
    }
    if operation == "create" && session.intent.task_id.is_some() {
        service.leave(&Mutex::new(session));
        session = service.session();
    } else if operation == "fail" && !arguments.contains_key("id") {
        arguments.insert("id".to_owned(), json!(session.intent.task_id));
    }
    let session = Mutex::new(session);
    let envelope = service.call("asd_task", arguments, &Caller::terminal(), &session);
    service.flush();
    let session = session.into_inner().unwrap_or_else(PoisonError::into_inner);
    match session.open_work() {
        Some(work) => {
            asd_store::write_atomic(&project, OPEN, &serde_json::to_vec_pretty(&work)?)?;
        }
        None => match std::fs::remove_file(project.absolute(OPEN)?) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error.into()),
            _ => {}
        },
    }
    if show.json {
        terminal.json(&envelope)?;
    } else if envelope.success && operation == "close" {
        terminal.line("Closed. `asd guard review` says whether the change keeps the rules.")?;
    } else {
        terminal.line(&envelope.message)?;
    }
    Ok(if envelope.success {
        Outcome::Fine
    } else {
        Outcome::Failed
    })
}

fn end(options: &EndOptions) -> Vec<(&'static str, Option<String>)> {
    let reason = options.reason.join(" ");
    let reason = Some(reason).filter(|reason| !reason.trim().is_empty());
    vec![("id", options.id.clone()), ("reason", reason)]
}

/// What was left open by an earlier command.
fn open_work(project: &Project) -> anyhow::Result<Option<OpenWork>> {
    let path = project.absolute(OPEN)?;
    let text = match std::fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error).with_context(|| path.display().to_string()),
    };
    let work = serde_json::from_str(&text)
        .with_context(|| format!("{} is damaged; delete it", path.display()))?;
    Ok(Some(work))
}

fn show_open(options: &ShowOptions, terminal: &mut Terminal) -> anyhow::Result<Outcome> {
    let project = Project::discover(&options.project);
    let open = open_work(&project)?;
    if options.json {
        terminal.json(&json!({"open": open.as_ref().map(|work| &work.intent)}))?;
        return Ok(Outcome::Fine);
    }
    let Some(intent) = open.as_ref().map(|work| &work.intent) else {
        terminal.line("No task is open.")?;
        return Ok(Outcome::Fine);
    };
    match (&intent.task_id, &intent.task_title) {
        (Some(id), Some(title)) => terminal.line(&format!("{id}  {title}"))?,
        _ => terminal.line("No task is open.")?,
    }
    for decision in &intent.decisions {
        terminal.line(&format!("  {}: {}", decision.title, decision.description))?;
    }
    Ok(Outcome::Fine)
}

fn prime(options: &PrimeOptions, terminal: &mut Terminal) -> anyhow::Result<Outcome> {
    let query = if options.stdin {
        // What an agent hands over is not always well formed; the words that can
        // be read count.
        let mut bytes = Vec::new();
        std::io::stdin()
            .take(1 << 20)
            .read_to_end(&mut bytes)
            .context("cannot read standard input")?;
        words_of_hook(&String::from_utf8_lossy(&bytes))
    } else {
        options.words.join(" ")
    };
    let root = Project::discover(&options.project);
    terminal.note_settings(&root, &Settings::default());
    let service = Service::once(root.root(), Settings::default());
    let session = Mutex::new(service.session());
    let mut arguments = Map::new();
    arguments.insert("operation".to_owned(), json!("prime"));
    arguments.insert("userQuery".to_owned(), json!(query));
    if let Some(file) = &options.file {
        arguments.insert("activeFile".to_owned(), json!(file));
    }
    if let Some(language) = &options.language {
        arguments.insert("language".to_owned(), json!(language));
    }
    let envelope = service.call("asd_task", arguments, &Caller::terminal(), &session);
    service.flush();
    if options.json {
        terminal.json(&envelope)?;
    } else {
        write(&envelope, terminal)?;
    }
    Ok(if envelope.success {
        Outcome::Fine
    } else {
        Outcome::Failed
    })
}

/// The user's words in what an agent gives a hook; text that is no JSON is
/// taken as it is.
fn words_of_hook(text: &str) -> String {
    match serde_json::from_str::<Value>(text) {
        Ok(Value::Object(fields)) => ["prompt", "user_prompt", "userQuery", "query"]
            .into_iter()
            .find_map(|name| fields.get(name).and_then(Value::as_str))
            .unwrap_or_default()
            .to_owned(),
        _ => text.trim().to_owned(),
    }
}

fn write(envelope: &Envelope, terminal: &mut Terminal) -> anyhow::Result<()> {
    let Some(data) = &envelope.data else {
        terminal.line(&envelope.message)?;
        return Ok(());
    };
    let rows = |list: &str| -> Vec<Value> {
        data["knowledge"][list]
            .as_array()
            .cloned()
            .unwrap_or_default()
    };
    for (heading, list) in [("Recipes", "relatedKnowledge"), ("Rules", "guardRules")] {
        let rows = rows(list);
        if rows.is_empty() {
            continue;
        }
        terminal.line(heading)?;
        for row in rows {
            let text = |name: &str| row[name].as_str().unwrap_or_default().to_owned();
            terminal.line(&format!("  {}  {}", text("trigger"), text("title")))?;
            for (word, name) in [
                ("when", "whenClause"),
                ("do", "doClause"),
                ("don't", "dontClause"),
            ] {
                if !text(name).is_empty() {
                    terminal.line(&format!("    {word}: {}", text(name)))?;
                }
            }
        }
    }
    terminal.line(&envelope.message)?;
    Ok(())
}
