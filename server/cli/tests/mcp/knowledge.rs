//! Knowledge that is submitted, changed and read.

use serde_json::{Value, json};

use crate::client::Client;
use crate::project::{Project, item};

/// A project with the sources that the items name.
fn with_sources(names: &[&str]) -> Project {
    let project = Project::empty();
    for name in names {
        let lines: String = (1..=50).map(|n| format!("// {name} {n}\n")).collect();
        project.write(&format!("src/{name}.rs"), &lines);
    }
    project
}

#[test]
fn of_two_items_the_one_that_lacks_a_field_is_sent_back_with_its_name() {
    let project = with_sources(&["ledger-pool", "quay-map"]);
    let mut lacking = item("quay-map", "a quay map");
    lacking.as_object_mut().unwrap().remove("doClause");
    let mut client = Client::start(&project.root());
    let data = client.data(
        "asd_submit_knowledge",
        json!({"items": [item("ledger-pool", "a ledger"), lacking]}),
    );
    assert_eq!(data["count"], 1, "{data}");
    assert_eq!(data["rejectedItems"][0]["index"], 1);
    assert_eq!(data["rejectedItems"][0]["missing"], json!(["doClause"]));
    let file = data["created"][0]["file"].as_str().unwrap();
    assert!(project.read(file).contains("@ledger-pool"));
}

#[test]
fn of_two_equal_submissions_at_once_one_is_taken() {
    let project = with_sources(&["ledger-pool"]);
    let mut client = Client::start(&project.root());
    let submission = json!({"items": [item("ledger-pool", "a ledger")]});
    let sent: Vec<u64> = (0..4)
        .map(|_| client.send_call("asd_submit_knowledge", submission.clone()))
        .collect();
    let created: u64 = sent
        .into_iter()
        .map(|id| crate::client::envelope(&client.answer(id)))
        .map(|envelope| envelope["data"]["count"].as_u64().unwrap_or_default())
        .sum();
    assert_eq!(created, 1);
}

#[test]
fn items_come_as_json_in_a_text_and_in_other_spellings_too() {
    let project = with_sources(&["ledger-pool"]);
    let mut given = item("ledger-pool", "a ledger");
    let given = given.as_object_mut().unwrap();
    let clause = given.remove("doClause").unwrap();
    given.insert("do_clause".to_owned(), clause);
    let items = json!([given]).to_string();
    let mut client = Client::start(&project.root());
    let data = client.data("asd_submit_knowledge", json!({"items": items}));
    assert_eq!(data["count"], 1, "{data}");
}

#[test]
fn when_every_item_lacks_fields_an_example_is_given() {
    let project = Project::empty();
    let mut client = Client::start(&project.root());
    let envelope = client.call(
        "asd_submit_knowledge",
        json!({"items": [{"title": "half"}, {"title": "无"}]}),
    );
    assert_eq!(envelope["errorCode"], "INCOMPLETE_SUBMISSION", "{envelope}");
    let missing = envelope["data"]["missing"].as_array().unwrap();
    assert_eq!(missing.len(), 2);
    assert!(envelope["data"]["example"].is_object());
}

#[test]
fn the_eleventh_submission_in_a_minute_waits() {
    let project = Project::empty();
    let mut client = Client::start(&project.root());
    let submit = json!({"items": [{"title": "half"}]});
    for _ in 0..10 {
        let code = client.error("asd_submit_knowledge", submit.clone());
        assert_eq!(code, "INCOMPLETE_SUBMISSION");
    }
    let refused = client.call("asd_submit_knowledge", submit);
    assert_eq!(refused["errorCode"], "RATE_LIMIT");
    let wait = refused["data"]["retryAfterMs"].as_i64().unwrap();
    assert!((1..=60_000).contains(&wait));
}

#[test]
fn names_of_skills_are_checked_and_built_in_ones_stay() {
    let project = Project::empty();
    let mut client = Client::start(&project.root());
    let create = |name: &str| {
        json!({"operation": "create", "name": name, "description": "Use when testing",
               "content": "# A skill\n\nWords."})
    };
    assert_eq!(
        client.error("asd_skill", create("My Skill")),
        "INVALID_NAME"
    );
    let delete = json!({"operation": "delete", "name": "alembic-guard"});
    assert_eq!(client.error("asd_skill", delete), "BUILTIN_PROTECTED");
    let made = client.call("asd_skill", create("quay-rules"));
    // One envelope: its data are values, not JSON in a text.
    assert_eq!(made["data"]["name"], "quay-rules", "{made}");
    let list = client.data("asd_skill", json!({"operation": "list"}));
    let skills = list["skills"].as_array().unwrap();
    assert!(skills.iter().any(|skill| skill["name"] == "quay-rules"));
    let gone = json!({"operation": "delete", "name": "quay-rules"});
    client.data("asd_skill", gone.clone());
    assert_eq!(client.error("asd_skill", gone), "SKILL_NOT_FOUND");
}

#[test]
fn without_a_way_between_two_recipes_the_depth_is_minus_one() {
    let project = Project::with(&[("a", "one", "pattern"), ("b", "two", "pattern")]);
    let mut client = Client::start(&project.root());
    let path = client.data(
        "asd_graph",
        json!({"operation": "path", "fromId": "@a", "toId": "@b"}),
    );
    assert_eq!(path["found"], false);
    assert_eq!(path["depth"], -1);
    let lacking = client.error("asd_graph", json!({"operation": "path"}));
    assert_eq!(lacking, "VALIDATION_ERROR");
    let unknown = json!({"operation": "query", "nodeId": "@none"});
    assert_eq!(client.error("asd_graph", unknown), "NOT_FOUND");
}

#[test]
fn an_agent_proposes_that_an_active_recipe_goes_and_does_not_remove_it() {
    let project = Project::with(&[("cache", "cache", "pattern")]);
    let mut client = Client::start(&project.root());
    let id =
        client.data("asd_knowledge", json!({"operation": "get", "id": "@cache"}))["id"].clone();
    let data = client.data(
        "asd_evolve",
        json!({"decisions": [{
            "recipeId": id, "action": "confirm_deprecation", "confidence": 0.9,
            "reason": "The class is gone",
            "evidence": {"codeSnippet": "x", "filePath": "src/a.rs", "type": "correction"},
        }]}),
    );
    assert_eq!(data["proposed"], 1, "{data}");
    assert_eq!(data["deprecated"], 0);
    let read = client.data("asd_knowledge", json!({"operation": "get", "id": id}));
    assert_ne!(read["lifecycle"], "deprecated");
}

#[test]
fn an_unknown_recipe_is_answered_with_what_is_near() {
    let project = Project::with(&[("network-cache", "cache", "pattern")]);
    let mut client = Client::start(&project.root());
    let unknown = client.call(
        "asd_knowledge",
        json!({"operation": "get", "id": "@network-cahce"}),
    );
    assert_eq!(unknown["errorCode"], "NOT_FOUND");
    assert!(unknown["data"].to_string().contains("@network-cache"));
}

#[test]
fn bm25_is_another_name_of_weighted_search() {
    let project = Project::with(&[
        ("cache", "cache middleware", "pattern"),
        ("log", "log format", "rule"),
    ]);
    let mut client = Client::start(&project.root());
    let mut found = |mode: &str| -> Value {
        let mut data = client.data(
            "asd_search",
            json!({"query": "cache middleware", "mode": mode}),
        );
        assert_eq!(data["mode"], "weighted");
        data["items"].take()
    };
    let weighted = found("weighted");
    assert_eq!(weighted[0]["trigger"], "@cache");
    assert_eq!(found("bm25"), weighted);
}

#[test]
fn what_was_followed_is_counted_at_once() {
    let project = Project::with(&[("cache", "cache", "pattern")]);
    let mut client = Client::start(&project.root());
    let confirm = json!({"operation": "confirm_usage", "id": "@cache"});
    let first = client.data("asd_knowledge", confirm.clone());
    let second = client.data("asd_knowledge", confirm);
    let adoptions = |data: &Value| data["counts"]["adoptions"].as_u64();
    assert_eq!(adoptions(&first), Some(1), "{first}");
    assert_eq!(adoptions(&second), Some(2), "{second}");
}

#[test]
fn what_an_editor_saves_is_found_by_the_next_call() {
    let project = Project::with(&[("cache", "cache middleware", "pattern")]);
    let mut client = Client::start(&project.root());
    let titles = |client: &mut Client| -> String {
        let data = client.data("asd_search", json!({"query": "@cache", "limit": 1}));
        data["items"][0]["title"]
            .as_str()
            .unwrap_or_default()
            .to_owned()
    };
    assert_eq!(titles(&mut client), "cache middleware");
    for round in 0..20 {
        let title = format!("缓存 number {round}");
        project.recipe("cache", &title, "pattern", "");
        assert_eq!(titles(&mut client), title);
    }
    std::fs::remove_file(project.path("Alembic/recipes/net/cache.md")).unwrap();
    assert_eq!(titles(&mut client), "");
    project.recipe("cache", "back again", "pattern", "");
    assert_eq!(titles(&mut client), "back again");
}

#[test]
fn words_of_every_script_come_back_as_they_were_sent() {
    let project = Project::with(&[("cache", "网络缓存中间件", "pattern")]);
    let mut client = Client::start(&project.root());
    let found = client.data("asd_search", json!({"query": "缓存"}));
    assert_eq!(found["items"][0]["title"], "网络缓存中间件");
    for query in [
        "日本語の検索",
        "поиск",
        "🧪 e\u{301}",
        "a\u{2028}b\u{0}c\\\"\n",
    ] {
        let data = client.data("asd_search", json!({"query": query}));
        assert_eq!(data["query"], query);
    }
    // The same word as escapes, as some clients write it.
    client.say(
        r#"{"jsonrpc":"2.0","id":"esc","method":"tools/call","params":{"name":"asd_search","arguments":{"query":"\u7f13\u5b58"}}}"#,
    );
    let answer = client.message();
    assert_eq!(answer["id"], "esc");
    assert_eq!(
        answer["result"]["structuredContent"]["data"]["query"],
        "缓存"
    );
}

#[test]
fn a_change_through_the_server_reaches_the_files_that_ides_read() {
    let project = Project::with(&[("cache", "cache middleware", "rule")]);
    let mut client = Client::with(&project.root(), &[("ASD_MCP_TIER", "admin")]);
    deliver(&project);
    let ours = format!("# Ours\n\n{}", project.read("AGENTS.md"));
    project.write("AGENTS.md", &ours);
    assert!(project.read("AGENTS.md").contains("cache middleware"));
    client.data(
        "asd_knowledge_lifecycle",
        json!({"id": "@cache", "action": "deprecate", "reason": "gone"}),
    );
    // The server ends before the files rested long enough; nothing is lost.
    assert!(client.close().0.success());
    let agents = project.read("AGENTS.md");
    assert!(!agents.contains("cache middleware"), "{agents}");
    assert!(agents.starts_with("# Ours\n"));
}

#[test]
fn a_change_by_an_editor_reaches_them_while_the_server_is_idle() {
    let project = Project::with(&[("cache", "cache middleware", "rule")]);
    deliver(&project);
    let mut client = Client::start(&project.root());
    client.data("asd_health", json!({}));
    project.recipe("cache", "cache layer", "rule", "");
    let start = std::time::Instant::now();
    while !project.read("AGENTS.md").contains("cache layer") {
        assert!(start.elapsed().as_secs() < 60, "it is never delivered");
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
}

#[test]
fn a_change_in_the_terminal_reaches_them_before_the_command_ends() {
    let project = Project::with(&[("cache", "cache middleware", "rule")]);
    deliver(&project);
    asd(
        &project,
        &["recipe", "deprecate", "@cache", "--reason", "gone"],
    );
    let agents = project.read("AGENTS.md");
    assert!(!agents.contains("cache middleware"), "{agents}");
}

#[test]
fn a_project_without_delivered_files_gets_none() {
    let project = Project::with(&[("cache", "cache middleware", "rule")]);
    let mut client = Client::with(&project.root(), &[("ASD_MCP_TIER", "admin")]);
    client.data(
        "asd_knowledge_lifecycle",
        json!({"id": "@cache", "action": "deprecate", "reason": "gone"}),
    );
    assert!(client.close().0.success());
    assert!(!project.path("AGENTS.md").exists());
}

#[test]
fn a_host_is_told_which_tools_only_read_at_the_start_after_a_call() {
    let project = Project::with(&[("cache", "cache", "pattern")]);
    let before = "{\"mcpServers\": {\"alembic\": {\"command\": \"asd\", \"args\": [\"mcp\"]}}}\n";
    project.write(".cursor/mcp.json", before);
    let mut client = Client::start(&project.root());
    client.error("asd_search", json!({}));
    client.data("asd_health", json!({}));
    assert!(client.close().0.success());
    assert_eq!(
        project.read(".cursor/mcp.json"),
        before,
        "not while it runs"
    );
    assert!(project.path(".asd/.auto-approve-pending").exists());
    let client = Client::start(&project.root());
    let after: Value = serde_json::from_str(&project.read(".cursor/mcp.json")).unwrap();
    let approved = &after["mcpServers"]["alembic"]["autoApprove"];
    let approved: Vec<&str> = approved
        .as_array()
        .unwrap()
        .iter()
        .map(|name| name.as_str().unwrap())
        .collect();
    assert!(approved.contains(&"asd_search"));
    assert!(!approved.contains(&"asd_submit_knowledge"));
    assert!(!project.path(".asd/.auto-approve-pending").exists());
    drop(client);
}

fn deliver(project: &Project) {
    asd(project, &["deliver"]);
}

fn asd(project: &Project, arguments: &[&str]) {
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_asd"))
        .args(arguments)
        .current_dir(project.root())
        .env("XDG_CONFIG_HOME", project.path(".user"))
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
}
