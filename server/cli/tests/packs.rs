//! Rules about frameworks, through the real program.

#![allow(
    clippy::unwrap_used,
    reason = "a test may panic, and so may what it uses"
)]

#[allow(dead_code, reason = "each test file uses a part of it")]
mod common;

use common::{Project, recipe};

const LIST: &str = "items.map((item, index) => <Row key={index} />);\n";

fn project(manifest: &str) -> Project {
    Project::new(&[
        ("Alembic/config.toml", ""),
        ("web/package.json", manifest),
        ("web/src/List.jsx", LIST),
    ])
}

fn found(project: &Project) -> Vec<(String, String)> {
    let result = project.json(&["check", "--json"]);
    result["files"]
        .as_array()
        .unwrap()
        .iter()
        .flat_map(|file| file["violations"].as_array().unwrap())
        .map(|violation| {
            let text = |key: &str| violation[key].as_str().unwrap().to_owned();
            (text("ruleId"), text("source"))
        })
        .collect()
}

#[test]
fn a_pack_is_in_force_where_a_manifest_names_its_framework() {
    let rule = ("react-no-array-index-key".to_owned(), "pack".to_owned());
    let with = project(r#"{"dependencies": {"react": "^19"}}"#);
    assert_eq!(found(&with), [rule]);
    let listed = with.json(&["guard", "rules", "--json"]);
    let of_pack = |source: &str| {
        let rules = listed.as_array().unwrap().iter();
        rules.filter(|rule| rule["source"] == source).count()
    };
    assert_eq!(of_pack("pack"), 3);
    assert_eq!(of_pack("builtin"), 76);
    let without = project(r#"{"dependencies": {"vue": "^3"}}"#);
    assert_eq!(found(&without), []);
}

#[test]
fn the_settings_change_and_turn_off_its_rules() {
    let project = project(r#"{"devDependencies": {"react": "^19"}}"#);
    project.write(
        "Alembic/config.toml",
        b"[guard.rules.react-no-array-index-key]\nseverity = \"error\"\n",
    );
    assert_eq!(project.run(&["check"]).code, 1);
    project.write(
        "Alembic/config.toml",
        b"[guard]\ndisabledRules = [\"react-no-array-index-key\"]\n",
    );
    assert_eq!(found(&project), []);
}

#[test]
fn a_guard_of_a_recipe_replaces_the_rule_of_its_name() {
    let project = project(r#"{"dependencies": {"react": "^19"}}"#);
    project.write(
        "Alembic/recipes/general/keys.md",
        recipe(
            "keys",
            r"\bnothingLikeIt\b",
            "    id: react-no-array-index-key\n",
        )
        .as_bytes(),
    );
    assert_eq!(found(&project), []);
}

#[test]
fn a_rule_of_a_pack_explains_itself() {
    let project = project(r#"{"dependencies": {"react": "^19"}}"#);
    let run = project.run(&["guard", "explain", "react-no-array-index-key"]);
    assert_eq!(run.code, 0, "{}", run.shown());
    assert!(
        run.out.contains("keeps the state of one item"),
        "{}",
        run.shown()
    );
}
