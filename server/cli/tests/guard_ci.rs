//! `asd guard ci` and `merge`, run as a build runs them.

#![allow(
    clippy::unwrap_used,
    reason = "a test may panic, and so may what it uses"
)]

#[allow(dead_code, reason = "each test file uses a part of it")]
mod common;

use std::collections::BTreeSet;

use common::{Project, recipe};
use serde_json::Value;

/// A project with rules of each severity and so many violations of each.
fn project(errors: usize, warnings: usize, infos: usize) -> Project {
    let mut text = String::new();
    for (word, count) in [("badOne", errors), ("soSo", warnings), ("hint", infos)] {
        for number in 0..count {
            text.push_str(&format!("{word}({number});\n"));
        }
    }
    let rule = |word: &str, severity: &str| {
        recipe(
            &format!("no-{}", word.to_lowercase()),
            &format!(r"\b{word}\b"),
            &format!("    severity: {severity}\n"),
        )
    };
    Project::new(&[
        ("Alembic/recipes/general/one.md", &rule("badOne", "error")),
        ("Alembic/recipes/general/two.md", &rule("soSo", "warning")),
        ("Alembic/recipes/general/three.md", &rule("hint", "info")),
        ("src/a.ts", &text),
        ("src/clean.ts", "ok();\n"),
    ])
}

fn ci<'a>(more: &[&'a str]) -> Vec<&'a str> {
    [&["guard", "ci", "--rules", "recipe", "--no-store"], more].concat()
}

fn report(project: &Project, more: &[&str]) -> Value {
    project.json(&ci(&[&["--report", "json"], more].concat()))
}

#[test]
fn errors_fail_the_build_whatever_the_score() {
    let project = project(2, 7, 10);
    let run = project.run(&ci(&["--report", "json"]));
    assert_eq!(run.code, 1, "{}", run.shown());
    let report: Value = serde_json::from_str(&run.out).unwrap();
    assert_eq!(report["complianceScore"], 81);
    assert_eq!(report["qualityGate"]["status"], "FAIL");
    assert_eq!(report["qualityGate"]["thresholds"]["minScore"], 70);
    assert_eq!(report["summary"]["filesScanned"], 2);
    assert_eq!(report["summary"]["errors"], 2);
    assert_eq!(report["summary"]["warnings"], 7);
    assert_eq!(report["summary"]["infos"], 10);
    assert_eq!(report["topViolations"][0]["ruleId"], "no-hint");
    assert_eq!(report["topViolations"][0]["occurrences"], 10);
    assert_eq!(
        report["topViolations"][0]["fixRecipeTitle"],
        "About no-hint"
    );
    assert_eq!(report["fileHotspots"][0]["filePath"], "src/a.ts");
    assert_eq!(report["coverageScore"], 100);
    assert_eq!(report["confidenceScore"], 100);
    assert_eq!(report["trend"]["hasHistory"], false);
    assert_eq!(report["coverageMatrix"]["modules"][0]["module"], "src");
    assert_eq!(report["coverageMatrix"]["modules"][0]["coverage"], 100);
    assert_eq!(report["coverageMatrix"]["modules"][0]["level"], "good");
    assert_eq!(project.run(&ci(&["--fail-on-error=false"])).code, 0);
}

#[test]
fn many_warnings_fail_the_build_by_the_score() {
    let project = project(0, 35, 0);
    let run = project.run(&ci(&[]));
    assert_eq!(run.code, 2, "{}", run.shown());
    assert!(run.out.contains("Gate: FAIL: score 65"), "{}", run.out);
    assert_eq!(report(&project, &[])["complianceScore"], 65);
    assert_eq!(project.run(&ci(&["--min-score", "60"])).code, 0);
}

#[test]
fn a_gate_that_warns_fails_only_when_asked_to() {
    let project = project(0, 21, 0);
    assert_eq!(report(&project, &[])["qualityGate"]["status"], "WARN");
    assert_eq!(project.run(&ci(&[])).code, 0);
    assert_eq!(project.run(&ci(&["--fail-on-warning"])).code, 2);
    let lenient = ["--fail-on-warning", "--max-warnings", "21"];
    assert_eq!(project.run(&ci(&lenient)).code, 0);
}

#[test]
fn the_settings_of_the_project_are_the_gate() {
    let project = project(1, 0, 0);
    project.write(
        "Alembic/config.toml",
        b"[qualityGate]\nmaxErrors = 1\nminScore = 96\n",
    );
    assert_eq!(project.run(&ci(&[])).code, 2);
    assert_eq!(project.run(&ci(&["--min-score", "95"])).code, 0);
}

#[test]
fn a_guard_that_cannot_run_is_uncertain_and_lowers_the_coverage() {
    let project = project(0, 0, 0);
    project.write(
        "Alembic/recipes/general/four.md",
        recipe("broken", "(", "").as_bytes(),
    );
    let found = report(&project, &[]);
    assert_eq!(found["summary"]["totalViolations"], 0);
    assert_eq!(found["uncertainSummary"]["byReason"]["invalid_regex"], 2);
    assert_eq!(found["boundaries"][0]["type"], "rule_regex_invalid");
    assert!(found["coverageScore"].as_u64().unwrap() < 100);
    assert!(found["confidenceScore"].as_u64().unwrap() < 100);
    assert_eq!(project.run(&ci(&[])).code, 0);
    assert_eq!(project.run(&ci(&["--max-uncertain", "1"])).code, 2);
    let both = ["--max-uncertain", "1", "--min-coverage", "90"];
    assert_eq!(project.run(&ci(&both)).code, 3, "coverage comes first");
    project.write("src/b.ts", b"badOne();\n");
    assert_eq!(project.run(&ci(&both)).code, 1, "errors come before all");
}

#[test]
fn a_decaying_recipe_warns_at_most() {
    let project = project(0, 0, 0);
    let decaying = recipe("old-way", r"\boldWay\b", "    severity: error\n")
        .replace("kind: rule\n", "kind: rule\nlifecycle: decaying\n");
    project.write("Alembic/recipes/general/old.md", decaying.as_bytes());
    project.write("src/b.ts", b"oldWay();\n");
    let found = report(&project, &[]);
    let violation = &found["files"][1]["violations"][0];
    assert_eq!(violation["ruleId"], "old-way");
    assert_eq!(violation["severity"], "warning");
    assert_eq!(project.run(&ci(&[])).code, 0);
}

#[test]
fn excluded_paths_are_whole_segments() {
    let project = project(0, 0, 0);
    project.write(
        "Alembic/guard-exclusions.json",
        br#"{"pathExclusions": [{"pattern": "test", "reason": "fixtures"}]}"#,
    );
    project.write("src/contest.js", b"ok();\n");
    project.write("test/a.js", b"ok();\n");
    let found = report(&project, &[]);
    let paths: Vec<&str> = found["files"]
        .as_array()
        .unwrap()
        .iter()
        .map(|file| file["filePath"].as_str().unwrap())
        .collect();
    assert_eq!(paths, ["src/a.ts", "src/clean.ts", "src/contest.js"]);
}

#[test]
fn test_files_count_by_half_unless_they_are_included() {
    let project = project(0, 0, 0);
    project.write("test/a.test.ts", b"soSo();\nsoSo();\nsoSo();\n");
    let score = |more: &[&str]| report(&project, more)["complianceScore"].clone();
    assert_eq!(score(&[]), 99);
    assert_eq!(score(&["--include-tests"]), 97);
}

#[test]
fn a_cap_that_bites_is_told_and_lowers_the_coverage() {
    let project = project(0, 0, 0);
    let found = report(&project, &["--max-files", "1"]);
    assert_eq!(found["summary"]["filesScanned"], 1);
    assert_eq!(found["coverageScore"], 50);
    assert_eq!(found["notes"][0], "1 files: left out by --max-files 1");
    assert_eq!(found["uncertainSummary"]["total"], 0);
    assert_eq!(
        report(&project, &["--max-files", "2"])["coverageScore"],
        100
    );
}

#[test]
fn parts_make_up_the_whole() {
    let project = project(1, 3, 2);
    for number in 0..12 {
        project.write(&format!("lib/m{number}.ts"), b"soSo();\nhint();\n");
    }
    project.write("lib/x.ts", b"// asd:ignore no-soso -- fp\nsoSo();\n");
    let whole = report(&project, &[]);
    // In a folder that is not walked: a report is a file like any other.
    project.write(".parts/.gitignore", b"*\n");
    let mut files = Vec::new();
    for index in 1..=3 {
        let name = format!(".parts/{index}.json");
        let shard = format!("{index}/3");
        let path = project.path(&name);
        project.run(&ci(&[
            "--shard",
            &shard,
            "--report",
            "json",
            "--output",
            path.to_str().unwrap(),
        ]));
        files.push(name);
    }
    let names: Vec<&str> = files.iter().map(String::as_str).collect();
    let merge = |more: &[&str]| project.run(&[&["guard", "merge"], &names[..], more].concat());
    let run = merge(&["--report", "json"]);
    assert_eq!(run.code, 1, "{}", run.shown());
    let merged: Value = serde_json::from_str(&run.out).unwrap();
    for key in [
        "complianceScore",
        "coverageScore",
        "confidenceScore",
        "qualityGate",
        "summary",
        "topViolations",
        "fileHotspots",
        "files",
        "capabilityReport",
        "suppressions",
        "rules",
        "coverageMatrix",
        "ruleHealth",
        "uncertainSummary",
    ] {
        assert_eq!(merged[key], whole[key], "{key}");
    }
    for format in ["sarif", "junit", "gitlab", "markdown", "github"] {
        let of_whole = project.run(&ci(&["--report", format]));
        let undated = |text: &str| text.replace(char::is_numeric, "");
        assert_eq!(
            undated(&merge(&["--report", format]).out),
            undated(&of_whole.out),
            "{format}"
        );
    }
    let missing = project.run(&["guard", "merge", names[0], names[2]]);
    assert_eq!(missing.code, 1);
    assert!(
        missing.err.contains("the parts 2 of 3 are missing"),
        "{}",
        missing.err
    );
}

#[test]
fn a_report_of_each_form_goes_to_a_file_as_it_goes_to_the_terminal() {
    let project = project(1, 1, 1);
    for format in ["text", "markdown", "sarif", "gitlab", "github"] {
        let shown = project.run(&ci(&["--report", format]));
        let path = project.path("out.txt");
        let path = path.to_str().unwrap();
        let run = project.run(&ci(&["--format", format, "--output", path]));
        assert_eq!(run.out, "", "{format}");
        assert_eq!(project.read("out.txt"), shown.out, "{format}");
        assert_eq!(run.code, shown.code);
    }
}

#[test]
fn code_quality_entries_have_what_gitlab_needs() {
    let project = project(3, 2, 1);
    project.write("src/b.ts", b"badOne(0);\n");
    let entries = project.json(&ci(&["--report", "gitlab"]));
    let entries = entries.as_array().unwrap();
    assert_eq!(entries.len(), 7);
    let mut fingerprints = BTreeSet::new();
    for entry in entries {
        let text = |key: &str| entry[key].as_str().unwrap();
        assert!(!text("description").is_empty());
        assert!(text("check_name").starts_with("no-"));
        let severities = ["info", "minor", "major", "critical", "blocker"];
        assert!(severities.contains(&text("severity")));
        let location = &entry["location"];
        assert!(!location["path"].as_str().unwrap().starts_with(['.', '/']));
        assert!(location["lines"]["begin"].as_u64().unwrap() >= 1);
        assert!(fingerprints.insert(text("fingerprint").to_owned()));
    }
    project.write("src/b.ts", b"\n\n\nbadOne(0);\n");
    let later = project.json(&ci(&["--report", "gitlab"]));
    let moved: BTreeSet<String> = later
        .as_array()
        .unwrap()
        .iter()
        .map(|entry| entry["fingerprint"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(moved, fingerprints, "lines that move stay known");
}

/// The elements of an XML text with their depth and attributes; fails where it
/// is not well formed.
fn elements(xml: &str) -> Vec<(usize, String, Vec<String>)> {
    let mut found = Vec::new();
    let mut open: Vec<String> = Vec::new();
    for piece in xml.split('<').skip(1) {
        let (tag, _text) = piece.split_once('>').unwrap();
        if tag.starts_with('?') {
            continue;
        }
        if let Some(name) = tag.strip_prefix('/') {
            assert_eq!(open.pop().as_deref(), Some(name));
            continue;
        }
        let name: String = tag
            .chars()
            .take_while(|c| c.is_alphanumeric() || *c == '-')
            .collect();
        let attributes = tag
            .split('"')
            .step_by(2)
            .filter_map(|part| part.trim().strip_suffix('='))
            .map(|part| part.rsplit(' ').next().unwrap().to_owned())
            .collect();
        found.push((open.len(), name.clone(), attributes));
        if !tag.ends_with('/') {
            open.push(name);
        }
    }
    assert!(open.is_empty(), "{open:?}");
    found
}

#[test]
fn junit_has_the_shape_that_its_schemas_share() {
    let project = project(1, 1, 1);
    project.write("src/odd.ts", "badOne(\"<&>]]> \u{1}\u{1b}\");\n".as_bytes());
    project.write("src/latin.ts", b"caf\xE9");
    let run = project.run(&ci(&["--report", "junit"]));
    let all = elements(&run.out);
    assert_eq!((all[0].0, all[0].1.as_str()), (0, "testsuites"));
    assert!(all[0].2.is_empty());
    let mut suites = 0;
    for (depth, name, attributes) in &all[1..] {
        let attributes: Vec<&str> = attributes.iter().map(String::as_str).collect();
        match name.as_str() {
            "testsuite" => {
                suites += 1;
                assert_eq!(*depth, 1);
                let needed = [
                    "name",
                    "id",
                    "package",
                    "timestamp",
                    "hostname",
                    "tests",
                    "failures",
                    "errors",
                    "time",
                ];
                assert_eq!(attributes, needed);
            }
            "testcase" => {
                assert_eq!((*depth, attributes), (2, vec!["name", "classname", "time"]));
            }
            "failure" | "error" => {
                assert_eq!((*depth, attributes), (3, vec!["message", "type"]));
            }
            "properties" | "system-out" | "system-err" => assert_eq!(*depth, 2),
            other => panic!("{other} is in no schema"),
        }
    }
    assert_eq!(suites, 4);
    let count = |name: &str| all.iter().filter(|(_, found, _)| found == name).count();
    assert_eq!(count("failure"), 3);
    assert_eq!(count("error"), 1);
    // Each suite has its parts in the order of the schemas.
    let order: Vec<&str> = all
        .iter()
        .filter(|(depth, ..)| *depth == 2)
        .map(|(_, name, _)| name.as_str())
        .collect();
    for suite in order.split_inclusive(|name| *name == "system-err") {
        assert_eq!(suite.first(), Some(&"properties"));
        assert_eq!(suite[suite.len() - 2..], ["system-out", "system-err"]);
        assert!(
            suite[1..suite.len() - 2]
                .iter()
                .all(|name| *name == "testcase")
        );
    }
    assert!(run.out.chars().all(|c| c == '\n' || c >= ' '));
}

#[test]
fn a_run_leaves_traces_below_its_own_folder_only() {
    let project = project(1, 1, 0);
    let before = project.content();
    project.run(&ci(&[]));
    assert_eq!(project.content(), before, "--no-store writes nothing");
    project.run(&["guard", "ci", "--rules", "recipe"]);
    let rest: Vec<_> = project
        .content()
        .into_iter()
        .filter(|(path, _)| !path.starts_with(project.path(".asd")))
        .collect();
    assert_eq!(rest, before);
    assert_eq!(project.read(".asd/.gitignore"), "*\n");
}

#[test]
fn the_trend_compares_with_the_run_before() {
    let project = project(2, 1, 0);
    let run = || project.json(&["guard", "ci", "--rules", "recipe", "--report", "json"]);
    assert_eq!(run()["trend"]["hasHistory"], false);
    project.write("src/a.ts", b"badOne(0);\nsoSo(0);\nsoSo(1);\n");
    let trend = run()["trend"].clone();
    assert_eq!(trend["hasHistory"], true);
    assert_eq!(trend["errorsChange"], -1);
    assert_eq!(trend["warningsChange"], 1);
}

fn lines(project: &Project, path: &str) -> Vec<Value> {
    let path = project.path(path);
    let text = std::fs::read_to_string(path).unwrap_or_default();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

#[test]
fn what_was_mended_is_credited_to_its_recipe() {
    let project = project(5, 0, 0);
    let run = || {
        project.run(&["guard", "ci", "--rules", "recipe"]);
        lines(&project, ".asd/signals/usage.jsonl").len()
    };
    project.write("src/gone.ts", b"badOne();\n");
    project.write("src/hidden.ts", b"badOne();\n");
    assert_eq!(run(), 0);
    let text = project.read("src/a.ts");
    project.write("src/a.ts", format!("\n\n  {text}").as_bytes());
    std::fs::remove_file(project.path("src/gone.ts")).unwrap();
    project.write(
        "src/hidden.ts",
        b"// asd:ignore no-badone -- known\nbadOne();\n",
    );
    assert_eq!(
        run(),
        0,
        "moved lines, deleted files and suppressions are no fixes"
    );
    let fewer = text.replace("badOne(4);\n", "");
    project.write("src/a.ts", fewer.as_bytes());
    assert_eq!(run(), 1, "one of five");
    project.write("src/a.ts", b"ok();\n");
    assert_eq!(run(), 5, "the last four, in a clean run");
    assert_eq!(run(), 5, "told once");
    let signals = lines(&project, ".asd/signals/usage.jsonl");
    assert_eq!(signals[0]["type"], "usage");
    assert_eq!(signals[0]["target"], "@no-badone");
    assert_eq!(signals[0]["metadata"]["source"], "guard_fix_detection");
    assert_eq!(signals[0]["metadata"]["ruleId"], "no-badone");
    assert_eq!(signals[0]["metadata"]["filePath"], "src/a.ts");
    let applied: u64 = lines(&project, ".asd/usage.jsonl")
        .iter()
        .filter(|line| line["e"] == "application")
        .map(|line| line["n"].as_u64().unwrap())
        .sum();
    assert_eq!(applied, 5);
}

#[test]
fn a_rule_that_is_turned_off_mends_nothing() {
    let project = project(2, 0, 0);
    project.run(&["guard", "ci", "--rules", "recipe"]);
    project.write(
        "Alembic/config.toml",
        b"[guard]\ndisabledRules = [\"no-badone\"]\n",
    );
    project.run(&["guard", "ci", "--rules", "recipe"]);
    assert!(lines(&project, ".asd/signals/usage.jsonl").is_empty());
}

#[test]
fn verdicts_of_people_are_part_of_the_report() {
    let project = project(2, 0, 0);
    let say = |more: &[&str]| project.run(&[&["guard", "feedback", "no-badone"], more].concat());
    let run = say(&["fp", "src/a.ts:1", "--reason", "wrapped"]);
    assert_eq!(run.code, 0, "{}", run.shown());
    assert_eq!(say(&["fp", "src/a.ts:1"]).code, 0);
    assert_eq!(say(&["correct", "src/a.ts:2"]).code, 0);
    assert_eq!(say(&["fn", "src/clean.ts:1"]).code, 0);
    let refused = say(&["fp", "src/a.ts"]);
    assert!(refused.err.contains("lines 1, 2"), "{}", refused.err);
    let refused = say(&["fp", "src/clean.ts:1"]);
    assert!(refused.err.contains("say `fn`"), "{}", refused.err);
    assert_eq!(project.run(&["guard", "feedback", "no-such", "fp"]).code, 2);
    let all: Value = serde_json::from_str(&project.read("Alembic/feedback.json")).unwrap();
    assert_eq!(all.as_array().unwrap().len(), 3);
    assert_eq!(all[0]["ruleId"], "no-badone");
    project.write(
        "src/b.ts",
        b"badOne(); // asd:ignore no-badone -- fp: a mock\nbadOne(); // asd:ignore no-badone -- known\n",
    );
    let found = report(&project, &[]);
    let health = &found["ruleHealth"][0];
    assert_eq!(health["ruleId"], "no-badone");
    assert_eq!(health["correct"], 1);
    assert_eq!(health["falsePositive"], 2);
    assert_eq!(health["suppressedAsFalse"], 1);
    assert_eq!(health["falseNegative"], 1);
    assert_eq!(health["effectiveness"], "monitoring");
    // One error, the other being dismissed, and a precision of a third.
    assert_eq!(found["summary"]["errors"], 1);
    assert_eq!(found["complianceScore"], 92);
}

#[test]
fn a_dismissed_finding_is_gone_everywhere_until_its_code_changes() {
    let project = project(1, 0, 0);
    assert_eq!(project.run(&ci(&[])).code, 1);
    project.run(&["guard", "feedback", "no-badone", "fp", "src/a.ts:1"]);
    assert_eq!(project.run(&ci(&[])).code, 0);
    assert_eq!(project.run(&["check", "--rules", "recipe"]).code, 0);
    project.write("src/a.ts", b"\n\nbadOne(0);\n");
    assert_eq!(project.run(&ci(&[])).code, 0, "its line has moved");
    project.write("src/a.ts", b"badOne(1);\nbadOne(0);\n");
    let found = report(&project, &[]);
    assert_eq!(
        found["summary"]["errors"], 1,
        "another one is not dismissed"
    );
    assert_eq!(found["files"][0]["violations"][0]["line"], 1);
    project.run(&["guard", "feedback", "no-badone", "correct", "src/a.ts:2"]);
    assert_eq!(report(&project, &[])["summary"]["errors"], 2);
    project.write("Alembic/feedback.json", b"[\n<<<<<<< ours\n]\n");
    let found = report(&project, &[]);
    let note = found["notes"][0].as_str().unwrap();
    assert!(note.contains("Alembic/feedback.json"), "{note}");
}

#[test]
fn a_dismissed_finding_is_not_fixed() {
    let project = project(0, 0, 0);
    project.write("src/b.js", b"debugger;\nfoo();\n");
    let run = project.run(&["guard", "feedback", "js-no-debugger", "fp", "src/b.js:1"]);
    assert_eq!(run.code, 0, "{}", run.shown());
    project.run(&["check", "--fix", "src/b.js"]);
    assert_eq!(project.read("src/b.js"), "debugger;\nfoo();\n");
    project.write("src/b.js", b"debugger;\nfoo();\nif (a) { debugger; }\n");
    project.run(&["check", "--fix", "src/b.js"]);
    let fixed = project.read("src/b.js");
    assert!(fixed.starts_with("debugger;\n"), "{fixed}");
    assert_eq!(fixed.matches("debugger").count(), 1, "{fixed}");
}
