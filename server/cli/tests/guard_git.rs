//! `asd guard staged`, `review` and `ci --since` in real git repositories.

#![allow(
    clippy::unwrap_used,
    reason = "a test may panic, and so may what it uses"
)]

#[allow(dead_code, reason = "each test file uses a part of it")]
mod common;

use std::process::Command;

use common::{Project, Run, recipe};
use serde_json::Value;

struct Repository {
    project: Project,
}

impl Repository {
    fn new() -> Self {
        let project = Project::new(&[
            (
                "Alembic/recipes/general/no-old.md",
                &recipe("no-old", r"\boldCall\b", "    severity: error\n"),
            ),
            (
                "Alembic/recipes/general/no-word.md",
                &recipe("no-word", r"\bbadWord\b", ""),
            ),
            (
                "Alembic/recipes/general/no-hint.md",
                &recipe("no-hint", r"\bhint\b", "    severity: info\n"),
            ),
            ("src/a.ts", "oldCall();\nok();\nbadWord();\n"),
            (".gitignore", "ignored/\n"),
        ]);
        let repository = Self { project };
        repository.git(&["init", "-q", "-b", "main"]);
        repository
    }

    fn committed() -> Self {
        let repository = Self::new();
        repository.commit("first");
        repository
    }

    fn git(&self, arguments: &[&str]) -> String {
        let output = Command::new("git")
            .current_dir(self.project.path(""))
            .args(["-c", "user.name=Ada", "-c", "user.email=ada@example.org"])
            .args(["-c", "commit.gpgsign=false"])
            .args(arguments)
            .env("GIT_CONFIG_GLOBAL", self.project.path(".no-config"))
            .env_remove("GIT_DIR")
            .env_remove("GIT_INDEX_FILE")
            .output()
            .unwrap();
        assert!(output.status.success(), "git {arguments:?}: {output:?}");
        String::from_utf8(output.stdout).unwrap()
    }

    fn commit(&self, message: &str) {
        self.git(&["add", "-A"]);
        self.git(&["commit", "-q", "-m", message]);
    }

    fn write(&self, path: &str, text: &str) {
        self.project.write(path, text.as_bytes());
    }

    fn run(&self, arguments: &[&str]) -> Run {
        self.project.run(arguments)
    }

    fn staged(&self) -> Value {
        self.project
            .json(&["guard", "staged", "--json", "--rules", "recipe"])
    }

    fn review(&self, more: &[&str]) -> (i32, Value) {
        let arguments = ["guard", "review", "--json", "--rules", "recipe"];
        let run = self.run(&[&arguments[..], more].concat());
        let result = serde_json::from_str(&run.out)
            .unwrap_or_else(|error| panic!("{error}: {}", run.shown()));
        (run.code, result)
    }
}

fn paths(result: &Value) -> Vec<String> {
    result["files"]
        .as_array()
        .unwrap()
        .iter()
        .map(|file| file["filePath"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn staged_content_comes_from_the_index() {
    let repository = Repository::committed();
    let run = repository.run(&["guard", "staged"]);
    assert_eq!(run.code, 0, "{}", run.shown());
    repository.write("src/b.ts", "oldCall();\n");
    repository.git(&["add", "src/b.ts"]);
    repository.write("src/b.ts", "ok();\n");
    repository.write("src/a.ts", "oldCall();\noldCall();\n");
    let result = repository.staged();
    assert_eq!(
        paths(&result),
        ["src/b.ts"],
        "what is not staged is not looked at"
    );
    assert_eq!(result["summary"]["totalErrors"], 1);
    let code = |more: &[&str]| repository.run(&[&["guard:staged"], more].concat()).code;
    assert_eq!(code(&[]), 1);
    assert_eq!(code(&["--fail-on-error=false"]), 0);
    repository.git(&["add", "src/b.ts"]);
    assert_eq!(code(&[]), 0);
}

#[test]
fn staged_files_of_every_kind_of_change() {
    let repository = Repository::committed();
    repository.write("src/gone.ts", "oldCall();\n");
    repository.write(
        "src/moved.ts",
        "one();\ntwo();\nthree();\nfour();\noldCall();\n",
    );
    repository.commit("second");
    repository.git(&["rm", "-q", "src/gone.ts"]);
    repository.git(&["mv", "src/moved.ts", "src/new name.ts"]);
    repository.write("src/饼\t\"q\".ts", "oldCall();\n");
    repository.write("notes.unknown", "oldCall();\n");
    repository.write("latin.ts", "x");
    repository.project.write("src/latin.ts", b"caf\xE9");
    repository.git(&["add", "-A"]);
    let result = repository.staged();
    assert_eq!(
        paths(&result),
        [
            "latin.ts",
            "src/latin.ts",
            "src/new name.ts",
            "src/饼\t\"q\".ts"
        ]
    );
    assert_eq!(result["summary"]["totalErrors"], 2);
    assert_eq!(result["skipped"][0]["path"], "src/latin.ts");
    assert_eq!(result["skipped"].as_array().unwrap().len(), 1);
}

#[test]
fn a_staged_recipe_is_in_force_as_it_is_staged() {
    let repository = Repository::committed();
    let path = "Alembic/recipes/general/no-old.md";
    let other = recipe("no-old", r"\botherCall\b", "    severity: error\n");
    let before = repository.project.read(path);
    repository.write(path, &other);
    repository.write("src/b.ts", "otherCall();\noldCall();\n");
    repository.git(&["add", "-A"]);
    repository.write(path, &before);
    let result = repository.staged();
    assert_eq!(result["summary"]["totalErrors"], 1);
    assert_eq!(result["files"][0]["violations"][0]["line"], 1);
}

#[test]
fn before_the_first_commit_everything_staged_is_new() {
    let repository = Repository::new();
    repository.git(&["add", "src/a.ts"]);
    assert_eq!(paths(&repository.staged()), ["src/a.ts"]);
    let (code, result) = repository.review(&[]);
    assert_eq!(code, 1);
    assert_eq!(result["summary"]["errors"], 1);
}

#[test]
fn outside_of_a_repository_hooks_fail_with_one() {
    let project = Project::new(&[("src/a.ts", "ok();\n")]);
    for command in ["staged", "review"] {
        let mut asd = Command::new(env!("CARGO_BIN_EXE_asd"));
        asd.args(["guard", command]).env(
            "GIT_CEILING_DIRECTORIES",
            project.path("..").canonicalize().unwrap(),
        );
        let run = project.finish(asd);
        assert_eq!(run.code, 1);
        assert!(
            run.err.contains("is not in a git repository"),
            "{}",
            run.err
        );
    }
}

#[test]
fn the_program_works_as_a_git_hook() {
    let repository = Repository::committed();
    let hook = format!(
        "#!/bin/sh\nexec '{}' guard staged\n",
        env!("CARGO_BIN_EXE_asd")
    );
    repository.write(".git/hooks/pre-commit", &hook);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let path = repository.project.path(".git/hooks/pre-commit");
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
    }
    let commit = |arguments: &[&str]| {
        Command::new("git")
            .current_dir(repository.project.path("src"))
            .args(["-c", "user.name=Ada", "-c", "user.email=ada@example.org"])
            .args(arguments)
            .output()
            .unwrap()
    };
    repository.write("src/a.ts", "oldCall();\nok();\nok();\n");
    repository.write("src/b.ts", "ok();\n");
    repository.git(&["add", "src/b.ts"]);
    let refused = commit(&["commit", "-q", "-a", "-m", "with the fault"]);
    assert!(!refused.status.success(), "{refused:?}");
    // A commit of one path has an index of its own.
    let accepted = commit(&["commit", "-q", "-m", "one path", "b.ts"]);
    assert!(accepted.status.success(), "{accepted:?}");
}

#[test]
fn a_review_blocks_on_changed_lines_only() {
    let repository = Repository::committed();
    let (code, result) = repository.review(&[]);
    assert_eq!(code, 0);
    assert_eq!(result["passed"], true);
    assert_eq!(result["files"].as_array().unwrap().len(), 0);
    repository.write("src/a.ts", "oldCall();\nbadWord(1);\nbadWord();\n");
    repository.write("src/new.ts", "hint();\n");
    repository.write("ignored/x.ts", "oldCall();\n");
    let (code, result) = repository.review(&[]);
    assert_eq!(code, 1);
    assert_eq!(result["passed"], false);
    assert_eq!(result["fileSource"], "git-diff");
    assert_eq!(paths(&result), ["src/a.ts", "src/new.ts"]);
    assert_eq!(result["summary"]["errors"], 0);
    assert_eq!(result["summary"]["warnings"], 1);
    assert_eq!(result["summary"]["infos"], 1);
    let file = &result["files"][0];
    assert_eq!(file["violations"][0]["line"], 2);
    assert_eq!(file["violations"][0]["recipe"]["title"], "About no-word");
    assert_eq!(
        file["violations"][0]["recipe"]["doClause"],
        "Write no-word in the other way"
    );
    assert_eq!(file["preexisting"].as_array().unwrap().len(), 2);
    repository.write("src/a.ts", "oldCall();\nbadWord();\n");
    let (code, result) = repository.review(&[]);
    assert_eq!(
        code, 0,
        "infos and lines that are gone never block: {result}"
    );
    let (code, _) = repository.review(&["--whole-file"]);
    assert_eq!(code, 1);
    repository.write("Alembic/config.toml", "[guard.review]\nwholeFile = true\n");
    assert_eq!(repository.review(&[]).0, 1);
}

#[test]
fn named_files_are_reviewed() {
    let repository = Repository::committed();
    repository.write("src/b.ts", "badWord();\n");
    let (code, result) = repository.review(&["--files", "src/a.ts"]);
    assert_eq!(code, 1, "nothing in it has changed, so all of it is meant");
    assert_eq!(result["fileSource"], "explicit");
    assert_eq!(paths(&result), ["src/a.ts"]);
    assert_eq!(
        repository.run(&["guard", "review", "src/absent.ts"]).code,
        1
    );
}

#[test]
fn the_sixth_review_passes_with_what_is_left() {
    let repository = Repository::committed();
    repository.write("src/b.ts", "badWord();\n");
    for round in 1..=5 {
        let (code, result) = repository.review(&[]);
        assert_eq!(code, 1);
        assert_eq!(result["reviewRound"], round);
        assert_eq!(result["maxRoundsReached"], Value::Null);
    }
    let (code, other) = repository.review(&["--session", "another"]);
    assert_eq!((code, &other["reviewRound"]), (1, &Value::from(1)));
    let (code, result) = repository.review(&[]);
    assert_eq!(code, 0);
    assert_eq!(result["passed"], true);
    assert_eq!(result["maxRoundsReached"], true);
    assert_eq!(result["followUps"][0]["filePath"], "src/b.ts");
    assert_eq!(result["followUps"][0]["ruleId"], "no-word");
    assert_eq!(repository.review(&[]).1["reviewRound"], 1, "counted anew");
}

#[test]
fn a_new_commit_or_a_passed_review_starts_the_count_anew() {
    let repository = Repository::committed();
    repository.write("src/b.ts", "badWord();\n");
    let round = |repository: &Repository| repository.review(&[]).1["reviewRound"].clone();
    assert_eq!(round(&repository), 1);
    assert_eq!(round(&repository), 2);
    repository.commit("as it is");
    repository.write("src/c.ts", "badWord();\n");
    assert_eq!(round(&repository), 1);
    repository.write("src/c.ts", "ok();\n");
    assert_eq!(repository.review(&[]).0, 0);
    repository.write("src/c.ts", "badWord();\n");
    assert_eq!(round(&repository), 1);
}

#[test]
fn only_what_changed_since_a_branch_is_checked() {
    let repository = Repository::committed();
    repository.git(&["checkout", "-q", "-b", "work"]);
    repository.write("src/b.ts", "badWord();\n");
    repository.commit("on the branch");
    repository.git(&["checkout", "-q", "main"]);
    repository.write("src/on-main.ts", "oldCall();\n");
    repository.commit("on main");
    repository.git(&["checkout", "-q", "work"]);
    repository.write("src/c.ts", "ok();\n");
    let ci = ["guard", "ci", "--rules", "recipe", "--no-store"];
    let report = repository
        .project
        .json(&[&ci[..], &["--since", "main", "--report", "json"]].concat());
    assert_eq!(paths(&report), ["src/b.ts", "src/c.ts"]);
    let unknown = repository.run(&[&ci[..], &["--since", "no-such"]].concat());
    assert_eq!(unknown.code, 1);
    assert!(unknown.err.contains("fetch-depth"), "{}", unknown.err);
    let option = repository.run(&[&ci[..], &["--since=--output=x"]].concat());
    assert_eq!(option.code, 1);
    assert!(!repository.project.path("x").exists());
}

#[test]
fn a_project_in_a_folder_of_the_repository_sees_its_own_changes() {
    let repository = Repository::new();
    repository.write(
        "packages/app/Alembic/recipes/general/no-here.md",
        &recipe("no-here", r"\boldCall\b", ""),
    );
    repository.write("packages/app/a.ts", "ok();\n");
    repository.commit("first");
    repository.write("packages/app/a.ts", "oldCall();\n");
    repository.write("src/a.ts", "oldCall();\nok();\nbadWord();\nbadWord();\n");
    let (_, result) = repository.review(&[]);
    let rules: Vec<&str> = result["files"]
        .as_array()
        .unwrap()
        .iter()
        .flat_map(|file| file["violations"].as_array().unwrap())
        .map(|violation| violation["ruleId"].as_str().unwrap())
        .collect();
    assert_eq!(
        rules,
        ["no-here", "no-word"],
        "each by the rules of its project"
    );
    repository.git(&["add", "-A"]);
    let mut asd = Command::new("sh");
    asd.args([
        "-c",
        &format!(
            "cd packages/app && '{}' guard staged --json",
            env!("CARGO_BIN_EXE_asd")
        ),
    ]);
    let run = repository.project.finish(asd);
    let result: Value = serde_json::from_str(&run.out).unwrap();
    assert_eq!(paths(&result), ["a.ts"]);
}

#[test]
fn nothing_that_a_repository_names_is_run() {
    let repository = Repository::committed();
    let canary = repository.project.path("canary");
    let script = format!("#!/bin/sh\ntouch '{}'\n", canary.display());
    repository.write(".git/e", &script);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let path = repository.project.path(".git/e");
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
    }
    for setting in [
        "core.fsmonitor",
        "diff.external",
        "diff.evil.textconv",
        "diff.evil.command",
    ] {
        repository.git(&["config", setting, ".git/e"]);
    }
    repository.write(".gitattributes", "*.ts diff=evil\n");
    repository.write("src/a.ts", "oldCall();\nbadWord(1);\n");
    repository.git(&["-c", "core.fsmonitor=false", "add", "src/a.ts"]);
    let _ = std::fs::remove_file(&canary);
    repository.review(&[]);
    repository.staged();
    repository.run(&["guard", "ci", "--since", "HEAD", "--no-store"]);
    assert!(!canary.exists());
}
