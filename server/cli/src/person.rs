//! Commands by which a person works on the knowledge: `asd recipe approve` and
//! its like, `asd proposals`, `asd governance`. They go through the same gateway
//! as agents, as a developer.

use std::io::{BufRead, IsTerminal, Write};
use std::path::Path;

use anyhow::{Context, bail};
use asd_guard::Timestamp;
use asd_store::{KnowledgeStore, Project};
use asd_workspace::service::{
    AuditFilter, Caller, Command, Envelope, Extent, NamedAction, Service, When,
};
use asd_workspace::{Settings, recipe_folders};
use serde_json::{Value, json};

use crate::Outcome;
use crate::excerpt::Painter;
use crate::governance_args::{
    AcceptOptions, DeleteOptions, DriftOptions, EditOptions, GovernanceCommand, MoveOptions,
    ProposalsCommand,
};
use crate::output::text::{Names, number, write_problems};
use crate::table::{shortened, table};
use crate::terminal::Terminal;

/// How many rows are shown before the rest is only counted.
const SHOWN: usize = 40;

/// The project around the current folder, ready to answer.
pub(crate) fn service_at(path: &Path) -> anyhow::Result<Service> {
    let project = Project::discover(path);
    if !project.has_knowledge() {
        bail!("there is no Alembic/ folder here or above; `asd setup` makes one");
    }
    Ok(Service::once(project.root(), Settings::default()).delivering())
}

fn service() -> anyhow::Result<Service> {
    service_at(Path::new("."))
}

fn ask(service: &Service, command: &Command) -> Envelope {
    service.command(command, &Caller::terminal())
}

/// Shows why nothing was done.
fn refused(envelope: &Envelope, terminal: &Terminal) -> Outcome {
    terminal.error(&envelope.message);
    Outcome::Failed
}

fn notes(envelope: &Envelope, terminal: &Terminal) {
    for warning in &envelope.meta.warnings {
        terminal.note(warning);
    }
}

fn rows<'v>(value: &'v Value, list: &str) -> &'v [Value] {
    value[list].as_array().map_or(&[], Vec::as_slice)
}

fn text(value: &Value, name: &str) -> String {
    match &value[name] {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        other => other.to_string(),
    }
}

fn day(seconds: &Value) -> String {
    seconds
        .as_i64()
        .map(|at| Timestamp(at * 1000).to_string())
        .map(|moment| moment.chars().take(10).collect())
        .unwrap_or_default()
}

/// Moves recipes by a named action, each for itself.
pub(crate) fn move_recipes(
    options: &MoveOptions,
    action: NamedAction,
    terminal: &mut Terminal,
) -> anyhow::Result<Outcome> {
    let service = service()?;
    each(
        &options.recipes,
        options.json,
        &service,
        terminal,
        |recipe| Command::Move {
            recipe: recipe.to_owned(),
            action,
            reason: options.reason.clone(),
        },
    )
}

fn each(
    recipes: &[String],
    json: bool,
    service: &Service,
    terminal: &mut Terminal,
    command: impl Fn(&str) -> Command,
) -> anyhow::Result<Outcome> {
    let mut outcome = Outcome::Fine;
    let mut envelopes = Vec::new();
    for recipe in recipes {
        let envelope = ask(service, &command(recipe));
        if json {
            if !envelope.success {
                outcome = Outcome::Failed;
            }
            envelopes.push(envelope);
        } else if envelope.success {
            let file = envelope.data.as_ref().map(|data| text(data, "file"));
            let file = file.unwrap_or_default();
            let shown = Names::new(service.project().root()).shown(&file);
            terminal.line(&format!("{} {shown}", envelope.message))?;
        } else {
            outcome = refused(&envelope, terminal);
        }
    }
    if json {
        match envelopes.as_slice() {
            [one] => terminal.json(one)?,
            all => terminal.json(&all)?,
        }
    }
    Ok(outcome)
}

pub(crate) fn delete(options: &DeleteOptions, terminal: &mut Terminal) -> anyhow::Result<Outcome> {
    let service = service()?;
    if !options.yes && !confirms(&options.recipes)? {
        terminal.note("Nothing was deleted.");
        return Ok(Outcome::Failed);
    }
    each(
        &options.recipes,
        options.json,
        &service,
        terminal,
        |recipe| Command::Delete {
            recipe: recipe.to_owned(),
            confirmed: true,
        },
    )
}

/// Asks a person; without one the answer has to be on the command line.
fn confirms(recipes: &[String]) -> anyhow::Result<bool> {
    if !std::io::stdin().is_terminal() {
        bail!("`asd recipe delete` removes files; say --yes when that is meant");
    }
    anstream::eprint!("Delete {}? [y/N] ", recipes.join(", "));
    std::io::stderr().flush()?;
    let mut answer = String::new();
    std::io::stdin().lock().read_line(&mut answer)?;
    Ok(matches!(answer.trim().to_lowercase().as_str(), "y" | "yes"))
}

/// Opens a recipe in the person's editor, and says afterwards what is wrong
/// with it.
pub(crate) fn edit(options: &EditOptions, terminal: &mut Terminal) -> anyhow::Result<Outcome> {
    let project = Project::discover(Path::new("."));
    let state = asd_workspace::ProjectState::load(project.root(), &Settings::default());
    let Some(path) = crate::recipe::find(&state, &options.recipe).map(|(path, _)| path.to_string())
    else {
        bail!("{}", crate::recipe::unknown(&state, &options.recipe));
    };
    let editor = ["VISUAL", "EDITOR"]
        .iter()
        .find_map(|name| std::env::var(name).ok())
        .filter(|editor| !editor.trim().is_empty())
        .unwrap_or_else(|| if cfg!(windows) { "notepad" } else { "vi" }.to_owned());
    let file = project.root().join(&path);
    open_in(&editor, &file)?;
    let state = state.with_files_changed(std::slice::from_ref(&path));
    let (now, lines) = state.text_of(&path).context("the file was removed")?;
    let problems: Vec<_> = state
        .problems_of(&path)
        .iter()
        .map(|problem| asd_workspace::report::FileProblem::new(&path, &now, &lines, problem))
        .collect();
    let painter = Painter::new(terminal.colors());
    let shown = Names::new(project.root());
    write_problems(&problems, &painter, terminal, &shown, &|path| {
        state.text_of(path).map(|(text, _)| text.to_string())
    })?;
    let broken = problems
        .iter()
        .any(|problem| problem.severity == asd_recipe::Severity::Error);
    if broken {
        return Ok(Outcome::Errors);
    }
    KnowledgeStore::new(&project, &recipe_folders(&project, &Settings::default())).reconcile()?;
    Ok(Outcome::Fine)
}

fn open_in(editor: &str, file: &Path) -> anyhow::Result<()> {
    // The variables hold a command with its arguments.
    let mut words = editor.split_whitespace();
    let program = words.next().context("EDITOR is blank")?;
    let status = std::process::Command::new(program)
        .args(words)
        .arg(file)
        .status()
        .with_context(|| format!("the editor `{editor}` cannot be started; set EDITOR"))?;
    if !status.success() {
        bail!("the editor `{editor}` ended with an error");
    }
    Ok(())
}

pub(crate) fn drift(options: &DriftOptions, terminal: &mut Terminal) -> anyhow::Result<Outcome> {
    let service = service()?;
    let envelope = ask(&service, &Command::Drift(options.recipe.clone()));
    let Some(data) = envelope.data.as_ref().filter(|_| envelope.success) else {
        if options.json {
            terminal.json(&envelope)?;
            return Ok(Outcome::Failed);
        }
        return Ok(refused(&envelope, terminal));
    };
    let outdated = data["counts"]["decay"].as_u64().unwrap_or(0) > 0;
    if options.json {
        terminal.json(&envelope)?;
    } else {
        for row in rows(data, "results") {
            write_drift(row, terminal)?;
        }
        terminal.line(&envelope.message)?;
        notes(&envelope, terminal);
    }
    Ok(if outdated {
        Outcome::Errors
    } else {
        Outcome::Fine
    })
}

fn write_drift(row: &Value, terminal: &mut Terminal) -> anyhow::Result<()> {
    let signals = rows(row, "signals");
    let renamed: Vec<&Value> = rows(row, "sources")
        .iter()
        .filter(|source| source["state"] == "renamed")
        .collect();
    let stale: Vec<&Value> = rows(row, "sources")
        .iter()
        .filter(|source| source["state"] == "stale" && row["signals"].is_null())
        .collect();
    if signals.is_empty() && renamed.is_empty() && stale.is_empty() {
        return Ok(());
    }
    let verdict = match row["verdict"].as_str() {
        Some("decay") => "outdated",
        Some("investigate") => "to look at",
        _ => "in order",
    };
    terminal.line(&format!("{}  {verdict}", text(row, "trigger")))?;
    for signal in signals {
        terminal.line(&format!(
            "  {} ({}): {}",
            text(signal, "kind"),
            text(signal, "severity"),
            text(signal, "message")
        ))?;
    }
    for source in stale {
        terminal.line(&format!("  {} is gone", text(source, "source")))?;
    }
    for source in renamed {
        terminal.line(&format!(
            "  {} is {} now",
            text(source, "source"),
            text(source, "renamedTo")
        ))?;
    }
    Ok(())
}

pub(crate) fn proposals(
    command: &ProposalsCommand,
    terminal: &mut Terminal,
) -> anyhow::Result<Outcome> {
    let service = service()?;
    let (command, json) = match command {
        ProposalsCommand::List(options) => {
            let envelope = ask(&service, &Command::Proposals { all: options.all });
            return list_proposals(&envelope, options.json, terminal);
        }
        ProposalsCommand::Show(options) => {
            (Command::Proposal(options.proposal.clone()), options.json)
        }
        ProposalsCommand::Accept(AcceptOptions { proposal, now }) => (
            Command::Accept {
                id: proposal.proposal.clone(),
                when: if *now { When::Now } else { When::WindowEnds },
            },
            proposal.json,
        ),
        ProposalsCommand::Reject(options) => (
            Command::Reject {
                id: options.proposal.proposal.clone(),
                reason: options.reason.clone(),
            },
            options.proposal.json,
        ),
    };
    let envelope = ask(&service, &command);
    if json {
        terminal.json(&envelope)?;
        return Ok(if envelope.success {
            Outcome::Fine
        } else {
            Outcome::Failed
        });
    }
    let Some(data) = envelope.data.as_ref().filter(|_| envelope.success) else {
        return Ok(refused(&envelope, terminal));
    };
    if matches!(command, Command::Proposal(_)) {
        show_proposal(data, terminal)?;
    } else {
        terminal.line(&envelope.message)?;
    }
    Ok(Outcome::Fine)
}

fn list_proposals(
    envelope: &Envelope,
    json: bool,
    terminal: &mut Terminal,
) -> anyhow::Result<Outcome> {
    let data = envelope.data.clone().unwrap_or_default();
    if json {
        terminal.json(envelope)?;
        return Ok(Outcome::Fine);
    }
    let items = rows(&data, "items");
    if items.is_empty() {
        terminal.note("There are no open proposals; --all lists those that were decided.");
        return Ok(Outcome::Fine);
    }
    let lines = items.iter().map(|row| {
        let trigger = text(row, "trigger");
        let ends = match row["status"].as_str() {
            Some("observing") => format!("until {}", day(&row["windowEnds"])),
            Some("pending") => "waits for you".to_owned(),
            _ => text(row, "resolution"),
        };
        vec![
            if trigger.is_empty() {
                text(row, "target")
            } else {
                trigger
            },
            text(row, "type"),
            text(row, "status"),
            ends,
            shortened(&text(row, "reason"), 50),
            text(row, "id"),
        ]
    });
    table(
        &["recipe", "type", "status", "decided", "why", "id"],
        lines.collect(),
        terminal,
    )?;
    Ok(Outcome::Fine)
}

fn show_proposal(row: &Value, terminal: &mut Terminal) -> anyhow::Result<()> {
    terminal.line(&format!("{}  {}", text(row, "trigger"), text(row, "title")))?;
    let status = match row["windowEnds"].as_i64() {
        Some(_) if row["status"] == "observing" => {
            format!("observing until {}", day(&row["windowEnds"]))
        }
        _ => text(row, "status"),
    };
    for (word, value) in [
        ("proposal", text(row, "id")),
        ("type", text(row, "type")),
        ("status", status),
        ("from", text(row, "source")),
        ("confidence", text(row, "confidence")),
        ("made", day(&row["createdAt"])),
        ("why", text(row, "reason")),
        ("outcome", text(row, "resolution")),
    ] {
        if !value.is_empty() {
            terminal.line(&format!("  {word}: {value}"))?;
        }
    }
    for other in rows(row, "related") {
        terminal.line(&format!("  beside: {}", other.as_str().unwrap_or_default()))?;
    }
    for step in rows(row, "patch") {
        terminal.line(&format!("  {} {}:", text(step, "op"), text(step, "field")))?;
        if let Some(old) = step["old"].as_str() {
            for line in old.lines() {
                terminal.line(&format!("    - {line}"))?;
            }
        }
        for line in text(step, "value").lines() {
            terminal.line(&format!("    + {line}"))?;
        }
    }
    Ok(())
}

pub(crate) fn governance(
    command: &GovernanceCommand,
    terminal: &mut Terminal,
) -> anyhow::Result<Outcome> {
    let service = service()?;
    let (asked, json) = match command {
        GovernanceCommand::Run(options) => {
            let extent = if options.dry_run {
                Extent::DryRun
            } else {
                Extent::Everything
            };
            (Command::GovernanceRun(extent), options.json)
        }
        GovernanceCommand::Report(options) => (Command::Overview, options.json),
        GovernanceCommand::Decay(options) => (Command::DecayReport, options.json),
        GovernanceCommand::Staging(options) => (Command::StagingCheck, options.json),
        GovernanceCommand::Contradictions(options) => (Command::Contradictions, options.json),
        GovernanceCommand::Redundancy(options) => (Command::Redundancy, options.json),
        GovernanceCommand::Suggestions(options) => (Command::Suggestions, options.json),
        GovernanceCommand::Audit(options) => (
            Command::Audit(AuditFilter {
                actor: options.actor.clone(),
                action: options.action.clone(),
                failures: options.failures,
                limit: options.limit,
            }),
            options.json,
        ),
    };
    let envelope = ask(&service, &asked);
    let failed = if matches!(asked, Command::GovernanceRun(_)) {
        Outcome::Errors
    } else {
        Outcome::Failed
    };
    if json {
        terminal.json(&envelope)?;
    } else if let Some(data) = &envelope.data {
        write_governance(command, data, terminal)?;
        terminal.line(&envelope.message)?;
        notes(&envelope, terminal);
    } else {
        terminal.error(&envelope.message);
        return Ok(Outcome::Failed);
    }
    Ok(if envelope.success {
        Outcome::Fine
    } else {
        failed
    })
}

fn write_governance(
    command: &GovernanceCommand,
    data: &Value,
    terminal: &mut Terminal,
) -> anyhow::Result<()> {
    match command {
        GovernanceCommand::Run(_) => write_run(data, terminal),
        GovernanceCommand::Report(_) => {
            write_decay(&data["decay"], terminal)?;
            write_staging(&data["staging"], terminal)?;
            write_pairs(&data["contradictions"], terminal)?;
            write_pairs(&data["redundancy"], terminal)?;
            write_suggestions(&data["suggestions"], terminal)
        }
        GovernanceCommand::Decay(_) => write_decay(data, terminal),
        GovernanceCommand::Staging(_) => write_staging(data, terminal),
        GovernanceCommand::Contradictions(_) | GovernanceCommand::Redundancy(_) => {
            write_pairs(data, terminal)
        }
        GovernanceCommand::Suggestions(_) => write_suggestions(data, terminal),
        GovernanceCommand::Audit(_) => write_audit(data, terminal),
    }
}

fn write_run(data: &Value, terminal: &mut Terminal) -> anyhow::Result<()> {
    for row in rows(data, "moves") {
        terminal.line(&format!(
            "{}  {} → {}: {}",
            text(row, "trigger"),
            text(row, "from"),
            text(row, "to"),
            text(row, "reason")
        ))?;
    }
    for row in rows(data, "repaired") {
        terminal.line(&format!(
            "{}  source {} → {}",
            text(row, "trigger"),
            text(row, "from"),
            text(row, "to")
        ))?;
    }
    for row in rows(data, "proposals") {
        let why = text(row, "reason");
        let why = if why.is_empty() {
            why
        } else {
            format!(": {why}")
        };
        terminal.line(&format!(
            "{}  {}{why}",
            text(row, "id"),
            text(row, "outcome")
        ))?;
    }
    for row in rows(data, "errors") {
        terminal.line(&format!(
            "{}  not done: {}",
            text(row, "id"),
            text(row, "message")
        ))?;
    }
    if data["dryRun"] == json!(true) {
        terminal.note("Nothing was changed; `asd governance run` does it.");
    }
    Ok(())
}

fn write_decay(data: &Value, terminal: &mut Terminal) -> anyhow::Result<()> {
    let fading: Vec<&Value> = rows(data, "results")
        .iter()
        .filter(|row| row["level"] != "healthy")
        .collect();
    if fading.is_empty() {
        return Ok(());
    }
    let lines = fading.iter().take(SHOWN).map(|row| {
        let strategies: Vec<&str> = rows(row, "strategies")
            .iter()
            .filter_map(Value::as_str)
            .collect();
        vec![
            text(row, "trigger"),
            format!("{:.0}", row["score"].as_f64().unwrap_or(0.0)),
            text(row, "level"),
            strategies.join(", "),
            shortened(&text(row, "title"), 50),
        ]
    });
    table(
        &["recipe", "score", "level", "because", "title"],
        lines.collect(),
        terminal,
    )?;
    rest(fading.len(), terminal)
}

fn write_staging(data: &Value, terminal: &mut Terminal) -> anyhow::Result<()> {
    for id in rows(data, "promoted") {
        terminal.line(&format!("{}  is ready", id.as_str().unwrap_or_default()))?;
    }
    for row in rows(data, "rolledBack") {
        terminal.line(&format!(
            "{}  goes back to review: {}",
            text(row, "id"),
            text(row, "reason")
        ))?;
    }
    for row in rows(data, "waiting") {
        terminal.line(&format!(
            "{}  waits until {}",
            text(row, "id"),
            day(&row["until"])
        ))?;
    }
    Ok(())
}

fn write_pairs(data: &Value, terminal: &mut Terminal) -> anyhow::Result<()> {
    let items = rows(data, "items");
    if items.is_empty() {
        return Ok(());
    }
    let lines = items.iter().take(SHOWN).map(|row| {
        let grounds: Vec<&str> = rows(row, "grounds")
            .iter()
            .filter_map(Value::as_str)
            .collect();
        vec![
            text(&row["a"], "trigger"),
            text(&row["b"], "trigger"),
            format!("{:.2}", row["score"].as_f64().unwrap_or(0.0)),
            [vec![text(row, "plainness")], vec![grounds.join(", ")]]
                .concat()
                .into_iter()
                .filter(|part| !part.is_empty())
                .collect::<Vec<_>>()
                .join(": "),
        ]
    });
    let contradict = items.iter().any(|row| !row["plainness"].is_null());
    let what = if contradict { "contradicts" } else { "is like" };
    table(&["recipe", what, "score", ""], lines.collect(), terminal)?;
    rest(items.len(), terminal)
}

fn write_suggestions(data: &Value, terminal: &mut Terminal) -> anyhow::Result<()> {
    let items = rows(data, "suggestions");
    for row in items.iter().take(SHOWN) {
        let name = match text(row, "trigger") {
            trigger if trigger.is_empty() => text(row, "target"),
            trigger => trigger,
        };
        terminal.line(&format!("{name}  {}", text(row, "message")))?;
    }
    rest(items.len(), terminal)
}

fn write_audit(data: &Value, terminal: &mut Terminal) -> anyhow::Result<()> {
    let items = rows(data, "items");
    if items.is_empty() {
        return Ok(());
    }
    let lines = items.iter().map(|row| {
        let moment = row["timestamp"].as_i64().unwrap_or(0);
        let moment = Timestamp(moment).to_string();
        let about = &row["operationData"];
        let what = ["id", "proposal", "name", "operation"]
            .iter()
            .map(|name| text(about, name))
            .find(|text| !text.is_empty())
            .unwrap_or_default();
        vec![
            moment
                .chars()
                .take(16)
                .collect::<String>()
                .replace('T', " "),
            text(row, "actor"),
            text(row, "action"),
            shortened(&what, 40),
            match row["errorMessage"].as_str() {
                Some(error) => format!("refused: {}", shortened(error, 60)),
                None => text(row, "result"),
            },
        ]
    });
    table(
        &["when (UTC)", "who", "action", "what", "result"],
        lines.collect(),
        terminal,
    )
}

fn rest(count: usize, terminal: &mut Terminal) -> anyhow::Result<()> {
    if count > SHOWN {
        terminal.line(&format!(
            "… and {}; --json lists them",
            number(count - SHOWN, "more row")
        ))?;
    }
    Ok(())
}
