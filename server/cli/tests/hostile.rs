//! A tree with everything that a check cannot read: all the rest is checked,
//! and what was not is told with the reason.

#![allow(
    clippy::unwrap_used,
    reason = "a test may panic, and so may what it uses"
)]
#![cfg(unix)]

#[allow(dead_code, reason = "each test file uses a part of it")]
mod common;

use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::Path;
use std::process::Command;

use common::{Project, recipe};

/// The program as a user who is not root, since root may read everything.
/// `None` where the test runs as root and no other user can be had.
fn as_ordinary_user(project: &Project) -> Option<Command> {
    let root = std::fs::metadata(project.path("")).unwrap().uid() == 0;
    if !root {
        return Some(Command::new(env!("CARGO_BIN_EXE_asd")));
    }
    let program = project.path(".bin/asd");
    std::fs::create_dir_all(program.parent().unwrap()).unwrap();
    std::fs::copy(env!("CARGO_BIN_EXE_asd"), &program).unwrap();
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    let mut command = Command::new("setpriv");
    command
        .args(["--reuid=65534", "--regid=65534", "--clear-groups"])
        .arg(program);
    let works = Command::new("setpriv").arg("--version").output();
    works.is_ok().then_some(command)
}

fn lock(path: &Path) {
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o000)).unwrap();
}

fn unlock(path: &Path) {
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn everything_else_is_checked_and_the_rest_is_told() {
    let project = Project::new(&[
        ("Alembic/recipes/fine.md", &recipe("no-old", "oldCall", "")),
        ("Alembic/recipes/broken.md", "---\ntitle: [\n---\n"),
        ("Alembic/recipes/regex.md", &recipe("no-regex", "a(", "")),
        ("src/a.ts", "oldCall();\n"),
        ("src/z.ts", "oldCall();\n"),
        ("locked/b.ts", "oldCall();\n"),
        ("src/secret.ts", "oldCall();\n"),
    ]);
    unlock(&project.path(""));
    project.write("src/latin.ts", b"// caf\xE9\noldCall();\n");
    project.write("src/binary.ts", b"\x7fELF\0\0oldCall");
    project.write(
        "src/app.min.js",
        "var a=1;f(a);".repeat(30 * 1024 * 1024 / 13).as_bytes(),
    );
    symlink(project.path("src"), project.path("src/loop")).unwrap();
    symlink(project.path("src/self"), project.path("src/self")).unwrap();
    lock(&project.path("locked"));
    lock(&project.path("src/secret.ts"));

    let Some(mut command) = as_ordinary_user(&project) else {
        unlock(&project.path("locked"));
        return;
    };
    command.args(["check", "--json", "--rules", "recipe"]);
    let run = project.finish(command);
    let mut text = as_ordinary_user(&project).unwrap();
    text.args(["check", "--rules", "recipe"]);
    let text = project.finish(text);
    unlock(&project.path("locked"));

    assert_eq!(run.code, 1, "a broken recipe is an error: {}", run.err);
    let result: serde_json::Value = serde_json::from_str(&run.out).unwrap();
    let found: Vec<&str> = result["files"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|file| file["summary"]["total"].as_u64() > Some(0))
        .map(|file| file["filePath"].as_str().unwrap())
        .collect();
    assert_eq!(found, ["src/a.ts", "src/z.ts"]);
    let told: Vec<String> = result["skipped"]
        .as_array()
        .unwrap()
        .iter()
        .map(|s| {
            format!(
                "{}: {}",
                s["path"].as_str().unwrap(),
                s["reason"].as_str().unwrap()
            )
        })
        .collect();
    assert_eq!(
        told,
        [
            "locked: permission denied",
            "src/binary.ts: binary content",
            "src/latin.ts: not valid UTF-8 (first bad byte at offset 6)",
            "src/loop: a symbolic link to a folder that holds it",
            "src/secret.ts: permission denied",
            "src/self: a symbolic link that leads to itself",
        ]
    );
    let broken: Vec<&str> = result["problems"]
        .as_array()
        .unwrap()
        .iter()
        .map(|problem| problem["path"].as_str().unwrap())
        .collect();
    assert!(broken.contains(&"Alembic/recipes/broken.md"), "{broken:?}");
    assert!(broken.contains(&"Alembic/recipes/regex.md"), "{broken:?}");
    let report = &result["capabilityReport"];
    assert!(report["checkCoverage"].as_u64().unwrap() < 100);
    let reasons: Vec<&str> = report["uncertainResults"]
        .as_array()
        .unwrap()
        .iter()
        .map(|u| u["reason"].as_str().unwrap())
        .collect();
    assert!(reasons.contains(&"file_missing"), "{reasons:?}");
    assert!(reasons.contains(&"invalid_regex"), "{reasons:?}");

    for line in told {
        assert!(text.out.contains(&line), "{line} is not in {}", text.out);
    }
    assert!(text.out.contains("error[front-matter]"), "{}", text.out);
}

#[test]
fn a_very_large_file_is_checked_in_part_and_that_is_told() {
    let project = Project::new(&[("small.js", "eval(x)\n")]);
    project.write("large.min.js", "var a=1;f(a);".repeat(200_000).as_bytes());
    let run = project.run(&["check"]);
    assert_eq!(run.code, 1, "{}", run.shown());
    assert!(run.out.contains("small.js:1:1"), "{}", run.shown());
    let told = "Checked in part:\n  large.min.js: The file is larger than 2 MB";
    assert!(run.out.contains(told), "{}", run.shown());
    let result = project.json(&["check", "--json"]);
    let file = &result["files"][0];
    assert_eq!(file["filePath"], "large.min.js");
    assert_eq!(file["skippedChecks"][0]["reason"], "scope_mismatch");
}
