//! Files are the truth: every observation and what follows from it.

use asd_recipe::content_hash;

use super::*;

#[test]
fn files_with_an_id_become_entries_and_stay_as_they_are() {
    let (_temp, project) = project();
    write(
        &project,
        "recipes/net/a.md",
        &asd_recipe::with_hash(&text("id: a\ntitle: A\ntrigger: \"@a\"")).unwrap(),
    );
    let before = files_below(&project.knowledge());
    let store = store(&project);
    assert_eq!(counts(&store.reconcile().unwrap()), "scanned=1 inserted=1");
    assert_eq!(
        counts(&store.sync(Extent::Changed).unwrap()),
        "scanned=1 unchanged=1"
    );
    assert_eq!(
        counts(&store.sync(Extent::Everything).unwrap()),
        "scanned=1 updated=1"
    );
    assert_eq!(files_below(&project.knowledge()), before);
    let entry = store.entry("a").unwrap().unwrap();
    assert_eq!(entry.title, "A");
    assert_eq!(entry.lifecycle, Lifecycle::Active);
    assert_eq!(entry.file_path.as_deref(), Some("Alembic/recipes/net/a.md"));
    assert_eq!(store.entry("@A").unwrap(), Some(entry));
}

#[test]
fn reading_writes_no_file_of_the_knowledge() {
    let (_temp, project) = project();
    write(&project, "recipes/a.md", &text("title: A\ntrigger: \"@a\""));
    write(
        &project,
        "recipes/b.md",
        &text("id: b\nlifecycle: pending\nhash: 0123456789abcdef"),
    );
    let before = files_below(&project.knowledge());
    let store = store(&project);
    let report = store.reconcile().unwrap();
    assert_eq!(files_below(&project.knowledge()), before);
    assert_eq!(
        counts(&report),
        "scanned=2 inserted=2 manualEdits=1 assignedIds=1 moved=1"
    );
    let entry = store.entry("@a").unwrap().unwrap();
    assert_eq!(entry.id, "file:Alembic/recipes/a.md");
    assert_eq!(
        counts(&store.reconcile().unwrap()),
        "scanned=2 unchanged=2 manualEdits=1 assignedIds=1 moved=1"
    );
}

#[test]
fn a_file_without_an_id_gets_one_and_its_own_state() {
    let (_temp, project) = project();
    write(
        &project,
        "recipes/a.md",
        &text("# mine\ntitle: A\ntrigger: \"@a\"").replace('\n', "\r\n"),
    );
    write(&project, "candidates/b.md", &text("title: B"));
    write(
        &project,
        "candidates/c.md",
        &text("title: C\nlifecycle: staging"),
    );
    let store = store(&project);
    store.reconcile().unwrap();
    let report = store.sync(Extent::Changed).unwrap();
    assert_eq!(counts(&report), "scanned=3 inserted=3 assignedIds=3");
    let a = read(&project, "recipes/a.md");
    assert!(a.contains("# mine\r\n") && a.contains("\r\nhash: "), "{a}");
    let id = a
        .lines()
        .find_map(|line| line.strip_prefix("id: "))
        .unwrap();
    assert_eq!(uuid::Uuid::parse_str(id).unwrap().get_version_num(), 4);
    let mut entries = store.entries().unwrap();
    entries.sort_by(|a, b| a.title.cmp(&b.title));
    let states: Vec<Lifecycle> = entries.iter().map(|entry| entry.lifecycle).collect();
    assert_eq!(
        states,
        [Lifecycle::Active, Lifecycle::Pending, Lifecycle::Staging]
    );
    assert_eq!(
        counts(&store.sync(Extent::Changed).unwrap()),
        "scanned=3 unchanged=3"
    );
}

#[test]
fn an_edit_by_hand_is_accepted_and_told_once() {
    let (_temp, project) = project();
    let store = store(&project);
    let written = store.create(&recipe("a", Lifecycle::Active), &[]).unwrap();
    let path = project.root().join(&written.path);
    let edited = fs::read_to_string(&path)
        .unwrap()
        .replace("do: Do it", "do: Do it well   # better");
    fs::write(&path, &edited).unwrap();
    let report = store.sync(Extent::Changed).unwrap();
    assert_eq!(counts(&report), "scanned=1 updated=1 manualEdits=1");
    let after = fs::read_to_string(&path).unwrap();
    assert!(after.contains("do: Do it well   # better\n"), "{after}");
    assert_eq!(stated_hash(&after), content_hash(&after));
    assert_eq!(
        counts(&store.sync(Extent::Changed).unwrap()),
        "scanned=1 unchanged=1"
    );
    let audit = store.audit(&AuditQuery::default()).unwrap();
    assert_eq!(audit.len(), 1);
    assert_eq!(audit[0].action, "manual_edit");
    assert_eq!(audit[0].resource, format!("recipe:{}", written.id));
    assert_eq!(audit[0].operation_data["violation"], true);
}

#[test]
fn the_newest_of_two_files_with_one_id_counts_and_the_other_is_left_alone() {
    let (_temp, project) = project();
    let old = text("id: x\ntitle: Old\nupdatedAt: 1");
    write(&project, "recipes/a.md", &old);
    write(
        &project,
        "recipes/b.md",
        &text("id: x\ntitle: New\nupdatedAt: 2"),
    );
    let store = store(&project);
    let report = store.sync(Extent::Changed).unwrap();
    assert_eq!(
        counts(&report),
        "scanned=2 inserted=1 addedHashes=1 conflicts=1"
    );
    assert_eq!(report.changes[0].path, "Alembic/recipes/a.md");
    assert_eq!(store.entry("x").unwrap().unwrap().title, "New");
    assert_eq!(read(&project, "recipes/a.md"), old);
}

#[test]
fn the_second_file_with_a_trigger_is_loaded_and_marked() {
    let (_temp, project) = project();
    write(
        &project,
        "recipes/a.md",
        &text("id: a\ntitle: A\ntrigger: \"@same-name\""),
    );
    write(
        &project,
        "recipes/b.md",
        &text("id: b\ntitle: B\ntrigger: \"@SameName\""),
    );
    let store = store(&project);
    let report = store.sync(Extent::Changed).unwrap();
    assert_eq!(report.conflicts, 1);
    let conflict = |id: &str| store.entry(id).unwrap().unwrap().conflict;
    assert_eq!(conflict("a"), None);
    assert_eq!(conflict("b").as_deref(), Some("Alembic/recipes/a.md"));
    assert_eq!(store.entry("@same_name").unwrap().unwrap().id, "a");
    fs::remove_file(project.knowledge().join("recipes/a.md")).unwrap();
    store.sync(Extent::Changed).unwrap();
    assert_eq!(conflict("b"), None);
}

#[test]
fn an_entry_whose_file_is_gone_is_deprecated_and_comes_back_with_it() {
    let (_temp, project) = project();
    let store = store(&project);
    let written = store.create(&recipe("a", Lifecycle::Active), &[]).unwrap();
    let path = project.root().join(&written.path);
    let content = fs::read(&path).unwrap();
    fs::remove_file(&path).unwrap();
    let report = store.sync(Extent::Changed).unwrap();
    assert_eq!(counts(&report), "orphaned=1");
    let gone = store.entry(&written.id).unwrap().unwrap();
    assert_eq!(gone.lifecycle, Lifecycle::Deprecated);
    assert_eq!(gone.file_path, None);
    assert_eq!(
        paths(&project),
        Vec::<String>::new(),
        "no file is made for it"
    );
    let moves = store.moves_of(&written.id).unwrap();
    assert_eq!(
        moves.last().unwrap().evidence.as_ref().unwrap()["reason"],
        "file removed"
    );
    assert_eq!(counts(&store.sync(Extent::Changed).unwrap()), "");
    // Also when the database is made again.
    fs::remove_file(project.root().join(".asd/asd.db")).unwrap();
    let again = KnowledgeStore::new(&project, &[]);
    assert_eq!(again.entry(&written.id).unwrap().unwrap().title, gone.title);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, content).unwrap();
    assert_eq!(
        counts(&again.sync(Extent::Changed).unwrap()),
        "scanned=1 updated=1"
    );
    assert_eq!(
        again.entry("@a").unwrap().unwrap().lifecycle,
        Lifecycle::Active
    );
}

#[test]
fn an_entry_that_was_gone_for_thirty_days_is_forgotten() {
    let (_temp, project) = project();
    let store = store(&project);
    let written = store.create(&recipe("a", Lifecycle::Active), &[]).unwrap();
    fs::remove_file(project.root().join(&written.path)).unwrap();
    store.sync(Extent::Changed).unwrap();
    store
        .database
        .write(|t| {
            t.execute(
                "UPDATE knowledge_entries SET removed_at = removed_at - 31 * 86400000",
                [],
            )
        })
        .unwrap();
    assert_eq!(counts(&store.sync(Extent::Changed).unwrap()), "purged=1");
    assert_eq!(store.entry(&written.id).unwrap(), None);
}

#[test]
fn a_file_that_cannot_be_read_is_told_with_its_line_and_keeps_its_entry() {
    let (_temp, project) = project();
    let store = store(&project);
    let written = store.create(&recipe("a", Lifecycle::Active), &[]).unwrap();
    let path = project.root().join(&written.path);
    let broken = fs::read_to_string(&path)
        .unwrap()
        .replace("kind: ", "kind: [");
    fs::write(&path, &broken).unwrap();
    let report = store.sync(Extent::Changed).unwrap();
    assert_eq!(counts(&report), "scanned=1 errors=1");
    assert_eq!(report.errors[0].path, written.path);
    assert!(
        report.errors[0].line.is_some_and(|line| line > 1),
        "{report:?}"
    );
    assert_eq!(fs::read_to_string(&path).unwrap(), broken);
    assert_eq!(
        store.entry("@a").unwrap().unwrap().lifecycle,
        Lifecycle::Active
    );
}

#[test]
fn a_file_in_the_wrong_folder_is_moved_by_a_synchronisation() {
    let (_temp, project) = project();
    write(
        &project,
        "recipes/x/a.md",
        &text("id: a1\ntitle: A\nlifecycle: pending"),
    );
    write(
        &project,
        "candidates/x/b.md",
        &text("id: b1\ntitle: B\nlifecycle: active"),
    );
    write(
        &project,
        "recipes/x/b.md",
        &text("id: c1\ntitle: C\nlifecycle: active"),
    );
    write(&project, "recipes/y/d.md", &text("id: d1\ntitle: D"));
    let store = store(&project);
    let report = store.sync(Extent::Changed).unwrap();
    assert_eq!(report.moved, 2);
    assert_eq!(
        paths(&project),
        [
            "candidates/x/a.md",
            "recipes/x/b-b1.md",
            "recipes/x/b.md",
            "recipes/y/d.md"
        ]
    );
    assert_eq!(
        counts(&store.sync(Extent::Changed).unwrap()),
        "scanned=4 unchanged=4"
    );
    assert_eq!(
        store.entry("b1").unwrap().unwrap().file_path.as_deref(),
        Some("Alembic/recipes/x/b-b1.md")
    );
}

#[test]
fn a_dry_run_changes_nothing_at_all_and_says_what_would_be() {
    let (_temp, project) = project();
    write(&project, "recipes/a.md", &text("title: A\ntrigger: \"@a\""));
    write(
        &project,
        "recipes/b.md",
        &text("id: b\ntitle: B\nlifecycle: pending"),
    );
    let before = files_below(project.root());
    let preview = store(&project).preview_sync(Extent::Changed).unwrap();
    assert_eq!(files_below(project.root()), before);
    assert!(preview.dry_run);
    let store = store(&project);
    store.reconcile().unwrap();
    let known = files_below(project.root());
    let later = KnowledgeStore::new(&project, &[])
        .preview_sync(Extent::Changed)
        .unwrap();
    drop(store);
    let rest = |files: &BTreeMap<String, Vec<u8>>| -> Vec<String> {
        files
            .keys()
            .filter(|path| !path.contains("asd.db-"))
            .cloned()
            .collect()
    };
    assert_eq!(rest(&files_below(project.root())), rest(&known));
    let done = KnowledgeStore::new(&project, &[])
        .sync(Extent::Changed)
        .unwrap();
    assert_eq!(later.assigned_ids, done.assigned_ids);
    assert_eq!(later.inserted, done.inserted);
    assert_eq!(later.moved, done.moved);
    assert_eq!((preview.assigned_ids, preview.moved), (1, 1));
}

#[test]
fn a_project_without_knowledge_stays_as_it_is() {
    let temp = tempfile::tempdir().unwrap();
    let store = KnowledgeStore::new(&Project::at(temp.path()), &[]);
    assert_eq!(counts(&store.reconcile().unwrap()), "");
    assert_eq!(counts(&store.sync(Extent::Changed).unwrap()), "");
    assert!(store.entries().unwrap().is_empty());
    assert!(files_below(temp.path()).is_empty());
}

#[test]
fn templates_and_hidden_files_are_left_alone() {
    let (_temp, project) = project();
    write(&project, "recipes/_template.md", "---\ntitle: T\n---\n");
    write(&project, "recipes/README.md", "# Recipes\n");
    let report = store(&project).sync(Extent::Changed).unwrap();
    assert_eq!(counts(&report), "");
    assert_eq!(
        read(&project, "recipes/_template.md"),
        "---\ntitle: T\n---\n"
    );
}

#[test]
fn edges_follow_the_names_that_entries_have() {
    let (_temp, project) = project();
    write(
        &project,
        "recipes/a.md",
        &text(
            "id: a\ntitle: A\ntrigger: \"@a\"\nrelations:\n  depends_on: [\"@later\", \"@a\"]\n  related: [{target: B title, description: why}]",
        ),
    );
    let store = store(&project);
    store.sync(Extent::Changed).unwrap();
    let shown = || -> Vec<String> {
        let edges = store.edges("a").unwrap();
        edges
            .iter()
            .map(|e| format!("{} {} {}", e.relation, e.to_type, e.to_id))
            .collect()
    };
    assert_eq!(
        shown(),
        ["depends_on unresolved @later", "related unresolved B title"]
    );
    write(
        &project,
        "recipes/b.md",
        &text("id: b\ntitle: B title\ntrigger: \"@Later\""),
    );
    store.sync(Extent::Changed).unwrap();
    assert_eq!(shown(), ["depends_on recipe b", "related recipe b"]);
    assert_eq!(
        store.edges("b").unwrap()[1].description.as_deref(),
        Some("why")
    );
    let renamed = read(&project, "recipes/b.md").replace("@Later", "@other");
    write(&project, "recipes/b.md", &renamed);
    store.sync(Extent::Changed).unwrap();
    assert_eq!(
        shown(),
        ["depends_on unresolved @later", "related recipe b"]
    );
    fs::remove_file(project.knowledge().join("recipes/b.md")).unwrap();
    store.sync(Extent::Changed).unwrap();
    assert_eq!(
        shown(),
        ["depends_on unresolved @later", "related unresolved B title"]
    );
}

#[test]
fn recipes_of_other_folders_are_read_and_never_written() {
    let (temp, project) = project();
    let shared = temp.path().join("shared");
    fs::create_dir(&shared).unwrap();
    fs::write(shared.join("s.md"), text("title: S\ntrigger: \"@s\"")).unwrap();
    let before = fs::read(shared.join("s.md")).unwrap();
    let store = KnowledgeStore::new(&project, std::slice::from_ref(&shared));
    assert_eq!(
        counts(&store.sync(Extent::Changed).unwrap()),
        "scanned=1 inserted=1"
    );
    assert_eq!(fs::read(shared.join("s.md")).unwrap(), before);
    let error = store.delete("@s").unwrap_err();
    assert!(
        error.to_string().contains("not the project's own"),
        "{error}"
    );
}

#[test]
fn a_database_that_cannot_be_written_stops_neither_reading_nor_writing() {
    let (_temp, project) = project();
    // A folder where the file should be.
    fs::create_dir_all(project.root().join(".asd/asd.db/x")).unwrap();
    let store = store(&project);
    let written = store.create(&recipe("a", Lifecycle::Active), &[]).unwrap();
    assert!(project.root().join(&written.path).exists());
    assert_eq!(store.entry("@a").unwrap().unwrap().id, written.id);
    let report = store.sync(Extent::Changed).unwrap();
    assert!(report.degraded.is_some());
    assert!(store.degraded().is_some());
}

#[test]
fn a_database_that_another_holds_stops_neither_reading_nor_writing() {
    let (_temp, project) = project();
    let store = store(&project);
    store.create(&recipe("a", Lifecycle::Active), &[]).unwrap();
    store
        .database
        .read(|c| c.busy_timeout(std::time::Duration::from_millis(5)))
        .unwrap();
    let other = rusqlite::Connection::open(project.root().join(".asd/asd.db")).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    store.create(&recipe("b", Lifecycle::Active), &[]).unwrap();
    assert!(store.degraded().is_some());
    assert_eq!(store.entries().unwrap().len(), 2);
    other.execute_batch("COMMIT").unwrap();
    let report = store.sync(Extent::Changed).unwrap();
    assert_eq!(report.degraded, None);
    assert_eq!(counts(&report), "scanned=2 inserted=1 unchanged=1");
}
