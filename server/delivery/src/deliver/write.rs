//! Decisions carried out.

use std::fs;

use asd_store::{Project, write_atomic};
use rayon::prelude::*;

use crate::deliver::decide::{Decision, Target, TargetKind, decide};
use crate::deliver::{Action, DeliverOptions, PlannedFile, Record, planned};
use crate::protect::is_owned;

/// A file that is about to be written, with what is told of it.
pub(crate) struct Prepared {
    pub told: PlannedFile,
    write: Option<(String, Vec<u8>)>,
}

/// Gets a file ready. When somebody has changed it since it was looked at, it is
/// looked at again. What is to be remembered goes into the record, which is
/// saved before anything is written: a crash must not leave a section that
/// nobody knows.
pub(crate) fn prepare(
    project: &Project,
    target: &Target<'_>,
    decision: Decision,
    options: &DeliverOptions,
    record: &mut Record,
) -> Prepared {
    let mut decision = decision;
    if let Decision::Write { to, before, .. } = &decision
        && fs::read(project.root().join(to)).ok() != *before
    {
        decision = decide(project, target, options, record);
    }
    let told = planned(target, &decision);
    let Decision::Write {
        to,
        bytes,
        create,
        separator,
        ..
    } = decision
    else {
        return Prepared { told, write: None };
    };
    record.will_create_folders(project, &to);
    if target.kind == TargetKind::Section {
        record.wrote_section(target.path, target.text);
        if create {
            record.created_file(target.path);
        }
        if let Some(separator) = separator {
            record.appended(target.path, &separator);
        }
    }
    Prepared {
        told,
        write: Some((to, bytes)),
    }
}

/// Writes the files side by side: each waits for the disk, and they can wait
/// together.
pub(crate) fn write_all(project: &Project, prepared: Vec<Prepared>) -> Vec<PlannedFile> {
    prepared
        .into_par_iter()
        .map(|file| {
            let mut told = file.told;
            if let Some((to, bytes)) = file.write
                && let Err(error) = write_atomic(project, &to, &bytes)
            {
                told.action = Action::Failed;
                told.reason = Some(error.to_string());
            }
            told
        })
        .collect()
}

/// Removes a file of ours that is not needed any more.
pub(crate) fn remove_stale(project: &Project, mut file: PlannedFile) -> PlannedFile {
    if file.action == Action::Remove
        && let Err(reason) = remove_owned(project, &file.path)
    {
        file.action = Action::Failed;
        file.reason = Some(reason);
    }
    file
}

/// Removes a whole file, if it is still ours.
pub(crate) fn remove_owned(project: &Project, path: &str) -> Result<(), String> {
    let absolute = project.absolute(path).map_err(|error| error.to_string())?;
    let bytes = fs::read(&absolute).map_err(|error| error.to_string())?;
    if !is_owned(&bytes) {
        return Err("somebody has changed it meanwhile".to_owned());
    }
    fs::remove_file(&absolute).map_err(|error| error.to_string())
}

/// Our temporary files have such names; one that is older than this many
/// seconds was left by a process that died.
const LEFT_BEHIND: u64 = 60;

/// Removes temporary files that a process which died has left in the folders of
/// delivered files. Nobody else delivers meanwhile.
pub(crate) fn remove_leftovers<'t>(project: &Project, paths: impl Iterator<Item = &'t str>) {
    let folders: std::collections::BTreeSet<&str> = paths
        .map(|path| path.rsplit_once('/').map_or("", |(folder, _)| folder))
        .collect();
    for folder in folders {
        let Ok(folder) = project.absolute(folder) else {
            continue;
        };
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let name = entry.file_name();
            let name = name.to_string_lossy();
            let is_old = || {
                let modified = entry.metadata().and_then(|metadata| metadata.modified());
                modified
                    .is_ok_and(|time| time.elapsed().is_ok_and(|age| age.as_secs() > LEFT_BEHIND))
            };
            if name.starts_with(".asd-")
                && name.ends_with(".tmp")
                && entry.file_type().is_ok_and(|kind| kind.is_file())
                && is_old()
            {
                let _ = fs::remove_file(entry.path());
            }
        }
    }
}

/// Removes folders that we created and that are empty, and those of skills that
/// are gone.
pub(crate) fn remove_empty_folders(project: &Project, record: &mut Record) {
    for tool in [".cursor", ".trae", ".qoder"] {
        let skills = project.root().join(tool).join("skills");
        for entry in fs::read_dir(skills).into_iter().flatten().flatten() {
            let is_ours = entry.file_name().to_string_lossy().starts_with("alembic-");
            if is_ours && entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                // Removing a folder that is not empty fails, as it should.
                let _ = fs::remove_dir(entry.path().join("references"));
                let _ = fs::remove_dir(entry.path());
            }
        }
    }
    for folder in record.folders() {
        let Ok(path) = project.absolute(&folder) else {
            continue;
        };
        if !path.exists() || fs::remove_dir(&path).is_ok() {
            record.forget_folder(&folder);
        }
    }
}
