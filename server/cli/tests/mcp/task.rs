//! Work on a task: what is known before, where the work goes, and its end.

use serde_json::{Value, json};

use crate::client::Client;
use crate::project::Project;

fn prime(client: &mut Client, query: &str) -> Value {
    client.data(
        "asd_task",
        json!({"operation": "prime", "userQuery": query}),
    )
}

fn create(client: &mut Client, title: &str) -> String {
    let created = client.data("asd_task", json!({"operation": "create", "title": title}));
    created["id"].as_str().unwrap().to_owned()
}

fn drifts(chain: &Value, kind: &str) -> usize {
    let events = chain["metadata"]["chain"]["driftEvents"]
        .as_array()
        .unwrap();
    events.iter().filter(|event| event["type"] == kind).count()
}

#[test]
fn a_search_for_something_else_is_one_shift_and_weighs_on_the_chain() {
    let project = Project::with(&[("cache", "cache middleware", "pattern")]);
    let mut client = Client::start(&project.root());
    prime(&mut client, "add cache middleware");
    let id = create(&mut client, "cache");
    for _ in 0..2 {
        client.data("asd_search", json!({"query": "database migration"}));
    }
    client.data("asd_task", json!({"operation": "close", "id": id}));
    let chains = project.chains();
    assert_eq!(chains.len(), 1);
    assert_eq!(drifts(&chains[0], "search_shift"), 1);
    assert!(chains[0]["value"].as_f64().unwrap() > 0.0);
    assert_eq!(chains[0]["type"], "intent");
    assert_eq!(chains[0]["target"], id);
    let chain = &chains[0]["metadata"]["chain"];
    assert_eq!(
        chain["searchQueries"],
        json!(["database migration", "database migration"])
    );
    assert_eq!(chain["outcome"], "completed");
    assert_eq!(chain["closeReason"], "Completed");
}

#[test]
fn the_same_words_in_another_language_are_no_shift() {
    let project = Project::with(&[("cache", "cache middleware", "pattern")]);
    let mut client = Client::start(&project.root());
    prime(&mut client, "cache");
    client.data("asd_search", json!({"query": "缓存策略"}));
    let id = create(&mut client, "cache");
    client.data("asd_task", json!({"operation": "close", "id": id}));
    assert_eq!(drifts(&project.chains()[0], "search_shift"), 0);
}

#[test]
fn a_file_of_another_module_is_told_once_by_relative_or_absolute_path() {
    let project = Project::with(&[("cache", "cache", "pattern")]);
    project.write("src/net/a.rs", "fn a() {}\n");
    project.write("src/ui/b.rs", "fn b() {}\n");
    project.commit();
    let mut client = Client::start(&project.root());
    client.data(
        "asd_task",
        json!({"operation": "prime", "userQuery": "cache", "activeFile": "src/net/a.rs"}),
    );
    let id = create(&mut client, "cache");
    client.data("asd_guard", json!({"files": ["src/ui/b.rs"]}));
    let absolute = project.path("src/ui/b.rs");
    client.data("asd_guard", json!({"files": [absolute]}));
    client.data("asd_guard", json!({"files": ["src/net/a.rs"]}));
    client.data("asd_task", json!({"operation": "close", "id": id}));
    let chain = project.chains().remove(0);
    assert_eq!(drifts(&chain, "new_module"), 1);
    let chain = &chain["metadata"]["chain"];
    assert_eq!(chain["driftEvents"][0]["detail"], "ui");
    assert_eq!(
        chain["mentionedFiles"],
        json!(["src/ui/b.rs", "src/net/a.rs"])
    );
    assert_eq!(chain["primeModule"], "net");
}

#[test]
fn closing_another_task_is_a_conflict_and_the_work_goes_on() {
    let project = Project::empty();
    let mut client = Client::start(&project.root());
    prime(&mut client, "cache");
    let id = create(&mut client, "cache");
    let wrong = client.call("asd_task", json!({"operation": "close", "id": "asd-x-9"}));
    assert_eq!(wrong["errorCode"], "CONFLICT");
    assert!(wrong["message"].as_str().unwrap().contains(&id), "{wrong}");
    let health = client.data("asd_health", json!({}));
    assert_eq!(health["session"]["intentPhase"], "active");
    client.data("asd_task", json!({"operation": "close", "id": id}));
}

#[test]
fn a_second_prime_leaves_the_task_before_it() {
    let project = Project::empty();
    let mut client = Client::start(&project.root());
    prime(&mut client, "cache");
    create(&mut client, "cache");
    prime(&mut client, "something else");
    let chains = project.chains();
    assert_eq!(chains.len(), 1);
    assert_eq!(chains[0]["metadata"]["chain"]["outcome"], "abandoned");
}

#[test]
fn a_prime_without_work_after_it_leaves_nothing() {
    let project = Project::empty();
    let mut client = Client::start(&project.root());
    prime(&mut client, "one");
    prime(&mut client, "two");
    assert!(client.close().0.success());
    assert!(project.chains().is_empty());
}

#[test]
fn closing_orders_a_review_even_when_nothing_is_open() {
    let project = Project::empty();
    let mut client = Client::start(&project.root());
    prime(&mut client, "cache");
    let id = create(&mut client, "cache");
    let closed = client.call(
        "asd_task",
        json!({"operation": "close", "id": id, "reason": "Done"}),
    );
    let next = &closed["data"]["nextAction"];
    assert_eq!(next["tool"], "asd_guard");
    assert_eq!(next["required"], true);
    assert!(closed["message"].as_str().unwrap().contains("asd_guard"));
    let again = client.call("asd_task", json!({"operation": "close"}));
    assert_eq!(again["errorCode"], "NO_ACTIVE_TASK");
    assert_eq!(again["data"]["nextAction"]["tool"], "asd_guard");
}

#[test]
fn the_end_of_the_input_keeps_an_open_task_as_abandoned() {
    let project = Project::empty();
    let mut client = Client::start(&project.root());
    prime(&mut client, "cache");
    let id = create(&mut client, "cache");
    let (status, _) = client.close();
    assert_eq!(status.code(), Some(0));
    let chains = project.chains();
    assert_eq!(chains.len(), 1);
    assert_eq!(chains[0]["target"], id);
    assert_eq!(chains[0]["metadata"]["chain"]["outcome"], "abandoned");
}

#[cfg(unix)]
#[test]
fn a_signal_to_end_keeps_it_too() {
    let project = Project::empty();
    let mut client = Client::start(&project.root());
    prime(&mut client, "cache");
    create(&mut client, "cache");
    client.terminate();
    assert_eq!(client.ended().code(), Some(0));
    assert_eq!(
        project.chains()[0]["metadata"]["chain"]["outcome"],
        "abandoned"
    );
}

#[test]
fn a_task_without_a_prime_opens_one_and_says_so() {
    let project = Project::empty();
    let mut client = Client::start(&project.root());
    let created = client.call(
        "asd_task",
        json!({"operation": "create", "title": "加缓存"}),
    );
    assert_eq!(created["data"]["bound"], true);
    assert!(created["meta"]["warnings"].to_string().contains("prime"));
    let id = created["data"]["id"].clone();
    client.data("asd_task", json!({"operation": "close", "id": id}));
    let chain = &project.chains()[0]["metadata"]["chain"];
    assert_eq!(chain["primeQuery"], "加缓存");
    assert_eq!(chain["taskTitle"], "加缓存");
}

#[test]
fn decisions_are_kept_in_the_chain_also_those_taken_before_it() {
    let project = Project::empty();
    let mut client = Client::start(&project.root());
    for title in ["Use the pool", "用连接池"] {
        client.data(
            "asd_task",
            json!({"operation": "record_decision", "title": title, "description": "agreed"}),
        );
    }
    let lacking = client.call("asd_task", json!({"operation": "record_decision"}));
    assert_eq!(lacking["data"]["errors"].as_array().unwrap().len(), 2);
    prime(&mut client, "pool");
    let id = create(&mut client, "pool");
    client.data(
        "asd_task",
        json!({"operation": "fail", "id": id, "reason": "no pool"}),
    );
    let chain = &project.chains()[0]["metadata"]["chain"];
    assert_eq!(chain["decisions"].as_array().unwrap().len(), 2);
    assert_eq!(chain["decisions"][1]["title"], "用连接池");
    assert_eq!(chain["outcome"], "failed");
    assert_eq!(chain["failReason"], "no pool");
}

#[test]
fn task_numbers_are_those_of_the_connection() {
    let project = Project::empty();
    let other = Project::empty();
    let mut first = Client::start(&project.root());
    let mut second = Client::start(&other.root());
    for client in [&mut first, &mut second] {
        let id = create(client, "one");
        assert!(id.starts_with("asd-") && id.ends_with("-1"), "{id}");
        assert!(create(client, "two").ends_with("-2"));
    }
}

#[test]
fn the_sixth_review_of_the_same_fault_passes_and_lists_what_is_left() {
    let project = Project::empty();
    project.recipe(
        "no-print",
        "Use the log",
        "rule",
        "guards:\n  - pattern: 'println!'\n    message: Use the log\n",
    );
    project.write("src/net/a.rs", "fn a() {}\n");
    project.commit();
    project.write("src/net/a.rs", "fn a() { println!(\"1\"); }\n");
    let mut client = Client::start(&project.root());
    for round in 1..=5 {
        let review = client.data("asd_guard", json!({}));
        assert_eq!(review["passed"], false, "{review}");
        assert_eq!(review["reviewRound"], round);
        assert_eq!(review["nextAction"]["tool"], "asd_guard");
        let recipe = &review["files"][0]["violations"][0]["recipe"];
        assert_eq!(recipe["trigger"], "@no-print");
        assert_eq!(recipe["doClause"], "Follow Use the log");
        assert_eq!(recipe["coreCode"], "let way = right();");
    }
    let forced = client.data("asd_guard", json!({}));
    assert_eq!(forced["passed"], true);
    assert_eq!(forced["maxRoundsReached"], true);
    assert_eq!(forced["followUps"].as_array().unwrap().len(), 1);
    // What was mended is reviewed from the first round again.
    project.write("src/net/a.rs", "fn a() { log(\"1\"); }\n");
    assert_eq!(client.data("asd_guard", json!({}))["passed"], true);
    project.write("src/net/a.rs", "fn a() { log(\"1\"); println!(\"2\"); }\n");
    let later = client.data("asd_guard", json!({}));
    assert_eq!(later["passed"], false, "{later}");
    assert_eq!(later["reviewRound"], 1);
}
