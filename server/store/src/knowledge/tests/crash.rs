//! A process that is killed at any step of any write loses nothing and leaves
//! nothing half written, and the next synchronisation puts all in order.
//!
//! The child is this very test program, which runs one scene and is killed by
//! the operating system behind the step that it was told.

use std::process::{Command, Output};

use asd_knowledge::counters::UsageEvent;
use asd_knowledge::lifecycle::{Move, NamedAction};

use super::*;
use crate::failpoint::AT;

const SCENE: &str = "ASD_TEST_SCENE";
const ROOT: &str = "ASD_TEST_ROOT";

/// The steps that a write of a file has.
const STEPS: [&str; 6] = [
    "temporary file made",
    "half written",
    "written",
    "synced",
    "renamed",
    "folder synced",
];

/// Not a test by itself: what the child does.
#[test]
fn child() {
    let (Ok(scene), Ok(root)) = (std::env::var(SCENE), std::env::var(ROOT)) else {
        return;
    };
    let project = Project::at(Path::new(&root));
    let store = store(&project);
    match scene.as_str() {
        "create" => {
            store
                .create(&recipe("new", Lifecycle::Pending), &[])
                .unwrap();
        }
        "update" => {
            store
                .update("@old", |recipe| {
                    recipe.do_clause = "New way".to_owned();
                    Ok(())
                })
                .unwrap();
        }
        "publish" => {
            store
                .transition(
                    "@old",
                    &Move::manual(NamedAction::Publish, "ann", Some("good")),
                )
                .unwrap();
        }
        "delete" => {
            store.delete("@old").unwrap();
        }
        "sync" => {
            store.sync(Extent::Changed).unwrap();
        }
        "merge" => {
            merge_usage(&store).unwrap();
        }
        other => super::together::child(other, &store),
    }
}

/// This program as a child that runs a scene.
pub(super) fn scene(name: &str, project: &Project) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command
        .args(["--exact", "knowledge::tests::crash::child", "--nocapture"])
        .env(SCENE, name)
        .env(ROOT, project.root())
        .env_remove(AT);
    command
}

fn killed(output: &Output) -> Option<String> {
    if output.status.success() {
        return None;
    }
    let err = String::from_utf8_lossy(&output.stderr).into_owned();
    let step = err
        .lines()
        .find_map(|line| line.strip_prefix("ended behind: "));
    Some(
        step.unwrap_or_else(|| panic!("the scene failed by itself: {err}"))
            .to_owned(),
    )
}

/// Runs a scene again and again, killed one step later each time, until it comes
/// to its end. `check` sees the project as the killed process left it, then
/// after a synchronisation.
fn at_every_step(
    name: &str,
    setup: impl Fn(&Project),
    left: impl Fn(&Project, &str),
    settled: impl Fn(&Project, &KnowledgeStore, &str),
) -> Vec<String> {
    let mut steps = Vec::new();
    for at in 1.. {
        let (_temp, project) = project();
        setup(&project);
        let output = scene(name, &project)
            .env(AT, at.to_string())
            .output()
            .unwrap();
        let step = killed(&output);
        let shown = step.clone().unwrap_or_else(|| "the end".to_owned());
        whole(&project, &shown);
        left(&project, &shown);
        let store = store(&project);
        store.sync(Extent::Changed).unwrap();
        in_order(&project, &store, &shown);
        settled(&project, &store, &shown);
        match step {
            Some(step) => steps.push(step),
            None => break,
        }
    }
    steps
}

/// Every recipe file can be read as a whole.
fn whole(project: &Project, step: &str) {
    for (path, bytes) in files_below(&project.knowledge()) {
        if path.ends_with(".md") {
            let text = String::from_utf8(bytes).unwrap();
            let read = asd_recipe::parse(&text, asd_recipe::Home::Recipes);
            let is_whole =
                text.ends_with("Because.\n") || text.contains("Because.\n\n## Core code");
            assert!(read.recipe.is_some() && is_whole, "{step}: {path}: {text}");
        }
    }
}

/// Nothing is left over, every hash is right, the rows are those that a new
/// database gets, and another synchronisation finds nothing to do.
fn in_order(project: &Project, store: &KnowledgeStore, step: &str) {
    let files = files_below(&project.knowledge());
    let mut ids = std::collections::BTreeSet::new();
    for (path, bytes) in &files {
        assert!(!path.contains(".tmp"), "{step}: {path} is left");
        if !path.ends_with(".md") {
            continue;
        }
        let text = String::from_utf8(bytes.clone()).unwrap();
        let recipe = asd_recipe::parse(&text, asd_recipe::Home::Recipes)
            .recipe
            .unwrap();
        assert_eq!(
            recipe.hash,
            Some(asd_recipe::content_hash(&text)),
            "{step}: {path}"
        );
        assert!(
            ids.insert(recipe.id.unwrap()),
            "{step}: {path} has the id of another"
        );
    }
    let again = store.sync(Extent::Changed).unwrap();
    assert_eq!(again.unchanged, again.scanned, "{step}: {again:?}");
    assert_eq!(again.conflicts + again.errors.len(), 0, "{step}: {again:?}");
    assert_eq!(files_below(&project.knowledge()), files, "{step}");
    let known = store.entries().unwrap();
    for suffix in ["", "-wal", "-shm"] {
        let _ = fs::remove_file(project.root().join(format!(".asd/asd.db{suffix}")));
    }
    let rebuilt = super::store(project).entries().unwrap();
    let split = |entries: Vec<Entry>| -> (Vec<Entry>, Vec<(String, String, String)>) {
        let (gone, there): (Vec<_>, Vec<_>) = entries
            .into_iter()
            .partition(|entry| entry.removed_at.is_some());
        // Of what is gone, the names are kept.
        let gone = gone
            .into_iter()
            .map(|entry| (entry.id, entry.title, entry.trigger));
        (there, gone.collect())
    };
    assert_eq!(split(rebuilt), split(known), "{step}");
    assert!(
        !project
            .root()
            .join(".asd/moves")
            .read_dir()
            .is_ok_and(|mut d| d.next().is_some())
    );
}

fn with_old(lifecycle: Lifecycle) -> impl Fn(&Project) {
    move |project| {
        store(project)
            .create(&recipe("old", lifecycle), &[])
            .unwrap();
    }
}

#[test]
fn a_new_recipe_is_there_or_not() {
    let steps = at_every_step(
        "create",
        with_old(Lifecycle::Active),
        |_, _| {},
        |project, store, step| {
            let is_there = project.candidates().join("network/new.md").exists();
            assert_eq!(store.entry("@new").unwrap().is_some(), is_there, "{step}");
            assert!(store.entry("@old").unwrap().is_some(), "{step}");
        },
    );
    for step in STEPS {
        assert!(
            steps.iter().any(|taken| taken == step),
            "{step} is not among {steps:?}"
        );
    }
    assert_eq!(steps.last().map(String::as_str), Some("row written"));
}

#[test]
fn a_change_is_made_or_not() {
    let steps = at_every_step(
        "update",
        with_old(Lifecycle::Active),
        |project, step| {
            let text = read(project, "recipes/network/old.md");
            let (old, new) = (text.contains("do: Do it\n"), text.contains("do: New way\n"));
            assert!(old != new, "{step}: {text}");
        },
        |_, store, step| {
            assert_eq!(store.entries().unwrap().len(), 1, "{step}");
        },
    );
    assert!(steps.len() > STEPS.len(), "{steps:?}");
}

#[test]
fn a_recipe_that_goes_to_the_other_folder_is_never_in_none() {
    let steps = at_every_step(
        "publish",
        with_old(Lifecycle::Pending),
        |project, step| {
            assert!(
                !paths(project).iter().all(|path| !path.ends_with("/old.md")),
                "{step}"
            );
        },
        |project, store, step| {
            let entry = store.entry("@old").unwrap().unwrap();
            assert_eq!(paths(project).len(), 1, "{step}: {:?}", paths(project));
            let moves = store.moves_of(&entry.id).unwrap();
            // A move that shows in the file is in the journal, and once.
            let is_moved = entry.lifecycle == Lifecycle::Active;
            assert_eq!(moves.len(), usize::from(is_moved), "{step}: {moves:?}");
            assert!(
                moves
                    .iter()
                    .all(|m| m.operator_id.as_deref() == Some("ann")),
                "{step}"
            );
            let journal: Vec<serde_json::Value> = Journal::Lifecycle.read(project);
            assert_eq!(journal.len(), moves.len(), "{step}: {journal:?}");
        },
    );
    for step in [
        "move noted",
        "renamed",
        "removed",
        "folder pruned",
        "note removed",
        "row written",
        "journalled",
    ] {
        assert!(
            steps.iter().any(|taken| taken == step),
            "{step} is not among {steps:?}"
        );
    }
}

#[test]
fn a_deleted_recipe_is_gone_or_not() {
    let steps = at_every_step(
        "delete",
        with_old(Lifecycle::Active),
        |_, _| {},
        |project, store, step| {
            let entries = store.entries().unwrap();
            assert_eq!(entries.len(), 1, "{step}");
            let is_there = project.recipes().join("network/old.md").exists();
            assert_eq!(entries[0].removed_at.is_none(), is_there, "{step}");
            let expected = if is_there {
                Lifecycle::Active
            } else {
                Lifecycle::Deprecated
            };
            assert_eq!(entries[0].lifecycle, expected, "{step}");
        },
    );
    assert!(steps.iter().any(|step| step == "removed"), "{steps:?}");
}

#[test]
fn a_synchronisation_that_is_cut_off_is_finished_by_the_next() {
    let steps = at_every_step(
        "sync",
        |project| {
            let store = store(project);
            let edited = store
                .create(&recipe("edited", Lifecycle::Active), &[])
                .unwrap();
            let path = project.root().join(edited.path);
            let text = fs::read_to_string(&path).unwrap();
            fs::write(&path, text.replace("do: Do it", "do: By hand")).unwrap();
            write(project, "recipes/a.md", &text_of("title: A"));
            write(project, "recipes/b.md", &text_of("title: B"));
            write(
                project,
                "recipes/moved.md",
                &text_of("id: m\ntitle: M\nlifecycle: pending"),
            );
        },
        |project, step| {
            let text = read(project, "recipes/network/edited.md");
            assert!(text.contains("do: By hand"), "{step}");
        },
        |project, store, step| {
            assert_eq!(store.entries().unwrap().len(), 4, "{step}");
            assert!(
                paths(project).contains(&"candidates/moved.md".to_owned()),
                "{step}"
            );
            let audit = store.audit(&AuditQuery::default()).unwrap();
            assert_eq!(audit.len(), 1, "{step}: an edit is told once: {audit:?}");
        },
    );
    assert!(steps.len() > 20, "{steps:?}");
}

fn text_of(front: &str) -> String {
    super::text(front)
}

#[test]
fn use_is_told_once_however_the_telling_ends() {
    at_every_step(
        "merge",
        |project| {
            let store = store(project);
            let written = store
                .create(&recipe("old", Lifecycle::Active), &[])
                .unwrap();
            UsageRecorder::new(project).record(&written.id, UsageEvent::Adoption, 7);
        },
        |_, _| {},
        |project, store, step| {
            merge_usage(store).unwrap();
            let summary = read_usage_summary(project).unwrap();
            let told: Vec<u64> = summary
                .recipes
                .values()
                .map(|usage| usage.adoptions)
                .collect();
            assert_eq!(told, [7], "{step}");
        },
    );
}
