use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use ignore::WalkBuilder;
use notify::{EventKind, RecommendedWatcher, RecursiveMode, Watcher as _};
use thiserror::Error;

use crate::Project;
use crate::walk::is_skipped_folder;

/// How long it must be quiet before a batch of changes is told.
const QUIET: Duration = Duration::from_millis(50);
/// How long a batch may grow when it is never quiet.
const LONGEST: Duration = Duration::from_millis(250);
/// How many folders are watched at most on systems that need one watch for
/// each; a person's other programs need watches too.
const MAX_FOLDERS: usize = 8_192;

/// Files that changed, each list sorted and without doubles.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Changes {
    /// Files and folders that are there, new or written.
    pub changed: Vec<PathBuf>,
    /// Files and folders that are gone. A folder stands for all it held.
    pub removed: Vec<PathBuf>,
}

/// Why files cannot be watched.
#[derive(Debug, Error)]
#[error("cannot watch {}: {reason}", path.display())]
pub struct WatchError {
    path: PathBuf,
    reason: String,
}

/// Watches a project's recipes, settings and sources, for clients that cannot.
/// Ends when it is dropped.
#[derive(Debug)]
pub struct Watcher {
    messages: Sender<Message>,
    thread: Option<JoinHandle<()>>,
}

enum Message {
    Event(notify::Event),
    Stop,
}

impl Watcher {
    /// Starts to watch the project and the `extra` folders. `tell` is called
    /// from a thread of the watcher.
    ///
    /// # Errors
    /// [`WatchError`] when the system has no watches to give, or none left.
    pub fn start(
        project: &Project,
        extra: &[PathBuf],
        tell: impl Fn(Changes) + Send + 'static,
    ) -> Result<Self, WatchError> {
        let (messages, inbox) = channel();
        let events = messages.clone();
        let handler = move |event: notify::Result<notify::Event>| {
            if let Ok(event) = event {
                // Nobody listens any more when the watcher is being dropped.
                let _ = events.send(Message::Event(event));
            }
        };
        let fail = |path: &Path, error: &notify::Error| WatchError {
            path: path.to_path_buf(),
            reason: error.to_string(),
        };
        let root = project.root().to_path_buf();
        let watcher = notify::recommended_watcher(handler).map_err(|error| fail(&root, &error))?;
        let mut watches = Watches {
            watcher,
            folders: BTreeSet::new(),
        };
        watches
            .add_tree(&root)
            .map_err(|error| fail(&root, &error))?;
        for folder in extra.iter().filter(|folder| folder.is_dir()) {
            watches
                .add_tree(folder)
                .map_err(|error| fail(folder, &error))?;
        }
        let thread = std::thread::Builder::new()
            .name("asd-watch".to_owned())
            .spawn(move || run(&inbox, watches, &tell))
            .map_err(|error| WatchError {
                path: root,
                reason: error.to_string(),
            })?;
        Ok(Self {
            messages,
            thread: Some(thread),
        })
    }
}

impl Drop for Watcher {
    fn drop(&mut self) {
        let _ = self.messages.send(Message::Stop);
        if let Some(thread) = self.thread.take()
            && thread.thread().id() != std::thread::current().id()
        {
            let _ = thread.join();
        }
    }
}

struct Watches {
    watcher: RecommendedWatcher,
    folders: BTreeSet<PathBuf>,
}

impl Watches {
    /// Watches a folder and those below it that a check would enter. Systems
    /// with one watch for a whole tree are asked for that.
    fn add_tree(&mut self, top: &Path) -> notify::Result<()> {
        if cfg!(any(windows, target_os = "macos")) {
            return self.watcher.watch(top, RecursiveMode::Recursive);
        }
        self.add(top)?;
        let below = WalkBuilder::new(top)
            .hidden(false)
            .require_git(false)
            .filter_entry(|entry| {
                entry.depth() == 0
                    || (entry.file_type().is_some_and(|kind| kind.is_dir())
                        && !is_skipped_folder(&entry.file_name().to_string_lossy()))
            })
            .build();
        for entry in below.flatten() {
            if entry.depth() > 0 && self.folders.len() < MAX_FOLDERS {
                // A folder that vanished or may not be read needs no watch.
                let _ = self.add(entry.path());
            }
        }
        Ok(())
    }

    fn add(&mut self, folder: &Path) -> notify::Result<()> {
        if !self.folders.contains(folder) {
            self.watcher.watch(folder, RecursiveMode::NonRecursive)?;
            self.folders.insert(folder.to_path_buf());
        }
        Ok(())
    }

    /// Gives up the watches of a folder and of all below it: a folder that comes
    /// back, moved or made again, needs new ones.
    fn forget(&mut self, folder: &Path) {
        let gone: Vec<PathBuf> = self
            .folders
            .iter()
            .filter(|watched| watched.starts_with(folder))
            .cloned()
            .collect();
        for folder in gone {
            self.folders.remove(&folder);
            let _ = self.watcher.unwatch(&folder);
        }
    }
}

fn run(inbox: &Receiver<Message>, mut watches: Watches, tell: &dyn Fn(Changes)) {
    while let Ok(Message::Event(first)) = inbox.recv() {
        let start = Instant::now();
        let mut paths = BTreeSet::new();
        let mut next = Some(first);
        loop {
            if let Some(event) = next.take()
                && !matches!(event.kind, EventKind::Access(_))
            {
                paths.extend(event.paths);
            }
            match inbox.recv_timeout(QUIET) {
                Ok(Message::Event(event)) if start.elapsed() < LONGEST => next = Some(event),
                Ok(Message::Event(event)) => {
                    paths.extend(event.paths);
                    break;
                }
                Err(RecvTimeoutError::Timeout) => break,
                Ok(Message::Stop) | Err(RecvTimeoutError::Disconnected) => return,
            }
        }
        let mut changes = Changes::default();
        for path in paths {
            if !path.exists() {
                watches.forget(&path);
                changes.removed.push(path);
                continue;
            }
            if path.is_dir() {
                let name = path.file_name().unwrap_or_default().to_string_lossy();
                if !is_skipped_folder(&name) && !watches.folders.contains(&path) {
                    let _ = watches.add_tree(&path);
                    // Files may have been written before the watch was there.
                    let files = std::fs::read_dir(&path).into_iter().flatten().flatten();
                    changes.changed.extend(files.map(|entry| entry.path()));
                }
            }
            changes.changed.push(path);
        }
        if changes != Changes::default() {
            changes.changed.sort();
            changes.changed.dedup();
            tell(changes);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Waits for a change of `path` to be told; the limit only ends a broken run.
    fn wait(inbox: &Receiver<Changes>, told: impl Fn(&Changes) -> bool) {
        loop {
            let changes = inbox
                .recv_timeout(Duration::from_secs(20))
                .expect("the change is told");
            if told(&changes) {
                return;
            }
        }
    }

    #[test]
    fn writes_new_folders_and_removals_are_told() {
        let temp = tempfile::tempdir().unwrap();
        let root = temp.path().canonicalize().unwrap();
        std::fs::create_dir_all(root.join("src")).unwrap();
        std::fs::write(root.join("src/a.ts"), "").unwrap();
        let (tell, inbox) = channel();
        let watcher = Watcher::start(&Project::at(&root), &[], move |changes| {
            let _ = tell.send(changes);
        })
        .unwrap();
        std::fs::remove_file(root.join("src/a.ts")).unwrap();
        wait(&inbox, |c| c.removed.contains(&root.join("src/a.ts")));
        std::fs::create_dir_all(root.join("Alembic/recipes")).unwrap();
        wait(&inbox, |c| c.changed.contains(&root.join("Alembic")));
        std::fs::write(root.join("Alembic/recipes/r.md"), "x").unwrap();
        wait(&inbox, |c| {
            c.changed.contains(&root.join("Alembic/recipes/r.md"))
        });
        drop(watcher);
    }

    #[test]
    fn a_folder_that_was_moved_away_and_back_is_watched_again() {
        let temp = tempfile::tempdir().unwrap();
        let root = temp.path().canonicalize().unwrap();
        let recipes = root.join("Alembic/recipes");
        std::fs::create_dir_all(&recipes).unwrap();
        let (tell, inbox) = channel();
        let watcher = Watcher::start(&Project::at(&root), &[], move |changes| {
            let _ = tell.send(changes);
        })
        .unwrap();
        std::fs::rename(root.join("Alembic"), root.join("Elsewhere")).unwrap();
        wait(&inbox, |c| c.removed.contains(&root.join("Alembic")));
        std::fs::rename(root.join("Elsewhere"), root.join("Alembic")).unwrap();
        wait(&inbox, |c| c.changed.contains(&root.join("Alembic")));
        std::fs::write(recipes.join("r.md"), "x").unwrap();
        wait(&inbox, |c| c.changed.contains(&recipes.join("r.md")));
        drop(watcher);
    }
}
