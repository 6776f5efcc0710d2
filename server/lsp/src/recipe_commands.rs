//! The commands about recipes: finding one, drafting one, and showing places in
//! clients that have no list of their own.

use std::time::Duration;

use asd_workspace::Settings;
use asd_workspace::service::{Caller, Command, Service};
use serde_json::{Value, json};
use tower_lsp_server::jsonrpc::{Error, Result};
use tower_lsp_server::ls_types::request::ApplyWorkspaceEdit;
use tower_lsp_server::ls_types::{ApplyWorkspaceEditParams, LSPAny, Uri, WorkspaceEdit};

use crate::arguments::{self, CreateCandidate, MarkForReview, Search};
use crate::handlers::code_action;
use crate::recipe_file;
use crate::recipes;
use crate::server::Server;
use crate::snapshot::Snapshot;

const DEADLINE: Duration = Duration::from_secs(30);

/// How many recipes or places a message names.
const NAMED: usize = 5;

impl Server {
    /// `asd.search`: answers with the recipes, and names the best in a message.
    pub(crate) async fn search_command(&self, arguments: &[Value]) -> Result<Option<LSPAny>> {
        let search = Search::read(arguments)?;
        let snapshot = self.snapshot_for_request().await;
        let found = found(&snapshot, &search);
        let named: Vec<&str> = found
            .iter()
            .take(NAMED)
            .map(|(label, _)| label.as_str())
            .collect();
        self.say(&match found.len() {
            0 => format!("Alembic: no recipe fits \"{}\".", search.query),
            count if count > NAMED => {
                format!("Alembic: {}, and {} more.", named.join("; "), count - NAMED)
            }
            _ => format!("Alembic: {}.", named.join("; ")),
        });
        Ok(Some(found.into_iter().map(|(_, value)| value).collect()))
    }

    /// `asd.createCandidate`: has the client write the draft, and opens it.
    pub(crate) async fn create_candidate_command(
        &self,
        arguments: &[Value],
    ) -> Result<Option<LSPAny>> {
        let wanted = CreateCandidate::read(arguments)?;
        let snapshot = self.snapshot_for_request().await;
        let (uri, edit) = candidate(&snapshot, &wanted)?;
        let server = self.clone();
        let shown = uri.clone();
        let label = "Create a candidate recipe".to_owned();
        let applied = self.outbox().request::<ApplyWorkspaceEdit>(
            &ApplyWorkspaceEditParams {
                label: Some(label),
                edit,
            },
            DEADLINE,
        );
        // The client may want our answer before it answers us.
        self.runtime().spawn(async move {
            match applied.await {
                Some(answer) if answer.applied => {
                    server.show_document(shown, None);
                }
                Some(answer) => server.say(&format!(
                    "Alembic: the candidate was not created{}.",
                    answer
                        .failure_reason
                        .map(|why| format!(": {why}"))
                        .unwrap_or_default()
                )),
                None => {}
            }
        });
        Ok(Some(json!({ "uri": uri.as_str() })))
    }

    /// `asd.markForReview`: opens a proposal that the recipe be put right.
    pub(crate) async fn mark_for_review_command(
        &self,
        arguments: &[Value],
    ) -> Result<Option<LSPAny>> {
        let wanted = MarkForReview::read(arguments)?;
        let root = {
            let session = self.session();
            crate::uri::to_path(&wanted.uri)
                .and_then(|path| session.folder_of(&path))
                .map(|(folder, _)| folder.root.clone())
        };
        let Some(root) = root else {
            return Err(Error::invalid_params(format!(
                "asd.markForReview: `{}` is in no workspace folder",
                wanted.uri.as_str()
            )));
        };
        let done = self.runtime().spawn_blocking(move || {
            let service = Service::once(&root, Settings::default());
            let command = Command::MarkForReview {
                recipe: wanted.recipe,
                reason: wanted.reason,
            };
            service.command(&command, &Caller::editor())
        });
        let envelope = done.await.map_err(|_| Error::internal_error())?;
        self.say(&if envelope.success {
            format!(
                "Alembic: {} `asd proposals list` shows what waits.",
                envelope.message
            )
        } else {
            format!("Alembic: the recipe was not marked: {}", envelope.message)
        });
        Ok(None)
    }

    /// `asd.showPlaces`: opens the first place, and names the others.
    pub(crate) fn show_places_command(&self, arguments: &[Value]) -> Result<Option<LSPAny>> {
        let places = arguments::places(arguments)?;
        let Some(first) = places.first() else {
            self.say("Alembic: there is no such place.");
            return Ok(None);
        };
        if places.len() > 1 || !self.session().client.show_document() {
            let named: Vec<String> = places
                .iter()
                .take(NAMED)
                .map(|place| {
                    let name = place.uri.as_str().rsplit('/').next().unwrap_or_default();
                    format!("{name}:{}", place.range.start.line + 1)
                })
                .collect();
            let more = places.len() - named.len();
            let rest = if more > 0 {
                format!(", and {more} more")
            } else {
                String::new()
            };
            self.say(&format!("Alembic: {}{rest}.", named.join(", ")));
        }
        self.show_document(first.uri.clone(), Some(first.range));
        Ok(None)
    }
}

/// The label and the answer's entry of each recipe that fits.
fn found(snapshot: &Snapshot, search: &Search) -> Vec<(String, Value)> {
    let mut found = Vec::new();
    for project in snapshot.projects() {
        for (path, recipe) in recipes::search(project, &search.query, search.limit) {
            let uri = snapshot.uri_of(project, path);
            found.push((
                recipe_file::label(recipe),
                json!({
                    "trigger": recipe.trigger,
                    "title": recipe.title,
                    "do": recipe.do_clause,
                    "path": path,
                    "uri": uri.as_ref().map(|uri| uri.as_str()),
                }),
            ));
        }
    }
    found.truncate(search.limit);
    found
}

fn candidate(snapshot: &Snapshot, wanted: &CreateCandidate) -> Result<(Uri, WorkspaceEdit)> {
    let refused = |why: &str| Err(Error::invalid_params(format!("asd.createCandidate: {why}")));
    let Some(view) = snapshot.document(&wanted.uri) else {
        return refused(&format!("`{}` is not open", wanted.uri.as_str()));
    };
    match code_action::candidate_edit(snapshot, &view, wanted.range) {
        Some(candidate) => Ok(candidate),
        None => refused(
            "there is no code in that range, or the document lies in no project that has been \
             set up (`asd.setup`), or the client cannot create files",
        ),
    }
}
