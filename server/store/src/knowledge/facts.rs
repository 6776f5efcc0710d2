//! What is known of the knowledge files without reading those again that did
//! not change.

use std::collections::HashMap;
use std::fs::{self, Metadata};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use asd_recipe::{Lifecycle, Recipe, content_hash};
use rayon::prelude::*;
use rusqlite::{Connection, params};

use super::admission::{Refusal, admit, refused_name};
use super::moves::TEMPORARY;
use crate::recipes::{FOLDER_OUT, LINK_OUT, LINK_TO_FOLDER, TOO_DEEP};
use crate::{Disk, MAX_RECIPE, Project, RecipePath, Unreadable, read_text_up_to, recipe_at};

/// How the row ids of files begin that have no id yet.
pub(crate) const NO_ID: &str = "file:";
/// Folders nested deeper than this are not entered.
const MAX_DEPTH: usize = 16;
/// A file that was written this shortly before it was read may have been written
/// again within one tick of the file system's clock. In nanoseconds.
const RACY: i64 = 2_000_000_000;

/// What tells that a file was not written to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Stamp {
    /// In bytes.
    pub(crate) size: i64,
    /// When the content was changed, in nanoseconds since 1970.
    pub(crate) modified: i64,
    /// When anything about the file was changed, where the system says so.
    pub(crate) changed: i64,
}

impl Stamp {
    pub(crate) fn of(metadata: &Metadata) -> Self {
        Self {
            size: i64::try_from(metadata.len()).unwrap_or(i64::MAX),
            modified: metadata.modified().map_or(0, nanoseconds),
            changed: changed(metadata),
        }
    }
}

#[cfg(unix)]
fn changed(metadata: &Metadata) -> i64 {
    use std::os::unix::fs::MetadataExt;
    metadata
        .ctime()
        .saturating_mul(1_000_000_000)
        .saturating_add(metadata.ctime_nsec())
}

#[cfg(not(unix))]
fn changed(_metadata: &Metadata) -> i64 {
    0
}

fn nanoseconds(time: SystemTime) -> i64 {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_nanos()).unwrap_or(i64::MAX)
}

/// A knowledge file.
#[derive(Clone, Debug)]
pub(crate) struct FileFacts {
    /// Where it is.
    pub(crate) place: RecipePath,
    pub(crate) stamp: Stamp,
    /// When it was read, in nanoseconds since 1970.
    pub(crate) seen: i64,
    /// [`content_hash`] of the text; empty when it could not be read.
    pub(crate) hash: String,
    /// The hash that the file states.
    pub(crate) stated_hash: Option<String>,
    /// What it says, or why it is refused.
    pub(crate) content: Result<Facts, Refusal>,
    /// The recipe, when it was read just now.
    pub(crate) recipe: Option<Box<Recipe>>,
    /// Whether these facts differ from those of the index.
    pub(crate) is_news: bool,
}

/// What the index keeps of a recipe.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Facts {
    pub(crate) id: Option<String>,
    pub(crate) title: String,
    pub(crate) trigger: String,
    pub(crate) lifecycle: Lifecycle,
    /// Whether the file says so, or only its folder.
    pub(crate) states_lifecycle: bool,
    pub(crate) updated_at: Option<i64>,
}

impl FileFacts {
    /// The key of its row: its id, or one made of its path.
    pub(crate) fn row_id(&self) -> Option<String> {
        let facts = self.content.as_ref().ok()?;
        Some(match &facts.id {
            Some(id) => id.clone(),
            None => format!("{NO_ID}{}", self.place.rel),
        })
    }

    /// Whether someone wrote to the file and left the hash as it was.
    pub(crate) fn is_edited(&self) -> bool {
        self.stated_hash
            .as_ref()
            .is_some_and(|stated| *stated != self.hash)
    }
}

/// Facts from a text.
pub(crate) fn facts_of(place: &RecipePath, stamp: Stamp, text: &str) -> FileFacts {
    let admitted = admit(text, place.home());
    let (content, stated_hash, recipe) = match admitted {
        Ok((parsed, recipe)) => (
            Ok(Facts {
                id: recipe.id.clone(),
                title: recipe.title.clone(),
                trigger: recipe.trigger.clone(),
                lifecycle: recipe.lifecycle,
                states_lifecycle: parsed.fields.contains_key("lifecycle"),
                updated_at: recipe.updated_at,
            }),
            recipe.hash.clone(),
            Some(Box::new(recipe)),
        ),
        Err(refusal) => (Err(refusal), None, None),
    };
    FileFacts {
        place: place.clone(),
        stamp,
        seen: nanoseconds(SystemTime::now()),
        hash: content_hash(text),
        stated_hash,
        content,
        recipe,
        is_news: true,
    }
}

/// Reads a file as it is now.
pub(crate) fn read_facts(place: &RecipePath) -> FileFacts {
    let metadata = place.path.metadata();
    let stamp = metadata
        .as_ref()
        .map_or_else(|_| Stamp::default(), Stamp::of);
    match read_text_up_to(&Disk, &place.path, MAX_RECIPE) {
        Ok(decoded) => facts_of(place, stamp, &decoded.text),
        Err(reason) => unreadable(place, stamp, &reason),
    }
}

fn unreadable(place: &RecipePath, stamp: Stamp, reason: &Unreadable) -> FileFacts {
    let message = match reason {
        Unreadable::TooLarge(_) => {
            "This file is larger than 1 MB. Split it into several recipes.".to_owned()
        }
        other => format!("This file cannot be read: {other}."),
    };
    refused(place, stamp, message.as_str().into())
}

fn refused(place: &RecipePath, stamp: Stamp, refusal: Refusal) -> FileFacts {
    FileFacts {
        place: place.clone(),
        stamp,
        seen: nanoseconds(SystemTime::now()),
        hash: String::new(),
        stated_hash: None,
        content: Err(refusal),
        recipe: None,
        is_news: true,
    }
}

/// Every knowledge file.
#[derive(Debug, Default)]
pub(crate) struct Scan {
    /// In the order of their paths.
    pub(crate) files: Vec<FileFacts>,
    /// What is no file, or cannot be listed, with the reason.
    pub(crate) errors: Vec<(String, Refusal)>,
    /// Rows of the index whose file is gone.
    pub(crate) vanished: Vec<String>,
    /// Temporary files that a process left when it ended.
    pub(crate) leftovers: Vec<PathBuf>,
}

/// Which files are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reread {
    /// Those that changed since the index was made.
    Changed,
    /// All of them.
    All,
}

/// Looks at every knowledge file.
pub(crate) fn scan(
    project: &Project,
    extra: &[PathBuf],
    mut index: HashMap<String, FileFacts>,
    reread: Reread,
) -> Scan {
    let mut walk = Walk {
        project,
        extra,
        found: Vec::new(),
        errors: Vec::new(),
        leftovers: Vec::new(),
    };
    for folder in [project.candidates(), project.recipes()]
        .iter()
        .chain(extra)
    {
        walk.root(folder);
    }
    if let Ok(beside) = fs::read_dir(project.knowledge()) {
        let beside = beside.flatten().map(|entry| entry.path());
        walk.leftovers
            .extend(beside.filter(|path| is_leftover(path)));
    }
    let Walk {
        mut found,
        errors,
        leftovers,
        ..
    } = walk;
    found.sort_by(|(a, _), (b, _)| a.rel.cmp(&b.rel));
    found.dedup_by(|(a, _), (b, _)| a.rel == b.rel);
    let known: Vec<(RecipePath, Option<Stamp>, Option<FileFacts>)> = found
        .into_iter()
        .map(|(place, stamp)| {
            let known = index.remove(&place.rel);
            (place, stamp, known)
        })
        .collect();
    let files = known
        .into_par_iter()
        .map(|(place, stamp, known)| look(&place, stamp, known, reread))
        .collect();
    let mut vanished: Vec<String> = index.into_keys().collect();
    vanished.sort();
    Scan {
        files,
        errors,
        vanished,
        leftovers,
    }
}

/// A link that leads out has no stamp.
fn look(
    place: &RecipePath,
    stamp: Option<Stamp>,
    known: Option<FileFacts>,
    reread: Reread,
) -> FileFacts {
    let Some(stamp) = stamp else {
        return kept_or(known, refused(place, Stamp::default(), LINK_OUT.into()));
    };
    if let Some(refusal) = refused_name(&place.rel) {
        return kept_or(known, refused(place, stamp, refusal));
    }
    let Some(known) = known.filter(|_| reread == Reread::Changed) else {
        return read_facts(place);
    };
    let is_racy = known.seen.saturating_sub(stamp.modified.max(stamp.changed)) < RACY;
    if known.stamp == stamp && !is_racy {
        return known;
    }
    match read_text_up_to(&Disk, &place.path, MAX_RECIPE) {
        // Written again with the same content, or touched.
        Ok(decoded)
            if known.content.is_ok()
                && content_hash(&decoded.text) == known.hash
                && stated_in(&decoded.text) == known.stated_hash.as_deref() =>
        {
            FileFacts {
                stamp,
                seen: nanoseconds(SystemTime::now()),
                is_news: true,
                ..known
            }
        }
        Ok(decoded) => facts_of(place, stamp, &decoded.text),
        Err(reason) => unreadable(place, stamp, &reason),
    }
}

/// The hash that a text states in the form that is written by us.
fn stated_in(text: &str) -> Option<&str> {
    let front = text.get(..text.find("\n---")?)?;
    let line = front.lines().find_map(|line| line.strip_prefix("hash:"))?;
    Some(line.trim().trim_matches(['"', '\'']))
}

fn kept_or(known: Option<FileFacts>, new: FileFacts) -> FileFacts {
    match known {
        Some(known) if known.content.as_ref().err() == new.content.as_ref().err() => known,
        _ => new,
    }
}

struct Walk<'a> {
    project: &'a Project,
    extra: &'a [PathBuf],
    found: Vec<(RecipePath, Option<Stamp>)>,
    errors: Vec<(String, Refusal)>,
    leftovers: Vec<PathBuf>,
}

impl Walk<'_> {
    fn root(&mut self, folder: &Path) {
        // The knowledge folder itself may be a link; what it leads to is the
        // project's if it lies in there.
        let is_extra = self.extra.iter().any(|extra| extra == folder);
        if folder.is_dir() && (is_extra || self.project.contains(folder)) {
            self.folder(folder, MAX_DEPTH);
        } else if folder.symlink_metadata().is_ok() {
            self.errors.push((self.name(folder), FOLDER_OUT.into()));
        }
    }

    fn folder(&mut self, folder: &Path, depth: usize) {
        let entries: Vec<PathBuf> = match fs::read_dir(folder) {
            Ok(entries) => entries.flatten().map(|entry| entry.path()).collect(),
            Err(error) => {
                let message = format!("This folder cannot be read: {error}.");
                self.errors
                    .push((self.name(folder), message.as_str().into()));
                return;
            }
        };
        let looked: Vec<(PathBuf, std::io::Result<Metadata>)> = entries
            .into_par_iter()
            .map(|path| {
                let metadata = path.symlink_metadata();
                (path, metadata)
            })
            .collect();
        for (path, metadata) in looked {
            // Gone meanwhile.
            let Ok(metadata) = metadata else { continue };
            if metadata.is_dir() && depth > 0 {
                self.folder(&path, depth - 1);
            } else if metadata.is_dir() {
                self.errors.push((self.name(&path), TOO_DEEP.into()));
            } else if metadata.is_symlink() {
                self.link(&path);
            } else if metadata.is_file() {
                if let Some(place) = recipe_at(self.project, self.extra, &path) {
                    self.found.push((place, Some(Stamp::of(&metadata))));
                } else if is_leftover(&path) {
                    self.leftovers.push(path);
                }
            }
        }
    }

    fn link(&mut self, path: &Path) {
        let target = path.metadata();
        if target.as_ref().is_ok_and(Metadata::is_dir) {
            self.errors.push((self.name(path), LINK_TO_FOLDER.into()));
            return;
        }
        let Some(place) = recipe_at(self.project, self.extra, path) else {
            return;
        };
        let stamp = self
            .project
            .contains(path)
            .then(|| target.ok())
            .flatten()
            .filter(Metadata::is_file)
            .map(|metadata| Stamp::of(&metadata));
        self.found.push((place, stamp));
    }

    fn name(&self, path: &Path) -> String {
        self.project
            .relative(path)
            .unwrap_or_else(|| path.display().to_string().replace('\\', "/"))
    }
}

fn is_leftover(path: &Path) -> bool {
    path.file_name()
        .and_then(|name| name.to_str())
        .is_some_and(|name| name.starts_with(TEMPORARY) && name.ends_with(".tmp"))
}

/// The index of files as the database has it.
pub(crate) fn read_index(
    connection: &Connection,
    project: &Project,
    extra: &[PathBuf],
) -> rusqlite::Result<HashMap<String, FileFacts>> {
    let mut statement = connection.prepare_cached(
        "SELECT path, size, modified, changed, seen, hash, stated_hash, id, title, trigger,
            lifecycle, states_lifecycle, updated_at, error_line, error FROM knowledge_files",
    )?;
    let mut rows = statement.query([])?;
    let mut index = HashMap::new();
    while let Some(row) = rows.next()? {
        let rel: String = row.get(0)?;
        // A folder that is no longer among those that are read.
        let Some(place) = recipe_at(project, extra, &project.root().join(&rel)) else {
            continue;
        };
        let error: Option<String> = row.get(14)?;
        let lifecycle: String = row.get(10)?;
        let content = match error {
            Some(message) => Err(Refusal {
                line: row.get(13)?,
                message,
            }),
            None => Ok(Facts {
                id: row.get(7)?,
                title: row.get(8)?,
                trigger: row.get(9)?,
                lifecycle: Lifecycle::from_name(&lifecycle).unwrap_or_default(),
                states_lifecycle: row.get(11)?,
                updated_at: row.get(12)?,
            }),
        };
        let facts = FileFacts {
            place,
            stamp: Stamp {
                size: row.get(1)?,
                modified: row.get(2)?,
                changed: row.get(3)?,
            },
            seen: row.get(4)?,
            hash: row.get(5)?,
            stated_hash: row.get(6)?,
            content,
            recipe: None,
            is_news: false,
        };
        index.insert(rel, facts);
    }
    Ok(index)
}

/// Writes the facts of a file into the index.
pub(crate) fn write_index(connection: &Connection, file: &FileFacts) -> rusqlite::Result<()> {
    let facts = file.content.as_ref().ok();
    let refusal = file.content.as_ref().err();
    connection
        .prepare_cached(
            "INSERT OR REPLACE INTO knowledge_files VALUES
                (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15)",
        )?
        .execute(params![
            file.place.rel,
            file.stamp.size,
            file.stamp.modified,
            file.stamp.changed,
            file.seen,
            file.hash,
            file.stated_hash,
            facts.and_then(|facts| facts.id.as_deref()),
            facts.map_or("", |facts| &facts.title),
            facts.map_or("", |facts| &facts.trigger),
            facts.map_or("", |facts| facts.lifecycle.name()),
            facts.is_some_and(|facts| facts.states_lifecycle),
            facts.and_then(|facts| facts.updated_at),
            refusal.and_then(|refusal| refusal.line),
            refusal.map(|refusal| refusal.message.as_str()),
        ])?;
    Ok(())
}

impl FileFacts {
    /// Whether the file was not written to since it was looked at.
    pub(crate) fn is_current(&self) -> bool {
        let metadata = self.place.path.metadata();
        metadata.is_ok_and(|metadata| Stamp::of(&metadata) == self.stamp)
    }
}

/// Takes a file out of the index.
pub(crate) fn forget(connection: &Connection, rel: &str) -> rusqlite::Result<()> {
    connection
        .prepare_cached("DELETE FROM knowledge_files WHERE path = ?1")?
        .execute([rel])?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const RECIPE: &str = "---\nid: a\ntitle: T\ntrigger: \"@t\"\n---\n";

    fn project() -> (tempfile::TempDir, Project) {
        let temp = tempfile::tempdir().unwrap();
        let root = temp.path().join("p");
        fs::create_dir_all(root.join("Alembic/recipes/net")).unwrap();
        let project = Project::at(&root);
        (temp, project)
    }

    fn errors(scan: &Scan) -> Vec<(String, String)> {
        let files = scan.files.iter().filter_map(|file| {
            let refusal = file.content.as_ref().err()?;
            Some((file.place.rel.clone(), refusal.message.clone()))
        });
        let folders = scan
            .errors
            .iter()
            .map(|(p, r)| (p.clone(), r.message.clone()));
        files.chain(folders).collect()
    }

    #[cfg(unix)]
    #[test]
    fn links_out_of_the_project_are_not_read() {
        use std::os::unix::fs::symlink;
        let (temp, project) = project();
        fs::write(temp.path().join("secret.md"), RECIPE).unwrap();
        fs::create_dir(temp.path().join("elsewhere")).unwrap();
        fs::write(temp.path().join("elsewhere/b.md"), RECIPE).unwrap();
        symlink(
            temp.path().join("secret.md"),
            project.recipes().join("a.md"),
        )
        .unwrap();
        symlink(temp.path().join("elsewhere"), project.recipes().join("b")).unwrap();
        symlink("..", project.recipes().join("net/loop")).unwrap();
        symlink(temp.path().join("elsewhere"), project.candidates()).unwrap();
        let scan = scan(&project, &[], HashMap::new(), Reread::Changed);
        let errors = errors(&scan);
        let named: Vec<&str> = errors.iter().map(|(path, _)| path.as_str()).collect();
        assert_eq!(errors.len(), 4, "{errors:?}");
        assert!(named.contains(&"Alembic/recipes/a.md"), "{errors:?}");
        assert!(named.contains(&"Alembic/recipes/b"), "{errors:?}");
        assert!(scan.files.iter().all(|file| file.recipe.is_none()));
    }

    #[test]
    fn a_file_is_read_again_only_when_it_may_have_changed() {
        let (_temp, project) = project();
        let path = project.recipes().join("net/a.md");
        fs::write(&path, RECIPE).unwrap();
        let first = scan(&project, &[], HashMap::new(), Reread::Changed).files;
        assert!(first[0].recipe.is_some());
        let again = |known: FileFacts| {
            let index = HashMap::from([(known.place.rel.clone(), known)]);
            scan(&project, &[], index, Reread::Changed).files.remove(0)
        };
        // Just written: looked into, but not parsed, when it is the same.
        let racy = again(FileFacts {
            recipe: None,
            ..first[0].clone()
        });
        assert!(racy.recipe.is_none() && racy.is_news);
        let settled = FileFacts {
            seen: racy.stamp.changed.max(racy.stamp.modified) + RACY,
            is_news: false,
            ..racy
        };
        assert!(!again(settled.clone()).is_news);
        // The same size, and perhaps the same time.
        fs::write(&path, RECIPE.replace("title: T", "title: U")).unwrap();
        let changed = again(first[0].clone());
        assert_eq!(changed.content.unwrap().title, "U");
    }
}
