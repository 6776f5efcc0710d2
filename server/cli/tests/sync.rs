//! `asd sync`.

#![allow(
    clippy::unwrap_used,
    reason = "a test may panic, and so may what it uses"
)]

#[allow(dead_code, reason = "each test file uses a part of it")]
mod common;

use common::{Project, recipe};

#[test]
fn ids_are_assigned_once_and_edits_by_hand_accepted() {
    let project = Project::new(&[
        ("Alembic/recipes/net/a.md", &recipe("no-old", "oldCall", "")),
        ("Alembic/candidates/b.md", &recipe("no-new", "newCall", "")),
    ]);
    let before = project.content();
    let dry = project.run(&["sync", "--dry-run"]);
    assert_eq!(dry.code, 0, "{}", dry.shown());
    assert_eq!(project.content(), before);
    assert!(dry.out.contains("a.md gets an id\n"), "{}", dry.shown());
    assert!(dry.out.ends_with("2 recipes: 2 new.\n"), "{}", dry.shown());
    let first = project.json(&["sync", "--json"]);
    assert_eq!(first["assignedIds"], 2);
    assert_eq!(first["inserted"], 2);
    assert_eq!(first["errors"], serde_json::json!([]));
    let again = project.run(&["sync"]);
    assert_eq!(again.out, "2 recipes: 2 unchanged.\n");

    let name = "Alembic/recipes/net/a.md";
    let edited = project.read(name).replace("do: Write", "do: Please write");
    project.write(name, edited.as_bytes());
    let report = project.json(&["sync", "--json"]);
    assert_eq!(report["manualEdits"], 1);
    assert_eq!(report["updated"], 1);
    assert!(project.read(name).contains("do: Please write"));
    let audit = project.read(".asd/audit.jsonl");
    assert_eq!(audit.lines().count(), 1);
    assert!(audit.contains("manual_edit"), "{audit}");

    std::fs::remove_file(project.path(".asd/asd.db")).unwrap();
    let rebuilt = project.json(&["sync", "--json"]);
    assert_eq!(rebuilt["inserted"], 2);
    assert_eq!(project.json(&["sync", "--force", "--json"])["updated"], 2);
}

#[test]
fn what_cannot_be_read_or_disputes_is_said_and_fails_the_run() {
    let one = "---\nid: x\ntitle: One\ntrigger: \"@one\"\nupdatedAt: 5\n---\n";
    let project = Project::new(&[
        ("Alembic/recipes/a.md", one),
        ("Alembic/recipes/b.md", &one.replace('5', "4")),
        ("Alembic/recipes/c.md", "---\ntitle: T\nkind: [\n---\n"),
        (
            "Alembic/recipes/d.md",
            "---\ntitle: D\nreasoning: {sources: [../../x]}\n---\n",
        ),
    ]);
    let run = project.run(&["sync"]);
    assert_eq!(run.code, 1, "{}", run.shown());
    assert!(
        run.out
            .contains("Alembic/recipes/b.md has the id of Alembic/recipes/a.md"),
        "{}",
        run.shown()
    );
    assert!(
        run.out.contains("Alembic/recipes/c.md:3: "),
        "{}",
        run.shown()
    );
    assert!(
        run.out.contains("leads out of the project"),
        "{}",
        run.shown()
    );
    assert!(
        run.out
            .ends_with("4 recipes: 1 new, 1 in conflict, 2 not read.\n"),
        "{}",
        run.shown()
    );
    let written = "1 file got the line `hash:`";
    assert!(run.out.contains(written), "{}", run.shown());
}

#[test]
fn without_knowledge_it_says_what_to_do() {
    let project = Project::new(&[("src/a.ts", "")]);
    let run = project.run(&["sync"]);
    assert_eq!(run.code, 2, "{}", run.shown());
    assert!(run.err.contains("asd setup"), "{}", run.shown());
}
