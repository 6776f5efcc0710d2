//! Recipes that are made to harm.

use super::*;

#[test]
fn a_synchronisation_refuses_what_is_made_to_harm_and_does_the_rest() {
    let (_temp, project) = project();
    write(
        &project,
        "recipes/fine.md",
        &text("title: Fine\ntrigger: \"@fine\""),
    );
    write(
        &project,
        "recipes/huge.md",
        &text(&format!("title: {}", "x".repeat(3_000_000))),
    );
    write(
        &project,
        "recipes/deep.md",
        &text(&format!(
            "title: {}{}",
            "[".repeat(20_000),
            "]".repeat(20_000)
        )),
    );
    let mut laughs = String::from("a: &a [x, x, x, x, x, x, x, x, x]\n");
    for (before, name) in ["a", "b", "c", "d", "e", "f", "g"]
        .windows(2)
        .map(|w| (w[0], w[1]))
    {
        laughs.push_str(&format!(
            "{name}: &{name} [{}]\n",
            vec![format!("*{before}"); 9].join(", ")
        ));
    }
    write(&project, "recipes/laughs.md", &text(&laughs));
    write(&project, "recipes/controls.md", &text("title: \"a\u{7}b\""));
    write(
        &project,
        "recipes/sources.md",
        &text("title: S\nreasoning:\n  sources: [../../../etc/passwd]"),
    );
    write(
        &project,
        "recipes/trigger.md",
        &text("title: S\ntrigger: \"@../../x\""),
    );
    write(&project, "recipes/id.md", &text("title: S\nid: ../../../x"));
    fs::write(
        project.recipes().join("latin.md"),
        b"---\ntitle: caf\xE9\n---\n",
    )
    .unwrap();
    fs::write(project.recipes().join("binary.md"), b"\0\0\0").unwrap();
    let before = files_below(&project.knowledge());
    let store = store(&project);
    let report = store.sync(Extent::Changed).unwrap();
    assert_eq!(report.inserted, 1, "{report:?}");
    let mut shown = String::new();
    for error in &report.errors {
        let line = error
            .line
            .map_or_else(String::new, |line| format!(":{line}"));
        shown.push_str(&format!("{}{line}: {}\n", error.path, error.message));
    }
    expect_test::expect![[r#"
        Alembic/recipes/binary.md: This file cannot be read: binary content.
        Alembic/recipes/controls.md:2: The control character U+0007 has no place in a text file, so this file is not read as a recipe. Remove it.
        Alembic/recipes/deep.md:2: This front matter is nested more than 32 levels deep, so the file is not read.
        Alembic/recipes/huge.md: This file is larger than 1 MB. Split it into several recipes.
        Alembic/recipes/id.md:3: The id is not one: it may hold letters, digits, `-`, `_`, `.` and `:`, at most 128, and no `..`. Remove the line; `asd sync` assigns an id.
        Alembic/recipes/latin.md: This file cannot be read: not valid UTF-8 (first bad byte at offset 14).
        Alembic/recipes/laughs.md:6: This front matter holds too many values, or its aliases expand to too many, so the file is not read.
        Alembic/recipes/sources.md:4: The source `../../../etc/passwd` leads out of the project. Name a path below the project's root, with `/`.
        Alembic/recipes/trigger.md:3: A trigger must not hold `/`, `\` or `..`: it names the recipe's file.
    "#]].assert_eq(&shown);
    let mut after = files_below(&project.knowledge());
    after.remove("recipes/fine.md");
    let mut before = before;
    before.remove("recipes/fine.md");
    assert_eq!(after, before, "none of them is touched");
    assert_eq!(
        counts(&store.sync(Extent::Changed).unwrap()),
        "scanned=10 unchanged=1 errors=9"
    );
}

#[test]
fn the_write_path_refuses_the_same() {
    let (_temp, project) = project();
    let store = store(&project);
    let refused = |change: fn(&mut Recipe)| {
        let mut new = recipe("a", Lifecycle::Active);
        change(&mut new);
        match store.create(&new, &[]).unwrap_err() {
            KnowledgeError::Refused { reason, .. } => reason,
            other => panic!("{other}"),
        }
    };
    let mut reasons = String::new();
    for change in [
        (|r| r.content.rationale = "x".repeat(2_000_000)) as fn(&mut Recipe),
        |r| r.trigger = "@../../../etc/cron.d/x".to_owned(),
        |r| r.id = Some("../../x".to_owned()),
        |r| r.reasoning.sources[0].path = "/etc/passwd".to_owned(),
        |r| r.title = "a\u{0}b".to_owned(),
        |r| r.do_clause = "a\u{202e}b".to_owned(),
        |r| r.tags = vec!["a\u{1b}[31mb".to_owned()],
    ] {
        reasons.push_str(&refused(change));
        reasons.push('\n');
    }
    expect_test::expect![[r#"
        This file is larger than 1 MB. Split it into several recipes.
        A trigger must not hold `/`, `\` or `..`: it names the recipe's file.
        The id is not one: it may hold letters, digits, `-`, `_`, `.` and `:`, at most 128, and no `..`. Remove the line; `asd sync` assigns an id.
        The source `/etc/passwd:1-5` leads out of the project. Name a path below the project's root, with `/`.
        An escape in the front matter stands for the character U+0000, which cannot be seen. Remove it.
        The invisible character U+202E changes the direction of the text, so it reads other than it is matched. Remove it.
        An escape in the front matter stands for the character U+001B, which cannot be seen. Remove it.
    "#]].assert_eq(&reasons);
    assert!(paths(&project).is_empty());
}

#[test]
fn a_category_that_climbs_leads_nowhere() {
    let (_temp, project) = project();
    let mut new = recipe("a", Lifecycle::Active);
    new.category = "../../../outside".to_owned();
    let written = store(&project).create(&new, &[]).unwrap();
    assert_eq!(written.path, "Alembic/recipes/---------outside/about-a.md");
}

#[cfg(unix)]
#[test]
fn what_a_link_leads_to_is_neither_read_nor_written() {
    use std::os::unix::fs::symlink;
    let (temp, _) = project();
    let root = temp.path().join("inner");
    fs::create_dir_all(root.join("Alembic/recipes")).unwrap();
    let project = Project::at(&root);
    let secret = temp.path().join("secret.md");
    fs::write(&secret, text("title: Secret\ntrigger: \"@secret\"")).unwrap();
    let before = fs::read(&secret).unwrap();
    symlink(&secret, project.recipes().join("a.md")).unwrap();
    symlink(temp.path(), project.candidates()).unwrap();
    // A bucket that leads out.
    symlink(temp.path(), project.recipes().join("network")).unwrap();
    let store = store(&project);
    let report = store.sync(Extent::Changed).unwrap();
    assert_eq!(report.inserted, 0);
    assert_eq!(report.errors.len(), 3, "{report:?}");
    let error = store
        .create(&recipe("b", Lifecycle::Active), &[])
        .unwrap_err();
    assert_eq!(error.code(), "PERMISSION_DENIED", "{error}");
    let error = store
        .create(&recipe("b", Lifecycle::Pending), &[])
        .unwrap_err();
    assert_eq!(error.code(), "PERMISSION_DENIED", "{error}");
    assert_eq!(fs::read(&secret).unwrap(), before);
    assert!(!temp.path().join("b.md").exists());
    // A link inside of the project is read, but not written through.
    fs::create_dir_all(root.join("docs")).unwrap();
    fs::write(root.join("docs/x.md"), text("title: X\ntrigger: \"@x\"")).unwrap();
    symlink("../../docs/x.md", project.recipes().join("x.md")).unwrap();
    let report = store.sync(Extent::Changed).unwrap();
    assert_eq!((report.inserted, report.assigned_ids), (1, 0), "{report:?}");
    assert!(
        report
            .errors
            .iter()
            .any(|e| e.message.contains("symbolic link")),
        "{report:?}"
    );
    assert!(store.delete("@x").is_err());
    assert!(root.join("docs/x.md").exists());
}
