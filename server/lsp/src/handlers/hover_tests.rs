use expect_test::expect;
use serde_json::json;
use tower_lsp_server::ls_types::{Hover, HoverContents, Location};

use super::hover;
use crate::fixture::{GOES_ON, World, check, check_with};

/// A recipe that everything here is about.
const COOKIE: &str = r#"
//- /Alembic/recipes/storage/cookie-di.md closed
---
title: CookieStore 依赖注入
trigger: "@cookie-di"
kind: rule
lifecycle: active
language: swift
when: Reading or writing cookies
do: Inject `CookieStore`
dont: use HTTPCookieStorage.shared
reasoning:
  whyStandard: Tests need a store of their own
  sources: ["src/store.swift:1", "src/gone.swift"]
guards:
  - pattern: 'HTTPCookieStorage\.shared'
    severity: error
    message: The shared cookie store is used
---

## Core code
```swift
let store: CookieStore = resolve()
```
//- /src/store.swift closed
final class CookieStore {}
"#;

fn ask(world: &World) -> String {
    match hover(&world.snapshot, world.params(&json!({})), &GOES_ON).unwrap() {
        Some(hover) => shown(world, hover),
        None => "nothing".to_owned(),
    }
}

fn shown(world: &World, hover: Hover) -> String {
    let HoverContents::Markup(markup) = hover.contents else {
        panic!("markup is expected");
    };
    let location = Location::new(world.view().uri().clone(), hover.range.unwrap());
    let place = world.location(&location);
    format!("{place}\n{}\n", world.clean(&markup.value))
}

fn in_file(text: &str) -> String {
    format!("{COOKIE}{text}")
}

#[test]
fn a_trigger_in_a_comment_behind_chinese_text_shows_the_card() {
    check(
        &in_file("//- /a.py\n# 中文说明 🍪 @cook$0ie-di 之后\n"),
        &expect![[r#"
            a.py:1 "@cookie-di"
            ### CookieStore 依赖注入

            `@cookie-di` · rule · active · swift

            **When:** Reading or writing cookies

            **Do:** Inject \`CookieStore\`

            **Don't:** use HTTPCookieStorage.shared

            **Why:** Tests need a store of their own

            ```swift
            let store: CookieStore = resolve()
            ```

            **Sources:** [src/store.swift:1](<file:///src/store.swift#L1>), `src/gone.swift` (not found)
        "#]],
        ask,
    );
}

#[test]
fn a_finding_shows_the_card_of_its_recipe() {
    check(
        &in_file("//- /a.swift\nlet 🍪 = \"饼干\"; let s = HTTPCookie$0Storage.shared\n"),
        &expect![[r#"
            a.swift:1 "HTTPCookieStorage.shared"
            ### CookieStore 依赖注入

            `@cookie-di` · rule · active · swift

            **When:** Reading or writing cookies

            **Do:** Inject \`CookieStore\`

            **Don't:** use HTTPCookieStorage.shared

            **Why:** Tests need a store of their own

            ```swift
            let store: CookieStore = resolve()
            ```

            **Sources:** [src/store.swift:1](<file:///src/store.swift#L1>), `src/gone.swift` (not found)
        "#]],
        ask,
    );
}

#[test]
fn a_client_without_markdown_gets_plain_text() {
    check_with(
        &in_file("//- /a.py\n# @cook$0ie-di\n"),
        &json!({ "textDocument": { "hover": { "contentFormat": ["plaintext"] } } }),
        &expect![[r#"
            a.py:1 "@cookie-di"
            CookieStore 依赖注入

            @cookie-di · rule · active · swift

            When: Reading or writing cookies

            Do: Inject `CookieStore`

            Don't: use HTTPCookieStorage.shared

            Why: Tests need a store of their own

            let store: CookieStore = resolve()

            Sources: src/store.swift:1, src/gone.swift (not found)
        "#]],
        ask,
    );
}

#[test]
fn an_identifier_of_a_recipe_is_mentioned_in_one_line() {
    check(
        &in_file("//- /a.swift\nlet s: Cookie$0Store\n"),
        &expect![[r#"
            a.swift:1 "CookieStore"
            `@cookie-di` — Inject \`CookieStore\`
        "#]],
        ask,
    );
}

#[test]
fn decorators_strings_and_other_languages_show_nothing() {
    for text in [
        "//- /a.ts\n@cook$0ie\nclass A {}\n",
        "//- /a.py\ns = '@cook$0ie-di'\n",
        "//- /a.ts\nlet s: Cookie$0Store\n",
        "//- /a.swift\n// no recipe @oth$0er\n",
    ] {
        check(&in_file(text), &expect!["nothing"], ask);
    }
}

#[test]
fn positions_out_of_the_text_are_clamped() {
    let fixture = in_file("//- /a.swift\n$0let 🍪 = 1\n");
    check(&fixture, &expect![["3 answers"]], |world| {
        let mut answers = 0;
        for position in world.far_away() {
            let params = world.params(&json!({ "position": position }));
            assert_eq!(hover(&world.snapshot, params, &GOES_ON).unwrap(), None);
            answers += 1;
        }
        format!("{answers} answers")
    });
}

#[test]
fn a_built_in_rule_shows_its_page() {
    check(
        "//- /a.ts\ndebug$0ger;\n",
        &expect![[r#"
            a.ts:1 "debugger;"
            # js-no-debugger

            `error` · javascript, typescript · style · L1 · fixable

            Reports `debugger` statements.

            ## Why"#]],
        |world| ask(world).lines().take(8).collect::<Vec<_>>().join("\n"),
    );
    check_with(
        "//- /a.ts\ndebug$0ger;\n",
        &json!({ "textDocument": { "hover": { "contentFormat": ["plaintext"] } } }),
        &expect![[r#"
            a.ts:1 "debugger;"
            js-no-debugger

            built-in rule · error · style · javascript, typescript

            `debugger` stops the program when developer tools are open.

            Do: Remove the statement; set a breakpoint in the debugger instead.

            Why: It is left over from a debugging session and halts the page of everyone who has the tools open.
        "#]],
        ask,
    );
}

#[test]
fn a_suppression_shows_the_card_of_what_it_suppresses() {
    check(
        &in_file("//- /a.swift\nlet s = HTTPCookieStorage.shared // asd:ignore cook$0ie-di\n"),
        &expect![[r#"
            a.swift:1 "cookie-di"
            ### CookieStore 依赖注入

            `@cookie-di` · rule · active · swift"#]],
        |world| ask(world).lines().take(4).collect::<Vec<_>>().join("\n"),
    );
}
