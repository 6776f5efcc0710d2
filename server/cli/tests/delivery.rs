//! Knowledge brought to IDEs and agents, from the command line.

#![allow(
    clippy::unwrap_used,
    reason = "a test may panic, and so may what it uses"
)]

#[allow(dead_code, reason = "each test file uses a part of it")]
mod common;

use common::{Project, recipe};

/// The sample project, in a folder of its own.
fn harbor() -> Project {
    let source =
        std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/projects/harbor");
    let project = Project::new(&[]);
    copy(&source, &source, &project);
    project
}

fn copy(root: &std::path::Path, folder: &std::path::Path, project: &Project) {
    for entry in std::fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        if entry.file_type().unwrap().is_dir() {
            copy(root, &path, project);
        } else {
            let rel = path.strip_prefix(root).unwrap().to_str().unwrap();
            project.write(rel, &std::fs::read(&path).unwrap());
        }
    }
}

#[test]
fn the_sample_project_is_set_up_with_examples_that_hold() {
    let project = harbor();
    let run = project.run(&["setup", "--seed", "--ide", "all", "--claude-hooks"]);
    assert_eq!(run.code, 0, "{}", run.shown());
    let agents = project.read("AGENTS.md");
    for expected in [
        "- [typescript] Call apiClient.request with a typed route. Do NOT call fetch directly.",
        "| @network-cache-middleware |",
        "- `asd_task` — ",
        "- `alembic-guard` — ",
        "## Working Protocol",
    ] {
        assert!(agents.contains(expected), "{expected}\n{agents}");
    }
    let check = project.run(&["recipe", "check", "Alembic/candidates"]);
    assert_eq!(check.code, 0, "{}", check.shown());
    let test = project.run(&["guard", "test", "Alembic/candidates"]);
    assert_eq!(test.code, 0, "{}", test.shown());

    let before = project.content();
    let again = project.json(&[
        "setup",
        "--seed",
        "--ide",
        "all",
        "--claude-hooks",
        "--json",
    ]);
    for file in again["files"].as_array().unwrap() {
        assert_eq!(file["action"], "unchanged", "{file}");
    }
    assert_eq!(again["delivery"]["stats"]["filesWritten"], 0);
    // The database may be touched; no other file is.
    let kept = |files: Vec<(std::path::PathBuf, Vec<u8>)>| -> Vec<_> {
        files
            .into_iter()
            .filter(|(path, _)| !path.to_string_lossy().contains("/.asd/"))
            .collect()
    };
    assert_eq!(kept(project.content()), kept(before));
}

#[test]
fn delivery_tells_its_plan_and_its_sums() {
    let project = harbor();
    let dry = project.json(&["deliver", "--dry-run", "--json"]);
    assert!(!project.path("AGENTS.md").exists());
    let done = project.json(&["deliver", "--json"]);
    assert_eq!(dry["files"], done["files"]);
    assert_eq!(done["channelA"]["rulesCount"], 15);
    assert_eq!(
        done["channelA"]["path"],
        ".cursor/rules/alembic-project-rules.mdc"
    );
    assert_eq!(done["channelB"]["topics"]["networking"]["patterns"], 1);
    assert_eq!(done["channelBPlus"]["written"], false);
    assert_eq!(done["channelF"]["files"][0]["action"], "create");
    assert!(done["stats"]["totalTokens"].as_u64().unwrap() > 1000);
    let text = project.run(&["deliver"]);
    assert_eq!(text.code, 0);
    assert!(text.out.contains("0 files written, "), "{}", text.out);
    assert!(text.out.contains("unchanged  AGENTS.md"), "{}", text.out);
}

#[test]
fn a_changed_recipe_changes_what_agents_read() {
    let project = Project::new(&[("Alembic/recipes/a.md", &recipe("one", "one", ""))]);
    project.run(&["deliver"]);
    let line =
        |name: &str| format!("- Write {name} in the other way. Do NOT write it in the old way.");
    assert!(project.read("AGENTS.md").contains(&line("one")));
    project.write("Alembic/recipes/a.md", recipe("two", "two", "").as_bytes());
    let run = project.run(&["deliver"]);
    assert!(run.out.contains("update     AGENTS.md"), "{}", run.out);
    let agents = project.read("AGENTS.md");
    assert!(
        agents.contains(&line("two")) && !agents.contains(&line("one")),
        "{agents}"
    );
}

#[test]
fn a_person_is_told_what_to_do_about_a_file_of_their_own() {
    let project = harbor();
    project.write("AGENTS.md", b"mine\n");
    project.write("CLAUDE.md", b"a\n<!-- asd:begin -->\nb\n");
    let run = project.run(&["deliver"]);
    assert_eq!(run.code, 0, "{}", run.shown());
    assert!(
        run.out.contains("`asd setup --adopt AGENTS.md`"),
        "{}",
        run.out
    );
    assert!(run.out.contains("malformed-markers, line 2"), "{}", run.out);
    assert_eq!(project.read("AGENTS.md"), "mine\n");
}

#[test]
fn everything_can_be_taken_back() {
    let project = harbor();
    let before = project.content();
    project.run(&["setup", "--ide", "all", "--claude-hooks"]);
    let undo = project.run(&["setup", "--undo"]);
    assert_eq!(undo.code, 0, "{}", undo.shown());
    let kept = |files: Vec<(std::path::PathBuf, Vec<u8>)>| -> Vec<_> {
        files
            .into_iter()
            .filter(|(path, _)| {
                let path = path.to_string_lossy();
                !path.contains("/.asd/") && !path.contains("/Alembic/")
            })
            .collect()
    };
    assert_eq!(kept(project.content()), kept(before));
}

#[test]
fn wrong_use_is_told_apart_from_failure() {
    let project = Project::new(&[("src/a.ts", "")]);
    let run = project.run(&["deliver"]);
    assert_eq!(run.code, 2, "{}", run.shown());
    assert!(run.err.contains("asd setup"), "{}", run.err);
    let run = project.run(&["mirror"]);
    assert_eq!(run.code, 1, "{}", run.shown());
    let run = project.run(&["setup", "--adopt", "README.md"]);
    assert_eq!(run.code, 2, "{}", run.shown());
    let run = project.run(&["setup", "--undo", "--seed"]);
    assert_eq!(run.code, 2, "{}", run.shown());
}

#[test]
fn rules_and_skills_are_mirrored() {
    let project = harbor();
    project.run(&["deliver"]);
    project.write(".trae/rules/own.md", b"mine");
    let run = project.run(&["mirror", "--target", "trae"]);
    assert_eq!(run.code, 0, "{}", run.shown());
    assert!(
        run.out.contains("3 rule files and 5 skills for 1 tool."),
        "{}",
        run.out
    );
    assert_eq!(
        project.read(".trae/rules/alembic-project-rules.mdc"),
        project.read(".cursor/rules/alembic-project-rules.mdc")
    );
    assert_eq!(project.read(".trae/rules/own.md"), "mine");
    assert!(!project.path(".qoder").exists());
}

#[test]
fn a_ghost_setup_leaves_the_project_as_it_is() {
    let project = Project::new(&[("src/main.rs", "fn main() {}\n")]);
    let before = project.content();
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_asd"));
    let state = tempfile::tempdir().unwrap();
    command
        .args(["setup", "--ghost", "--seed", "--json"])
        .env("XDG_STATE_HOME", state.path());
    let run = project.finish(command);
    assert_eq!(run.code, 0, "{}", run.shown());
    assert_eq!(project.content(), before);
    let report: serde_json::Value = serde_json::from_str(&run.out).unwrap();
    let folder = std::path::Path::new(report["ghost"].as_str().unwrap());
    assert!(folder.starts_with(state.path()));
    assert!(folder.join("Alembic/boxspec.json").is_file());
    assert!(
        folder
            .join("Alembic/candidates/error-resilience/libraries-do-not-exit.md")
            .is_file()
    );
}

#[test]
fn skills_are_listed_written_and_shown() {
    let project = harbor();
    project.write("notes.md", b"# Release\n\nSteps.\n\n## Part\nInside.\n");
    let run = project.run(&[
        "skill",
        "new",
        "release-train",
        "--description",
        "How to release. Use before one.",
        "--file",
        "notes.md",
    ]);
    assert_eq!(run.code, 0, "{}", run.shown());
    let list = project.json(&["skill", "list", "--json"]);
    assert_eq!(list["total"], 6);
    let run = project.run(&["skill", "show", "release-train", "--section", "Part"]);
    assert_eq!(run.out, "## Part\nInside.\n");
    let run = project.run(&["skill", "delete", "alembic-guard", "--yes"]);
    assert_eq!(run.code, 2);
    assert!(run.err.contains("built in"), "{}", run.err);
    assert_eq!(
        project
            .run(&["skill", "delete", "release-train", "--yes"])
            .code,
        0
    );
}

#[test]
fn what_delivery_leaves_out_and_settings_it_cannot_read_are_told() {
    let project = Project::new(&[]);
    project.write("Alembic/config.toml", b"[delivery\n");
    project.write("Alembic/recipes/a.md", b"---\ntrigger: caf\xE9\n---\n");
    for command in ["deliver", "setup"] {
        let run = project.run(&[command, "--dry-run"]);
        assert_eq!(run.code, 0, "{}", run.shown());
        for expected in [
            "Alembic/config.toml:1:9: error: This is not valid TOML",
            "Alembic/recipes/a.md is left out: not valid UTF-8",
        ] {
            assert!(run.err.contains(expected), "{expected}\n{}", run.shown());
        }
    }
}
