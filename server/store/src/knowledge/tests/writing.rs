//! The write path.

use asd_knowledge::lifecycle::{Goal, Move, MoveTrigger, NamedAction};

use super::*;

#[test]
fn a_new_recipe_lies_where_its_state_and_name_put_it() {
    let (_temp, project) = project();
    let store = store(&project);
    let written = store
        .create(&recipe("net-monitor", Lifecycle::Pending), &[])
        .unwrap();
    assert_eq!(written.path, "Alembic/candidates/network/net-monitor.md");
    let text = read(&project, "candidates/network/net-monitor.md");
    assert_eq!(asd_recipe::content_hash(&text), written.hash);
    assert_eq!(stated_hash(&text), written.hash);
    assert!(text.contains(&format!("id: {}\n", written.id)), "{text}");
    assert_eq!(
        counts(&store.sync(Extent::Changed).unwrap()),
        "scanned=1 unchanged=1"
    );
}

#[test]
fn a_name_that_another_recipe_has_is_refused() {
    let (_temp, project) = project();
    let store = store(&project);
    store
        .create(&recipe("net-monitor", Lifecycle::Active), &[])
        .unwrap();
    let conflict = |recipe: &Recipe| match store.create(recipe, &[]).unwrap_err() {
        KnowledgeError::Conflict { what, .. } => what,
        other => panic!("{other}"),
    };
    assert_eq!(
        conflict(&recipe("NetMonitor", Lifecycle::Pending)),
        "trigger"
    );
    let mut same_title = recipe("other", Lifecycle::Pending);
    same_title.title = " ABOUT net-monitor".to_owned();
    assert_eq!(conflict(&same_title), "title");
    let mut same_id = recipe("third", Lifecycle::Pending);
    same_id.id = Some(store.entry("@net-monitor").unwrap().unwrap().id);
    assert_eq!(conflict(&same_id), "id");
    assert_eq!(paths(&project).len(), 1);
}

#[test]
fn a_file_in_the_way_is_never_written_over() {
    let (_temp, project) = project();
    write(
        &project,
        "recipes/network/about-a.md",
        "---\nid: z\ntitle: Z\n---\n",
    );
    let store = store(&project);
    let mut new = recipe("a", Lifecycle::Active);
    new.id = Some("5b0c4d1e-7a55-4c58-9d5e-0a4f3c1e2b77".to_owned());
    let written = store.create(&new, &[]).unwrap();
    assert_eq!(written.path, "Alembic/recipes/network/about-a-5b0c4d1e.md");
    assert_eq!(
        read(&project, "recipes/network/about-a.md"),
        "---\nid: z\ntitle: Z\n---\n"
    );
}

#[test]
fn a_change_leaves_comments_and_order_alone() {
    let (_temp, project) = project();
    write(
        &project,
        "recipes/a.md",
        "---\n# ours\ndo: Old # why\ntitle: A\ntrigger: \"@a\"\nmine: 1\n---\nText.\n",
    );
    let store = store(&project);
    let written = store
        .update("@a", |recipe| {
            recipe.do_clause = "New".to_owned();
            Ok(())
        })
        .unwrap();
    let text = read(&project, "recipes/a.md");
    assert!(text.starts_with("---\n"), "{text}");
    let ours = ["id:", "updatedAt:", "hash:"];
    let kept: Vec<&str> = text
        .lines()
        .filter(|line| !ours.iter().any(|key| line.starts_with(key)))
        .collect();
    assert_eq!(
        kept.join("\n"),
        "---\n# ours\ndo: New # why\ntitle: A\ntrigger: \"@a\"\nmine: 1\n---\nText."
    );
    assert!(text.contains(&format!("id: {}", written.id)), "{text}");
    assert_eq!(
        counts(&store.sync(Extent::Changed).unwrap()),
        "scanned=1 unchanged=1"
    );
    assert_eq!(store.entries().unwrap().len(), 1);
}

#[test]
fn what_a_change_may_not_do_is_refused_and_nothing_is_written() {
    let (_temp, project) = project();
    let store = store(&project);
    let written = store.create(&recipe("a", Lifecycle::Active), &[]).unwrap();
    store.create(&recipe("b", Lifecycle::Active), &[]).unwrap();
    let before = files_below(&project.knowledge());
    type Change = fn(&mut Recipe) -> Result<(), String>;
    let changes: [Change; 5] = [
        |_| Err("no".to_owned()),
        |recipe| {
            recipe.lifecycle = Lifecycle::Deprecated;
            Ok(())
        },
        |recipe| {
            recipe.trigger = "@b".to_owned();
            Ok(())
        },
        |recipe| {
            recipe.reasoning.sources[0].path = "../../etc/passwd".to_owned();
            Ok(())
        },
        |recipe| {
            recipe.do_clause = "a\u{202e}b".to_owned();
            Ok(())
        },
    ];
    for change in changes {
        store.update(&written.id, change).unwrap_err();
    }
    assert_eq!(files_below(&project.knowledge()), before);
}

#[test]
fn a_change_of_a_file_that_was_edited_meanwhile_keeps_the_edit() {
    let (_temp, project) = project();
    let store = store(&project);
    let written = store.create(&recipe("a", Lifecycle::Active), &[]).unwrap();
    let path = project.root().join(&written.path);
    let edited = fs::read_to_string(&path)
        .unwrap()
        .replace("Because.", "Because of that.");
    fs::write(&path, edited).unwrap();
    store
        .update("@a", |recipe| {
            recipe.do_clause = "New".to_owned();
            Ok(())
        })
        .unwrap();
    let text = fs::read_to_string(&path).unwrap();
    assert!(
        text.contains("Because of that.") && text.contains("do: New"),
        "{text}"
    );
}

#[test]
fn a_move_between_states_moves_the_file_and_is_journalled() {
    let (_temp, project) = project();
    let store = store(&project);
    let written = store.create(&recipe("a", Lifecycle::Pending), &[]).unwrap();
    let publish = Move::manual(NamedAction::Publish, "ann", Some("good"));
    let moved = store.transition("@a", &publish).unwrap();
    assert_eq!(moved.written.path, "Alembic/recipes/network/about-a.md");
    assert_eq!(
        moved.written.moved_from.as_deref(),
        Some(written.path.as_str())
    );
    assert_eq!(
        paths(&project),
        ["recipes/network/about-a.md"],
        "the empty folder is gone too"
    );
    let text = read(&project, "recipes/network/about-a.md");
    assert!(
        text.contains("lifecycle: active\n") && text.contains("by: ann"),
        "{text}"
    );
    let events = store.moves_of(&written.id).unwrap();
    assert_eq!(events, [moved.transition.event]);
    assert!(project.root().join(".asd/signals/lifecycle.jsonl").exists());
    let wish = Move::new(Goal::State(Lifecycle::Staging), MoveTrigger::Manual);
    let error = store.transition("@a", &wish).unwrap_err();
    assert_eq!(error.code(), "CONFLICT");
    assert_eq!(read(&project, "recipes/network/about-a.md"), text);
    assert_eq!(
        counts(&store.sync(Extent::Changed).unwrap()),
        "scanned=1 unchanged=1"
    );
    assert_eq!(store.moves_of(&written.id).unwrap().len(), 1);
}

#[test]
fn a_retired_recipe_that_is_taken_up_again_is_a_candidate() {
    let (_temp, project) = project();
    write(
        &project,
        "recipes/x/a.md",
        &text("id: a\ntitle: A\ntrigger: \"@a\"\nlifecycle: deprecated"),
    );
    let store = store(&project);
    store
        .transition("a", &Move::manual(NamedAction::Reactivate, "ann", None))
        .unwrap();
    assert_eq!(paths(&project), ["candidates/x/a.md"]);
}

#[test]
fn a_deleted_recipe_takes_its_empty_folder_with_it() {
    let (_temp, project) = project();
    let store = store(&project);
    let written = store.create(&recipe("a", Lifecycle::Active), &[]).unwrap();
    store.delete("@a").unwrap();
    assert!(!project.recipes().join("network").exists());
    assert!(project.recipes().exists());
    assert!(matches!(
        store.delete("@a"),
        Err(KnowledgeError::NotFound(_))
    ));
    assert_eq!(counts(&store.sync(Extent::Changed).unwrap()), "");
    let events = store.moves_of(&written.id).unwrap();
    assert_eq!(events[0].evidence.as_ref().unwrap()["reason"], "deleted");
}
