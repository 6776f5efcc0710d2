//! Changes take effect in the order of the wire, whatever else goes on.

use asd_wire::{Builder, Client, ENCODINGS, Workspace, frame, range_of, recipe};
use serde_json::{Value, json};

fn project() -> Workspace {
    Workspace::new(&[(
        "Alembic/recipes/no-todo.md",
        &recipe(
            "no-todo",
            "all",
            "pattern: '\\bTODO\\b'\nmatchIn: text\nmessage: No TODO in code",
        ),
    )])
}

fn did_change(uri: &str, version: i64, change: Value) -> Vec<u8> {
    frame(&json!({
        "jsonrpc": "2.0",
        "method": "textDocument/didChange",
        "params": {
            "textDocument": {"uri": uri, "version": version},
            "contentChanges": [change],
        },
    }))
}

/// Each of 200 changes, sent in one write, puts one character behind the one
/// before. In any other order the word at the end does not come out.
#[test]
fn a_burst_of_changes_ends_in_the_clients_text() {
    let workspace = project();
    let mut client = Client::start(&workspace);
    let uri = workspace.uri("a.ts");
    let word: Vec<char> = "x".repeat(196).chars().chain(" TODO".chars()).collect();
    for round in 0..100 {
        client.open(&uri, "typescript", 1, "// \n");
        let mut burst = Vec::new();
        for (index, letter) in word.iter().take(200).chain(&word[200..]).enumerate() {
            let at = json!({"line": 0, "character": 3 + index});
            burst.extend(did_change(
                &uri,
                index as i64 + 2,
                json!({"range": {"start": at, "end": at}, "text": letter}),
            ));
        }
        client.raw(&burst);
        let last = word.len() as i64 + 1;
        let publish = client.diagnostics(&uri, last);
        let text: String = "// ".chars().chain(word.iter().copied()).collect();
        assert_eq!(publish.diagnostics.len(), 1, "round {round}: {publish:#?}");
        assert_eq!(
            publish.diagnostics[0]["range"],
            range_of(&text, "TODO", 0, client.encoding),
            "round {round}"
        );
        client.close(&uri);
        client.published(&uri, "an empty set", |publish| publish.version.is_none());
    }
    let ended = client.finish();
    assert!(ended.status.success());
}

#[test]
fn a_request_sees_exactly_the_changes_before_it() {
    let workspace = project();
    let mut client = Client::start(&workspace);
    let uri = workspace.uri("a.ts");
    client.open(&uri, "typescript", 1, "// TODO\n");
    client.diagnostics(&uri, 1);
    for round in 0..50_i64 {
        let (text, other) = if round % 2 == 0 {
            ("// fine\n", "// TODO\n")
        } else {
            ("// TODO\n", "// fine\n")
        };
        let mut bytes = did_change(&uri, 2 * round + 2, json!({ "text": text }));
        let (id, hover) = client.prepare(
            "textDocument/hover",
            json!({"textDocument": {"uri": uri}, "position": {"line": 0, "character": 4}}),
        );
        bytes.extend(hover);
        // Another text at once: the answer must not be for this one.
        bytes.extend(did_change(&uri, 2 * round + 3, json!({ "text": other })));
        client.raw(&bytes);
        let answer = client.answer(id);
        let found = !answer["result"].is_null();
        assert_eq!(found, text.contains("TODO"), "round {round}: {answer:#}");
    }
}

#[test]
fn closing_and_opening_in_one_write_leaves_the_new_text() {
    let workspace = project();
    let mut client = Client::start(&workspace);
    let uri = workspace.uri("a.ts");
    client.open(&uri, "typescript", 1, "// nothing\n");
    client.diagnostics(&uri, 1);
    for round in 0..200 {
        let text = format!("//{} TODO\n", "x".repeat(round % 7 + 1));
        let mut bytes = frame(&json!({
            "jsonrpc": "2.0", "method": "textDocument/didClose",
            "params": {"textDocument": {"uri": uri}},
        }));
        bytes.extend(frame(&json!({
            "jsonrpc": "2.0", "method": "textDocument/didOpen",
            "params": {"textDocument": {
                "uri": uri, "languageId": "typescript", "version": 1, "text": text,
            }},
        })));
        client.raw(&bytes);
        let expected = range_of(&text, "TODO", 0, client.encoding);
        client.published(&uri, "the finding of the new text", |publish| {
            publish.version == Some(1)
                && publish.diagnostics.len() == 1
                && publish.diagnostics[0]["range"] == expected
        });
    }
}

/// The last line may be named by the line behind it; an emoji comes into its
/// place, and then a change in the middle of what is left.
#[test]
fn a_range_that_ends_behind_the_last_line() {
    let workspace = project();
    for encoding in ENCODINGS {
        let mut client = Builder::new(&workspace).encoding(encoding).start();
        let uri = workspace.uri("a.ts");
        client.open(&uri, "typescript", 1, "let a = 1\nlet b = 2");
        let range = |start: (u32, u32), end: (u32, u32)| {
            json!({
                "start": {"line": start.0, "character": start.1},
                "end": {"line": end.0, "character": end.1},
            })
        };
        client.change(
            &uri,
            2,
            json!([{"range": range((1, 0), (2, 0)), "text": ""}]),
        );
        client.change(
            &uri,
            3,
            json!([{"range": range((1, 0), (1, 0)), "text": "/*🦀*/ "}]),
        );
        client.change(
            &uri,
            4,
            json!([{"range": range((9, 9), (9, 9)), "text": "// TODO"}]),
        );
        let publish = client.diagnostics(&uri, 4);
        let text = "let a = 1\n/*🦀*/ // TODO";
        assert_eq!(
            publish.diagnostics[0]["range"],
            range_of(text, "TODO", 0, encoding)
        );
    }
}

#[test]
fn two_documents_that_change_at_once_are_both_published() {
    let workspace = project();
    let mut client = Client::start(&workspace);
    let (a, b) = (workspace.uri("a.ts"), workspace.uri("b.ts"));
    client.open(&a, "typescript", 1, "// a\n");
    client.open(&b, "typescript", 1, "// b\n");
    for version in 2..60 {
        let text = format!("// TODO {version}\n");
        let mut bytes = did_change(&a, version, json!({ "text": text }));
        bytes.extend(did_change(&b, version, json!({ "text": text })));
        client.raw(&bytes);
        assert_eq!(client.diagnostics(&a, version).diagnostics.len(), 1);
        assert_eq!(client.diagnostics(&b, version).diagnostics.len(), 1);
    }
}

#[test]
fn a_dirty_buffer_wins_over_the_disk() {
    let workspace = project();
    workspace.write("a.ts", "// TODO on disk\n");
    let mut client = Client::start(&workspace);
    let uri = workspace.uri("a.ts");
    client.command("asd.checkWorkspace", json!([]));
    client.messages("window/showMessage");
    client.open(&uri, "typescript", 1, "// clean\n");
    assert_eq!(client.diagnostics(&uri, 1).diagnostics.len(), 0);
    workspace.write("a.ts", "// TODO TODO on disk\n");
    client.watched(&[(&uri, 2)]);
    client.replace(&uri, 2, "// still clean\n");
    assert_eq!(client.diagnostics(&uri, 2).diagnostics.len(), 0);
    client.close(&uri);
    let publish = client.published(&uri, "the findings of the disk", |publish| {
        publish.version.is_none() && !publish.diagnostics.is_empty()
    });
    assert_eq!(publish.diagnostics.len(), 2);
}
