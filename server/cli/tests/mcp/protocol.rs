//! What the protocol asks of a server.

use serde_json::{Value, json};

use crate::client::Client;
use crate::project::Project;

fn names(client: &mut Client) -> Vec<String> {
    let tools = client.ask("tools/list", json!({}));
    let tools = tools["result"]["tools"].as_array().unwrap();
    tools
        .iter()
        .map(|tool| tool["name"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn an_agent_has_sixteen_tools_and_who_runs_the_project_eighteen() {
    let project = Project::empty();
    let mut client = Client::start(&project.root());
    let agent = names(&mut client);
    assert_eq!(agent.len(), 16);
    assert_eq!(agent[0], "asd_health");
    assert!(!agent.contains(&"asd_knowledge_lifecycle".to_owned()));
    let mut client = Client::with(&project.root(), &[("ASD_MCP_TIER", "admin")]);
    let admin = names(&mut client);
    assert_eq!(admin.len(), 18);
    assert_eq!(admin[..16], agent);
    let mut client = Client::with(&project.root(), &[("ASD_MCP_TIER", "root")]);
    assert_eq!(names(&mut client).len(), 16, "an unknown tier is agent");
}

#[test]
fn a_tool_above_the_tier_is_refused_in_its_result() {
    let project = Project::empty();
    let mut client = Client::start(&project.root());
    let code = client.error(
        "asd_knowledge_lifecycle",
        json!({"id": "@x", "action": "publish"}),
    );
    assert_eq!(code, "PERMISSION_DENIED");
}

#[test]
fn an_unknown_tool_and_arguments_that_are_no_object_are_errors_of_the_protocol() {
    let project = Project::empty();
    let mut client = Client::start(&project.root());
    let unknown = client.ask("tools/call", json!({"name": "asd_dance", "arguments": {}}));
    assert_eq!(unknown["error"]["code"], -32602);
    let list = client.ask("tools/call", json!({"name": "asd_health", "arguments": []}));
    assert_eq!(list["error"]["code"], -32602);
    let method = client.ask("tools/dance", json!({}));
    assert_eq!(method["error"]["code"], -32601);
}

#[test]
fn every_violation_of_a_schema_is_told_at_once_by_its_path() {
    let project = Project::empty();
    let mut client = Client::start(&project.root());
    let paths = |envelope: &Value| -> Vec<String> {
        assert_eq!(envelope["errorCode"], "VALIDATION_ERROR", "{envelope}");
        let errors = envelope["data"]["errors"].as_array().unwrap().iter();
        errors
            .map(|error| error["path"].as_str().unwrap().to_owned())
            .collect()
    };
    let missing = client.call("asd_search", json!({}));
    assert_eq!(paths(&missing), ["query"]);
    let large = client.call("asd_search", json!({"query": "x", "limit": 500}));
    assert_eq!(paths(&large), ["limit"]);
    let both = client.call("asd_search", json!({"limit": 500, "mode": "magic"}));
    let mut both = paths(&both);
    both.sort();
    assert_eq!(both, ["limit", "mode", "query"]);
}

#[test]
fn numbers_in_quotes_are_taken_and_unknown_arguments_are_named() {
    let project = Project::with(&[
        ("cache-a", "cache one", "pattern"),
        ("cache-b", "cache two", "pattern"),
        ("cache-c", "cache three", "pattern"),
    ]);
    let mut client = Client::start(&project.root());
    let found = client.call(
        "asd_search",
        json!({"query": "cache", "limit": "2", "colour": "red"}),
    );
    assert_eq!(found["data"]["items"].as_array().unwrap().len(), 2);
    let warnings = found["meta"]["warnings"].to_string();
    assert!(warnings.contains("colour"), "{warnings}");
}

#[test]
fn a_line_that_is_no_json_is_answered_and_the_next_one_read() {
    let project = Project::empty();
    let mut client = Client::start(&project.root());
    client.say("{\"jsonrpc\": \"2.0\", \"id\": 7, ");
    assert_eq!(client.answer_to_nobody()["error"]["code"], -32700);
    let pong = client.ask("ping", json!({}));
    assert_eq!(pong["result"], json!({}));
}

#[test]
fn garbage_of_many_kinds_is_answered_and_does_no_harm() {
    let project = Project::empty();
    let mut client = Client::start(&project.root());
    let garbage = [
        "]",
        "nonsense",
        "42",
        "\"text\"",
        "null",
        "[]",
        "[1, 2]",
        "{}",
        "{\"jsonrpc\": \"1.0\", \"method\": \"ping\"}",
        "{\"jsonrpc\": \"2.0\", \"method\": 5}",
    ];
    for line in garbage {
        client.say(line);
        let answer = client.answer_to_nobody_or_list();
        let code = answer["error"]["code"]
            .as_i64()
            .or_else(|| answer[0]["error"]["code"].as_i64());
        assert!(matches!(code, Some(-32700 | -32600)), "{line}: {answer}");
    }
    client.say("");
    client.say("   ");
    assert_eq!(client.ask("ping", json!({}))["result"], json!({}));
}

#[test]
fn a_batch_is_answered_as_one() {
    let project = Project::empty();
    let mut client = Client::start(&project.root());
    client.say(
        &json!([
            {"jsonrpc": "2.0", "id": "a", "method": "ping"},
            {"jsonrpc": "2.0", "method": "notifications/none"},
            {"jsonrpc": "2.0", "id": "b", "method": "tools/call",
             "params": {"name": "asd_health", "arguments": {}}},
        ])
        .to_string(),
    );
    let answers = client.message();
    let mut ids: Vec<&str> = answers
        .as_array()
        .unwrap()
        .iter()
        .map(|answer| answer["id"].as_str().unwrap())
        .collect();
    ids.sort_unstable();
    assert_eq!(ids, ["a", "b"]);
}

#[test]
fn the_version_of_the_client_is_taken_when_it_is_known() {
    let project = Project::empty();
    for version in ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] {
        let mut client = Client::raw(&project.root(), &[]);
        let opened = client.open(version);
        assert_eq!(opened["protocolVersion"], version);
        assert_eq!(opened["serverInfo"]["name"], "alembic-v3");
        let offered = opened["capabilities"].as_object().unwrap();
        let mut offered: Vec<&String> = offered.keys().collect();
        offered.sort();
        assert_eq!(offered, ["prompts", "resources", "tools"]);
    }
    let mut client = Client::raw(&project.root(), &[]);
    let opened = client.open("1999-01-01");
    assert_eq!(opened["protocolVersion"], "2025-11-25");
}

#[test]
fn tools_have_complete_schemas_and_hints() {
    let project = Project::empty();
    let mut client = Client::with(&project.root(), &[("ASD_MCP_TIER", "admin")]);
    let tools = client.ask("tools/list", json!({}));
    let tools = tools["result"]["tools"].as_array().unwrap();
    let hinted = |hint: &str| -> Vec<&str> {
        let with = tools
            .iter()
            .filter(|tool| tool["annotations"][hint] == true);
        with.map(|tool| tool["name"].as_str().unwrap()).collect()
    };
    assert_eq!(
        hinted("readOnlyHint"),
        [
            "asd_health",
            "asd_search",
            "asd_structure",
            "asd_graph",
            "asd_call_context",
            "asd_panorama"
        ]
    );
    assert_eq!(
        hinted("destructiveHint"),
        ["asd_skill", "asd_knowledge_lifecycle"]
    );
    for tool in tools {
        let schema = &tool["inputSchema"];
        assert_eq!(schema["type"], "object", "{tool}");
        assert_ne!(schema["additionalProperties"], false, "{tool}");
        assert!(tool["description"].as_str().unwrap().len() <= 400);
    }
}

#[test]
fn recipes_are_resources_and_prompts_call_the_tools() {
    let project = Project::with(&[("cache", "网络缓存", "pattern")]);
    let mut client = Client::start(&project.root());
    let list = client.ask("resources/list", json!({}));
    let uri = list["result"]["resources"][0]["uri"].clone();
    assert_eq!(uri, "alembic://recipe/cache");
    let read = client.ask("resources/read", json!({"uri": uri}));
    let text = read["result"]["contents"][0]["text"].as_str().unwrap();
    assert_eq!(text, project.read("Alembic/recipes/net/cache.md"));
    let none = client.ask("resources/read", json!({"uri": "alembic://recipe/none"}));
    assert!(none["error"]["code"].is_i64(), "{none}");
    let templates = client.ask("resources/templates/list", json!({}));
    let template = &templates["result"]["resourceTemplates"][0]["uriTemplate"];
    assert_eq!(template, "alembic://recipe/{trigger}");
    let prompts = client.ask("prompts/list", json!({}));
    assert_eq!(prompts["result"]["prompts"][0]["name"], "prime");
    let prompt = client.ask(
        "prompts/get",
        json!({"name": "prime", "arguments": {"task": "加缓存"}}),
    );
    assert!(prompt.to_string().contains("加缓存"));
    let lacking = client.ask("prompts/get", json!({"name": "prime"}));
    assert_eq!(lacking["error"]["code"], -32602);
}

#[test]
fn many_resources_come_in_pages() {
    let project = Project::empty();
    for number in 0..501 {
        project.recipe(&format!("part-{number:03}"), "part", "rule", "");
    }
    let mut client = Client::start(&project.root());
    let first = client.ask("resources/list", json!({}))["result"].take();
    assert_eq!(first["resources"].as_array().unwrap().len(), 500);
    let next = json!({"cursor": first["nextCursor"]});
    let second = client.ask("resources/list", next)["result"].take();
    assert_eq!(second["resources"].as_array().unwrap().len(), 1);
    assert_eq!(second["resources"][0]["uri"], "alembic://recipe/part-500");
    assert_eq!(second.get("nextCursor"), None);
    let wrong = client.ask("resources/list", json!({"cursor": "x"}));
    assert_eq!(wrong["error"]["code"], -32602);
}

#[test]
fn nothing_but_messages_stands_on_stdout_even_when_the_log_is_loud() {
    let project = Project::with(&[("cache", "cache", "pattern")]);
    project.write("Alembic/recipes/net/broken.md", "---\n: [\n");
    let mut client = Client::with(&project.root(), &[("ASD_LOG", "trace")]);
    client.data("asd_health", json!({}));
    client.data("asd_search", json!({"query": "cache"}));
    // The client takes every line for a message, and fails on any other.
    let (status, rest) = client.close();
    assert!(status.success());
    assert!(rest.is_empty(), "{rest:?}");
}

#[test]
fn the_health_of_an_empty_base_is_ok_and_names_the_next_step() {
    let project = Project::empty();
    let mut client = Client::start(&project.root());
    let health = client.data("asd_health", json!({}));
    assert_eq!(health["status"], "ok");
    assert!(health["actionHints"].to_string().contains("asd_bootstrap"));
    assert_eq!(health["tier"], "agent");
    assert_eq!(health["role"], "external_agent");
}

#[test]
fn the_role_comes_from_the_tier_whatever_git_says() {
    let project = Project::empty();
    project.commit();
    let mut client = Client::start(&project.root());
    assert_eq!(
        client.data("asd_health", json!({}))["role"],
        "external_agent"
    );
    let mut client = Client::with(&project.root(), &[("ASD_MCP_TIER", "admin")]);
    assert_eq!(client.data("asd_health", json!({}))["role"], "developer");
}

#[test]
fn a_project_that_was_named_and_is_none_ends_the_server() {
    let project = Project::empty();
    let mut client = Client::raw(&project.root(), &[("ASD_PROJECT_DIR", "/no/such/folder")]);
    assert_eq!(client.ended().code(), Some(2));
    let mut client = Client::with(
        &project.root(),
        &[("ASD_PROJECT_DIR", "${workspaceFolder}")],
    );
    let health = client.data("asd_health", json!({}));
    assert_eq!(health["projectRoot"], json!(project.root()));
}

#[test]
fn who_may_only_look_starts_no_scan_and_submits_nothing() {
    let project = Project::empty();
    let mut client = Client::with(&project.root(), &[("ASD_MCP_ROLE", "visitor")]);
    for (tool, arguments) in [
        ("asd_bootstrap", json!({})),
        ("asd_rescan", json!({})),
        ("asd_submit_knowledge", json!({"items": [{"title": "x"}]})),
    ] {
        assert_eq!(client.error(tool, arguments), "PERMISSION_DENIED", "{tool}");
    }
    client.data("asd_search", json!({"query": "x"}));
}
