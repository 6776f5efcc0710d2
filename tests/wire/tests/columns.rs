//! Columns in three encodings and with several line endings.

use asd_wire::{Builder, Client, ENCODINGS, Encoding, LINE_ENDINGS, Workspace, range_of, recipe};
use serde_json::json;

const TODO: &str = "pattern: '\\bTODO\\b'\nmessage: No TODO in code\nseverity: warning";
const CONSOLE: &str = "type: ast\nlanguage: typescript\npattern: console.log($$$A)\nfix: logger.debug($$$A)\nmessage: No console in code\nseverity: warning";

fn todo_project() -> Workspace {
    Workspace::new(&[(
        "Alembic/recipes/no-todo.md",
        &recipe("no-todo", "all", TODO),
    )])
}

#[test]
fn the_range_covers_the_expression_and_nothing_else() {
    let workspace = Workspace::new(&[(
        "Alembic/recipes/cookie-di.md",
        &recipe(
            "cookie-di",
            "swift",
            "pattern: 'HTTPCookieStorage\\.shared'\nmessage: Inject the cookie storage\nseverity: error",
        ),
    )]);
    let text = "let 🍪 = \"饼干\"; let s = HTTPCookieStorage.shared\n";
    for encoding in ENCODINGS {
        for ending in LINE_ENDINGS {
            let text = text.replace('\n', ending);
            let mut client = Builder::new(&workspace).encoding(encoding).start();
            let uri = workspace.uri("Sources/Cookies.swift");
            client.open(&uri, "swift", 1, &text);
            let publish = client.diagnostics(&uri, 1);
            assert_eq!(publish.codes(), ["cookie-di"], "{publish:#?}");
            assert_eq!(
                publish.diagnostics[0]["range"],
                range_of(&text, "HTTPCookieStorage.shared", 0, encoding),
                "{encoding:?}"
            );
        }
    }
}
