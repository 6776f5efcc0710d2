//! A folder that the person does not trust: its recipes are shown, and only the
//! built-in rules check anything.

use asd_wire::{Builder, Client, Workspace, recipe};
use serde_json::{Value, json};

const TODO: &str =
    "pattern: '\\bTODO\\b'\nmatchIn: text\nmessage: No TODO in code\nseverity: warning";
const TEXT: &str = "eval(x); // TODO see @no-todo\n";

fn project() -> Workspace {
    Workspace::new(&[(
        "Alembic/recipes/no-todo.md",
        &recipe("no-todo", "all", TODO),
    )])
}

fn rules(diagnostics: &[Value]) -> Vec<&str> {
    let mut ids: Vec<&str> = diagnostics
        .iter()
        .filter_map(|one| one["code"].as_str())
        .collect();
    ids.sort_unstable();
    ids
}

fn trust(client: &mut Client, trusted: bool) {
    client.notify(
        "workspace/didChangeConfiguration",
        json!({"settings": {"asd": {"trusted": trusted}}}),
    );
}

#[test]
fn recipes_check_nothing_until_the_folder_is_trusted() {
    let workspace = project();
    let mut client = Builder::new(&workspace)
        .options(json!({"trusted": false}))
        .start();
    let source = workspace.uri("a.js");
    client.open(&source, "javascript", 1, TEXT);
    let before = client.diagnostics(&source, 1);
    assert_eq!(rules(&before.diagnostics), ["js-no-eval"]);
    let hover = client.request(
        "textDocument/hover",
        json!({"textDocument": {"uri": source}, "position": {"line": 0, "character": 24}}),
    );
    assert!(hover["contents"].to_string().contains("no-todo"), "{hover}");
    let symbols = client.request("workspace/symbol", json!({"query": "no-todo"}));
    assert_eq!(symbols.as_array().map(Vec::len), Some(1), "{symbols}");
    // Trusted, and not any more, in the same session.
    trust(&mut client, true);
    client.published(&source, "the recipe's finding", |publish| {
        rules(&publish.diagnostics) == ["js-no-eval", "no-todo"]
    });
    trust(&mut client, false);
    client.published(&source, "the built-in finding alone", |publish| {
        rules(&publish.diagnostics) == ["js-no-eval"]
    });
}

#[test]
fn a_client_that_says_nothing_of_trust_gets_every_rule() {
    let workspace = project();
    let mut client = Client::start(&workspace);
    let source = workspace.uri("a.js");
    client.open(&source, "javascript", 1, TEXT);
    let found = client.diagnostics(&source, 1);
    assert_eq!(rules(&found.diagnostics), ["js-no-eval", "no-todo"]);
}
