//! The beginning of a session: what is agreed with the client, and what is
//! started once it is ready.

use std::sync::Arc;
use std::time::Duration;

use asd_text::Encoding;
use serde_json::Value;
use tower_lsp_server::ls_types::request::WorkspaceConfiguration;
use tower_lsp_server::ls_types::{
    ConfigurationItem, ConfigurationParams, InitializeParams, InitializeResult,
    PositionEncodingKind, ServerInfo, Uri,
};

use crate::capabilities;
use crate::progress::Progress;
use crate::server::Server;
use crate::session::{Phase, Session};
use crate::settings::{ClientFacts, Settings};
use crate::uri;

const DEADLINE: Duration = Duration::from_secs(30);

impl Server {
    /// Takes the client's introduction in and answers it. Nothing is read from
    /// the disk yet.
    pub(crate) fn start_session(&self, params: InitializeParams) -> InitializeResult {
        let mut session = self.session();
        let offered = params
            .capabilities
            .general
            .as_ref()
            .and_then(|general| general.position_encodings.as_deref());
        let (encoding, kind) = agree_on_encoding(offered.unwrap_or_default());
        session.encoding = encoding;
        session.client = Arc::new(ClientFacts {
            capabilities: params.capabilities,
        });
        let options = params.initialization_options.unwrap_or(Value::Null);
        let (settings, complaints) = Settings::read(&options);
        session.settings = Arc::new(settings);
        session.first_settings = session.settings.clone();
        for complaint in complaints {
            session.complain(complaint);
        }
        #[expect(deprecated, reason = "what clients without folders send")]
        let (root_uri, root_path) = (params.root_uri, params.root_path);
        for folder in folders(params.workspace_folders, root_uri, root_path) {
            self.add_folder(&mut session, folder);
        }
        session.phase = Phase::Answered;
        drop(session);
        if let Some(process) = params.process_id {
            self.watch_client(process);
        }
        InitializeResult {
            capabilities: capabilities::of(kind),
            server_info: Some(ServerInfo {
                name: "asd".to_owned(),
                version: Some(env!("CARGO_PKG_VERSION").to_owned()),
            }),
            offset_encoding: None,
        }
    }

    /// Starts everything that may talk to the client.
    pub(crate) fn initialized(&self) {
        let mut session = self.session();
        if session.phase != Phase::Answered {
            return;
        }
        session.phase = Phase::Running;
        self.outbox().open();
        for complaint in session.complaints.clone() {
            tracing::warn!("{complaint}");
        }
        let names_folders = !session.folders.is_empty();
        self.load_new_folders(&mut session);
        self.report_status(&mut session);
        let pulls = session.client.configuration();
        drop(session);
        if names_folders {
            let progress = Progress::start(self, "asd/loading", "Alembic: reading recipes", false);
            let server = self.clone();
            self.runtime().spawn(async move {
                server.snapshot_for_request().await;
                progress.end("");
            });
        }
        if pulls {
            self.pull_configuration();
        }
        self.watch_folders(&mut self.session());
    }

    /// Asks the client for its settings; they take effect when they come.
    pub(crate) fn pull_configuration(&self) {
        let asked = self.outbox().request::<WorkspaceConfiguration>(
            &ConfigurationParams {
                items: vec![ConfigurationItem {
                    scope_uri: None,
                    section: Some("asd".to_owned()),
                }],
            },
            DEADLINE,
        );
        let server = self.clone();
        self.runtime().spawn(async move {
            if let Some(values) = asked.await {
                let value = values.into_iter().next().unwrap_or(Value::Null);
                server.new_settings(&mut server.session(), &value);
            }
        });
    }

    /// Puts settings in force. Empty ones mean those of the beginning.
    pub(crate) fn new_settings(&self, session: &mut Session, value: &Value) {
        let empty = value.is_null()
            || value.as_object().is_some_and(serde_json::Map::is_empty)
            || value.get("asd").is_some_and(Value::is_null);
        let settings = if empty {
            session.first_settings.clone()
        } else {
            let (settings, complaints) = Settings::read(value);
            for complaint in complaints {
                session.complain(complaint);
            }
            Arc::new(settings)
        };
        if settings == session.settings {
            return;
        }
        session.settings = settings;
        let folders: Vec<_> = session
            .folders
            .iter()
            .map(|folder| folder.key.clone())
            .collect();
        for folder in folders {
            self.schedule_load(session, &folder, |pending| pending.settings = true);
        }
    }
}

/// The unit of columns: bytes when the client can, since that is how texts are
/// kept; else what it likes most of the others.
fn agree_on_encoding(offered: &[PositionEncodingKind]) -> (Encoding, PositionEncodingKind) {
    if offered.contains(&PositionEncodingKind::UTF8) {
        (Encoding::Utf8, PositionEncodingKind::UTF8)
    } else if offered.first() == Some(&PositionEncodingKind::UTF32) {
        (Encoding::Utf32, PositionEncodingKind::UTF32)
    } else {
        (Encoding::Utf16, PositionEncodingKind::UTF16)
    }
}

fn folders(
    folders: Option<Vec<tower_lsp_server::ls_types::WorkspaceFolder>>,
    root_uri: Option<Uri>,
    root_path: Option<String>,
) -> Vec<Uri> {
    match folders {
        Some(folders) if !folders.is_empty() => {
            folders.into_iter().map(|folder| folder.uri).collect()
        }
        _ => root_uri
            .or_else(|| uri::from_path(std::path::Path::new(&root_path?)))
            .into_iter()
            .collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_encoding_is_chosen_as_the_documentation_says() {
        let utf8 = PositionEncodingKind::UTF8;
        let utf16 = PositionEncodingKind::UTF16;
        let utf32 = PositionEncodingKind::UTF32;
        let agreed = |offered: &[&PositionEncodingKind]| {
            agree_on_encoding(&offered.iter().copied().cloned().collect::<Vec<_>>()).0
        };
        assert_eq!(agreed(&[]), Encoding::Utf16);
        assert_eq!(agreed(&[&utf16, &utf8]), Encoding::Utf8);
        assert_eq!(agreed(&[&utf32, &utf16]), Encoding::Utf32);
        assert_eq!(agreed(&[&utf16, &utf32]), Encoding::Utf16);
    }
}
