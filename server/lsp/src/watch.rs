//! Watching: the disk, by the client or by ourselves, and the client's process.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use asd_store::{Changes, Watcher};
use serde_json::json;
use tower_lsp_server::ls_types::request::{RegisterCapability, UnregisterCapability};
use tower_lsp_server::ls_types::{
    Registration, RegistrationParams, Unregistration, UnregistrationParams,
};

use crate::lifecycle::End;
use crate::notifications::DiskEvent;
use crate::server::Server;
use crate::session::Session;
use crate::uri::UriKey;

const DEADLINE: Duration = Duration::from_secs(30);
/// How often it is looked whether the client lives.
const CLIENT_CHECK: Duration = Duration::from_millis(500);
const REGISTRATION: &str = "asd/watch";
const METHOD: &str = "workspace/didChangeWatchedFiles";

/// What makes up a project's knowledge.
const KNOWLEDGE: [&str; 4] = [
    "Alembic/config.toml",
    "Alembic/guard-exclusions.json",
    "Alembic/recipes",
    "Alembic/candidates",
];

/// Files that may have to do with others.
const RELATED: &str = "**/*.{cjs,cts,go,h,java,js,jsx,kt,kts,m,mjs,mm,mts,svelte,swift,ts,tsx,vue}";

/// What is watched at present.
#[derive(Default)]
pub(crate) struct Watchers {
    /// By ourselves, by folder.
    own: BTreeMap<UriKey, OwnWatch>,
    /// By the client, whether registered.
    registered: bool,
}

/// One folder that we watch.
#[derive(Default)]
struct OwnWatch {
    /// The folders of recipes outside of it that are watched too.
    outer: Vec<PathBuf>,
    /// `None` while the watch is being set up.
    watcher: Option<Watcher>,
}

impl Server {
    /// Has every folder watched, and no other.
    pub(crate) fn watch_folders(&self, session: &mut Session) {
        if session.client.watches_files() {
            self.register_watches(session);
        } else {
            self.watch_ourselves(session);
        }
    }

    fn register_watches(&self, session: &Session) {
        let mut watchers = Vec::new();
        for folder in &session.folders {
            let pattern =
                |pattern: &str| json!({"globPattern": {"baseUri": folder.uri, "pattern": pattern}});
            if folder.scanned.is_some() {
                watchers.push(pattern("**/*"));
            } else {
                watchers.push(pattern("Alembic/**"));
                watchers.push(pattern(".asd/config.json"));
                if folder.across.is_in_use() {
                    watchers.push(pattern(RELATED));
                }
            }
            let outer = folder
                .project
                .iter()
                .flat_map(|project| project.state.extra_recipe_folders());
            for uri in outer.filter_map(|path| crate::uri::from_path(path)) {
                watchers.push(json!({"globPattern": {"baseUri": uri, "pattern": "**/*.md"}}));
            }
        }
        let mut state = self.watchers();
        let replaced = std::mem::replace(&mut state.registered, !watchers.is_empty());
        drop(state);
        // Sent in this order at once, answered whenever the client likes.
        if replaced {
            let gone = self.outbox().request::<UnregisterCapability>(
                &UnregistrationParams {
                    unregisterations: vec![Unregistration {
                        id: REGISTRATION.to_owned(),
                        method: METHOD.to_owned(),
                    }],
                },
                DEADLINE,
            );
            self.runtime().spawn(gone);
        }
        if watchers.is_empty() {
            return;
        }
        let registered = self.outbox().request::<RegisterCapability>(
            &RegistrationParams {
                registrations: vec![Registration {
                    id: REGISTRATION.to_owned(),
                    method: METHOD.to_owned(),
                    register_options: Some(json!({ "watchers": watchers })),
                }],
            },
            DEADLINE,
        );
        self.runtime().spawn(registered);
    }

    fn watch_ourselves(&self, session: &Session) {
        let mut state = self.watchers();
        let mut dropped = Vec::new();
        let keep = |key: &UriKey| session.folders.iter().any(|folder| folder.key == *key);
        let gone: Vec<_> = state.own.keys().filter(|key| !keep(key)).cloned().collect();
        for key in gone {
            dropped.extend(state.own.remove(&key));
        }
        // What lies in a watched folder is watched already.
        let named = session
            .folders
            .iter()
            .filter(|folder| folder.outer.is_none());
        for folder in named {
            let outer = folder.project.as_ref().map_or_else(Vec::new, |project| {
                project.state.extra_recipe_folders().to_vec()
            });
            if state
                .own
                .get(&folder.key)
                .is_some_and(|own| own.outer == outer)
            {
                continue;
            }
            let own = OwnWatch {
                outer: outer.clone(),
                watcher: None,
            };
            dropped.extend(state.own.insert(folder.key.clone(), own));
            let server = self.clone();
            let key = folder.key.clone();
            let root = folder.root.clone();
            self.runtime().spawn_blocking(move || {
                let teller = server.clone();
                let watcher =
                    Watcher::start(&asd_store::Project::at(&root), &outer, move |changes| {
                        teller.disk_changes(&changes)
                    });
                let surplus = match watcher {
                    Ok(watcher) => server.keep_watcher(&key, watcher),
                    Err(error) => {
                        tracing::warn!(
                            "{error}; changes of recipes take effect when they are saved here, \
                             or by the command asd.reload"
                        );
                        None
                    }
                };
                drop(surplus);
            });
        }
        drop(state);
        // A watcher waits for its thread, which may wait for the session.
        self.runtime().spawn_blocking(move || drop(dropped));
    }

    /// Keeps a watcher unless its folder is gone; gives it back then. What
    /// happened before it began to watch is looked at now.
    fn keep_watcher(&self, key: &UriKey, watcher: Watcher) -> Option<Watcher> {
        let surplus = match self.watchers().own.get_mut(key) {
            Some(own) => own.watcher.replace(watcher),
            None => return Some(watcher),
        };
        let mut session = self.session();
        self.schedule_load(&mut session, key, |pending| {
            pending.files.extend(KNOWLEDGE.map(str::to_owned));
        });
        let Some(folder) = session.folders.iter().find(|folder| folder.key == *key) else {
            return surplus;
        };
        let root = folder.root.clone();
        let kept: Vec<_> = session
            .closed
            .values()
            .filter(|file| file.folder == *key)
            .map(|file| root.join(&file.path))
            .collect();
        for path in kept {
            let event = if path.exists() {
                DiskEvent::Changed
            } else {
                DiskEvent::Deleted
            };
            self.disk_event(&mut session, &path, event);
        }
        surplus
    }

    fn disk_changes(&self, changes: &Changes) {
        let mut session = self.session();
        for path in &changes.removed {
            self.disk_event(&mut session, path, DiskEvent::Deleted);
        }
        for path in &changes.changed {
            self.disk_event(&mut session, path, DiskEvent::Changed);
        }
    }

    /// Ends the process when the client's process dies, whatever becomes of
    /// the pipes. A number that names no process at the start is that of
    /// another machine or container, and says nothing.
    pub(crate) fn watch_client(&self, process: u32) {
        let Some(first) = Identity::of(process) else {
            return;
        };
        let server = self.clone();
        let watch = move || loop {
            std::thread::sleep(CLIENT_CHECK);
            if Identity::of(process).as_ref() != Some(&first) {
                server.end(End::ClientDied);
                return;
            }
        };
        if let Err(error) = std::thread::Builder::new()
            .name("asd-client-watch".to_owned())
            .spawn(watch)
        {
            tracing::warn!("the client's process cannot be watched: {error}");
        }
    }
}

/// What tells a living process from another one with the same number.
#[derive(Debug, PartialEq, Eq)]
struct Identity(String);

impl Identity {
    /// `None` for a process that is not there, or dead and not yet buried.
    #[cfg(target_os = "linux")]
    fn of(process: u32) -> Option<Self> {
        let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
        // The name of the program may hold anything; what follows it may not.
        let fields: Vec<_> = stat.rsplit_once(')')?.1.split_whitespace().collect();
        let (state, started) = (fields.first()?, fields.get(19)?);
        (!matches!(*state, "Z" | "X" | "x")).then(|| Self((*started).to_owned()))
    }

    #[cfg(all(unix, not(target_os = "linux")))]
    fn of(process: u32) -> Option<Self> {
        let id = rustix::process::Pid::from_raw(i32::try_from(process).ok()?)?;
        match rustix::process::test_kill_process(id) {
            Ok(()) | Err(rustix::io::Errno::PERM) => Some(Self(String::new())),
            Err(_) => None,
        }
    }

    /// Where processes cannot be asked for, the end of stdin has to do.
    #[cfg(not(unix))]
    fn of(_process: u32) -> Option<Self> {
        None
    }
}
