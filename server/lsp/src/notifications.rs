//! What the client tells us, applied at once and in the order of the wire.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use asd_text::{Change, Document};
use serde_json::Value;
use tower_lsp_server::ls_types::{
    DeleteFilesParams, DidChangeConfigurationParams, DidChangeTextDocumentParams,
    DidChangeWatchedFilesParams, DidChangeWorkspaceFoldersParams, DidCloseTextDocumentParams,
    DidOpenTextDocumentParams, DidSaveTextDocumentParams, FileChangeType, RenameFilesParams, Uri,
    WorkDoneProgressCancelParams,
};

use crate::document::OpenDocument;
use crate::project::is_knowledge;
use crate::server::Server;
use crate::session::{ClosedFile, Folder, Phase, Session, key_of_folder};
use crate::snapshot::from_range;
use crate::uri::{self, UriKey};

/// What a file did on disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DiskEvent {
    /// It came or has other content.
    Changed,
    /// It, or the folder that held it, is gone.
    Deleted,
}

impl Server {
    /// Applies a notification. Says whether it was one of those that are taken
    /// here and nowhere else.
    pub(crate) fn take_notification(&self, method: &str, params: &Value) -> bool {
        if self.session().phase == Phase::New {
            // The protocol has such notifications dropped.
            return method != "exit";
        }
        match method {
            "textDocument/didOpen" => self.with(method, params, Self::did_open),
            "textDocument/didChange" => self.with(method, params, Self::did_change),
            "textDocument/didClose" => self.with(method, params, Self::did_close),
            "textDocument/didSave" => self.with(method, params, Self::did_save),
            "workspace/didChangeWatchedFiles" => self.with(method, params, Self::watched_files),
            "workspace/didDeleteFiles" => self.with(method, params, Self::deleted_files),
            "workspace/didRenameFiles" => self.with(method, params, Self::renamed_files),
            "workspace/didChangeWorkspaceFolders" => {
                self.with(method, params, Self::changed_folders);
            }
            "workspace/didChangeConfiguration" => {
                self.with(method, params, Self::changed_configuration);
            }
            "window/workDoneProgress/cancel" => {
                self.with(method, params, Self::cancelled_progress);
            }
            "initialized" => self.initialized(),
            "$/setTrace" | "textDocument/willSave" | "workspace/didCreateFiles" => {}
            _ => return false,
        }
        true
    }

    fn with<P: serde::de::DeserializeOwned>(
        &self,
        method: &str,
        params: &Value,
        take: fn(&Self, &mut Session, P),
    ) {
        match P::deserialize(params) {
            Ok(params) => take(self, &mut self.session(), params),
            Err(error) => tracing::warn!("{method} has invalid parameters: {error}"),
        }
    }

    fn did_open(&self, session: &mut Session, params: DidOpenTextDocumentParams) {
        let item = params.text_document;
        if !uri::is_checked(&item.uri) {
            return;
        }
        let serial = session.next_serial();
        let document = OpenDocument::new(
            item.uri,
            item.language_id,
            item.version,
            serial,
            Document::new(&item.text),
        );
        if let Some(path) = &document.path
            && let Some((folder, _)) = session.folder_of(path)
            && let Some(nested) = folder.nested_project(path)
        {
            let outer = folder.key.clone();
            self.add_nested_folder(session, &outer, &nested);
        }
        session
            .histories
            .entry(document.key.clone())
            .or_default()
            .note(serial, None);
        self.put(session, document);
    }

    fn did_change(&self, session: &mut Session, params: DidChangeTextDocumentParams) {
        let key = UriKey::new(&params.text_document.uri);
        let Some(before) = session.documents.get(&key).cloned() else {
            return;
        };
        let serial = session.next_serial();
        let encoding = session.encoding;
        let mut rope = before.rope.clone();
        let history = session.histories.entry(key).or_default();
        for change in params.content_changes {
            let change = Change {
                range: change.range.map(from_range),
                text: change.text,
            };
            history.note(serial, rope.apply(&change, encoding));
        }
        let next = before.next(params.text_document.version, serial, rope);
        self.put(session, next);
    }

    fn put(&self, session: &mut Session, document: OpenDocument) {
        let document = Arc::new(document);
        let key = document.key.clone();
        Arc::make_mut(&mut session.documents).insert(key.clone(), document.clone());
        if !self.knowledge_changed(session, document.path.as_deref()) {
            self.schedule_check(session, &key);
        }
    }

    /// Has the buffer of a recipe or another file of the project take effect.
    /// Says whether it is one.
    fn knowledge_changed(&self, session: &mut Session, path: Option<&Path>) -> bool {
        let places = session.knowledge_at(path);
        for (folder, path) in &places {
            self.schedule_load(session, folder, |pending| {
                pending.overlays.insert(path.clone());
            });
        }
        !places.is_empty()
    }

    fn did_close(&self, session: &mut Session, params: DidCloseTextDocumentParams) {
        let key = UriKey::new(&params.text_document.uri);
        let Some(document) = Arc::make_mut(&mut session.documents).remove(&key) else {
            return;
        };
        session.histories.remove(&key);
        if let Some(running) = session.running.get_mut(&key) {
            running.cancel.store(true, Ordering::Relaxed);
            running.again = true;
        }
        self.publish_nothing(session, &key);
        if self.knowledge_changed(session, document.path.as_deref()) {
            return;
        }
        let home = document.path.as_deref().and_then(|path| {
            let (folder, relative) = session.folder_of(path)?;
            Some((folder.key.clone(), relative))
        });
        if let Some((folder, path)) = home {
            self.reread_facts(session, &folder, &path);
        }
        // What a workspace check found stays, now as the file on disk has it.
        let kept = document.path.as_deref().and_then(|path| {
            let (folder, relative) = session.folder_of(path)?;
            let file = ClosedFile {
                uri: folder_uri(folder, &relative)?,
                folder: folder.key.clone(),
                path: relative,
            };
            let scanned = folder.scanned.as_ref()?;
            scanned.contains(&file.path).then_some(file)
        });
        if let Some(file) = kept {
            self.check_closed(session, file);
        }
    }

    fn did_save(&self, session: &mut Session, params: DidSaveTextDocumentParams) {
        let path = uri::to_path(&params.text_document.uri);
        let saved = path.as_deref().and_then(|path| session.folder_of(path));
        if let Some(folder) = saved.map(|(folder, _)| folder.key.clone()) {
            self.search_now(session, &folder);
        }
        for (folder, path) in session.knowledge_at(path.as_deref()) {
            self.schedule_load(session, &folder, |pending| {
                pending.files.insert(path);
            });
        }
    }

    fn watched_files(&self, session: &mut Session, params: DidChangeWatchedFilesParams) {
        for change in params.changes {
            let Some(path) = uri::to_path(&change.uri) else {
                continue;
            };
            let event = if change.typ == FileChangeType::DELETED {
                DiskEvent::Deleted
            } else {
                DiskEvent::Changed
            };
            self.disk_event(session, &path, event);
        }
    }

    fn deleted_files(&self, session: &mut Session, params: DeleteFilesParams) {
        for file in params.files {
            self.disk_event_at(session, &file.uri, DiskEvent::Deleted);
        }
    }

    fn renamed_files(&self, session: &mut Session, params: RenameFilesParams) {
        for file in params.files {
            self.disk_event_at(session, &file.old_uri, DiskEvent::Deleted);
            self.disk_event_at(session, &file.new_uri, DiskEvent::Changed);
        }
    }

    fn disk_event_at(&self, session: &mut Session, uri: &str, event: DiskEvent) {
        if let Some(path) = uri.parse::<Uri>().ok().as_ref().and_then(uri::to_path) {
            self.disk_event(session, &path, event);
        }
    }

    /// Takes account of a change on disk. An open buffer wins over it.
    pub(crate) fn disk_event(&self, session: &mut Session, path: &Path, event: DiskEvent) {
        for (folder, name) in session.outer_knowledge_at(path) {
            self.schedule_load(session, &folder, |pending| {
                pending.files.insert(name);
            });
        }
        let Some((folder, relative)) = session.folder_of(path) else {
            return;
        };
        let (key, scanned) = (folder.key.clone(), folder.scanned.clone());
        let of_project = is_knowledge(&relative) || relative == "Alembic" || relative.is_empty();
        if of_project {
            let whole = !is_knowledge(&relative);
            self.schedule_load(session, &key, |pending| {
                if whole {
                    pending.all = true;
                } else {
                    pending.files.insert(relative.clone());
                }
            });
            if event == DiskEvent::Changed {
                return;
            }
        }
        match event {
            DiskEvent::Changed => self.reread_facts(session, &key, &relative),
            DiskEvent::Deleted => self.forget_facts(session, &key, &relative),
        }
        let below = |file: &ClosedFile| {
            file.folder == key
                && (relative.is_empty()
                    || file
                        .path
                        .strip_prefix(&relative)
                        .is_some_and(|rest| rest.is_empty() || rest.starts_with('/')))
        };
        let touched: Vec<_> = session
            .closed
            .iter()
            .filter(|(_, file)| below(file))
            .map(|(key, file)| (key.clone(), file.clone()))
            .collect();
        if event == DiskEvent::Deleted {
            for (key, _) in touched {
                session.closed.remove(&key);
                if !session.documents.contains_key(&key) {
                    self.publish_nothing(session, &key);
                }
            }
            return;
        }
        if let Some(scanned) = scanned
            && touched.is_empty()
        {
            if scanned.contains(&relative) {
                let uri = session
                    .folder_mut(&key)
                    .and_then(|folder| folder_uri(folder, &relative));
                if let Some(uri) = uri {
                    let file = ClosedFile {
                        uri,
                        folder: key,
                        path: relative,
                    };
                    self.check_closed(session, file);
                }
            } else {
                self.note_new_file(session, &key, relative);
            }
            return;
        }
        for (_, file) in touched {
            self.check_closed(session, file);
        }
    }

    fn changed_folders(&self, session: &mut Session, params: DidChangeWorkspaceFoldersParams) {
        for removed in params.event.removed {
            let key = key_of_folder(&removed.uri);
            let left = |folder: &Folder| folder.key != key && folder.outer.as_ref() != Some(&key);
            session.folders.retain(left);
            let folders = &session.folders;
            let gone: Vec<_> = session
                .closed
                .iter()
                .filter(|(_, file)| folders.iter().all(|folder| folder.key != file.folder))
                .map(|(key, _)| key.clone())
                .collect();
            for file in gone {
                session.closed.remove(&file);
                if !session.documents.contains_key(&file) {
                    self.publish_nothing(session, &file);
                }
            }
        }
        for added in params.event.added {
            self.add_folder(session, added.uri);
        }
        session.projects_changed();
        self.load_new_folders(session);
        self.reconsider_documents(session);
        self.watch_folders(session);
    }

    /// Adds a folder, unless it is there already.
    pub(crate) fn add_folder(&self, session: &mut Session, uri: Uri) {
        if let Some(known) = session.folder_mut(&key_of_folder(&uri)) {
            known.outer = None;
            return;
        }
        match Folder::new(uri) {
            Some(folder) => session.folders.push(folder),
            None => tracing::warn!("a workspace folder that is not on disk is left out"),
        }
    }

    /// Adds a project in a project, which is as good as a folder. Gives its key.
    pub(crate) fn add_nested_folder(
        &self,
        session: &mut Session,
        outer: &UriKey,
        relative: &str,
    ) -> Option<UriKey> {
        let outer = session.folder_mut(outer)?;
        let uri = folder_uri(outer, relative)?;
        let key = key_of_folder(&uri);
        let outer = outer.outer.clone().unwrap_or_else(|| outer.key.clone());
        if session.folder_mut(&key).is_none() {
            let mut folder = Folder::new(uri)?;
            folder.outer = Some(outer);
            session.folders.push(folder);
            session.projects_changed();
            self.load_new_folders(session);
            self.reconsider_documents(session);
            self.watch_folders(session);
        }
        Some(key)
    }

    /// Loads every folder that was not loaded yet.
    pub(crate) fn load_new_folders(&self, session: &mut Session) {
        let new: Vec<_> = session
            .folders
            .iter()
            .filter(|folder| folder.project.is_none() && !folder.loading)
            .map(|folder| folder.key.clone())
            .collect();
        for folder in new {
            self.schedule_load(session, &folder, |pending| pending.all = true);
        }
    }

    /// Has every open document checked again, with whatever applies to it now.
    pub(crate) fn reconsider_documents(&self, session: &mut Session) {
        let documents: Vec<_> = session.documents.values().cloned().collect();
        for document in documents {
            self.knowledge_changed(session, document.path.as_deref());
            self.schedule_check(session, &document.key);
        }
    }

    fn changed_configuration(&self, session: &mut Session, params: DidChangeConfigurationParams) {
        let sent = &params.settings;
        let empty = sent.is_null()
            || sent.as_object().is_some_and(serde_json::Map::is_empty)
            || sent.get("asd").is_some_and(Value::is_null);
        if session.client.configuration() {
            self.pull_configuration();
        } else if empty {
            self.new_settings(session, &Value::Null);
        } else {
            let sent = sent.clone();
            self.new_settings(session, &sent);
        }
    }

    fn cancelled_progress(&self, session: &mut Session, params: WorkDoneProgressCancelParams) {
        let token = crate::progress::token_text(&params.token);
        if let Some(cancel) = session.workspace_checks.get(&token) {
            cancel.store(true, Ordering::Relaxed);
        }
    }
}

/// The URI of a file of a folder, in the spelling of the folder.
pub(crate) fn folder_uri(folder: &Folder, relative: &str) -> Option<Uri> {
    uri::below(&folder.uri, relative)
}
