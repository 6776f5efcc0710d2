//! `asd watch`, with the real program and the real disk.

#![allow(
    clippy::unwrap_used,
    reason = "a test may panic, and so may what it uses"
)]

#[allow(dead_code, reason = "each test file uses a part of it")]
mod common;

use std::io::{BufRead, BufReader};
use std::process::{Child, ChildStdout, Command, Stdio};

use common::{Project, recipe};

/// The program while it watches; it is ended with the test.
struct Watching {
    child: Child,
    out: BufReader<ChildStdout>,
}

impl Watching {
    fn start(project: &Project) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_asd"))
            .args(["watch", "--until-quiet", "20"])
            .current_dir(project.path(""))
            .env("XDG_CONFIG_HOME", project.path(".user"))
            .env("XDG_CACHE_HOME", project.cache())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let out = BufReader::new(child.stdout.take().unwrap());
        let mut watching = Self { child, out };
        watching.until("Watching ");
        watching
    }

    /// Everything up to the first line that holds `end`.
    fn until(&mut self, end: &str) -> String {
        let mut all = String::new();
        loop {
            let mut line = String::new();
            let length = self.out.read_line(&mut line).unwrap();
            assert!(length > 0, "it ended before {end:?}:\n{all}");
            all.push_str(&line);
            if line.contains(end) {
                return all;
            }
        }
    }
}

impl Drop for Watching {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn project() -> Project {
    Project::new(&[
        (
            "Alembic/recipes/general/retry.md",
            &recipe("retry-queue", r"\bbadWord\b", ""),
        ),
        ("src/a.js", "ok();\n"),
    ])
}

#[test]
fn what_is_saved_is_checked() {
    let project = project();
    let mut watching = Watching::start(&project);
    project.write("src/a.js", b"ok();\ndebugger;\n");
    let told = watching.until("src/a.js: 1 finding.");
    assert!(
        told.contains("src/a.js:2:1: error[js-no-debugger]"),
        "{told}"
    );
    project.write("src/a.js", b"ok();\n");
    watching.until("src/a.js: 0 findings.");
    // A rule that comes is in force at once.
    project.write(
        "Alembic/recipes/general/new.md",
        recipe("no-new", r"\bok\b", "").as_bytes(),
    );
    watching.until("rules have changed");
    project.write("src/a.ts", b"ok(1);\n");
    watching.until("src/a.ts: 1 finding.");
}

#[test]
fn directives_are_carried_out_once() {
    let project = project();
    let mut watching = Watching::start(&project);
    project.write("src/b.js", b"// as:search retry-queue\nok();\n");
    let told = watching.until("@retry-queue");
    assert!(told.contains("Recipes for `retry-queue`: 1."), "{told}");
    project.write(
        "src/b.js",
        b"// as:search retry-queue\n// as:create\nfunction f() {\n  return 1;\n}\n",
    );
    let told = watching.until("Drafted ");
    assert!(!told.contains("Recipes for"), "{told}");
    let path = told.lines().last().unwrap();
    let path = path.trim_start_matches("Drafted ").trim_end_matches('.');
    let draft = project.read(path);
    assert!(draft.contains("function f() {\n  return 1;\n}"), "{draft}");
    project.write("src/c.js", b"debugger;\n");
    watching.until("src/c.js: 1 finding.");
    project.write("src/d.js", b"// as:audit project\n");
    let told = watching.until("files: 1 finding.");
    assert!(told.contains("src/c.js:1:1"), "{told}");
}
