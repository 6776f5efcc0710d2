//! How a server begins and ends, and what it says on stdout.

use std::io::Write;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use asd_wire::{Builder, Client, Frames, Workspace, binary, frame, recipe};
use serde_json::{Value, json};

/// Within this time a server must be gone whose client is.
const GONE: Duration = Duration::from_secs(2);

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

#[test]
fn shutdown_and_exit_end_it_with_zero_though_stdin_stays_open() {
    let workspace = project();
    let mut client = Client::start(&workspace);
    client.request("shutdown", Value::Null);
    client.notify("exit", Value::Null);
    assert_eq!(client.wait_for_end(GONE).code(), Some(0));
}

#[test]
fn exit_alone_ends_it_with_one() {
    let workspace = project();
    let mut client = Client::start(&workspace);
    client.notify("exit", Value::Null);
    assert_eq!(client.wait_for_end(GONE).code(), Some(1));
    let mut client = Builder::new(&workspace).spawn();
    client.notify("exit", Value::Null);
    assert_eq!(client.wait_for_end(GONE).code(), Some(1));
}

#[test]
fn requests_after_shutdown_are_refused() {
    let workspace = project();
    let mut client = Client::start(&workspace);
    client.request("shutdown", Value::Null);
    let error = client.refused(
        "textDocument/hover",
        json!({"textDocument": {"uri": "file:///x.ts"}, "position": {"line": 0, "character": 0}}),
    );
    assert_eq!(error["code"], -32600);
    client.notify("exit", Value::Null);
    assert_eq!(client.wait_for_end(GONE).code(), Some(0));
}

#[test]
fn requests_before_initialize_are_refused_and_notifications_dropped() {
    let workspace = project();
    let mut client = Builder::new(&workspace).spawn();
    let uri = workspace.uri("a.ts");
    client.open(&uri, "typescript", 1, "// TODO\n");
    let error = client.refused("workspace/symbol", json!({"query": ""}));
    assert_eq!(error["code"], -32002);
    client.greet();
    client.open(&uri, "typescript", 2, "// TODO\n");
    assert_eq!(client.diagnostics(&uri, 2).diagnostics.len(), 1);
}

#[test]
fn the_end_of_stdin_ends_it() {
    let workspace = project();
    let mut client = Client::start(&workspace);
    client.close_input();
    client.wait_for_end(GONE);
}

#[test]
fn a_closed_stdout_ends_it() {
    let workspace = project();
    let mut child = Command::new(binary())
        .arg("lsp")
        .env("XDG_STATE_HOME", workspace.beside("state"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let mut stdin = child.stdin.take().unwrap();
    stdin
        .write_all(&frame(&json!({
            "jsonrpc": "2.0", "id": 1, "method": "initialize",
            "params": {"processId": null, "capabilities": {}, "rootUri": null},
        })))
        .unwrap();
    let deadline = Instant::now() + GONE;
    while child.try_wait().unwrap().is_none() {
        assert!(Instant::now() < deadline, "it writes into nothing");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Both pipes stay open in this process; only the process that was named as the
/// client dies.
#[test]
#[cfg(unix)]
fn the_death_of_the_clients_process_ends_it() {
    let workspace = project();
    let mut other = Command::new("sleep").arg("600").spawn().unwrap();
    let mut client = Builder::new(&workspace).process(other.id()).start();
    let uri = workspace.uri("a.ts");
    client.open(&uri, "typescript", 1, "// TODO\n");
    client.diagnostics(&uri, 1);
    other.kill().unwrap();
    // Not buried yet: it is dead all the same.
    client.wait_for_end(GONE);
    other.wait().unwrap();
}

/// A process that starts the server and is then killed, as an editor is.
#[test]
#[cfg(unix)]
fn a_killed_client_leaves_no_server() {
    let workspace = project();
    let note = workspace.beside("server.pid");
    let script = format!(
        "'{}' lsp < '{}' > /dev/null 2>&1 & echo $! > '{}'; wait",
        binary().display(),
        workspace.beside("fifo").display(),
        note.display()
    );
    let made = Command::new("mkfifo")
        .arg(workspace.beside("fifo"))
        .status()
        .unwrap();
    assert!(made.success());
    let mut editor = Command::new("sh").arg("-c").arg(script).spawn().unwrap();
    // The pipe is held open here, as another child of an editor may do.
    let mut pipe = std::fs::OpenOptions::new()
        .write(true)
        .open(workspace.beside("fifo"))
        .unwrap();
    pipe.write_all(&frame(&json!({
        "jsonrpc": "2.0", "id": 1, "method": "initialize",
        "params": {"processId": editor.id(), "capabilities": {}, "rootUri": null},
    })))
    .unwrap();
    let deadline = Instant::now() + Duration::from_secs(20);
    let server = loop {
        let text = std::fs::read_to_string(&note).unwrap_or_default();
        if let Ok(id) = text.trim().parse::<u32>() {
            break id;
        }
        assert!(Instant::now() < deadline, "the server was not started");
        std::thread::sleep(Duration::from_millis(5));
    };
    // Let it take the introduction in.
    std::thread::sleep(Duration::from_millis(700));
    assert!(is_alive(server), "it ended by itself");
    editor.kill().unwrap();
    editor.wait().unwrap();
    let deadline = Instant::now() + GONE;
    while is_alive(server) {
        assert!(Instant::now() < deadline, "the server outlives its client");
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[cfg(unix)]
fn is_alive(process: u32) -> bool {
    std::fs::read_to_string(format!("/proc/{process}/stat")).is_ok_and(|stat| {
        !stat
            .rsplit(')')
            .next()
            .unwrap_or_default()
            .starts_with(" Z")
    })
}

#[test]
fn a_process_id_of_another_machine_means_nothing() {
    let workspace = project();
    let mut client = Builder::new(&workspace).process(u32::MAX / 2).start();
    client.idle(Duration::from_millis(1200));
    let uri = workspace.uri("a.ts");
    client.open(&uri, "typescript", 1, "// TODO\n");
    client.diagnostics(&uri, 1);
}

#[test]
fn a_malformed_frame_costs_no_other() {
    let workspace = project();
    let mut client = Client::start(&workspace);
    let uri = workspace.uri("a.ts");
    client.open(&uri, "typescript", 1, "// TODO\n");
    client.diagnostics(&uri, 1);
    for rubbish in [
        &b"Content-Lenght: 12\r\n\r\n{\"jsonrpc\":1}"[..],
        b"Content-Length: twelve\r\n\r\n",
        b"Content-Length: 99999999999999999999999\r\n\r\n",
        b"\r\n\r\n\r\n",
        b"\0\x01\x02\xff\xfe stray bytes of another program\n",
        b"Content-Length: 3\r\nContent-Type: nonsense; charset=martian\r\n\r\n{]}",
        b"Content-Length: 4\r\n\r\nnull",
        b"Content-Length: 2\r\n\r\n[]",
        b"Content-Length: 7\r\n\r\n\xff\xfe\"bad\"",
    ] {
        client.raw(rubbish);
        let answer = client.request(
            "textDocument/hover",
            json!({"textDocument": {"uri": uri}, "position": {"line": 0, "character": 4}}),
        );
        assert!(
            !answer.is_null(),
            "after {:?}",
            String::from_utf8_lossy(rubbish)
        );
    }
    // Bodies that are no messages are answered without a number.
    let errors = client.unnumbered();
    assert!(!errors.is_empty());
    assert!(errors.iter().all(|error| error["error"]["code"].is_i64()));
}

#[test]
fn frames_come_in_any_portions() {
    let workspace = project();
    let mut client = Client::start(&workspace);
    let uri = workspace.uri("a.ts");
    client.open(&uri, "typescript", 1, "// TODO 饼🦀\n");
    client.diagnostics(&uri, 1);
    let (id, bytes) = client.prepare(
        "textDocument/hover",
        json!({"textDocument": {"uri": uri}, "position": {"line": 0, "character": 4}}),
    );
    for byte in bytes {
        client.raw(&[byte]);
    }
    assert!(!client.answer(id)["result"].is_null());
}

/// The log at its most talkative, and a finding, an error and a command: stdout
/// holds frames and nothing else. The client fails on the first other byte.
#[test]
fn stdout_holds_frames_only() {
    let workspace = project();
    let mut client = Builder::new(&workspace)
        .environment("ASD_LOG", "trace")
        .environment("RUST_LOG", "trace")
        .start();
    let uri = workspace.uri("a.ts");
    client.open(&uri, "typescript", 1, "// TODO\n");
    client.diagnostics(&uri, 1);
    client.refused("asd/none", json!({}));
    client.command("asd.showStatus", json!([]));
    client.message("window/showMessage");
}

#[test]
fn a_server_that_is_never_greeted_says_nothing() {
    let workspace = project();
    let mut client = Builder::new(&workspace).spawn();
    client.idle(Duration::from_millis(200));
    client.close_input();
    client.wait_for_end(GONE);
    assert!(client.messages("window/logMessage").is_empty());
}

#[test]
fn the_introduction_names_the_server_and_promises_no_pull() {
    let workspace = project();
    let client = Builder::new(&workspace)
        .capability(
            "/textDocument/diagnostic",
            json!({"dynamicRegistration": true}),
        )
        .start();
    let introduction = &client.introduction;
    assert_eq!(introduction["serverInfo"]["name"], "asd");
    assert!(introduction["serverInfo"]["version"].is_string());
    assert!(introduction["capabilities"]["diagnosticProvider"].is_null());
}

#[test]
fn a_record_plays_back_to_the_same_answers() {
    let workspace = project();
    let record = workspace.beside("record.jsonl");
    {
        let mut client = Builder::new(&workspace)
            .arguments(&["--record", &record.display().to_string()])
            .start();
        let uri = workspace.uri("a.ts");
        client.open(&uri, "typescript", 1, "// TODO\n");
        client.diagnostics(&uri, 1);
        client.replace(&uri, 2, "// TODO TODO\n");
        client.diagnostics(&uri, 2);
    }
    let played = Command::new(binary())
        .args(["lsp", "--replay", &record.display().to_string()])
        .env("XDG_STATE_HOME", workspace.beside("state"))
        .stderr(Stdio::null())
        .output()
        .unwrap();
    let shown = String::from_utf8_lossy(&played.stdout).into_owned();
    assert!(played.status.success(), "{shown}");
    assert!(shown.contains("publishDiagnostics"), "{shown}");
    // A record that says something else is told apart.
    let text = std::fs::read_to_string(&record).unwrap();
    std::fs::write(&record, text.replace("No TODO in code", "Something else")).unwrap();
    let played = Command::new(binary())
        .args(["lsp", "--replay", &record.display().to_string()])
        .env("XDG_STATE_HOME", workspace.beside("state"))
        .stderr(Stdio::null())
        .output()
        .unwrap();
    assert_eq!(played.status.code(), Some(1));
}

#[test]
fn nothing_spins_while_nothing_happens() {
    let workspace = project();
    let mut client = Client::start(&workspace);
    let uri = workspace.uri("a.ts");
    client.open(&uri, "typescript", 1, "// TODO\n");
    client.diagnostics(&uri, 1);
    client.idle(Duration::from_millis(300));
    let before = cpu_ticks(client.server());
    client.idle(Duration::from_millis(1000));
    let spent = cpu_ticks(client.server()) - before;
    assert!(spent <= 10, "{spent} hundredths of a second in one");
}

/// User and system time of a process in hundredths of a second; 0 where it
/// cannot be known.
fn cpu_ticks(process: u32) -> u64 {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    let fields: Vec<_> = stat
        .rsplit(')')
        .next()
        .unwrap_or_default()
        .split_whitespace()
        .collect();
    [11, 12]
        .iter()
        .filter_map(|index| fields.get(*index)?.parse::<u64>().ok())
        .sum()
}

/// The frame reader of these tests is as strict as it claims.
#[test]
fn the_client_sees_stray_bytes() {
    let mut frames = Frames::default();
    assert!(frames.feed(b"hello\n").is_err());
    let mut frames = Frames::default();
    assert!(frames.feed(b"Content-Length: 2\r\n\r\n{}panic").is_err());
    let mut frames = Frames::default();
    assert_eq!(
        frames.feed(b"Content-Length: 2\r\n\r\n{}").unwrap(),
        [json!({})]
    );
}
