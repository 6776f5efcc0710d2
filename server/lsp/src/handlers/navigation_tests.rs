use std::fmt::Write as _;

use expect_test::expect;
use serde_json::json;
use tower_lsp_server::ls_types::GotoDefinitionResponse;

use super::{definition, references};
use crate::fixture::{GOES_ON, World, check, check_with, full_client};

const PROJECT: &str = r#"
//- /Alembic/recipes/cookie-di.md closed
---
title: CookieStore 注入
trigger: "@cookie-di"
kind: rule
lifecycle: active
language: swift
do: Inject `CookieStore`
reasoning:
  sources: ["src/store.swift:2"]
guards:
  - pattern: 'HTTPCookieStorage\.shared'
---
See also @cookie-di-tests.
//- /Alembic/recipes/other.md closed
---
title: Other
trigger: "@other"
lifecycle: active
language: swift
do: Read @cookie-di first
relations:
  depends_on: ["@cookie-di"]
---
//- /src/store.swift closed
// 第一行
final class CookieStore {} // @cookie-di
//- /src/b.swift closed
let s = HTTPCookieStorage.shared // breaks
"#;

fn in_file(text: &str) -> String {
    format!("{PROJECT}{text}")
}

fn go(world: &World) -> String {
    match definition(&world.snapshot, world.params(&json!({})), &GOES_ON).unwrap() {
        None => "nowhere".to_owned(),
        Some(GotoDefinitionResponse::Scalar(location)) => world.location(&location),
        Some(GotoDefinitionResponse::Array(_)) => panic!("one place is expected"),
        Some(GotoDefinitionResponse::Link(links)) => {
            let link = &links[0];
            let origin = tower_lsp_server::ls_types::Location::new(
                world.view().uri().clone(),
                link.origin_selection_range.unwrap(),
            );
            let target = tower_lsp_server::ls_types::Location::new(
                link.target_uri.clone(),
                link.target_selection_range,
            );
            format!("{} -> {}", world.location(&origin), world.location(&target))
        }
    }
}

#[test]
fn a_trigger_leads_to_its_recipe() {
    check(
        &in_file("//- /a.py\n# 🍪 @Cookie$0_DI\n"),
        &expect![[r#"Alembic/recipes/cookie-di.md:3 "\"@cookie-di\"""#]],
        go,
    );
}

#[test]
fn a_client_with_links_sees_where_it_came_from() {
    let mut client = full_client();
    client["textDocument"]["definition"] = json!({ "linkSupport": true });
    check_with(
        &in_file("//- /a.py\n# 🍪 @cookie$0-di\n"),
        &client,
        &expect![[r#"a.py:1 "@cookie-di" -> Alembic/recipes/cookie-di.md:3 "\"@cookie-di\"""#]],
        go,
    );
}

#[test]
fn a_source_leads_to_its_line() {
    check(
        "//- /Alembic/recipes/x.md\n---\ntitle: X\ntrigger: \"@x-y\"\nreasoning:\n  sources: [\"src/a.$0ts:2\"]\n---\n//- /src/a.ts closed\n// 饼干\nlet a = '🍪'\n",
        &expect![[r#"src/a.ts:2 "let a = '🍪'""#]],
        go,
    );
}

#[test]
fn a_suppressed_rule_leads_to_its_guard() {
    check(
        &in_file("//- /a.swift\n// asd:ignore cookie$0-di\n"),
        &expect![[r#"Alembic/recipes/cookie-di.md:11 "pattern: 'HTTPCookieStorage\\.shared'""#]],
        go,
    );
}

#[test]
fn nothing_leads_nowhere() {
    for text in ["//- /a.py\nx$0 = 1\n", "//- /a.py\n# @unkno$0wn\n"] {
        check(&in_file(text), &expect!["nowhere"], go);
    }
}

#[test]
fn references_are_mentions_and_findings_in_the_whole_project() {
    check(
        &in_file(
            "//- /a.py\n# 🍪 @cookie$0-di\ns = '@cookie-di'\n//- /c.swift\nlet 🍪 = HTTPCookieStorage.shared\n",
        ),
        &expect![[r#"
            Alembic/recipes/cookie-di.md:3 "\"@cookie-di\""
            Alembic/recipes/other.md:6 "@cookie-di"
            Alembic/recipes/other.md:8 "@cookie-di"
            a.py:1 "@cookie-di"
            c.swift:1 "HTTPCookieStorage.shared"
            src/b.swift:1 "HTTPCookieStorage.shared"
            src/store.swift:2 "@cookie-di"
            --
            Alembic/recipes/other.md:6 "@cookie-di"
            Alembic/recipes/other.md:8 "@cookie-di"
            a.py:1 "@cookie-di"
            c.swift:1 "HTTPCookieStorage.shared"
            src/b.swift:1 "HTTPCookieStorage.shared"
            src/store.swift:2 "@cookie-di"
            --
        "#]],
        |world| {
            let mut said = String::new();
            for declaration in [true, false] {
                let params =
                    world.params(&json!({ "context": { "includeDeclaration": declaration } }));
                let found = references(&world.snapshot, params, &GOES_ON)
                    .unwrap()
                    .unwrap();
                for location in found {
                    let _ = writeln!(said, "{}", world.location(&location));
                }
                said.push_str("--\n");
            }
            said
        },
    );
}

#[test]
fn the_title_of_a_recipe_stands_for_its_trigger() {
    check(
        "//- /Alembic/recipes/x.md\n---\ntitle: X$0 rule\ntrigger: \"@x-y\"\n---\n//- /a.py closed\n# @x-y\n",
        &expect![[r#"a.py:1 "@x-y""#]],
        |world| {
            let params = world.params(&json!({ "context": { "includeDeclaration": false } }));
            let found = references(&world.snapshot, params, &GOES_ON)
                .unwrap()
                .unwrap();
            found
                .iter()
                .map(|location| world.location(location))
                .collect()
        },
    );
}
