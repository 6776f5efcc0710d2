//! Reviews carried out: which files and lines belong to the change, and which
//! review of it this is. (guard.md §13)

use asd_guard::{ReviewRound, Timestamp};
use asd_store::{
    ChangedLines, Disk, Git, GitError, Host, PathKind, Project, WriteError, change_review,
};
use thiserror::Error;

use crate::ProjectState;
use crate::report::BatchDetails;
use crate::review::{FileSource, Review, ReviewResult};

/// Larger files are not written by hand, in bytes.
const MAX_REVIEWED: u64 = 1024 * 1024;

/// What is to be reviewed.
#[derive(Clone, Debug)]
pub struct ReviewRequest {
    /// Project-relative paths; all changed files when there are none.
    pub named: Vec<String>,
    /// Whose reviews are counted together.
    pub session: String,
    /// Whether all lines of a file count, not only changed ones.
    pub whole_file: bool,
}

/// Why there was no review.
#[derive(Debug, Error)]
pub enum ReviewError {
    /// A file that was named does not exist, or is none.
    #[error("there is no file {0}")]
    NoFile(String),
    /// What git says.
    #[error(transparent)]
    Git(#[from] GitError),
    /// The count of reviews could not be kept.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// The check itself failed.
    #[error("{0}")]
    Check(String),
}

/// Reviews a change. `check` is given the files, and gives what it found in them
/// with the projects that they belong to.
///
/// # Errors
/// [`ReviewError`].
pub fn review_change(
    project: &Project,
    request: &ReviewRequest,
    now: Timestamp,
    check: impl FnOnce(&[String]) -> Result<(BatchDetails, Vec<ProjectState>), ReviewError>,
) -> Result<ReviewResult, ReviewError> {
    let git = match Git::open(project.root()) {
        Ok(git) => Some(git),
        Err(GitError::NotARepository(_)) if !request.named.is_empty() => None,
        Err(error) => return Err(error.into()),
    };
    let (file_source, mut files) = if request.named.is_empty() {
        let changed = git.as_ref().map_or_else(|| Ok(Vec::new()), Git::changed)?;
        (FileSource::GitDiff, changed)
    } else {
        for rel in &request.named {
            if Disk.kind(&project.root().join(rel)) != Some(PathKind::File) {
                return Err(ReviewError::NoFile(rel.clone()));
            }
        }
        (FileSource::Explicit, request.named.clone())
    };
    files.sort();
    files.dedup();
    files.retain(|rel| !rel.starts_with(".asd/") && is_reviewed(project, rel));
    let (details, states) = check(&files)?;
    let changed = match &git {
        Some(git) if !request.whole_file => {
            let mut changed = git.changed_lines()?;
            if file_source == FileSource::GitDiff {
                // Another mode, or lines that are gone: nothing new to look at.
                for rel in &files {
                    let nothing = || ChangedLines::Blocks(Vec::new());
                    changed.entry(rel.clone()).or_insert_with(nothing);
                }
            }
            Some(changed)
        }
        _ => None,
    };
    let head = git.as_ref().and_then(Git::head);
    let result = change_review(project, &request.session, now, |last| {
        let round = ReviewRound::after(last.as_ref(), head.as_deref(), now);
        let result = Review {
            details,
            file_source,
            changed: changed.as_ref(),
            states: &states,
            round: &round,
        }
        .result();
        // A review that passes ends the count.
        ((!result.passed).then_some(round), result)
    })?;
    Ok(result)
}

/// Whether a path that git lists is a file to be reviewed.
fn is_reviewed(project: &Project, rel: &str) -> bool {
    let path = project.root().join(rel);
    project.contains(&path)
        && Disk.kind(&path) == Some(PathKind::File)
        && Disk.size(&path) <= MAX_REVIEWED
}
