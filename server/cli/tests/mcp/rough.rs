//! What goes wrong around a server: it answers all the same, and says what.

use serde_json::{Value, json};

use crate::client::{Client, envelope};
use crate::project::{Project, item};

#[test]
fn a_thousand_calls_at_once_are_all_answered() {
    let project = Project::with(&[
        ("cache", "cache middleware", "pattern"),
        ("log", "日志格式", "rule"),
    ]);
    let mut client = Client::start(&project.root());
    let calls: Vec<(u64, &str)> = (0..1_000)
        .map(|number| {
            let query = ["cache", "日志"][number % 2];
            let id = match number % 10 {
                9 => client.send_call("asd_task", json!({"operation": "create", "title": query})),
                _ => client.send_call("asd_search", json!({"query": query})),
            };
            (id, query)
        })
        .collect();
    let mut tasks = std::collections::BTreeSet::new();
    for (id, query) in calls {
        let envelope = envelope(&client.answer(id));
        assert_eq!(envelope["success"], true, "{envelope}");
        let data = &envelope["data"];
        if let Some(task) = data["id"].as_str() {
            assert!(tasks.insert(task.to_owned()), "{task} was given twice");
        } else {
            assert_eq!(data["query"], query);
        }
    }
    assert_eq!(tasks.len(), 100);
    assert_eq!(client.ask("ping", json!({}))["result"], json!({}));
}

#[test]
fn what_was_asked_before_the_input_ended_is_answered() {
    let project = Project::with(&[("cache", "cache middleware", "pattern")]);
    let mut client = Client::start(&project.root());
    let ids: Vec<u64> = (0..20)
        .map(|_| client.send_call("asd_search", json!({"query": "cache"})))
        .collect();
    let (status, said) = client.close();
    assert_eq!(status.code(), Some(0));
    let mut answered: Vec<u64> = said.iter().filter_map(|said| said["id"].as_u64()).collect();
    answered.sort_unstable();
    assert_eq!(answered, ids);
}

#[test]
fn an_input_that_ends_before_a_word_was_said_ends_the_server() {
    let project = Project::empty();
    let client = Client::raw(&project.root(), &[]);
    assert_eq!(client.close().0.code(), Some(0));
}

#[test]
fn a_line_of_sixteen_megabytes_is_read_and_a_longer_one_refused() {
    let project = Project::empty();
    let mut client = Client::start(&project.root());
    let room = 16 * 1024 * 1024;
    let frame = json!({"jsonrpc": "2.0", "id": "big", "method": "tools/call", "params": {
        "name": "asd_guard", "arguments": {"code": "", "language": "rust"},
    }})
    .to_string();
    let fill = "a".repeat(room - frame.len());
    client.say(&frame.replace("\"code\":\"\"", &format!("\"code\":\"{fill}\"")));
    let answer = client.message();
    assert_eq!(answer["id"], "big");
    assert!(answer["result"]["content"].is_array(), "{answer}");
    client.say(&"a".repeat(room + 1));
    assert_eq!(client.answer_to_nobody()["error"]["code"], -32600);
    assert_eq!(client.ask("ping", json!({}))["result"], json!({}));
}

/// An item that shares no words with those of other numbers.
fn unlike(name: &str, number: usize) -> Value {
    let letter = |n: usize| char::from(b'a' + u8::try_from(n % 26).unwrap());
    let word = |n: usize| -> String {
        let seed = number * 1_009 + n * 31;
        (1..=7).map(|k| letter(seed * k + seed / k)).collect()
    };
    let words = |from: usize, many: usize| -> String {
        (from..from + many).map(|n| word(n) + " ").collect()
    };
    let mut item = item(name, name);
    item["title"] = json!(words(0, 3).trim());
    item["description"] = json!(words(10, 5).trim());
    item["whenClause"] = json!(words(20, 5).trim());
    item["doClause"] = json!(format!("Use {}", words(30, 5).trim()));
    item["dontClause"] = json!(format!("Avoid {}", words(40, 4).trim()));
    item["coreCode"] = json!(format!(
        "let {} = {}();\n{}.{}();\n{}();",
        word(50),
        word(51),
        word(50),
        word(52),
        word(53)
    ));
    item["content"]["markdown"] = json!(format!(
        "{} `src/{name}.rs:12` {}",
        words(60, 20),
        words(90, 20)
    ));
    item["content"]["rationale"] = json!(words(120, 6));
    item
}

#[test]
fn two_servers_that_write_at_once_lose_nothing() {
    const EACH: usize = 8;
    const SUBJECTS: [&str; 16] = [
        "anchor",
        "beacon",
        "cargo",
        "derrick",
        "engine",
        "ferry",
        "gangway",
        "harbour",
        "island",
        "jetty",
        "keel",
        "lantern",
        "mooring",
        "navigator",
        "oar",
        "pilot",
    ];
    let project = Project::empty();
    for name in SUBJECTS {
        let lines: String = (1..=50).map(|n| format!("// {name} {n}\n")).collect();
        project.write(&format!("src/{name}.rs"), &lines);
    }
    let mut clients = [
        Client::start(&project.root()),
        Client::start(&project.root()),
    ];
    let mut sent = Vec::new();
    for round in 0..EACH {
        for (which, client) in clients.iter_mut().enumerate() {
            let name = SUBJECTS[round * 2 + which];
            let submission = json!({
                "items": [unlike(name, round * 2 + which)],
                "skipConsolidation": true,
            });
            sent.push((
                which,
                name,
                client.send_call("asd_submit_knowledge", submission),
            ));
        }
    }
    for (which, name, id) in sent {
        let envelope = envelope(&clients[which].answer(id));
        assert_eq!(envelope["data"]["count"], 1, "{envelope}");
        let file = envelope["data"]["created"][0]["file"].as_str().unwrap();
        assert!(project.read(file).contains(&format!("@{name}")), "{name}");
    }
    for client in &mut clients {
        let health = client.data("asd_health", json!({}));
        let candidates = &health["knowledgeBase"]["candidates"]["total"];
        assert_eq!(
            *candidates,
            json!(2 * EACH),
            "each sees what the other wrote"
        );
        assert_eq!(health["checks"]["database"], true);
    }
}

#[test]
fn chains_of_two_servers_stand_in_whole_lines() {
    let project = Project::empty();
    let mut clients = [
        Client::start(&project.root()),
        Client::start(&project.root()),
    ];
    for _ in 0..10 {
        for client in &mut clients {
            client.send_call("asd_task", json!({"operation": "create", "title": "工作"}));
            client.send_call(
                "asd_task",
                json!({"operation": "prime", "userQuery": "next"}),
            );
        }
    }
    for client in clients {
        assert!(client.close().0.success());
    }
    // Each line is read as JSON here. Calls of one client run side by side, so
    // that a prime may come before its create.
    assert!(!project.chains().is_empty());
}

/// The database files of a project.
fn databases(project: &Project) -> Vec<std::path::PathBuf> {
    let files = std::fs::read_dir(project.path(".asd"))
        .into_iter()
        .flatten()
        .flatten();
    files
        .map(|entry| entry.path())
        .filter(|path| path.to_string_lossy().contains(".db"))
        .collect()
}

fn reads_and_writes(client: &mut Client, project: &Project, name: &str) {
    let found = client.data("asd_search", json!({"query": "cache"}));
    assert_eq!(found["items"][0]["trigger"], "@cache");
    let lines: String = (1..=50).map(|n| format!("// {name} {n}\n")).collect();
    project.write(&format!("src/{name}.rs"), &lines);
    let data = client.data(
        "asd_submit_knowledge",
        json!({"items": [item(name, name)], "skipConsolidation": true}),
    );
    assert_eq!(data["count"], 1, "{data}");
    client.data(
        "asd_knowledge",
        json!({"operation": "confirm_usage", "id": "@cache"}),
    );
    let health = client.call("asd_health", json!({}));
    assert_eq!(health["success"], true, "{health}");
}

#[test]
fn a_database_that_is_deleted_while_the_server_runs_is_missed_by_nobody() {
    let project = Project::with(&[("cache", "cache middleware", "pattern")]);
    let mut client = Client::start(&project.root());
    reads_and_writes(&mut client, &project, "anchor");
    let before = databases(&project);
    assert!(!before.is_empty());
    for path in before {
        std::fs::remove_file(path).unwrap();
    }
    reads_and_writes(&mut client, &project, "beacon");
    std::fs::remove_dir_all(project.path(".asd")).unwrap();
    reads_and_writes(&mut client, &project, "cargo");
    assert!(client.close().0.success());
}

#[test]
fn a_database_that_is_damaged_or_no_database_is_made_again() {
    let project = Project::with(&[("cache", "cache middleware", "pattern")]);
    let mut client = Client::start(&project.root());
    reads_and_writes(&mut client, &project, "anchor");
    drop(client);
    for path in databases(&project) {
        std::fs::write(path, "this is no database").unwrap();
    }
    let mut client = Client::start(&project.root());
    reads_and_writes(&mut client, &project, "beacon");
}

#[test]
fn files_are_served_where_no_database_can_be_made() {
    let project = Project::with(&[("cache", "cache middleware", "pattern")]);
    // A file where the folder of the shadows should be.
    project.write(".asd", "in the way");
    let mut client = Client::start(&project.root());
    let found = client.data("asd_search", json!({"query": "cache"}));
    assert_eq!(found["items"][0]["trigger"], "@cache");
    let health = client.data("asd_health", json!({}));
    assert_eq!(health["status"], "degraded", "{health}");
    assert!(!health["issues"].as_array().unwrap().is_empty());
    client.data(
        "asd_task",
        json!({"operation": "prime", "userQuery": "cache"}),
    );
    client.data("asd_task", json!({"operation": "create", "title": "cache"}));
    assert!(client.close().0.success());
    assert_eq!(project.read(".asd"), "in the way");
}

#[test]
fn knowledge_that_cannot_be_written_is_an_error_that_says_where() {
    let project = Project::with(&[("cache", "cache middleware", "pattern")]);
    let lines: String = (1..=50).map(|n| format!("// anchor {n}\n")).collect();
    project.write("src/anchor.rs", &lines);
    // Rights do not stop the user who may do everything; a file in the way does.
    project.write("Alembic/candidates", "in the way");
    let mut client = Client::start(&project.root());
    let refused = client.call(
        "asd_submit_knowledge",
        json!({"items": [item("anchor", "anchor")], "skipConsolidation": true}),
    );
    assert_eq!(refused["success"], false, "{refused}");
    assert!(refused.to_string().contains("candidates"), "{refused}");
    assert_eq!(client.ask("ping", json!({}))["result"], json!({}));
}

/// The settings are a pipe, so that whoever reads the project waits until
/// somebody writes into it.
#[cfg(unix)]
#[test]
fn the_handshake_does_not_wait_for_the_project() {
    let project = Project::with(&[("cache", "cache middleware", "pattern")]);
    let pipe = project.path("Alembic/config.toml");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.expect("mkfifo runs").success());
    let mut client = Client::raw(&project.root(), &[]);
    client.open("2025-11-25");
    let tools = client.ask("tools/list", json!({}));
    assert_eq!(tools["result"]["tools"].as_array().map(Vec::len), Some(16));
    let search = client.send_call("asd_search", json!({"query": "cache"}));
    assert_eq!(client.ask("ping", json!({}))["result"], json!({}));
    assert!(!client.has_answer(search), "the call waits");
    // Whoever reads it next finds a file.
    let settings = project.path("Alembic/settings");
    std::fs::write(&settings, "").unwrap();
    let mut writer = std::fs::OpenOptions::new().write(true).open(&pipe).unwrap();
    std::fs::rename(&settings, &pipe).unwrap();
    // A reader that saw no file behind its handle is gone already; that it goes
    // on is what matters.
    let _ = std::io::Write::write_all(&mut writer, b"# nothing\n");
    drop(writer);
    let found = envelope(&client.answer(search));
    assert_eq!(found["data"]["items"][0]["trigger"], "@cache");
}

/// As a user who may not write, where the test itself may do everything.
#[cfg(unix)]
#[test]
fn a_project_that_may_only_be_read_is_served() {
    use std::os::unix::fs::{MetadataExt, PermissionsExt};

    fn forbid(folder: &std::path::Path) {
        for entry in std::fs::read_dir(folder).unwrap().flatten() {
            let path = entry.path();
            if path.is_dir() {
                forbid(&path);
            } else {
                std::fs::set_permissions(&path, PermissionsExt::from_mode(0o444)).unwrap();
            }
        }
        std::fs::set_permissions(folder, PermissionsExt::from_mode(0o555)).unwrap();
    }

    let project = Project::with(&[("cache", "cache middleware", "pattern")]);
    let lines: String = (1..=50).map(|n| format!("// anchor {n}\n")).collect();
    project.write("src/anchor.rs", &lines);
    forbid(&project.root());
    let is_root = std::fs::metadata("/proc/self").is_ok_and(|own| own.uid() == 0);
    // The build folder may be closed to the user that the server runs as.
    let open = tempfile::Builder::new()
        .permissions(PermissionsExt::from_mode(0o755))
        .tempdir()
        .unwrap();
    let program = open.path().join("asd");
    std::fs::copy(env!("CARGO_BIN_EXE_asd"), &program).unwrap();
    let mut client = Client::raw_as(&program, &project.root(), &[], is_root.then_some(65_534));
    client.open("2025-11-25");
    let found = client.data("asd_search", json!({"query": "cache"}));
    assert_eq!(found["items"][0]["trigger"], "@cache");
    client.data(
        "asd_task",
        json!({"operation": "prime", "userQuery": "cache"}),
    );
    let health = client.data("asd_health", json!({}));
    assert_eq!(health["status"], "degraded", "{health}");
    let refused = client.call(
        "asd_submit_knowledge",
        json!({"items": [item("anchor", "anchor")], "skipConsolidation": true}),
    );
    assert_eq!(refused["success"], false, "{refused}");
    assert!(
        refused["message"]
            .as_str()
            .unwrap()
            .contains("Permission denied"),
        "{refused}"
    );
    assert!(client.close().0.success());
}

#[test]
fn a_call_that_was_cancelled_may_stay_unanswered_and_others_are_not() {
    let project = Project::with(&[("cache", "cache middleware", "pattern")]);
    let mut client = Client::start(&project.root());
    let id = client.send_call("asd_search", json!({"query": "cache"}));
    client.say(
        &json!({"jsonrpc": "2.0", "method": "notifications/cancelled",
                "params": {"requestId": id, "reason": "changed my mind"}})
        .to_string(),
    );
    client.data("asd_search", json!({"query": "cache"}));
    let (status, _) = client.close();
    assert!(status.success());
}

#[test]
fn a_database_that_another_holds_locked_delays_nobody_for_long() {
    let project = Project::with(&[("cache", "cache middleware", "pattern")]);
    let mut client = Client::start(&project.root());
    reads_and_writes(&mut client, &project, "anchor");
    let path = databases(&project)
        .into_iter()
        .find(|path| path.extension().is_some_and(|end| end == "db"))
        .expect("the database");
    let holder = std::process::Command::new("python3")
        .args([
            "-c",
            "import sqlite3,sys\nc=sqlite3.connect(sys.argv[1],isolation_level=None)\n\
             c.execute('BEGIN EXCLUSIVE')\nprint('held',flush=True)\nsys.stdin.read()\n",
        ])
        .arg(&path)
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .spawn();
    let mut holder = holder.expect("python3 runs");
    let mut word = String::new();
    let output = holder.stdout.take().expect("piped");
    std::io::BufRead::read_line(&mut std::io::BufReader::new(output), &mut word).unwrap();
    assert_eq!(word, "held\n");
    let found = client.data("asd_search", json!({"query": "cache"}));
    assert_eq!(found["items"][0]["trigger"], "@cache");
    let lines: String = (1..=50).map(|n| format!("// beacon {n}\n")).collect();
    project.write("src/beacon.rs", &lines);
    let data = client.data(
        "asd_submit_knowledge",
        json!({"items": [item("beacon", "beacon")], "skipConsolidation": true}),
    );
    let file = data["created"][0]["file"].as_str().unwrap_or_default();
    assert!(project.path(file).is_file(), "{data}");
    holder.kill().unwrap();
    holder.wait().unwrap();
    let unread: Value = client.data("asd_health", json!({}));
    assert_eq!(unread["knowledgeBase"]["candidates"]["total"], 2);
}
