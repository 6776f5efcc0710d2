//! What is published for which document, and that nothing stays or doubles.

use std::time::Duration;

use asd_wire::{Builder, Client, Workspace, recipe};
use serde_json::json;

const TODO: &str =
    "pattern: '\\bTODO\\b'\nmatchIn: text\nmessage: No TODO in code\nseverity: warning";

fn project() -> Workspace {
    Workspace::new(&[(
        "Alembic/recipes/no-todo.md",
        &recipe("no-todo", "all", TODO),
    )])
}

/// Checks the workspace and waits until it is done.
fn scan(client: &mut Client) {
    let tally = client.command("asd.checkWorkspace", json!([]));
    assert_eq!(tally["cancelled"], false, "{tally}");
    client.message("window/showMessage");
}

#[test]
fn a_diagnostic_says_what_to_do_and_where_it_comes_from() {
    let workspace = project();
    let mut client = Client::start(&workspace);
    let uri = workspace.uri("a.ts");
    client.open(&uri, "typescript", 7, "// TODO\n");
    let publish = client.diagnostics(&uri, 7);
    let diagnostic = &publish.diagnostics[0];
    assert_eq!(
        diagnostic["message"],
        "No TODO in code\nDo: Do it the other way\nDon't: Do it like this\n@no-todo"
    );
    assert_eq!(diagnostic["source"], "asd");
    assert_eq!(diagnostic["severity"], 2);
    let recipe = workspace.uri("Alembic/recipes/no-todo.md");
    assert_eq!(diagnostic["codeDescription"]["href"], recipe);
    let guard = &diagnostic["relatedInformation"][0]["location"];
    assert_eq!(guard["uri"], recipe);
    assert_eq!(guard["range"]["start"]["line"], 10, "{guard}");
    let data = &diagnostic["data"];
    assert_eq!(data["schema"], 1);
    assert_eq!(data["ruleId"], diagnostic["code"]);
    assert_eq!(data["trigger"], "@no-todo");
    assert_eq!(data["version"], 7);
    assert!(data["fingerprint"].is_string());
}

#[test]
fn closing_clears_and_no_late_check_brings_it_back() {
    let workspace = project();
    let mut client = Client::start(&workspace);
    let uri = workspace.uri("a.ts");
    client.open(&uri, "typescript", 1, "// TODO\n");
    client.diagnostics(&uri, 1);
    // A check is under way when the document is closed.
    client.replace(&uri, 2, &"// TODO\n".repeat(500));
    client.close(&uri);
    client.published(&uri, "an empty set", |publish| {
        publish.diagnostics.is_empty()
    });
    client.idle(Duration::from_millis(300));
    let ended = client.finish();
    let last = ended.publishes.last().unwrap();
    assert!(last.diagnostics.is_empty());
    assert_eq!(last.version, None);
}

#[test]
fn deleting_a_folder_clears_the_files_in_it_and_no_neighbour() {
    let workspace = project();
    for path in ["src/x.ts", "src/deep/y.ts", "src2/z.ts"] {
        workspace.write(path, "// TODO\n");
    }
    let mut client = Client::start(&workspace);
    scan(&mut client);
    let (x, y, z) = (
        workspace.uri("src/x.ts"),
        workspace.uri("src/deep/y.ts"),
        workspace.uri("src2/z.ts"),
    );
    for uri in [&x, &y, &z] {
        client.published(uri, "its finding", |publish| publish.diagnostics.len() == 1);
    }
    std::fs::remove_dir_all(workspace.path("src")).unwrap();
    client.watched(&[(&workspace.uri("src"), 3)]);
    for uri in [&x, &y] {
        client.published(uri, "an empty set", |publish| {
            publish.diagnostics.is_empty()
        });
    }
    client.idle(Duration::from_millis(200));
    assert_eq!(client.shown(&z).unwrap().diagnostics.len(), 1);
}

#[test]
fn a_deleted_file_is_cleared_without_the_clients_help() {
    let workspace = project();
    workspace.write("src/x.ts", "// TODO\n");
    let mut client = Client::start(&workspace);
    scan(&mut client);
    let uri = workspace.uri("src/x.ts");
    client.published(&uri, "its finding", |publish| {
        publish.diagnostics.len() == 1
    });
    workspace.remove("src/x.ts");
    client.published(&uri, "an empty set", |publish| {
        publish.diagnostics.is_empty()
    });
}

#[test]
fn a_renamed_file_takes_its_findings_along() {
    let workspace = project();
    workspace.write("src/x.ts", "// TODO\n");
    let mut client = Client::start(&workspace);
    scan(&mut client);
    let (old, new) = (workspace.uri("src/x.ts"), workspace.uri("src/y.ts"));
    client.published(&old, "its finding", |publish| {
        publish.diagnostics.len() == 1
    });
    std::fs::rename(workspace.path("src/x.ts"), workspace.path("src/y.ts")).unwrap();
    client.notify(
        "workspace/didRenameFiles",
        json!({"files": [{"oldUri": old, "newUri": new}]}),
    );
    client.published(&old, "an empty set", |publish| {
        publish.diagnostics.is_empty()
    });
    client.published(&new, "the finding", |publish| {
        publish.diagnostics.len() == 1
    });
}

/// One of two files with findings is mended, with the events of change, save
/// and disk in any order: each file ends with what is in it.
#[test]
fn a_mended_file_is_cleared_whatever_the_order_of_events() {
    let workspace = project();
    for order in [[0, 1, 2], [2, 0, 1], [1, 2, 0], [2, 1, 0]] {
        workspace.write("a.ts", "// TODO\n");
        workspace.write("b.ts", "// TODO\n");
        let mut client = Client::start(&workspace);
        scan(&mut client);
        let (a, b) = (workspace.uri("a.ts"), workspace.uri("b.ts"));
        client.open(&a, "typescript", 1, "// TODO\n");
        client.diagnostics(&a, 1);
        workspace.write("a.ts", "// mended\n");
        for event in order {
            match event {
                0 => client.replace(&a, 2, "// mended\n"),
                1 => client.save(&a),
                _ => client.watched(&[(&a, 2)]),
            }
        }
        assert_eq!(client.diagnostics(&a, 2).diagnostics.len(), 0);
        client.idle(Duration::from_millis(100));
        assert_eq!(client.shown(&b).unwrap().diagnostics.len(), 1);
        let ended = client.finish();
        let of_version = |version| {
            ended
                .publishes
                .iter()
                .filter(|publish| publish.uri == a && publish.version == Some(version))
                .count()
        };
        assert_eq!((of_version(1), of_version(2)), (1, 1), "{order:?}");
    }
}

/// Over a whole session, with saves and a changed recipe, each version of a
/// document is published once for each set of rules.
#[test]
fn one_publish_for_each_version_and_set_of_rules() {
    let workspace = project();
    let mut client = Builder::new(&workspace)
        .capability(
            "/textDocument/diagnostic",
            json!({"dynamicRegistration": true}),
        )
        .capability("/workspace/diagnostics", json!({"refreshSupport": true}))
        .start();
    let uri = workspace.uri("a.ts");
    client.open(&uri, "typescript", 1, "// TODO FIXME\n");
    client.diagnostics(&uri, 1);
    for version in 2..6 {
        client.replace(&uri, version, &format!("// TODO FIXME {version}\n"));
        client.diagnostics(&uri, version);
        client.save(&uri);
    }
    let path = "Alembic/recipes/no-todo.md";
    workspace.write(
        path,
        recipe(
            "no-todo",
            "all",
            &TODO.replace("TODO\\b", "(TODO|FIXME)\\b"),
        ),
    );
    let recipe_uri = workspace.uri(path);
    client.save(&recipe_uri);
    client.watched(&[(&recipe_uri, 2)]);
    client.published(&uri, "both findings", |publish| {
        publish.diagnostics.len() == 2
    });
    client.idle(Duration::from_millis(700));
    let ended = client.finish();
    let versions: Vec<_> = ended
        .publishes
        .iter()
        .filter(|publish| publish.uri == uri)
        .map(|publish| publish.version.unwrap())
        .collect();
    assert_eq!(versions, [1, 2, 3, 4, 5, 5]);
    assert!(ended.rest.is_empty(), "{:#?}", ended.rest);
}

#[test]
fn an_unsaved_document_is_checked_from_memory() {
    let workspace = project();
    let mut client = Client::start(&workspace);
    let untitled = "untitled:Untitled-1";
    client.open(untitled, "typescript", 1, "// TODO\n");
    assert_eq!(client.diagnostics(untitled, 1).codes(), ["no-todo"]);
    client.replace(untitled, 2, "let a = 1\n");
    assert!(client.diagnostics(untitled, 2).diagnostics.is_empty());
    // It is saved: the buffer closes, a file opens.
    client.close("untitled:Untitled-1");
    let uri = workspace.uri("saved.ts");
    client.open(&uri, "typescript", 1, "// TODO\n");
    assert_eq!(client.diagnostics(&uri, 1).diagnostics.len(), 1);
}

#[test]
fn a_file_that_is_not_on_disk_yet_is_checked() {
    let workspace = project();
    let mut client = Client::start(&workspace);
    let uri = workspace.uri("not/there/yet/new.ts");
    client.open(&uri, "typescript", 1, "// TODO\n");
    assert_eq!(client.diagnostics(&uri, 1).codes(), ["no-todo"]);
}

#[test]
fn views_of_other_schemes_are_left_alone() {
    let workspace = project();
    let mut client = Client::start(&workspace);
    for uri in [
        "git:/w/a.ts?ref=HEAD",
        "output:log",
        "vscode-scm:git/scm0/input",
    ] {
        client.open(uri, "typescript", 1, "// TODO\n");
    }
    let uri = workspace.uri("a.ts");
    client.open(&uri, "typescript", 1, "// TODO\n");
    client.diagnostics(&uri, 1);
    client.idle(Duration::from_millis(200));
    let uris: Vec<_> = client
        .publishes()
        .iter()
        .map(|publish| &publish.uri)
        .collect();
    assert_eq!(uris, [&uri]);
}

#[test]
fn the_cells_of_a_notebook_are_documents_of_their_own() {
    let workspace = project();
    let mut client = Client::start(&workspace);
    let cell = |name: &str| {
        format!(
            "vscode-notebook-cell:{}#{name}",
            workspace.path("n.ipynb").display()
        )
    };
    let (first, second) = (cell("W0sZmlsZQ"), cell("W1sZmlsZQ"));
    client.open(&first, "python", 1, "# TODO\n");
    client.open(&second, "python", 1, "a = 1\n");
    assert_eq!(client.diagnostics(&first, 1).diagnostics.len(), 1);
    assert_eq!(client.diagnostics(&second, 1).diagnostics.len(), 0);
    client.replace(&second, 2, "a = 1\n# TODO\n");
    assert_eq!(client.diagnostics(&second, 2).diagnostics.len(), 1);
    client.close(&first);
    client.published(&first, "an empty set", |publish| {
        publish.diagnostics.is_empty()
    });
    client.idle(Duration::from_millis(100));
    assert_eq!(client.shown(&second).unwrap().diagnostics.len(), 1);
}

/// The client opens a file under one spelling and changes it under another; the
/// answers have the first.
#[test]
fn spellings_of_one_uri_are_one_document() {
    let workspace = project();
    let mut client = Client::start(&workspace);
    let opened = workspace.uri("a%20b.ts");
    let spelled = workspace.uri("%61%20b.ts");
    client.open(&opened, "typescript", 1, "// clean\n");
    client.diagnostics(&opened, 1);
    client.replace(&spelled, 2, "// TODO\n");
    assert_eq!(client.diagnostics(&opened, 2).diagnostics.len(), 1);
    client.close(&spelled);
    client.published(&opened, "an empty set", |publish| {
        publish.diagnostics.is_empty()
    });
    assert!(client.shown(&spelled).is_none());
}

#[test]
fn a_thousand_are_shown_and_the_rest_is_counted() {
    let workspace = project();
    let mut client = Client::start(&workspace);
    let uri = workspace.uri("a.ts");
    client.open(&uri, "typescript", 1, &"// TODO\n".repeat(1_200));
    let publish = client.diagnostics(&uri, 1);
    assert_eq!(publish.diagnostics.len(), 1_001);
    let last: Vec<_> = publish
        .diagnostics
        .iter()
        .filter(|diagnostic| diagnostic["severity"] == 3)
        .collect();
    assert_eq!(last.len(), 1);
    assert!(
        last[0]["message"]
            .as_str()
            .unwrap()
            .starts_with("200 more findings")
    );
}

#[test]
fn a_suppression_that_suppresses_nothing_is_faded() {
    let workspace = project();
    let mut client = Client::start(&workspace);
    let uri = workspace.uri("a.ts");
    client.open(
        &uri,
        "typescript",
        1,
        "// asd:ignore no-todo\nlet a = 1 // TODO\n// asd:ignore no-todo\nlet b = 1\n",
    );
    let publish = client.diagnostics(&uri, 1);
    assert_eq!(publish.codes(), ["unused-suppression"], "{publish:#?}");
    assert_eq!(publish.diagnostics[0]["severity"], 4);
    assert_eq!(publish.diagnostics[0]["tags"], json!([1]));
    assert_eq!(publish.diagnostics[0]["range"]["start"]["line"], 2);
}

#[test]
fn a_suppression_without_a_rule_is_told_so() {
    let workspace = project();
    let mut client = Client::start(&workspace);
    let uri = workspace.uri("a.ts");
    client.open(&uri, "typescript", 1, "let b = 1 // asd:ignore\n");
    let publish = client.diagnostics(&uri, 1);
    assert_eq!(
        publish.diagnostics[0]["message"],
        "This comment names no rule and suppresses nothing. Write `asd:ignore RULE -- reason`."
    );
}

#[test]
fn the_scan_checks_what_the_terminal_checks() {
    let workspace = project();
    workspace.write(".gitignore", "generated/\n");
    workspace.write("generated/a.ts", "// TODO\n");
    workspace.write("node_modules/x/a.ts", "// TODO\n");
    workspace.write("packages/.gitignore", "*.ts\n!kept.ts\n");
    workspace.write("packages/dropped.ts", "// TODO\n");
    workspace.write("packages/kept.ts", "// TODO\n");
    workspace.write("src/a.ts", "// TODO\n");
    let mut client = Client::start(&workspace);
    scan(&mut client);
    client.idle(Duration::from_millis(200));
    let mut shown: Vec<_> = client
        .publishes()
        .iter()
        .map(|publish| publish.uri.clone())
        .collect();
    shown.sort();
    assert_eq!(
        shown,
        [workspace.uri("packages/kept.ts"), workspace.uri("src/a.ts")]
    );
    let checked = std::process::Command::new(asd_wire::binary())
        .args(["check", "--format", "json"])
        .current_dir(workspace.root())
        .output()
        .unwrap();
    let output = String::from_utf8_lossy(&checked.stdout);
    for (path, expected) in [
        ("packages/kept.ts", true),
        ("src/a.ts", true),
        ("packages/dropped.ts", false),
        ("generated/a.ts", false),
        ("node_modules", false),
    ] {
        assert_eq!(output.contains(path), expected, "{path}: {output}");
    }
    // What is opened by hand is checked, wherever it lies.
    let uri = workspace.uri("generated/a.ts");
    client.open(&uri, "typescript", 1, "// TODO\n");
    assert_eq!(client.diagnostics(&uri, 1).diagnostics.len(), 1);
}

#[test]
fn a_scan_can_be_cancelled_and_shows_its_progress() {
    let workspace = project();
    for index in 0..400 {
        workspace.write(&format!("src/{index}.ts"), "// TODO\n".repeat(200));
    }
    let mut client = Builder::new(&workspace)
        .capability("/window/workDoneProgress", json!(true))
        .start();
    let id = client.send(
        "workspace/executeCommand",
        json!({"command": "asd.checkWorkspace", "arguments": []}),
    );
    let token = loop {
        let progress = client.message("$/progress");
        let title = progress["params"]["value"]["title"].as_str();
        if title.is_some_and(|title| title.contains("checking")) {
            break progress["params"]["token"].clone();
        }
    };
    client.notify("window/workDoneProgress/cancel", json!({ "token": token }));
    let answer = client.answer(id);
    assert!(answer["result"]["cancelled"].is_boolean(), "{answer}");
    loop {
        let progress = client.message("$/progress");
        if progress["params"]["token"] == token && progress["params"]["value"]["kind"] == "end" {
            break;
        }
    }
}
