//! Taking everything back that was delivered.

use std::fs;

use asd_store::{Project, WriteError, write_atomic};
use serde::Serialize;

use crate::deliver::write::remove_owned;
use crate::deliver::{Action, PlannedFile, Record, lock, managed_files, remove_empty_folders};
use crate::protect::{cut_section, without_bom};
use crate::render::agents;

/// What was taken back, or would be.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct RemoveReport {
    /// Every file that holds something of ours, by path.
    pub files: Vec<PlannedFile>,
}

/// Whether a removal is carried out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Everything is done.
    Write,
    /// What would be done is told, nothing is written.
    DryRun,
}

/// Removes our whole files and cuts our sections out of the files of people.
///
/// # Errors
/// [`WriteError`] when another process delivers for too long.
pub fn remove(project: &Project, mode: Mode) -> Result<RemoveReport, WriteError> {
    let _lock = match mode {
        Mode::Write => Some(lock(project)?),
        Mode::DryRun => None,
    };
    let mut record = Record::read(project);
    let mut files = Vec::new();
    for tool in [".cursor", ".trae", ".qoder"] {
        for file in managed_files(project, tool).into_iter().filter(|f| f.owned) {
            let done = match mode {
                Mode::Write => remove_owned(project, &file.path),
                Mode::DryRun => Ok(()),
            };
            files.push(outcome(file.path, Action::Remove, done));
        }
    }
    for path in agents::FILES {
        files.extend(cut(project, path, mode, &mut record));
    }
    if mode == Mode::Write {
        remove_empty_folders(project, &mut record);
        Record::delete(project);
    }
    files.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(RemoveReport { files })
}

fn outcome(path: String, action: Action, done: Result<(), String>) -> PlannedFile {
    let (action, reason) = match done {
        Ok(()) => (action, None),
        Err(reason) => (Action::Failed, Some(reason)),
    };
    PlannedFile {
        path,
        action,
        reason,
        line: None,
        tokens: 0,
    }
}

fn cut(project: &Project, path: &str, mode: Mode, record: &mut Record) -> Option<PlannedFile> {
    let absolute = project.absolute(path).ok()?;
    let real = absolute.canonicalize().ok()?;
    let to = project.relative(&real)?;
    if to != path && agents::FILES.contains(&to.as_str()) {
        // It is cut under its own name.
        return None;
    }
    let text = String::from_utf8(fs::read(&real).ok()?).ok()?;
    let rest = match cut_section(&text, record.separator(path)) {
        Ok(Some(rest)) => rest,
        Ok(None) => return None,
        Err(refusal) => {
            return Some(PlannedFile {
                path: path.to_owned(),
                action: Action::Skipped,
                reason: Some(refusal.reason().to_owned()),
                line: refusal.line(),
                tokens: 0,
            });
        }
    };
    let is_blank = without_bom(&rest).trim().is_empty();
    let delete = is_blank && record.created(path);
    let action = if delete {
        Action::Remove
    } else {
        Action::Update
    };
    let done = match mode {
        Mode::DryRun => Ok(()),
        Mode::Write if delete => fs::remove_file(&real).map_err(|error| error.to_string()),
        Mode::Write => write_atomic(project, &to, rest.as_bytes())
            .map(|_| ())
            .map_err(|error| error.to_string()),
    };
    if done.is_ok() && mode == Mode::Write {
        record.forget_section(path);
    }
    Some(outcome(path.to_owned(), action, done))
}
