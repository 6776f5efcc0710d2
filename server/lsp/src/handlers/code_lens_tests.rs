use std::fmt::Write as _;

use expect_test::expect;
use serde_json::{Value, json};
use tower_lsp_server::ls_types::Location;

use super::{code_lens, resolve};
use crate::fixture::{GOES_ON, World, check, check_with};

fn lenses(world: &World) -> String {
    let mut said = String::new();
    let lenses = code_lens(&world.snapshot, world.params(&json!({})), &GOES_ON).unwrap();
    for lens in lenses.unwrap_or_default() {
        let lens = if lens.command.is_some() {
            lens
        } else {
            resolve(&world.snapshot, lens, &GOES_ON).unwrap()
        };
        let place = Location::new(world.view().uri().clone(), lens.range);
        let command = lens.command.unwrap();
        let _ = writeln!(
            said,
            "{} | {} | {}",
            world.location(&place),
            command.title,
            command.command
        );
        for argument in command.arguments.unwrap_or_default() {
            let places = match serde_json::from_value::<Vec<Location>>(argument.clone()) {
                Ok(places) => places,
                Err(_) if argument.get("range").is_some() => {
                    vec![serde_json::from_value(argument).unwrap()]
                }
                Err(_) => continue,
            };
            for place in places {
                let _ = writeln!(said, "  {}", world.location(&place));
            }
        }
    }
    said
}

const PROJECT: &str = r#"
//- /Alembic/recipes/x.md
---
title: X$0
trigger: "@cookie-di"
lifecycle: pending
language: swift
do: Inject it
guards:
  - id: one
    pattern: 'HTTPCookieStorage\.shared'
  - id: two
    pattern: 'nothing-like-it'
  - id: broken
    pattern: '('
---
```swift bad
HTTPCookieStorage.shared
```
//- /a.swift closed
let 🍪 = HTTPCookieStorage.shared
//- /b.swift
let b = 2; HTTPCookieStorage.shared; HTTPCookieStorage.shared
"#;

#[test]
fn a_guard_says_how_often_it_matches() {
    check(
        PROJECT,
        &expect![[r#"
            Alembic/recipes/x.md:8 "id: one" | matches 3 places in 2 files | asd.showReferences
              a.swift:1 "HTTPCookieStorage.shared"
              b.swift:1 "HTTPCookieStorage.shared"
              b.swift:1 "HTTPCookieStorage.shared"
            Alembic/recipes/x.md:10 "id: two" | matches 0 places in 0 files | 
            Alembic/recipes/x.md:12 "id: broken" | cannot be checked | 
        "#]],
        lenses,
    );
}

#[test]
fn a_client_without_the_list_gets_the_servers_command() {
    check_with(
        PROJECT,
        &json!({}),
        &expect![[r#"
            Alembic/recipes/x.md:8 "id: one" | matches 3 places in 2 files | asd.showPlaces
              a.swift:1 "HTTPCookieStorage.shared"
              b.swift:1 "HTTPCookieStorage.shared"
              b.swift:1 "HTTPCookieStorage.shared"
            Alembic/recipes/x.md:10 "id: two" | matches 0 places in 0 files | 
            Alembic/recipes/x.md:12 "id: broken" | cannot be checked | 
        "#]],
        lenses,
    );
}

#[test]
fn directives_have_lenses() {
    let fixture = format!(
        "{}//- /c.swift\n// as:s cookie\nlet c = 1\n// as:c\nfunc f() {{\n\n  go()\n}}\n\nlet d = 2\n// as:a\n// as:a project\n// as:abc\nlet s = \"// as:s x\"$0\n",
        PROJECT.replace("$0", "")
    );
    check(
        &fixture,
        &expect![[r#"
        c.swift:1 "as:s cookie" | @cookie-di X | asd.showReferences
          Alembic/recipes/x.md:3 "\"@cookie-di\""
        c.swift:3 "as:c" | create a recipe from this code | asd.createCandidate
          c.swift:4 "func f() {\n\n  go()\n}"
        c.swift:10 "as:a" | 0 findings in this file | 
        c.swift:11 "as:a project" | check the project | asd.checkWorkspace
    "#]],
        lenses,
    );
}

#[test]
fn a_lens_that_is_not_ours_comes_back() {
    check(PROJECT, &expect!["2"], |world| {
        let mut count = 0;
        for data in [Value::Null, json!({ "uri": 7 })] {
            let lens = tower_lsp_server::ls_types::CodeLens {
                range: world.range(),
                command: None,
                data: Some(data),
            };
            assert_eq!(
                resolve(&world.snapshot, lens.clone(), &GOES_ON).unwrap(),
                lens
            );
            count += 1;
        }
        count.to_string()
    });
}

#[test]
fn a_candidate_can_be_approved_or_rejected() {
    let candidate = r#"
//- /Alembic/candidates/general/x.md
---
title: X$0
trigger: "@names"
lifecycle: pending
language: swift
do: Inject it
---
Text
"#;
    check(
        candidate,
        &expect![[r#"
            Alembic/candidates/general/x.md:3 "\"@names\"" | Approve | asd.judgeCandidate
            Alembic/candidates/general/x.md:3 "\"@names\"" | Reject | asd.judgeCandidate
        "#]],
        lenses,
    );
}
