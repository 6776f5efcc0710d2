//! Fixes as an editor asks for them and applies them.

use asd_wire::{Builder, Client, ENCODINGS, LINE_ENDINGS, Workspace, edited, recipe};
use serde_json::{Value, json};

const SETTINGS: &str = "[guard]\ndisabledRules = [\"js-no-console-log\", \"js-no-var\"]\n";

fn project(rules: &[(&str, &str)]) -> Workspace {
    let workspace = Workspace::new(&[("Alembic/config.toml", SETTINGS)]);
    for (name, guard) in rules {
        workspace.write(
            &format!("Alembic/recipes/{name}.md"),
            recipe(name, "typescript", guard),
        );
    }
    workspace
}

/// All actions of a kind for a range, with their edits resolved.
fn actions(client: &mut Client, uri: &str, range: &Value, only: Option<&str>) -> Vec<Value> {
    let shown = client
        .shown(uri)
        .map_or_else(Vec::new, |publish| publish.diagnostics.clone());
    let mut context = json!({ "diagnostics": shown });
    if let Some(kind) = only {
        context["only"] = json!([kind]);
    }
    let answer = client.request(
        "textDocument/codeAction",
        json!({"textDocument": {"uri": uri}, "range": range, "context": context}),
    );
    let list = answer.as_array().cloned().unwrap_or_default();
    list.into_iter()
        .map(|action| {
            if action["edit"].is_null() && !action["data"].is_null() {
                client.request("codeAction/resolve", action)
            } else {
                action
            }
        })
        .collect()
}

fn whole() -> Value {
    json!({"start": {"line": 0, "character": 0}, "end": {"line": 9999, "character": 0}})
}

/// The text after everything that is safe was fixed; the same text when nothing
/// is offered.
fn fix_all(client: &mut Client, uri: &str, text: &str) -> String {
    let offered = actions(client, uri, &whole(), Some("source.fixAll"));
    assert!(offered.len() <= 1, "{offered:#?}");
    match offered.first() {
        Some(action) if !action["edit"].is_null() => edited(text, &action["edit"], client.encoding),
        _ => text.to_owned(),
    }
}

#[test]
fn fix_all_applies_the_safe_ones_and_is_stable() {
    let workspace = project(&[
        (
            "outer",
            "ast: wrap($A)\nfix: {template: \"box($A)\", safe: true}\nmessage: Outer",
        ),
        (
            "inner",
            "ast: old($A)\nfix: {template: \"fresh($A)\", safe: true}\nmessage: Inner",
        ),
        (
            "risky",
            "ast: risky($A)\nfix: {template: \"bold($A)\", safe: false}\nmessage: Risky",
        ),
    ]);
    for encoding in ENCODINGS {
        for ending in LINE_ENDINGS {
            let text =
                "/* 🦀 */ wrap(old(1));\nold('饼'); risky(2); risky(3);\n".replace('\n', ending);
            let mut client = Builder::new(&workspace).encoding(encoding).start();
            let uri = workspace.uri("a.ts");
            client.open(&uri, "typescript", 1, &text);
            assert_eq!(client.diagnostics(&uri, 1).diagnostics.len(), 5);
            let fixed = fix_all(&mut client, &uri, &text);
            assert_eq!(
                fixed,
                "/* 🦀 */ box(fresh(1));\nfresh('饼'); risky(2); risky(3);\n".replace('\n', ending)
            );
            client.replace(&uri, 2, &fixed);
            assert_eq!(client.diagnostics(&uri, 2).diagnostics.len(), 2);
            assert_eq!(fix_all(&mut client, &uri, &fixed), fixed);
        }
    }
}

#[test]
fn no_action_is_offered_twice() {
    let workspace = project(&[(
        "no-old",
        "ast: old($A)\nfix: {template: \"fresh($A)\", safe: true}\nmessage: Old",
    )]);
    let mut client = Client::start(&workspace);
    let uri = workspace.uri("a.ts");
    client.open(&uri, "typescript", 1, "old(1); old(2)\n");
    assert_eq!(client.diagnostics(&uri, 1).diagnostics.len(), 2);
    let line = json!({"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 14}});
    for only in [Some("quickfix"), None] {
        let offered = actions(&mut client, &uri, &line, only);
        for (index, one) in offered.iter().enumerate() {
            for other in &offered[index + 1..] {
                assert!(
                    one["title"] != other["title"] || one["edit"] != other["edit"],
                    "{one:#} is offered twice"
                );
            }
        }
        let sources = offered
            .iter()
            .filter(|action| {
                action["kind"]
                    .as_str()
                    .is_some_and(|kind| kind.starts_with("source.fixAll"))
            })
            .count();
        assert!(sources <= 1);
    }
}

/// Dollars and backslashes of a replacement are text, and no snippet.
#[test]
fn the_text_of_a_fix_is_taken_as_it_is() {
    let workspace = project(&[(
        "no-price",
        "pattern: 'price\\((.*)\\)'\nmatchIn: text\nfix: cost($1)\nmessage: Price",
    )]);
    let mut client = Client::start(&workspace);
    let uri = workspace.uri("a.ts");
    let text = "let a = price('$0 ${x} \\$')\n";
    client.open(&uri, "typescript", 1, text);
    let range = client.diagnostics(&uri, 1).diagnostics[0]["range"].clone();
    let offered = actions(&mut client, &uri, &range, Some("quickfix"));
    let fix = offered
        .iter()
        .find(|action| action["isPreferred"] == true)
        .unwrap_or_else(|| panic!("{offered:#?}"));
    let edit = &fix["edit"]["documentChanges"][0]["edits"][0];
    assert!(edit["newText"].is_string(), "{edit}");
    assert_eq!(
        edited(text, &fix["edit"], client.encoding),
        "let a = cost('$0 ${x} \\$')\n"
    );
}

/// A save: the formatter changes the document, and the fixes of before are asked
/// for, or applied. They are for the version that they name, or they are none.
#[test]
fn fixes_are_for_the_version_that_they_name() {
    let workspace = project(&[(
        "no-old",
        "ast: old($A)\nfix: {template: \"fresh($A)\", safe: true}\nmessage: Old",
    )]);
    let mut client = Client::start(&workspace);
    let uri = workspace.uri("a.ts");
    client.open(&uri, "typescript", 1, "old(1)\n");
    client.diagnostics(&uri, 1);
    let answer = client.request(
        "textDocument/codeAction",
        json!({"textDocument": {"uri": uri}, "range": whole(), "context": {"diagnostics": []}}),
    );
    // The formatter has put a line in front.
    client.replace(&uri, 2, "\nold(1)\n");
    for action in answer.as_array().into_iter().flatten() {
        let mut action = action.clone();
        if action["edit"].is_null() && !action["data"].is_null() {
            let id = client.send("codeAction/resolve", action.clone());
            let answer = client.answer(id);
            if answer.get("error").is_some() {
                continue;
            }
            action = answer["result"].clone();
        }
        for change in action["edit"]["documentChanges"]
            .as_array()
            .into_iter()
            .flatten()
        {
            let version = &change["textDocument"]["version"];
            if change["textDocument"]["uri"] == uri.as_str() && *version == 2 {
                for edit in change["edits"].as_array().into_iter().flatten() {
                    assert_ne!(edit["range"]["start"]["line"], 0, "made for the old text");
                }
            }
        }
    }
    assert_eq!(fix_all(&mut client, &uri, "\nold(1)\n"), "\nfresh(1)\n");
    client.diagnostics(&uri, 2);
}

/// A suppression keeps the indentation of its line byte for byte, takes the
/// finding away, and is joined by the next one.
#[test]
fn suppressions_keep_the_indentation_and_are_merged() {
    let workspace = project(&[
        ("first", "ast: one($A)\nmessage: One"),
        ("second", "ast: two($A)\nmessage: Two"),
    ]);
    for ending in LINE_ENDINGS {
        let mut text = "function f() {\n\t  one(two(1)); // 留\n}\n".replace('\n', ending);
        let mut client = Client::start(&workspace);
        let uri = workspace.uri("a.ts");
        let mut version = 1;
        client.open(&uri, "typescript", version, &text);
        for left in [1, 0] {
            let publish = client.diagnostics(&uri, version);
            assert_eq!(publish.diagnostics.len(), left + 1, "{publish:#?}");
            let range = publish.diagnostics[0]["range"].clone();
            let rule = publish.codes()[0].to_owned();
            let offered = actions(&mut client, &uri, &range, Some("quickfix"));
            let ignore = offered
                .iter()
                .find(|action| {
                    let title = action["title"].as_str().unwrap_or_default();
                    title.contains("on this line") && title.contains(&rule)
                })
                .unwrap_or_else(|| panic!("{offered:#?}"));
            text = edited(&text, &ignore["edit"], client.encoding);
            version += 1;
            client.replace(&uri, version, &text);
        }
        assert!(client.diagnostics(&uri, version).diagnostics.is_empty());
        assert_eq!(text.matches("asd:ignore").count(), 1, "{text}");
        assert!(text.contains("// 留"), "{text}");
        for line in text
            .lines()
            .filter(|line| line.contains("asd:ignore") || line.contains("one("))
        {
            assert!(line.starts_with("\t  "), "{line:?}");
        }
        assert_eq!(text.matches(ending).count(), text.lines().count());
    }
}

#[test]
fn what_a_person_calls_no_violation_is_gone() {
    let workspace = Workspace::new(&[("Alembic/config.toml", "")]);
    let mut client = Client::start(&workspace);
    let uri = workspace.uri("src/a.js");
    client.open(&uri, "javascript", 1, "debugger;\n");
    let publish = client.diagnostics(&uri, 1);
    assert_eq!(publish.codes(), ["js-no-debugger"]);
    let actions = client.request(
        "textDocument/codeAction",
        json!({
            "textDocument": {"uri": uri},
            "range": publish.diagnostics[0]["range"],
            "context": {"diagnostics": publish.diagnostics},
        }),
    );
    let action = actions
        .as_array()
        .unwrap()
        .iter()
        .find(|action| action["title"] == "Not a violation (false positive): js-no-debugger")
        .unwrap_or_else(|| panic!("{actions:#}"));
    let command = &action["command"];
    client.command(
        command["command"].as_str().unwrap(),
        command["arguments"].clone(),
    );
    client.published(&uri, "nothing", |publish| publish.diagnostics.is_empty());
    // Another line is another finding.
    client.replace(&uri, 2, "debugger;\nif (a) debugger;\n");
    assert_eq!(client.diagnostics(&uri, 2).diagnostics.len(), 1);
    let kept = std::fs::read_to_string(workspace.path("Alembic/feedback.json")).unwrap();
    assert!(kept.contains("\"verdict\":\"fp\""), "{kept}");
}
