use std::fmt::Write as _;

use expect_test::expect;
use serde_json::{Value, json};
use tower_lsp_server::ls_types::{
    CompletionItem, CompletionResponse, CompletionTextEdit, Documentation, Location,
};

use super::{completion, is_subsequence, resolve, trigger_being_typed};
use crate::fixture::{GOES_ON, World, check};

const PROJECT: &str = r#"
//- /Alembic/recipes/cookie-di.md closed
---
title: CookieStore 注入
trigger: "@cookie-di"
lifecycle: active
language: swift
do: Inject it
guards:
  - pattern: 'HTTPCookieStorage\.shared'
---
//- /Alembic/recipes/net-client.md closed
---
title: One client
trigger: "@net-client"
lifecycle: deprecated
language: all
do: Share it
---
"#;

fn items(world: &World, more: &Value) -> Vec<CompletionItem> {
    match completion(&world.snapshot, world.params(more), &GOES_ON).unwrap() {
        Some(CompletionResponse::List(list)) => list.items,
        Some(CompletionResponse::Array(items)) => items,
        None => Vec::new(),
    }
}

fn listed(world: &World) -> String {
    let mut said = String::new();
    for item in items(world, &json!({})).iter().take(8) {
        let detail = item.detail.as_deref().unwrap_or("");
        let _ = write!(said, "{} ({detail})", item.label);
        if let Some(CompletionTextEdit::Edit(edit)) = &item.text_edit {
            let place = Location::new(world.view().uri().clone(), edit.range);
            let _ = write!(said, " {} => {:?}", world.location(&place), edit.new_text);
        }
        said.push('\n');
    }
    said
}

fn in_file(text: &str) -> String {
    format!("{PROJECT}{text}")
}

#[test]
fn an_at_sign_in_a_comment_lists_the_triggers() {
    check(
        &in_file("//- /a.py\n# 饼干🍪@$0\n"),
        &expect![[r#"
        @cookie-di (CookieStore 注入) a.py:1 "@" => "@cookie-di"
        @net-client (One client) a.py:1 "@" => "@net-client"
    "#]],
        listed,
    );
    check(
        &in_file("//- /a.py\n# see @cdi$0x y\n"),
        &expect![[r#"
        @cookie-di (CookieStore 注入) a.py:1 "@cdix" => "@cookie-di"
    "#]],
        listed,
    );
    check(
        &in_file("//- /README.md\nsee @net$0\n"),
        &expect![[r#"
        @net-client (One client) README.md:1 "@net" => "@net-client"
    "#]],
        listed,
    );
}

#[test]
fn code_and_addresses_list_none() {
    for text in [
        "//- /a.py\n@$0\n",
        "//- /a.py\n# me@$0\n",
        "//- /a.py\ns = '@$0'\n",
    ] {
        check(&in_file(text), &expect![""], listed);
    }
}

#[test]
fn the_card_is_the_documentation() {
    check(
        &in_file("//- /a.py\n# @cook$0\n"),
        &expect![[r#"
        ### CookieStore 注入

        `@cookie-di` · rule · active · swift

        **Do:** Inject it"#]],
        |world| {
            let item = items(world, &json!({})).remove(0);
            assert_eq!(item.documentation, None);
            match resolve(&world.snapshot, item, &GOES_ON)
                .unwrap()
                .documentation
            {
                Some(Documentation::MarkupContent(markup)) => markup.value,
                other => format!("{other:?}"),
            }
        },
    );
}

#[test]
fn rule_ids_follow_a_suppression() {
    check(
        &in_file("//- /a.swift\nlet a = 1 // asd:ignore cookie$0\n"),
        &expect![""],
        |world| {
            let lines = listed(world);
            lines
                .lines()
                .filter(|line| line.contains("cookie-di"))
                .collect()
        },
    );
}

#[test]
fn front_matter_lists_keys_and_values() {
    let recipe =
        |text: &str| format!("{PROJECT}//- /Alembic/recipes/x.md\n---\ntitle: X\n{text}\n---\n");
    check(
        &recipe("tr$0"),
        &expect![[r#"
        trigger (required) Alembic/recipes/x.md:3 "tr" => "trigger: "
        kind (required for publishing) Alembic/recipes/x.md:3 "tr" => "kind: "
        knowledgeType (required for publishing) Alembic/recipes/x.md:3 "tr" => "knowledgeType: "
        lifecycle (filled by the tools) Alembic/recipes/x.md:3 "tr" => "lifecycle: "
        language (required for publishing) Alembic/recipes/x.md:3 "tr" => "language: "
        category (required for publishing) Alembic/recipes/x.md:3 "tr" => "category: "
        dimensionId (expected) Alembic/recipes/x.md:3 "tr" => "dimensionId: "
        topicHint (expected) Alembic/recipes/x.md:3 "tr" => "topicHint: "
    "#]],
        listed,
    );
    check(
        &recipe("kind: $0"),
        &expect![[r#"
        rule () Alembic/recipes/x.md:3 "" => "rule"
        pattern () Alembic/recipes/x.md:3 "" => "pattern"
        fact () Alembic/recipes/x.md:3 "" => "fact"
    "#]],
        listed,
    );
    check(
        &recipe("kind: r$0ule"),
        &expect![[r#"
        rule () Alembic/recipes/x.md:3 "rule" => "rule"
        pattern () Alembic/recipes/x.md:3 "rule" => "pattern"
        fact () Alembic/recipes/x.md:3 "rule" => "fact"
    "#]],
        listed,
    );
    check(
        &recipe("guards:\n  - id: a\n    severity: $0"),
        &expect![[r#"
        info () Alembic/recipes/x.md:5 "" => "info"
        warning () Alembic/recipes/x.md:5 "" => "warning"
        error () Alembic/recipes/x.md:5 "" => "error"
    "#]],
        listed,
    );
    check(
        &recipe("guards:\n  - id: a\n    $0"),
        &expect![[r#"
        id (optional) Alembic/recipes/x.md:5 "" => "id: "
        type (optional) Alembic/recipes/x.md:5 "" => "type: "
        pattern (optional) Alembic/recipes/x.md:5 "" => "pattern: "
        ast (optional) Alembic/recipes/x.md:5 "" => "ast: "
        rule (optional) Alembic/recipes/x.md:5 "" => "rule:"
        constraints (optional) Alembic/recipes/x.md:5 "" => "constraints:"
        utils (optional) Alembic/recipes/x.md:5 "" => "utils:"
        astQuery (optional) Alembic/recipes/x.md:5 "" => "astQuery:"
    "#]],
        listed,
    );
    check(
        &recipe("guards:\n  - multiline: $0"),
        &expect![[r#"
        true () Alembic/recipes/x.md:4 "" => "true"
        false () Alembic/recipes/x.md:4 "" => "false"
    "#]],
        listed,
    );
    check(
        &recipe("relations:\n  depends_on: [\"co$0\"]"),
        &expect![[r#"
            @cookie-di (CookieStore 注入) Alembic/recipes/x.md:4 "co" => "@cookie-di"
            @net-client (One client) Alembic/recipes/x.md:4 "co" => "@net-client"
        "#]],
        listed,
    );
    check(
        &recipe("relations:\n  depends_on: [$0]"),
        &expect![[r#"
        @cookie-di (CookieStore 注入) Alembic/recipes/x.md:4 "" => "\"@cookie-di\""
        @net-client (One client) Alembic/recipes/x.md:4 "" => "\"@net-client\""
    "#]],
        listed,
    );
}

#[test]
fn an_at_sign_as_trigger_character_asks_for_triggers_alone() {
    check(
        &in_file("//- /Alembic/recipes/x.md\n---\nkind: $0\n---\n"),
        &expect!["0"],
        |world| {
            let by_at = json!({ "context": { "triggerKind": 2, "triggerCharacter": "@" } });
            items(world, &by_at).len().to_string()
        },
    );
}

#[test]
fn a_trigger_begins_with_its_at_sign() {
    let typed =
        |text: &str, offset| trigger_being_typed(text, offset).map(|s| s.of(text).to_owned());
    assert_eq!(typed("// @", 4).as_deref(), Some("@"));
    assert_eq!(typed("见@cook-x y", 6).as_deref(), Some("@cook-x"));
    assert_eq!(typed("me@cook", 7), None);
    assert_eq!(typed("cook", 4), None);
}

#[test]
fn letters_may_be_left_out() {
    assert!(is_subsequence("ckdi", "cookiedi"));
    assert!(!is_subsequence("dick", "cookiedi"));
}
