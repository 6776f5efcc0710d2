//! The notification `asd/status`, for clients that show how the server is. Sent
//! only when it changed, and only to a client that asked for it.

use serde::Serialize;

use crate::server::Server;
use crate::session::Session;

/// What the client may show in a line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Status {
    /// How the server is.
    pub(crate) state: StatusState,
    /// Recipes of all folders.
    pub(crate) recipes: usize,
    /// Rules in force, of all folders.
    pub(crate) rules: usize,
    /// Files of the projects that something is wrong with.
    pub(crate) problem_files: usize,
    /// Workspace folders.
    pub(crate) folders: usize,
}

/// How the server is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum StatusState {
    /// A folder is being read for the first time.
    Loading,
    /// All is well.
    Ready,
    /// Something is wrong in a recipe or in the settings; the rest works.
    Warning,
}

impl Server {
    /// The status at present.
    pub(crate) fn status(&self, session: &Session) -> Status {
        let loaded: Vec<_> = session
            .folders
            .iter()
            .filter_map(|folder| folder.project.as_ref())
            .collect();
        let problem_files = session
            .folders
            .iter()
            .map(|folder| folder.problem_files)
            .sum();
        Status {
            state: if loaded.len() < session.folders.len() {
                StatusState::Loading
            } else if problem_files > 0 {
                StatusState::Warning
            } else {
                StatusState::Ready
            },
            recipes: loaded
                .iter()
                .map(|project| project.state.recipes().len())
                .sum(),
            rules: loaded
                .iter()
                .map(|project| project.state.rules().rules().len())
                .sum(),
            problem_files,
            folders: session
                .folders
                .iter()
                .filter(|folder| folder.outer.is_none())
                .count(),
        }
    }

    /// Tells a client that asked for it when the status changed.
    pub(crate) fn report_status(&self, session: &mut Session) {
        if !session.client.asd_status() && !session.settings.status_notifications {
            return;
        }
        let status = self.status(session);
        if session.status.as_ref() != Some(&status) {
            self.outbox().notify_as("asd/status", &status);
            session.status = Some(status);
        }
    }
}
