//! The first use in a folder without recipes: offered once, done on request.

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::json;
use sha2::{Digest, Sha256};
use tower_lsp_server::jsonrpc::{Error, Result};
use tower_lsp_server::ls_types::request::ShowMessageRequest;
use tower_lsp_server::ls_types::{
    LSPAny, MessageActionItem, MessageType, ShowMessageRequestParams, Uri,
};

use crate::server::Server;
use crate::session::{Session, key_of_folder};
use crate::uri::UriKey;

/// The files of a new project, none of which replaces one that is there.
const FILES: &[(&str, &str)] = &[
    ("Alembic/config.toml", include_str!("setup/config.toml")),
    ("Alembic/README.md", include_str!("setup/README.md")),
    (
        "Alembic/recipes/_template.md",
        include_str!("setup/_template.md"),
    ),
];

const YES: &str = "Set up Alembic";
const NO: &str = "Not here";
/// The offer may stand while the person thinks about it.
const PATIENCE: Duration = Duration::from_secs(24 * 60 * 60);

impl Server {
    /// Offers to set a folder up, if nobody did before.
    pub(crate) fn offer_setup(&self, session: &mut Session, folder: &UriKey) {
        let Some(folder) = session.folder_mut(folder) else {
            return;
        };
        let has_knowledge = folder
            .project
            .as_ref()
            .is_none_or(|project| project.state.project().has_knowledge());
        if has_knowledge || !remember_offer(&folder.real_root) {
            return;
        }
        let name = folder
            .root
            .file_name()
            .map(|name| name.to_string_lossy().into_owned())
            .unwrap_or_default();
        let uri = folder.uri.clone();
        let action = |title: &str| MessageActionItem {
            title: title.to_owned(),
            properties: Default::default(),
        };
        let asked = self.outbox().request::<ShowMessageRequest>(
            &ShowMessageRequestParams {
                typ: MessageType::INFO,
                message: format!(
                    "`{name}` has no recipes yet; Alembic checks it with its built-in rules. \
                     The command asd.setup makes a place for your own."
                ),
                actions: Some(vec![action(YES), action(NO)]),
            },
            PATIENCE,
        );
        let server = self.clone();
        self.runtime().spawn(async move {
            if asked
                .await
                .flatten()
                .is_some_and(|chosen| chosen.title == YES)
                && let Err(error) = server.setup_command(Some(uri)).await
            {
                server.say(&error.message);
            }
        });
    }

    /// Makes the minimal layout in a folder.
    pub(crate) async fn setup_command(&self, folder: Option<Uri>) -> Result<Option<LSPAny>> {
        let (key, uri, root) = {
            let session = self.session();
            let chosen = match &folder {
                Some(uri) => session
                    .folders
                    .iter()
                    .find(|folder| folder.key == key_of_folder(uri)),
                None => session.folders.first(),
            };
            let Some(chosen) = chosen else {
                return Err(Error::invalid_params(match folder {
                    Some(uri) => format!(
                        "asd.setup: {} is not a folder of the workspace",
                        uri.as_str()
                    ),
                    None => "asd.setup: open a folder first".to_owned(),
                }));
            };
            (chosen.key.clone(), chosen.uri.clone(), chosen.root.clone())
        };
        let made = self
            .runtime()
            .spawn_blocking(move || make_layout(&root))
            .await
            .map_err(|_| Error::internal_error())?;
        let made = made.map_err(|reason| Error {
            message: format!("asd.setup: {reason}").into(),
            ..Error::internal_error()
        })?;
        self.schedule_load(&mut self.session(), &key, |pending| pending.all = true);
        if made.is_empty() {
            self.say("Alembic is set up here already.");
        } else {
            self.say(&format!(
                "Alembic is set up: {}. Copy recipes/_template.md to write the first recipe.",
                made.join(", ")
            ));
            if let Some(readme) = crate::uri::below(&uri, "Alembic/README.md") {
                self.show_document(readme, None);
            }
        }
        Ok(Some(json!({ "created": made })))
    }
}

/// Makes the files that are not there yet; names them.
fn make_layout(root: &Path) -> std::result::Result<Vec<&'static str>, String> {
    let project = asd_store::Project::at(root);
    let mut made = Vec::new();
    for (path, content) in FILES {
        if root.join(path).exists() {
            continue;
        }
        asd_store::write_atomic(&project, path, content.as_bytes())
            .map_err(|error| error.to_string())?;
        made.push(*path);
    }
    Ok(made)
}

/// Notes on this machine that a folder was offered to be set up. Says whether
/// this was the first time; where nothing can be noted, it says no, so that
/// nobody is asked at every start.
fn remember_offer(root: &Path) -> bool {
    let Some(state) = state_folder() else {
        return false;
    };
    let hash = Sha256::digest(root.to_string_lossy().as_bytes());
    let name: String = hash
        .iter()
        .take(8)
        .map(|byte| format!("{byte:02x}"))
        .collect();
    let folder = state.join("asd").join(name);
    let mark = folder.join("setup-offered");
    if mark.exists() {
        return false;
    }
    std::fs::create_dir_all(&folder)
        .and_then(|()| std::fs::write(&mark, b""))
        .is_ok()
}

fn state_folder() -> Option<PathBuf> {
    let named = |name: &str| {
        std::env::var_os(name)
            .map(PathBuf::from)
            .filter(|path| path.is_absolute())
    };
    named("XDG_STATE_HOME")
        .or_else(|| cfg!(windows).then(|| named("LOCALAPPDATA")).flatten())
        .or_else(|| Some(std::env::home_dir()?.join(".local").join("state")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_layout_is_made_once_and_replaces_nothing() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("Alembic")).unwrap();
        let readme = folder.path().join("Alembic/README.md");
        std::fs::write(&readme, "ours").unwrap();
        let made = make_layout(folder.path()).unwrap();
        assert_eq!(
            made,
            ["Alembic/config.toml", "Alembic/recipes/_template.md"]
        );
        assert_eq!(std::fs::read_to_string(&readme).unwrap(), "ours");
        assert_eq!(make_layout(folder.path()).unwrap(), Vec::<&str>::new());
    }

    #[test]
    fn the_new_settings_are_valid() {
        let (_, config) = FILES[0];
        let (_, problems) = asd_store::Config::parse(config);
        assert_eq!(problems, Vec::new());
    }
}
