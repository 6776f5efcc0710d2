use expect_test::expect;
use serde_json::json;
use tower_lsp_server::ls_types::{Location, PrepareRenameResponse};

use super::{prepare_rename, rename};
use crate::fixture::{GOES_ON, World, check, check_with, full_client};

const PROJECT: &str = r#"
//- /Alembic/recipes/net/cookie-di.md closed
---
title: Cookies
trigger: "@cookie-di"
lifecycle: active
language: swift
do: Inject the store, see @cookie-di
guards:
  - pattern: 'HTTPCookieStorage\.shared'
---

```swift bad guard=cookie-di
HTTPCookieStorage.shared
```
//- /Alembic/recipes/net/other.md closed
---
title: Other
trigger: "@other"
lifecycle: active
language: swift
do: Something
relations:
  depends_on: ["@cookie-di"]
---
//- /Alembic/config.toml closed
# cookie-di is mentioned
[guard]
disabledRules = ["other-rule", "cookie-di"]
[guard.rules.cookie-di]
severity = "info"
//- /Alembic/guard-exclusions.json closed
{ "ruleExclusions": { "cookie-di": [ "src/cookie-di/a.swift" ] } }
//- /src/store.swift closed
// @cookie-di, and @cookie-di-2 is another
let s = HTTPCookieStorage.shared // asd:ignore cookie-di
//- /a.py
# 🍪 饼干 @cookie$0-di!
s = "@cookie-di"
"#;

fn renamed(world: &World, new: &str) -> String {
    match rename(
        &world.snapshot,
        world.params(&json!({ "newName": new })),
        &GOES_ON,
    ) {
        Ok(Some(edit)) => world.apply(&edit),
        Ok(None) => "nothing".to_owned(),
        Err(error) => format!("{}: {}\n", error.code, error.message),
    }
}

#[test]
fn everything_that_names_the_trigger_follows() {
    check(
        PROJECT,
        &expect![[r#"
            rename /Alembic/recipes/net/cookie-di.md -> /Alembic/recipes/net/cookie-store.md
            //- /Alembic/config.toml
            # cookie-di is mentioned
            [guard]
            disabledRules = ["other-rule", "cookie-store"]
            [guard.rules.cookie-store]
            severity = "info"
            //- /Alembic/guard-exclusions.json
            { "ruleExclusions": { "cookie-store": [ "src/cookie-di/a.swift" ] } }
            //- /Alembic/recipes/net/cookie-di.md
            ---
            title: Cookies
            trigger: "@cookie-store"
            lifecycle: active
            language: swift
            do: Inject the store, see @cookie-store
            guards:
              - pattern: 'HTTPCookieStorage\.shared'
            ---

            ```swift bad guard=cookie-store
            HTTPCookieStorage.shared
            ```
            //- /Alembic/recipes/net/other.md
            ---
            title: Other
            trigger: "@other"
            lifecycle: active
            language: swift
            do: Something
            relations:
              depends_on: ["@cookie-store"]
            ---
            //- /a.py
            # 🍪 饼干 @cookie-store!
            s = "@cookie-di"
            //- /src/store.swift
            // @cookie-store, and @cookie-di-2 is another
            let s = HTTPCookieStorage.shared // asd:ignore cookie-store
        "#]],
        |world| renamed(world, "@cookie-store"),
    );
}

#[test]
fn the_at_sign_may_be_left_out_and_files_stay_where_they_cannot_be_moved() {
    let mut client = full_client();
    client["workspace"]["workspaceEdit"]["resourceOperations"] = json!([]);
    check_with(
        PROJECT,
        &client,
        &expect![[r#"
            disabledRules = ["other-rule", "cookies"]
            [guard.rules.cookies]
            { "ruleExclusions": { "cookies": [ "src/cookie-di/a.swift" ] } }
            trigger: "@cookies"
            do: Inject the store, see @cookies
            ```swift bad guard=cookies
              depends_on: ["@cookies"]
            # 🍪 饼干 @cookies!
            // @cookies, and @cookie-di-2 is another
            let s = HTTPCookieStorage.shared // asd:ignore cookies"#]],
        |world| {
            renamed(world, "cookies")
                .lines()
                .filter(|line| line.contains("cookies") || line.starts_with("rename"))
                .collect::<Vec<_>>()
                .join("\n")
        },
    );
}

#[test]
fn names_that_cannot_be_are_refused() {
    check(
        PROJECT,
        &expect![[r#"
        -32803: `@Cookie DI` is no trigger: it takes `@`, then small letters, digits and single hyphens, 2 to 60 characters in all. `@cookie-di` would be one.
        -32803: `@other` is taken: it reads as the trigger `@other` of Alembic/recipes/net/other.md.
        -32803: `@OTHER` is no trigger: it takes `@`, then small letters, digits and single hyphens, 2 to 60 characters in all. `@other` would be one.
        -32803: `` is no trigger: it takes `@`, then small letters, digits and single hyphens, 2 to 60 characters in all.
        -32803: `@` is no trigger: it takes `@`, then small letters, digits and single hyphens, 2 to 60 characters in all.
    "#]],
        |world| {
            ["@Cookie DI", "@other", "@OTHER", "", "@"]
                .map(|name| renamed(world, name))
                .concat()
        },
    );
}

#[test]
fn the_trigger_is_what_gets_edited() {
    check(
        PROJECT,
        &expect![[r#"a.py:1 "@cookie-di" @cookie-di"#]],
        |world| match prepare_rename(&world.snapshot, world.place(), &GOES_ON).unwrap() {
            Some(PrepareRenameResponse::RangeWithPlaceholder { range, placeholder }) => {
                let place = Location::new(world.view().uri().clone(), range);
                format!("{} {placeholder}", world.location(&place))
            }
            other => format!("{other:?}"),
        },
    );
}

#[test]
fn elsewhere_there_is_nothing_to_rename() {
    let fixture = PROJECT.replace("$0", "").replace("s = \"", "s$0 = \"");
    check(
        &fixture,
        &expect![[r#"
        None -32803: There is no trigger of a recipe here.
    "#]],
        |world| {
            let prepared = prepare_rename(&world.snapshot, world.place(), &GOES_ON).unwrap();
            format!("{prepared:?} {}", renamed(world, "@x-y"))
        },
    );
}
