//! Rules that look at several files, through the real program.

#![allow(
    clippy::unwrap_used,
    reason = "a test may panic, and so may what it uses"
)]

#[allow(dead_code, reason = "each test file uses a part of it")]
mod common;

use common::Project;
use serde_json::Value;

/// A circle of three modules, and one that has nothing to do with it.
fn circle() -> Project {
    Project::new(&[
        (
            "src/a.ts",
            "import { b } from './b';\nexport const a = b;\n",
        ),
        (
            "src/b.ts",
            "// the second\nimport { c } from './c';\nexport const b = c;\n",
        ),
        (
            "src/c.ts",
            "import { a } from './a';\nexport const c = a;\n",
        ),
        ("src/d.ts", "export const d = 1;\n"),
    ])
}

fn places(violation: &Value) -> Vec<(String, u64)> {
    violation["locations"]
        .as_array()
        .unwrap()
        .iter()
        .map(|place| {
            let path = place["filePath"].as_str().unwrap();
            (path.to_owned(), place["line"].as_u64().unwrap())
        })
        .collect()
}

#[test]
fn a_circle_is_told_once_with_a_place_in_each_file() {
    let result = circle().json(&["check", "--json"]);
    let found = result["crossFileViolations"].as_array().unwrap();
    assert_eq!(found.len(), 1, "{result}");
    assert_eq!(found[0]["ruleId"], "js-circular-import");
    assert_eq!(found[0]["layer"], "crossFile");
    assert_eq!(
        found[0]["locations"][1]["snippet"],
        "import { c } from './c';"
    );
    let expected = [("src/a.ts", 1), ("src/b.ts", 2), ("src/c.ts", 1)];
    let expected = expected.map(|(path, line)| (path.to_owned(), line));
    assert_eq!(places(&found[0]), expected);
    assert_eq!(result["summary"]["totalWarnings"], 1);
    assert_eq!(result["summary"]["filesWithViolations"], 3);
    let crossed = &result["capabilityReport"]["executedChecks"]["crossFile"];
    assert_eq!(crossed["total"], crossed["executed"]);
    assert_eq!(crossed["total"], 4);
}

#[test]
fn people_see_every_place() {
    let run = circle().run(&["check"]);
    assert_eq!(run.code, 0, "{}", run.shown());
    for part in [
        "warning[js-circular-import]: These modules import each other: src/a.ts → src/b.ts → src/c.ts → src/a.ts.",
        "src/b.ts:2: imports src/c.ts",
        "src/c.ts:1: imports src/a.ts",
        "Checked 4 files: 1 warning in 3 files.",
    ] {
        assert!(run.out.contains(part), "{part}\n{}", run.shown());
    }
}

/// The others are looked at as far as they matter, and not reported on.
#[test]
fn one_file_alone_is_seen_in_its_surroundings() {
    let project = circle();
    project.write("src/e.ts", b"debugger;\nimport './f';\n");
    project.write("src/f.ts", b"import './e';\n");
    let result = project.json(&["check", "--json", "src/b.ts"]);
    let found = result["crossFileViolations"].as_array().unwrap();
    assert_eq!(found.len(), 1, "{result}");
    assert_eq!(places(&found[0]).len(), 3);
    assert_eq!(result["summary"]["filesChecked"], 1);
    let result = project.json(&["check", "--json", "src/d.ts"]);
    assert_eq!(result["crossFileViolations"].as_array().unwrap().len(), 0);
}

#[test]
fn the_other_class_of_a_package_is_found_wherever_it_lies() {
    let project = Project::new(&[
        ("Alembic/config.toml", ""),
        ("core/Clock.java", "package app;\nclass Clock {}\n"),
        ("util/Clocks.kt", "package app\n\nclass Clock\n"),
        ("util/Other.java", "package app;\nclass Other {}\n"),
    ]);
    let result = project.json(&["check", "--json", "core/Clock.java"]);
    let found = result["crossFileViolations"].as_array().unwrap();
    assert_eq!(found.len(), 1, "{result}");
    assert_eq!(places(&found[0])[1], ("util/Clocks.kt".to_owned(), 3));
}

#[test]
fn severity_exclusions_and_comments_are_honoured() {
    let project = circle();
    project.write(
        "Alembic/config.toml",
        b"[guard.rules.js-circular-import]\nseverity = \"error\"\n",
    );
    assert_eq!(project.run(&["check"]).code, 1);
    project.write(
        "Alembic/config.toml",
        b"[guard.rules.js-circular-import]\nexcludePaths = [\"src/c.ts\"]\n",
    );
    let found = |project: &Project| {
        let result = project.json(&["check", "--json"]);
        result["crossFileViolations"].as_array().unwrap().len()
    };
    assert_eq!(found(&project), 0);
    project.write(
        "Alembic/config.toml",
        b"[guard.rules.js-circular-import]\nexcludeLine = [\"from './c'\"]\n",
    );
    assert_eq!(found(&project), 0);
    project.write("Alembic/config.toml", b"[guard]\n");
    assert_eq!(found(&project), 1);
    project.write(
        "src/b.ts",
        b"import { c } from './c'; // asd:ignore js-circular-import -- only a type\n",
    );
    let result = project.json(&["check", "--json"]);
    assert_eq!(result["crossFileViolations"].as_array().unwrap().len(), 0);
    assert_eq!(result["suppressions"][0]["used"], true);
    // A comment that is of no use is told.
    project.write("src/c.ts", b"export const c = 1;\n");
    let result = project.json(&["check", "--json"]);
    assert_eq!(result["suppressions"][0]["used"], false);
}

#[test]
fn the_gate_counts_a_circle_and_parts_that_are_merged_count_it_once() {
    let project = circle();
    let whole = project.json(&["guard", "ci", "--report", "json"]);
    assert_eq!(whole["summary"]["warnings"], 1, "{whole}");
    assert_eq!(whole["topViolations"][0]["ruleId"], "js-circular-import");
    for part in ["1/2", "2/2"] {
        let file = format!("{}.json", &part[..1]);
        project.run(&[
            "guard", "ci", "--report", "json", "--shard", part, "--output", &file,
        ]);
    }
    let merged = project.json(&["guard", "merge", "1.json", "2.json", "--report", "json"]);
    assert_eq!(merged["summary"]["warnings"], 1, "{merged}");
}

/// Facts of two files more are no reason to write anything.
#[test]
fn nothing_is_written() {
    let project = circle();
    let before = project.content();
    project.run(&["check"]);
    assert_eq!(project.content(), before);
}

/// What a function of the same package gives is known, in whichever file it is.
#[test]
fn a_result_that_is_no_error_may_be_dropped() {
    let project = Project::new(&[
        (
            "log/log.go",
            "package log\n\nfunc f(l *Log, p Source) {\n\tindex, _ := l.last()\n\tentry, _ := l.read(index)\n\tch, _ := p.Watch()\n\tn, _ := size()\n\tx, _ := elsewhere()\n}\n",
        ),
        (
            "log/state.go",
            "package log\n\nfunc (l *Log) last() (index, term uint64) { return }\nfunc (l *Log) read(i uint64) ([]byte, error) { return nil, nil }\nfunc size() (int, bool) { return 0, true }\n\ntype Source interface {\n\tWatch() (<-chan int, chan bool)\n}\n",
        ),
        (
            "other/state.go",
            "package other\n\nfunc elsewhere() (int, bool) { return 0, true }\n",
        ),
    ]);
    let result = project.json(&["check", "--json"]);
    let lines = |result: &Value| -> Vec<u64> {
        result["files"][0]["violations"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|violation| violation["ruleId"] == "go-no-err-ignored")
            .map(|violation| violation["line"].as_u64().unwrap())
            .collect()
    };
    assert_eq!(lines(&result), [5, 8]);
    // One file named alone has the same findings.
    let result = project.json(&["check", "log/log.go", "--json"]);
    assert_eq!(lines(&result), [5, 8]);
}

/// A tree whose circles, packages and duplicates lie in files of several parts.
fn large() -> Project {
    let project = circle();
    for number in 0..30 {
        let next = (number + 1) % 30;
        project.write(
            &format!("ring/m{number}.ts"),
            format!("import {{ x }} from './m{next}';\nexport const y{number} = x!;\n").as_bytes(),
        );
    }
    for name in ["a", "b", "c", "d"] {
        project.write(
            &format!("pkg/{name}.go"),
            b"package pkg\n\nfunc init() {}\n",
        );
        let class = "package p;\n\nclass Same extends Other {}\n";
        project.write(&format!("java/{name}/Same.java"), class.as_bytes());
    }
    project.write("java/a/Other.java", b"package p;\n\nclass Other {}\n");
    project.write(
        "src/e.ts",
        b"// asd:ignore js-circular-import\nimport './f';\n",
    );
    project.write("src/f.ts", b"import './e';\n");
    project
}

#[test]
fn parts_of_a_run_make_up_the_whole_with_what_lies_across_them() {
    let project = large();
    let ci = |more: &[&str]| {
        let base = ["guard", "ci", "--no-store", "--report", "json"];
        let run = project.run(&[&base[..], more].concat());
        serde_json::from_str::<Value>(&run.out).unwrap_or_else(|e| panic!("{e}: {}", run.shown()))
    };
    let whole = ci(&[]);
    let across = whole["crossFileViolations"].as_array().unwrap();
    assert!(across.len() >= 4, "{across:#?}");
    let folder = tempfile::tempdir().unwrap();
    for count in [2, 3, 7] {
        let mut names = Vec::new();
        for index in 1..=count {
            let name = folder.path().join(format!("{index}-{count}.json"));
            let part = ci(&["--shard", &format!("{index}/{count}")]);
            std::fs::write(&name, part.to_string()).unwrap();
            names.push(name.to_str().unwrap().to_owned());
        }
        let mut arguments = vec!["guard", "merge", "--report", "json"];
        arguments.extend(names.iter().map(String::as_str));
        let run = project.run(&arguments);
        let mut merged: Value = serde_json::from_str(&run.out).unwrap();
        let mut whole = whole.clone();
        for report in [&mut merged, &mut whole] {
            report["timestamp"] = Value::Null;
            report["trend"] = Value::Null;
        }
        assert_eq!(
            serde_json::to_string_pretty(&merged).unwrap(),
            serde_json::to_string_pretty(&whole).unwrap(),
            "{count} parts"
        );
    }
}
