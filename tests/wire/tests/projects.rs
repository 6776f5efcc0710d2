//! Recipes and settings take effect while the server runs, folder by folder.

use std::time::{Duration, Instant};

use asd_wire::{Builder, Client, Workspace, recipe, uri_of};
use serde_json::json;

const TODO: &str =
    "pattern: '\\bTODO\\b'\nmatchIn: text\nmessage: No TODO in code\nseverity: warning";
const NO_TODO: &str = "Alembic/recipes/no-todo.md";

fn project() -> Workspace {
    Workspace::new(&[(NO_TODO, &recipe("no-todo", "all", TODO))])
}

#[test]
fn an_unsaved_edit_of_a_recipe_counts_at_once() {
    let workspace = project();
    let mut client = Client::start(&workspace);
    let (source, rule) = (workspace.uri("a.ts"), workspace.uri(NO_TODO));
    client.open(&source, "typescript", 1, "// TODO FIXME\n");
    client.diagnostics(&source, 1);
    let before = recipe("no-todo", "all", TODO);
    client.open(&rule, "markdown", 1, &before);
    client.diagnostics(&rule, 1);
    let after = before.replace("\\bTODO\\b", "\\b(TODO|FIXME)\\b");
    let mut version = 1;
    for _ in 0..5 {
        version += 1;
        client.replace(&rule, version, &after);
        client.published(&source, "the findings of the edited rule", |publish| {
            publish.diagnostics.len() == 2
        });
        version += 1;
        client.replace(&rule, version, &before);
        client.published(&source, "the findings of before", |publish| {
            publish.diagnostics.len() == 1
        });
    }
    // Closed without saving: the disk counts again.
    version += 1;
    client.replace(&rule, version, &after);
    client.published(&source, "the findings of the edited rule", |publish| {
        publish.diagnostics.len() == 2
    });
    client.close(&rule);
    client.published(&source, "the findings of the disk", |publish| {
        publish.diagnostics.len() == 1
    });
}

#[test]
fn a_saved_recipe_counts_without_any_watcher() {
    let workspace = project();
    // It can watch, so the server does not; and then it tells nothing.
    let mut client = Builder::new(&workspace)
        .capability(
            "/workspace/didChangeWatchedFiles",
            json!({"dynamicRegistration": true, "relativePatternSupport": true}),
        )
        .start();
    let (source, rule) = (workspace.uri("a.ts"), workspace.uri(NO_TODO));
    client.open(&source, "typescript", 1, "// TODO FIXME\n");
    client.diagnostics(&source, 1);
    let registration = client.message("client/registerCapability");
    let watchers = &registration["params"]["registrations"][0]["registerOptions"]["watchers"];
    assert_eq!(
        watchers[0]["globPattern"]["baseUri"],
        uri_of(&workspace.root())
    );
    workspace.write(
        NO_TODO,
        recipe("no-todo", "all", &TODO.replace("TODO\\b", "FIXME\\b")),
    );
    client.save(&rule);
    client.published(&source, "the finding of the new rule", |publish| {
        publish.diagnostics.len() == 1 && publish.diagnostics[0]["range"]["start"]["character"] == 8
    });
}

#[test]
fn a_recipe_that_another_program_writes_is_seen() {
    let workspace = project();
    let mut client = Client::start(&workspace);
    let source = workspace.uri("a.ts");
    client.open(&source, "typescript", 1, "// TODO FIXME\n");
    client.diagnostics(&source, 1);
    client.idle(Duration::from_millis(300));
    workspace.write(
        "Alembic/recipes/no-fixme.md",
        recipe("no-fixme", "all", &TODO.replace("TODO", "FIXME")),
    );
    client.published(&source, "the findings of both rules", |publish| {
        publish.diagnostics.len() == 2
    });
    workspace.remove("Alembic/recipes/no-fixme.md");
    client.published(&source, "the finding of the rule that is left", |publish| {
        publish.diagnostics.len() == 1
    });
}

#[test]
fn two_editors_on_one_project_see_the_same_change() {
    let workspace = project();
    let mut one = Client::start(&workspace);
    let mut two = Client::start(&workspace);
    let (source, rule) = (workspace.uri("a.ts"), workspace.uri(NO_TODO));
    for client in [&mut one, &mut two] {
        client.open(&source, "typescript", 1, "// TODO FIXME\n");
        client.diagnostics(&source, 1);
        client.idle(Duration::from_millis(300));
    }
    let changed = recipe(
        "no-todo",
        "all",
        &TODO.replace("TODO\\b", "(TODO|FIXME)\\b"),
    );
    workspace.write(NO_TODO, &changed);
    one.save(&rule);
    for client in [&mut one, &mut two] {
        client.published(&source, "the findings of the new rule", |publish| {
            publish.diagnostics.len() == 2
        });
    }
    assert_eq!(
        std::fs::read_to_string(workspace.path(NO_TODO)).unwrap(),
        changed
    );
}

/// One recipe is fine, one has no message, one has a bad regex. The first works;
/// the others are told where they are wrong, in their own files.
#[test]
fn a_broken_recipe_takes_no_other_down() {
    let workspace = project();
    let bad = "Alembic/recipes/bad-regex.md";
    let text = recipe("bad-regex", "all", "pattern: 'abc(['\nmessage: Never");
    workspace.write(bad, &text);
    let mut client = Builder::new(&workspace)
        .capability("/experimental/asdStatus", json!(true))
        .start();
    let source = workspace.uri("a.ts");
    client.open(&source, "typescript", 1, "// TODO\n");
    assert_eq!(client.diagnostics(&source, 1).codes(), ["no-todo"]);
    let problem = client.published(&workspace.uri(bad), "the bad regex", |publish| {
        publish.codes().contains(&"invalid-regex")
    });
    let diagnostic = problem
        .diagnostics
        .iter()
        .find(|diagnostic| diagnostic["code"] == "invalid-regex")
        .unwrap();
    let line = text
        .lines()
        .position(|line| line.contains("abc(["))
        .unwrap();
    assert_eq!(diagnostic["severity"], 1);
    assert_eq!(diagnostic["range"]["start"]["line"], line, "{diagnostic:#}");
    let column = diagnostic["range"]["start"]["character"].as_u64().unwrap() as usize;
    let pattern = text.lines().nth(line).unwrap().find("abc([").unwrap();
    assert!((pattern..pattern + 6).contains(&column), "{diagnostic:#}");
    loop {
        let status = client.message("asd/status");
        if status["params"]["state"] == "warning" {
            break;
        }
    }
    // It is repaired on disk, and works with no restart.
    workspace.write(
        bad,
        recipe("bad-regex", "all", "pattern: 'let'\nmessage: Now"),
    );
    client.watched(&[(&workspace.uri(bad), 2)]);
    client.published(&workspace.uri(bad), "no problem", |publish| {
        publish.diagnostics.is_empty()
    });
    client.replace(&source, 2, "let a = 1 // TODO\n");
    let mut codes = client.diagnostics(&source, 2);
    if codes.diagnostics.len() < 2 {
        codes = client.published(&source, "both findings", |publish| {
            publish.diagnostics.len() == 2
        });
    }
    assert_eq!(codes.codes(), ["bad-regex", "no-todo"]);
    client.idle(Duration::from_millis(100));
    client.messages("asd/status");
}

#[test]
fn a_project_with_nothing_but_broken_files_starts() {
    let workspace = Workspace::new(&[
        (NO_TODO, "---\ntrigger: [\n"),
        ("Alembic/config.toml", "[guard\nprofile = 3\n"),
        ("Alembic/guard-exclusions.json", "{"),
    ]);
    let mut client = Client::start(&workspace);
    for path in [
        NO_TODO,
        "Alembic/config.toml",
        "Alembic/guard-exclusions.json",
    ] {
        client.published(&workspace.uri(path), path, |publish| {
            !publish.diagnostics.is_empty()
        });
    }
    let source = workspace.uri("a.ts");
    client.open(&source, "typescript", 1, "// TODO\n");
    client.diagnostics(&source, 1);
    workspace.write(NO_TODO, recipe("no-todo", "all", TODO));
    client.save(&workspace.uri(NO_TODO));
    client.published(&source, "the finding of the repaired rule", |publish| {
        publish.codes() == ["no-todo"]
    });
}

#[test]
fn settings_of_the_project_are_checked_and_take_effect_unsaved() {
    let workspace = project();
    let mut client = Client::start(&workspace);
    let (source, settings) = (workspace.uri("a.ts"), workspace.uri("Alembic/config.toml"));
    client.open(&source, "typescript", 1, "// TODO\n");
    client.diagnostics(&source, 1);
    client.open(&settings, "toml", 1, "[guard]\nprofil = \"strict\"\n");
    let problem = client.diagnostics(&settings, 1);
    assert_eq!(problem.codes(), ["unknown-key"], "{problem:#?}");
    assert_eq!(problem.diagnostics[0]["range"]["start"]["line"], 1);
    client.replace(&settings, 2, "[guard]\ndisabledRules = [\"no-todo\"]\n");
    client.published(&source, "no finding", |publish| {
        publish.diagnostics.is_empty()
    });
    assert!(client.diagnostics(&settings, 2).diagnostics.is_empty());
}

#[test]
fn the_clients_settings_go_over_those_of_the_project() {
    let off = json!({"guard": {"disabledRules": ["no-todo"]}});
    // Pushed.
    let workspace = project();
    let mut client = Client::start(&workspace);
    let source = workspace.uri("a.ts");
    client.open(&source, "typescript", 1, "// TODO\n");
    assert_eq!(client.diagnostics(&source, 1).diagnostics.len(), 1);
    for settings in [
        json!(null),
        json!({}),
        json!({"asd": null}),
        json!({"asd": {}}),
    ] {
        client.notify(
            "workspace/didChangeConfiguration",
            json!({ "settings": settings }),
        );
    }
    client.notify(
        "workspace/didChangeConfiguration",
        json!({"settings": {"asd": off}}),
    );
    client.published(&source, "no finding", |publish| {
        publish.diagnostics.is_empty()
    });
    client.notify(
        "workspace/didChangeConfiguration",
        json!({"settings": null}),
    );
    client.published(&source, "the finding again", |publish| {
        publish.diagnostics.len() == 1
    });
    drop(client);
    // Pulled.
    let mut client = Builder::new(&workspace).configuration(off.clone()).start();
    client.open(&source, "typescript", 1, "// TODO\n");
    client.published(&source, "no finding", |publish| {
        publish.diagnostics.is_empty()
    });
    drop(client);
    // From the beginning.
    let mut client = Builder::new(&workspace).options(off).start();
    client.open(&source, "typescript", 1, "// TODO\n");
    assert!(client.diagnostics(&source, 1).diagnostics.is_empty());
}

#[test]
fn unknown_options_give_one_warning_and_no_failure() {
    let workspace = project();
    let mut client = Builder::new(&workspace)
        .options(json!({"guard": {"profil": "strict"}, "whatever": 1}))
        .start();
    let source = workspace.uri("a.ts");
    client.open(&source, "typescript", 1, "// TODO\n");
    assert_eq!(client.diagnostics(&source, 1).diagnostics.len(), 1);
    client.idle(Duration::from_millis(100));
    let warnings: Vec<_> = client
        .messages("window/logMessage")
        .into_iter()
        .filter(|message| message["params"]["type"] == 2)
        .collect();
    for word in ["profil", "whatever"] {
        let said = warnings
            .iter()
            .filter(|warning| {
                warning["params"]["message"]
                    .as_str()
                    .unwrap()
                    .contains(word)
            })
            .count();
        assert_eq!(said, 1, "{word}: {warnings:#?}");
    }
}

#[test]
fn each_folder_has_its_own_recipes_and_the_innermost_counts() {
    let workspace = Workspace::new(&[]);
    for (folder, word) in [("a", "ALPHA"), ("b", "BETA"), ("a/sub", "GAMMA")] {
        workspace.write(
            &format!("{folder}/Alembic/recipes/no-word.md"),
            recipe("no-word", "all", &TODO.replace("TODO", word)),
        );
    }
    let folder = |name: &str| workspace.uri(name);
    let mut client = Builder::new(&workspace)
        .folders(vec![folder("a"), folder("b"), folder("a/sub")])
        .start();
    let text = "// ALPHA BETA GAMMA\n";
    let columns = |publish: &asd_wire::Publish| -> Vec<u64> {
        publish
            .diagnostics
            .iter()
            .map(|diagnostic| diagnostic["range"]["start"]["character"].as_u64().unwrap())
            .collect()
    };
    let (a, b, sub) = (
        workspace.uri("a/x.ts"),
        workspace.uri("b/x.ts"),
        workspace.uri("a/sub/x.ts"),
    );
    let outside = uri_of(&workspace.beside("x.ts"));
    for (uri, expected) in [
        (&a, vec![3]),
        (&b, vec![9]),
        (&sub, vec![14]),
        (&outside, vec![]),
    ] {
        client.open(uri, "typescript", 1, text);
        assert_eq!(columns(&client.diagnostics(uri, 1)), expected, "{uri}");
    }
    // Without the inner folder its file belongs to the outer one.
    let change = |added: &[&str], removed: &[&str]| {
        let list = |names: &[&str]| -> Vec<_> {
            names
                .iter()
                .map(|name| json!({"uri": folder(name), "name": name}))
                .collect()
        };
        json!({"event": {"added": list(added), "removed": list(removed)}})
    };
    client.notify(
        "workspace/didChangeWorkspaceFolders",
        change(&[], &["a/sub", "b"]),
    );
    client.published(&sub, "the outer folder's finding", |publish| {
        columns(publish) == [3]
    });
    client.published(&b, "no finding", |publish| publish.diagnostics.is_empty());
    client.notify("workspace/didChangeWorkspaceFolders", change(&["b"], &[]));
    client.published(&b, "its finding again", |publish| columns(publish) == [9]);
}

/// A folder deep in the workspace has recipes of its own: its files follow those,
/// in the scan and when they are opened, as they do in the terminal.
#[test]
fn a_project_in_the_project_follows_its_own_recipes() {
    let workspace = project();
    workspace.write("outer.ts", "// TODO INNER\n");
    workspace.write("packages/a/src/inner.ts", "// TODO INNER\n");
    workspace.write(
        "packages/a/Alembic/recipes/no-inner.md",
        recipe("no-inner", "all", &TODO.replace("TODO\\b", "INNER\\b")),
    );
    let mut client = Client::start(&workspace);
    let (outer, inner) = (
        workspace.uri("outer.ts"),
        workspace.uri("packages/a/src/inner.ts"),
    );
    client.open(&inner, "typescript", 1, "// TODO INNER\n");
    assert_eq!(client.diagnostics(&inner, 1).codes(), ["no-inner"]);
    client.close(&inner);
    client.command("asd.checkWorkspace", json!([]));
    client.message("window/showMessage");
    for (uri, code) in [(&outer, "no-todo"), (&inner, "no-inner")] {
        client.published(uri, code, |publish| publish.codes() == [code]);
    }
    client.notify(
        "workspace/didChangeWorkspaceFolders",
        json!({"event": {
            "added": [],
            "removed": [{"uri": uri_of(&workspace.root()), "name": "work"}],
        }}),
    );
    for uri in [&outer, &inner] {
        client.published(uri, "an empty set", |publish| {
            publish.diagnostics.is_empty()
        });
    }
}

#[test]
fn removing_a_folder_clears_what_a_scan_found_in_it() {
    let workspace = Workspace::new(&[]);
    for name in ["a", "b"] {
        workspace.write(&format!("{name}/{NO_TODO}"), recipe("no-todo", "all", TODO));
        workspace.write(&format!("{name}/x.ts"), "// TODO\n");
    }
    let mut client = Builder::new(&workspace)
        .folders(vec![workspace.uri("a"), workspace.uri("b")])
        .start();
    client.command("asd.checkWorkspace", json!([]));
    client.message("window/showMessage");
    let (a, b) = (workspace.uri("a/x.ts"), workspace.uri("b/x.ts"));
    for uri in [&a, &b] {
        client.published(uri, "its finding", |publish| publish.diagnostics.len() == 1);
    }
    client.notify(
        "workspace/didChangeWorkspaceFolders",
        json!({"event": {"added": [], "removed": [{"uri": workspace.uri("b"), "name": "b"}]}}),
    );
    client.published(&b, "an empty set", |publish| publish.diagnostics.is_empty());
    assert_eq!(client.shown(&a).unwrap().diagnostics.len(), 1);
}

#[test]
fn recipes_of_a_central_folder_apply_and_are_watched() {
    let workspace = Workspace::new(&[("Alembic/config.toml", "recipesDirs = [\"../central\"]\n")]);
    let central = workspace.beside("central");
    std::fs::create_dir_all(&central).unwrap();
    std::fs::write(central.join("no-todo.md"), recipe("no-todo", "all", TODO)).unwrap();
    let mut client = Client::start(&workspace);
    let source = workspace.uri("a.ts");
    client.open(&source, "typescript", 1, "// TODO FIXME\n");
    let publish = client.diagnostics(&source, 1);
    assert_eq!(publish.codes(), ["no-todo"]);
    let rule = uri_of(&central.join("no-todo.md"));
    assert_eq!(publish.diagnostics[0]["codeDescription"]["href"], rule);
    // Unsaved in the editor, like any other recipe.
    client.open(
        &rule,
        "markdown",
        1,
        &recipe(
            "no-todo",
            "all",
            &TODO.replace("TODO\\b", "(TODO|FIXME)\\b"),
        ),
    );
    client.published(&source, "the findings of the edited rule", |publish| {
        publish.diagnostics.len() == 2
    });
}

/// The workspace is opened under a link; everything that comes back is spelled
/// with it, and events of the disk under the real path are understood.
#[test]
#[cfg(unix)]
fn a_workspace_behind_a_link_is_answered_under_the_link() {
    let workspace = project();
    workspace.write("x.ts", "// TODO\n");
    let link = workspace.beside("link");
    std::os::unix::fs::symlink(workspace.root(), &link).unwrap();
    let below = |path: &str| format!("{}/{path}", uri_of(&link));
    let mut client = Builder::new(&workspace)
        .folders(vec![uri_of(&link)])
        .start();
    let source = below("a.ts");
    client.open(&source, "typescript", 1, "// TODO FIXME\n");
    let publish = client.diagnostics(&source, 1);
    assert_eq!(
        publish.diagnostics[0]["codeDescription"]["href"],
        below(NO_TODO)
    );
    client.command("asd.checkWorkspace", json!([]));
    client.message("window/showMessage");
    client.published(&below("x.ts"), "the finding of the scan", |publish| {
        publish.diagnostics.len() == 1
    });
    workspace.write(
        NO_TODO,
        recipe(
            "no-todo",
            "all",
            &TODO.replace("TODO\\b", "(TODO|FIXME)\\b"),
        ),
    );
    client.watched(&[(&workspace.uri(NO_TODO), 2)]);
    client.published(&source, "the findings of the new rule", |publish| {
        publish.diagnostics.len() == 2
    });
    workspace.remove("x.ts");
    client.watched(&[(&workspace.uri("x.ts"), 3)]);
    client.published(&below("x.ts"), "an empty set", |publish| {
        publish.diagnostics.is_empty()
    });
    for publish in client.publishes() {
        assert!(publish.uri.starts_with(&uri_of(&link)), "{}", publish.uri);
    }
}

#[test]
fn setting_up_is_offered_once_and_done_on_request() {
    let workspace = Workspace::new(&[("a.ts", "let a = 1\n")]);
    let mut client = Client::start(&workspace);
    let offer = client.message("window/showMessageRequest");
    assert!(offer["params"]["actions"].is_array());
    drop(client);
    let mut client = Client::start(&workspace);
    let source = workspace.uri("a.ts");
    client.open(&source, "typescript", 1, "let a = 1\n");
    client.diagnostics(&source, 1);
    client.idle(Duration::from_millis(300));
    assert!(
        client.messages("window/showMessageRequest").is_empty(),
        "nagging"
    );
    let made = client.command("asd.setup", json!([]));
    assert_eq!(
        made["created"],
        json!([
            "Alembic/config.toml",
            "Alembic/README.md",
            "Alembic/recipes/_template.md"
        ])
    );
    client.message("window/showMessage");
    assert!(workspace.path("Alembic/recipes/_template.md").is_file());
    // What the template becomes is a recipe without a fault.
    let template = std::fs::read_to_string(workspace.path("Alembic/recipes/_template.md")).unwrap();
    let rule = workspace.uri("Alembic/recipes/my-convention.md");
    client.open(&rule, "markdown", 1, &template);
    let publish = client.diagnostics(&rule, 1);
    let errors: Vec<_> = publish
        .diagnostics
        .iter()
        .filter(|diagnostic| diagnostic["severity"] == 1)
        .collect();
    assert!(errors.is_empty(), "{errors:#?}");
}

#[test]
fn the_introduction_is_answered_before_anything_is_read() {
    let workspace = project();
    for index in 0..300 {
        workspace.write(
            &format!("Alembic/recipes/rule-{index}.md"),
            recipe(
                &format!("rule-{index}"),
                "all",
                &TODO.replace("TODO", &format!("W{index}")),
            ),
        );
    }
    let mut client = Builder::new(&workspace).spawn();
    let start = Instant::now();
    client.greet();
    // No budget, only a hang or a reading of everything: see the benchmarks.
    assert!(start.elapsed() < Duration::from_secs(5));
    let source = workspace.uri("a.ts");
    client.open(&source, "typescript", 1, "// TODO W7\n");
    assert_eq!(client.diagnostics(&source, 1).diagnostics.len(), 2);
}
