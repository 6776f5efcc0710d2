//! `asd status`: how the project's knowledge stands, for a person.

use std::sync::Mutex;

use asd_store::{Extent, KnowledgeStore};
use asd_workspace::service::{Caller, Command};
use asd_workspace::{Settings, recipe_folders};
use serde_json::{Map, Value, json};

use crate::Outcome;
use crate::governance_args::StatusOptions;
use crate::output::text::number;
use crate::person::service_at;
use crate::terminal::Terminal;

/// How many of a kind are named.
const NAMED: usize = 5;

pub(crate) fn run(options: &StatusOptions, terminal: &mut Terminal) -> anyhow::Result<Outcome> {
    let service = service_at(&options.project)?;
    let caller = Caller::terminal();
    let session = Mutex::new(service.session());
    let health = service.call("asd_health", Map::new(), &caller, &session);
    let mut data = health.data.unwrap_or_default();
    let store = KnowledgeStore::new(
        service.project(),
        &recipe_folders(service.project(), &Settings::default()),
    );
    data["sync"] = match store.preview_sync(Extent::Changed) {
        Ok(report) => json!({
            "inLine": report.changes.is_empty()
                && report.errors.is_empty()
                && report.added_hashes + report.inserted + report.updated == 0,
            "toDo": report.changes.len() + report.added_hashes,
            "conflicts": report.conflicts,
            "errors": report.errors,
        }),
        Err(error) => json!({"inLine": false, "problem": error.to_string()}),
    };
    let answer = |command: &Command| {
        let envelope = service.command(command, &caller);
        envelope.data.unwrap_or_default()
    };
    data["proposals"] = answer(&Command::Proposals { all: false });
    data["stuck"] = answer(&Command::Stuck);
    data["staging"] = answer(&Command::StagingCheck);
    let needs_somebody = data["status"] != "ok"
        || data["sync"]["conflicts"].as_u64().unwrap_or(0) > 0
        || data["sync"]["problem"].is_string()
        || data["sync"]["errors"]
            .as_array()
            .is_some_and(|list| !list.is_empty());
    if options.json {
        terminal.json(&data)?;
    } else {
        show(&data, terminal)?;
    }
    Ok(if needs_somebody {
        Outcome::Errors
    } else {
        Outcome::Fine
    })
}

fn count(value: &Value) -> usize {
    value
        .as_u64()
        .and_then(|count| usize::try_from(count).ok())
        .unwrap_or(0)
}

fn show(data: &Value, terminal: &mut Terminal) -> anyhow::Result<()> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    terminal.line(&format!(
        "{}  asd {}",
        text(&data["projectRoot"]),
        text(&data["version"])
    ))?;
    let base = &data["knowledgeBase"];
    let recipes = &base["recipes"];
    let rows = |list: &Value, name: &str| list[name].as_array().cloned().unwrap_or_default();
    terminal.line(&format!(
        "recipes     {} ({} active; {} rules, {} patterns, {} facts), {} fading",
        count(&recipes["total"]),
        count(&recipes["active"]),
        count(&recipes["rules"]),
        count(&recipes["patterns"]),
        count(&recipes["facts"]),
        count(&base["decaying"]),
    ))?;
    let candidates = &base["candidates"];
    terminal.line(&format!(
        "candidates  {} to review, {} in their grace period",
        count(&candidates["pending"]),
        count(&candidates["staging"]),
    ))?;
    let ready = rows(&data["staging"], "promoted").len();
    let back = rows(&data["staging"], "rolledBack").len();
    if ready + back > 0 {
        terminal.line(&format!(
            "            {ready} are ready, {back} go back to review; `asd governance run` moves them"
        ))?;
    }
    let sync = &data["sync"];
    terminal.line(&format!(
        "files       {}",
        match (sync["problem"].as_str(), sync["inLine"] == json!(true)) {
            (Some(problem), _) => problem.to_owned(),
            (None, true) => "in line with the database".to_owned(),
            (None, false) => format!(
                "{} for `asd sync`, {}, {}",
                number(count(&sync["toDo"]), "change"),
                number(count(&sync["conflicts"]), "conflict"),
                number(rows(sync, "errors").len(), "unreadable file"),
            ),
        }
    ))?;
    let proposals = rows(&data["proposals"], "items");
    let waiting = proposals
        .iter()
        .filter(|proposal| proposal["status"] == "pending")
        .count();
    terminal.line(&format!(
        "proposals   {} open, {waiting} wait for you",
        proposals.len()
    ))?;
    let index = &base["vectorIndex"];
    terminal.line(&format!(
        "search      {} recipes, {}",
        count(&index["documents"]),
        if data["ai"]["provider"].is_string() {
            "by words and meaning"
        } else {
            "by words and synonyms"
        }
    ))?;
    let stuck = rows(&data["stuck"], "items");
    for row in stuck.iter().take(NAMED) {
        terminal.line(&format!(
            "stuck       {} has been {} for {}",
            text(&row["trigger"]),
            text(&row["lifecycle"]),
            number(count(&row["days"]), "day"),
        ))?;
    }
    if stuck.len() > NAMED {
        terminal.line(&format!("            and {} more", stuck.len() - NAMED))?;
    }
    for issue in rows(data, "issues").iter().filter_map(Value::as_str) {
        // That one command watches nothing is no news for a person.
        if !issue.contains("watched") {
            terminal.line(&format!("problem     {issue}"))?;
        }
    }
    Ok(())
}
