//! Knowledge that changes while an editor is open reaches the files that agents
//! read.

use std::process::Command;
use std::time::{Duration, Instant};

use asd_wire::{Client, Workspace, binary, recipe};

const RULES: &str = ".cursor/rules/alembic-project-rules.mdc";
const RECIPE: &str = "Alembic/recipes/no-todo.md";
const GUARD: &str =
    "pattern: '\\bTODO\\b'\nmatchIn: text\nmessage: No TODO in code\nseverity: warning";

fn project() -> (Workspace, String) {
    let text = recipe("no-todo", "all", GUARD);
    let workspace = Workspace::new(&[(RECIPE, &text)]);
    (workspace, text)
}

fn rules(workspace: &Workspace) -> String {
    std::fs::read_to_string(workspace.path(RULES)).unwrap_or_default()
}

/// Changes the recipe on disk, as another program does.
fn change(workspace: &Workspace, client: &mut Client, text: &str) {
    let changed = text.replace("do: Do it the other way", "do: File an issue instead");
    assert_ne!(changed, text, "{text}");
    workspace.write(RECIPE, changed);
    client.watched(&[(&workspace.uri(RECIPE), 2)]);
}

#[test]
fn a_changed_recipe_is_delivered_where_there_are_deliveries() {
    let (workspace, text) = project();
    let delivered = Command::new(binary())
        .arg("deliver")
        .current_dir(workspace.root())
        .output()
        .expect("the program starts");
    assert!(delivered.status.success(), "{delivered:?}");
    let before = rules(&workspace);
    assert!(!before.is_empty());
    let mut client = Client::start(&workspace);
    change(&workspace, &mut client, &text);
    let deadline = Instant::now() + Duration::from_secs(20);
    while rules(&workspace) == before && Instant::now() < deadline {
        client.idle(Duration::from_millis(100));
    }
    assert!(rules(&workspace).contains("File an issue instead"));
}

#[test]
fn nothing_is_delivered_where_nobody_asked_for_it() {
    let (workspace, text) = project();
    let mut client = Client::start(&workspace);
    change(&workspace, &mut client, &text);
    client.request("shutdown", serde_json::Value::Null);
    assert!(!workspace.path(RULES).exists());
}
