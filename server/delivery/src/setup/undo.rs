//! Taking a setup back. The knowledge stays.

use std::fs;

use asd_store::{Git, Project, WriteError};
use serde::Serialize;

use super::files::{Files, SetupFile};
use super::record::SetupRecord;
use super::{CLAUDE_COMMAND, CLAUDE_EVENTS, CLAUDE_SETTINGS, git_hooks, gitignore};
use crate::deliver::{Action, Mode, PlannedFile, remove};
use crate::hosts::{Host, remove_hooks};

/// What was taken back, or would be.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct UndoReport {
    /// Configuration, hooks and the block in `.gitignore`.
    pub files: Vec<SetupFile>,
    /// Delivered files.
    pub delivered: Vec<PlannedFile>,
}

impl UndoReport {
    /// Whether everything could be taken back.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        !self.files.iter().any(|file| file.action == Action::Failed)
            && !self
                .delivered
                .iter()
                .any(|file| file.action == Action::Failed)
    }
}

/// Removes delivered files, our entries in the files of hosts, hooks, and the
/// block in `.gitignore`. What lies below `Alembic/` stays.
///
/// # Errors
/// [`WriteError`] when another process delivers for too long.
pub fn undo(project: &Project, mode: Mode) -> Result<UndoReport, WriteError> {
    let delivered = remove(project, mode)?.files;
    let mut files = Files::new(project, mode);
    for host in Host::ALL {
        for file in host.files() {
            files.cut(file.path, |text| file.unmerge(text));
        }
    }
    files.cut(CLAUDE_SETTINGS, |text| {
        remove_hooks(text, &CLAUDE_EVENTS, CLAUDE_COMMAND)
    });
    hook(&mut files);
    files.cut(".gitignore", gitignore::without_block);
    if mode == Mode::Write {
        remove_folders(project, &files.record);
        SetupRecord::delete(project);
        let _ = fs::remove_file(project.root().join(".asd/config.schema.json"));
        let _ = fs::remove_file(project.root().join(".asd/.auto-approve-pending"));
    }
    Ok(UndoReport {
        files: files.done,
        delivered,
    })
}

fn hook(files: &mut Files<'_>) {
    let Ok(folder) = Git::open(files.project.root()).and_then(|git| git.hooks_folder()) else {
        return;
    };
    if let Some(rel) = files.project.relative(&folder.join(git_hooks::NAME)) {
        files.cut(&rel, git_hooks::without_hook);
    }
}

fn remove_folders(project: &Project, record: &SetupRecord) {
    for folder in record.folders.iter().rev() {
        if folder != asd_store::KNOWLEDGE_DIR
            && let Ok(path) = project.absolute(folder)
        {
            // One that is not empty stays.
            let _ = fs::remove_dir(path);
        }
    }
}
