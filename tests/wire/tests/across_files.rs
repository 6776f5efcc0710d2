//! Findings that lie in several files, while one of them is being written.

use std::time::Duration;

use asd_wire::{Client, Encoding, Publish, Workspace, range_of};
use serde_json::{Value, json};

const A: &str = "import { b } from './b';\nexport const a = b;\n";
const B: &str = "import { c } from './c';\nexport const b = c;\n";
const C: &str = "import { a } from './a';\nexport const c = a;\n";

fn circle() -> Workspace {
    Workspace::new(&[
        ("Alembic/config.toml", ""),
        ("src/a.ts", A),
        ("src/b.ts", B),
        ("src/c.ts", C),
    ])
}

/// Waits for what is told of a document, for any version.
fn told(client: &mut Client, uri: &str, what: impl Fn(&[&str]) -> bool) -> Publish {
    client.published(uri, "what is found across files", |publish| {
        what(&publish.codes())
    })
}

fn is_circle(codes: &[&str]) -> bool {
    codes == ["js-circular-import"]
}

fn related(publish: &Publish) -> Vec<(String, Value)> {
    publish.diagnostics[0]["relatedInformation"]
        .as_array()
        .expect("the finding names other places")
        .iter()
        .map(|related| {
            let location = &related["location"];
            let uri = location["uri"]
                .as_str()
                .expect("a place has an address")
                .to_owned();
            (uri, location["range"].clone())
        })
        .collect()
}

#[test]
fn a_circle_shows_after_a_moment_with_its_other_places() {
    let workspace = circle();
    let mut client = Client::start(&workspace);
    let uri = workspace.uri("src/a.ts");
    client.open(&uri, "typescript", 1, A);
    let publish = told(&mut client, &uri, is_circle);
    let range = range_of(A, "'./b'", 0, Encoding::Utf16);
    assert_eq!(publish.diagnostics[0]["range"], range);
    let expected = [("src/b.ts", B, "'./c'"), ("src/c.ts", C, "'./a'")];
    let expected = expected.map(|(path, text, specifier)| {
        let range = range_of(text, specifier, 0, Encoding::Utf16);
        (workspace.uri(path), range)
    });
    assert_eq!(related(&publish), expected);
    // Files that are not open are told by the others.
    assert!(client.shown(&workspace.uri("src/b.ts")).is_none());
}

#[test]
fn it_stays_with_its_code_and_goes_with_it() {
    let workspace = circle();
    let mut client = Client::start(&workspace);
    let (a, b) = (workspace.uri("src/a.ts"), workspace.uri("src/b.ts"));
    client.open(&a, "typescript", 1, A);
    client.open(&b, "typescript", 1, B);
    told(&mut client, &a, is_circle);
    told(&mut client, &b, is_circle);
    // A line above moves it at once.
    let moved = format!("// first\n{A}");
    client.replace(&a, 2, &moved);
    let publish = client.diagnostics(&a, 2);
    assert!(is_circle(&publish.codes()), "{publish:#?}");
    let range = range_of(&moved, "'./b'", 0, Encoding::Utf16);
    assert_eq!(publish.diagnostics[0]["range"], range);
    // The other file sees where it is now.
    let publish = client.published(&b, "the new place", |publish| {
        is_circle(&publish.codes()) && related(publish).contains(&(a.clone(), range.clone()))
    });
    assert_eq!(publish.diagnostics.len(), 1);
    // What breaks the circle takes it from both, at once where it is written.
    client.replace(
        &a,
        3,
        "import type { b } from './b';\nexport const a = 1;\n",
    );
    let publish = client.diagnostics(&a, 3);
    assert_eq!(publish.codes(), [""; 0]);
    told(&mut client, &b, |codes| codes.is_empty());
    client.idle(Duration::from_millis(600));
    assert_eq!(client.shown(&b).unwrap().codes(), [""; 0]);
}

#[test]
fn what_happens_on_disk_counts() {
    let workspace = circle();
    let mut client = Client::start(&workspace);
    let a = workspace.uri("src/a.ts");
    client.open(&a, "typescript", 1, A);
    told(&mut client, &a, is_circle);
    workspace.write("src/c.ts", "export const c = 1;\n");
    client.watched(&[(&workspace.uri("src/c.ts"), 2)]);
    told(&mut client, &a, |codes| codes.is_empty());
    workspace.write("src/c.ts", C);
    client.watched(&[(&workspace.uri("src/c.ts"), 2)]);
    told(&mut client, &a, is_circle);
    workspace.remove("src/b.ts");
    client.watched(&[(&workspace.uri("src/b.ts"), 3)]);
    told(&mut client, &a, |codes| codes.is_empty());
}

#[test]
fn a_workspace_check_tells_every_file_once() {
    let workspace = circle();
    let mut client = Client::start(&workspace);
    let tally = client.command("asd.checkWorkspace", json!([]));
    assert_eq!(tally["findings"], 3, "{tally}");
    client.message("window/showMessage");
    for path in ["src/a.ts", "src/b.ts", "src/c.ts"] {
        let uri = workspace.uri(path);
        let times = client.publishes().iter().filter(|p| p.uri == uri).count();
        assert_eq!(times, 1, "{path}");
        assert!(is_circle(&client.shown(&uri).unwrap().codes()));
    }
}

#[test]
fn a_comment_that_suppresses_it_is_of_use() {
    let workspace = circle();
    let mut client = Client::start(&workspace);
    let a = workspace.uri("src/a.ts");
    client.open(&a, "typescript", 1, A);
    told(&mut client, &a, is_circle);
    let text = format!("// asd:ignore js-circular-import -- they are loaded later\n{A}");
    client.replace(&a, 2, &text);
    told(&mut client, &a, |codes| codes.is_empty());
}
