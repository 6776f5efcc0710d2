//! Changes of the knowledge: each takes the project's lock, writes the file
//! whole, then the row, then the journal. When the process ends in between, the
//! file counts and the rest follows from it. (knowledge.md §5)

use asd_knowledge::lifecycle::{Move, Transition, TransitionEvent, home_of, transition};
use asd_recipe::{
    Home, Lifecycle, Recipe, content_hash, rewrite, to_markdown, trigger_key, with_hash,
};
use asd_text::Decoded;
use rusqlite::Transaction;
use uuid::Uuid;

use super::admission::admit;
use super::facts::{FileFacts, NO_ID, Stamp, facts_of, forget, write_index};
use super::journal::Journal;
use super::logs::{Journalled, emit_signals, flush_events, put_event};
use super::moves::{finish_moves, move_file, place_file, remove_file, replace_file};
use super::place::{places_in, places_of};
use super::reconcile::removal;
use super::rows::{
    Origin, bury, entries_by_title, entries_by_trigger, entry_by_id, put, remove, title_key,
};
use super::{KnowledgeError, KnowledgeStore};
use crate::failpoint::step;
use crate::{Disk, MAX_RECIPE, RecipePath, now, read_text_up_to, recipe_at};

/// How the evidence of an event names an entry that was deleted on purpose.
const DELETED: &str = "deleted";

/// A recipe that was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    /// Its id.
    pub id: String,
    /// Its file, project-relative with `/`.
    pub path: String,
    /// The file before, when it was moved.
    pub moved_from: Option<String>,
    /// The content hash of the file.
    pub hash: String,
}

/// A recipe whose state was changed.
#[derive(Clone, Debug, PartialEq)]
pub struct Moved {
    /// The file.
    pub written: Written,
    /// The move.
    pub transition: Transition,
}

/// A recipe file, read under the lock.
struct Current {
    row_id: String,
    place: RecipePath,
    decoded: Decoded,
    recipe: Recipe,
}

impl KnowledgeStore {
    /// Writes a new recipe. It gets an id and the times where it has none; its
    /// file goes to the folder that its state belongs to. `events` are the moves
    /// that brought it to its state, if any.
    ///
    /// # Errors
    /// [`KnowledgeError::Conflict`] when another recipe has its id, trigger or
    /// title, [`KnowledgeError::Refused`] when it is not fit to be one. Nothing
    /// has changed then.
    pub fn create(
        &self,
        recipe: &Recipe,
        events: &[TransitionEvent],
    ) -> Result<Written, KnowledgeError> {
        let mut recipe = recipe.clone();
        let seconds = now().0 / 1000;
        let id = recipe
            .id
            .get_or_insert_with(|| Uuid::new_v4().to_string())
            .clone();
        recipe.created_at.get_or_insert(seconds);
        recipe.updated_at.get_or_insert(seconds);
        let text = to_markdown(&recipe);
        let text = with_hash(&text).unwrap_or(text);
        let home = home_of(recipe.lifecycle);
        let name = places_of(&recipe).next().unwrap_or_default();
        check(&text, home, &id, &name)?;

        let _lock = self.lock()?;
        finish_moves(self.project())?;
        self.ready()?;
        self.refuse_known_id(&id)?;
        self.refuse_conflicts(&recipe, None, &[&id])?;
        let mut path = None;
        for rel in places_of(&recipe) {
            if self.project().root().join(&rel).symlink_metadata().is_err()
                && place_file(self.project(), &rel, &text)?
            {
                path = Some(rel);
                break;
            }
        }
        let Some(path) = path else {
            return Err(KnowledgeError::Refused {
                path: name,
                reason: "every name that the file could have is taken".to_owned(),
            });
        };
        let file = self.facts_of_new(&path, &text)?;
        self.follow(events, |t| put_file(t, &file, &id));
        Ok(Written {
            id,
            path,
            moved_from: None,
            hash: file.hash,
        })
    }

    /// Changes a recipe, named by its id or trigger, as `change` does. Comments
    /// and everything else in its file that did not change stay as they are.
    /// Its state and its id cannot be changed like this.
    ///
    /// # Errors
    /// [`KnowledgeError`]; nothing has changed then. What `change` refuses is
    /// [`KnowledgeError::Refused`].
    pub fn update(
        &self,
        name: &str,
        change: impl FnOnce(&mut Recipe) -> Result<(), String>,
    ) -> Result<Written, KnowledgeError> {
        let _lock = self.lock()?;
        finish_moves(self.project())?;
        let current = self.current(name)?;
        let refused = |reason: String| KnowledgeError::Refused {
            path: current.place.rel.clone(),
            reason,
        };
        let mut after = current.recipe.clone();
        change(&mut after).map_err(refused)?;
        if after.id != current.recipe.id || after.lifecycle != current.recipe.lifecycle {
            return Err(refused(
                "the id and the state of a recipe are not changed with its content".to_owned(),
            ));
        }
        if after == current.recipe && after.id.is_some() {
            return Ok(Written {
                id: current.row_id,
                path: current.place.rel,
                moved_from: None,
                hash: content_hash(&current.decoded.text),
            });
        }
        let id = identify(&mut after);
        self.refuse_conflicts(&after, Some(&current.recipe), &[&current.row_id])?;
        after.updated_at = Some(now().0 / 1000);
        self.write_changed(&current, &after, &id, &[])
    }

    /// Moves a recipe, named by its id or trigger, to another state, if there is
    /// such a move. Its file goes to the folder that the state belongs to.
    ///
    /// # Errors
    /// [`KnowledgeError::Transition`] when there is none; nothing has changed
    /// then.
    pub fn transition(&self, name: &str, wish: &Move) -> Result<Moved, KnowledgeError> {
        let _lock = self.lock()?;
        finish_moves(self.project())?;
        let current = self.current(name)?;
        let mut after = current.recipe.clone();
        let id = identify(&mut after);
        let transition = transition(&after, wish, now().0 / 1000)?;
        transition.apply(&mut after);
        let event = std::slice::from_ref(&transition.event);
        let written = self.write_changed(&current, &after, &id, event)?;
        if let Err(error) = emit_signals(self.project(), std::slice::from_ref(&transition.signal)) {
            tracing::warn!(%error, "a move of a recipe is not told to others");
        }
        Ok(Moved {
            written,
            transition,
        })
    }

    /// Removes the file of a recipe, named by its id or trigger. What is known
    /// of it is kept for 30 days.
    ///
    /// # Errors
    /// [`KnowledgeError`]; nothing has changed then.
    pub fn delete(&self, name: &str) -> Result<Written, KnowledgeError> {
        let _lock = self.lock()?;
        finish_moves(self.project())?;
        let current = self.current(name)?;
        remove_file(self.project(), &current.place.rel)?;
        let id = current.row_id.clone();
        self.follow(&[], |t| {
            forget(t, &current.place.rel)?;
            if super::rows::is_provisional(&id) {
                return remove(t, &id);
            }
            if entry_by_id(t, &id)?.is_some() {
                let event = removal(t, &id, current.recipe.lifecycle, DELETED)?;
                bury(t, &id, now().0)?;
                put_event(t, &event, Journalled::NotYet)?;
            }
            Ok(())
        });
        Ok(Written {
            id: current.row_id,
            path: current.place.rel,
            moved_from: None,
            hash: content_hash(&current.decoded.text),
        })
    }

    /// Writes the file anew, in the other folder when its state belongs there,
    /// then the row and the journal.
    fn write_changed(
        &self,
        current: &Current,
        after: &Recipe,
        id: &str,
        events: &[TransitionEvent],
    ) -> Result<Written, KnowledgeError> {
        let from = current.place.rel.clone();
        let home = home_of(after.lifecycle);
        let text = rewrite(&current.decoded.text, current.place.home(), after);
        check(&text, home, id, &from)?;
        let bytes = if current.decoded.bom {
            format!("\u{feff}{text}")
        } else {
            text.clone()
        };
        let path = if home == current.place.home() {
            replace_file(self.project(), &from, &bytes)?;
            from.clone()
        } else {
            let places = places_in(home, &from, Some(id));
            move_file(self.project(), &from, &current.decoded.text, places, &bytes)?
        };
        let file = self.facts_of_new(&path, &text)?;
        self.follow(events, |t| {
            if current.row_id != id {
                remove(t, &current.row_id)?;
            }
            if path != from {
                forget(t, &from)?;
            }
            put_file(t, &file, id)
        });
        Ok(Written {
            id: id.to_owned(),
            moved_from: (path != from).then_some(from),
            path,
            hash: file.hash,
        })
    }

    /// The file of a recipe as it is now.
    fn current(&self, name: &str) -> Result<Current, KnowledgeError> {
        if let Some(current) = self.look_up(name)? {
            return Ok(current);
        }
        // The row may be older than the file.
        self.reconcile()?;
        self.look_up(name)?
            .ok_or_else(|| KnowledgeError::NotFound(name.to_owned()))
    }

    fn look_up(&self, name: &str) -> Result<Option<Current>, KnowledgeError> {
        let Some(entry) = self.entry(name)? else {
            return Ok(None);
        };
        let Some(rel) = entry.file_path.clone() else {
            return Ok(None);
        };
        let place = self.own_place(&rel)?;
        let Ok(decoded) = read_text_up_to(&Disk, &place.path, MAX_RECIPE) else {
            return Ok(None);
        };
        let (_, recipe) =
            admit(&decoded.text, place.home()).map_err(|refusal| KnowledgeError::Refused {
                path: rel.clone(),
                reason: refusal.message,
            })?;
        let is_it = match &recipe.id {
            Some(id) => *id == entry.id,
            None => entry.id == format!("{NO_ID}{rel}"),
        };
        Ok(is_it.then_some(Current {
            row_id: entry.id,
            place,
            decoded,
            recipe,
        }))
    }

    /// The place of a file that may be written to: a recipe of the project, not
    /// one that it only reads.
    fn own_place(&self, rel: &str) -> Result<RecipePath, KnowledgeError> {
        let path = self.project().absolute(rel)?;
        recipe_at(self.project(), &[], &path).ok_or_else(|| KnowledgeError::Refused {
            path: rel.to_owned(),
            reason: "this recipe is not the project's own; change it where it comes from"
                .to_owned(),
        })
    }

    /// Refuses a recipe whose trigger or title another one has, unless it had
    /// that `before`. `own` are the rows that it has itself. What a row says is
    /// believed only when its file says so too.
    fn refuse_conflicts(
        &self,
        recipe: &Recipe,
        before: Option<&Recipe>,
        own: &[&str],
    ) -> Result<(), KnowledgeError> {
        // A retired recipe claims nothing.
        if recipe.lifecycle == Lifecycle::Deprecated {
            return Ok(());
        }
        for name in [Name::Trigger, Name::Title] {
            let key = name.key_of(recipe);
            if key.is_empty() || before.is_some_and(|before| name.key_of(before) == key) {
                continue;
            }
            let value = name.of(recipe);
            let same = self.database().read(|connection| match name {
                Name::Trigger => entries_by_trigger(connection, value),
                Name::Title => entries_by_title(connection, value),
            })?;
            let others = same.into_iter().filter(|entry| {
                !own.contains(&entry.id.as_str()) && entry.lifecycle != Lifecycle::Deprecated
            });
            for path in others.filter_map(|entry| entry.file_path) {
                if self
                    .reads(&path)
                    .is_some_and(|other| name.key_of(&other) == key)
                {
                    return Err(KnowledgeError::Conflict {
                        what: name.word(),
                        value: value.to_owned(),
                        path,
                    });
                }
            }
        }
        Ok(())
    }

    /// Refuses a new recipe with the id of one that is there.
    fn refuse_known_id(&self, id: &str) -> Result<(), KnowledgeError> {
        let entry = self
            .database()
            .read(|connection| entry_by_id(connection, id))?;
        let Some(path) = entry.and_then(|entry| entry.file_path) else {
            return Ok(());
        };
        if self
            .reads(&path)
            .is_some_and(|other| other.id.as_deref() == Some(id))
        {
            return Err(KnowledgeError::Conflict {
                what: "id",
                value: id.to_owned(),
                path,
            });
        }
        Ok(())
    }

    fn reads(&self, rel: &str) -> Option<Recipe> {
        let place = recipe_at(
            self.project(),
            &self.extra,
            &self.project().root().join(rel),
        )?;
        let text = read_text_up_to(&Disk, &place.path, MAX_RECIPE).ok()?.text;
        Some(admit(&text, place.home()).ok()?.1)
    }

    fn facts_of_new(&self, rel: &str, text: &str) -> Result<FileFacts, KnowledgeError> {
        let place = self.own_place(rel)?;
        let stamp = place
            .path
            .metadata()
            .map_or_else(|_| Stamp::default(), |metadata| Stamp::of(&metadata));
        Ok(facts_of(&place, stamp, text))
    }

    /// Writes rows and moves. The file is written already and counts, so that
    /// nothing here is an error: the next look at the files mends it.
    fn follow(
        &self,
        events: &[TransitionEvent],
        mut change: impl FnMut(&Transaction<'_>) -> rusqlite::Result<()>,
    ) {
        let rows = self.database().write(|t| {
            change(t)?;
            for event in events {
                put_event(t, event, Journalled::NotYet)?;
            }
            Ok(())
        });
        step("row written");
        let told = match rows {
            Ok(()) => flush_events(self),
            Err(error) => {
                tracing::warn!(%error, "a recipe is written, but not its row");
                Journal::Lifecycle
                    .append(self.project(), events)
                    .map_err(KnowledgeError::from)
            }
        };
        if let Err(error) = told {
            tracing::warn!(%error, "a move of a recipe is not in its journal");
        }
    }
}

/// What two recipes may not both be called.
#[derive(Clone, Copy)]
enum Name {
    Trigger,
    Title,
}

impl Name {
    const fn word(self) -> &'static str {
        match self {
            Self::Trigger => "trigger",
            Self::Title => "title",
        }
    }

    fn of(self, recipe: &Recipe) -> &str {
        match self {
            Self::Trigger => &recipe.trigger,
            Self::Title => &recipe.title,
        }
    }

    /// The form in which it is compared.
    fn key_of(self, recipe: &Recipe) -> String {
        match self {
            Self::Trigger => trigger_key(&recipe.trigger),
            Self::Title => title_key(&recipe.title),
        }
    }
}

/// The id of a recipe, which gets one where it has none.
fn identify(recipe: &mut Recipe) -> String {
    recipe
        .id
        .get_or_insert_with(|| Uuid::new_v4().to_string())
        .clone()
}

/// Refuses a text that would not be read as the recipe that it is to be.
fn check(text: &str, home: Home, id: &str, path: &str) -> Result<(), KnowledgeError> {
    let refused = |reason: String| KnowledgeError::Refused {
        path: path.to_owned(),
        reason,
    };
    let (_, recipe) = admit(text, home).map_err(|refusal| refused(refusal.message))?;
    if recipe.id.as_deref() == Some(id) && home_of(recipe.lifecycle) == home {
        return Ok(());
    }
    Err(refused(
        "the file would not read as this recipe: its id or its state is not sound".to_owned(),
    ))
}

/// Writes the row of a file, and what is known of the file.
fn put_file(transaction: &Transaction<'_>, file: &FileFacts, id: &str) -> rusqlite::Result<()> {
    write_index(transaction, file)?;
    let Some(recipe) = &file.recipe else {
        return Ok(());
    };
    let origin = Origin {
        row_id: id,
        rel: &file.place.rel,
        hash: &file.hash,
        conflict: None,
    };
    put(transaction, recipe, &origin)
}
