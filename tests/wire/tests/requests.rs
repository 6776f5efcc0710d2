//! Requests of both sides: answers, refusals, cancellation, and a client that
//! never answers.

use std::time::Duration;

use asd_wire::{Builder, Client, Workspace, range_of, recipe};
use serde_json::{Value, json};

const TODO: &str =
    "pattern: '\\bTODO\\b'\nmatchIn: text\nmessage: No TODO in code\nseverity: warning";
const NO_TODO: &str = "Alembic/recipes/no-todo.md";

fn project() -> Workspace {
    Workspace::new(&[(NO_TODO, &recipe("no-todo", "all", TODO))])
}

/// It declares everything that makes a server ask, and answers nothing. Recipes
/// are saved, settings change, folders come and go: and every request of the
/// client is answered all the same.
#[test]
fn a_client_that_never_answers_stops_nothing() {
    let workspace = project();
    let mut client = Builder::new(&workspace)
        .capability("/workspace/configuration", json!(true))
        .capability(
            "/workspace/didChangeWatchedFiles",
            json!({"dynamicRegistration": true, "relativePatternSupport": true}),
        )
        .capability(
            "/window",
            json!({"workDoneProgress": true, "showDocument": {"support": true}}),
        )
        .capability("/workspace/applyEdit", json!(true))
        .capability("/workspace/diagnostics", json!({"refreshSupport": true}))
        .silent()
        .start();
    let (source, rule) = (workspace.uri("a.ts"), workspace.uri(NO_TODO));
    client.open(&source, "typescript", 1, "// TODO\n");
    client.diagnostics(&source, 1);
    for round in 0..20 {
        workspace.write(
            NO_TODO,
            recipe("no-todo", "all", &format!("{TODO}\n# {round}")),
        );
        client.save(&rule);
        client.notify(
            "workspace/didChangeConfiguration",
            json!({"settings": null}),
        );
    }
    client.command("asd.showRecipe", json!(["@no-todo"]));
    client.command("asd.checkWorkspace", json!([]));
    let hover = client.request(
        "textDocument/hover",
        json!({"textDocument": {"uri": source}, "position": {"line": 0, "character": 4}}),
    );
    assert!(!hover.is_null());
    client.replace(&source, 2, "// TODO TODO\n");
    client.diagnostics(&source, 2);
    for method in [
        "workspace/configuration",
        "client/registerCapability",
        "client/unregisterCapability",
        "window/workDoneProgress/create",
        "window/showDocument",
    ] {
        client.messages(method);
    }
    assert_eq!(client.messages("$/progress"), Vec::<Value>::new());
}

/// A check of many files is cancelled as soon as it shows that it runs: it is
/// answered once, and the work stops.
#[test]
fn a_cancelled_request_is_answered_and_its_work_stops() {
    let workspace = project();
    for index in 0..400 {
        let text = format!("let x = f({index}) // TODO\n").repeat(500);
        workspace.write(&format!("src/{index}.ts"), text);
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
    client.notify("$/cancelRequest", json!({ "id": id }));
    let answer = client.answer(id);
    assert_eq!(answer["error"]["code"], -32800, "{answer}");
    let message = loop {
        let progress = client.message("$/progress");
        let value = &progress["params"]["value"];
        if progress["params"]["token"] == token && value["kind"] == "end" {
            break value["message"].clone();
        }
    };
    assert!(message.as_str().unwrap().contains("stopped"), "{message}");
    // Cancelling what is over, or never was, does nothing.
    client.notify("$/cancelRequest", json!({ "id": id }));
    client.notify("$/cancelRequest", json!({ "id": 987_654 }));
    client.idle(Duration::from_millis(200));
}

#[test]
fn commands_say_what_is_wrong_with_their_arguments() {
    let workspace = project();
    let mut client = Client::start(&workspace);
    for (command, arguments, word) in [
        ("asd.showRecipe", json!([]), "trigger"),
        ("asd.showRecipe", json!([3]), "trigger"),
        ("asd.showRecipe", json!(["@none-such"]), "@none-such"),
        ("asd.checkWorkspace", json!(["x"]), "no arguments"),
        ("asd.setup", json!([1, 2]), "URI"),
        ("asd.setup", json!(["file:///elsewhere"]), "elsewhere"),
        ("asd.unknown", json!([]), "asd.unknown"),
    ] {
        let error = client.refused(
            "workspace/executeCommand",
            json!({"command": command, "arguments": arguments}),
        );
        assert_eq!(error["code"], -32602, "{command}: {error}");
        let message = error["message"].as_str().unwrap();
        assert!(message.contains(word), "{command}: {message}");
    }
}

#[test]
fn commands_show_what_a_person_should_see() {
    let workspace = project();
    let mut client = Builder::new(&workspace)
        .capability("/window/showDocument", json!({"support": true}))
        .start();
    let shown = client.command("asd.showRecipe", json!(["no_todo"]));
    assert_eq!(shown["uri"], workspace.uri(NO_TODO));
    let request = client.message("window/showDocument");
    assert_eq!(request["params"]["uri"], workspace.uri(NO_TODO));
    let status = client.command("asd.showStatus", json!([]));
    assert_eq!(status["recipes"], 1);
    let message = client.message("window/showMessage");
    assert!(
        message["params"]["message"]
            .as_str()
            .unwrap()
            .contains("1 recipes")
    );
    workspace.write(
        "Alembic/recipes/b.md",
        recipe("b", "all", "pattern: bb\nmessage: B"),
    );
    let status = client.command("asd.reload", json!([]));
    assert_eq!(status["recipes"], 2);
    client.message("window/showMessage");
}

#[test]
fn unknown_methods_are_refused_and_optional_ones_ignored() {
    let workspace = project();
    let mut client = Client::start(&workspace);
    let error = client.refused("asd/unknown", json!({}));
    assert_eq!(error["code"], -32601);
    client.notify("$/whatever", json!({}));
    client.notify("asd/unknown", json!({}));
    client.notify("textDocument/didChange", json!({"wrong": true}));
    client.notify("textDocument/didOpen", json!(null));
    client.notify(
        "textDocument/didChange",
        json!({
            "textDocument": {"uri": "file:///never/opened.ts", "version": 3},
            "contentChanges": [{"text": "x"}],
        }),
    );
    let error = client.refused("textDocument/hover", json!({"position": 3}));
    assert_eq!(error["code"], -32602);
    client.messages("window/logMessage");
}

#[test]
fn answers_to_nothing_are_dropped() {
    let workspace = project();
    let mut client = Client::start(&workspace);
    client.respond(&json!(77), json!({"a": 1}));
    client.respond(&json!("text"), json!(null));
    let uri = workspace.uri("a.ts");
    client.open(&uri, "typescript", 1, "// TODO\n");
    client.diagnostics(&uri, 1);
}

/// What a client sends along as diagnostics may be anyone's, or damaged.
#[test]
fn diagnostics_of_others_in_a_request_do_no_harm() {
    let workspace = project();
    let mut client = Client::start(&workspace);
    let uri = workspace.uri("a.ts");
    let text = "// TODO\nlet a = 1\n";
    client.open(&uri, "typescript", 1, text);
    let own = client.diagnostics(&uri, 1).diagnostics[0].clone();
    let range = range_of(text, "TODO", 0, client.encoding);
    let foreign = |data: Value| json!({"range": range, "message": "x", "source": "asd", "code": "no-todo", "data": data});
    let list = json!([
        foreign(json!(null)),
        foreign(json!("text")),
        foreign(json!({"schema": 99, "ruleId": 4})),
        foreign(json!({"fingerprint": {}, "schema": 1})),
        {"range": range, "message": "y", "source": "eslint"},
        own,
    ]);
    let actions = client.request(
        "textDocument/codeAction",
        json!({
            "textDocument": {"uri": uri}, "range": range,
            "context": {"diagnostics": list, "only": ["quickfix"]},
        }),
    );
    let titles: Vec<_> = actions
        .as_array()
        .into_iter()
        .flatten()
        .map(|a| a["title"].clone())
        .collect();
    let mut once = titles.clone();
    once.dedup();
    assert_eq!(titles, once);
    assert!(!titles.is_empty());
    // A line without a finding, with another tool's diagnostic on it.
    let second = json!({"start": {"line": 1, "character": 0}, "end": {"line": 1, "character": 3}});
    let actions = client.request(
        "textDocument/codeAction",
        json!({
            "textDocument": {"uri": uri}, "range": second,
            "context": {
                "diagnostics": [{"range": second, "message": "y", "source": "eslint"}],
                "only": ["quickfix"],
            },
        }),
    );
    assert!(actions.as_array().is_none_or(Vec::is_empty), "{actions}");
}

#[test]
fn resolving_without_data_gives_the_action_back_or_a_clean_refusal() {
    let workspace = project();
    let mut client = Client::start(&workspace);
    let uri = workspace.uri("closed.ts");
    for data in [
        json!(null),
        json!("text"),
        json!({"schema": 0}),
        json!({"schema": 1, "uri": uri, "version": 3, "ruleId": "no-todo", "fingerprint": "00"}),
    ] {
        let mut action = json!({"title": "Fix", "kind": "quickfix"});
        if !data.is_null() {
            action["data"] = data.clone();
        }
        let id = client.send("codeAction/resolve", action.clone());
        let answer = client.answer(id);
        let unchanged = answer["result"]["title"] == "Fix" && answer["result"]["edit"].is_null();
        let refused = answer["error"]["code"]
            .as_i64()
            .is_some_and(|code| code != -32603);
        assert!(unchanged || refused, "{data}: {answer}");
    }
}

#[test]
fn a_fix_leaves_comments_alone_and_removes_its_finding() {
    let workspace = Workspace::new(&[(
        "Alembic/recipes/inject.md",
        &recipe(
            "inject",
            "swift",
            "ast: $A.shared\nfix: $A.injected\nmessage: Inject it",
        ),
    )]);
    let mut client = Client::start(&workspace);
    let uri = workspace.uri("a.swift");
    let text = "let s = /* 为何 */ Store.shared // keep\n\tlet t = 1\n";
    client.open(&uri, "swift", 1, text);
    let diagnostic = client.diagnostics(&uri, 1).diagnostics[0].clone();
    let actions = client.request(
        "textDocument/codeAction",
        json!({
            "textDocument": {"uri": uri}, "range": diagnostic["range"],
            "context": {"diagnostics": [diagnostic]},
        }),
    );
    let action = actions
        .as_array()
        .unwrap()
        .iter()
        .find(|action| action["isPreferred"] == true)
        .unwrap_or_else(|| panic!("{actions:#}"))
        .clone();
    let edit = if action["edit"].is_null() {
        client.request("codeAction/resolve", action)["edit"].clone()
    } else {
        action["edit"].clone()
    };
    assert_eq!(edit["documentChanges"][0]["textDocument"]["version"], 1);
    let fixed = asd_wire::edited(text, &edit, client.encoding);
    assert_eq!(
        fixed,
        "let s = /* 为何 */ Store.injected // keep\n\tlet t = 1\n"
    );
    client.replace(&uri, 2, &fixed);
    assert!(client.diagnostics(&uri, 2).diagnostics.is_empty());
}

#[test]
fn the_card_of_a_trigger_behind_chinese_text() {
    let workspace = Workspace::new(&[(
        "Alembic/recipes/cookie-di.md",
        &recipe(
            "cookie-di",
            "all",
            "pattern: never_here\nmessage: Inject it",
        ),
    )]);
    for encoding in asd_wire::ENCODINGS {
        let mut client = Builder::new(&workspace).encoding(encoding).start();
        let uri = workspace.uri("a.py");
        let text = "# 中文说明 @cookie-di 见食谱\nx = 1\n";
        client.open(&uri, "python", 1, text);
        let range = range_of(text, "@cookie-di", 0, encoding);
        let hover = client.request(
            "textDocument/hover",
            json!({"textDocument": {"uri": uri}, "position": range["start"]}),
        );
        assert_eq!(hover["range"], range, "{encoding:?} {hover}");
        assert!(
            hover["contents"]["value"]
                .as_str()
                .unwrap()
                .contains("Rule cookie-di")
        );
        client.diagnostics(&uri, 1);
    }
}

/// A pattern that would take an age is stopped; its author is told in the recipe,
/// and everything else is checked.
#[test]
fn a_catastrophic_pattern_is_stopped_and_its_author_told() {
    let slow = "Alembic/recipes/backtracking.md";
    let workspace = Workspace::new(&[
        (NO_TODO, &recipe("no-todo", "all", TODO)),
        (
            "Alembic/recipes/linear.md",
            &recipe(
                "linear",
                "all",
                "pattern: '(a+)+$'\nmatchIn: text\nmessage: Linear",
            ),
        ),
        (
            slow,
            &recipe(
                "backtracking",
                "all",
                "pattern: '((a+)+)+\\2b'\nmatchIn: text\nmessage: Slow",
            ),
        ),
    ]);
    let mut client = Client::start(&workspace);
    let uri = workspace.uri("a.ts");
    let text = format!("// {}!\n// TODO\n", "a".repeat(40));
    client.open(&uri, "typescript", 1, &text);
    let publish = client.diagnostics(&uri, 1);
    assert_eq!(publish.codes(), ["no-todo"], "{publish:#?}");
    let told = client.published(&workspace.uri(slow), "the stopped guard", |publish| {
        publish.codes().contains(&"quarantined")
    });
    assert_eq!(told.version, None);
    // In the open recipe too, and gone when it is mended.
    let rule = workspace.uri(slow);
    let text = std::fs::read_to_string(workspace.path(slow)).unwrap();
    client.open(&rule, "markdown", 1, &text);
    client.published(&rule, "the stopped guard", |publish| {
        publish.version == Some(1) && publish.codes().contains(&"quarantined")
    });
    client.replace(&rule, 2, &text.replace("((a+)+)+\\2b", "a+b"));
    client.published(&rule, "no stopped guard", |publish| {
        publish.version == Some(2) && !publish.codes().contains(&"quarantined")
    });
}
