//! `asd check`, run as a person runs it.

#![allow(
    clippy::unwrap_used,
    reason = "a test may panic, and so may what it uses"
)]

#[allow(dead_code, reason = "each test file uses a part of it")]
mod common;

use std::process::{Command, Stdio};

use common::{Project, recipe};
use expect_test::expect;

fn sample() -> Project {
    Project::new(&[
        (
            "Alembic/recipes/general/no-old.md",
            &recipe("no-old", r"\boldCall\b", "    severity: error\n"),
        ),
        (
            "Alembic/recipes/general/no-word.md",
            &recipe(
                "no-word",
                r"\bbadWord\b",
                "    fix: {template: goodWord, safe: true}\n",
            ),
        ),
        ("src/a.ts", "const 饼 = \"🍪\"; oldCall(饼);\n"),
        ("src/b.ts", "badWord();\n\tbadWord(badWord);\n"),
        ("src/clean.ts", "// oldCall in a comment\nok();\n"),
    ])
}

#[test]
fn findings_are_shown_with_source_advice_and_recipe() {
    let project = sample();
    let run = project.run(&["check", "--rules", "recipe", "src/a.ts"]);
    assert_eq!(run.code, 1, "{}", run.shown());
    expect![[r#"
        error[no-old]: This is the old way
         --> src/a.ts:1:16
          |
        1 | const 饼 = "🍪"; oldCall(饼);
          |                  ^^^^^^^
          |
          = do: Write no-old in the other way
          = don't: Write it in the old way
          = recipe: @no-old (Alembic/recipes/general/no-old.md)

        Checked 1 file: 1 error in 1 file.
    "#]]
    .assert_eq(&run.out);
    assert_eq!(run.err, "");
}

#[test]
fn exit_codes_tell_errors_from_warnings_and_from_nothing_to_check() {
    let project = sample();
    let code = |arguments: &[&str]| project.run(arguments).code;
    assert_eq!(code(&["check", "--rules", "recipe"]), 1);
    assert_eq!(code(&["check", "--rules", "recipe", "src/b.ts"]), 0);
    assert_eq!(code(&["check", "--rules", "recipe", "src/clean.ts"]), 0);
    assert_eq!(code(&["check", "src/absent.ts"]), 2);
    assert_eq!(code(&["check", "--no-such-option"]), 2);
    assert_eq!(code(&["check", "--config", "absent.toml"]), 2);
    let empty = Project::new(&[("notes.unknown", "x")]);
    assert_eq!(empty.run(&["check"]).code, 2);
}

#[test]
fn the_json_result_counts_columns_in_characters() {
    let project = sample();
    let result = project.json(&["guard:check", "--json", "--rules", "recipe"]);
    assert_eq!(result["summary"]["filesChecked"], 3);
    assert_eq!(result["summary"]["totalErrors"], 1);
    assert_eq!(result["summary"]["totalViolations"], 4);
    let paths: Vec<&str> = result["files"]
        .as_array()
        .unwrap()
        .iter()
        .map(|file| file["filePath"].as_str().unwrap())
        .collect();
    assert_eq!(paths, ["src/a.ts", "src/b.ts", "src/clean.ts"]);
    let violation = &result["files"][0]["violations"][0];
    assert_eq!(violation["ruleId"], "no-old");
    assert_eq!(violation["severity"], "error");
    assert_eq!(violation["line"], 1);
    assert_eq!(violation["column"], 16);
    assert_eq!(violation["endColumn"], 23);
    assert_eq!(violation["source"], "recipe");
    assert_eq!(violation["trigger"], "@no-old");
    assert_eq!(
        violation["reasoning"]["suggestedFix"],
        "Write no-old in the other way"
    );
    assert_eq!(result["capabilityReport"]["checkCoverage"], 100);
}

#[test]
fn sarif_has_the_shape_that_services_read() {
    let project = sample();
    let log = project.json(&["check", "--format", "sarif", "--rules", "recipe"]);
    assert_eq!(log["version"], "2.1.0");
    let run = &log["runs"][0];
    assert_eq!(run["columnKind"], "unicodeCodePoints");
    let rules = run["tool"]["driver"]["rules"].as_array().unwrap();
    let results = run["results"].as_array().unwrap();
    assert_eq!(results.len(), 4);
    for result in results {
        let index = usize::try_from(result["ruleIndex"].as_u64().unwrap()).unwrap();
        assert_eq!(rules[index]["id"], result["ruleId"]);
        assert!(["error", "warning", "note"].contains(&result["level"].as_str().unwrap()));
        let place = &result["locations"][0]["physicalLocation"];
        assert!(
            place["artifactLocation"]["uri"]
                .as_str()
                .unwrap()
                .starts_with("src/")
        );
        assert!(place["region"]["startColumn"].as_u64().unwrap() >= 1);
        assert!(result["partialFingerprints"]["asdFinding/v1"].is_string());
    }
    let change = &results[1]["fixes"][0]["artifactChanges"][0];
    assert_eq!(change["artifactLocation"]["uri"], "src/b.ts");
    let replacement = &change["replacements"][0];
    assert_eq!(replacement["deletedRegion"]["startLine"], 1);
    assert!(replacement["insertedContent"]["text"].is_string());
}

#[test]
fn github_gets_one_annotation_for_each_finding() {
    let project = sample();
    let run = project.run(&["check", "--format", "github", "--rules", "recipe"]);
    let first = run.out.lines().next().unwrap();
    assert_eq!(
        first,
        "::error file=src/a.ts,line=1,endLine=1,col=16,endColumn=23,title=no-old::This is the \
         old way%0AWrite no-old in the other way"
    );
    assert_eq!(run.out.lines().count(), 4);
}

#[test]
fn safe_fixes_are_applied_once_and_only_to_the_words() {
    let project = sample();
    project.write(
        "src/b.ts",
        "\u{FEFF}badWord();\r\n\tbadWord(badWord);\r\n".as_bytes(),
    );
    let run = project.run(&["check", "--fix", "--rules", "recipe", "src"]);
    assert_eq!(run.code, 1, "the error has no fix: {}", run.shown());
    assert_eq!(
        project.read("src/b.ts"),
        "\u{FEFF}goodWord();\r\n\tgoodWord(goodWord);\r\n"
    );
    assert!(run.out.contains("Fixed 3 violations."), "{}", run.shown());
    let before = project.content();
    let again = project.run(&["check", "--fix", "--rules", "recipe", "src"]);
    assert!(!again.out.contains("Fixed"), "{}", again.shown());
    assert_eq!(project.content(), before);
}

#[test]
fn unsafe_fixes_need_to_be_asked_for() {
    let project = Project::new(&[
        (
            "Alembic/recipes/a.md",
            &recipe("no-word", "badWord", "    fix: goodWord\n"),
        ),
        ("a.ts", "badWord\n"),
    ]);
    let run = project.run(&["check", "--fix", "--rules", "recipe"]);
    assert_eq!(project.read("a.ts"), "badWord\n");
    assert!(run.out.contains("--fix --unsafe"), "{}", run.shown());
    project.run(&["check", "--fix", "--unsafe", "--rules", "recipe"]);
    assert_eq!(project.read("a.ts"), "goodWord\n");
}

#[test]
fn a_check_writes_nothing() {
    let project = sample();
    let before = project.content();
    project.run(&["check"]);
    project.run(&["guard", "rules"]);
    project.run(&["guard", "test"]);
    project.run(&["recipe", "check"]);
    assert_eq!(project.content(), before);
}

#[test]
fn every_project_in_a_tree_has_its_own_rules() {
    let project = sample();
    project.write(
        "sub/Alembic/recipes/b.md",
        recipe("no-sub", "subCall", "").as_bytes(),
    );
    project.write("sub/c.ts", b"oldCall(); subCall();\n");
    let result = project.json(&["check", "--json", "--rules", "recipe"]);
    let of = |path: &str| -> Vec<String> {
        let files = result["files"].as_array().unwrap();
        let file = files.iter().find(|file| file["filePath"] == path).unwrap();
        file["violations"]
            .as_array()
            .unwrap()
            .iter()
            .map(|violation| violation["ruleId"].as_str().unwrap().to_owned())
            .collect()
    };
    assert_eq!(of("src/a.ts"), ["no-old"]);
    assert_eq!(of("sub/c.ts"), ["no-sub"]);
}

#[test]
fn suppressions_without_a_use_or_a_reason_are_listed() {
    let project = sample();
    let text = "oldCall(); // asd:ignore no-old\noldCall(); // asd:ignore no-old -- a test\n\
                ok(); // asd:ignore no-word -- once needed\nok(); // asd:ignore\n";
    project.write("src/c.ts", text.as_bytes());
    let run = project.run(&["check", "--rules", "recipe", "src/c.ts"]);
    assert_eq!(run.code, 0, "{}", run.shown());
    expect![[r#"
        Suppressions to look at:
          src/c.ts:1: no-old: it gives no reason (add ` -- reason`)
          src/c.ts:3: no-word: there is nothing to suppress
          src/c.ts:4: it names no rule (write `asd:ignore RULE -- reason`)

        Checked 1 file: nothing to report.
    "#]]
    .assert_eq(&run.out);
    let json = project.json(&["check", "--json", "--rules", "recipe", "src/c.ts"]);
    assert_eq!(json["suppressions"].as_array().unwrap().len(), 4);
    assert_eq!(json["suppressions"][1]["reason"], "a test");
}

#[test]
fn settings_of_the_command_line_go_over_those_of_the_project() {
    let project = sample();
    project.write(
        "strict.toml",
        b"[guard.rules.no-word]\nseverity = 'error'\n",
    );
    let arguments = ["check", "--rules", "recipe", "src/b.ts"];
    assert_eq!(project.run(&arguments).code, 0);
    let over: Vec<&str> = arguments
        .iter()
        .copied()
        .chain(["--config", "strict.toml"])
        .collect();
    assert_eq!(project.run(&over).code, 1);
    project.write("off.json", br#"{"guard": {"disabledRules": ["no-word"]}}"#);
    let off = [
        "check", "--json", "--rules", "recipe", "src/b.ts", "--config", "off.json",
    ];
    assert_eq!(project.json(&off)["summary"]["totalViolations"], 0);
}

#[test]
fn settings_of_the_user_lie_under_those_of_the_project() {
    let project = sample();
    let count = || {
        let arguments = ["check", "--json", "--rules", "recipe", "src/b.ts"];
        project.json(&arguments)["summary"]["totalViolations"].clone()
    };
    let turned = |on: bool| format!("guard.rules.no-word.enabled = {on}\n");
    project.write(".user/asd/config.toml", turned(false).as_bytes());
    assert_eq!(count(), 0);
    project.write(
        ".asd/config.json",
        br#"{"guard": {"rules": {"no-word": {"enabled": true}}}}"#,
    );
    assert_eq!(count(), 3, "the older file counts while there is no other");
    project.write("Alembic/config.toml", turned(false).as_bytes());
    assert_eq!(count(), 0);
    project.write(
        "Alembic/config.toml",
        b"guard.disabledRules = ['no-word']\n",
    );
    project.write(".user/asd/config.toml", b"guard.disabledRules = []\n");
    assert_eq!(count(), 0, "a person's list turns nothing on");
}

#[cfg(unix)]
#[test]
fn a_fix_does_not_write_through_a_symbolic_link() {
    let project = sample();
    std::os::unix::fs::symlink(project.path("src/b.ts"), project.path("link.ts")).unwrap();
    let before = project.read("src/b.ts");
    let run = project.run(&["check", "--fix", "--rules", "recipe", "link.ts"]);
    assert!(run.err.contains("symbolic link"), "{}", run.shown());
    assert_eq!(project.read("src/b.ts"), before);
    assert!(
        project
            .path("link.ts")
            .symlink_metadata()
            .unwrap()
            .is_symlink()
    );
}

#[test]
fn ignored_files_are_left_out_unless_they_are_named() {
    let project = sample();
    project.write(".gitignore", b"gen/\n");
    project.write("gen/a.ts", b"oldCall()\n");
    project.write("node_modules/x/a.ts", b"oldCall()\n");
    let all = project.json(&["check", "--json", "--rules", "recipe"]);
    assert_eq!(all["summary"]["totalErrors"], 1);
    let named = project.json(&["check", "--json", "--rules", "recipe", "gen/a.ts"]);
    assert_eq!(named["summary"]["totalErrors"], 1);
    project.write("Alembic/config.toml", b"[files]\nexclude = ['gen']\n");
    let excluded = project.json(&["check", "--json", "--rules", "recipe", "gen/a.ts"]);
    assert_eq!(excluded["summary"]["totalErrors"], 0);
    assert_eq!(excluded["summary"]["filesChecked"], 0);
    let run = project.run(&["check", "--rules", "recipe", "gen/a.ts"]);
    assert_eq!(run.code, 0, "{}", run.shown());
    expect![[r#"
        Not checked:
          gen/a.ts: excluded by `gen` of `files.exclude`

        Checked no file: the settings exclude 1 file.
    "#]]
    .assert_eq(&run.out);
}

#[test]
fn fixes_are_counted_apart_and_a_refused_one_says_why() {
    let project = Project::new(&[
        (
            "Alembic/recipes/a.md",
            &recipe("one", "oldA", "    fix: {template: newA, safe: true}\n"),
        ),
        (
            "Alembic/recipes/b.md",
            &recipe("two", "oldB", "    fix: newB\n"),
        ),
        (
            "Alembic/recipes/c.md",
            &recipe(
                "three",
                "oldC",
                "    fix: {template: 'newC(', safe: true}\n",
            ),
        ),
        ("a.ts", "oldA;\noldB;\noldB;\noldC;\n"),
    ]);
    let last = |arguments: &[&str]| {
        let out = project.run(arguments).out;
        let at = out.rfind("\n\n").unwrap();
        out[at + 2..].to_owned()
    };
    expect![[r#"
        Checked 1 file: 4 warnings in 1 file.
        1 can be fixed with --fix.
        2 more can be fixed with --fix --unsafe; look at the result.
    "#]]
    .assert_eq(&last(&["check", "--rules", "recipe"]));
    let run = project.run(&["check", "--rules", "recipe", "--fix"]);
    let listed = "Not fixed:\n  a.ts:4: three: the result would have a syntax error\n";
    assert!(run.out.contains(listed), "{}", run.shown());
    expect![[r#"
        Fixed 1 violation.
        Checked 1 file: 3 warnings in 1 file.
        2 can be fixed with --fix --unsafe; look at the result.
    "#]]
    .assert_eq(&run.out[run.out.rfind("\n\n").unwrap() + 2..]);
}

#[test]
fn paths_are_relative_to_the_current_folder() {
    let project = sample();
    project.write("src/deep/d.ts", b"oldCall();\n");
    let mut command = Command::new(env!("CARGO_BIN_EXE_asd"));
    command.args(["check", "--rules", "recipe", "../a.ts", "d.ts"]);
    let output = command
        .current_dir(project.path("src/deep"))
        .env("XDG_CONFIG_HOME", project.path(".user"))
        .env("XDG_CACHE_HOME", project.cache())
        .output()
        .unwrap();
    let out = String::from_utf8(output.stdout).unwrap();
    assert!(out.contains("--> ../a.ts:1:16"), "{out}");
    assert!(out.contains("--> d.ts:1:1"), "{out}");
    let recipe = "recipe: @no-old (../../Alembic/recipes/general/no-old.md)";
    assert_eq!(out.matches(recipe).count(), 2, "{out}");
}

#[test]
fn a_built_in_rule_names_its_explanation_once() {
    let project = Project::new(&[("a.js", "eval(x);\neval(y);\n")]);
    let run = project.run(&["check"]);
    let more = "more: asd guard explain js-no-eval";
    assert_eq!(run.out.matches(more).count(), 1, "{}", run.shown());
    let elsewhere = Project::new(&[]);
    let root = sample();
    let path = root.path("src");
    let explained = elsewhere.run(&[
        "guard",
        "explain",
        "no-old",
        "--project",
        path.to_str().unwrap(),
    ]);
    assert_eq!(explained.code, 0, "{}", explained.shown());
    let said = "Write no-old in the other way";
    assert_eq!(
        explained.out.matches(said).count(),
        1,
        "the advice is said once"
    );
}

#[test]
fn what_a_rule_cannot_decide_is_one_line() {
    let project = Project::new(&[]);
    for i in 0..6 {
        let text = format!("class A{i} extends Base{i} {{}}\n");
        project.write(&format!("src/{i}.js"), text.as_bytes());
    }
    let run = project.run(&["check"]);
    let line = "  src/0.js, src/1.js, src/2.js and 3 more: ast_deep_inheritance: the superclass \
                `Base0` is declared in another file; 5 more of this kind\n";
    assert!(run.out.contains(line), "{}", run.shown());
    assert_eq!(run.out.matches("ast_deep_inheritance").count(), 1);
}

#[test]
fn a_reader_that_leaves_early_ends_the_program_quietly() {
    let project = sample();
    project.write("big.ts", "oldCall();\n".repeat(20_000).as_bytes());
    let mut child = Command::new(env!("CARGO_BIN_EXE_asd"))
        .args(["check", "--rules", "recipe", "--format", "github"])
        .current_dir(project.path(""))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    assert!(output.status.code().is_some());
}

#[test]
fn colours_are_for_terminals_and_on_demand() {
    let project = sample();
    let arguments = ["check", "--rules", "recipe", "src/a.ts"];
    assert!(!project.run(&arguments).out.contains('\u{1b}'));
    let forced: Vec<&str> = arguments
        .iter()
        .copied()
        .chain(["--color", "always"])
        .collect();
    assert!(project.run(&forced).out.contains('\u{1b}'));
}

#[test]
fn two_runs_say_the_same() {
    let project = sample();
    for i in 0..40 {
        project.write(&format!("many/{i}.ts"), b"oldCall(); badWord();\n");
    }
    let arguments = ["check", "--json"];
    assert_eq!(project.run(&arguments).out, project.run(&arguments).out);
}

#[test]
fn results_are_kept_outside_of_the_project_and_only_when_wanted() {
    let project = sample();
    let kept = || -> Vec<_> {
        let folder = std::fs::read_dir(project.cache().join("asd/checks"));
        folder.into_iter().flatten().collect()
    };
    let before = project.content();
    let first = project.run(&["check", "--no-cache", "--json"]);
    assert!(kept().is_empty());
    let second = project.run(&["check", "--json"]);
    assert_eq!(kept().len(), 1);
    let third = project.run(&["check", "--json"]);
    assert_eq!(project.content(), before);
    assert_eq!(second.out, first.out);
    assert_eq!(third.out, first.out);
}

#[test]
fn a_cache_that_cannot_be_written_is_done_without() {
    let project = sample();
    let expected = project.run(&["check", "--json"]);
    let mut command = Command::new(env!("CARGO_BIN_EXE_asd"));
    command
        .args(["check", "--json"])
        .env("XDG_CACHE_HOME", "/dev/null");
    let output = command
        .current_dir(project.path(""))
        .env("XDG_CONFIG_HOME", project.path(".user"))
        .output()
        .unwrap();
    assert_eq!(String::from_utf8(output.stdout).unwrap(), expected.out);
    assert_eq!(String::from_utf8(output.stderr).unwrap(), expected.err);
}
