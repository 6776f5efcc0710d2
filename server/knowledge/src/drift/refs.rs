//! The sources of an entry: whether they are still there, and how they are put
//! right.

use asd_recipe::SourceRef;
use serde::{Deserialize, Serialize};

use super::ProjectFacts;
use crate::DAY;

/// Where a source stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RefState {
    /// It is there, or nothing is known of it.
    Active,
    /// It has another path now.
    Renamed,
    /// It is gone.
    Stale,
}

/// What the store keeps of a source.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SourceRefRow {
    /// The entry.
    pub recipe_id: String,
    /// The source as the entry names it, with its lines.
    pub source: String,
    /// Where it stands.
    pub state: RefState,
    /// Its path now, when it was renamed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub renamed_to: Option<String>,
    /// Unix seconds of the last look.
    pub checked_at: i64,
}

/// What was found of a source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefCheck {
    /// Where it stands.
    pub state: RefState,
    /// Its path now, when it was renamed.
    pub renamed_to: Option<String>,
}

/// Whether a source should be looked at again: a day after the last look.
#[must_use]
pub const fn recheck_due(row: &SourceRefRow, now: i64) -> bool {
    now - row.checked_at >= DAY
}

/// Looks at a source.
#[must_use]
pub fn check_source(source: &SourceRef, facts: &dyn ProjectFacts) -> RefCheck {
    let (state, renamed_to) = match facts.path_exists(&source.path) {
        Some(false) => match facts.renamed_to(&source.path) {
            Some(path) => (RefState::Renamed, Some(path)),
            None => (RefState::Stale, None),
        },
        Some(true) | None => (RefState::Active, None),
    };
    RefCheck { state, renamed_to }
}

/// A source under its new path. Its lines are kept when their text is the same
/// there, follow the text when it stands elsewhere once, and are left out
/// otherwise. `before` is the old file's text, `after` the new one's.
#[must_use]
pub fn repaired(
    source: &SourceRef,
    renamed_to: &str,
    before: Option<&str>,
    after: Option<&str>,
) -> SourceRef {
    let lines = source.lines.and_then(|lines| {
        let (before, after) = (before?, after?);
        let wanted: Vec<&str> = slice(before, lines)?;
        if slice(after, lines).as_ref() == Some(&wanted) {
            return Some(lines);
        }
        let all: Vec<&str> = after.lines().collect();
        let mut places = all
            .windows(wanted.len())
            .enumerate()
            .filter(|(_, window)| *window == wanted)
            .map(|(at, _)| at);
        let (first, second) = (places.next()?, places.next());
        if second.is_some() || wanted.iter().all(|line| line.trim().is_empty()) {
            return None;
        }
        let first = u32::try_from(first + 1).ok()?;
        Some((first, first + (lines.1 - lines.0)))
    });
    SourceRef {
        path: renamed_to.to_owned(),
        lines,
        span: source.span,
    }
}

fn slice(text: &str, (first, last): (u32, u32)) -> Option<Vec<&str>> {
    let all: Vec<&str> = text.lines().collect();
    let slice = all.get(first.checked_sub(1)? as usize..last as usize)?;
    Some(slice.to_vec())
}
