//! What a synchronisation writes into knowledge files: ids, hashes, and the
//! folder that a state belongs to.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use asd_knowledge::permit::manual_edit_row;
use asd_recipe::{Home, content_hash, patch_front_matter, with_hash};
use asd_text::apply_edits;
use rayon::prelude::*;
use uuid::Uuid;

use super::facts::{FileFacts, Stamp, facts_of};
use super::journal::Journal;
use super::moves::{TEMPORARY, move_file};
use super::place::places_in;
use super::plan::{misplaced, winners};
use super::report::{SyncError, SyncReport};
use crate::write::{PreparedFile, sync_folder};
use crate::{Disk, KNOWLEDGE_DIR, MAX_RECIPE, Project, WriteError, now, read_text_up_to};

/// How many files are written at once.
const WRITERS: usize = 16;

/// What one file needs.
#[derive(Debug)]
pub(crate) struct Need {
    file: usize,
    id: Option<String>,
    edited: bool,
    home: Option<Home>,
}

impl Need {
    /// Undoes what [`pretend`] did to the facts.
    pub(crate) fn take_back(&self, files: &mut [FileFacts]) {
        if let (Some(_), Ok(facts)) = (&self.id, &mut files[self.file].content) {
            facts.id = None;
        }
    }
}

/// What the files need, in their order. Files that another one has the id of
/// stay as they are, and so do those of other folders.
pub(crate) fn needs(files: &[FileFacts]) -> Vec<Need> {
    let (winners, _) = winners(files);
    let mut order: Vec<usize> = winners.into_values().collect();
    order.sort_unstable();
    order
        .into_iter()
        .filter_map(|index| {
            let file = &files[index];
            let facts = file.content.as_ref().ok()?;
            let is_ours = file.place.rel.split('/').next() == Some(KNOWLEDGE_DIR);
            let home = misplaced(file, facts);
            let edited = file.is_edited();
            let id = facts.id.is_none().then(|| Uuid::new_v4().to_string());
            let needs = edited || file.stated_hash.is_none() || id.is_some() || home.is_some();
            (is_ours && needs).then_some(Need {
                file: index,
                id,
                edited,
                home,
            })
        })
        .collect()
}

/// Notes in the report, and in the facts, what would be written.
pub(crate) fn pretend(files: &mut [FileFacts], needs: &[Need], report: &mut SyncReport) {
    for need in needs {
        let file = &mut files[need.file];
        note(file, need, report, Tense::Future);
        if let (Some(id), Ok(facts)) = (&need.id, &mut file.content) {
            facts.id = Some(id.clone());
        }
    }
}

#[derive(Clone, Copy)]
enum Tense {
    Past,
    Future,
}

fn note(file: &FileFacts, need: &Need, report: &mut SyncReport, tense: Tense) {
    let rel = file.place.rel.as_str();
    let said = |past: &str, future: &str| match tense {
        Tense::Past => past.to_owned(),
        Tense::Future => future.to_owned(),
    };
    if need.id.is_some() {
        report.assigned_ids += 1;
        report.change(rel, "assignedId", said("got an id", "gets an id"));
    } else if need.edited {
        report.manual_edits += 1;
        let message = said(
            "was edited by hand; its hash is right again",
            "was edited by hand; its hash will be mended",
        );
        report.change(rel, "manualEdit", message);
    } else if file.stated_hash.is_none() {
        report.added_hashes += 1;
    }
    if let Some(home) = need.home {
        report.moved += 1;
        let folder = super::place::folder_of(home);
        let message = said(
            &format!("went to {folder}/, where its state belongs"),
            &format!("goes to {folder}/, where its state belongs"),
        );
        report.change(rel, "moved", message);
    }
}

/// Writes what the files need. Files that cannot be written are in the report.
/// Whoever calls holds the project's lock.
pub(crate) fn write(
    project: &Project,
    files: &mut [FileFacts],
    needs: &[Need],
    report: &mut SyncReport,
) -> Result<(), WriteError> {
    journal_edits(project, files, needs)?;
    let (moves, in_place): (Vec<&Need>, Vec<&Need>) =
        needs.iter().partition(|need| need.home.is_some());
    // A disk makes many files durable in the time of one.
    let pool = rayon::ThreadPoolBuilder::new().num_threads(WRITERS).build();
    match pool {
        Ok(pool) => pool.install(|| write_in_place(project, files, &in_place, report)),
        Err(_) => write_in_place(project, files, &in_place, report),
    }
    for need in moves {
        match relocate(project, &files[need.file], need) {
            Ok(new) => {
                note(&files[need.file], need, report, Tense::Past);
                files[need.file] = new;
            }
            Err(message) => failed(&files[need.file], message, report),
        }
    }
    Ok(())
}

fn failed(file: &FileFacts, message: String, report: &mut SyncReport) {
    report.errors.push(SyncError {
        path: file.place.rel.clone(),
        line: None,
        message,
    });
}

/// Says in the audit, before the traces are gone, which files were edited by
/// hand. The id of an edit is made of the file as it was
/// left, so that it is told once.
fn journal_edits(project: &Project, files: &[FileFacts], needs: &[Need]) -> Result<(), WriteError> {
    let rows: Vec<_> = needs
        .iter()
        .filter(|need| need.edited && need.id.is_none())
        .filter_map(|need| {
            let file = &files[need.file];
            let id = file.row_id()?;
            Some(manual_edit_row(
                format!("manual-edit:{id}:{}:{}", file.hash, file.stamp.modified),
                now().0,
                &id,
                &file.place.rel,
                file.stated_hash.as_deref(),
                &file.hash,
            ))
        })
        .collect();
    Journal::Audit.append(project, &rows)
}

/// Writes files where they are, each for itself, so that some are written and
/// the others are not when the process ends in between.
fn write_in_place(
    project: &Project,
    files: &mut [FileFacts],
    needs: &[&Need],
    report: &mut SyncReport,
) {
    let written: Vec<Result<FileFacts, String>> = needs
        .par_iter()
        .map(|need| write_one(project, &files[need.file], need))
        .collect();
    let mut folders: BTreeSet<PathBuf> = BTreeSet::new();
    for (need, written) in needs.iter().zip(written) {
        let file = &files[need.file];
        match written {
            Ok(facts) => {
                note(file, need, report, Tense::Past);
                folders.extend(facts.place.path.parent().map(Path::to_path_buf));
                files[need.file] = facts;
            }
            Err(message) => failed(file, message, report),
        }
    }
    for folder in &folders {
        sync_folder(folder);
    }
}

fn write_one(project: &Project, file: &FileFacts, need: &Need) -> Result<FileFacts, String> {
    let (_, text) = new_text(file, need)?;
    let path = PreparedFile::new(project, &file.place.rel, text.as_bytes(), TEMPORARY)
        .and_then(PreparedFile::replace)
        .map_err(|error| error.to_string())?;
    let stamp = path
        .metadata()
        .map_or_else(|_| Stamp::default(), |metadata| Stamp::of(&metadata));
    Ok(facts_of(
        &file.place,
        stamp,
        text.trim_start_matches('\u{feff}'),
    ))
}

/// The text as it is on disk, and with its id and its hash.
fn new_text(file: &FileFacts, need: &Need) -> Result<(String, String), String> {
    let decoded = read_text_up_to(&Disk, &file.place.path, MAX_RECIPE)
        .map_err(|reason| format!("This file cannot be read: {reason}."))?;
    if content_hash(&decoded.text) != file.hash {
        return Err(
            "This file was written to at this moment, so it was left alone. Run `asd sync` again."
                .to_owned(),
        );
    }
    let cannot = |error: &dyn std::fmt::Display| {
        format!("The front matter cannot be changed: {error}. Write it as `key: value` lines.")
    };
    let mut text = decoded.text.clone();
    if let Some(id) = &need.id {
        let edits = patch_front_matter(&text, &[("id", Some(id.as_str().into()))])
            .map_err(|error| cannot(&error))?;
        text = apply_edits(&text, &edits).map_err(|error| cannot(&error))?;
    }
    text = with_hash(&text).map_err(|error| cannot(&error))?;
    if decoded.bom {
        text.insert(0, '\u{feff}');
    }
    Ok((decoded.text, text))
}

fn relocate(project: &Project, file: &FileFacts, need: &Need) -> Result<FileFacts, String> {
    let (old, text) = new_text(file, need)?;
    let id = need.id.clone().or_else(|| file.row_id());
    let home = need.home.unwrap_or(file.place.home());
    let places = places_in(home, &file.place.rel, id.as_deref());
    let rel = move_file(project, &file.place.rel, &old, places, &text)
        .map_err(|error| error.to_string())?;
    let path = project.root().join(&rel);
    let stamp = path
        .metadata()
        .map_or_else(|_| Stamp::default(), |m| Stamp::of(&m));
    let place = crate::recipe_at(project, &[], &path)
        .ok_or_else(|| format!("{rel} is no place for a recipe"))?;
    Ok(facts_of(&place, stamp, text.trim_start_matches('\u{feff}')))
}
