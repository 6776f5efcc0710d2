//! Files that setup writes, or would write.

use std::fs;

use asd_store::{Project, write_atomic};
use serde::Serialize;

use super::record::SetupRecord;
use crate::deliver::{Action, Mode};
use crate::may_write;

/// One file of a setup.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SetupFile {
    /// Project-relative path.
    pub path: String,
    /// What was done, or would be.
    pub action: Action,
    /// Why, where it is not plain.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// Writes files, or only says what would be written.
pub(crate) struct Files<'p> {
    pub project: &'p Project,
    pub mode: Mode,
    pub record: SetupRecord,
    pub done: Vec<SetupFile>,
}

impl<'p> Files<'p> {
    pub(crate) fn new(project: &'p Project, mode: Mode) -> Self {
        Self {
            record: SetupRecord::read(project),
            project,
            mode,
            done: Vec::new(),
        }
    }

    /// The text of a file; `None` when there is none.
    pub(crate) fn text(&self, path: &str) -> Result<Option<String>, String> {
        let absolute = self.project.absolute(path).map_err(|e| e.to_string())?;
        match fs::read(&absolute) {
            Ok(bytes) => match String::from_utf8(bytes) {
                Ok(text) => Ok(Some(text)),
                Err(_) => Err("not-utf8".to_owned()),
            },
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error.to_string()),
        }
    }

    /// Writes what `change` makes of a file. An error of `change` leaves the
    /// file as it is and is told.
    pub(crate) fn change(
        &mut self,
        path: &str,
        change: impl FnOnce(Option<&str>) -> Result<String, &'static str>,
    ) {
        if !may_write(path) {
            self.tell(
                path,
                Action::Failed,
                Some("outside of the places that Alembic writes to"),
            );
            return;
        }
        let before = match self.text(path) {
            Ok(before) => before,
            Err(reason) => return self.tell(path, Action::Skipped, Some(&reason)),
        };
        match change(before.as_deref()) {
            Err(reason) => self.tell(path, Action::Skipped, Some(reason)),
            Ok(text) if before.as_ref() == Some(&text) => self.tell(path, Action::Unchanged, None),
            Ok(text) => self.write(path, before.is_none(), &text),
        }
    }

    /// Writes a file that is not there yet.
    pub(crate) fn create(&mut self, path: &str, text: &str) {
        self.change(path, |before| Ok(before.unwrap_or(text).to_owned()));
    }

    /// Removes what `change` makes of a file: `None` when it holds nothing of
    /// ours, an empty text when it can go as a whole.
    pub(crate) fn cut(
        &mut self,
        path: &str,
        change: impl FnOnce(&str) -> Result<Option<String>, &'static str>,
    ) {
        let before = match self.text(path) {
            Ok(Some(before)) => before,
            Ok(None) => return,
            Err(reason) => return self.tell(path, Action::Skipped, Some(&reason)),
        };
        match change(&before) {
            Err(reason) => self.tell(path, Action::Skipped, Some(reason)),
            Ok(None) => {}
            Ok(Some(rest)) if rest.trim().is_empty() && self.record.created.contains(path) => {
                self.remove(path);
            }
            Ok(Some(rest)) => {
                // A file that was there and held nothing is left so.
                let rest = if rest.is_empty() && path.ends_with(".json") {
                    "{}\n".to_owned()
                } else {
                    rest
                };
                self.write(path, false, &rest);
            }
        }
    }

    fn remove(&mut self, path: &str) {
        let removed = match (self.mode, self.project.absolute(path)) {
            (Mode::DryRun, _) => Ok(()),
            (Mode::Write, Ok(absolute)) => fs::remove_file(absolute).map_err(|e| e.to_string()),
            (Mode::Write, Err(outside)) => Err(outside.to_string()),
        };
        match removed {
            Ok(()) => {
                self.record.created.remove(path);
                self.tell(path, Action::Remove, None);
            }
            Err(reason) => self.tell(path, Action::Failed, Some(&reason)),
        }
    }

    fn write(&mut self, path: &str, create: bool, text: &str) {
        let action = if create {
            Action::Create
        } else {
            Action::Update
        };
        if self.mode == Mode::DryRun {
            return self.tell(path, action, None);
        }
        let read_only = fs::metadata(self.project.root().join(path))
            .is_ok_and(|metadata| metadata.permissions().readonly());
        if read_only {
            return self.tell(path, Action::Failed, Some("read-only"));
        }
        if create {
            self.record.created.insert(path.to_owned());
            self.remember_folders(path);
        }
        match write_atomic(self.project, path, text.as_bytes()) {
            Ok(_) => self.tell(path, action, None),
            Err(error) => self.tell(path, Action::Failed, Some(&error.to_string())),
        }
    }

    fn remember_folders(&mut self, path: &str) {
        for (at, _) in path.match_indices('/') {
            let folder = &path[..at];
            if !self.project.root().join(folder).exists() {
                self.record.folders.insert(folder.to_owned());
            }
        }
    }

    pub(crate) fn tell(&mut self, path: &str, action: Action, reason: Option<&str>) {
        self.done.push(SetupFile {
            path: path.to_owned(),
            action,
            reason: reason.map(str::to_owned),
        });
    }
}
