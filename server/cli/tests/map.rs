//! `asd map`, `asd graph` and `asd calls`.

#![allow(
    clippy::unwrap_used,
    reason = "a test may panic, and so may what it uses"
)]

#[allow(dead_code, reason = "each test file uses a part of it")]
mod common;

use common::Project;
use serde_json::json;

fn project() -> Project {
    Project::new(&[
        ("Cargo.toml", "[workspace]\n"),
        ("core/Cargo.toml", "[package]\nname = \"core\"\n"),
        (
            "core/src/lib.rs",
            "pub struct Store;\nimpl Store { pub fn load(&self) { read() } }\nfn read() {}\n",
        ),
        (
            "app/Cargo.toml",
            "[package]\nname = \"app\"\n[dependencies]\ncore = \"1\"\n",
        ),
        (
            "app/src/main.rs",
            "use core::Store;\nfn main() { let s: Store = make(); s.load(); }\nfn make() -> Store { Store }\n",
        ),
    ])
}

#[test]
fn a_map_has_targets_modules_and_layers_and_writes_nothing() {
    let project = project();
    let before = project.content();
    let map = project.json(&["map", "--json"]);
    assert_eq!(map["targets"][0]["name"], "app");
    assert_eq!(map["targets"][0]["languageStats"], json!({"rust": 1}));
    assert_eq!(map["summary"]["targetCount"], 2);
    assert_eq!(map["modules"][0]["needs"], json!(["core"]));
    assert_eq!(map["layers"][0]["modules"][0]["name"], "core");
    assert_eq!(map["cycles"], json!([]));
    let text = project.run(&["map"]);
    assert_eq!(text.code, 0, "{}", text.shown());
    assert!(
        text.out.contains("0      Foundation   core\n"),
        "{}",
        text.shown()
    );
    let target = project.json(&["map", "target", "core", "--json"]);
    assert_eq!(target["dependents"], json!(["app"]));
    let files = project.json(&["map", "files", "app", "--json"]);
    assert_eq!(files["files"][0]["path"], "app/src/main.rs");
    let none = project.run(&["map", "files", "apq"]);
    assert_eq!(none.code, 2);
    assert!(
        none.shown().contains("The targets are: app, core."),
        "{}",
        none.shown()
    );
    assert_eq!(project.content(), before);
}

#[test]
fn calls_are_followed_both_ways() {
    let project = project();
    let calls = project.json(&["calls", "Store.load", "--json"]);
    assert_eq!(calls["matches"][0]["file"], "core/src/lib.rs");
    assert_eq!(calls["callers"][0]["symbol"], "main");
    assert_eq!(calls["callees"][0]["symbol"], "read");
    assert_eq!(calls["impact"]["risk"], "low");
    let near = project.json(&["calls", "laod", "--json"]);
    assert_eq!(near["suggestions"], json!(["load"]));
    let text = project.run(&["calls", "laod"]);
    assert_eq!(text.code, 2);
    assert!(
        text.shown().contains("Near names: load."),
        "{}",
        text.shown()
    );
}

#[test]
fn a_graph_answers_what_needs_what() {
    let project = project();
    let node = project.json(&["graph", "query", "core/src/lib.rs", "--json"]);
    assert_eq!(node["incoming"][0]["target"]["id"], "app/src/main.rs");
    let path = project.json(&[
        "graph",
        "path",
        "app/src/main.rs",
        "core/src/lib.rs",
        "--json",
    ]);
    assert_eq!((&path["found"], &path["depth"]), (&json!(true), &json!(1)));
    let none = project.json(&[
        "graph",
        "path",
        "core/src/lib.rs",
        "app/src/main.rs",
        "--json",
    ]);
    assert_eq!(
        (&none["found"], &none["depth"]),
        (&json!(false), &json!(-1))
    );
    let impact = project.json(&["graph", "impact", "core/src/lib.rs#read", "--json"]);
    assert_eq!(impact["impactedCount"], 2);
    let missing = project.run(&["graph", "query", "core/src/none.rs"]);
    assert_eq!(missing.code, 2, "{}", missing.shown());
}
