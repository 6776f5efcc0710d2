//! Lenses on directives and on the guards of recipes.

use std::sync::atomic::AtomicBool;

use asd_guard::{Directive, DirectiveKind, directives};
use asd_recipe::{Lifecycle, Severity};
use asd_text::Span;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tower_lsp_server::jsonrpc;
use tower_lsp_server::ls_types::{CodeLens, CodeLensParams, Command, Location, Position, Uri};

use crate::project_files;
use crate::recipe_file::{self, parse_open};
use crate::recipes;
use crate::snapshot::{DocumentView, Snapshot};

/// The client's own command that lists places; clients that have it say so
/// under `experimental.commands`.
const CLIENT_SHOWS: &str = "asd.showReferences";
/// The server's command for clients without it.
const SERVER_SHOWS: &str = "asd.showPlaces";
/// The server's command that drafts a recipe.
const CREATE: &str = "asd.createCandidate";
/// The server's command that approves or rejects a candidate.
const JUDGE: &str = "asd.judgeCandidate";
/// The server's command that checks everything.
const CHECK: &str = "asd.checkWorkspace";

/// No more places than these are sent to a client.
const MOST_PLACES: usize = 1_000;
/// How many recipes a search directive lists.
const MOST_HITS: usize = 20;

/// What a lens carries until it is resolved.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct LensData {
    /// The recipe file.
    uri: Uri,
    /// The guard in it.
    guard: String,
}

/// `textDocument/codeLens`
pub fn code_lens(
    snapshot: &Snapshot,
    params: CodeLensParams,
    cancel: &AtomicBool,
) -> Result<Option<Vec<CodeLens>>, jsonrpc::Error> {
    let Some(view) = snapshot.document(&params.text_document.uri) else {
        return Ok(None);
    };
    let mut lenses = Vec::new();
    if let Some((parsed, recipe)) =
        parse_open(&view).and_then(|mut parsed| parsed.recipe.take().map(|recipe| (parsed, recipe)))
    {
        if is_candidate(&view, recipe.lifecycle) {
            lenses.extend(judgements(&view, recipe_file::name_span(&parsed)));
        }
        for guard in &recipe.constraints.guards {
            lenses.push(CodeLens {
                range: view.range(first_line(&view, guard.spans.whole)),
                command: None,
                data: serde_json::to_value(LensData {
                    uri: view.uri().clone(),
                    guard: guard.id.clone(),
                })
                .ok(),
            });
        }
    } else if let Some(language) = view.language() {
        for directive in directives(language, &view.text().text) {
            if let Some(command) = command_of(snapshot, &view, &directive, cancel)? {
                lenses.push(CodeLens {
                    range: view.range(directive.span),
                    command: Some(command),
                    data: None,
                });
            }
        }
    }
    Ok(Some(lenses))
}

/// Whether a recipe awaits review where candidates are kept.
fn is_candidate(view: &DocumentView, lifecycle: Lifecycle) -> bool {
    lifecycle == Lifecycle::Pending
        && view
            .path
            .as_deref()
            .is_some_and(|path| path.starts_with("Alembic/candidates/"))
}

/// What a person can say of a candidate.
fn judgements(view: &DocumentView, name: Span) -> impl Iterator<Item = CodeLens> {
    let range = view.range(first_line(view, name));
    let uri = view.uri().clone();
    [("Approve", "approve"), ("Reject", "reject")]
        .into_iter()
        .map(move |(title, verdict)| CodeLens {
            range,
            command: Some(Command::new(
                title.to_owned(),
                JUDGE.to_owned(),
                Some(vec![json!({ "uri": uri, "verdict": verdict })]),
            )),
            data: None,
        })
}

fn first_line(view: &DocumentView, span: Span) -> Span {
    let text = view.text();
    let line = text
        .lines
        .line_span(&text.text, text.lines.line_of(span.start));
    Span::new(
        span.start.min(line.end),
        span.end.min(line.end).max(span.start.min(line.end)),
    )
}

/// `codeLens/resolve`: runs the guard over the project.
pub fn resolve(
    snapshot: &Snapshot,
    mut lens: CodeLens,
    cancel: &AtomicBool,
) -> Result<CodeLens, jsonrpc::Error> {
    let data = lens
        .data
        .as_ref()
        .and_then(|data| serde_json::from_value::<LensData>(data.clone()).ok());
    let Some(data) = data else {
        return Ok(lens);
    };
    let found = places_of_guard(snapshot, &data, cancel)?;
    let command = match found {
        Some(places) => {
            let files = count_files(&places);
            let title = format!(
                "matches {} in {}",
                counted(places.len(), "place"),
                counted(files, "file")
            );
            show(snapshot, title, &data.uri, lens.range.start, places)
        }
        None => text_alone("cannot be checked".to_owned()),
    };
    lens.command = Some(command);
    Ok(lens)
}

fn counted(count: usize, what: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {what}{plural}")
}

fn count_files(places: &[Location]) -> usize {
    let mut uris: Vec<&str> = places.iter().map(|place| place.uri.as_str()).collect();
    uris.dedup();
    uris.len()
}

/// Where a guard matches, in the order of the files' paths.
fn places_of_guard(
    snapshot: &Snapshot,
    data: &LensData,
    cancel: &AtomicBool,
) -> Result<Option<Vec<Location>>, jsonrpc::Error> {
    let Some(view) = snapshot.document(&data.uri) else {
        return Ok(None);
    };
    let recipe = parse_open(&view).and_then(|parsed| parsed.recipe);
    let (Some(recipe), Some(path)) = (recipe, view.path.as_deref()) else {
        return Ok(None);
    };
    let project = &view.project;
    let (rules, problems) = project_files::rules_of(path, &recipe, Some(&data.guard));
    let broken = problems
        .iter()
        .any(|found| found.problem.severity == Severity::Error);
    if broken || rules.rules().is_empty() {
        return Ok(None);
    }
    let places = project_files::ask_all(
        snapshot,
        project,
        cancel,
        |path| project_files::may_concern(&rules, path),
        |file| {
            let spans = file.findings(&rules, cancel)?;
            Ok(file.uri(project).map(|uri| {
                let place = |span| Location::new(uri.clone(), snapshot.range(&file.text, span));
                spans.into_iter().map(place).collect::<Vec<_>>()
            }))
        },
    )?;
    Ok(Some(places.into_iter().flatten().collect()))
}

/// The command that shows places: the client's own where it has one.
fn show(
    snapshot: &Snapshot,
    title: String,
    uri: &Uri,
    position: Position,
    mut places: Vec<Location>,
) -> Command {
    places.truncate(MOST_PLACES);
    if places.is_empty() {
        return text_alone(title);
    }
    if client_shows(snapshot) {
        let arguments = vec![json!(uri), json!(position), json!(places)];
        Command::new(title, CLIENT_SHOWS.to_owned(), Some(arguments))
    } else {
        Command::new(title, SERVER_SHOWS.to_owned(), Some(vec![json!(places)]))
    }
}

/// Clients show a lens without a command as text.
fn text_alone(title: String) -> Command {
    Command::new(title, String::new(), None)
}

fn client_shows(snapshot: &Snapshot) -> bool {
    snapshot
        .client()
        .capabilities
        .experimental
        .as_ref()
        .and_then(|experimental| experimental.get("commands"))
        .and_then(Value::as_array)
        .is_some_and(|commands| commands.iter().any(|name| name == CLIENT_SHOWS))
}

/// What a directive does. Free text for an agent has no lens yet.
pub(super) fn command_of(
    snapshot: &Snapshot,
    view: &DocumentView,
    directive: &Directive,
    cancel: &AtomicBool,
) -> Result<Option<Command>, jsonrpc::Error> {
    let position = view.position(directive.span.start);
    Ok(match directive.kind {
        DirectiveKind::Search => {
            let hits = recipes::search(&view.project, &directive.argument, MOST_HITS);
            let places: Vec<Location> = hits
                .iter()
                .filter_map(|(path, _)| recipe_file::location(snapshot, &view.project, path))
                .collect();
            let names: Vec<String> = hits
                .iter()
                .take(3)
                .map(|(_, recipe)| recipe_file::label(recipe))
                .collect();
            let title = match hits.len() {
                0 => "no recipe fits".to_owned(),
                1..=3 => names.join(", "),
                more => format!("{} and {} more", names.join(", "), more - names.len()),
            };
            Some(show(snapshot, title, view.uri(), position, places))
        }
        DirectiveKind::Create => Some(Command::new(
            "create a recipe from this code".to_owned(),
            CREATE.to_owned(),
            Some(vec![json!({
                "uri": view.uri(),
                "range": view.range(directive.code(&view.text().text)),
            })]),
        )),
        DirectiveKind::Audit => Some(audit(snapshot, view, directive, cancel)?),
        DirectiveKind::Agent => None,
    })
}

fn audit(
    snapshot: &Snapshot,
    view: &DocumentView,
    directive: &Directive,
    cancel: &AtomicBool,
) -> Result<Command, jsonrpc::Error> {
    let scope = directive.argument.split_whitespace().next();
    if matches!(scope, Some("project" | "target")) {
        return Ok(Command::new(
            "check the project".to_owned(),
            CHECK.to_owned(),
            None,
        ));
    }
    let report = view.report(cancel)?;
    let places: Vec<Location> = report
        .findings
        .iter()
        .map(|finding| Location::new(view.uri().clone(), view.range(finding.span)))
        .collect();
    let title = format!("{} in this file", counted(places.len(), "finding"));
    let position = view.position(directive.span.start);
    Ok(show(snapshot, title, view.uri(), position, places))
}

#[cfg(test)]
#[path = "code_lens_tests.rs"]
mod tests;
