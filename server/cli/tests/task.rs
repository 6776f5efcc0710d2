//! `asd task`: an account of work over several commands.

#![allow(
    clippy::unwrap_used,
    reason = "a test may panic, and so may what it uses"
)]

#[allow(dead_code, reason = "each test file uses a part of it")]
mod common;

use common::Project;
use serde_json::Value;

fn chains(project: &Project) -> Vec<Value> {
    let text = std::fs::read_to_string(project.path(".asd/signals/intent.jsonl"));
    let text = text.unwrap_or_default();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

#[test]
fn a_task_goes_on_over_commands_and_is_kept_when_it_is_closed() {
    let project = Project::new(&[("Alembic/config.toml", "")]);
    let opened = project.json(&["task", "create", "实现网络缓存中间件", "--json"]);
    let id = opened["data"]["id"].as_str().unwrap();
    let decided = project.run(&["task", "decide", "store", "Use the reply store"]);
    assert_eq!(decided.code, 0, "{}", decided.err);
    let shown = project.run(&["task", "show"]);
    assert!(shown.out.contains(id) && shown.out.contains("Use the reply store"));
    let closed = project.run(&["task", "close", "Implemented", "it"]);
    assert_eq!(closed.code, 0, "{}", closed.err);
    assert!(closed.out.contains("asd guard review"));
    let chains = chains(&project);
    assert_eq!(chains.len(), 1);
    assert_eq!(chains[0]["target"], id);
    let chain = &chains[0]["metadata"]["chain"];
    assert_eq!(chain["closeReason"], "Implemented it");
    assert_eq!(chain["decisions"][0]["title"], "store");
    assert!(
        project
            .run(&["task", "show"])
            .out
            .contains("No task is open.")
    );
}

#[test]
fn what_is_open_is_left_for_a_new_task_and_another_id_is_refused() {
    let project = Project::new(&[("Alembic/config.toml", "")]);
    project.run(&["task", "create", "one"]);
    project.run(&["task", "create", "two"]);
    assert_eq!(
        chains(&project)[0]["metadata"]["chain"]["outcome"],
        "abandoned"
    );
    let refused = project.run(&["task", "close", "--id", "asd-x-1"]);
    assert_eq!(refused.code, 2);
    assert!(refused.out.contains("not `asd-x-1`"), "{}", refused.out);
    assert_eq!(project.run(&["task", "fail", "too", "hard"]).code, 0);
    assert_eq!(
        chains(&project)[1]["metadata"]["chain"]["failReason"],
        "too hard"
    );
    assert_eq!(project.run(&["task", "close"]).code, 2, "nothing is open");
}

#[test]
fn a_hook_that_primes_leaves_the_open_task_alone() {
    let project = Project::new(&[("Alembic/config.toml", "")]);
    project.run(&["task", "create", "one"]);
    let primed = project.run(&["task", "prime", "something else"]);
    assert_eq!(primed.code, 0, "{}", primed.err);
    assert!(project.run(&["task", "show"]).out.contains("one"));
}
