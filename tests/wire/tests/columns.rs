//! Columns in three encodings and with several line endings.

use asd_wire::{
    Builder, Client, ENCODINGS, Encoding, LINE_ENDINGS, Workspace, end_of, range_of, recipe,
};
use serde_json::{Value, json};

const TODO: &str =
    "pattern: '\\bTODO\\b'\nmatchIn: text\nmessage: No TODO in code\nseverity: warning";
const CONSOLE: &str = "ast: console.log($$$A)\n\
    fix: logger.debug($$$A)\nmessage: No console in code\nseverity: warning";
/// The product has a rule of its own on the console.
const SETTINGS: &str = "[guard]\ndisabledRules = [\"js-no-console-log\"]\n";

fn todo_project() -> Workspace {
    Workspace::new(&[(
        "Alembic/recipes/no-todo.md",
        &recipe("no-todo", "all", TODO),
    )])
}

fn console_project() -> Workspace {
    Workspace::new(&[
        (
            "Alembic/recipes/no-console.md",
            &recipe("no-console", "typescript", CONSOLE),
        ),
        ("Alembic/config.toml", SETTINGS),
    ])
}

/// Runs a check of one text in all encodings and with both line endings; the
/// only finding must cover `needle`.
fn marks(workspace: &Workspace, file: &str, language: &str, text: &str, needle: &str) {
    for encoding in ENCODINGS {
        for ending in LINE_ENDINGS {
            let text = text.replace('\n', ending);
            let mut client = Builder::new(workspace).encoding(encoding).start();
            let uri = workspace.uri(file);
            client.open(&uri, language, 1, &text);
            let publish = client.diagnostics(&uri, 1);
            assert_eq!(publish.diagnostics.len(), 1, "{publish:#?}");
            assert_eq!(
                publish.diagnostics[0]["range"],
                range_of(&text, needle, 0, encoding),
                "{encoding:?} {ending:?}"
            );
        }
    }
}

#[test]
fn the_range_covers_the_expression_and_nothing_else() {
    let workspace = Workspace::new(&[(
        "Alembic/recipes/cookie-di.md",
        &recipe(
            "cookie-di",
            "swift",
            "pattern: 'HTTPCookieStorage\\.shared'\nmessage: Inject it\nseverity: error",
        ),
    )]);
    marks(
        &workspace,
        "Sources/Cookies.swift",
        "swift",
        "let 🍪 = \"饼干\"; let s = HTTPCookieStorage.shared\n",
        "HTTPCookieStorage.shared",
    );
}

#[test]
fn an_emoji_before_the_finding_does_not_shift_it() {
    marks(
        &console_project(),
        "a.ts",
        "typescript",
        "/* 🦀 */ console.log(1)\n",
        "console.log(1)",
    );
}

#[test]
fn a_fix_behind_an_emoji_changes_only_the_call() {
    let workspace = console_project();
    for encoding in ENCODINGS {
        let text = "/* 🦀 */ console.log(1); // 🦀\r\n";
        let mut client = Builder::new(&workspace).encoding(encoding).start();
        let uri = workspace.uri("a.ts");
        client.open(&uri, "typescript", 1, text);
        let publish = client.diagnostics(&uri, 1);
        let column = publish.diagnostics[0]["range"]["start"]["character"].clone();
        let expected = match encoding {
            Encoding::Utf8 => 11,
            Encoding::Utf16 => 9,
            Encoding::Utf32 => 8,
        };
        assert_eq!(column, expected, "{encoding:?}");
        let edit = quick_fix(&mut client, &uri, &publish.diagnostics[0]);
        assert_eq!(
            asd_wire::edited(text, &edit, encoding),
            "/* 🦀 */ logger.debug(1); // 🦀\r\n"
        );
    }
}

/// The edit of the preferred quick fix at a diagnostic.
fn quick_fix(client: &mut Client, uri: &str, diagnostic: &Value) -> Value {
    let actions = client.request(
        "textDocument/codeAction",
        json!({
            "textDocument": {"uri": uri},
            "range": diagnostic["range"],
            "context": {"diagnostics": [diagnostic], "only": ["quickfix"]},
        }),
    );
    let action = actions
        .as_array()
        .into_iter()
        .flatten()
        .find(|action| action["isPreferred"] == true)
        .unwrap_or_else(|| panic!("no preferred action in {actions:#}"))
        .clone();
    if action["edit"].is_null() {
        client.request("codeAction/resolve", action)["edit"].clone()
    } else {
        action["edit"].clone()
    }
}

#[test]
fn grapheme_clusters_are_not_columns() {
    marks(
        &todo_project(),
        "a.ts",
        "typescript",
        "// 👩‍👩‍👧 e\u{301} TODO\nlet a = 1\n",
        "TODO",
    );
}

#[test]
fn a_carriage_return_is_no_column() {
    let workspace = console_project();
    let mut client = Client::start(&workspace);
    let uri = workspace.uri("a.ts");
    client.open(&uri, "typescript", 1, "a\r\nconsole.log(1)\r\n");
    let publish = client.diagnostics(&uri, 1);
    assert_eq!(
        publish.diagnostics[0]["range"],
        json!({"start": {"line": 1, "character": 0}, "end": {"line": 1, "character": 14}})
    );
}

#[test]
fn a_lone_carriage_return_ends_a_line() {
    marks(
        &todo_project(),
        "a.ts",
        "typescript",
        "let a = 1\r// 饼 TODO\nlet b = 2\n",
        "TODO",
    );
}

#[test]
fn hostile_positions_are_clamped() {
    let workspace = console_project();
    for encoding in ENCODINGS {
        let mut client = Builder::new(&workspace).encoding(encoding).start();
        let uri = workspace.uri("a.ts");
        client.open(&uri, "typescript", 1, "let a = '🦀'\nconsole.log(a)");
        client.diagnostics(&uri, 1);
        for (line, character) in [(0, 9999), (9999, 0), (0, 10), (u32::MAX, u32::MAX)] {
            let position = json!({"line": line, "character": character});
            client.request(
                "textDocument/hover",
                json!({"textDocument": {"uri": uri}, "position": position}),
            );
            client.request(
                "textDocument/codeAction",
                json!({
                    "textDocument": {"uri": uri},
                    "range": {"start": position, "end": position},
                    "context": {"diagnostics": []},
                }),
            );
        }
    }
}

#[test]
fn the_end_of_a_finding_is_not_behind_its_line() {
    let workspace = Workspace::new(&[(
        "Alembic/recipes/no-trailing.md",
        &recipe(
            "no-trailing",
            "all",
            "pattern: '[ \\t]+$'\nmessage: No blanks at the end of a line",
        ),
    )]);
    for encoding in ENCODINGS {
        let mut client = Builder::new(&workspace).encoding(encoding).start();
        let uri = workspace.uri("a.ts");
        let text = "let a = '🦀'  ";
        client.open(&uri, "typescript", 1, text);
        let publish = client.diagnostics(&uri, 1);
        let trailing = publish
            .diagnostics
            .iter()
            .find(|diagnostic| diagnostic["code"] == "no-trailing")
            .unwrap_or_else(|| panic!("{publish:#?}"));
        assert_eq!(trailing["range"]["end"], end_of(text, encoding));
        assert_eq!(trailing["range"], range_of(text, "  ", 0, encoding));
    }
}

#[test]
fn an_empty_match_is_made_visible() {
    let workspace = Workspace::new(&[(
        "Alembic/recipes/boundary.md",
        &recipe(
            "boundary",
            "all",
            "pattern: 'zz(?:)|\\bq\\b'\nmessage: Anything",
        ),
    )]);
    let mut client = Client::start(&workspace);
    let uri = workspace.uri("a.ts");
    client.open(&uri, "typescript", 1, "let q = 1");
    let publish = client.diagnostics(&uri, 1);
    for diagnostic in &publish.diagnostics {
        assert_ne!(
            diagnostic["range"]["start"], diagnostic["range"]["end"],
            "{diagnostic:#}"
        );
    }
    assert!(!publish.diagnostics.is_empty());
}

#[test]
fn the_encoding_is_the_best_one_offered() {
    let workspace = todo_project();
    let chosen =
        |offered: &[&'static str]| Builder::new(&workspace).encodings(offered).start().encoding;
    assert_eq!(chosen(&["utf-16", "utf-8"]), Encoding::Utf8);
    assert_eq!(chosen(&["utf-32", "utf-16"]), Encoding::Utf32);
    assert_eq!(chosen(&["utf-16", "utf-32"]), Encoding::Utf16);
    let client = Client::start(&workspace);
    assert_eq!(client.encoding, Encoding::Utf16);
}

#[test]
fn a_byte_order_mark_on_disk_is_no_column() {
    let workspace = todo_project();
    workspace.write("a.ts", "\u{FEFF}/*TODO*/ let a = 1\n");
    let mut client = Client::start(&workspace);
    let uri = workspace.uri("a.ts");
    client.command("asd.checkWorkspace", json!([]));
    let scanned = client.published(&uri, "the scan of a.ts", |publish| {
        !publish.diagnostics.is_empty()
    });
    client.messages("window/showMessage");
    client.open(&uri, "typescript", 1, "/*TODO*/ let a = 1\n");
    let opened = client.diagnostics(&uri, 1);
    assert_eq!(
        scanned.diagnostics[0]["range"],
        opened.diagnostics[0]["range"]
    );
    assert_eq!(opened.diagnostics[0]["range"]["start"]["character"], 2);
}

#[test]
fn findings_in_embedded_code_are_placed_in_the_outer_file() {
    let workspace = console_project();
    marks(
        &workspace,
        "docs/guide.md",
        "markdown",
        "# 文档\n\n```ts\n/* 🦀 */ console.log(1)\n```\n",
        "console.log(1)",
    );
    marks(
        &workspace,
        "src/App.vue",
        "vue",
        "<template><p>饼</p></template>\n<script lang=\"ts\">\n/* 🦀 */ console.log(1)\n</script>\n",
        "console.log(1)",
    );
}
