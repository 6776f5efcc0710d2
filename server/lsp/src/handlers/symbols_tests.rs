use std::fmt::Write as _;

use expect_test::expect;
use serde_json::json;
use tower_lsp_server::ls_types::{
    DocumentSymbol, DocumentSymbolResponse, Location, OneOf, WorkspaceSymbolParams,
    WorkspaceSymbolResponse,
};

use super::{document_symbol, resolve, workspace_symbol};
use crate::fixture::{GOES_ON, World, check, check_with};

const RECIPE: &str = r#"
//- /Alembic/recipes/cookie-di.md
---
title: CookieStore 依赖注入$0
trigger: "@cookie-di"
lifecycle: active
language: swift
tags: [饼干, storage]
do: Inject it
guards:
  - id: cookie-shared
    pattern: 'HTTPCookieStorage\.shared'
    severity: error
---

## Core code
```swift
let a = 1
```

## Usage guide
### Steps
```swift bad
HTTPCookieStorage.shared
```
"#;

fn tree(world: &World, symbols: &[DocumentSymbol], depth: usize, said: &mut String) {
    for symbol in symbols {
        let place = Location::new(world.view().uri().clone(), symbol.selection_range);
        let detail = symbol.detail.as_deref().unwrap_or("");
        let indent = "  ".repeat(depth);
        let _ = writeln!(
            said,
            "{indent}{:?} {} ({detail}) {}",
            symbol.kind,
            symbol.name,
            world.location(&place)
        );
        assert!(symbol.range.start <= symbol.selection_range.start);
        assert!(symbol.selection_range.end <= symbol.range.end);
        tree(
            world,
            symbol.children.as_deref().unwrap_or_default(),
            depth + 1,
            said,
        );
    }
}

#[test]
fn a_recipe_has_guards_sections_and_examples() {
    check(
        RECIPE,
        &expect![[r####"
        Class @cookie-di CookieStore 依赖注入 () Alembic/recipes/cookie-di.md:3 "\"@cookie-di\""
          Operator cookie-shared (error) Alembic/recipes/cookie-di.md:10 "'HTTPCookieStorage\\.shared'"
        String Core code () Alembic/recipes/cookie-di.md:14 "## Core code"
        String Usage guide () Alembic/recipes/cookie-di.md:19 "## Usage guide"
          String Steps () Alembic/recipes/cookie-di.md:20 "### Steps"
            Event bad (swift) Alembic/recipes/cookie-di.md:21 "swift bad"
    "####]],
        |world| match document_symbol(&world.snapshot, world.params(&json!({})), &GOES_ON).unwrap()
        {
            Some(DocumentSymbolResponse::Nested(symbols)) => {
                let mut said = String::new();
                tree(world, &symbols, 0, &mut said);
                said
            }
            other => format!("{other:?}"),
        },
    );
}

#[test]
fn a_client_without_trees_gets_a_list() {
    check_with(
        RECIPE,
        &json!({}),
        &expect![[r#"
        @cookie-di CookieStore 依赖注入 < 
        cookie-shared < @cookie-di CookieStore 依赖注入
        Core code < 
        Usage guide < 
        Steps < Usage guide
        bad < Steps
    "#]],
        |world| match document_symbol(&world.snapshot, world.params(&json!({})), &GOES_ON).unwrap()
        {
            Some(DocumentSymbolResponse::Flat(symbols)) => symbols
                .iter()
                .map(|symbol| {
                    format!(
                        "{} < {}\n",
                        symbol.name,
                        symbol.container_name.as_deref().unwrap_or("")
                    )
                })
                .collect(),
            other => format!("{other:?}"),
        },
    );
}

#[test]
fn other_files_have_no_symbols_of_ours() {
    check("//- /a.ts\nlet a$0 = 1\n", &expect!["None"], |world| {
        format!(
            "{:?}",
            document_symbol(&world.snapshot, world.params(&json!({})), &GOES_ON).unwrap()
        )
    });
}

#[test]
fn recipes_and_rules_are_found_in_both_languages() {
    check(
        RECIPE,
        &expect![[r#"
            --- 
            @cookie-di CookieStore 依赖注入 Alembic/recipes/cookie-di.md:3 "\"@cookie-di\""
            --- cookie
            @cookie-di CookieStore 依赖注入 Alembic/recipes/cookie-di.md:3 "\"@cookie-di\""
            cookie-shared Alembic/recipes/cookie-di.md:9 "id: cookie-shared\n    pattern: 'HTTPCookieStorage\\.shared'\n    severity: error"
            --- 依赖
            @cookie-di CookieStore 依赖注入 Alembic/recipes/cookie-di.md:3 "\"@cookie-di\""
            --- 饼干
            @cookie-di CookieStore 依赖注入 Alembic/recipes/cookie-di.md:3 "\"@cookie-di\""
            --- cookie-shared
            @cookie-di CookieStore 依赖注入 Alembic/recipes/cookie-di.md:3 "\"@cookie-di\""
            cookie-shared Alembic/recipes/cookie-di.md:9 "id: cookie-shared\n    pattern: 'HTTPCookieStorage\\.shared'\n    severity: error"
            --- nothing-like-it
        "#]],
        |world| {
            let mut said = String::new();
            for query in [
                "",
                "cookie",
                "依赖",
                "饼干",
                "cookie-shared",
                "nothing-like-it",
            ] {
                let _ = writeln!(said, "--- {query}");
                let params = WorkspaceSymbolParams {
                    query: query.to_owned(),
                    ..WorkspaceSymbolParams::default()
                };
                let Some(WorkspaceSymbolResponse::Nested(symbols)) =
                    workspace_symbol(&world.snapshot, params, &GOES_ON).unwrap()
                else {
                    panic!("symbols are expected");
                };
                for symbol in symbols {
                    let symbol = resolve(&world.snapshot, symbol, &GOES_ON).unwrap();
                    let OneOf::Left(location) = &symbol.location else {
                        panic!("a place is expected");
                    };
                    let _ = writeln!(said, "{} {}", symbol.name, world.location(location));
                }
            }
            said
        },
    );
}
