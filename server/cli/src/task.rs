//! `asd task`: the account of work in the terminal and from hooks.

use std::io::Read;
use std::path::PathBuf;
use std::sync::Mutex;

use asd_store::Project;
use asd_workspace::Settings;
use asd_workspace::service::{Caller, Envelope, Service};
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

pub(crate) fn run(command: &TaskCommand, terminal: &mut Terminal) -> anyhow::Result<Outcome> {
    let TaskCommand::Prime(options) = command;
    let query = if options.stdin {
        let mut text = String::new();
        std::io::stdin().take(1 << 20).read_to_string(&mut text)?;
        words_of_hook(&text)
    } else {
        options.words.join(" ")
    };
    let root = Project::discover(&options.project);
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
