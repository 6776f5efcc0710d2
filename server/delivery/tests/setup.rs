//! Setting a project up, twice, and taking it back.

#![allow(
    clippy::unwrap_used,
    reason = "a test may panic, and so may what it uses"
)]

#[allow(dead_code, reason = "each test file uses a part of it")]
mod common;

use std::fs;
use std::process::Command;

use asd_delivery::{Action, Host, Mode, SetupError, SetupOptions, SetupReport, setup, undo};

use common::{BEGIN, Fixture, knowledge};

fn options() -> SetupOptions {
    SetupOptions {
        seed: true,
        hosts: Host::ALL.to_vec(),
        claude_hooks: true,
        ..SetupOptions::default()
    }
}

fn bare() -> Fixture {
    let fixture = Fixture::empty();
    fs::remove_dir_all(fixture.path("Alembic")).unwrap();
    fixture.write("src/main.rs", b"fn main() {}\n");
    fixture.write("web/app.ts", b"export {};\n");
    fixture
}

fn run(fixture: &Fixture, options: &SetupOptions) -> SetupReport {
    setup(&fixture.project, options, &knowledge, Mode::Write).unwrap()
}

fn actions(report: &SetupReport) -> Vec<(String, Action)> {
    report
        .files
        .iter()
        .map(|file| (file.path.clone(), file.action))
        .collect()
}

/// Every file but the database, with its content.
fn files(fixture: &Fixture) -> Vec<(String, Vec<u8>)> {
    fixture
        .content()
        .into_iter()
        .map(|(path, bytes, _)| {
            (
                path.strip_prefix(fixture.root())
                    .unwrap()
                    .display()
                    .to_string(),
                bytes,
            )
        })
        .filter(|(path, _)| !path.starts_with(".asd/"))
        .collect()
}

#[test]
fn one_command_makes_a_project_ready_and_the_second_time_changes_nothing() {
    let fixture = bare();
    let first = run(&fixture, &options());
    assert!(first.is_complete(), "{first:#?}");
    for path in [
        "Alembic/config.toml",
        "Alembic/boxspec.json",
        "Alembic/constitution.yaml",
        "Alembic/README.md",
        "Alembic/recipes/_template.md",
        "Alembic/candidates/error-resilience/libraries-do-not-exit.md",
        "Alembic/candidates/error-resilience/throw-error-objects.md",
        ".asd/asd.db",
        ".gitignore",
        ".cursor/mcp.json",
        ".vscode/mcp.json",
        ".claude/mcp.json",
        ".mcp.json",
        ".codex/config.toml",
        ".zed/settings.json",
        ".claude/settings.json",
        "AGENTS.md",
        ".cursor/rules/alembic-project-rules.mdc",
    ] {
        assert!(fixture.exists(path), "{path}");
    }
    assert!(
        !fixture.exists("Alembic/candidates/error-resilience/wrap-errors.md"),
        "no Go here"
    );
    for host in ["windsurf", "qoder"] {
        assert!(
            first.notes.iter().any(|note| note.starts_with(host)),
            "{host}"
        );
    }
    // Examples wait for a person: no agent is told of them.
    assert!(!fixture.read("AGENTS.md").contains("process::exit"));
    let before = files(&fixture);
    let second = run(&fixture, &options());
    assert!(
        second
            .files
            .iter()
            .all(|file| file.action == Action::Unchanged),
        "{:#?}",
        second.files
    );
    assert_eq!(second.delivery.unwrap().stats.files_written, 0);
    assert_eq!(files(&fixture), before);
}

#[test]
fn a_dry_run_says_what_a_run_does_and_writes_nothing() {
    let fixture = bare();
    let before = fixture.content();
    let dry = setup(&fixture.project, &options(), &knowledge, Mode::DryRun).unwrap();
    assert_eq!(fixture.content(), before);
    let done = run(&fixture, &options());
    assert_eq!(actions(&dry), actions(&done));
    assert_eq!(dry.delivery.unwrap().files, done.delivery.unwrap().files);
}

#[test]
fn what_is_there_is_kept_and_merged() {
    let fixture = bare();
    for (path, text) in [
        ("Alembic/config.toml", "# mine\n"),
        ("Alembic/README.md", "mine\n"),
        (".gitignore", "target\r\n"),
        (
            ".cursor/mcp.json",
            "{\n  // mine\n  \"mcpServers\": {\"foo\": {\"command\": \"f\"}}\n}\n",
        ),
        (".vscode/mcp.json", "{"),
        (".codex/config.toml", "model = \"x\" # mine\n"),
        (
            ".claude/settings.json",
            "{\"permissions\": {\"allow\": []}}\n",
        ),
    ] {
        fixture.write(path, text.as_bytes());
    }
    let report = run(&fixture, &options());
    let of = |path: &str| report.files.iter().find(|file| file.path == path).unwrap();
    assert_eq!(fixture.read("Alembic/config.toml"), "# mine\n");
    assert_eq!(fixture.read("Alembic/README.md"), "mine\n");
    assert!(
        fixture
            .read(".gitignore")
            .starts_with("target\r\n\r\n# >>> Alembic")
    );
    let cursor = fixture.read(".cursor/mcp.json");
    assert!(
        cursor.contains("// mine") && cursor.contains("\"foo\": {\"command\": \"f\"}"),
        "{cursor}"
    );
    assert!(cursor.contains("\"alembic\""));
    assert_eq!(fixture.read(".vscode/mcp.json"), "{");
    assert_eq!(of(".vscode/mcp.json").action, Action::Skipped);
    assert_eq!(
        of(".vscode/mcp.json").reason.as_deref(),
        Some("invalid-json")
    );
    assert!(
        report.is_complete(),
        "a file that cannot be read is no failure"
    );
    assert!(
        fixture
            .read(".codex/config.toml")
            .starts_with("model = \"x\" # mine\n")
    );
    assert!(
        fixture
            .read(".claude/settings.json")
            .contains("\"permissions\": {\"allow\": []}")
    );

    let forced = SetupOptions {
        force: true,
        ..options()
    };
    run(&fixture, &forced);
    assert!(fixture.read("Alembic/config.toml").contains("name = "));
    assert_eq!(fixture.read("Alembic/README.md"), "mine\n");
}

#[test]
fn undoing_leaves_the_knowledge_and_what_was_there_before() {
    let fixture = bare();
    for (path, text) in [
        (".gitignore", "target\n"),
        (
            ".cursor/mcp.json",
            "{\n  \"mcpServers\": {\n    \"foo\": { \"command\": \"f\" }\n  }\n}\n",
        ),
        (".codex/config.toml", "model = \"x\"\n"),
        ("CLAUDE.md", "mine"),
    ] {
        fixture.write(path, text.as_bytes());
    }
    let before = files(&fixture);
    run(&fixture, &options());
    let dry = undo(&fixture.project, Mode::DryRun).unwrap();
    assert!(fixture.exists("AGENTS.md"));
    let report = undo(&fixture.project, Mode::Write).unwrap();
    assert!(report.is_complete(), "{report:#?}");
    assert_eq!(dry, report);
    let mut after = files(&fixture);
    assert!(after.iter().any(|(path, _)| path == "Alembic/boxspec.json"));
    after.retain(|(path, _)| !path.starts_with("Alembic/"));
    let shown = |files: &[(String, Vec<u8>)]| -> Vec<(String, String)> {
        files
            .iter()
            .map(|(path, bytes)| {
                (
                    path.clone(),
                    String::from_utf8_lossy(bytes).trim_end().to_owned(),
                )
            })
            .collect()
    };
    assert_eq!(shown(&after), shown(&before));
    for folder in [".zed", ".vscode", ".claude", ".trae", ".github"] {
        assert!(!fixture.exists(folder), "{folder}");
    }
    assert!(
        undo(&fixture.project, Mode::Write)
            .unwrap()
            .files
            .is_empty()
    );
}

#[test]
fn a_file_of_a_person_is_adopted_on_demand_only() {
    let fixture = bare();
    fixture.write("AGENTS.md", b"mine\n");
    run(&fixture, &options());
    assert_eq!(fixture.read("AGENTS.md"), "mine\n");
    let adopt = SetupOptions {
        adopt: Some("AGENTS.md".to_owned()),
        ..options()
    };
    run(&fixture, &adopt);
    assert!(
        fixture
            .read("AGENTS.md")
            .starts_with(&format!("mine\n\n{BEGIN}\n"))
    );
    let wrong = SetupOptions {
        adopt: Some("README.md".to_owned()),
        ..options()
    };
    let result = setup(&fixture.project, &wrong, &knowledge, Mode::Write);
    assert!(matches!(result, Err(SetupError::NotAdoptable(_))));
}

#[test]
fn settings_in_their_older_place_stay_in_force() {
    let fixture = bare();
    fixture.write(
        ".asd/config.json",
        b"{\"guard\": {\"profile\": \"strict\"}}",
    );
    let report = run(&fixture, &options());
    assert!(!fixture.exists("Alembic/config.toml"));
    assert!(
        report
            .files
            .iter()
            .any(|file| file.path == "Alembic/config.toml" && file.action == Action::Skipped)
    );
}

#[test]
fn without_delivery_no_rule_file_is_written() {
    let fixture = bare();
    let report = run(
        &fixture,
        &SetupOptions {
            no_deliver: true,
            ..options()
        },
    );
    assert!(report.delivery.is_none());
    assert!(!fixture.exists("AGENTS.md") && fixture.exists(".mcp.json"));
}

#[test]
fn the_repository_of_this_program_is_not_set_up() {
    let fixture = bare();
    fixture.write("server/cli/Cargo.toml", b"[package]\nname = \"asd-cli\"\n");
    let result = setup(&fixture.project, &options(), &knowledge, Mode::Write);
    assert!(matches!(result, Err(SetupError::OwnRepository)));
    assert!(!fixture.exists("Alembic"));
}

fn git(fixture: &Fixture, arguments: &[&str]) {
    let done = Command::new("git")
        .args(arguments)
        .current_dir(fixture.root())
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_SYSTEM", "/dev/null")
        .output()
        .unwrap();
    assert!(done.status.success(), "{done:?}");
}

#[cfg(unix)]
#[test]
fn a_git_hook_is_installed_beside_what_is_there() {
    use std::os::unix::fs::PermissionsExt;
    let fixture = bare();
    git(&fixture, &["init", "-q"]);
    let hook = ".git/hooks/pre-commit";
    fixture.write(hook, b"#!/bin/sh\nmake check\n");
    let with_hook = SetupOptions {
        git_hooks: true,
        ..options()
    };
    run(&fixture, &with_hook);
    let text = fixture.read(hook);
    assert!(
        text.contains("asd guard staged") && text.ends_with("make check\n"),
        "{text}"
    );
    let mode = fixture.path(hook).metadata().unwrap().permissions().mode();
    assert_eq!(mode & 0o111, 0o111);
    let again = run(&fixture, &with_hook);
    assert!(
        again
            .files
            .iter()
            .all(|file| file.action == Action::Unchanged),
        "{:#?}",
        again.files
    );
    undo(&fixture.project, Mode::Write).unwrap();
    assert_eq!(fixture.read(hook), "#!/bin/sh\nmake check\n");
}

#[test]
fn knowledge_is_cloned_from_a_repository_of_its_own() {
    let source = Fixture::new(&[]);
    git(&source, &["init", "-q"]);
    git(
        &source,
        &[
            "-c",
            "user.name=a",
            "-c",
            "user.email=a@example.org",
            "commit",
            "-q",
            "--allow-empty",
            "-m",
            "x",
        ],
    );
    let fixture = bare();
    let with_repo = |url: &str| SetupOptions {
        repo: Some(url.to_owned()),
        ..options()
    };
    // What could not be cloned leaves nothing in the way of the next attempt.
    let report = run(&fixture, &with_repo("/nowhere/at/all"));
    assert!(!report.is_complete() && !fixture.exists("Alembic"));
    let with_repo = with_repo(&source.root().display().to_string());
    let report = run(&fixture, &with_repo);
    assert!(report.is_complete(), "{report:#?}");
    assert!(fixture.exists("Alembic/.git"));
    assert!(fixture.exists("Alembic/boxspec.json"));
    let result = setup(&fixture.project, &with_repo, &knowledge, Mode::Write);
    assert!(matches!(result, Err(SetupError::NotEmpty)));
}

#[test]
fn a_step_that_fails_is_told_and_the_others_are_carried_out() {
    let fixture = bare();
    let report = run(
        &fixture,
        &SetupOptions {
            repo: Some("/nowhere/at/all".to_owned()),
            ..options()
        },
    );
    assert!(!report.is_complete());
    assert!(
        report.errors[0].contains("/nowhere/at/all"),
        "{:?}",
        report.errors
    );
    assert!(fixture.exists(".mcp.json") && fixture.exists(".gitignore"));
}
