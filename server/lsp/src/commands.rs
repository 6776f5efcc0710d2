//! `workspace/executeCommand`. Every command checks its arguments and says what
//! is wrong with them; what a person should see is shown with the means that
//! every client has.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use asd_guard::{Feedback, Verdict};
use serde_json::{Value, json};
use tower_lsp_server::jsonrpc::{Error, Result};
use tower_lsp_server::ls_types::notification::ShowMessage;
use tower_lsp_server::ls_types::request::ShowDocument;
use tower_lsp_server::ls_types::{
    ExecuteCommandParams, LSPAny, MessageType, Range, ShowDocumentParams, ShowMessageParams, Uri,
};

use crate::arguments::{DismissFinding, ShowRecipe};
use crate::server::Server;
use crate::status::StatusState;

/// The commands that the server knows.
pub const NAMES: &[&str] = &[
    "asd.setup",
    "asd.checkWorkspace",
    "asd.reload",
    "asd.showStatus",
    "asd.showRecipe",
    "asd.search",
    "asd.createCandidate",
    "asd.judgeCandidate",
    "asd.showPlaces",
    "asd.dismissFinding",
    "asd.markForReview",
];

const DEADLINE: Duration = Duration::from_secs(30);
/// A client gets its answer after this long at the latest; some take a longer
/// wait for a fault.
const LONGEST_WAIT: Duration = Duration::from_secs(10);

/// Stops the work when nobody waits for its answer because the request was
/// cancelled.
struct StopUnlessDone {
    cancel: Arc<AtomicBool>,
    done: bool,
}

impl Drop for StopUnlessDone {
    fn drop(&mut self) {
        if !self.done {
            self.cancel.store(true, Ordering::Relaxed);
        }
    }
}

impl Server {
    /// Runs a command.
    pub(crate) async fn run_command(&self, params: ExecuteCommandParams) -> Result<Option<LSPAny>> {
        let arguments = params.arguments;
        match params.command.as_str() {
            "asd.checkWorkspace" => {
                no_arguments(&params.command, &arguments)?;
                self.check_workspace_command().await
            }
            "asd.reload" => {
                no_arguments(&params.command, &arguments)?;
                self.reload_command().await
            }
            "asd.showStatus" => {
                no_arguments(&params.command, &arguments)?;
                self.show_status_command().await
            }
            "asd.showRecipe" => match ShowRecipe::read(&arguments)? {
                ShowRecipe::Trigger(trigger) => self.show_recipe_command(&trigger).await,
                ShowRecipe::File(uri) => Ok(self.show_file_command(uri)),
            },
            "asd.search" => self.search_command(&arguments).await,
            "asd.createCandidate" => self.create_candidate_command(&arguments).await,
            "asd.judgeCandidate" => self.judge_candidate_command(&arguments).await,
            "asd.showPlaces" => self.show_places_command(&arguments),
            "asd.dismissFinding" => self.dismiss_finding_command(&arguments).await,
            "asd.markForReview" => self.mark_for_review_command(&arguments).await,
            "asd.setup" => {
                let folder = match arguments.as_slice() {
                    [] | [Value::Null] => None,
                    [Value::String(uri)] => Some(uri.parse::<Uri>().map_err(|_| {
                        Error::invalid_params(format!("asd.setup: `{uri}` is not a URI"))
                    })?),
                    _ => {
                        return Err(Error::invalid_params(
                            "asd.setup takes the URI of a workspace folder, or nothing",
                        ));
                    }
                };
                self.setup_command(folder).await
            }
            other => Err(Error::invalid_params(format!(
                "there is no command `{other}`; the commands are {}",
                NAMES.join(", ")
            ))),
        }
    }

    /// Shows a message to the person.
    pub(crate) fn say(&self, message: &str) {
        self.outbox().notify::<ShowMessage>(&ShowMessageParams {
            typ: MessageType::INFO,
            message: message.to_owned(),
        });
    }

    /// Has the client show a document, if it can.
    pub(crate) fn show_document(&self, uri: Uri, selection: Option<Range>) -> bool {
        if !self.session().client.show_document() {
            return false;
        }
        let shown = self.outbox().request::<ShowDocument>(
            &ShowDocumentParams {
                uri,
                external: Some(false),
                take_focus: Some(true),
                selection,
            },
            DEADLINE,
        );
        self.runtime().spawn(shown);
        true
    }

    async fn check_workspace_command(&self) -> Result<Option<LSPAny>> {
        // The rules must be there first.
        self.snapshot_for_request().await;
        let cancel = Arc::new(AtomicBool::new(false));
        let mut guard = StopUnlessDone {
            cancel: cancel.clone(),
            done: false,
        };
        let server = self.clone();
        let work = self
            .runtime()
            .spawn_blocking(move || server.check_workspace(&cancel));
        let answer = match tokio::time::timeout(LONGEST_WAIT, work).await {
            Ok(Ok(tally)) => serde_json::to_value(tally).unwrap_or_default(),
            Ok(Err(_)) => return Err(Error::internal_error()),
            Err(_) => json!({"running": true}),
        };
        guard.done = true;
        Ok(Some(answer))
    }

    async fn reload_command(&self) -> Result<Option<LSPAny>> {
        {
            let mut session = self.session();
            let folders: Vec<_> = session
                .folders
                .iter()
                .map(|folder| folder.key.clone())
                .collect();
            for folder in folders {
                self.schedule_load(&mut session, &folder, |pending| pending.all = true);
            }
        }
        let deadline = tokio::time::Instant::now() + LONGEST_WAIT;
        loop {
            let loaded = self.loaded().notified();
            tokio::pin!(loaded);
            loaded.as_mut().enable();
            let busy = self.session().folders.iter().any(|folder| folder.loading);
            if !busy || tokio::time::timeout_at(deadline, loaded).await.is_err() {
                break;
            }
        }
        let status = self.status(&self.session());
        self.say(&format!(
            "Alembic: {} recipes and {} rules are in force.",
            status.recipes, status.rules
        ));
        Ok(serde_json::to_value(status).ok())
    }

    async fn show_status_command(&self) -> Result<Option<LSPAny>> {
        self.snapshot_for_request().await;
        let status = self.status(&self.session());
        let state = match status.state {
            StatusState::Loading => "recipes are being read",
            StatusState::Ready => "ready",
            StatusState::Warning => "ready, with problems in its own files",
        };
        self.say(&format!(
            "Alembic {}: {state}. {} folders, {} recipes, {} rules; {} of the project's own \
             files have problems.",
            env!("CARGO_PKG_VERSION"),
            status.folders,
            status.recipes,
            status.rules,
            status.problem_files
        ));
        Ok(serde_json::to_value(status).ok())
    }

    async fn show_recipe_command(&self, trigger: &str) -> Result<Option<LSPAny>> {
        let snapshot = self.snapshot_for_request().await;
        let found = snapshot.projects().iter().find_map(|project| {
            let (path, recipe) = project.state.recipe_by_trigger(trigger)?;
            Some((snapshot.uri_of(project, path)?, recipe.clone()))
        });
        let Some((uri, recipe)) = found else {
            return Err(Error::invalid_params(format!(
                "asd.showRecipe: no recipe has the trigger `{trigger}`"
            )));
        };
        if !self.show_document(uri.clone(), None) {
            self.say(&format!(
                "{} {}: {}",
                recipe.trigger,
                recipe.title,
                uri.as_str()
            ));
        }
        Ok(Some(json!({ "uri": uri.as_str() })))
    }

    /// Keeps the verdict that a finding is none.
    async fn dismiss_finding_command(&self, arguments: &[Value]) -> Result<Option<LSPAny>> {
        let wanted = DismissFinding::read(arguments)?;
        let place = {
            let session = self.session();
            crate::uri::to_path(&wanted.uri)
                .and_then(|path| session.folder_of(&path))
                .map(|(folder, path)| (folder.key.clone(), folder.root.clone(), path))
        };
        let Some((key, root, file_path)) = place else {
            return Err(Error::invalid_params(format!(
                "asd.dismissFinding: `{}` is in no workspace folder",
                wanted.uri.as_str()
            )));
        };
        let kept = self.runtime().spawn_blocking(move || {
            let by = asd_store::Git::open(&root).ok().and_then(|git| git.user());
            let verdict = Feedback {
                rule_id: wanted.rule_id,
                file_path,
                fingerprint: wanted.fingerprint,
                verdict: Verdict::Fp,
                by,
                at: asd_store::now(),
                reason: None,
            };
            asd_store::add_feedback(&asd_store::Project::at(&root), verdict)
        });
        match kept.await {
            Ok(Ok(())) => {}
            Ok(Err(error)) => {
                self.say(&format!("The verdict was not kept: {error}"));
                return Ok(None);
            }
            Err(_) => return Err(Error::internal_error()),
        }
        let mut session = self.session();
        self.schedule_load(&mut session, &key, |pending| {
            pending.files.insert("Alembic/feedback.json".to_owned());
        });
        Ok(None)
    }

    fn show_file_command(&self, uri: Uri) -> Option<LSPAny> {
        if !self.show_document(uri.clone(), None) {
            self.say(&format!("Alembic: {}", uri.as_str()));
        }
        Some(json!({ "uri": uri.as_str() }))
    }
}

fn no_arguments(command: &str, arguments: &[Value]) -> Result<()> {
    if arguments.iter().all(Value::is_null) {
        return Ok(());
    }
    Err(Error::invalid_params(format!(
        "{command} takes no arguments"
    )))
}
