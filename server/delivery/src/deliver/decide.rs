//! What is done with each file, from what is rendered and what is there.

use std::fs;
use std::io::{self, Read};

use asd_store::Project;

use crate::deliver::{DeliverOptions, Record};
use crate::protect::{
    LineEnding, Refusal, SectionChange, Unmarked, check_write_safety, ending_of, may_write,
    new_file, with_ending, with_section, without_bom,
};
use crate::render::{Rendered, agents};

/// Files of people that are larger are left alone.
const MAX_FILE: u64 = 32 * 1024 * 1024;

/// Something that should be in a file.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Target<'r> {
    /// Project-relative path with `/`.
    pub path: &'r str,
    /// The whole text, or the section's body.
    pub text: &'r str,
    pub kind: TargetKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TargetKind {
    /// The file is ours.
    Whole,
    /// A part of the file is ours.
    Section,
}

#[derive(Clone, Debug)]
pub(crate) enum Decision {
    Write {
        /// Where to, project-relative: the path itself, or where its link
        /// leads.
        to: String,
        /// What is there now.
        before: Option<Vec<u8>>,
        bytes: Vec<u8>,
        create: bool,
        /// For a section that was appended: what was put in front of it.
        separator: Option<String>,
    },
    Unchanged {
        reason: Option<String>,
    },
    Skip {
        reason: String,
        line: Option<usize>,
    },
    Fail {
        reason: String,
    },
}

impl Decision {
    fn skip(reason: &str) -> Self {
        Self::Skip {
            reason: reason.to_owned(),
            line: None,
        }
    }
}

/// Every file of a delivery with what is done to it.
pub(crate) fn decide_all<'r>(
    project: &Project,
    rendered: &'r Rendered,
    options: &DeliverOptions,
    record: &Record,
) -> Vec<(Target<'r>, Decision)> {
    let whole = rendered.files.iter().map(|(path, text)| Target {
        path,
        text,
        kind: TargetKind::Whole,
    });
    let sections = agents::FILES.iter().map(|path| Target {
        path,
        text: &rendered.section,
        kind: TargetKind::Section,
    });
    whole
        .chain(sections)
        .map(|target| (target, decide(project, &target, options, record)))
        .collect()
}

pub(crate) fn decide(
    project: &Project,
    target: &Target<'_>,
    options: &DeliverOptions,
    record: &Record,
) -> Decision {
    if !may_write(target.path) {
        return Decision::Fail {
            reason: "outside of the places that Alembic writes to".to_owned(),
        };
    }
    let place = match find(project, target.path) {
        Ok(place) => place,
        Err(decision) => return decision,
    };
    // Two names of one file: its own name decides.
    if place.to != target.path && agents::FILES.contains(&place.to.as_str()) {
        return Decision::Unchanged {
            reason: Some(format!("link to {}", place.to)),
        };
    }
    let before = match place.bytes {
        None => None,
        Some(Ok(bytes)) => Some(bytes),
        Some(Err(reason)) => return Decision::Fail { reason },
    };
    let wanted = match target.kind {
        TargetKind::Whole => whole(before.as_deref(), target.text),
        TargetKind::Section => section(before.as_deref(), target, options, record),
    };
    let (text, separator) = match wanted {
        Ok(wanted) => wanted,
        Err(decision) => return decision,
    };
    let bytes = text.into_bytes();
    if before.as_deref() == Some(&bytes) {
        return Decision::Unchanged { reason: None };
    }
    if place.read_only {
        return Decision::Fail {
            reason: "read-only".to_owned(),
        };
    }
    Decision::Write {
        to: place.to,
        create: before.is_none(),
        before,
        bytes,
        separator,
    }
}

type Wanted = Result<(String, Option<String>), Decision>;

fn whole(before: Option<&[u8]>, text: &str) -> Wanted {
    if !check_write_safety(before).can_write {
        return Err(Decision::skip("user-owned"));
    }
    // A checkout may have other line endings; that is no change.
    let known = before.and_then(|bytes| std::str::from_utf8(bytes).ok());
    let ending = known.and_then(|text| ending_of([text]));
    let bom = known.map_or("", |text| &text[..text.len() - without_bom(text).len()]);
    let text = with_ending(text, ending.unwrap_or(LineEnding::Lf));
    Ok((format!("{bom}{text}"), None))
}

fn section(
    before: Option<&[u8]>,
    target: &Target<'_>,
    options: &DeliverOptions,
    record: &Record,
) -> Wanted {
    let Some(before) = before else {
        return Ok((new_file(target.text), None));
    };
    let Ok(text) = std::str::from_utf8(before) else {
        return Err(Decision::skip("not-utf8"));
    };
    let adopted = options.adopt.iter().any(|path| path == target.path);
    let unmarked = if target.path == "CLAUDE.md" || adopted {
        Unmarked::Append
    } else {
        Unmarked::Skip
    };
    let known = record.known_bodies(target.path);
    match with_section(text, target.text, unmarked, &known, options.repair) {
        Ok(SectionChange { text, separator }) => Ok((text, separator)),
        Err(refusal) => Err(refused(refusal)),
    }
}

fn refused(refusal: Refusal) -> Decision {
    Decision::Skip {
        reason: refusal.reason().to_owned(),
        line: refusal.line(),
    }
}

/// What stands at a path.
struct Place {
    /// Where it really is, project-relative.
    to: String,
    /// Its content; nothing when there is no file.
    bytes: Option<Result<Vec<u8>, String>>,
    read_only: bool,
}

fn find(project: &Project, path: &str) -> Result<Place, Decision> {
    let Ok(absolute) = project.absolute(path) else {
        return Err(Decision::skip("symlink-outside"));
    };
    let metadata = match absolute.symlink_metadata() {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return Ok(Place {
                to: path.to_owned(),
                bytes: None,
                read_only: false,
            });
        }
        Err(error) => {
            return Err(Decision::Fail {
                reason: error.to_string(),
            });
        }
    };
    let (to, real) = if metadata.is_symlink() {
        let Ok(real) = absolute.canonicalize() else {
            return Err(Decision::skip("dangling-symlink"));
        };
        match project.relative(&real) {
            Some(to) => (to, real),
            None => return Err(Decision::skip("symlink-outside")),
        }
    } else {
        (path.to_owned(), absolute)
    };
    let metadata = match real.metadata() {
        Ok(metadata) if metadata.is_file() => metadata,
        Ok(_) => return Err(Decision::skip("not-a-file")),
        Err(error) => {
            return Err(Decision::Fail {
                reason: error.to_string(),
            });
        }
    };
    if metadata.len() > MAX_FILE {
        return Err(Decision::skip("too-large"));
    }
    let bytes = read(&real).map_err(|error| error.to_string());
    Ok(Place {
        to,
        bytes: Some(bytes),
        read_only: metadata.permissions().readonly(),
    })
}

fn read(path: &std::path::Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    fs::File::open(path)?
        .take(MAX_FILE)
        .read_to_end(&mut bytes)?;
    Ok(bytes)
}
