//! `asd sync`.

use std::path::Path;

use anyhow::bail;
use asd_store::{Extent, KnowledgeStore, Project, SyncReport};
use asd_workspace::recipe_folders;

use crate::Outcome;
use crate::args::{ProjectOptions, SyncOptions};
use crate::check::settings;
use crate::output::text::{Names, number};
use crate::terminal::Terminal;

/// How many files of one kind are named before the rest is only counted.
const NAMED: usize = 20;

pub(crate) fn run(options: &SyncOptions, terminal: &mut Terminal) -> anyhow::Result<Outcome> {
    let project = Project::discover(Path::new("."));
    if !project.has_knowledge() {
        bail!("there is no Alembic/ folder here or above; `asd setup` makes one");
    }
    let folders = recipe_folders(&project, &settings(&ProjectOptions::default())?);
    let store = KnowledgeStore::new(&project, &folders);
    let extent = if options.force {
        Extent::Everything
    } else {
        Extent::Changed
    };
    let report = if options.dry_run {
        store.preview_sync(extent)?
    } else {
        store.sync(extent)?
    };
    if options.json {
        terminal.json(&report)?;
    } else {
        show(&report, &Names::new(project.root()), terminal)?;
    }
    Ok(if report.errors.is_empty() && report.conflicts == 0 {
        Outcome::Fine
    } else {
        Outcome::Errors
    })
}

fn show(report: &SyncReport, names: &Names, terminal: &mut Terminal) -> anyhow::Result<()> {
    for error in &report.errors {
        let line = error
            .line
            .map_or_else(String::new, |line| format!(":{line}"));
        terminal.line(&format!(
            "{}{line}: {}",
            names.shown(&error.path),
            error.message
        ))?;
    }
    // What a person has to look at comes first and is named whole.
    let (conflicts, done): (Vec<_>, Vec<_>) = report
        .changes
        .iter()
        .partition(|change| change.kind == "conflict");
    let rest = done.len().saturating_sub(NAMED);
    for change in conflicts.into_iter().chain(done.into_iter().take(NAMED)) {
        terminal.line(&format!("{} {}", names.shown(&change.path), change.message))?;
    }
    if rest > 0 {
        terminal.line(&format!("… and {rest} more; --json lists all"))?;
    }
    if report.added_hashes > 0 {
        let verb = if report.dry_run { "get" } else { "got" };
        terminal.line(&format!(
            "{} {verb} the line `hash:`, by which later edits are told.",
            number(report.added_hashes, "file")
        ))?;
    }
    let counted = [
        (report.inserted, "new"),
        (report.updated, "changed"),
        (report.unchanged, "unchanged"),
        (report.orphaned, "gone"),
        (report.conflicts, "in conflict"),
        (report.errors.len(), "not read"),
    ];
    let counted: Vec<String> = counted
        .iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, word)| format!("{count} {word}"))
        .collect();
    let counted = if counted.is_empty() {
        String::new()
    } else {
        format!(": {}", counted.join(", "))
    };
    terminal.line(&format!("{}{counted}.", number(report.scanned, "recipe")))?;
    if report.dry_run {
        terminal.note("Nothing was changed; `asd sync` does it.");
    }
    if let Some(reason) = &report.degraded {
        terminal.note(&format!(
            "The database is not kept on disk ({reason}), so every command reads all recipes."
        ));
    }
    Ok(())
}
