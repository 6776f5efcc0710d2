//! Files that are hard to read or to check.

use std::time::Duration;

use asd_wire::{Client, Workspace, recipe};
use serde_json::{Value, json};

const TODO: &str =
    "pattern: '\\bTODO\\b'\nmatchIn: text\nmessage: No TODO in code\nseverity: warning";

fn project() -> Workspace {
    Workspace::new(&[(
        "Alembic/recipes/no-todo.md",
        &recipe("no-todo", "all", TODO),
    )])
}

fn logged(client: &mut Client, word: &str) -> usize {
    client
        .messages("window/logMessage")
        .iter()
        .filter(|message| {
            message["params"]["message"]
                .as_str()
                .is_some_and(|text| text.contains(word))
        })
        .count()
}

#[test]
fn files_that_are_no_text_are_named_and_the_rest_is_checked() {
    let workspace = project();
    workspace.write("latin.ts", b"// caf\xE9 TODO\n");
    workspace.write("binary.ts", b"\x7fELF\0\0\0 TODO");
    workspace.write("good.ts", "// TODO\n");
    let mut client = Client::start(&workspace);
    let tally = client.command("asd.checkWorkspace", json!([]));
    assert_eq!((&tally["files"], &tally["skipped"]), (&json!(1), &json!(2)));
    client.message("window/showMessage");
    client.published(&workspace.uri("good.ts"), "its finding", |publish| {
        publish.diagnostics.len() == 1
    });
    client.idle(Duration::from_millis(100));
    let log = client.messages("window/logMessage");
    for name in ["latin.ts", "binary.ts"] {
        let lines = log
            .iter()
            .filter(|message| {
                message["params"]["message"]
                    .as_str()
                    .unwrap()
                    .contains(name)
            })
            .count();
        assert_eq!(lines, 1, "{name}: {log:#?}");
    }
    assert_eq!(client.publishes().len(), 1);
}

#[test]
#[cfg(unix)]
fn loops_of_links_and_what_may_not_be_read_hold_up_nothing() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let workspace = project();
    workspace.write("good.ts", "// TODO\n");
    workspace.write("locked/a.ts", "// TODO\n");
    workspace.write("secret.ts", "// TODO\n");
    symlink(workspace.root(), workspace.path("loop")).unwrap();
    symlink("nowhere", workspace.path("dangling.ts")).unwrap();
    let lock = |path: &str, mode: u32| {
        std::fs::set_permissions(workspace.path(path), std::fs::Permissions::from_mode(mode))
            .unwrap();
    };
    lock("locked", 0o000);
    lock("secret.ts", 0o000);
    // The superuser may read everything; then those are checked too.
    let may = std::fs::read(workspace.path("secret.ts")).is_ok();
    let mut client = Client::start(&workspace);
    let tally = client.command("asd.checkWorkspace", json!([]));
    client.message("window/showMessage");
    assert_eq!(tally["files"], if may { 3 } else { 1 }, "{tally}");
    client.published(&workspace.uri("good.ts"), "its finding", |publish| {
        publish.diagnostics.len() == 1
    });
    lock("locked", 0o755);
    lock("secret.ts", 0o644);
    drop(client);
}

/// While a huge file and one of a single line are checked, another file is
/// answered.
#[test]
fn a_huge_file_does_not_hold_up_another() {
    let workspace = project();
    let mut client = Client::start(&workspace);
    let (huge, flat, small) = (
        workspace.uri("huge.ts"),
        workspace.uri("flat.ts"),
        workspace.uri("small.ts"),
    );
    client.open(
        &huge,
        "typescript",
        1,
        &"let a = { b: [1, 2, 3] };\n".repeat(800_000),
    );
    client.open(&flat, "typescript", 1, &"a=1;".repeat(500_000));
    client.open(&small, "typescript", 1, "// TODO\n");
    let hover = client.request(
        "textDocument/hover",
        json!({"textDocument": {"uri": small}, "position": {"line": 0, "character": 4}}),
    );
    assert!(!hover.is_null());
    assert_eq!(client.diagnostics(&small, 1).diagnostics.len(), 1);
    for uri in [&huge, &flat] {
        let publish = client.diagnostics(uri, 1);
        assert!(publish.codes().contains(&"too-large"), "{uri}");
    }
}

/// Files are opened, changed and closed over and over: what was kept for them is
/// let go.
#[test]
#[cfg(target_os = "linux")]
fn memory_does_not_grow_with_the_session() {
    let workspace = project();
    let mut client = Client::start(&workspace);
    let uri = workspace.uri("a.ts");
    let text = "let a = f(1); // fine\n".repeat(2_000);
    let round = |client: &mut Client| {
        client.open(&uri, "typescript", 1, &text);
        for version in 2..100_i64 {
            let at = json!({"line": version * 7, "character": 4});
            client.change(
                &uri,
                version,
                json!([{"range": {"start": at, "end": at}, "text": "b"}]),
            );
        }
        client.diagnostics(&uri, 99);
        client.close(&uri);
        client.request("workspace/symbol", json!({"query": ""}));
    };
    for _ in 0..15 {
        round(&mut client);
    }
    let before = resident(client.server());
    for _ in 0..30 {
        round(&mut client);
    }
    let after = resident(client.server());
    assert!(
        after < before + before / 4 + 8_192,
        "{before} kB became {after} kB"
    );
}

#[cfg(target_os = "linux")]
fn resident(process: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    status
        .lines()
        .find_map(|line| line.strip_prefix("VmRSS:"))
        .and_then(|rest| rest.trim().split(' ').next())
        .and_then(|number| number.parse().ok())
        .expect("the memory of the server")
}

#[test]
fn odd_texts_are_checked_without_harm() {
    let workspace = project();
    let mut client = Client::start(&workspace);
    for (index, text) in [
        "",
        "\r",
        "\u{FEFF}",
        "\0\0TODO\0",
        "\u{2028}\u{2029}\u{85}TODO",
        "}}}}}}}}}}))))))]]]]]]",
        "`${`${`${`${",
        "/* /* /* TODO",
        "<script><style></script>",
        "🦀\u{200d}🦀\u{301}\u{301}\u{301}",
    ]
    .into_iter()
    .enumerate()
    {
        for (language, extension) in [
            ("typescript", "ts"),
            ("vue", "vue"),
            ("markdown", "md"),
            ("python", "py"),
            ("swift", "swift"),
        ] {
            let uri = workspace.uri(&format!("odd-{index}.{extension}"));
            client.open(&uri, language, 1, text);
            client.diagnostics(&uri, 1);
        }
    }
    assert_eq!(logged(&mut client, "unexpectedly"), 0);
    client.request("workspace/symbol", json!({"query": "🦀\0"}));
    let _: Value = client.request("workspace/symbol", json!({"query": ""}));
}
